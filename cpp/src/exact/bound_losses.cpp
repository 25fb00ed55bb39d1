#include "exact/bound_losses.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace shoal::bounding {

Grid::Grid(const Records& records, std::int64_t largest_class)
    : width(records.attributes.size()), counts(records.counts), total(records.total) {
    // Forty bits behind the point, fewer where classes are so large that a cost would not fit.
    const auto size_bits =
        static_cast<int>(std::bit_width(static_cast<std::uint64_t>(largest_class)));
    int exponent = 0;
    std::frexp(std::max(records.weight_sum(), 1e-300), &exponent);
    const int bits = std::min(40, 58 - size_bits) - exponent;
    unit = std::ldexp(1.0, -bits);
    // One unit covers the rounding of a product, whose error is far below a unit.
    const auto down = [bits](double value) {
        return std::max<Units>(0, static_cast<Units>(std::floor(std::ldexp(value, bits))) - 1);
    };
    for (const Attribute& source : records.attributes) {
        GridAttribute made;
        made.kind = source.kind;
        made.source = &source;
        made.code_count = source.code_count;
        made.whole = down(source.weight);
        made.step = down(source.weight * source.step);
        // Gap by gap, so that the sum of any gaps is at most the distance they make up. Nothing
        // loses more than everything, so wider gaps need not fit.
        for (std::size_t code = 0; code < source.positions.size(); ++code) {
            const double gap =
                code == 0 ? 0.0 : source.positions[code] - source.positions[code - 1];
            const Units before = code == 0 ? 0 : made.positions.back();
            const Units room = (Units{1} << 60) - before;
            made.positions.push_back(before +
                                     std::min(room, down(source.weight * std::min(gap, 2.0))));
        }
        for (const double loss : source.tree.node_loss) {
            made.node_loss.push_back(down(source.weight * loss));
        }
        whole += made.whole;
        attributes.push_back(std::move(made));
    }
    codes_.resize(rows() * width);
    for (std::size_t j = 0; j < width; ++j) {
        for (std::size_t row = 0; row < rows(); ++row) {
            codes_[row * width + j] = records.attributes[j].code(row);
        }
    }
}

Units GridAttribute::of(std::vector<std::uint32_t>& codes) const {
    std::sort(codes.begin(), codes.end());
    if (kind != Kind::set) return pair(codes.front(), codes.back());
    const auto end = std::unique(codes.begin(), codes.end());
    return set(static_cast<std::uint32_t>(end - codes.begin()));
}

Units Grid::pair(std::size_t a, std::size_t b) const {
    const std::uint32_t* mine = codes(a);
    const std::uint32_t* theirs = codes(b);
    Units loss = 0;
    for (std::size_t j = 0; j < width; ++j) loss += attributes[j].pair(mine[j], theirs[j]);
    return loss;
}

Units Grid::of(std::span<const std::int32_t> class_rows) const {
    Units sum = 0;
    std::vector<std::uint32_t> held;
    for (std::size_t j = 0; j < width; ++j) {
        held.clear();
        for (const std::int32_t row : class_rows) {
            held.push_back(codes(static_cast<std::size_t>(row))[j]);
        }
        sum += attributes[j].of(held);
    }
    return sum;
}

}  // namespace shoal::bounding
