// How a search divides its work among the kinds of proposals, by what they gained.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace shoal {

// The kinds of proposals: moves and exchanges, dissolving a class, opening one, cutting one anew,
// evicting a block of records.
inline constexpr std::size_t kinds = 5;

// What each kind took in steps, and what it gained: the sum of its changes for the better.
struct ProposalTally {
    std::array<double, kinds> gained{};
    std::array<double, kinds> steps{};

    void add(const ProposalTally& other) {
        for (std::size_t i = 0; i < kinds; ++i) {
            gained[i] += other.gained[i];
            steps[i] += other.steps[i];
        }
    }
};

// Which part of the steps each kind gets. Parts of the work, not of the number of proposals:
// dissolving a class of 100 costs a thousand moves.
using Mixture = std::array<double, kinds>;

// Blocks are worth moving where classes are large: in small ones a value is shown because of a
// record or two, which move by themselves.
inline constexpr std::int64_t large_class = 32;
inline Mixture usual_mixture(std::int64_t k) {
    if (k < large_class) return {0.45, 0.20, 0.05, 0.30, 0.0};
    return {0.30, 0.10, 0.05, 0.20, 0.35};
}

// Moves stir and the other kinds find order, so that gains do not compare one to one. But a kind
// that gains next to nothing beside moves gets less for it, down to an eighth, and moves the rest.
inline Mixture mix_by_gain(const ProposalTally& tally, const Mixture& usual) {
    constexpr double enough = 0.06, least = 0.125;
    Mixture mixture{1.0};
    const double moves = tally.gained[0] / std::max(tally.steps[0], 1.0);
    for (std::size_t i = 1; i < kinds; ++i) {
        const double gain = tally.gained[i] / std::max(tally.steps[i], 1.0);
        const double share = moves > 0 ? std::clamp(gain / (enough * moves), least, 1.0) : 1.0;
        mixture[i] = share * usual[i];
        mixture[0] -= mixture[i];
    }
    return mixture;
}

}  // namespace shoal
