// The inner loops over classes side by side.
#pragma once

#include <cstddef>
#include <cstdint>

namespace shoal::loops {

void count_matches(const std::uint8_t* value, std::uint8_t code, std::uint8_t* matches,
                   std::size_t size);
void count_matches(const std::uint8_t* const* value, const std::uint8_t* code,
                   std::uint8_t* matches, std::size_t size);
void add_unmatched(const std::uint8_t* matches, float weight, std::uint8_t all, float* sum,
                   std::size_t size);
void add_unless_equal(const std::int32_t* ancestor, std::int32_t node, float loss, float* sum,
                      std::size_t size);
void add_unless_held(const std::uint32_t* words, std::uint32_t bit, float loss, float* sum,
                     std::size_t size);
// Four sets at once, so that sums are loaded and stored less often.
void add_unless_held(const std::uint32_t* const* words, const std::uint32_t* bit, const float* loss,
                     float* sum, std::size_t size);
// The bits that the class lacks, each at the price of a step.
void add_new_bits(const std::uint32_t* words, std::uint32_t bits, float step, float* sum,
                  std::size_t size);
void add_widths(const float* low, const float* high, float first, float last, float weight,
                float* sum, std::size_t size);
// From the loss of each closure with the guest to the change of both totals.
void to_changes(const float* records, const float* loss, float constant, float guest_records,
                float guest_loss, const float* preference, float* sum, std::size_t size);
// The same after add_unmatched, in one go.
void to_changes(const std::uint8_t* matches, float weight, std::uint8_t all, const float* records,
                const float* loss, float constant, float guest_records, float guest_loss,
                const float* preference, float* sum, std::size_t size);
void add_if_equal(const std::uint8_t* value, std::uint8_t code, float cost, const float* gap,
                  float* sum, std::size_t size);
std::int32_t least_ordered(const float* change, std::size_t size);
// The least number among entries of this value.
std::int32_t least_number(const float* change, float value, const std::int32_t* number,
                          std::size_t size);

}  // namespace shoal::loops
