#include "refine/refine_classes.hpp"

#include <algorithm>

namespace shoal {

PlainColumns::PlainColumns(const Objective& objective) {
    const std::vector<Attribute>& attributes = objective.records().attributes;
    const auto take = [&](auto wanted) {
        for (const Attribute& attribute : attributes) {
            if (wanted(attribute)) all.push_back(&attribute);
        }
    };
    const auto set_of = [](const Attribute& a, std::uint32_t least, std::uint32_t most) {
        return a.kind == Kind::set && a.code_count >= least && a.code_count <= most;
    };
    take([](const Attribute& a) { return a.kind == Kind::interval; });
    take([](const Attribute& a) { return a.kind == Kind::tree; });
    spans = all.size();
    take([](const Attribute& a) { return a.kind == Kind::all_or_nothing; });
    take([&](const Attribute& a) { return set_of(a, 0, 64); });
    take([&](const Attribute& a) { return set_of(a, 65, most_mask_codes); });
    take([&](const Attribute& a) { return set_of(a, most_mask_codes + 1, 0xFFFFFFFFu); });
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
        } else if (codes <= most_mask_codes) {
            const Set set{mask_words, (codes + 63) / 64, losses.size()};
            losses.push_back(0.0);
            for (std::uint32_t count = 1; count <= codes; ++count) {
                losses.push_back(attribute->weight * attribute->set_loss(count));
            }
            mask_words += 2 * set.words + 1;
            (codes <= 64 ? narrow : wide).push_back(set);
        } else {
            large.push_back(attribute);
        }
    }
    sets = narrow.size() + wide.size();
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
    ends_.resize(classes * shared_.spans);
    pairs_.resize(classes * shared_.suppressed.size());
    masks_.resize(classes * shared_.mask_words);
    values_.resize(classes * shared_.large.size());
}

void PlainClasses::clear(std::size_t c) {
    const auto at = [c](std::size_t width) { return static_cast<std::ptrdiff_t>(c * width); };
    heads_[c] = {};
    std::fill_n(ends_.begin() + at(shared_.spans), shared_.spans, Ends{});
    const std::size_t pairs = shared_.suppressed.size();
    std::fill_n(pairs_.begin() + at(pairs), pairs, Pair{});
    std::fill_n(masks_.begin() + at(shared_.mask_words), shared_.mask_words, std::uint64_t{0});
    for (std::size_t i = 0; i < shared_.large.size(); ++i) {
        values_[c * shared_.large.size() + i].clear();
    }
}

template <class EndsAfter, class Alone, class Narrow, class Wide, class Large>
double PlainClasses::sum(EndsAfter ends_after, Alone alone, Narrow narrow, Wide wide,
                         Large large) const {
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
    for (std::size_t i = 0; i < shared_.suppressed.size(); ++i) {
        sum += alone(i, column++) ? 0.0 : shared_.suppressed[i];
    }
    const double* losses = shared_.losses.data();
    for (const PlainColumns::Set& set : shared_.narrow) {
        sum += losses[set.loss + narrow(set, column++)];
    }
    for (const PlainColumns::Set& set : shared_.wide) sum += losses[set.loss + wide(set, column++)];
    for (std::size_t l = 0; l < shared_.large.size(); ++l) {
        const Attribute& attribute = *shared_.large[l];
        sum += attribute.weight * attribute.set_loss(large(l, column++));
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
// Of a set of one word: its values are held once, or more often, and so many.
std::uint64_t holds(const std::uint64_t* set, std::uint32_t code) {
    return ((set[0] | set[1]) >> code) & 1;
}
std::uint64_t holds_once(const std::uint64_t* set, std::uint32_t code) {
    return (set[0] >> code) & 1;
}

}  // namespace

double PlainClasses::total_adding(std::size_t c, std::size_t row, std::int32_t count) const {
    const std::uint32_t* codes = codes_of(row);
    const Ends* ends = ends_of(c);
    const Pair* pairs = pairs_of(c);
    const std::uint64_t* masks = masks_of(c);
    const double loss = sum(
        [&](std::size_t column) {
            const std::uint32_t code = codes[column];
            return Range{ends[column].low.with(code), ends[column].high.with(code)};
        },
        [&](std::size_t i, std::size_t column) { return alone_with(pairs[i], codes[column]); },
        [&](const PlainColumns::Set& set, std::size_t column) {
            const std::uint64_t* held = masks + set.mask;
            return held[2] + 1 - holds(held, codes[column]);
        },
        [&](const PlainColumns::Set& set, std::size_t column) {
            const std::uint64_t* once = masks + set.mask;
            const std::uint32_t code = codes[column];
            const bool held = has(once, code) || has(once + set.words, code);
            return once[2 * set.words] + (held ? 0 : 1);
        },
        [&](std::size_t l, std::size_t column) {
            const Values& values = values_of(c, l);
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
    const Pair* pairs = pairs_of(c);
    const std::uint64_t* masks = masks_of(c);
    const double loss = sum(
        [&](std::size_t column) {
            const std::uint32_t code = codes[column];
            return Range{ends[column].low.without(code), ends[column].high.without(code)};
        },
        [&](std::size_t i, std::size_t column) {
            return alone_without(pairs[i], head.entries, codes[column]) != Lower::none;
        },
        [&](const PlainColumns::Set& set, std::size_t column) {
            const std::uint64_t* held = masks + set.mask;
            return held[2] - holds_once(held, codes[column]);
        },
        [&](const PlainColumns::Set& set, std::size_t column) {
            const std::uint64_t* once = masks + set.mask;
            return once[2 * set.words] - (has(once, codes[column]) ? 1 : 0);
        },
        [&](std::size_t l, std::size_t column) {
            const Values& values = values_of(c, l);
            return values.distinct() - (values.count(codes[column]) == 1 ? 1u : 0u);
        });
    return static_cast<double>(head.size - count) * loss;
}

double PlainClasses::total_exchanging(std::size_t c, std::size_t out, std::int32_t out_count,
                                      bool whole, std::size_t in, std::int32_t in_count) const {
    const Head& head = heads_[c];
    if (!whole) {
        // Its values stay with the records that stay.
        const auto grown = static_cast<double>(head.size + in_count);
        return total_adding(c, in, in_count) * ((grown - out_count) / grown);
    }
    const std::uint32_t* gone = codes_of(out);
    const std::uint32_t* come = codes_of(in);
    const Ends* ends = ends_of(c);
    const Pair* pairs = pairs_of(c);
    const std::uint64_t* masks = masks_of(c);
    const double loss = sum(
        [&](std::size_t column) {
            const Ends& held = ends[column];
            return Range{std::min(held.low.without(gone[column]), come[column]),
                         std::max(held.high.without(gone[column]), come[column])};
        },
        [&](std::size_t i, std::size_t column) {
            // An entry that is alone in its class leaves nothing behind.
            return head.entries == 1 ||
                   alone_without(pairs[i], head.entries, gone[column]) == come[column];
        },
        [&](const PlainColumns::Set& set, std::size_t column) {
            const std::uint64_t* held = masks + set.mask;
            const std::uint32_t code = come[column];
            if (code == gone[column]) return held[2];
            return held[2] + 1 - holds(held, code) - holds_once(held, gone[column]);
        },
        [&](const PlainColumns::Set& set, std::size_t column) {
            const std::uint64_t* once = masks + set.mask;
            const std::uint64_t distinct = once[2 * set.words];
            const std::uint32_t code = come[column];
            if (code == gone[column]) return distinct;
            const bool held = has(once, code) || has(once + set.words, code);
            return distinct + (held ? 0 : 1) - (has(once, gone[column]) ? 1 : 0);
        },
        [&](std::size_t l, std::size_t column) {
            const Values& values = values_of(c, l);
            if (come[column] == gone[column]) return values.distinct();
            return values.distinct() + (values.contains(come[column]) ? 0u : 1u) -
                   (values.count(gone[column]) == 1 ? 1u : 0u);
        });
    return static_cast<double>(head.size - out_count + in_count) * loss;
}

namespace {

template <class Visit>
void for_each_set(const PlainColumns& columns, Visit visit) {
    std::size_t column = columns.first_set();
    for (const PlainColumns::Set& set : columns.narrow) visit(set, column++);
    for (const PlainColumns::Set& set : columns.wide) visit(set, column++);
}

}  // namespace

void PlainClasses::add(std::size_t c, std::size_t row, std::int32_t count, bool fresh) {
    heads_[c].size += count;
    if (!fresh) return;
    ++heads_[c].entries;
    const std::uint32_t* codes = codes_of(row);
    for (std::size_t column = 0; column < shared_.spans; ++column) {
        Ends& held = ends_[c * shared_.spans + column];
        held.low.add(codes[column]);
        held.high.add(codes[column]);
    }
    const std::size_t pairs = shared_.suppressed.size();
    for (std::size_t i = 0; i < pairs; ++i) {
        pairs_[c * pairs + i].add(codes[shared_.spans + i]);
    }
    std::uint64_t* masks = masks_.data() + c * shared_.mask_words;
    for_each_set(shared_, [&](const PlainColumns::Set& set, std::size_t column) {
        const std::uint32_t code = codes[column];
        std::uint64_t& once = masks[set.mask + code / 64];
        std::uint64_t& more = masks[set.mask + set.words + code / 64];
        const std::uint64_t bit = std::uint64_t{1} << (code % 64);
        if (once & bit) {
            once ^= bit;
            more |= bit;
        } else if (!(more & bit)) {
            once |= bit;
            ++masks[set.mask + 2 * set.words];
        }
    });
    for (std::size_t l = 0; l < shared_.large.size(); ++l) {
        const std::size_t column = shared_.first_set() + shared_.sets + l;
        values_[c * shared_.large.size() + l].add(codes[column], 1);
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
    --heads_[c].entries;
    const std::uint32_t* codes = codes_of(row);
    for (std::size_t column = 0; column < shared_.spans; ++column) {
        Ends& held = ends_[c * shared_.spans + column];
        if (!held.low.remove(codes[column])) find_again(held.low, column, left);
        if (!held.high.remove(codes[column])) find_again(held.high, column, left);
    }
    const std::size_t pairs = shared_.suppressed.size();
    for (std::size_t i = 0; i < pairs; ++i) {
        const std::size_t column = shared_.spans + i;
        Pair& held = pairs_[c * pairs + i];
        if (!held.remove(codes[column])) find_again(held, column, left);
    }
    std::uint64_t* masks = masks_.data() + c * shared_.mask_words;
    for_each_set(shared_, [&](const PlainColumns::Set& set, std::size_t column) {
        const std::uint32_t code = codes[column];
        std::uint64_t& once = masks[set.mask + code / 64];
        std::uint64_t& more = masks[set.mask + set.words + code / 64];
        const std::uint64_t bit = std::uint64_t{1} << (code % 64);
        if (once & bit) {
            once ^= bit;
            --masks[set.mask + 2 * set.words];
            return;
        }
        int others = 0;
        for (const std::int32_t each : left) {
            others += codes_of(static_cast<std::size_t>(each))[column] == code;
            if (others > 1) return;
        }
        more ^= bit;
        once |= bit;
    });
    for (std::size_t l = 0; l < shared_.large.size(); ++l) {
        const std::size_t column = shared_.first_set() + shared_.sets + l;
        values_[c * shared_.large.size() + l].remove(codes[column], 1);
    }
    renew(c);
}

template <class Held>
void PlainClasses::find_again(Held& held, std::size_t column, std::span<const std::int32_t> left) {
    held = {};
    for (const std::int32_t row : left) held.add(codes_of(static_cast<std::size_t>(row))[column]);
}

void PlainClasses::renew(std::size_t c) {
    const Ends* ends = ends_of(c);
    const Pair* pairs = pairs_of(c);
    const std::uint64_t* masks = masks_of(c);
    const auto distinct = [&](const PlainColumns::Set& set, std::size_t) {
        return masks[set.mask + 2 * set.words];
    };
    heads_[c].loss = sum(
        [&](std::size_t column) { return Range{ends[column].low.value, ends[column].high.value}; },
        [&](std::size_t i, std::size_t) { return pairs[i].next_entries == 0; }, distinct, distinct,
        [&](std::size_t l, std::size_t) { return values_of(c, l).distinct(); });
}

}  // namespace shoal
