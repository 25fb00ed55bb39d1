#include "scan/class_column_loops.hpp"

#include <bit>
#include <limits>

#include "common/clones.hpp"

namespace shoal::loops {

// Elementwise sums in fixed order: every instruction set gives the same bits.

SHOAL_CLONED(void, count_matches,
             (const std::uint8_t* value, std::uint8_t code, std::uint8_t* matches,
              std::size_t size),
             (value, code, matches, size)) {
    for (std::size_t c = 0; c < size; ++c) {
        matches[c] = static_cast<std::uint8_t>(matches[c] + (value[c] == code));
    }
}

SHOAL_CLONED(void, count_matches,
             (const std::uint8_t* const* value, const std::uint8_t* code, std::uint8_t* matches,
              std::size_t size),
             (value, code, matches, size)) {
    const std::uint8_t *a = value[0], *b = value[1], *c = value[2], *d = value[3];
    const std::uint8_t first = code[0], second = code[1], third = code[2], fourth = code[3];
    for (std::size_t i = 0; i < size; ++i) {
        matches[i] = static_cast<std::uint8_t>(matches[i] + (a[i] == first) + (b[i] == second) +
                                               (c[i] == third) + (d[i] == fourth));
    }
}

SHOAL_CLONED(void, add_unmatched,
             (const std::uint8_t* matches, float weight, std::uint8_t all, float* sum,
              std::size_t size),
             (matches, weight, all, sum, size)) {
    for (std::size_t c = 0; c < size; ++c) {
        sum[c] += weight * static_cast<float>(all - matches[c]);
    }
}

SHOAL_CLONED(void, add_unless_equal,
             (const std::int32_t* ancestor, std::int32_t node, float loss, float* sum,
              std::size_t size),
             (ancestor, node, loss, sum, size)) {
    for (std::size_t c = 0; c < size; ++c) sum[c] += ancestor[c] == node ? 0.0f : loss;
}

SHOAL_CLONED(void, add_unless_held,
             (const std::uint32_t* words, std::uint32_t bit, float loss, float* sum,
              std::size_t size),
             (words, bit, loss, sum, size)) {
    for (std::size_t c = 0; c < size; ++c) sum[c] += words[c] & bit ? 0.0f : loss;
}

SHOAL_CLONED(void, add_unless_held,
             (const std::uint32_t* const* words, const std::uint32_t* bit, const float* loss,
              float* sum, std::size_t size),
             (words, bit, loss, sum, size)) {
    const std::uint32_t *a = words[0], *b = words[1], *c = words[2], *d = words[3];
    const std::uint32_t p = bit[0], q = bit[1], r = bit[2], s = bit[3];
    const float first = loss[0], second = loss[1], third = loss[2], fourth = loss[3];
    for (std::size_t i = 0; i < size; ++i) {
        const float left = (a[i] & p ? 0.0f : first) + (b[i] & q ? 0.0f : second);
        const float right = (c[i] & r ? 0.0f : third) + (d[i] & s ? 0.0f : fourth);
        sum[i] += left + right;
    }
}

// The bits that the class lacks, each at the price of a step.
SHOAL_CLONED(void, add_new_bits,
             (const std::uint32_t* words, std::uint32_t bits, float step, float* sum,
              std::size_t size),
             (words, bits, step, sum, size)) {
    for (std::size_t c = 0; c < size; ++c) {
        std::uint32_t fresh = bits & ~words[c];
        fresh -= (fresh >> 1) & 0x55555555u;
        fresh = (fresh & 0x33333333u) + ((fresh >> 2) & 0x33333333u);
        fresh = (fresh + (fresh >> 4)) & 0x0f0f0f0fu;
        fresh += fresh >> 8;
        fresh += fresh >> 16;
        sum[c] += step * static_cast<float>(static_cast<std::int32_t>(fresh & 63u));
    }
}

SHOAL_CLONED(void, add_widths,
             (const float* low, const float* high, float first, float last, float weight,
              float* sum, std::size_t size),
             (low, high, first, last, weight, sum, size)) {
    for (std::size_t c = 0; c < size; ++c) {
        const float top = high[c] > last ? high[c] : last;
        const float bottom = low[c] < first ? low[c] : first;
        const float width = top - bottom;
        sum[c] += weight * (width < 1.0f ? width : 1.0f);
    }
}

// From the loss of each closure with the guest to the change of both totals.
SHOAL_CLONED(void, to_changes,
             (const float* records, const float* loss, float constant, float guest_records,
              float guest_loss, const float* preference, float* sum, std::size_t size),
             (records, loss, constant, guest_records, guest_loss, preference, sum, size)) {
    for (std::size_t c = 0; c < size; ++c) {
        const float after = sum[c] + constant;
        sum[c] =
            records[c] * (after - loss[c]) + guest_records * (after - guest_loss) - preference[c];
    }
}

SHOAL_CLONED(void, to_changes,
             (const std::uint8_t* matches, float weight, std::uint8_t all, const float* records,
              const float* loss, float constant, float guest_records, float guest_loss,
              const float* preference, float* sum, std::size_t size),
             (matches, weight, all, records, loss, constant, guest_records, guest_loss, preference,
              sum, size)) {
    for (std::size_t c = 0; c < size; ++c) {
        const float after = sum[c] + weight * static_cast<float>(all - matches[c]) + constant;
        sum[c] =
            records[c] * (after - loss[c]) + guest_records * (after - guest_loss) - preference[c];
    }
}

SHOAL_CLONED(void, add_if_equal,
             (const std::uint8_t* value, std::uint8_t code, float cost, const float* gap,
              float* sum, std::size_t size),
             (value, code, cost, gap, sum, size)) {
    for (std::size_t c = 0; c < size; ++c) sum[c] += value[c] == code ? cost - gap[c] : 0.0f;
}

SHOAL_CLONED(std::int32_t, least_ordered, (const float* change, std::size_t size), (change, size)) {
    std::int32_t found = std::numeric_limits<std::int32_t>::max();
    for (std::size_t c = 0; c < size; ++c) {
        const auto bits = std::bit_cast<std::int32_t>(change[c]);
        const std::int32_t value = bits ^ ((bits >> 31) & 0x7fffffff);
        found = value < found ? value : found;
    }
    return found;
}

SHOAL_CLONED(std::int32_t, least_number,
             (const float* change, float value, const std::int32_t* number, std::size_t size),
             (change, value, number, size)) {
    std::int32_t found = std::numeric_limits<std::int32_t>::max();
    for (std::size_t i = 0; i < size; ++i) {
        const std::int32_t each =
            change[i] == value ? number[i] : std::numeric_limits<std::int32_t>::max();
        found = each < found ? each : found;
    }
    return found;
}

}  // namespace shoal::loops
