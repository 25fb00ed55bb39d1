#include "shoal/clustering/growth.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "shoal/common/closure.hpp"
#include "shoal/common/deadline.hpp"

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
          deadline_(growth.seconds),
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

    bool can_open() const { return remaining_ >= growth_.k && !deadline_.passed(); }
    bool is_left(std::int32_t row) const { return left_[static_cast<std::size_t>(row)] > 0; }
    const Alive& alive() const { return alive_; }
    const Layout& layout() const { return layout_; }
    Scanner& scanner() { return scanner_; }
    std::int32_t row_at(std::int32_t position) const {
        return rows_[static_cast<std::size_t>(position)];
    }

    // Grows one class from the row at `position`; returns the row taken last. Once time is up,
    // there is no such class.
    std::int32_t grow(std::int32_t position, bool centre) {
        std::int64_t size = take(position, growth_.k);
        std::int32_t last = row_at(position);
        if (size < growth_.k) nearest_.open(static_cast<std::size_t>(last));
        while (size < growth_.k) {
            check();
            if (deadline_.passed()) {
                give_up();
                return last;
            }
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

    // Where fewer than k records are left, each goes to the class whose total loss it raises least.
    Partition finish() {
        if (remaining_ > 0 && remaining_ < growth_.k) place_leftovers();
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

    // Takes the class that is being grown back out of the result. Its rows do not grow again.
    void give_up() { remaining_ += result_.take_back(classes_); }

    // A class that leftovers may join. Of several classes made of one and the same row only the
    // first is listed, so that there are never more than two for each row.
    struct Host {
        Closure closure;
        double loss;
        std::int64_t size;
        std::int32_t klass;
        std::int32_t only_row;  // -1 if the class holds several rows
    };

    std::vector<Host> hosts(std::vector<std::vector<std::int32_t>>& alike) const {
        std::vector<Host> all;
        std::vector<char> listed(records_.rows());
        for (std::size_t begin = 0; begin < result_.row.size();) {
            std::size_t end = begin;
            while (end < result_.row.size() && result_.klass[end] == result_.klass[begin]) ++end;
            const std::int32_t klass = result_.klass[begin];
            const std::int32_t row = end - begin == 1 ? result_.row[begin] : -1;
            if (row >= 0 && listed[static_cast<std::size_t>(row)]) {
                alike[static_cast<std::size_t>(row)].push_back(klass);
            } else {
                if (row >= 0) listed[static_cast<std::size_t>(row)] = 1;
                Host& host = all.emplace_back(Host{{}, 0.0, 0, klass, row});
                host.closure.open(records_, static_cast<std::size_t>(result_.row[begin]));
                for (std::size_t i = begin; i < end; ++i) {
                    host.closure.add(records_, static_cast<std::size_t>(result_.row[i]));
                    host.size += result_.count[i];
                }
                host.loss = host.closure.loss(records_);
            }
            begin = end;
        }
        return all;
    }

    void place_leftovers() {
        std::vector<std::vector<std::int32_t>> alike(records_.rows());  // further ones, ascending
        std::vector<std::size_t> used(records_.rows());
        std::vector<Host> all = hosts(alike);
        for (const std::int32_t row : rows_) {
            const auto place = static_cast<std::size_t>(row);
            while (left_[place] > 0) {
                check();
                std::size_t best = 0;
                double least = std::numeric_limits<double>::infinity();
                for (std::size_t h = 0; h < all.size(); ++h) {
                    const Host& host = all[h];
                    const double after = host.closure.loss_adding(records_, place);
                    const double grown = static_cast<double>(host.size + 1) * after -
                                         static_cast<double>(host.size) * host.loss;
                    if (grown < least || (grown == least && host.klass < all[best].klass)) {
                        least = grown;
                        best = h;
                    }
                }
                join(all, best, row, alike, used);
            }
        }
    }

    void join(std::vector<Host>& all, std::size_t best, std::int32_t row,
              const std::vector<std::vector<std::int32_t>>& alike, std::vector<std::size_t>& used) {
        if (const std::int32_t only = all[best].only_row; only >= 0) {
            // Its place as the first class of that row goes to the next one.
            const auto place = static_cast<std::size_t>(only);
            if (used[place] < alike[place].size()) {
                Host next = all[best];
                next.klass = alike[place][used[place]++];
                all.push_back(std::move(next));
            }
            all[best].only_row = -1;
        }
        Host& host = all[best];
        host.closure.add(records_, static_cast<std::size_t>(row));
        host.loss = host.closure.loss(records_);
        ++host.size;
        result_.place(row, host.klass, 1);
        --left_[static_cast<std::size_t>(row)];
        --remaining_;
    }

    const Records& records_;
    Growth growth_;
    Control& control_;
    Layout layout_;
    std::vector<std::int32_t> rows_;  // of each position
    Alive alive_;
    Query nearest_;
    Scanner scanner_;
    Deadline deadline_;
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
    // Placements by class, so that one closure at a time suffices.
    std::vector<std::size_t> end(static_cast<std::size_t>(classes) + 1);
    for (const std::int32_t klass : partition.klass) ++end[static_cast<std::size_t>(klass) + 1];
    std::partial_sum(end.begin(), end.end(), end.begin());
    std::vector<std::size_t> begin(end.begin(), end.end() - 1);
    std::vector<std::size_t> placement(partition.klass.size());
    std::vector<std::size_t> next = begin;
    for (std::size_t i = 0; i < placement.size(); ++i) {
        placement[next[static_cast<std::size_t>(partition.klass[i])]++] = i;
    }
    std::vector<double> losses(begin.size());
    Closure closure;
    for (std::size_t c = 0; c < losses.size(); ++c) {
        bool open = false;
        for (std::size_t i = begin[c]; i < end[c + 1]; ++i) {
            if (partition.count[placement[i]] == 0) continue;
            const auto row = static_cast<std::size_t>(partition.row[placement[i]]);
            if (open) {
                closure.add(records, row);
            } else {
                closure.open(records, row);
                open = true;
            }
        }
        losses[c] = open ? closure.loss(records) : 0.0;
    }
    return losses;
}

}  // namespace shoal
