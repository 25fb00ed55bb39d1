// How a search divides its work among the kinds of proposals, by what they gained.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace shoal {

// The kinds of proposals: moves and exchanges, dissolving a class, opening one, cutting one anew,
// evicting a block of records.
inline constexpr std::size_t kinds = 5;
inline constexpr std::size_t evictions = 4;

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

// Moves stir and the other kinds find order, so that gains do not compare one to one. But a kind
// that gains next to nothing beside moves gets less for it, down to an eighth, and moves the rest.
//
// At 20 million steps on Adult, k = 5 / 10 / 50, blocks with .3 of the work take .01543 / .03025 /
// .0953 to .01525 / .02984 / .0919; with .6 to .01527 / .0297 / .0926.
//
// Where a measure knows no evictions, moves get their part.
inline Mixture mix_by_gain(const ProposalTally& tally, bool evicts) {
    constexpr Mixture usual{0.27, 0.12, 0.03, 0.18, 0.40};
    constexpr double enough = 0.06, least = 0.125;
    Mixture mixture{1.0};
    const double moves = tally.gained[0] / std::max(tally.steps[0], 1.0);
    for (std::size_t i = 1; i < kinds; ++i) {
        const double gain = tally.gained[i] / std::max(tally.steps[i], 1.0);
        const double share = moves > 0 ? std::clamp(gain / (enough * moves), least, 1.0) : 1.0;
        mixture[i] = i == evictions && !evicts ? 0.0 : share * usual[i];
        mixture[0] -= mixture[i];
    }
    return mixture;
}

}  // namespace shoal
