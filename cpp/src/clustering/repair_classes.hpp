// The classes of a partition under repair: their losses, their protected values, their members.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/class_members.hpp"
#include "common/scalars.hpp"
#include "shoal/common/class_state.hpp"
#include "shoal/common/control.hpp"
#include "shoal/common/models.hpp"
#include "shoal/common/partition.hpp"

namespace shoal::repairing {

inline constexpr double nothing = 1e-9;  // what a shortfall may differ by without being less

struct Transfer {
    std::int32_t row;
    std::int32_t from, to;
    std::int32_t count;
};

struct RepairClasses {
    RepairClasses(const Objective& measured_by, const Models& kept, const Partition& start,
                  const Control& control)
        : objective(measured_by), models(kept) {
        Poll poll(control);
        std::size_t classes = 0;
        for (const std::int32_t c : start.klass) classes = std::max(classes, at(c) + 1);
        states.resize(classes);
        histograms.resize(classes);
        members.resize(classes);
        sound.resize(classes);
        shortfall.resize(classes);
        const ClassPieces pieces(start, classes);
        for (std::size_t c = 0; c < classes; ++c) {
            for (const Piece& piece : pieces.of(c)) {
                poll();
                members[c].add(piece.row, piece.count);
            }
            states[c].assign(objective, pieces.of(c), &poll);
            histograms[c].assign(models, pieces.of(c));
            judge(c);
        }
    }

    void put(std::int32_t row, std::int32_t to, std::int32_t count) {
        states[at(to)].add(objective, at(row), count);
        histograms[at(to)].add(models, at(row), count);
        members[at(to)].add(row, count);
    }
    void take(std::int32_t row, std::int32_t from, std::int32_t count) {
        states[at(from)].remove(objective, at(row), count);
        histograms[at(from)].remove(models, at(row), count);
        members[at(from)].remove(row, count);
    }
    void empty(std::int32_t c) {
        states[at(c)].clear();
        histograms[at(c)].clear();
        members[at(c)].clear();
    }
    void transfer(const Transfer& each) {
        take(each.row, each.from, each.count);
        put(each.row, each.to, each.count);
    }
    void undo(const std::vector<Transfer>& log) {
        for (std::size_t i = log.size(); i-- > 0;) {
            transfer({log[i].row, log[i].to, log[i].from, log[i].count});
        }
    }
    // All records of one class join another.
    void unite(std::int32_t kept, std::int32_t gone) {
        states[at(kept)].unite(objective, states[at(gone)]);
        histograms[at(kept)].unite(histograms[at(gone)]);
        members[at(kept)].unite(members[at(gone)]);
        empty(gone);
    }

    void judge(std::size_t c) {
        sound[c] = histograms[c].holds(models);
        shortfall[c] = sound[c] ? 0.0 : histograms[c].shortfall(models);
    }
    // Whether a class may change to this: a sound one stays so, a broken one gets no worse.
    bool allows(std::int32_t c, const ClassHistogram& after) const {
        if (sound[at(c)]) return after.holds(models);
        return after.shortfall(models) <= shortfall[at(c)];
    }

    double total() const {
        double sum = 0.0;
        for (const ClassState& state : states) sum += state.total(objective);
        return sum;
    }

    const Objective& objective;
    const Models& models;
    std::vector<ClassState> states;
    std::vector<ClassHistogram> histograms;
    std::vector<ClassMembers> members;
    std::vector<char> sound;
    std::vector<double> shortfall;  // as of the last judgement
};

}  // namespace shoal::repairing
