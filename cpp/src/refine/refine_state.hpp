// The partition of one region under search: where every record is, and how it moves and back.
//
// One search changes it, or several at once, each on a thread of its own. Several divide the
// classes among themselves. A search touches its own classes, and of the rows only those that lie
// in its classes alone, so that nothing is read by one search while another writes it.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "common/list_bounds.hpp"
#include "common/scalars.hpp"
#include "refine/refine_classes.hpp"
#include "shoal/common/models.hpp"
#include "shoal/common/partition.hpp"
#include "shoal/common/random.hpp"
#include "shoal/scan/neighbours.hpp"

namespace shoal {

// Pieces grouped by class.
struct Pieces {
    std::vector<Piece> all;
    ListBounds bounds;           // of each class
    std::vector<double> losses;  // of each class, in all

    std::size_t classes() const { return bounds.size(); }
    std::span<const Piece> of(std::size_t c) const { return bounds.of(all, c); }
    void close(double loss) {
        bounds.close(all.size());
        losses.push_back(loss);
    }
    void append(const Pieces& other, std::size_t c) {
        const auto members = other.of(c);
        all.insert(all.end(), members.begin(), members.end());
        close(other.losses[c]);
    }
};

// What a thread keeps from region to region.
struct RegionMap {
    std::vector<std::int32_t> local;  // of each row of the table: its number in the region, or -1

    explicit RegionMap(std::size_t rows) : local(rows, -1) {}
};

template <class Classes>
struct RegionPartition {
    struct Entry {
        std::int32_t row;
        std::int32_t klass;
        std::int32_t count;
        std::int32_t place;  // among the members of its class
        std::int32_t next;   // entry of the same row
    };
    static constexpr std::int16_t nobody = -1;

    RegionPartition(const typename Classes::Shared& shared, const Models& models_kept,
                    const Neighbours& neighbours, const Pieces& pieces,
                    std::span<const std::int32_t> chosen, RegionMap& map, std::int64_t least_size,
                    std::size_t searches = 1)
        : models(models_kept),
          k(least_size),
          rows(rows_of(pieces, chosen, map)),
          classes(shared, rows),
          scratches(searches) {
        link(neighbours, map);
        row_first.assign(rows.size(), -1);
        row_owner.assign(rows.size(), 0);
        grow(searches + chosen.size());
        std::vector<std::int32_t> spare;
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            for (const Piece& piece : pieces.of(at(chosen[i]))) {
                place(map.local[at(piece.row)], static_cast<std::int32_t>(searches + i),
                      piece.count, spare);
            }
        }
        for (const std::int32_t row : rows) map.local[at(row)] = -1;
    }

    void write(Pieces& to) const {
        for (std::size_t c = scratches; c < members.size(); ++c) {
            if (members[c].empty()) continue;
            for (const std::int32_t entry : members[c]) {
                const Entry& each = entries[at(entry)];
                to.all.push_back({rows[at(each.row)], each.count});
            }
            to.close(classes.total(c));
        }
    }

    void grow(std::size_t count) {
        classes.resize(count);
        members.resize(count);
        member_rows.resize(count);
        if (!models.empty()) histograms.resize(count);
    }

    // `spare` are numbers of entries that are free; without any there is a new one.
    void place(std::int32_t row, std::int32_t to, std::int32_t count,
               std::vector<std::int32_t>& spare) {
        const std::int32_t found = entry_of(row, to);
        classes.add(at(to), at(row), count, found < 0);
        if (!models.empty()) histograms[at(to)].add(models, at(rows[at(row)]), count);
        if (found >= 0) {
            entries[at(found)].count += count;
            return;
        }
        std::int32_t entry;
        if (spare.empty()) {
            entry = static_cast<std::int32_t>(entries.size());
            entries.emplace_back();
        } else {
            entry = spare.back();
            spare.pop_back();
        }
        auto& held = members[at(to)];
        entries[at(entry)] = {row, to, count, static_cast<std::int32_t>(held.size()),
                              row_first[at(row)]};
        row_first[at(row)] = entry;
        held.push_back(entry);
        member_rows[at(to)].push_back(row);
    }

    void take(std::int32_t entry, std::int32_t count, std::vector<std::int32_t>& spare) {
        Entry& each = entries[at(entry)];
        const std::size_t from = at(each.klass);
        const std::int32_t row = each.row;
        const bool whole = each.count == count;
        if (!models.empty()) histograms[from].remove(models, at(rows[at(row)]), count);
        if (!whole) {
            each.count -= count;
            classes.remove(from, at(row), count, false, {});
            return;
        }
        auto& held = members[from];
        auto& held_rows = member_rows[from];
        held[at(each.place)] = held.back();
        held_rows[at(each.place)] = held_rows.back();
        entries[at(held.back())].place = each.place;
        held.pop_back();
        held_rows.pop_back();
        std::int32_t* from_here = &row_first[at(row)];
        while (*from_here != entry) from_here = &entries[at(*from_here)].next;
        *from_here = each.next;
        spare.push_back(entry);
        classes.remove(from, at(row), count, true, held_rows);
    }

    // The entry of a row in a class, or -1.
    std::int32_t entry_of(std::int32_t row, std::int32_t c) const {
        std::int32_t entry = row_first[at(row)];
        while (entry >= 0 && entries[at(entry)].klass != c) entry = entries[at(entry)].next;
        return entry;
    }

    std::span<const std::int32_t> near(std::int32_t row) const {
        return near_bounds.of(near_rows, at(row));
    }

    const Models& models;
    const std::int64_t k;
    std::vector<std::int32_t> rows;  // of the table, by number in the region
    Classes classes;
    std::size_t scratches;  // the first classes: one for each search, to try things out
    std::vector<std::vector<std::int32_t>> members;      // entries of each class
    std::vector<std::vector<std::int32_t>> member_rows;  // their rows
    std::vector<ClassHistogram> histograms;
    std::vector<Entry> entries;
    std::vector<std::int32_t> row_first;  // of each row: its first entry
    std::vector<std::int16_t> row_owner;  // the search that may move it, or nobody
    std::vector<std::int32_t> near_rows;  // neighbours of each row within the region
    ListBounds near_bounds;

  private:
    static std::vector<std::int32_t> rows_of(const Pieces& pieces,
                                             std::span<const std::int32_t> chosen, RegionMap& map) {
        std::vector<std::int32_t> found;
        for (const std::int32_t c : chosen) {
            for (const Piece& piece : pieces.of(at(c))) {
                std::int32_t& local = map.local[at(piece.row)];
                if (local >= 0) continue;
                local = static_cast<std::int32_t>(found.size());
                found.push_back(piece.row);
            }
        }
        return found;
    }

    void link(const Neighbours& neighbours, const RegionMap& map) {
        near_bounds.reserve(rows.size());
        near_rows.reserve(rows.size() * neighbours.width);
        for (const std::int32_t row : rows) {
            for (const std::int32_t other : neighbours.of(at(row))) {
                if (other >= 0 && map.local[at(other)] >= 0) {
                    near_rows.push_back(map.local[at(other)]);
                }
            }
            near_bounds.close(near_rows.size());
        }
    }
};

// What one search does to a partition.
template <class Classes>
class RegionState {
  public:
    // The search of this number among those of the partition.
    RegionState(RegionPartition<Classes>& partition, std::int16_t number, std::uint64_t seed)
        : partition_(partition),
          models_(partition.models),
          rows_(partition.rows),
          classes_(partition.classes),
          members_(partition.members),
          histograms_(partition.histograms),
          entries_(partition.entries),
          row_first_(partition.row_first),
          k_(partition.k),
          random_(seed),
          number_(number),
          scratch_(number),
          alone_(partition.scratches == 1) {
        if (!alone_) return;
        own_rows_.resize(rows_.size());
        std::iota(own_rows_.begin(), own_rows_.end(), 0);
    }

    // Of several searches: the rows this one may move, classes that are empty and entries that are
    // free. It ends when it runs short of either.
    std::vector<std::int32_t>& own_rows() { return own_rows_; }
    std::vector<std::int32_t>& free_classes() { return free_classes_; }
    std::vector<std::int32_t>& free_entries() { return free_entries_; }

  protected:
    using Entry = typename RegionPartition<Classes>::Entry;
    struct Transfer {
        std::int32_t row, from, to, count;
    };

    static constexpr std::int64_t steps_between_looks = 2'048;

    std::span<const std::int32_t> near(std::int32_t row) const { return partition_.near(row); }

    // Whether this search may read where a row is, and move it.
    bool owns(std::int32_t row) const { return partition_.row_owner[at(row)] == number_; }

    // Whether there are entries for a proposal that may divide so many. A step divides one at
    // most, and this is asked every so many steps.
    bool has_entries(std::size_t divided) const {
        return alone_ || free_entries_.size() > divided + 2 * steps_between_looks;
    }

    // ---- the partition

    void transfer(std::int32_t entry, std::int32_t to, std::int32_t count) {
        const std::int32_t row = entries_[at(entry)].row;
        partition_.take(entry, count, free_entries_);
        partition_.place(row, to, count, free_entries_);
    }

    std::int32_t entry_of(std::int32_t row, std::int32_t c) const {
        return partition_.entry_of(row, c);
    }

    std::int32_t draw_entry(std::int32_t row) {
        const std::int32_t first = row_first_[at(row)];
        if (entries_[at(first)].next < 0) return first;
        std::int32_t count = 0;
        for (std::int32_t e = first; e >= 0; e = entries_[at(e)].next) ++count;
        std::int32_t entry = first;
        for (auto skip = random_.below(static_cast<std::uint64_t>(count)); skip > 0; --skip) {
            entry = entries_[at(entry)].next;
        }
        return entry;
    }

    // -1 if there is none.
    std::int32_t empty_class() {
        while (!free_classes_.empty()) {
            const std::int32_t c = free_classes_.back();
            free_classes_.pop_back();
            if (classes_.size(at(c)) == 0) return c;
        }
        if (!alone_) return -1;
        partition_.grow(members_.size() + 1);
        return static_cast<std::int32_t>(members_.size() - 1);
    }
    void note_empty(std::int32_t c) {
        if (classes_.size(at(c)) == 0) free_classes_.push_back(c);
    }

    // ---- several transfers that are kept or undone together

    void log_transfer(std::int32_t entry, std::int32_t to, std::int32_t count) {
        const Entry& each = entries_[at(entry)];
        log_.push_back({each.row, each.klass, to, count});
        transfer(entry, to, count);
    }
    void undo() {
        for (; !log_.empty(); log_.pop_back()) {
            const Transfer& each = log_.back();
            transfer(entry_of(each.row, each.to), each.from, each.count);
        }
    }
    // Keeps the logged transfers if every class they touched is sound.
    bool commit() {
        bool sound = true;
        for (const Transfer& each : log_) {
            sound = sound && sound_class(each.from) && sound_class(each.to);
        }
        if (!sound) {
            undo();
            return false;
        }
        for (const Transfer& each : log_) note_empty(each.from);
        log_.clear();
        return true;
    }
    bool sound_class(std::int32_t c) const {
        const std::int64_t size = classes_.size(at(c));
        if (size == 0) return true;
        return size >= k_ && (models_.empty() || histograms_[at(c)].holds(models_));
    }

    RegionPartition<Classes>& partition_;
    // What the proposals read of it.
    const Models& models_;
    const std::vector<std::int32_t>& rows_;
    Classes& classes_;
    const std::vector<std::vector<std::int32_t>>& members_;
    const std::vector<ClassHistogram>& histograms_;
    const std::vector<Entry>& entries_;
    const std::vector<std::int32_t>& row_first_;
    const std::int64_t k_;

    Random random_;
    std::int16_t number_;
    std::int32_t scratch_;
    bool alone_;
    std::vector<std::int32_t> own_rows_;
    std::vector<std::int32_t> free_entries_, free_classes_;
    std::vector<Transfer> log_;
};

}  // namespace shoal
