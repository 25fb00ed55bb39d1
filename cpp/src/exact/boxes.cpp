#include "exact/boxes.hpp"

#include <algorithm>
#include <utility>

namespace shoal::bounding {

Boxes::Boxes(const Grid& grid)
    : grid_(grid), holds_(grid.width), weight_(grid.width), ends_(2 * grid.width) {
    for (std::size_t j = 0; j < grid.width; ++j) {
        if (grid.attributes[j].kind != Kind::set) continue;
        holds_[j].resize(grid.attributes[j].code_count);
        weight_[j].resize(grid.attributes[j].code_count);
    }
}

Box Boxes::start(std::size_t row, std::span<const Near> near) {
    near_.assign(near.begin(), near.end());
    std::sort(near_.begin(), near_.end(), [](const Near& a, const Near& b) {
        return a.loss != b.loss ? a.loss < b.loss : a.row < b.row;
    });
    codes_.resize(near_.size() * grid_.width);
    Box box;
    for (std::size_t i = 0; i < near_.size(); ++i) {
        std::copy_n(grid_.codes(static_cast<std::size_t>(near_[i].row)), grid_.width,
                    codes_.begin() + static_cast<std::ptrdiff_t>(i * grid_.width));
        box.candidates.push_back({near_[i].loss, static_cast<std::uint32_t>(i)});
    }
    for (std::size_t j = 0; j < grid_.width; ++j) {
        const std::uint32_t code = grid_.codes(row)[j];
        box.parts.push_back({code, code, 1, grid_.attributes[j].pair(code, code)});
        box.loss += box.parts.back().loss;
        if (grid_.attributes[j].kind == Kind::set) {
            box.held.push_back({static_cast<std::uint32_t>(j), code});
        }
    }
    return box;
}

void Boxes::weigh(const Box& box, const std::uint32_t* codes, std::int64_t count) {
    for (std::size_t j = 0; j < grid_.width; ++j) {
        const std::uint32_t code = codes[j];
        const Box::Part& part = box.parts[j];
        const GridAttribute& attribute = grid_.attributes[j];
        if (attribute.kind == Kind::set) {
            if (holds_[j][code] != 0) continue;
            if (weight_[j][code] == 0) weighed_.push_back({static_cast<std::uint32_t>(j), code});
            weight_[j][code] += count;
            continue;
        }
        if (code >= part.low && code <= part.high) continue;
        // Below and above; trees and the rest use one.
        Division& end = ends_[2 * j + (attribute.kind == Kind::interval && code > part.high)];
        const bool first = end.weight == 0;
        end.weight += count;
        end.attribute = j;
        std::uint32_t low = std::min(code, part.low), high = std::max(code, part.high);
        if (attribute.kind == Kind::tree) {
            const auto node =
                static_cast<std::size_t>(attribute.source->common_ancestor(low, high));
            low = static_cast<std::uint32_t>(attribute.source->tree.node_first[node]);
            high = static_cast<std::uint32_t>(attribute.source->tree.node_last[node]);
        } else if (attribute.kind == Kind::all_or_nothing) {
            low = 0;
            high = attribute.code_count - 1;
        }
        if (first || high - low < end.high - end.low) {
            end.low = low;
            end.high = high;
        }
    }
}

// A dear value counts more than a cheap one: closures that hold it lose much, and those without it
// lose the records that need it.
Boxes::Division Boxes::heaviest(const Box& box) {
    Division best;
    double highest = -1.0;
    const auto consider = [&](const Division& division, Units cost) {
        const double score = static_cast<double>(division.weight) * static_cast<double>(cost) *
                             static_cast<double>(cost);
        if (score <= highest) return;
        highest = score;
        best = division;
    };
    for (Division& end : ends_) {
        if (end.weight > 0) {
            const GridAttribute& attribute = grid_.attributes[end.attribute];
            consider(end, attribute.pair(end.low, end.high) - box.parts[end.attribute].loss);
        }
        end = {};
    }
    for (const auto& [attribute, code] : weighed_) {
        std::int64_t& weight = weight_[attribute][code];
        consider({attribute, code, code, weight}, grid_.attributes[attribute].step);
        weight = 0;
    }
    weighed_.clear();
    return best;
}

// Whether a closure that holds this part and the code holds the value, too.
bool Boxes::needs(const Box::Part& part, const Division& division, std::uint32_t code) const {
    const GridAttribute& attribute = grid_.attributes[division.attribute];
    if (attribute.kind == Kind::set) return code == division.low;
    std::uint32_t low = std::min(code, part.low), high = std::max(code, part.high);
    if (attribute.kind == Kind::all_or_nothing) return low < high;
    if (attribute.kind == Kind::tree) {
        const auto node = static_cast<std::size_t>(attribute.source->common_ancestor(low, high));
        low = static_cast<std::uint32_t>(attribute.source->tree.node_first[node]);
        high = static_cast<std::uint32_t>(attribute.source->tree.node_last[node]);
    }
    return low <= division.low && high >= division.high;
}

Units Boxes::loss_with(std::size_t j, const Box::Part& part, std::uint32_t code) const {
    const GridAttribute& attribute = grid_.attributes[j];
    if (attribute.kind == Kind::set) return attribute.set(part.count + (holds_[j][code] == 0));
    return attribute.pair(std::min(code, part.low), std::max(code, part.high));
}

Boxes::Halves Boxes::divide(Box&& box, const Division& division, Units ceiling) {
    const std::size_t j = division.attribute;
    const GridAttribute& attribute = grid_.attributes[j];
    const Box::Part before = box.parts[j];
    Box::Part after = before;
    if (attribute.kind == Kind::set) {
        ++after.count;
        after.loss = attribute.set(after.count);
    } else {
        after.low = division.low;
        after.high = division.high;
        after.loss = attribute.pair(after.low, after.high);
    }
    Halves halves;
    Box &with = halves.with, &without = halves.without;
    with.parts = box.parts;
    with.parts[j] = after;
    with.loss = box.loss - before.loss + after.loss;
    with.held = box.held;
    without.loss = box.loss;
    // Most candidates lose as much as before, or all the same amount more: two sorted runs.
    same_.clear();
    dearer_.clear();
    mark(box, true);
    for (const Box::Candidate& each : box.candidates) {
        const std::uint32_t code = codes(each.place)[j];
        if (!needs(before, division, code)) without.candidates.push_back(each);
        Units loss = each.loss - loss_with(j, before, code);
        if (attribute.kind == Kind::set && code == division.low) {
            loss += after.loss;
        } else {
            loss += loss_with(j, after, code);
        }
        if (loss < ceiling) (loss == each.loss ? same_ : dearer_).push_back({loss, each.place});
    }
    mark(box, false);
    const auto cheaper = [](const Box::Candidate& a, const Box::Candidate& b) {
        return a.loss != b.loss ? a.loss < b.loss : a.place < b.place;
    };
    if (!std::is_sorted(dearer_.begin(), dearer_.end(), cheaper)) {
        std::sort(dearer_.begin(), dearer_.end(), cheaper);
    }
    with.candidates.resize(same_.size() + dearer_.size());
    std::merge(same_.begin(), same_.end(), dearer_.begin(), dearer_.end(), with.candidates.begin(),
               cheaper);
    if (attribute.kind == Kind::set) {
        with.held.push_back({static_cast<std::uint32_t>(j), division.low});
    }
    without.parts = std::move(box.parts);
    without.held = std::move(box.held);
    return halves;
}

void Boxes::mark(const Box& box, bool held) {
    for (const auto& [attribute, code] : box.held) holds_[attribute][code] = held ? 1 : 0;
}

}  // namespace shoal::bounding
