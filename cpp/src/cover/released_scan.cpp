#include "cover/released_scan.hpp"

#include <algorithm>

#include "common/clones.hpp"

namespace shoal {

namespace {

SHOAL_CLONED(void, widen,
             (const std::int32_t* low, const std::int32_t* high, std::int32_t value,
              std::int32_t limit, std::int32_t* sum, std::size_t size),
             (low, high, value, limit, sum, size)) {
    for (std::size_t i = 0; i < size; ++i) {
        const std::int32_t top = high[i] > value ? high[i] : value;
        const std::int32_t bottom = low[i] < value ? low[i] : value;
        const std::int32_t width = top - bottom;
        sum[i] += width < limit ? width : limit;
    }
}

SHOAL_CLONED(void, add_where_lacking,
             (const std::uint32_t* word, std::uint32_t bit, const std::int32_t* cost,
              std::int32_t* sum, std::size_t size),
             (word, bit, cost, sum, size)) {
    for (std::size_t i = 0; i < size; ++i) sum[i] += word[i] & bit ? 0 : cost[i];
}

SHOAL_CLONED(void, add_all, (const std::int32_t* cost, std::int32_t* sum, std::size_t size),
             (cost, sum, size)) {
    for (std::size_t i = 0; i < size; ++i) sum[i] += cost[i];
}

SHOAL_CLONED(void, add_unless_equal,
             (const std::int32_t* held, std::int32_t value, std::int32_t cost, std::int32_t* sum,
              std::size_t size),
             (held, value, cost, sum, size)) {
    for (std::size_t i = 0; i < size; ++i) sum[i] += held[i] == value ? 0 : cost;
}

SHOAL_CLONED(void, add_meetings,
             (const std::int32_t* low, const std::int32_t* high, const std::int32_t* height,
              const std::int32_t* loss, std::int32_t* sum, std::size_t size),
             (low, high, height, loss, sum, size)) {
    for (std::size_t i = 0; i < size; ++i) {
        const std::int32_t left = height[low[i]], right = height[high[i]];
        sum[i] += loss[left > right ? left : right];
    }
}

SHOAL_CLONED(std::int32_t, least_of, (const std::int32_t* value, std::size_t size), (value, size)) {
    std::int32_t least = INT32_MAX;
    for (std::size_t i = 0; i < size; ++i) least = value[i] < least ? value[i] : least;
    return least;
}

constexpr std::size_t block = 256;  // of closures that stay in the nearest cache for all rows
// Above every growth, and far enough below overflow to add one to it.
constexpr std::int32_t barred = 1 << 30;
static_assert(CoverLoss::whole <= barred / 4);

}  // namespace

ReleasedScan::ReleasedScan(const Cover& cover)
    : cover_(cover),
      who_(cover.size()),
      place_of_(cover.size()),
      base_(cover.size(), 0),
      columns_(cover.losses().attributes()),
      of_value_(cover.losses().attributes()),
      left_(cover.size()) {
    for (std::size_t i = 0; i < who_.size(); ++i) {
        who_[i] = place_of_[i] = static_cast<std::int32_t>(i);
    }
    fill_columns();
    index_members();
}

void ReleasedScan::fill_columns() {
    const std::size_t size = cover_.size();
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        const CoverLoss::Attribute& attribute = cover_.losses().attribute(j);
        Column& column = columns_[j];
        const bool set = attribute.way == Way::bits || attribute.way == Way::listed;
        column.words.assign(attribute.words.size(), std::vector<std::uint32_t>(size));
        if (set) column.cost.resize(size);
        if (!set) column.low.resize(size);
        if (attribute.way == Way::interval || attribute.way == Way::tree) column.high.resize(size);
        for (std::size_t i = 0; i < size; ++i) {
            const HullPart& part = cover_.hull(i)[j];
            if (set) {
                column.cost[i] = std::min(attribute.limit, part.count * attribute.step) - part.loss;
            } else {
                base_[i] -= part.loss;
                column.low[i] = attribute.way == Way::same && part.high != part.low ? -1 : part.low;
            }
            if (!column.high.empty()) column.high[i] = part.high;
            for (std::size_t w = 0; w < column.words.size(); ++w) {
                column.words[w][i] = static_cast<std::uint32_t>(part.mask[w / 2] >> (w % 2 * 32));
            }
        }
    }
}

void ReleasedScan::index_members() {
    struct Entry {
        std::int32_t key, released;
    };
    const auto indexed = [](const std::vector<Entry>& entries, std::size_t keys) {
        Index index{std::vector<std::size_t>(keys + 1, 0), {}};
        for (const Entry& entry : entries) ++index.first[static_cast<std::size_t>(entry.key) + 1];
        for (std::size_t key = 0; key < keys; ++key) index.first[key + 1] += index.first[key];
        index.released.resize(entries.size());
        std::vector<std::size_t> next(index.first.begin(), index.first.end() - 1);
        for (const Entry& entry : entries) {
            index.released[next[static_cast<std::size_t>(entry.key)]++] = entry.released;
        }
        return index;
    };
    std::vector<Entry> entries;
    const auto collect = [&](std::size_t keys, auto key_of, auto counts) {
        entries.clear();
        for (std::size_t i = 0; i < cover_.size(); ++i) {
            const auto from = static_cast<std::ptrdiff_t>(entries.size());
            for (const std::int32_t row : cover_.members(i)) {
                if (!counts(i, row)) continue;
                const Entry entry{key_of(row), static_cast<std::int32_t>(i)};
                const bool known =
                    std::any_of(entries.begin() + from, entries.end(),
                                [&](const Entry& one) { return one.key == entry.key; });
                if (!known) entries.push_back(entry);
            }
        }
        return indexed(entries, keys);
    };
    full_ = collect(
        cover_.records().rows(), [](std::int32_t row) { return row; },
        [&](std::size_t i, std::int32_t row) { return !cover_.may_hold(i, row); });
    for (std::size_t j = 0; j < columns_.size(); ++j) {
        const CoverLoss::Attribute& attribute = cover_.losses().attribute(j);
        if (attribute.way != Way::listed) continue;
        of_value_[j] = collect(
            attribute.code_count,
            [&](std::int32_t row) { return attribute.value[static_cast<std::size_t>(row)]; },
            [](std::size_t, std::int32_t) { return true; });
    }
}

void ReleasedScan::remove(std::int32_t released) {
    base_[static_cast<std::size_t>(place_of_[static_cast<std::size_t>(released)])] = barred;
    --left_;
    if (2 * left_ < who_.size() && who_.size() > block) move_together();
}

void ReleasedScan::move_together() {
    std::vector<std::size_t> kept;
    for (std::size_t place = 0; place < who_.size(); ++place) {
        if (base_[place] < barred) kept.push_back(place);
    }
    const auto keep = [&](auto& values) {
        if (values.empty()) return;
        for (std::size_t place = 0; place < kept.size(); ++place) {
            values[place] = values[kept[place]];
        }
        values.resize(kept.size());
    };
    keep(who_);
    keep(base_);
    for (Column& column : columns_) {
        keep(column.low);
        keep(column.high);
        keep(column.cost);
        for (auto& word : column.words) keep(word);
    }
    for (std::size_t place = 0; place < who_.size(); ++place) {
        place_of_[static_cast<std::size_t>(who_[place])] = static_cast<std::int32_t>(place);
    }
}

ReleasedScan::Meeting ReleasedScan::meeting(std::size_t j, std::int32_t value) const {
    const CoverLoss::Attribute& attribute = cover_.losses().attribute(j);
    const Tree& tree = attribute.source->tree;
    Meeting made{std::vector<std::int32_t>(attribute.code_count),
                 std::vector<std::int32_t>(tree.levels)};
    for (std::uint32_t level = tree.levels; level-- > 0;) {
        const auto node = static_cast<std::size_t>(
            tree.above(level, static_cast<std::uint32_t>(value), attribute.code_count));
        made.loss[level] = attribute.node_loss[node];
        std::fill(made.height.begin() + tree.node_first[node],
                  made.height.begin() + tree.node_last[node] + 1, static_cast<std::int32_t>(level));
    }
    return made;
}

// The best records for one row, block by block.
class ReleasedScan::Search {
  public:
    Search(const ReleasedScan& scan, std::int32_t row, std::size_t most)
        : scan_(scan),
          values_(scan.cover_.losses().values(row)),
          most_(most),
          barred_(scan, scan.full_.of(row)) {
        for (std::size_t j = 0; j < values_.size(); ++j) {
            const Way way = scan.cover_.losses().attribute(j).way;
            if (way == Way::tree) meetings_.push_back(scan.meeting(j, values_[j]));
            if (way == Way::listed) {
                holders_.emplace_back(scan, scan.of_value_[j].of(values_[j]));
            }
        }
    }

    // Nothing grows by less than nothing, and of equals the first are taken.
    bool complete() const { return bound_ == 0; }

    void look(std::size_t begin, std::size_t size) {
        std::int32_t sum[block];
        add_up(begin, size, sum);
        if (least_of(sum, size) >= bound_) return;
        for (std::size_t i = 0; i < size; ++i) {
            if (sum[i] < bound_) found_.push_back({sum[i], scan_.who_[begin + i]});
        }
        if (found_.size() < most_) return;
        std::nth_element(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(most_ - 1),
                         found_.end());
        found_.resize(most_);
        bound_ = found_.back().growth;
    }

    std::vector<Offer> take() {
        std::sort(found_.begin(), found_.end());
        return std::move(found_);
    }

  private:
    // Those of a list that are in a block; blocks come in ascending order.
    class Walk {
      public:
        Walk(const ReleasedScan& scan, std::span<const std::int32_t> listed)
            : scan_(scan), listed_(listed) {}
        template <class Do>
        void through(std::size_t begin, std::size_t size, Do act) {
            const std::int32_t last = scan_.who_[begin + size - 1];
            for (; next_ < listed_.size() && listed_[next_] <= last; ++next_) {
                const auto place = static_cast<std::size_t>(
                    scan_.place_of_[static_cast<std::size_t>(listed_[next_])]);
                // A record that was moved out has the place of another.
                if (place < scan_.who_.size() && scan_.who_[place] == listed_[next_] &&
                    place >= begin) {
                    act(place - begin, place);
                }
            }
        }

      private:
        const ReleasedScan& scan_;
        std::span<const std::int32_t> listed_;
        std::size_t next_ = 0;
    };

    void add_up(std::size_t begin, std::size_t size, std::int32_t* sum) {
        std::copy_n(scan_.base_.begin() + static_cast<std::ptrdiff_t>(begin), size, sum);
        std::size_t trees = 0, lists = 0;
        for (std::size_t j = 0; j < values_.size(); ++j) {
            const CoverLoss::Attribute& attribute = scan_.cover_.losses().attribute(j);
            const Column& column = scan_.columns_[j];
            const std::int32_t value = values_[j];
            switch (attribute.way) {
                case Way::interval:
                    widen(column.low.data() + begin, column.high.data() + begin, value,
                          attribute.limit, sum, size);
                    break;
                case Way::bits:
                    add_where_lacking(
                        column.words[static_cast<std::size_t>(value / 32)].data() + begin,
                        1u << (value % 32), column.cost.data() + begin, sum, size);
                    break;
                case Way::listed:
                    add_all(column.cost.data() + begin, sum, size);
                    holders_[lists++].through(begin, size, [&](std::size_t i, std::size_t place) {
                        sum[i] -= column.cost[place];
                    });
                    break;
                case Way::tree: {
                    const Meeting& met = meetings_[trees++];
                    add_meetings(column.low.data() + begin, column.high.data() + begin,
                                 met.height.data(), met.loss.data(), sum, size);
                    break;
                }
                case Way::same:
                    add_unless_equal(column.low.data() + begin, value, attribute.limit, sum, size);
            }
        }
        barred_.through(begin, size, [&](std::size_t i, std::size_t) { sum[i] = barred; });
    }

    const ReleasedScan& scan_;
    std::span<const std::int32_t> values_;
    std::size_t most_;
    std::int32_t bound_ = barred;
    Walk barred_;
    std::vector<Meeting> meetings_;
    std::vector<Walk> holders_;
    std::vector<Offer> found_;
};

std::vector<std::vector<Offer>> ReleasedScan::least(std::span<const std::int32_t> rows,
                                                    std::size_t most) const {
    std::vector<Search> searches;
    searches.reserve(rows.size());
    for (const std::int32_t row : rows) searches.emplace_back(*this, row, most);
    for (std::size_t begin = 0; begin < who_.size(); begin += block) {
        const std::size_t size = std::min(block, who_.size() - begin);
        for (Search& search : searches) {
            if (!search.complete()) search.look(begin, size);
        }
    }
    std::vector<std::vector<Offer>> found;
    for (Search& search : searches) found.push_back(search.take());
    return found;
}

}  // namespace shoal
