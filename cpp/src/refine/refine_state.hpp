// The partition of one region under search: where every record is, and how it moves and back.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "refine/refine_classes.hpp"
#include "shoal/common/models.hpp"
#include "shoal/common/partition.hpp"
#include "shoal/common/random.hpp"
#include "shoal/scan/neighbours.hpp"

namespace shoal {

// Pieces grouped by class.
struct Pieces {
    std::vector<Piece> all;
    std::vector<std::size_t> starts{0};  // of each class, and the end
    std::vector<double> losses;          // of each class, in all

    std::size_t classes() const { return starts.size() - 1; }
    std::span<const Piece> of(std::size_t c) const {
        return {all.data() + starts[c], starts[c + 1] - starts[c]};
    }
    void close(double loss) {
        starts.push_back(all.size());
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
class RegionState {
  public:
    RegionState(const typename Classes::Shared& shared, const Models& models,
                const Neighbours& neighbours, const Pieces& pieces,
                std::span<const std::int32_t> chosen, RegionMap& map, std::int64_t k,
                std::uint64_t seed)
        : models_(models),
          rows_(rows_of(pieces, chosen, map)),
          random_(seed),
          classes_(shared, rows_),
          k_(k) {
        link(neighbours, map);
        row_first_.assign(rows_.size(), -1);
        grow(chosen.size() + 1);
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            for (const Piece& piece : pieces.of(static_cast<std::size_t>(chosen[i]))) {
                place(map.local[static_cast<std::size_t>(piece.row)],
                      static_cast<std::int32_t>(i + 1), piece.count);
            }
        }
        for (const std::int32_t row : rows_) map.local[static_cast<std::size_t>(row)] = -1;
    }

    void write(Pieces& to) const {
        for (std::size_t c = 1; c < members_.size(); ++c) {
            if (members_[c].empty()) continue;
            for (const std::int32_t entry : members_[c]) {
                const Entry& each = entries_[at(entry)];
                to.all.push_back({rows_[at(each.row)], each.count});
            }
            to.close(classes_.total(c));
        }
    }

  protected:
    struct Entry {
        std::int32_t row;
        std::int32_t klass;
        std::int32_t count;
        std::int32_t place;  // among the members of its class
        std::int32_t next;   // entry of the same row
    };
    struct Transfer {
        std::int32_t row, from, to, count;
    };

    static std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

    static std::vector<std::int32_t> rows_of(const Pieces& pieces,
                                             std::span<const std::int32_t> chosen, RegionMap& map) {
        std::vector<std::int32_t> rows;
        for (const std::int32_t c : chosen) {
            for (const Piece& piece : pieces.of(at(c))) {
                std::int32_t& local = map.local[at(piece.row)];
                if (local >= 0) continue;
                local = static_cast<std::int32_t>(rows.size());
                rows.push_back(piece.row);
            }
        }
        return rows;
    }

    void link(const Neighbours& neighbours, const RegionMap& map) {
        near_starts_.push_back(0);
        near_.reserve(rows_.size() * neighbours.width);
        for (const std::int32_t row : rows_) {
            for (const std::int32_t other : neighbours.of(at(row))) {
                if (other >= 0 && map.local[at(other)] >= 0) near_.push_back(map.local[at(other)]);
            }
            near_starts_.push_back(near_.size());
        }
    }

    std::span<const std::int32_t> near(std::int32_t row) const {
        return {near_.data() + near_starts_[at(row)],
                near_starts_[at(row) + 1] - near_starts_[at(row)]};
    }

    void grow(std::size_t classes) {
        classes_.resize(classes);
        members_.resize(classes);
        member_rows_.resize(classes);
        if (!models_.empty()) histograms_.resize(classes);
    }

    // ---- the partition

    void place(std::int32_t row, std::int32_t to, std::int32_t count) {
        const std::int32_t found = entry_of(row, to);
        classes_.add(at(to), at(row), count, found < 0);
        if (!models_.empty()) histograms_[at(to)].add(models_, at(rows_[at(row)]), count);
        if (found >= 0) {
            entries_[at(found)].count += count;
            return;
        }
        std::int32_t entry;
        if (free_entries_.empty()) {
            entry = static_cast<std::int32_t>(entries_.size());
            entries_.emplace_back();
        } else {
            entry = free_entries_.back();
            free_entries_.pop_back();
        }
        auto& members = members_[at(to)];
        entries_[at(entry)] = {row, to, count, static_cast<std::int32_t>(members.size()),
                               row_first_[at(row)]};
        row_first_[at(row)] = entry;
        members.push_back(entry);
        member_rows_[at(to)].push_back(row);
    }

    void take(std::int32_t entry, std::int32_t count) {
        Entry& each = entries_[at(entry)];
        const std::size_t from = at(each.klass);
        const std::int32_t row = each.row;
        const bool whole = each.count == count;
        if (!models_.empty()) histograms_[from].remove(models_, at(rows_[at(row)]), count);
        if (!whole) {
            each.count -= count;
            classes_.remove(from, at(row), count, false, {});
            return;
        }
        auto& members = members_[from];
        auto& rows = member_rows_[from];
        members[at(each.place)] = members.back();
        rows[at(each.place)] = rows.back();
        entries_[at(members.back())].place = each.place;
        members.pop_back();
        rows.pop_back();
        std::int32_t* link = &row_first_[at(row)];
        while (*link != entry) link = &entries_[at(*link)].next;
        *link = each.next;
        free_entries_.push_back(entry);
        classes_.remove(from, at(row), count, true, rows);
    }

    void transfer(std::int32_t entry, std::int32_t to, std::int32_t count) {
        const Entry each = entries_[at(entry)];
        take(entry, count);
        place(each.row, to, count);
    }

    // The entry of a row in a class, or -1.
    std::int32_t entry_of(std::int32_t row, std::int32_t c) const {
        std::int32_t entry = row_first_[at(row)];
        while (entry >= 0 && entries_[at(entry)].klass != c) entry = entries_[at(entry)].next;
        return entry;
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

    std::int32_t empty_class() {
        while (!free_classes_.empty()) {
            const std::int32_t c = free_classes_.back();
            free_classes_.pop_back();
            if (classes_.size(at(c)) == 0) return c;
        }
        grow(members_.size() + 1);
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

    const Models& models_;
    std::vector<std::int32_t> rows_;  // of the table, by number in the region
    Random random_;
    Classes classes_;  // the first is scratch
    std::int32_t scratch_ = 0;
    std::vector<std::vector<std::int32_t>> members_;      // entries of each class
    std::vector<std::vector<std::int32_t>> member_rows_;  // their rows
    std::vector<ClassHistogram> histograms_;
    std::vector<Entry> entries_;
    std::vector<std::int32_t> row_first_;  // of each row: its first entry
    std::vector<std::int32_t> free_entries_, free_classes_;
    std::vector<std::int32_t> near_;        // neighbours of each row within the region
    std::vector<std::size_t> near_starts_;  // more than 2^31 of them in a region of millions
    std::vector<Transfer> log_;
    std::int64_t k_;
};

}  // namespace shoal
