#include "shoal/cluster.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "shoal/closure.hpp"

namespace shoal {

namespace {

// Rows in the order that breaks ties; settled rows, classes of their own, left out.
std::vector<std::int32_t> rows_to_grow(const Records& records, std::span<const std::int32_t> order,
                                       const Growth& growth) {
    std::vector<std::int32_t> rows;
    rows.reserve(order.size());
    for (const std::int32_t row : order) {
        const std::int32_t count = records.counts[static_cast<std::size_t>(row)];
        if (!growth.settle || count < growth.k) rows.push_back(row);
    }
    return rows;
}

class Grower {
  public:
    Grower(const Records& records, std::span<const std::int32_t> order, const Growth& growth,
           Control& control)
        : records_(records),
          growth_(growth),
          control_(control),
          layout_(records),
          rows_(rows_to_grow(records, order, growth)),
          alive_(records, layout_, rows_),
          nearest_(records, layout_, Query::Aim::nearest),
          scanner_(growth.path),
          left_(records.counts) {
        for (const std::int32_t row : rows_) remaining_ += left_[static_cast<std::size_t>(row)];
        if (!growth.settle) return;
        for (const std::int32_t row : order) {
            std::int32_t& count = left_[static_cast<std::size_t>(row)];
            if (count < growth.k) continue;
            result_.place(row, classes_++, count);
            count = 0;
        }
    }

    bool can_open() const { return remaining_ >= growth_.k; }
    bool is_left(std::int32_t row) const { return left_[static_cast<std::size_t>(row)] > 0; }
    const Alive& alive() const { return alive_; }
    const Layout& layout() const { return layout_; }
    Scanner& scanner() { return scanner_; }
    std::int32_t row_at(std::int32_t position) const {
        return rows_[static_cast<std::size_t>(position)];
    }

    // Grows one class from the row at `position`; returns the row taken last.
    std::int32_t grow(std::int32_t position, bool centre) {
        std::int64_t size = take(position, growth_.k);
        std::int32_t last = row_at(position);
        if (size < growth_.k) nearest_.open(static_cast<std::size_t>(last));
        while (size < growth_.k) {
            check();
            const Found& found = scanner_.scan(alive_, nearest_);
            picks_.clear();
            for (const std::uint32_t index : found.indices) {
                picks_.push_back(alive_.position(index));
            }
            for (const std::int32_t pick : picks_) {
                if (size >= growth_.k) break;
                size += take(pick, growth_.k - size);
                last = row_at(pick);
                if (!centre) nearest_.add(static_cast<std::size_t>(last));
            }
        }
        ++classes_;
        control_.report(1.0 -
                        static_cast<double>(remaining_) / static_cast<double>(records_.total));
        return last;
    }

    // Fewer than k records are left: each goes to the class whose total loss it raises least.
    Partition finish() {
        if (remaining_ > 0) place_leftovers();
        control_.report(1.0);
        return std::move(result_);
    }

    void check() const {
        if (control_.cancelled()) throw Cancelled();
    }

  private:
    std::int64_t take(std::int32_t position, std::int64_t needed) {
        const std::int32_t row = row_at(position);
        std::int32_t& left = left_[static_cast<std::size_t>(row)];
        const auto taken = static_cast<std::int32_t>(std::min<std::int64_t>(left, needed));
        result_.place(row, classes_, taken);
        left -= taken;
        remaining_ -= taken;
        if (left == 0) alive_.remove(static_cast<std::size_t>(alive_.index_of(position)));
        return taken;
    }

    void place_leftovers() {
        const auto classes = static_cast<std::size_t>(classes_);
        std::vector<Closure> closures(classes);
        std::vector<std::int64_t> sizes(classes);
        for (std::size_t i = 0; i < result_.row.size(); ++i) {
            const auto which = static_cast<std::size_t>(result_.klass[i]);
            const auto row = static_cast<std::size_t>(result_.row[i]);
            if (sizes[which] == 0) {
                closures[which].open(records_, row);
            } else {
                closures[which].add(records_, row);
            }
            sizes[which] += result_.count[i];
        }
        std::vector<double> losses(classes);
        for (std::size_t c = 0; c < classes; ++c) losses[c] = closures[c].loss(records_);

        for (std::size_t p = 0; p < rows_.size(); ++p) {
            const std::int32_t row = rows_[p];
            std::int32_t& left = left_[static_cast<std::size_t>(row)];
            while (left > 0) {
                check();
                std::size_t best = 0;
                double least = std::numeric_limits<double>::infinity();
                for (std::size_t c = 0; c < classes; ++c) {
                    const double after =
                        closures[c].loss_adding(records_, static_cast<std::size_t>(row));
                    const double grown = static_cast<double>(sizes[c] + 1) * after -
                                         static_cast<double>(sizes[c]) * losses[c];
                    if (grown < least) {
                        least = grown;
                        best = c;
                    }
                }
                closures[best].add(records_, static_cast<std::size_t>(row));
                losses[best] = closures[best].loss(records_);
                ++sizes[best];
                result_.place(row, static_cast<std::int32_t>(best), 1);
                --left;
                --remaining_;
            }
        }
    }

    const Records& records_;
    Growth growth_;
    Control& control_;
    Layout layout_;
    std::vector<std::int32_t> rows_;  // of each position
    Alive alive_;
    Query nearest_;
    Scanner scanner_;
    std::vector<std::int32_t> left_;  // records of each row not yet placed
    std::vector<std::int32_t> picks_;
    std::int64_t remaining_ = 0;
    std::int32_t classes_ = 0;
    Partition result_;
};

}  // namespace

Partition greedy(const Records& records, std::span<const std::int32_t> order, const Growth& growth,
                 Control& control) {
    Grower grower(records, order, growth, control);
    for (std::int32_t position = 0; grower.can_open();) {
        grower.check();
        if (grower.alive().index_of(position) < 0) {
            ++position;
        } else {
            grower.grow(position, false);
        }
    }
    return grower.finish();
}

Partition k_member(const Records& records, std::span<const std::int32_t> order, std::int32_t start,
                   bool centre, const Growth& growth, Control& control) {
    Grower grower(records, order, growth, control);
    Query furthest(records, grower.layout(), Query::Aim::furthest);
    std::int32_t last = start;
    bool opened = false;
    while (grower.can_open()) {
        grower.check();
        std::int32_t position = -1;
        if (!opened && grower.is_left(start)) {
            for (position = 0; grower.row_at(position) != start;) ++position;
        } else {
            furthest.open(static_cast<std::size_t>(last));
            const Found& found = grower.scanner().scan(grower.alive(), furthest);
            position = grower.alive().position(found.indices[0]);
        }
        opened = true;
        last = grower.grow(position, centre);
    }
    return grower.finish();
}

std::vector<double> class_loss(const Records& records, const Partition& partition,
                               std::int32_t classes) {
    std::vector<Closure> closures(static_cast<std::size_t>(classes));
    for (std::size_t i = 0; i < partition.row.size(); ++i) {
        if (partition.count[i] == 0) continue;
        Closure& closure = closures[static_cast<std::size_t>(partition.klass[i])];
        const auto row = static_cast<std::size_t>(partition.row[i]);
        if (closure.parts().empty()) {
            closure.open(records, row);
        } else {
            closure.add(records, row);
        }
    }
    std::vector<double> losses(closures.size());
    for (std::size_t c = 0; c < closures.size(); ++c) losses[c] = closures[c].loss(records);
    return losses;
}

}  // namespace shoal
