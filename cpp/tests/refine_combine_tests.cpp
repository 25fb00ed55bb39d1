#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "harness.hpp"
#include "refine/refine_combine.hpp"

namespace {

// Records of rows in a group go to classes of the group at random, each class with a made-up loss.
shoal::Pieces draw_pieces(const std::vector<std::vector<shoal::Piece>>& groups,
                          harness::Random& random) {
    shoal::Pieces pieces;
    for (const auto& group : groups) {
        std::vector<std::vector<shoal::Piece>> classes(1 + random.below(3));
        for (const shoal::Piece& piece : group) {
            const std::int32_t some =
                static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(piece.count)));
            for (const std::int32_t count : {some, piece.count - some}) {
                auto& chosen = classes[random.below(static_cast<std::uint32_t>(classes.size()))];
                if (count > 0) chosen.push_back({piece.row, count});
            }
        }
        for (const auto& each : classes) {
            if (each.empty()) continue;
            pieces.all.insert(pieces.all.end(), each.begin(), each.end());
            pieces.close(random.below(100));
        }
    }
    return pieces;
}

double sum_of(const std::vector<double>& losses) {
    return std::accumulate(losses.begin(), losses.end(), 0.0);
}

std::vector<std::int64_t> records_of(const shoal::Pieces& pieces, std::size_t rows) {
    std::vector<std::int64_t> records(rows, 0);
    for (const auto& piece : pieces.all)
        records[static_cast<std::size_t>(piece.row)] += piece.count;
    return records;
}

// The least loss of a choice part by part: labels of rows that share a class spread until they
// stand still, and every part takes what is cheaper there.
double least_by_parts(const shoal::Pieces& first, const shoal::Pieces& second, std::size_t rows) {
    std::vector<std::size_t> label(rows);
    std::iota(label.begin(), label.end(), std::size_t{0});
    for (bool changed = true; changed;) {
        changed = false;
        for (const auto* pieces : {&first, &second}) {
            for (std::size_t c = 0; c < pieces->classes(); ++c) {
                std::size_t least = rows;
                for (const auto& piece : pieces->of(c)) {
                    least = std::min(least, label[static_cast<std::size_t>(piece.row)]);
                }
                for (const auto& piece : pieces->of(c)) {
                    auto& own = label[static_cast<std::size_t>(piece.row)];
                    changed = changed || own != least;
                    own = least;
                }
            }
        }
    }
    std::vector<double> one(rows, 0.0), other(rows, 0.0);
    for (std::size_t c = 0; c < first.classes(); ++c) {
        one[label[static_cast<std::size_t>(first.of(c)[0].row)]] += first.losses[c];
    }
    for (std::size_t c = 0; c < second.classes(); ++c) {
        other[label[static_cast<std::size_t>(second.of(c)[0].row)]] += second.losses[c];
    }
    double sum = 0.0;
    for (std::size_t i = 0; i < rows; ++i) sum += std::min(one[i], other[i]);
    return sum;
}

}  // namespace

TEST_CASE("two partitions combine to the best of every part") {
    harness::Random random(77);
    for (int round = 0; round < 200; ++round) {
        std::vector<std::vector<shoal::Piece>> groups(1 + random.below(8));
        std::int32_t rows = 0;
        for (auto& group : groups) {
            for (std::uint32_t i = 0; i <= random.below(6); ++i) {
                group.push_back({rows++, 1 + static_cast<std::int32_t>(random.below(4))});
            }
        }
        const auto first = draw_pieces(groups, random), second = draw_pieces(groups, random);
        const auto best = shoal::combine(first, second, static_cast<std::size_t>(rows), {});
        CHECK(sum_of(best.losses) == least_by_parts(first, second, static_cast<std::size_t>(rows)));
        CHECK(records_of(best, static_cast<std::size_t>(rows)) ==
              records_of(first, static_cast<std::size_t>(rows)));
    }
}
