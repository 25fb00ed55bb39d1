// Sequential clustering (Goldberger & Tassa): records move one by one to the class they suit best.
#pragma once

#include <cstdint>

#include "shoal/common/control.hpp"
#include "shoal/common/models.hpp"
#include "shoal/common/objective.hpp"
#include "shoal/common/partition.hpp"

namespace shoal {

struct Sequence {
    std::int64_t k = 2;
    std::int64_t start_size = 1;  // records of a class at the start
    std::int64_t most = 3;        // a larger class is split
    std::int32_t restarts = 1;
    bool polish = true;  // passes go on after uniting, every class kept at k records or more
    std::uint64_t seed = 0;
    int threads = 1;          // the result does not depend on it
    std::int64_t steps = -1;  // visits to records in each start, -1: until no record moves
    double seconds = -1.0;    // wall time for moving, -1: no limit
    bool remember = true;     // looks of the last pass; the result does not depend on it
    bool permute = false;     // which classes get a value's odd records is drawn value by value
};

struct Sequenced {
    Partition partition;
    double total = 0.0;           // n times the measure
    std::int64_t steps = 0;       // visits to records in the start that won
    std::int64_t start_size = 0;  // as it was enlarged so that the models hold
};

// Classes of a random start exchange single records until no move lowers the total loss (or the
// budget is spent); a class of one record dissolves, a class above `most` is split at random after
// each pass; small classes are united agglomeratively at the end. Polishing is not in the paper.
//
// Models are kept by every move and split; the start and splits spread protected values evenly
// (Algorithm 3), and the start's classes are enlarged until they meet every model. But keeping
// `distinct` pins down the few records that provide a value, so it is met later: once passes have
// ended, classes that break it give their records to the others, and passes go on with all models
// and sizes kept. One that asks for k or more values (persons) is left to the uniting at the end,
// like the size itself.
Sequenced sequential(const Objective& objective, const Models& models, const Sequence& sequence,
                     Control& control);

}  // namespace shoal
