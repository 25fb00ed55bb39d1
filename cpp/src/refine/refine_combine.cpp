#include "refine/refine_combine.hpp"

#include <cstdint>
#include <numeric>
#include <vector>

#include "common/scalars.hpp"

namespace shoal {

namespace {

// Sets that merge, each known by one of its members.
class Sets {
  public:
    explicit Sets(std::size_t count) : parent_(count) {
        std::iota(parent_.begin(), parent_.end(), std::int32_t{0});
    }
    std::int32_t find(std::int32_t member) {
        while (parent_[at(member)] != member) {
            parent_[at(member)] = parent_[at(parent_[at(member)])];
            member = parent_[at(member)];
        }
        return member;
    }
    void join(std::int32_t a, std::int32_t b) { parent_[at(find(a))] = find(b); }

  private:
    std::vector<std::int32_t> parent_;
};

}  // namespace

Pieces combine(const Pieces& first, const Pieces& second, std::size_t rows,
               const Control& control) {
    Poll poll(control, Poll::Heed::cancellation);
    const std::size_t count = first.classes() + second.classes();
    Sets sets(count);
    // Whatever holds records of the same row belongs together.
    std::vector<std::int32_t> holder(rows, -1);
    const auto join_all = [&](const Pieces& pieces, std::size_t offset) {
        for (std::size_t c = 0; c < pieces.classes(); ++c) {
            for (const Piece& piece : pieces.of(c)) {
                poll();
                std::int32_t& held = holder[static_cast<std::size_t>(piece.row)];
                const auto number = static_cast<std::int32_t>(offset + c);
                if (held < 0) {
                    held = number;
                } else {
                    sets.join(held, number);
                }
            }
        }
    };
    join_all(first, 0);
    join_all(second, first.classes());
    std::vector<double> ahead(count, 0.0);  // of each set: what the first loses beyond the second
    for (std::size_t c = 0; c < count; ++c) {
        poll();
        const auto set = static_cast<std::size_t>(sets.find(static_cast<std::int32_t>(c)));
        ahead[set] += c < first.classes() ? first.losses[c] : -second.losses[c - first.classes()];
    }
    Pieces best;
    best.all.reserve(first.all.size());
    const auto take = [&](const Pieces& pieces, std::size_t offset, bool is_second) {
        for (std::size_t c = 0; c < pieces.classes(); ++c) {
            poll();
            const auto set = sets.find(static_cast<std::int32_t>(offset + c));
            if ((ahead[static_cast<std::size_t>(set)] > 0) == is_second) best.append(pieces, c);
        }
    };
    take(first, 0, false);
    take(second, first.classes(), true);
    return best;
}

}  // namespace shoal
