#include "shoal/cover/cover.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "shoal/common/partition.hpp"

namespace shoal {

Cover::Cover(const Records& records, std::int32_t k) : records_(records), losses_(records), k_(k) {
    for (std::size_t row = 0; row < records.rows(); ++row) {
        own_.insert(own_.end(), static_cast<std::size_t>(records.counts[row]),
                    static_cast<std::int32_t>(row));
    }
    held_.assign(own_.size(), 1);
    members_.assign(own_.size() * static_cast<std::size_t>(k), -1);
    hulls_.resize(own_.size() * losses_.attributes());
    for (std::size_t i = 0; i < own_.size(); ++i) {
        members_[i * static_cast<std::size_t>(k)] = own_[i];
        losses_.open(hulls_.data() + i * losses_.attributes(), own_[i]);
    }
}

Cover::Cover(const Records& records, std::int32_t k, std::span<const std::int32_t> rows)
    : Cover(records, k) {
    set(rows);
}

void Cover::set(std::span<const std::int32_t> rows) {
    members_.assign(rows.begin(), rows.end());
    held_.assign(own_.size(), k_);
    for (std::size_t i = 0; i < own_.size(); ++i) {
        losses_.close(hulls_.data() + i * losses_.attributes(), members(i));
    }
}

bool Cover::may_hold(std::size_t released, std::int32_t row) const {
    const std::int32_t copies = records_.counts[static_cast<std::size_t>(row)];
    std::int32_t found = 0;
    for (const std::int32_t member : members(released)) found += member == row;
    return found < copies;
}

void Cover::add(std::size_t released, std::int32_t row) {
    losses_.add(hulls_.data() + released * losses_.attributes(), members(released), row);
    members_[released * static_cast<std::size_t>(k_) +
             static_cast<std::size_t>(held_[released]++)] = row;
}

void Cover::replace(std::size_t released, std::size_t place, std::int32_t row) {
    members_[released * static_cast<std::size_t>(k_) + place] = row;
    losses_.close(hulls_.data() + released * losses_.attributes(), members(released));
}

std::int64_t Cover::total() const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < size(); ++i) sum += losses_.loss(hull(i));
    return sum;
}

namespace {

// The paper's backtracking: the last served record whose row suits, and that some other row left
// over suits, hands it on.
bool hand_on(const Cover& cover, std::size_t released, std::span<const std::size_t> served,
             std::span<const std::int32_t> open, std::vector<std::int32_t>& taken,
             std::vector<std::int32_t>& left) {
    for (auto other = served.rbegin(); other != served.rend(); ++other) {
        const std::int32_t wanted = taken[*other];
        if (wanted < 0 || !cover.may_hold(released, wanted)) continue;
        std::int32_t best = -1, least = 0;
        for (const std::int32_t row : open) {
            if (row == wanted || !cover.may_hold(*other, row)) continue;
            const std::int32_t growth = cover.growth(*other, row);
            if (best < 0 || growth < least) {
                best = row;
                least = growth;
            }
        }
        if (best < 0) continue;
        taken[*other] = best;
        --left[static_cast<std::size_t>(best)];
        taken[released] = wanted;
        return true;
    }
    return false;
}

}  // namespace

void serve_by_exchange(const Cover& cover, std::size_t released,
                       std::span<const std::size_t> served, std::vector<std::int32_t>& taken,
                       std::vector<std::int32_t>& left) {
    std::vector<std::int32_t> open;
    for (std::size_t row = 0; row < left.size(); ++row) {
        if (left[row] > 0) open.push_back(static_cast<std::int32_t>(row));
    }
    if (hand_on(cover, released, served, open, taken, left)) return;
    // For k of (n + 3) / 2 and more one exchange may not do: a chain of them always does, because
    // what earlier rounds leave is a regular graph.
    std::vector<std::vector<std::size_t>> holders(left.size());
    for (const std::size_t other : served) {
        if (taken[other] >= 0) holders[static_cast<std::size_t>(taken[other])].push_back(other);
    }
    std::vector<std::size_t> queue{released};
    std::vector<std::int32_t> from(left.size(), -1);  // who reached the row
    for (std::size_t place = 0; place < queue.size(); ++place) {
        const std::size_t now = queue[place];
        for (std::size_t row = 0; row < left.size(); ++row) {
            if (from[row] >= 0 || !cover.may_hold(now, static_cast<std::int32_t>(row))) continue;
            if (taken[now] == static_cast<std::int32_t>(row)) continue;
            from[row] = static_cast<std::int32_t>(now);
            if (left[row] > 0) {
                --left[row];
                for (std::size_t step = row;;) {
                    const auto who = static_cast<std::size_t>(from[step]);
                    const std::int32_t before = taken[who];
                    taken[who] = static_cast<std::int32_t>(step);
                    if (who == released) return;
                    step = static_cast<std::size_t>(before);
                }
            }
            queue.insert(queue.end(), holders[row].begin(), holders[row].end());
        }
    }
    throw std::logic_error("a regular graph has a perfect matching");
}

namespace {

std::vector<std::size_t> released_in_order(const Cover& cover, const CoverSettings& settings) {
    std::vector<std::size_t> first(cover.records().rows() + 1, 0);
    for (std::size_t row = 0; row < cover.records().rows(); ++row) {
        first[row + 1] = first[row] + static_cast<std::size_t>(cover.records().counts[row]);
    }
    std::vector<std::size_t> order;
    order.reserve(cover.size());
    for (const std::int32_t row : settings.order) {
        const auto place = static_cast<std::size_t>(row);
        for (std::size_t i = first[place]; i < first[place + 1]; ++i) order.push_back(i);
    }
    return order;
}

// One closure at a time walks through the rounds' scans: its tables are made from its members.
class Round {
  public:
    Round(Cover& cover, const CoverSettings& settings, Layout& layout)
        : cover_(cover),
          settings_(settings),
          layout_(layout),
          alive_(cover.records(), layout, settings.order),
          query_(cover.records(), layout, Query::Aim::nearest),
          scanner_(settings.path),
          position_(cover.records().rows()),
          taken_(cover.size(), -1),
          left_(cover.records().counts) {
        for (std::size_t p = 0; p < settings.order.size(); ++p) {
            position_[static_cast<std::size_t>(settings.order[p])] = static_cast<std::int32_t>(p);
        }
    }

    void serve(std::size_t released, std::span<const std::size_t> served) {
        const auto members = cover_.members(released);
        query_.open(members);
        aside_.clear();
        for (const std::int32_t row : members) {
            const std::int32_t index = alive_.index_of(position_[static_cast<std::size_t>(row)]);
            if (index < 0 || cover_.may_hold(released, row)) continue;
            alive_.remove(static_cast<std::size_t>(index));
            aside_.push_back(row);
        }
        if (alive_.size() > 0) {
            const Found& found = scanner_.scan(alive_, query_);
            const auto index = found.indices[0];
            const auto position = static_cast<std::size_t>(alive_.position(index));
            const std::int32_t row = settings_.order[position];
            taken_[released] = row;
            if (--left_[static_cast<std::size_t>(row)] == 0) alive_.remove(index);
        }
        for (const std::int32_t row : aside_) {
            alive_.restore(cover_.records(), layout_, row,
                           position_[static_cast<std::size_t>(row)]);
        }
        if (taken_[released] < 0) exchange(released, served);
    }

    const std::vector<std::int32_t>& taken() const { return taken_; }

  private:
    void exchange(std::size_t released, std::span<const std::size_t> served) {
        serve_by_exchange(cover_, released, served, taken_, left_);
        for (std::size_t row = 0; row < left_.size(); ++row) {
            const std::int32_t index = alive_.index_of(position_[row]);
            if (index >= 0 && left_[row] == 0) alive_.remove(static_cast<std::size_t>(index));
        }
    }

    Cover& cover_;
    const CoverSettings& settings_;
    Layout& layout_;
    Alive alive_;
    Query query_;
    Scanner scanner_;
    std::vector<std::int32_t> position_;
    std::vector<std::int32_t> taken_;
    std::vector<std::int32_t> left_;
    std::vector<std::int32_t> aside_;
};

}  // namespace

void cover_greedily(Cover& cover, const CoverSettings& settings, Control& control) {
    Layout layout(cover.records());
    const std::vector<std::size_t> order = released_in_order(cover, settings);
    const double rounds = cover.k() - 1;
    for (std::int32_t round = 1; round < cover.k(); ++round) {
        Round now(cover, settings, layout);
        for (std::size_t place = 0; place < order.size(); ++place) {
            if (place % 64 == 0) {
                if (control.cancelled()) throw Cancelled();
                control.report(
                    (round - 1 + static_cast<double>(place) / static_cast<double>(order.size())) /
                    rounds);
            }
            now.serve(order[place], std::span(order).first(place));
        }
        for (std::size_t i = 0; i < cover.size(); ++i) cover.add(i, now.taken()[i]);
    }
}

}  // namespace shoal
