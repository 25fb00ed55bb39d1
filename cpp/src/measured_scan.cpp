#include "shoal/measured_scan.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace shoal {

MeasuredScan::MeasuredScan(const Objective& objective, std::size_t slots)
    : objective_(objective),
      weight_(objective.records().weight_sum()),
      states_(slots),
      position_(slots, -1),
      likely_(objective.records().attributes.size()) {}

void MeasuredScan::open(std::size_t slot, std::size_t row, std::int64_t size) {
    states_[slot].clear();
    states_[slot].add(objective_, row, static_cast<std::int32_t>(size));
    append(slot);
}

void MeasuredScan::unite(std::size_t kept, std::size_t gone) {
    remove(kept);
    remove(gone);
    states_[kept].unite(objective_, states_[gone]);
    states_[gone].clear();
    append(kept);
}

void MeasuredScan::remove(std::size_t slot) {
    slot_[static_cast<std::size_t>(position_[slot])] = -1;
    position_[slot] = -1;
    --alive_;
}

double MeasuredScan::entropy(std::size_t slot) const {
    if (!objective_.reads_secret()) return 0.0;
    const ClassState& state = states_[slot];
    double sum = 0.0;
    for (std::uint32_t y = 0; y < objective_.secret_count(); ++y) {
        const std::int32_t count = state.secrets(y);
        if (count > 0) sum += count * (objective_.log2(state.size()) - objective_.log2(count));
    }
    return sum;
}

double MeasuredScan::log_probability(std::size_t slot, std::size_t j) const {
    const ClassState& state = states_[slot];
    std::int64_t mass = 0;
    if (objective_.records().attributes[j].kind == Kind::set) {
        for (const Held& held : state.values(j).held()) {
            mass += objective_.mass(j, held.code, held.code);
        }
    } else {
        const auto [first, last] = objective_.covered(j, state.shape(j));
        mass = objective_.mass(j, first, last);
    }
    return objective_.log2(mass) - objective_.log2(objective_.records().total);
}

void MeasuredScan::append(std::size_t slot) {
    if (slot_.size() > alive_ + alive_ / 16 + block) compact();
    position_[slot] = static_cast<std::int32_t>(slot_.size());
    slot_.push_back(static_cast<std::int32_t>(slot));
    ++alive_;
    for (std::size_t j = 0; j < likely_.size(); ++j) {
        const double weight = objective_.records().attributes[j].weight;
        likely_[j].push_back(static_cast<float>(weight * log_probability(slot, j)));
    }
    const double mixed = (1.0 - objective_.share()) * weight_ * entropy(slot);
    sizes_.push_back(static_cast<float>(states_[slot].size()));
    double fixed = 0.0;
    for (std::size_t j = 0; j < likely_.size(); ++j) {
        fixed += objective_.records().attributes[j].weight * states_[slot].cost(j);
    }
    spare_.push_back(static_cast<float>(fixed - mixed));
}

void MeasuredScan::compact() {
    std::size_t end = 0;
    for (std::size_t from = 0; from < slot_.size(); ++from) {
        if (slot_[from] < 0) continue;
        slot_[end] = slot_[from];
        position_[static_cast<std::size_t>(slot_[from])] = static_cast<std::int32_t>(end);
        for (auto& column : likely_) column[end] = column[from];
        sizes_[end] = sizes_[from];
        spare_[end] = spare_[from];
        ++end;
    }
    slot_.resize(end);
    for (auto& column : likely_) column.resize(end);
    sizes_.resize(end);
    spare_.resize(end);
}

Nearest MeasuredScan::nearest_older(std::size_t slot) const {
    const ClassState& state = states_[slot];
    const double own_total = state.total(objective_);
    const auto end = static_cast<std::size_t>(position_[slot]);
    const float own_size = sizes_[end];
    const float own_spare = spare_[end];
    const auto share = static_cast<float>(objective_.share());
    const auto slack = static_cast<float>(1e-4 * weight_);  // rounding of single precision

    Nearest best;
    std::array<float, block> bounds;
    for (std::size_t begin = 0; begin < end; begin += block) {
        const std::size_t count = std::min(block, end - begin);
        bounds.fill(-slack);
        for (std::size_t j = 0; j < likely_.size() && share > 0; ++j) {
            const float* column = likely_[j].data() + begin;
            const float own = likely_[j][end];
            for (std::size_t i = 0; i < count; ++i) bounds[i] += share * std::max(column[i], own);
        }
        for (std::size_t i = 0; i < count; ++i) {
            bounds[i] =
                bounds[i] * (own_size + sizes_[begin + i]) - (own_spare + spare_[begin + i]);
        }
        for (std::size_t i = 0; i < count; ++i) {
            if (bounds[i] > best.distance || slot_[begin + i] < 0) continue;
            const ClassState& other = states_[static_cast<std::size_t>(slot_[begin + i])];
            const double distance =
                state.total_united(objective_, other) - (own_total + other.total(objective_));
            // Later ones are younger: a tie stays with the first.
            if (distance < best.distance) best = {distance, slot_[begin + i]};
        }
    }
    return best;
}

}  // namespace shoal
