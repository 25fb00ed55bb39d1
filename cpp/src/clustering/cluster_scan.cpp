#include "clustering/cluster_scan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace shoal {

namespace {

constexpr std::uint16_t mixed = 0xFFFF;  // all-or-nothing: more than one value
constexpr double most_quanta = 65000.0;
constexpr float gone_total = -std::numeric_limits<float>::infinity();

std::uint16_t floored(double quanta) {
    return static_cast<std::uint16_t>(std::clamp(std::floor(quanta), 0.0, 65535.0));
}

}  // namespace

ClusterScan::ClusterScan(const Records& records, std::size_t slots, Path path)
    : closures_(records, slots), path_(path), sizes_(slots), position_(slots, -1) {
    const double weight = records.weight_sum();
    scale_ = weight > 0.0 ? most_quanta / weight : 0.0;
    for (const RoundedAttribute& attribute : closures_.attributes()) {
        const std::uint32_t code_count = attribute.source->code_count;
        Packing packing;
        packing.column = static_cast<std::uint32_t>(column_count_);
        packing.weight = floored(attribute.weight * scale_);
        packing.step = floored(attribute.step * scale_);
        switch (attribute.source->kind) {
            case Kind::interval:
                packing.words = 2;
                ++intervals_;
                for (const double position : attribute.positions) {
                    packing.positions.push_back(
                        floored((position - attribute.positions[0]) * scale_));
                }
                break;
            case Kind::set:
                packing.words =
                    std::min<std::uint32_t>((code_count + 15) / 16, BoundStep::most_words);
                break;
            case Kind::tree:
                packing.words = 2;
                while ((code_count - 1) >> packing.shift > 0xFFFF) ++packing.shift;
                for (const double loss : attribute.node_losses) {
                    packing.node_losses.push_back(floored(loss * scale_));
                }
                break;
            case Kind::all_or_nothing:
                break;
        }
        column_count_ += packing.words;
        packings_.push_back(std::move(packing));
    }
    // Room for every cluster and for the dead places that `compact` tolerates.
    const std::size_t room = (slots + slots / 8 + 2 * block) / block * block;
    columns_.resize(column_count_);
    for (auto& column : columns_) column.assign(room, 0);
    column_sizes_.assign(room, 0.0f);
    column_totals_.assign(room, gone_total);
}

void ClusterScan::open(std::size_t slot, std::size_t row, std::int64_t size) {
    closures_.open(slot, row);
    sizes_[slot] = size;
    append(slot);
}

void ClusterScan::unite(std::size_t kept, std::size_t gone) {
    remove(kept);
    remove(gone);
    closures_.unite(kept, gone);
    sizes_[kept] += sizes_[gone];
    append(kept);
}

void ClusterScan::remove(std::size_t slot) {
    const auto position = static_cast<std::size_t>(position_[slot]);
    position_[slot] = -1;
    slot_[position] = -1;
    column_totals_[position] = gone_total;
    --alive_;
}

void ClusterScan::append(std::size_t slot) {
    if (slot_.size() > alive_ + alive_ / 16 + block / 2) compact();
    position_[slot] = static_cast<std::int32_t>(slot_.size());
    slot_.push_back(static_cast<std::int32_t>(slot));
    ++alive_;
    pack(slot, slot_.size() - 1);
}

void ClusterScan::compact() {
    std::size_t end = 0;
    for (std::size_t from = 0; from < slot_.size(); ++from) {
        if (slot_[from] < 0) continue;
        slot_[end] = slot_[from];
        position_[static_cast<std::size_t>(slot_[from])] = static_cast<std::int32_t>(end);
        for (auto& column : columns_) column[end] = column[from];
        column_sizes_[end] = column_sizes_[from];
        column_totals_[end] = column_totals_[from];
        ++end;
    }
    std::fill(column_totals_.begin() + static_cast<std::ptrdiff_t>(end), column_totals_.end(),
              gone_total);
    slot_.resize(end);
}

void ClusterScan::pack(std::size_t slot, std::size_t position) {
    for (std::size_t j = 0; j < packings_.size(); ++j) {
        const Packing& packing = packings_[j];
        const std::uint32_t low = closures_.low(slot, j);
        const std::uint32_t high = closures_.high(slot, j);
        switch (closures_.attributes()[j].source->kind) {
            case Kind::interval:
                columns_[packing.column][position] = packing.positions[low];
                columns_[packing.column + 1][position] = packing.positions[high];
                break;
            case Kind::set:
                for (std::uint32_t word = 0; word < packing.words; ++word) {
                    columns_[packing.column + word][position] = 0;
                }
                closures_.for_each_value(slot, j, [&](std::uint32_t code) {
                    code %= 16 * packing.words;
                    columns_[packing.column + code / 16][position] |=
                        static_cast<std::uint16_t>(1u << code % 16);
                });
                break;
            case Kind::tree:
                columns_[packing.column][position] =
                    static_cast<std::uint16_t>(low >> packing.shift);
                columns_[packing.column + 1][position] =
                    static_cast<std::uint16_t>(high >> packing.shift);
                break;
            case Kind::all_or_nothing:
                columns_[packing.column][position] =
                    low == high ? static_cast<std::uint16_t>(low % mixed) : mixed;
                break;
        }
    }
    column_sizes_[position] = static_cast<float>(sizes_[slot]);
    column_totals_[position] = static_cast<float>(total(slot) * scale_);
}

void ClusterScan::prepare(std::size_t slot) {
    query_.steps.clear();
    query_.constant = 0;
    query_.size = static_cast<float>(sizes_[slot]);
    // An interval's ends are rounded apart from each other; the rest is for single precision.
    query_.slack = static_cast<float>(intervals_) + 0.05f;
    const auto position = static_cast<std::size_t>(position_[slot]);
    for (std::size_t j = 0; j < packings_.size(); ++j) {
        const Packing& packing = packings_[j];
        BoundStep step{BoundStep::Kind::interval, packing.column};
        switch (closures_.attributes()[j].source->kind) {
            case Kind::interval:
                step.low = columns_[packing.column][position];
                step.high = columns_[packing.column + 1][position];
                step.cap = packing.weight;
                break;
            case Kind::set:
                step.kind = BoundStep::Kind::set;
                step.words = packing.words;
                step.unit = packing.step;
                step.cap = packing.weight;
                for (std::uint32_t word = 0; word < packing.words; ++word) {
                    step.mask[word] = columns_[packing.column + word][position];
                }
                break;
            case Kind::tree:
                prepare_tree(slot, j);
                continue;
            case Kind::all_or_nothing:
                step.low = columns_[packing.column][position];
                step.unit = packing.weight;
                step.kind = BoundStep::Kind::equal;
                if (step.low == mixed) {
                    query_.constant = static_cast<std::uint16_t>(query_.constant + step.unit);
                    continue;
                }
                break;
        }
        query_.steps.push_back(step);
    }
}

// Each node above the closure adds what it loses beyond the one below, if the other cluster lies
// outside that one.
void ClusterScan::prepare_tree(std::size_t slot, std::size_t j) {
    const Packing& packing = packings_[j];
    const Attribute& attribute = *closures_.attributes()[j].source;
    const Tree& tree = attribute.tree;
    const std::uint32_t low = closures_.low(slot, j);
    const auto own =
        static_cast<std::size_t>(attribute.common_ancestor(low, closures_.high(slot, j)));
    query_.constant = static_cast<std::uint16_t>(query_.constant + packing.node_losses[own]);
    std::size_t below = own;
    for (std::uint32_t level = 0; level < tree.levels; ++level) {
        const auto node = static_cast<std::size_t>(tree.above(level, low, attribute.code_count));
        if (tree.node_last[node] <= tree.node_last[below] &&
            tree.node_first[node] >= tree.node_first[below]) {
            continue;
        }
        BoundStep step{BoundStep::Kind::node, packing.column};
        step.low = static_cast<std::uint16_t>(static_cast<std::uint32_t>(tree.node_first[below]) >>
                                              packing.shift);
        step.high = static_cast<std::uint16_t>(static_cast<std::uint32_t>(tree.node_last[below]) >>
                                               packing.shift);
        step.unit =
            static_cast<std::uint16_t>(packing.node_losses[node] - packing.node_losses[below]);
        if (step.unit > 0) query_.steps.push_back(step);
        below = node;
    }
}

Nearest ClusterScan::nearest_older(std::size_t slot) {
    alignas(64) std::array<float, block> bounds;
    const auto end = static_cast<std::size_t>(position_[slot]);
    const double own_total = total(slot) * scale_;
    prepare(slot);
    query_.limit = std::numeric_limits<float>::infinity();

    Nearest best;
    std::size_t best_position = end;
    const auto decide = [&](std::size_t position) {
        if (slot_[position] < 0 || position == best_position) return;
        const auto other = static_cast<std::size_t>(slot_[position]);
        const double exact = distance(slot, other);
        if (exact > best.distance || (exact == best.distance && position > best_position)) return;
        best = {exact, slot_[position]};
        best_position = position;
        query_.limit = std::nextafter(static_cast<float>(exact * scale_ + own_total),
                                      std::numeric_limits<float>::infinity());
    };
    for (std::size_t begin = 0; begin < end; begin += block) {
        const WithinLimit within = bound_block(path_, *this, query_, begin, bounds.data());
        if (!within.any()) continue;
        const std::size_t count = std::min(block, end - begin);
        if (best.slot < 0) {
            // Without a distance to beat all are within: the most promising one spares the others.
            const auto last = bounds.begin() + static_cast<std::ptrdiff_t>(count);
            decide(begin + static_cast<std::size_t>(std::min_element(bounds.begin(), last) -
                                                    bounds.begin()));
        }
        for (std::size_t word = 0; word < within.bits.size(); ++word) {
            for (std::uint64_t rest = within.bits[word]; rest != 0; rest &= rest - 1) {
                const std::size_t i = 64 * word + static_cast<std::size_t>(std::countr_zero(rest));
                if (i < count && bounds[i] <= query_.limit) decide(begin + i);
            }
        }
    }
    return best;
}

}  // namespace shoal
