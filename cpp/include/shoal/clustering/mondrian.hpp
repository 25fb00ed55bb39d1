// Mondrian: top-down cuts at the median of the widest attribute.
#pragma once

#include <cstdint>

#include "shoal/common/control.hpp"
#include "shoal/common/models.hpp"
#include "shoal/common/objective.hpp"
#include "shoal/common/partition.hpp"
#include "shoal/common/records.hpp"

namespace shoal {

struct Cutting {
    std::int64_t k = 2;
    bool strict = true;  // equal values stay together
    int threads = 1;     // the result does not depend on it
    bool keep = true;    // no cut breaks a model; otherwise such cuts are the last resort
};

// The attribute of greatest weighted loss in the current closure is cut where its two sides are
// most equal, the next widest if a side would have fewer than k records. Trees are cut between
// children of the lowest common ancestor. Relaxed cutting goes on where no attribute has an
// allowable cut between values: the widest one is halved, and the records that share the median are
// divided, in row order. So it never loses more than strict cutting. Classes are numbered from low
// to high codes.
Partition mondrian(const Records& records, const Cutting& cutting, Control& control);

// The same, with models, and with attributes in the order of what their most equal cut saves if the
// objective counts information. A cut should leave every model met on both sides: of each attribute
// up to `cut_tries` boundaries are tried, the most equal sides first, and then the next attribute;
// relaxed cutting halves the widest attribute whose halves meet them. Where no cut does, the node
// stays whole if models are to be kept; otherwise it is cut as if there were none, so that classes
// may need repair, and nodes of more than 8 k records do not ask.
constexpr std::size_t cut_tries = 16;
Partition mondrian(const Objective& objective, const Models& models, const Cutting& cutting,
                   Control& control);

}  // namespace shoal
