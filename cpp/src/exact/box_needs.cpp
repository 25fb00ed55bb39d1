#include "exact/box_needs.hpp"

#include <algorithm>

namespace shoal::bounding {

namespace {

constexpr std::uint32_t most_steps = 64;  // of an interval that are looked at for a record

bool costs_add_up(const GridAttribute& attribute) {
    if (attribute.kind == Kind::set) {
        return static_cast<Units>(attribute.code_count - 1) * attribute.step <= attribute.whole;
    }
    if (attribute.kind != Kind::interval) return true;
    return attribute.positions.back() - attribute.positions.front() <= attribute.whole;
}

// What one more value costs, whichever it is; 0 where that differs.
Units cost_of_value(const GridAttribute& attribute) {
    if (attribute.kind == Kind::set) return attribute.step;
    return attribute.kind == Kind::all_or_nothing ? attribute.whole : 0;
}

}  // namespace

BoxNeeds::BoxNeeds(const Grid& grid) : grid_(grid) {
    for (const GridAttribute& attribute : grid.attributes) {
        adds_up_.push_back(costs_add_up(attribute));
        const std::size_t values =
            attribute.kind == Kind::tree ? attribute.source->tree.levels : attribute.code_count;
        capacity_.emplace_back(values);
        order_.push_back(order_.size());
    }
    // Dear values take most, and leave cheap ones to records that need no others.
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
        return cost_of_value(grid.attributes[a]) > cost_of_value(grid.attributes[b]);
    });
}

void BoxNeeds::open(const Box& box, Units times) {
    box_ = &box;
    times_ = times;
    ++number_;
    for (const auto& [attribute, code] : box.held) capacity_[attribute][code] = {number_, 0};
}

Units BoxNeeds::rest(const std::uint32_t* codes, Units amount) {
    for (const std::size_t j : order_) {
        if (amount <= 0) break;
        if (!adds_up_[j]) continue;
        const GridAttribute& attribute = grid_.attributes[j];
        const Box::Part& part = box_->parts[j];
        const std::uint32_t code = codes[j];
        if (attribute.kind == Kind::set) {
            take(j, code, attribute.step, amount);
        } else if (code < part.low || code > part.high) {
            if (attribute.kind == Kind::interval) {
                take_of_interval(j, code, amount);
            } else if (attribute.kind == Kind::tree) {
                take_of_tree(j, code, amount);
            } else {
                take(j, 0, attribute.whole - part.loss, amount);
            }
        }
    }
    return amount;
}

void BoxNeeds::take(std::size_t attribute, std::uint32_t value, Units cost, Units& amount) {
    Capacity& capacity = capacity_[attribute][value];
    if (capacity.box != number_) capacity = {number_, times_ * cost};
    const Units taken = std::min(capacity.left, amount);
    capacity.left -= taken;
    amount -= taken;
}

// All steps up to the code are needed. The farthest one is needed by fewest other records.
void BoxNeeds::take_of_interval(std::size_t attribute, std::uint32_t code, Units& amount) {
    const auto& positions = grid_.attributes[attribute].positions;
    const Box::Part& part = box_->parts[attribute];
    for (std::uint32_t step = 0; step < most_steps && amount > 0; ++step) {
        if (code < part.low) {
            take(attribute, code, positions[code + 1] - positions[code], amount);
            ++code;
        } else if (code > part.high) {
            take(attribute, code, positions[code] - positions[code - 1], amount);
            --code;
        } else {
            return;
        }
    }
}

// The same for the nodes above that of the box, up to the one that holds the code.
void BoxNeeds::take_of_tree(std::size_t attribute, std::uint32_t code, Units& amount) {
    const Attribute& source = *grid_.attributes[attribute].source;
    const auto& losses = grid_.attributes[attribute].node_loss;
    const Box::Part& part = box_->parts[attribute];
    const auto node = [&](std::uint32_t level) {
        return static_cast<std::size_t>(source.tree.above(level, part.low, source.code_count));
    };
    const auto lowest_with = [&](std::uint32_t level, std::uint32_t low, std::uint32_t high) {
        while (level + 1 < source.tree.levels &&
               (source.tree.node_first[node(level)] > static_cast<std::int32_t>(low) ||
                source.tree.node_last[node(level)] < static_cast<std::int32_t>(high))) {
            ++level;
        }
        return level;
    };
    const std::uint32_t own = lowest_with(0, part.low, part.high);
    std::uint32_t level = lowest_with(own, std::min(code, part.low), std::max(code, part.high));
    for (; level > own && amount > 0; --level) {
        const Units cost = losses[node(level)] - losses[node(level - 1)];
        if (cost > 0) take(attribute, level, cost, amount);
    }
}

}  // namespace shoal::bounding
