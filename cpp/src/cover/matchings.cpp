#include "shoal/cover/matchings.hpp"

#include <bit>
#include <utility>

#include "shoal/common/partition.hpp"

namespace shoal {

namespace {

// xoshiro256**: 256 bits of state, all of them from the caller, so that which matching was drawn
// cannot be found by trying seeds.
class WideRandom {
  public:
    explicit WideRandom(std::span<const std::uint64_t> words) {
        for (std::size_t i = 0; i < 4; ++i) state_[i] = words[i];
        if (!(state_[0] | state_[1] | state_[2] | state_[3])) state_[0] = 1;
    }

    std::uint64_t next() {
        const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }
    // From 0 to bound - 1, without bias.
    std::uint32_t below(std::uint32_t bound) {
        const std::uint32_t least = (0u - bound) % bound;
        for (;;) {
            const std::uint64_t product = (next() >> 32) * bound;
            if (static_cast<std::uint32_t>(product) >= least) {
                return static_cast<std::uint32_t>(product >> 32);
            }
        }
    }

  private:
    std::uint64_t state_[4];
};

}  // namespace

std::vector<std::int32_t> random_matchings(std::span<const std::int32_t> edges, std::int32_t k,
                                           std::span<const std::uint64_t> words, Control& control) {
    const auto degree = static_cast<std::size_t>(k);
    const std::size_t nodes = edges.size() / degree;
    WideRandom random(words);
    std::vector<std::int32_t> matching(edges.size(), k - 1);
    // The places of each left node's edges; those not yet in a matching stand first.
    std::vector<std::uint32_t> places(edges.size());
    for (std::size_t e = 0; e < edges.size(); ++e) places[e] = static_cast<std::uint32_t>(e);
    std::vector<std::int32_t> left_of(nodes);  // of right nodes: who holds them
    std::vector<std::uint32_t> chosen(nodes);  // of left nodes: which edge, by its place
    std::vector<std::uint32_t> tried(nodes);   // the same in the walk at hand
    std::vector<std::uint32_t> order(nodes);
    for (std::size_t i = 0; i < nodes; ++i) order[i] = static_cast<std::uint32_t>(i);
    for (std::size_t i = nodes; i > 1; --i) {
        std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
    }
    for (std::int32_t round = 0; round + 1 < k; ++round) {
        const auto free = static_cast<std::uint32_t>(k - round);  // edges of each node left
        std::fill(left_of.begin(), left_of.end(), -1);
        for (std::size_t i = 0; i < nodes; ++i) {
            if (i % 256 == 0 && control.cancelled()) throw Cancelled();
            // The walk: from a left node by a random edge that is not its own in this matching,
            // from a right node to who holds it. Choosing an edge overwrites what an earlier visit
            // chose, which erases the loops of the walk.
            std::uint32_t start = order[i], now = start;
            std::int32_t given_up = -1;
            for (;;) {
                std::uint32_t choice;
                do {
                    choice = random.below(free);
                } while (given_up >= 0 && edges[places[now * degree + choice]] == given_up);
                tried[now] = choice;
                const std::int32_t right = edges[places[now * degree + choice]];
                const std::int32_t holder = left_of[static_cast<std::size_t>(right)];
                if (holder < 0) break;
                given_up = right;
                now = static_cast<std::uint32_t>(holder);
            }
            // Along what is left of the walk, everyone takes the right node chosen last.
            for (now = start;;) {
                chosen[now] = tried[now];
                const std::int32_t right = edges[places[now * degree + chosen[now]]];
                const std::int32_t holder = std::exchange(left_of[static_cast<std::size_t>(right)],
                                                          static_cast<std::int32_t>(now));
                if (holder < 0) break;
                now = static_cast<std::uint32_t>(holder);
            }
        }
        for (std::size_t left = 0; left < nodes; ++left) {
            const std::size_t first = left * degree;
            matching[places[first + chosen[left]]] = round;
            std::swap(places[first + chosen[left]], places[first + free - 1]);
        }
    }
    return matching;
}

}  // namespace shoal
