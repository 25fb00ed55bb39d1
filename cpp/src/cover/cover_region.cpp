#include "cover/cover_region.hpp"

#include <algorithm>
#include <cmath>

#include "common/clones.hpp"

namespace shoal {

namespace {

constexpr std::size_t trials = 4;
constexpr std::size_t draws = 1 << 13;

// As much as a member can cost at all: beyond it an assignment is drawn by noise alone, and what
// is left of 32 bits has to hold a barred entry's cost and the difference of two entries.
constexpr float largest_noise = 0x1p28f;

SHOAL_CLONED(void, add_noise,
             (const std::int32_t* cost, const float* draw, float scale, std::int32_t* noisy,
              std::size_t size),
             (cost, draw, scale, noisy, size)) {
    for (std::size_t c = 0; c < size * DenseAssignment::lanes; ++c) {
        const float noise = scale * draw[c];
        const float capped = noise < -largest_noise ? -largest_noise : noise;
        noisy[c] =
            cost[c] + static_cast<std::int32_t>(capped > largest_noise ? largest_noise : capped);
    }
}

// Gumbel noise: an assignment at blurred costs is one drawn from among the best. Logarithms are
// slow, so draws come from a table of quantiles, read from places drawn at random.
std::vector<float> make_gumbel_draws() {
    std::vector<float> made(draws);
    for (std::size_t i = 0; i < draws; ++i) {
        const double unit = (static_cast<double>(i) + 0.5) / static_cast<double>(draws);
        made[i] = static_cast<float>(std::log(-std::log(unit)));
    }
    Random random(1);
    random.shuffle(made);
    made.resize(draws + DenseAssignment::most);
    std::copy_n(made.begin(), DenseAssignment::most, made.begin() + draws);
    return made;
}

const float* gumbel_draws() {
    static const std::vector<float> made = make_gumbel_draws();
    return made.data();
}

}  // namespace

CoverRegion::CoverRegion(CoverMembers& cover_members, std::span<const std::int32_t> copies,
                         const Neighbours& neighbours, std::int32_t block)
    : cover_members_(cover_members),
      copies_(copies),
      neighbours_(neighbours),
      most_(static_cast<std::size_t>(block)),
      k_(cover_members.k()),
      first_(copies.size(), 0),
      count_(copies.size(), 0),
      place_(cover_members.all().size()),
      stamp_(cover_members.size(), 0),
      marks_(copies.size(), 0),
      column_(copies.size(), 0),
      next_(most_),
      costs_(cover_members),
      draws_(gumbel_draws()) {
    const std::size_t lanes = DenseAssignment::lanes;
    const std::size_t stride = (most_ + lanes - 1) / lanes * lanes;
    cost_.resize(most_ * stride);
    noisy_.resize(most_ * stride);
}

void CoverRegion::enter(std::span<const std::int32_t> released, std::uint64_t seed) {
    random_ = Random(seed);
    released_ = released;
    std::fill(count_.begin(), count_.end(), 0);
    const auto for_each_slot = [&](auto visit) {
        for (const std::int32_t i : released) {
            const std::size_t first = static_cast<std::size_t>(i) * k_;
            for (std::size_t slot = first; slot < first + k_; ++slot) {
                visit(slot, static_cast<std::size_t>(cover_members_.row(slot)));
            }
        }
    };
    for_each_slot([&](std::size_t, std::size_t row) { ++count_[row]; });
    std::uint32_t sum = 0;
    for (std::size_t row = 0; row < count_.size(); ++row) {
        first_[row] = sum;
        sum += count_[row];
        count_[row] = 0;
    }
    holders_.resize(sum);
    for_each_slot([&](std::size_t slot, std::size_t row) {
        place_[slot] = first_[row] + count_[row]++;
        holders_[place_[slot]] = static_cast<std::uint32_t>(slot);
    });
}

std::int64_t CoverRegion::step(double noise) {
    choose();
    const std::size_t size = slots_.size();
    if (size < 2) return 0;
    costs_.set_slots(slots_);
    const std::size_t stride = costs_.stride();
    std::int64_t before = 0;
    for (std::size_t b = 0; b < size; ++b) {
        std::int32_t* line = cost_.data() + b * stride;
        costs_.line(b, line);
        bar(b, line);
        before += line[b];
    }
    const std::int32_t* costs = noise > 0.0 ? blurred(noise) : cost_.data();
    const auto& taken = assignment_.solve(costs, size, stride);
    std::int64_t after = 0;
    for (std::size_t b = 0; b < size; ++b) {
        const std::int32_t cost = cost_[b * stride + static_cast<std::size_t>(taken[b])];
        if (cost == DenseAssignment::barred) return 0;
        after += cost;
    }
    if (noise == 0.0 && after >= before) return 0;
    exchange(taken);
    return before - after;
}

void CoverRegion::exchange(std::span<const std::int32_t> taken) {
    // A row's new holder takes the place of the one that gave it up.
    for (std::size_t b = 0; b < taken.size(); ++b) {
        const auto from = static_cast<std::size_t>(taken[b]);
        if (from != b) next_[b] = static_cast<std::int32_t>(place_[slots_[from]]);
    }
    for (std::size_t b = 0; b < taken.size(); ++b) {
        const auto from = static_cast<std::size_t>(taken[b]);
        if (from == b) continue;
        place_[slots_[b]] = static_cast<std::uint32_t>(next_[b]);
        holders_[place_[slots_[b]]] = static_cast<std::uint32_t>(slots_[b]);
        cover_members_.replace(slots_[b], given_[from]);
    }
}

// Bars the rows of the block that the rest of a record's members already use up.
void CoverRegion::bar(std::size_t b, std::int32_t* line) const {
    const auto members = cover_members_.members(slots_[b] / k_);
    const std::size_t own = slots_[b] % k_;
    for (std::size_t m = 0; m < k_; ++m) {
        const auto row = static_cast<std::size_t>(members[m]);
        if (marks_[row] != now_ || m == own) continue;
        const std::int32_t copies = copies_[row];
        if (copies > 1) {
            const auto held = std::count(members.begin(), members.end(), members[m]);
            if (held - (members[own] == members[m]) < copies) continue;
        }
        for (std::int32_t c = column_[row]; c >= 0; c = next_[static_cast<std::size_t>(c)]) {
            if (static_cast<std::size_t>(c) != b) line[c] = DenseAssignment::barred;
        }
    }
}

// A holder, drawn at random, of a row and of each of its neighbours gives up one of its rows;
// every released record takes part once.
void CoverRegion::choose() {
    ++now_;
    slots_.clear();
    given_.clear();
    const auto first = static_cast<std::size_t>(released_[draw(released_.size())]);
    const std::int32_t row = cover_members_.members(first)[draw(k_)];
    add_holder(row);
    for (const std::int32_t near : neighbours_.of(static_cast<std::size_t>(row))) {
        if (slots_.size() >= most_) break;
        if (near >= 0) add_holder(near);
    }
}

void CoverRegion::add_holder(std::int32_t row) {
    const auto place = static_cast<std::size_t>(row);
    if (count_[place] == 0) return;
    const std::size_t released = holders_[first_[place] + draw(count_[place])] / k_;
    if (stamp_[released] == now_) return;
    stamp_[released] = now_;
    const std::size_t slot = released * k_ + costliest(released);
    const std::int32_t given = cover_members_.row(slot);
    const auto given_place = static_cast<std::size_t>(given);
    next_[slots_.size()] = marks_[given_place] == now_ ? column_[given_place] : -1;
    column_[given_place] = static_cast<std::int32_t>(slots_.size());
    marks_[given_place] = now_;
    slots_.push_back(slot);
    given_.push_back(given);
}

// Of a few members drawn at random, the one without which the record loses least: exchanges of
// members that fit well rarely help.
std::size_t CoverRegion::costliest(std::size_t released) {
    std::size_t chosen = 0;
    std::int32_t most = -1;
    // Fewer than there are: a member that is never the worst has to have its turn, too.
    const std::size_t tried = std::min(std::max<std::size_t>(k_, 2) - 1, trials);
    for (std::size_t trial = 0; trial < tried; ++trial) {
        const std::size_t place = draw(k_);
        const std::int32_t relief = cover_members_.relief(released, place);
        if (relief > most) {
            most = relief;
            chosen = place;
        }
    }
    return chosen;
}

const std::int32_t* CoverRegion::blurred(double noise) {
    const std::size_t stride = costs_.stride();
    for (std::size_t b = 0; b < slots_.size(); ++b) {
        add_noise(cost_.data() + b * stride, draws_ + draw(draws), static_cast<float>(noise),
                  noisy_.data() + b * stride, stride / DenseAssignment::lanes);
    }
    return noisy_.data();
}

}  // namespace shoal
