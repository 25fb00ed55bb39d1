// Objectives, models and starts that tests of the refinement share, and what is said of its
// results.
#pragma once

#include <cstdint>
#include <vector>

#include "harness.hpp"
#include "shoal/common/models.hpp"
#include "shoal/common/objective.hpp"
#include "shoal/common/partition.hpp"

namespace harness {

bool near(double a, double b);

std::vector<std::int32_t> all_rows(const shoal::Records& records);

// gcp, MI, PMI and a mixture of both.
shoal::Objective make_objective(const shoal::Records& records, std::uint32_t which, Random& random);

// Two values in each class, of some entropy.
shoal::Models make_models(const shoal::Records& records, Random& random);

// Every eighth record asks for a class of `most` records.
shoal::Models make_personal_sizes(const shoal::Records& records, Random& random, double most);

// A start that surely holds: consecutive rows until k records and every model are met.
shoal::Partition make_start(const shoal::Records& records, const shoal::Models& models,
                            std::int64_t k);

double recomputed(const shoal::Objective& objective, const shoal::Partition& partition);

bool all_hold(const shoal::Models& models, const shoal::Partition& partition);

}  // namespace harness
