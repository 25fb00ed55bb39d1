// Small classes united, the two closest first.
#pragma once

#include <cstdint>
#include <vector>

#include "shoal/common/class_state.hpp"
#include "shoal/common/control.hpp"
#include "shoal/common/models.hpp"

namespace shoal {

// Classes with their histograms; both vectors are equally long. Empty classes are passed over.
struct Classes {
    std::vector<ClassState> states;
    std::vector<ClassHistogram> histograms;
};

// A class is small while it has fewer than k records or breaks a model. The two small classes
// whose union adds least to the total loss are united until at most one is left, and that one
// joins the class where it adds least. Returns for each class the one it has become part of.
// O(s²) distances for s small classes, O(s) memory.
std::vector<std::int32_t> merge_small(const Objective& objective, const Models& models,
                                      std::int64_t k, Classes& classes, Control& control);

}  // namespace shoal
