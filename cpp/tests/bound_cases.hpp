// Classes of a few records, counted out, and what they lose: for tests of bounds.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "exact/bound_losses.hpp"
#include "harness.hpp"
#include "shoal/common/partition.hpp"
#include "shoal/common/records.hpp"

namespace harness {

// Every class of k to `most` records, as counts of each row.
void for_each_class_up_to(std::int64_t most, const shoal::Records& records, std::int64_t k,
                          const std::function<void(const std::vector<std::int32_t>&)>& visit);

// Those that cannot be cut into smaller ones.
void for_each_class(const shoal::Records& records, std::int64_t k,
                    const std::function<void(const std::vector<std::int32_t>&)>& visit);

std::int64_t different_values(const std::vector<std::int32_t>& counts,
                              const std::vector<std::int32_t>& values);

// Two to five different values, for each row one.
std::vector<std::int32_t> random_values(Random& random, std::size_t rows);

// Of a class, as the search for bounds counts it.
shoal::bounding::Units loss_on_grid(const shoal::bounding::Grid& grid,
                                    const std::vector<std::int32_t>& counts);

double true_loss(const shoal::Records& records, const std::vector<std::int32_t>& counts);

shoal::Partition one_class(const shoal::Records& records);

}  // namespace harness
