// All records as one region that several threads search at once, each in classes of its own.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <vector>

#include "common/parallel.hpp"
#include "refine/refine_search.hpp"
#include "scan/cells.hpp"

namespace shoal {

// Classes change hands every few milliseconds, along cuts that are drawn anew, so that no border
// between two threads lasts: fixed ones cost more than a second thread gains. Results depend on
// the threads and on the clock; a budget of steps is spent in regions instead.
template <class Classes>
class SearchTogether {
  public:
    SearchTogether(const Records& records, const typename Classes::Shared& shared,
                   const Models& models, const Neighbours& neighbours, const Pieces& pieces,
                   std::int64_t k, int threads, std::uint64_t seed)
        : records_(records),
          random_(seed),
          map_(records.rows()),
          partition_(shared, models, neighbours, pieces, numbers(pieces.classes()), map_, k,
                     searches_for(pieces.classes(), threads)) {
        for (std::size_t i = 0; i < partition_.scratches; ++i) {
            searches_.emplace_back(partition_, static_cast<std::int16_t>(i), random_.next());
        }
    }

    // Takes about so many evaluations, as long as there is time; returns how many.
    std::int64_t run(std::int64_t steps, Clock::time_point end, const Heat& heat,
                     const Mixture& mixture, const Control& control) {
        for (auto& search : searches_) search.begin_round();
        if (searches_.size() == 1) {
            return searches_[0].run({steps, true, end}, heat, mixture, control);
        }
        JointProgress progress;
        progress.searches = static_cast<int>(searches_.size());
        std::int64_t before = -1;
        while (progress.steps > before && progress.steps < steps && !control.stopping()) {
            before = progress.steps;
            const auto began = Clock::now();
            share_out(control);
            const auto now = Clock::now();
            progress.done = 0;
            progress.until =
                now + std::max<Clock::duration>(shortest, work_for_sharing * (now - began));
            parallel_for(searches_.size(), progress.searches, [&](std::size_t i) {
                searches_[i].run({steps, true, end, &progress}, heat, mixture, control);
            });
        }
        return progress.steps;
    }

    std::vector<RegionSearch<Classes>>& searches() { return searches_; }
    void write(Pieces& to) const { partition_.write(to); }

  private:
    static constexpr std::chrono::milliseconds shortest{20};  // between two divisions
    static constexpr int work_for_sharing = 20;               // times as long as it took to divide
    static constexpr std::size_t least_classes = 16;          // a search
    static constexpr std::size_t spare_classes = 256, spare_entries = 16'384;  // a search

    static std::vector<std::int32_t> numbers(std::size_t count) {
        std::vector<std::int32_t> all(count);
        std::iota(all.begin(), all.end(), 0);
        return all;
    }
    static std::size_t searches_for(std::size_t classes, int threads) {
        return std::clamp<std::size_t>(classes / least_classes, 1,
                                       static_cast<std::size_t>(threads));
    }

    // Gives every search classes that lie together, and what it needs to open and divide others.
    void share_out(const Control& control) {
        live_.clear();
        row_.clear();
        weight_.clear();
        empty_.clear();
        for (std::size_t c = partition_.scratches; c < partition_.members.size(); ++c) {
            const auto& held = partition_.member_rows[c];
            if (held.empty()) {
                empty_.push_back(static_cast<std::int32_t>(c));
                continue;
            }
            live_.push_back(static_cast<std::int32_t>(c));
            const auto drawn = static_cast<std::size_t>(random_.below(held.size()));
            row_.push_back(partition_.rows[static_cast<std::size_t>(held[drawn])]);
            weight_.push_back(partition_.classes.size(c));
        }
        const Cells parts =
            divide_into_parts(records_, row_, weight_, searches_.size(), random_, control);
        owner_.assign(partition_.members.size(), 0);
        for (std::size_t part = 0; part < parts.size(); ++part) {
            for (const std::int32_t item : parts.of(part)) {
                const std::int32_t c = live_[static_cast<std::size_t>(item)];
                owner_[static_cast<std::size_t>(c)] = static_cast<std::int16_t>(part);
            }
        }
        share_rows();
        share_spares();
    }

    void share_rows() {
        for (auto& search : searches_) search.own_rows().clear();
        for (std::size_t row = 0; row < partition_.rows.size(); ++row) {
            const auto owner_of = [&](std::int32_t entry) {
                const auto& each = partition_.entries[static_cast<std::size_t>(entry)];
                return owner_[static_cast<std::size_t>(each.klass)];
            };
            std::int32_t entry = partition_.row_first[row];
            std::int16_t owner = owner_of(entry);
            while ((entry = partition_.entries[static_cast<std::size_t>(entry)].next) >= 0) {
                if (owner_of(entry) != owner) owner = RegionPartition<Classes>::nobody;
            }
            partition_.row_owner[row] = owner;
            if (owner < 0) continue;
            searches_[static_cast<std::size_t>(owner)].own_rows().push_back(
                static_cast<std::int32_t>(row));
        }
    }

    void share_spares() {
        const std::size_t wanted = spare_classes * searches_.size();
        if (empty_.size() < wanted / 2) {
            const std::size_t count = partition_.members.size();
            partition_.grow(count + wanted - empty_.size());
            for (std::size_t c = count; c < partition_.members.size(); ++c) {
                empty_.push_back(static_cast<std::int32_t>(c));
            }
        }
        for (auto& search : searches_) search.free_classes().clear();
        for (std::size_t i = 0; i < empty_.size(); ++i) {
            searches_[i % searches_.size()].free_classes().push_back(empty_[i]);
        }
        for (auto& search : searches_) {
            auto& spare = search.free_entries();
            if (spare.size() >= spare_entries / 2) continue;
            while (spare.size() < spare_entries) {
                spare.push_back(static_cast<std::int32_t>(partition_.entries.size()));
                partition_.entries.emplace_back();
            }
        }
    }

    const Records& records_;
    Random random_;
    RegionMap map_;
    RegionPartition<Classes> partition_;
    std::vector<RegionSearch<Classes>> searches_;
    std::vector<std::int32_t> live_, row_, empty_;
    std::vector<std::int64_t> weight_;
    std::vector<std::int16_t> owner_;  // of each class
};

}  // namespace shoal
