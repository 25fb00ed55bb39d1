#include "shoal/refine_classes.hpp"

#include <algorithm>

namespace shoal {

PlainColumns::PlainColumns(const Objective& objective) {
    const std::vector<Attribute>& attributes = objective.records().attributes;
    const auto small = [](const Attribute& a) { return a.code_count <= most_mask_codes; };
    const auto take = [&](auto wanted) {
        for (const Attribute& attribute : attributes) {
            if (wanted(attribute)) all.push_back(&attribute);
        }
    };
    take([](const Attribute& a) { return a.kind == Kind::interval; });
    take([](const Attribute& a) { return a.kind == Kind::tree; });
    take([](const Attribute& a) { return a.kind == Kind::all_or_nothing; });
    ends = all.size();
    take([&](const Attribute& a) { return a.kind == Kind::set && small(a); });
    take([&](const Attribute& a) { return a.kind == Kind::set && !small(a); });
    for (const Attribute* attribute : all) {
        const std::uint32_t codes = attribute->code_count;
        if (attribute->kind == Kind::interval) {
            intervals.push_back({attribute->weight, attribute->positions.data()});
        } else if (attribute->kind == Kind::tree) {
            Hierarchy tree{attribute, codes, {}};
            if (codes <= 256) {
                std::vector<double> loss(std::size_t{codes} * codes);
                for (std::uint32_t low = 0; low < codes; ++low) {
                    for (std::uint32_t high = low; high < codes; ++high) {
                        loss[low * std::size_t{codes} + high] = tree.at(low, high);
                    }
                }
                tree.loss = std::move(loss);
            }
            trees.push_back(std::move(tree));
        } else if (attribute->kind == Kind::all_or_nothing) {
            suppressed.push_back(attribute->weight);
        } else if (small(*attribute)) {
            Set set{mask_words, (codes + 63) / 64, std::vector<double>(codes + 1)};
            for (std::uint32_t count = 1; count <= codes; ++count) {
                set.loss[count] = attribute->weight * attribute->set_loss(count);
            }
            mask_words += 2 * set.words;
            sets.push_back(std::move(set));
        } else {
            large.push_back(attribute);
        }
    }
}

PlainClasses::PlainClasses(const PlainColumns& columns, std::span<const std::int32_t> rows)
    : shared_(columns), codes_(rows.size() * columns.all.size()) {
    for (std::size_t column = 0; column < columns.all.size(); ++column) {
        std::visit(
            [&](const auto& codes) {
                for (std::size_t row = 0; row < rows.size(); ++row) {
                    codes_[row * columns.all.size() + column] =
                        codes[static_cast<std::size_t>(rows[row])];
                }
            },
            columns.all[column]->codes);
    }
}

void PlainClasses::resize(std::size_t classes) {
    heads_.resize(classes);
    ends_.resize(classes * shared_.ends);
    distinct_.resize(classes * shared_.sets.size());
    masks_.resize(classes * shared_.mask_words);
    values_.resize(classes * shared_.large.size());
}

void PlainClasses::clear(std::size_t c) {
    heads_[c] = {};
    std::fill_n(ends_.begin() + static_cast<std::ptrdiff_t>(c * shared_.ends), shared_.ends,
                Ends{});
    std::fill_n(distinct_.begin() + static_cast<std::ptrdiff_t>(c * shared_.sets.size()),
                shared_.sets.size(), 0u);
    std::fill_n(masks_.begin() + static_cast<std::ptrdiff_t>(c * shared_.mask_words),
                shared_.mask_words, std::uint64_t{0});
    for (std::size_t i = 0; i < shared_.large.size(); ++i)
        values_[c * shared_.large.size() + i].clear();
}

template <class EndsAfter, class DistinctAfter, class LargeAfter>
double PlainClasses::sum(EndsAfter ends_after, DistinctAfter distinct_after,
                         LargeAfter large_after) const {
    double sum = 0.0;
    std::size_t column = 0;
    for (const PlainColumns::Interval& interval : shared_.intervals) {
        const auto [low, high] = ends_after(column++);
        const double width = interval.positions[high] - interval.positions[low];
        sum += interval.weight * (width < 1.0 ? width : 1.0);
    }
    for (const PlainColumns::Hierarchy& tree : shared_.trees) {
        const auto [low, high] = ends_after(column++);
        sum += tree.at(low, high);
    }
    for (const double weight : shared_.suppressed) {
        const auto [low, high] = ends_after(column++);
        sum += low == high ? 0.0 : weight;
    }
    for (std::size_t s = 0; s < shared_.sets.size(); ++s) {
        sum += shared_.sets[s].loss[distinct_after(s, column++)];
    }
    for (std::size_t l = 0; l < shared_.large.size(); ++l) {
        const Attribute& attribute = *shared_.large[l];
        sum += attribute.weight * attribute.set_loss(large_after(l, column++));
    }
    return sum;
}

namespace {

struct Range {
    std::uint32_t low, high;
};

bool has(const std::uint64_t* words, std::uint32_t code) {
    return (words[code / 64] >> (code % 64)) & 1;
}

}  // namespace

double PlainClasses::total_adding(std::size_t c, std::size_t row, std::int32_t count) const {
    const std::uint32_t* codes = codes_of(row);
    const Ends* ends = ends_of(c);
    const std::uint32_t* distinct = distinct_.data() + c * shared_.sets.size();
    const std::uint64_t* masks = masks_.data() + c * shared_.mask_words;
    const double loss = sum(
        [&](std::size_t column) {
            const std::uint32_t code = codes[column];
            return Range{ends[column].low.with(code), ends[column].high.with(code)};
        },
        [&](std::size_t s, std::size_t column) {
            const PlainColumns::Set& set = shared_.sets[s];
            const std::uint32_t code = codes[column];
            const std::uint64_t* once = masks + set.mask + code / 64;
            const std::uint64_t held = (once[0] | once[set.words]) >> (code % 64) & 1;
            return distinct[s] + 1 - static_cast<std::uint32_t>(held);
        },
        [&](std::size_t l, std::size_t column) {
            const Values& values = values_[c * shared_.large.size() + l];
            return values.distinct() + (values.contains(codes[column]) ? 0u : 1u);
        });
    return static_cast<double>(heads_[c].size + count) * loss;
}

double PlainClasses::total_removing(std::size_t c, std::size_t row, std::int32_t count,
                                    bool whole) const {
    const Head& head = heads_[c];
    if (head.size == count) return 0.0;
    if (!whole) return static_cast<double>(head.size - count) * head.loss;
    const std::uint32_t* codes = codes_of(row);
    const Ends* ends = ends_of(c);
    const std::uint32_t* distinct = distinct_.data() + c * shared_.sets.size();
    const std::uint64_t* masks = masks_.data() + c * shared_.mask_words;
    const double loss = sum(
        [&](std::size_t column) {
            const Ends& held = ends[column];
            const std::uint32_t code = codes[column];
            return Range{held.low.without(code), held.high.without(code)};
        },
        [&](std::size_t s, std::size_t column) {
            return distinct[s] - (has(masks + shared_.sets[s].mask, codes[column]) ? 1u : 0u);
        },
        [&](std::size_t l, std::size_t column) {
            const Values& values = values_[c * shared_.large.size() + l];
            return values.distinct() - (values.count(codes[column]) == 1 ? 1u : 0u);
        });
    return static_cast<double>(head.size - count) * loss;
}

double PlainClasses::total_exchanging(std::size_t c, std::size_t out, std::int32_t out_count,
                                      std::size_t in, std::int32_t in_count) const {
    const std::uint32_t* gone = codes_of(out);
    const std::uint32_t* come = codes_of(in);
    const Ends* ends = ends_of(c);
    const std::uint32_t* distinct = distinct_.data() + c * shared_.sets.size();
    const std::uint64_t* masks = masks_.data() + c * shared_.mask_words;
    const double loss = sum(
        [&](std::size_t column) {
            const Ends& held = ends[column];
            const std::uint32_t code = gone[column];
            return Range{std::min(held.low.without(code), come[column]),
                         std::max(held.high.without(code), come[column])};
        },
        [&](std::size_t s, std::size_t column) {
            const PlainColumns::Set& set = shared_.sets[s];
            const std::uint32_t code = come[column];
            if (code == gone[column]) return distinct[s];
            const std::uint64_t* once = masks + set.mask;
            const std::uint64_t held =
                (once[code / 64] | once[set.words + code / 64]) >> (code % 64) & 1;
            return distinct[s] + 1 - static_cast<std::uint32_t>(held) -
                   (has(once, gone[column]) ? 1u : 0u);
        },
        [&](std::size_t l, std::size_t column) {
            const Values& values = values_[c * shared_.large.size() + l];
            if (come[column] == gone[column]) return values.distinct();
            return values.distinct() + (values.contains(come[column]) ? 0u : 1u) -
                   (values.count(gone[column]) == 1 ? 1u : 0u);
        });
    return static_cast<double>(heads_[c].size - out_count + in_count) * loss;
}

void PlainClasses::add(std::size_t c, std::size_t row, std::int32_t count, bool fresh) {
    heads_[c].size += count;
    if (!fresh) return;
    const std::uint32_t* codes = codes_of(row);
    for (std::size_t column = 0; column < shared_.ends; ++column) {
        Ends& held = ends_[c * shared_.ends + column];
        held.low.add(codes[column]);
        held.high.add(codes[column]);
    }
    for (std::size_t s = 0; s < shared_.sets.size(); ++s) {
        const std::uint32_t code = codes[shared_.ends + s];
        std::uint64_t* once =
            masks_.data() + c * shared_.mask_words + shared_.sets[s].mask + code / 64;
        std::uint64_t* more = once + shared_.sets[s].words;
        const std::uint64_t bit = std::uint64_t{1} << (code % 64);
        if (*once & bit) {
            *once ^= bit;
            *more |= bit;
        } else if (!(*more & bit)) {
            *once |= bit;
            ++distinct_[c * shared_.sets.size() + s];
        }
    }
    for (std::size_t l = 0; l < shared_.large.size(); ++l) {
        values_[c * shared_.large.size() + l].add(codes[shared_.ends + shared_.sets.size() + l], 1);
    }
    renew(c);
}

void PlainClasses::remove(std::size_t c, std::size_t row, std::int32_t count, bool whole,
                          std::span<const std::int32_t> left) {
    heads_[c].size -= count;
    if (!whole) return;
    if (left.empty()) {
        clear(c);
        return;
    }
    const std::uint32_t* codes = codes_of(row);
    for (std::size_t column = 0; column < shared_.ends; ++column) {
        Ends& held = ends_[c * shared_.ends + column];
        const bool low = held.low.remove(codes[column]);
        const bool high = held.high.remove(codes[column]);
        if (!low || !high) find_ends(c, column, left);
    }
    for (std::size_t s = 0; s < shared_.sets.size(); ++s) {
        const std::size_t column = shared_.ends + s;
        const std::uint32_t code = codes[column];
        std::uint64_t* once =
            masks_.data() + c * shared_.mask_words + shared_.sets[s].mask + code / 64;
        std::uint64_t* more = once + shared_.sets[s].words;
        const std::uint64_t bit = std::uint64_t{1} << (code % 64);
        if (*once & bit) {
            *once ^= bit;
            --distinct_[c * shared_.sets.size() + s];
            continue;
        }
        int others = 0;
        for (const std::int32_t each : left) {
            others += codes_of(static_cast<std::size_t>(each))[column] == code;
            if (others > 1) break;
        }
        if (others == 1) {
            *more ^= bit;
            *once |= bit;
        }
    }
    for (std::size_t l = 0; l < shared_.large.size(); ++l) {
        values_[c * shared_.large.size() + l].remove(codes[shared_.ends + shared_.sets.size() + l],
                                                     1);
    }
    renew(c);
}

void PlainClasses::find_ends(std::size_t c, std::size_t column,
                             std::span<const std::int32_t> left) {
    Ends found;
    for (const std::int32_t row : left) {
        const std::uint32_t code = codes_of(static_cast<std::size_t>(row))[column];
        found.low.add(code);
        found.high.add(code);
    }
    ends_[c * shared_.ends + column] = found;
}

void PlainClasses::renew(std::size_t c) {
    const Ends* ends = ends_of(c);
    const std::uint32_t* distinct = distinct_.data() + c * shared_.sets.size();
    heads_[c].loss = sum(
        [&](std::size_t column) { return Range{ends[column].low.value, ends[column].high.value}; },
        [&](std::size_t s, std::size_t) { return distinct[s]; },
        [&](std::size_t l, std::size_t) {
            return values_[c * shared_.large.size() + l].distinct();
        });
}

}  // namespace shoal
