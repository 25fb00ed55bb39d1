// How much the loss of a hull grows with each row of the table: one pass over every column.
#include <algorithm>

#include "common/clones.hpp"
#include "shoal/cover/cover_loss.hpp"

namespace shoal {

namespace {

SHOAL_CLONED(void, add_widths,
             (const std::int32_t* position, std::int32_t low, std::int32_t high, std::int32_t limit,
              std::int32_t* sum, std::size_t size),
             (position, low, high, limit, sum, size)) {
    for (std::size_t r = 0; r < size; ++r) {
        const std::int32_t top = position[r] > high ? position[r] : high;
        const std::int32_t bottom = position[r] < low ? position[r] : low;
        const std::int32_t width = top - bottom;
        sum[r] += width < limit ? width : limit;
    }
}

SHOAL_CLONED(void, add_outside,
             (const std::uint32_t* bits, std::uint32_t lacking, std::int32_t cost,
              std::int32_t* sum, std::size_t size),
             (bits, lacking, cost, sum, size)) {
    for (std::size_t r = 0; r < size; ++r) sum[r] += bits[r] & lacking ? cost : 0;
}

SHOAL_CLONED(void, add_outside,
             (const std::uint32_t* bits, std::uint32_t lacking, const std::uint32_t* more,
              std::uint32_t more_lacking, std::int32_t cost, std::int32_t* sum, std::size_t size),
             (bits, lacking, more, more_lacking, cost, sum, size)) {
    for (std::size_t r = 0; r < size; ++r) {
        sum[r] += (bits[r] & lacking) | (more[r] & more_lacking) ? cost : 0;
    }
}

SHOAL_CLONED(void, add_unequal,
             (const std::int32_t* code, std::int32_t held, std::int32_t cost, std::int32_t* sum,
              std::size_t size),
             (code, held, cost, sum, size)) {
    for (std::size_t r = 0; r < size; ++r) sum[r] += code[r] == held ? 0 : cost;
}

}  // namespace

// The loss of the lowest common ancestor of the part and each code: from the root down, the codes
// below each node around the part get its loss.
void CoverLoss::tree_table(const Attribute& attribute, const HullPart& part,
                           std::vector<std::int32_t>& table) const {
    const Tree& tree = attribute.source->tree;
    const std::uint32_t codes = attribute.code_count;
    table.resize(codes);
    for (std::uint32_t level = tree.levels; level-- > 0;) {
        const auto node = static_cast<std::size_t>(
            tree.above(level, static_cast<std::uint32_t>(part.low), codes));
        if (tree.node_last[node] < part.high) break;
        std::fill(table.begin() + tree.node_first[node], table.begin() + tree.node_last[node] + 1,
                  attribute.node_loss[node]);
    }
}

void CoverLoss::growths(const HullPart* hull, std::span<const std::int32_t> members,
                        std::int32_t* growth) const {
    constexpr std::size_t block = 1024;
    std::int32_t base = 0;
    std::vector<std::vector<std::int32_t>> tables;
    for (std::size_t j = 0; j < attributes_.size(); ++j) {
        const Way way = attributes_[j].way;
        if (way == Way::interval || way == Way::tree) base -= hull[j].loss;
        if (way == Way::tree) tree_table(attributes_[j], hull[j], tables.emplace_back());
        if (way == Way::listed) {
            base +=
                std::min(attributes_[j].limit, hull[j].count * attributes_[j].step) - hull[j].loss;
        }
    }
    for (std::size_t begin = 0; begin < rows_; begin += block) {
        const std::size_t size = std::min(block, rows_ - begin);
        std::int32_t* sum = growth + begin;
        std::fill(sum, sum + size, base);
        std::size_t trees = 0;
        for (std::size_t j = 0; j < attributes_.size(); ++j) {
            const Attribute& attribute = attributes_[j];
            const HullPart& part = hull[j];
            switch (attribute.way) {
                case Way::interval:
                    add_widths(attribute.value.data() + begin, part.low, part.high, attribute.limit,
                               sum, size);
                    break;
                case Way::bits: {
                    const std::int32_t cost =
                        std::min(attribute.limit, part.count * attribute.step) - part.loss;
                    if (cost == 0) break;
                    std::uint32_t lacking[4];
                    for (std::size_t w = 0; w < 4; ++w) {
                        lacking[w] = ~static_cast<std::uint32_t>(part.mask[w / 2] >> (w % 2 * 32));
                    }
                    for (std::size_t w = 0; w < attribute.words.size(); w += 2) {
                        const std::uint32_t* bits = attribute.words[w].data() + begin;
                        if (w + 1 == attribute.words.size()) {
                            add_outside(bits, lacking[w], cost, sum, size);
                        } else {
                            add_outside(bits, lacking[w], attribute.words[w + 1].data() + begin,
                                        lacking[w + 1], cost, sum, size);
                        }
                    }
                    break;
                }
                case Way::listed:
                    break;
                case Way::tree: {
                    const std::int32_t* table = tables[trees++].data();
                    const std::int32_t* code = attribute.value.data() + begin;
                    for (std::size_t r = 0; r < size; ++r) sum[r] += table[code[r]];
                    break;
                }
                case Way::same:
                    if (part.high == part.low) {
                        add_unequal(attribute.value.data() + begin, part.low, attribute.limit, sum,
                                    size);
                    }
            }
        }
    }
    for (std::size_t j = 0; j < attributes_.size(); ++j) {
        const Attribute& attribute = attributes_[j];
        if (attribute.way != Way::listed) continue;
        const std::int32_t cost =
            std::min(attribute.limit, hull[j].count * attribute.step) - hull[j].loss;
        for (std::size_t m = 0; cost != 0 && m < members.size(); ++m) {
            const std::int32_t code = attribute.value[static_cast<std::size_t>(members[m])];
            if (listed_holds(attribute, members.first(m), code)) continue;
            const auto last = attribute.first_row_of[static_cast<std::size_t>(code) + 1];
            for (auto r = attribute.first_row_of[static_cast<std::size_t>(code)]; r < last; ++r) {
                growth[attribute.rows_by_code[static_cast<std::size_t>(r)]] -= cost;
            }
        }
    }
}

}  // namespace shoal
