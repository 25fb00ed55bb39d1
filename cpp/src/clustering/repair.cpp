#include "shoal/clustering/repair.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <tuple>
#include <vector>

#include "clustering/repair_classes.hpp"
#include "clustering/repair_exchanges.hpp"
#include "common/scalars.hpp"
#include "scan/class_columns.hpp"

namespace shoal {

namespace {

using repairing::ExchangeSearch;
using repairing::nothing;
using repairing::RepairClasses;
using repairing::Transfer;

class Repairing {
  public:
    Repairing(const Objective& objective, const Models& models, const Partition& start,
              bool unions_only, Control& control)
        : unions_only_(unions_only),
          control_(control),
          classes_(objective, models, start, control),
          exchanges_(classes_, control),
          class_columns_(objective) {}

    Repaired run() {
        std::vector<std::int32_t> broken;
        for (std::size_t c = 0; c < classes_.states.size(); ++c) {
            if (!classes_.sound[c]) broken.push_back(static_cast<std::int32_t>(c));
        }
        result_.broken = static_cast<std::int64_t>(broken.size());
        if (!broken.empty()) {
            class_columns_.resize(classes_.states.size());
            for (std::size_t c = 0; c < classes_.states.size(); ++c) {
                class_columns_.set(c, classes_.states[c]);
            }
        }
        for (std::size_t i = 0; i < broken.size() && result_.sound; ++i) {
            for (std::int32_t c = broken[i]; c >= 0 && !classes_.sound[at(c)];) c = mend(c);
            control_.report(static_cast<double>(i + 1) / static_cast<double>(broken.size()));
        }
        write();
        return std::move(result_);
    }

    double total() const { return classes_.total(); }

  private:
    static constexpr std::size_t near_classes = 16;
    // A class of many values takes a shift of them for each record that comes: beyond so many it
    // would take for ever.
    static constexpr std::int64_t most_shifts = std::int64_t{1} << 31;  // some seconds
    static constexpr std::size_t asked[] = {32, 512, std::numeric_limits<std::size_t>::max()};

    void check() const {
        if (control_.cancelled()) throw Cancelled();
    }
    void settle(std::int32_t c) {
        classes_.judge(at(c));
        class_columns_.set(at(c), classes_.states[at(c)]);
    }

    // ---- one broken class; returns the class to go on with, or -1

    std::int32_t mend(std::int32_t c) {
        check();
        const std::span<float> growth =
            class_columns_.scan(classes_.states[at(c)], classes_.states);
        growth[at(c)] = std::numeric_limits<float>::infinity();
        order_.clear();
        for (std::size_t other = 0; other < growth.size(); ++other) {
            if (growth[other] < std::numeric_limits<float>::infinity()) {
                order_.push_back(static_cast<std::int32_t>(other));
            }
        }
        if (order_.empty()) {
            result_.sound = false;
            return -1;
        }
        const auto nearer = [&](std::int32_t a, std::int32_t b) {
            return std::tie(growth[at(a)], a) < std::tie(growth[at(b)], b);
        };
        const auto [partner, mends] = find_partner(c, growth, nearer);
        if (unions_only_) {
            unite(partner, c);
            return partner;
        }
        const double united = mends ? union_growth(c, partner) : infinite<double>;
        near_.assign(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(
                                                          std::min(near_classes, order_.size())));
        std::sort(near_.begin(), near_.end(), nearer);

        const double exchanged = exchanges_.mend(c, near_, united, log_);
        std::vector<Transfer> exchanges = std::move(log_);
        classes_.undo(exchanges);
        const double scattered = try_scattering(c, std::min(united, exchanged));
        if (scattered < infinite<double>) {
            ++result_.scattered;
            finish(c);
            return -1;
        }
        if (exchanged < infinite<double>) {
            log_ = std::move(exchanges);
            for (const Transfer& each : log_) classes_.transfer(each);
            result_.exchanged += static_cast<std::int64_t>(log_.size() / 2);
            finish(c);
            return -1;
        }
        unite(partner, c);
        return partner;
    }

    void finish(std::int32_t c) {
        settle(c);
        std::vector<std::int32_t> others;
        for (const Transfer& each : log_) others.push_back(each.to == c ? each.from : each.to);
        std::sort(others.begin(), others.end());
        others.erase(std::unique(others.begin(), others.end()), others.end());
        for (const std::int32_t other : others) settle(other);
        log_.clear();
    }

    // ---- uniting

    double union_growth(std::int32_t a, std::int32_t b) const {
        const ClassState& first = classes_.states[at(a)];
        const ClassState& second = classes_.states[at(b)];
        return first.total_united(classes_.objective, second) - first.total(classes_.objective) -
               second.total(classes_.objective);
    }

    struct Partner {
        std::int32_t klass;
        bool mends;
    };
    template <class Nearer>
    Partner find_partner(std::int32_t c, std::span<const float> growth, Nearer nearer) {
        std::size_t done = 0;
        std::int32_t best = -1;
        double best_price = infinite<double>;
        for (const std::size_t many : asked) {
            const std::size_t upto = std::min(many, order_.size());
            if (upto < order_.size()) {
                std::nth_element(order_.begin() + static_cast<std::ptrdiff_t>(done),
                                 order_.begin() + static_cast<std::ptrdiff_t>(upto), order_.end(),
                                 nearer);
            }
            std::sort(order_.begin() + static_cast<std::ptrdiff_t>(done),
                      order_.begin() + static_cast<std::ptrdiff_t>(upto), nearer);
            for (; done < upto; ++done) {
                if (done % 64 == 0) check();
                const std::int32_t other = order_[done];
                scratch_ = classes_.histograms[at(c)];
                scratch_.unite(classes_.histograms[at(other)]);
                if (scratch_.holds(classes_.models)) return {other, true};
                const double lowered = classes_.shortfall[at(c)] + classes_.shortfall[at(other)] -
                                       scratch_.shortfall(classes_.models);
                if (lowered <= nothing) continue;
                const double price = growth[at(other)] / lowered;
                if (price < best_price) {
                    best_price = price;
                    best = other;
                }
            }
        }
        return {best >= 0 ? best : order_.front(), false};
    }

    void unite(std::int32_t kept, std::int32_t gone) {
        classes_.unite(kept, gone);
        settle(kept);
        settle(gone);
        ++result_.united;
    }

    // ---- scattering

    // Moves every record of the class into near sound ones, into log_, if that costs less than the
    // limit. Returns the cost; otherwise all is as before, and it returns infinity.
    double try_scattering(std::int32_t c, double limit) {
        log_.clear();
        std::int64_t shifts = 0;
        double cost = -classes_.states[at(c)].total(classes_.objective);
        const std::vector<Piece> members = classes_.members[at(c)].list();
        for (const Piece& member : members) {
            check();
            std::int32_t best = -1;
            double least = infinite<double>;
            for (const std::int32_t other : near_) {
                if (!classes_.sound[at(other)] || classes_.states[at(other)].size() == 0) continue;
                const double change = classes_.states[at(other)].change_adding(
                    classes_.objective, at(member.row), member.count);
                if (change >= least || !classes_.histograms[at(other)].holds_adding(
                                           classes_.models, at(member.row), member.count)) {
                    continue;
                }
                least = change;
                best = other;
            }
            cost += least;
            if (best < 0) break;
            shifts += static_cast<std::int64_t>(classes_.members[at(best)].size());
            if (shifts > most_shifts) break;
            // The class itself is emptied at once when all have found a place.
            log_.push_back({member.row, c, best, member.count});
            classes_.put(member.row, best, member.count);
        }
        if (log_.size() == members.size() && cost < limit) {
            classes_.empty(c);
            return cost;
        }
        for (std::size_t i = log_.size(); i-- > 0;)
            classes_.take(log_[i].row, log_[i].to, log_[i].count);
        log_.clear();
        return infinite<double>;
    }

    void write() {
        std::int32_t number = 0;
        for (const ClassMembers& members : classes_.members) {
            result_.looks += members.looks();
            const std::vector<Piece> pieces = members.list();
            for (const Piece& each : pieces) {
                result_.partition.place(each.row, number, each.count);
            }
            number += !pieces.empty();
        }
    }

    bool unions_only_;
    Control& control_;
    RepairClasses classes_;
    ExchangeSearch exchanges_;
    ClassColumns class_columns_;
    std::vector<std::int32_t> order_, near_;
    std::vector<Transfer> log_;
    ClassHistogram scratch_;
    Repaired result_;
};

}  // namespace

Repaired repair(const Objective& objective, const Models& models, const Partition& start,
                Control& control) {
    Repairing all_ways(objective, models, start, false, control);
    Repaired repaired = all_ways.run();
    if (repaired.exchanged + repaired.scattered == 0) return repaired;
    // What exchanges take from classes near at hand, others may lack later.
    Repairing unions(objective, models, start, true, control);
    Repaired united = unions.run();
    return unions.total() < all_ways.total() ? std::move(united) : std::move(repaired);
}

}  // namespace shoal
