#include "shoal/board.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace shoal {

namespace {

// The loops below are plain; the compiler vectorises each for every instruction set, and the
// loader picks one. Elementwise sums in fixed order: all of them give the same bits.
#if defined(SHOAL_X86) && defined(__linux__) && !defined(__clang__)
#define SHOAL_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SHOAL_CLONES
#endif

constexpr std::size_t lanes = 64;
constexpr float infinite = std::numeric_limits<float>::infinity();

SHOAL_CLONES void count_matches(const std::uint8_t* value, std::uint8_t code, std::uint8_t* matches,
                                std::size_t size) {
    for (std::size_t c = 0; c < size; ++c) matches[c] += value[c] == code;
}

SHOAL_CLONES void add_unmatched(const std::uint8_t* matches, float weight, std::uint8_t all,
                                float* sum, std::size_t size) {
    for (std::size_t c = 0; c < size; ++c) {
        sum[c] += weight * static_cast<float>(all - matches[c]);
    }
}

SHOAL_CLONES void add_unless_equal(const std::int32_t* ancestor, std::int32_t node, float loss,
                                   float* sum, std::size_t size) {
    for (std::size_t c = 0; c < size; ++c) sum[c] += ancestor[c] == node ? 0.0f : loss;
}

SHOAL_CLONES void add_unless_held(const std::uint32_t* words, std::uint32_t bit, float loss,
                                  float* sum, std::size_t size) {
    for (std::size_t c = 0; c < size; ++c) sum[c] += words[c] & bit ? 0.0f : loss;
}

SHOAL_CLONES void add_widths(const float* low, const float* high, float position, float weight,
                             float* sum, std::size_t size) {
    for (std::size_t c = 0; c < size; ++c) {
        const float top = high[c] > position ? high[c] : position;
        const float bottom = low[c] < position ? low[c] : position;
        const float width = top - bottom;
        sum[c] += weight * (width < 1.0f ? width : 1.0f);
    }
}

// From the loss of each closure with the record to the change of the class's total.
SHOAL_CLONES void to_changes(const float* records, const float* loss, float constant, float* sum,
                             std::size_t size) {
    for (std::size_t c = 0; c < size; ++c) {
        const float after = sum[c] + constant;
        sum[c] = records[c] * (after - loss[c]) + after;
    }
}

SHOAL_CLONES void add_if_equal(const std::uint8_t* value, std::uint8_t code, float cost,
                               const float* gap, float* sum, std::size_t size) {
    for (std::size_t c = 0; c < size; ++c) sum[c] += value[c] == code ? cost - gap[c] : 0.0f;
}

// Signed integers in the order of the floats: their least is found by whole vectors.
std::int32_t ordered(float value) {
    const auto bits = std::bit_cast<std::int32_t>(value);
    return bits ^ ((bits >> 31) & 0x7fffffff);
}

SHOAL_CLONES std::int32_t least_ordered(const float* change, std::size_t size) {
    std::int32_t found = std::numeric_limits<std::int32_t>::max();
    for (std::size_t c = 0; c < size; ++c) {
        const auto bits = std::bit_cast<std::int32_t>(change[c]);
        const std::int32_t value = bits ^ ((bits >> 31) & 0x7fffffff);
        found = value < found ? value : found;
    }
    return found;
}

}  // namespace

std::size_t least(std::span<const float> change) {
    constexpr std::size_t block = 1024;
    std::int32_t found = std::numeric_limits<std::int32_t>::max();
    std::size_t where = 0;
    for (std::size_t start = 0; start < change.size(); start += block) {
        const std::size_t size = std::min(block, change.size() - start);
        const std::int32_t value = least_ordered(change.data() + start, size);
        if (value < found) {
            found = value;
            where = start;
        }
    }
    while (ordered(change[where]) != found) ++where;
    return where;
}

Board::Board(const Objective& objective)
    : objective_(objective), attributes_(objective.records().attributes.size()) {
    const Records& records = objective.records();
    codes_.resize(records.rows() * attributes_);
    for (std::size_t j = 0; j < attributes_; ++j) {
        const Attribute& attribute = records.attributes[j];
        for (std::size_t row = 0; row < records.rows(); ++row) {
            codes_[row * attributes_ + j] = attribute.code(row);
        }
        const auto place = static_cast<std::uint32_t>(j);
        const auto weight = static_cast<float>(attribute.weight);
        const bool few =
            attribute.code_count <= (attribute.kind == Kind::set ? most_words : most_bytes);
        const bool listed =
            !few && (attribute.kind == Kind::set || attribute.kind == Kind::all_or_nothing);
        if (!objective.plain() && attribute.kind != Kind::all_or_nothing) {
            others_.push_back(place);
        } else if (listed) {
            Lists lists;
            lists.attribute = place;
            lists.classes.resize(attribute.code_count);
            lists_.push_back(std::move(lists));
        } else if (attribute.kind == Kind::interval) {
            ends_.push_back({place, {}, {}});
        } else if (attribute.kind == Kind::tree) {
            levels_.push_back({place, {}});
            levels_.back().ancestor.resize(attribute.tree.levels - 1);
        } else if (attribute.kind == Kind::set) {
            words_.push_back({place, {}});
            words_.back().words.resize((attribute.code_count + 31) / 32);
        } else {
            // A byte counts the matches of a group, so it has at most 255 members.
            auto group = std::find_if(groups_.begin(), groups_.end(), [&](const Group& each) {
                return each.weight == weight && each.members.size() < 255;
            });
            if (group == groups_.end()) group = groups_.insert(group, Group{weight, {}});
            group->members.push_back({place, {}, {}});
        }
    }
}

void Board::resize(std::size_t classes) {
    size_ = classes;
    padded_ = (classes + lanes - 1) / lanes * lanes;
    const bool information = !objective_.plain();
    for (Group& group : groups_) {
        for (Bytes& each : group.members) {
            each.value.resize(padded_, none);
            if (information) each.gap.resize(padded_, 0.0f);
        }
    }
    for (Levels& each : levels_) {
        for (auto& ancestor : each.ancestor) ancestor.resize(padded_, -1);
    }
    for (Words& each : words_) {
        for (auto& words : each.words) words.resize(padded_, 0);
    }
    for (Ends& each : ends_) {
        each.low.resize(padded_, 0.0f);
        each.high.resize(padded_, 0.0f);
    }
    for (Lists& each : lists_) {
        for (std::size_t c = classes; c < each.codes.size(); ++c) list(each, c, {});
        each.codes.resize(classes);
        if (information) each.gap.resize(padded_, 0.0f);
    }
    records_.resize(padded_, infinite);
    std::fill(records_.begin() + static_cast<std::ptrdiff_t>(classes), records_.end(), infinite);
    set_loss_.resize(objective_.plain() ? padded_ : 0, 0.0f);
    loss_.resize(padded_, -1.0f);
    std::fill(loss_.begin() + static_cast<std::ptrdiff_t>(classes), loss_.end(), -1.0f);
    base_.resize(information ? padded_ : 0, infinite);
    if (information) {
        std::fill(base_.begin() + static_cast<std::ptrdiff_t>(classes), base_.end(), infinite);
    }
    change_.resize(padded_);
    matches_.resize(padded_);
}

void Board::set(std::size_t c, const ClassState& state) {
    if (state.size() == 0) {
        // Losses are never below 0, so these give an infinite change whatever the record.
        records_[c] = infinite;
        loss_[c] = -1.0f;
        if (!base_.empty()) base_[c] = infinite;
        for (Lists& each : lists_) list(each, c, {});
        return;
    }
    records_[c] = static_cast<float>(state.size());
    if (objective_.plain()) {
        set_plain(c, state);
    } else {
        set_information(c, state);
    }
}

void Board::list(Lists& lists, std::size_t c, std::span<const Held> held) {
    auto& codes = lists.codes[c];
    const bool same =
        codes.size() == held.size() &&
        std::equal(codes.begin(), codes.end(), held.begin(),
                   [](std::uint32_t code, const Held& each) { return code == each.code; });
    if (same) return;
    for (const std::uint32_t code : codes) {
        auto& classes = lists.classes[code];
        const auto found = std::find(classes.begin(), classes.end(), static_cast<std::int32_t>(c));
        *found = classes.back();
        classes.pop_back();
    }
    codes.clear();
    for (const Held& each : held) {
        codes.push_back(each.code);
        lists.classes[each.code].push_back(static_cast<std::int32_t>(c));
    }
}

void Board::set_plain(std::size_t c, const ClassState& state) {
    const Records& records = objective_.records();
    loss_[c] = static_cast<float>(state.total(objective_) / static_cast<double>(state.size()));
    double sets = 0.0;
    for (std::size_t j = 0; j < attributes_; ++j) {
        const Attribute& attribute = records.attributes[j];
        if (attribute.kind == Kind::set) sets += attribute.weight * state.loss(j);
    }
    set_loss_[c] = static_cast<float>(sets);
    for (Group& group : groups_) {
        for (Bytes& each : group.members) {
            const Values& values = state.values(each.attribute);
            each.value[c] = values.distinct() == 1 ? static_cast<std::uint8_t>(values.low()) : none;
        }
    }
    for (Levels& each : levels_) {
        const Attribute& attribute = records.attributes[each.attribute];
        const Shape shape = state.shape(each.attribute);
        for (std::size_t level = 0; level < each.ancestor.size(); ++level) {
            const std::int32_t node = attribute.tree.above(static_cast<std::uint32_t>(level),
                                                           shape.low, attribute.code_count);
            const auto last = attribute.tree.node_last[static_cast<std::size_t>(node)];
            each.ancestor[level][c] = last >= static_cast<std::int32_t>(shape.high) ? node : -1;
        }
    }
    for (Words& each : words_) {
        for (auto& words : each.words) words[c] = 0;
        for (const Held& held : state.values(each.attribute).held()) {
            each.words[held.code / 32][c] |= 1u << (held.code % 32);
        }
    }
    for (Ends& each : ends_) {
        const auto& positions = records.attributes[each.attribute].positions;
        const Shape shape = state.shape(each.attribute);
        each.low[c] = static_cast<float>(positions[shape.low]);
        each.high[c] = static_cast<float>(positions[shape.high]);
    }
    for (Lists& each : lists_) {
        const Values& values = state.values(each.attribute);
        const bool set = records.attributes[each.attribute].kind == Kind::set;
        list(each, c, set || values.distinct() == 1 ? values.held() : std::span<const Held>{});
    }
}

void Board::set_information(std::size_t c, const ClassState& state) {
    const Records& records = objective_.records();
    // What an attribute costs this class once it is suppressed.
    const double suppressed = objective_.information(
        records.total,
        [&](std::uint32_t y) {
            return objective_.joint(0, 0, records.attributes[0].code_count - 1, y);
        },
        state.size(), [&](std::uint32_t y) { return state.secrets(y); });
    double base = 0.0;
    const auto gap = [&](std::uint32_t j) {
        const double found = records.attributes[j].weight * (suppressed - state.cost(j));
        base += found;
        return static_cast<float>(found);
    };
    for (Group& group : groups_) {
        for (Bytes& each : group.members) {
            const Values& values = state.values(each.attribute);
            each.value[c] = values.distinct() == 1 ? static_cast<std::uint8_t>(values.low()) : none;
            each.gap[c] = gap(each.attribute);
        }
    }
    for (Lists& each : lists_) {
        const Values& values = state.values(each.attribute);
        list(each, c, values.distinct() == 1 ? values.held() : std::span<const Held>{});
        each.gap[c] = gap(each.attribute);
    }
    base_[c] = static_cast<float>(base);
}

std::span<float> Board::scan(std::size_t row, std::span<const ClassState> states) {
    if (objective_.plain()) {
        scan_plain(row);
    } else {
        scan_information(row, states);
    }
    return {change_.data(), size_};
}

void Board::scan_plain(std::size_t row) {
    constexpr std::size_t block = 2048;
    const Records& records = objective_.records();
    float constant = 0.0f;
    for (const Levels& each : levels_) {
        const Attribute& attribute = records.attributes[each.attribute];
        const auto leaf = attribute.tree.above(0, code(row, each.attribute), attribute.code_count);
        constant += static_cast<float>(attribute.weight *
                                       attribute.tree.node_loss[static_cast<std::size_t>(leaf)]);
    }
    std::copy(set_loss_.begin(), set_loss_.end(), change_.begin());
    for (const Lists& each : lists_) {
        const float growth = listed_growth(each);
        constant += growth;
        for (const std::int32_t c : each.classes[code(row, each.attribute)]) {
            change_[static_cast<std::size_t>(c)] -= growth;
        }
    }
    for (std::size_t start = 0; start < padded_; start += block) {
        const std::size_t size = std::min(block, padded_ - start);
        float* sum = change_.data() + start;
        for (const Group& group : groups_) {
            std::uint8_t* matches = matches_.data() + start;
            std::fill(matches, matches + size, std::uint8_t{0});
            for (const Bytes& each : group.members) {
                count_matches(each.value.data() + start,
                              static_cast<std::uint8_t>(code(row, each.attribute)), matches, size);
            }
            add_unmatched(matches, group.weight, static_cast<std::uint8_t>(group.members.size()),
                          sum, size);
        }
        for (const Ends& each : ends_) {
            const Attribute& attribute = records.attributes[each.attribute];
            add_widths(each.low.data() + start, each.high.data() + start,
                       static_cast<float>(attribute.positions[code(row, each.attribute)]),
                       static_cast<float>(attribute.weight), sum, size);
        }
        for (const Words& each : words_) {
            const Attribute& attribute = records.attributes[each.attribute];
            const std::uint32_t value = code(row, each.attribute);
            add_unless_held(each.words[value / 32].data() + start, 1u << (value % 32),
                            static_cast<float>(attribute.weight * attribute.step), sum, size);
        }
        for (const Levels& each : levels_) {
            const Attribute& attribute = records.attributes[each.attribute];
            const std::uint32_t value = code(row, each.attribute);
            for (std::size_t level = 0; level < each.ancestor.size(); ++level) {
                const auto at = static_cast<std::uint32_t>(level);
                const auto node = attribute.tree.above(at, value, attribute.code_count);
                const auto above = attribute.tree.above(at + 1, value, attribute.code_count);
                const double step = attribute.tree.node_loss[static_cast<std::size_t>(above)] -
                                    attribute.tree.node_loss[static_cast<std::size_t>(node)];
                if (step == 0.0) continue;
                add_unless_equal(each.ancestor[level].data() + start, node,
                                 static_cast<float>(attribute.weight * step), sum, size);
            }
        }
        to_changes(records_.data() + start, loss_.data() + start, constant, sum, size);
    }
}

float Board::listed_growth(const Lists& lists) const {
    const Attribute& attribute = objective_.records().attributes[lists.attribute];
    const double loss = attribute.kind == Kind::set ? attribute.step : 1.0;
    return static_cast<float>(attribute.weight * loss);
}

void Board::scan_information(std::size_t row, std::span<const ClassState> states) {
    const Records& records = objective_.records();
    const bool reads_secret = objective_.reads_secret();
    const std::uint32_t secret = reads_secret ? objective_.secret(row) : 0;
    // Cost of this one record where an attribute's closure holds the codes first .. last.
    const auto alone = [&](std::uint32_t j, std::uint32_t first, std::uint32_t last) {
        return records.attributes[j].weight *
               objective_.information(
                   objective_.mass(j, first, last),
                   [&](std::uint32_t y) { return objective_.joint(j, first, last, y); }, 1,
                   [&](std::uint32_t y) { return y == secret ? 1 : 0; });
    };
    std::copy(base_.begin(), base_.end(), change_.begin());
    double constant = 0.0;
    const auto cost_if_matched = [&](std::uint32_t j) {
        const double suppressed = alone(j, 0, records.attributes[j].code_count - 1);
        const double matched = alone(j, code(row, j), code(row, j));
        constant += suppressed;
        return static_cast<float>(matched - suppressed);
    };
    for (const Group& group : groups_) {
        for (const Bytes& each : group.members) {
            add_if_equal(each.value.data(), static_cast<std::uint8_t>(code(row, each.attribute)),
                         cost_if_matched(each.attribute), each.gap.data(), change_.data(), padded_);
        }
    }
    for (const Lists& each : lists_) {
        const float cost = cost_if_matched(each.attribute);
        for (const std::int32_t c : each.classes[code(row, each.attribute)]) {
            const auto at = static_cast<std::size_t>(c);
            change_[at] += cost - each.gap[at];
        }
    }
    const auto shift = static_cast<float>(constant);
    for (std::size_t c = 0; c < size_; ++c) change_[c] += shift;
    if (others_.empty()) return;
    for (std::size_t c = 0; c < size_; ++c) {
        if (states[c].size() == 0) continue;
        double sum = 0.0;
        for (const std::uint32_t j : others_) sum += states[c].change_adding(objective_, j, row, 1);
        change_[c] += static_cast<float>(sum);
    }
}

}  // namespace shoal
