// Scans of all classes for one record or class.
#include <algorithm>
#include <bit>
#include <limits>

#include "common/scalars.hpp"
#include "scan/class_column_loops.hpp"
#include "scan/class_columns.hpp"

namespace shoal {

using namespace loops;

namespace {

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

std::span<float> ClassColumns::scan(std::size_t row, std::span<const ClassState> states,
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

std::span<float> ClassColumns::scan(const ClassState& state, std::span<const ClassState> states) {
    if (!objective_.plain()) {
        const double own = state.total(objective_);
        for (std::size_t c = 0; c < size_; ++c) {
            change_[c] = states[c].size() == 0
                             ? infinite<float>
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

void ClassColumns::scan_plain() {
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
float ClassColumns::start_sums() {
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
            // Mostly none, and then the far larger lists are not touched.
            if (!each.listed[value.code]) continue;
            for (const std::int32_t c : each.classes[value.code]) {
                change_[static_cast<std::size_t>(c)] -= growth;
            }
        }
    }
    return constant;
}

void ClassColumns::add_sets(std::size_t start, std::size_t size) {
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

void ClassColumns::add_set(const Words& words, const Guest& guest, float step, std::size_t start,
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

void ClassColumns::add_levels(const Levels& levels, std::size_t start, std::size_t size) {
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

void ClassColumns::scan_information(std::size_t row, std::span<const ClassState> states,
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
