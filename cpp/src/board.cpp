#include "shoal/board.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "shoal/board_loops.hpp"

namespace shoal {

namespace {

constexpr std::size_t lanes = 64;
using namespace loops;

constexpr float infinite = std::numeric_limits<float>::infinity();

// Signed integers in the order of the floats: their least is found by whole vectors.
std::int32_t ordered(float value) {
    const auto bits = std::bit_cast<std::int32_t>(value);
    return bits ^ ((bits >> 31) & 0x7fffffff);
}

}  // namespace

std::size_t least(std::span<const float> change) {
    constexpr std::size_t block = 256;
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
    : objective_(objective),
      attributes_(objective.records().attributes.size()),
      guest_(attributes_),
      alone_(attributes_) {
    const Records& records = objective.records();
    for (std::size_t j = 0; j < attributes_; ++j) {
        const Attribute& attribute = records.attributes[j];
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
    preference_.resize(padded_, 0.0f);
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

std::span<float> Board::scan(std::size_t row, std::span<const ClassState> states,
                             std::span<const std::int32_t> ids) {
    if (!objective_.plain()) {
        scan_information(row, states, ids);
        return {change_.data(), size_};
    }
    for (std::size_t j = 0; j < attributes_; ++j) {
        const std::uint32_t value = code(row, j);
        alone_[j] = {value, 1};
        guest_[j] = {value, value, {&alone_[j], 1}};
    }
    guest_records_ = 1.0f;
    guest_loss_ = 0.0f;
    scan_plain();
    return {change_.data(), size_};
}

std::span<float> Board::scan(const ClassState& state, std::span<const ClassState> states) {
    if (!objective_.plain()) {
        const double own = state.total(objective_);
        for (std::size_t c = 0; c < size_; ++c) {
            change_[c] = states[c].size() == 0
                             ? infinite
                             : static_cast<float>(state.total_united(objective_, states[c]) - own -
                                                  states[c].total(objective_));
        }
        return {change_.data(), size_};
    }
    for (std::size_t j = 0; j < attributes_; ++j) {
        const Values& values = state.values(j);
        guest_[j] = {values.low(), values.high(), values.held()};
    }
    guest_records_ = static_cast<float>(state.size());
    guest_loss_ = static_cast<float>(state.total(objective_) / static_cast<double>(state.size()));
    scan_plain();
    return {change_.data(), size_};
}

void Board::scan_plain() {
    constexpr std::size_t block = 2048;
    const float constant = start_sums();
    const bool bytes_alone =
        groups_.size() == 1 && ends_.empty() && words_.empty() && levels_.empty();
    for (std::size_t start = 0; start < padded_; start += block) {
        const std::size_t size = std::min(block, padded_ - start);
        float* sum = change_.data() + start;
        for (const Group& group : groups_) {
            std::uint8_t* matches = matches_.data() + start;
            std::fill(matches, matches + size, std::uint8_t{0});
            // Four at a time, so that the counts are loaded and stored less often.
            const std::uint8_t* value[4];
            std::uint8_t code[4];
            std::size_t filled = 0;
            for (const Bytes& each : group.members) {
                const Guest& guest = guest_[each.attribute];
                if (guest.low != guest.high) continue;
                value[filled] = each.value.data() + start;
                code[filled++] = static_cast<std::uint8_t>(guest.low);
                if (filled < 4) continue;
                count_matches(value, code, matches, size);
                filled = 0;
            }
            for (std::size_t i = 0; i < filled; ++i) {
                count_matches(value[i], code[i], matches, size);
            }
            const auto all = static_cast<std::uint8_t>(group.members.size());
            if (bytes_alone) {
                to_changes(matches, group.weight, all, records_.data() + start,
                           loss_.data() + start, constant, guest_records_, guest_loss_,
                           preference_.data() + start, sum, size);
            } else {
                add_unmatched(matches, group.weight, all, sum, size);
            }
        }
        if (bytes_alone) continue;
        for (const Ends& each : ends_) {
            const Attribute& attribute = objective_.records().attributes[each.attribute];
            const Guest& guest = guest_[each.attribute];
            add_widths(each.low.data() + start, each.high.data() + start,
                       static_cast<float>(attribute.positions[guest.low]),
                       static_cast<float>(attribute.positions[guest.high]),
                       static_cast<float>(attribute.weight), sum, size);
        }
        add_sets(start, size);
        for (const Levels& each : levels_) add_levels(each, start, size);
        to_changes(records_.data() + start, loss_.data() + start, constant, guest_records_,
                   guest_loss_, preference_.data() + start, sum, size);
    }
}

// What sums start from, class by class; returns what all of them get on top.
float Board::start_sums() {
    const Records& records = objective_.records();
    float constant = 0.0f;
    for (const Levels& each : levels_) {
        const Attribute& attribute = records.attributes[each.attribute];
        const auto leaf = attribute.tree.above(0, guest_[each.attribute].low, attribute.code_count);
        constant += static_cast<float>(attribute.weight *
                                       attribute.tree.node_loss[static_cast<std::size_t>(leaf)]);
    }
    std::copy(set_loss_.begin(), set_loss_.end(), change_.begin());
    for (const Lists& each : lists_) {
        const Attribute& attribute = records.attributes[each.attribute];
        const bool set = attribute.kind == Kind::set;
        const auto growth = static_cast<float>(attribute.weight * (set ? attribute.step : 1.0));
        const auto held = guest_[each.attribute].held;
        if (!set) {
            constant += growth;
            if (held.size() > 1) continue;
        } else {
            constant += growth * static_cast<float>(held.size());
        }
        for (const Held& value : held) {
            for (const std::int32_t c : each.classes[value.code]) {
                change_[static_cast<std::size_t>(c)] -= growth;
            }
        }
    }
    return constant;
}

void Board::add_sets(std::size_t start, std::size_t size) {
    float* sum = change_.data() + start;
    const std::uint32_t* held[4];
    std::uint32_t bit[4];
    float loss[4];
    std::size_t filled = 0;
    for (const Words& each : words_) {
        const Attribute& attribute = objective_.records().attributes[each.attribute];
        const auto step = static_cast<float>(attribute.weight * attribute.step);
        const Guest& guest = guest_[each.attribute];
        if (guest.held.size() > 1) {
            add_set(each, guest, step, start, size);
            continue;
        }
        held[filled] = each.words[guest.low / 32].data() + start;
        bit[filled] = 1u << (guest.low % 32);
        loss[filled++] = step;
        if (filled < 4) continue;
        add_unless_held(held, bit, loss, sum, size);
        filled = 0;
    }
    for (std::size_t i = 0; i < filled; ++i) {
        add_unless_held(held[i], bit[i], loss[i], sum, size);
    }
}

void Board::add_set(const Words& words, const Guest& guest, float step, std::size_t start,
                    std::size_t size) {
    std::size_t next = 0;
    for (std::size_t word = 0; word < words.words.size(); ++word) {
        std::uint32_t bits = 0;
        for (; next < guest.held.size() && guest.held[next].code / 32 == word; ++next) {
            bits |= 1u << (guest.held[next].code % 32);
        }
        if (bits == 0) continue;
        add_new_bits(words.words[word].data() + start, bits, step, change_.data() + start, size);
    }
}

void Board::add_levels(const Levels& levels, std::size_t start, std::size_t size) {
    const Attribute& attribute = objective_.records().attributes[levels.attribute];
    const Tree& tree = attribute.tree;
    const Guest& guest = guest_[levels.attribute];
    for (std::size_t level = 0; level < levels.ancestor.size(); ++level) {
        const auto at = static_cast<std::uint32_t>(level);
        const auto node = tree.above(at, guest.low, attribute.code_count);
        const auto above = tree.above(at + 1, guest.low, attribute.code_count);
        const double step = tree.node_loss[static_cast<std::size_t>(above)] -
                            tree.node_loss[static_cast<std::size_t>(node)];
        if (step == 0.0) continue;
        // Below the guest's own closure no ancestor is shared.
        const bool covers =
            tree.node_last[static_cast<std::size_t>(node)] >= static_cast<std::int32_t>(guest.high);
        add_unless_equal(levels.ancestor[level].data() + start, covers ? node : -2,
                         static_cast<float>(attribute.weight * step), change_.data() + start, size);
    }
}

void Board::scan_information(std::size_t row, std::span<const ClassState> states,
                             std::span<const std::int32_t> ids) {
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
    for (std::size_t c = 0; c < size_; ++c) change_[c] += shift - preference_[c];
    if (others_.empty()) return;
    const std::size_t asked = ids.empty() ? size_ : ids.size();
    for (std::size_t c = 0; c < asked; ++c) {
        const ClassState& state = states[ids.empty() ? c : static_cast<std::size_t>(ids[c])];
        if (state.size() == 0) continue;
        double sum = 0.0;
        for (const std::uint32_t j : others_) sum += state.change_adding(objective_, j, row, 1);
        change_[c] += static_cast<float>(sum);
    }
}

}  // namespace shoal
