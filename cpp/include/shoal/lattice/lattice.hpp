// Full-domain generalization: one level for each attribute, judged by the classes it makes.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "shoal/common/control.hpp"
#include "shoal/common/models.hpp"

namespace shoal {

// One attribute: what each of its codes looks like on every level, and what that costs a record.
struct Ladder {
    std::vector<std::uint32_t> codes;  // of each row
    std::uint32_t code_count = 0;
    std::vector<std::vector<std::uint32_t>>
        look;                                     // [level][code]; equal looks cannot be told apart
    std::vector<std::vector<std::int64_t>> cost;  // [level][code] of one record
    std::vector<std::vector<char>> silent;        // [level][code]: may read as suppressed

    int levels() const { return static_cast<int>(look.size()); }
};

enum class LatticeLoss {
    level,           // costs of all records, suppressed or not
    cost,            // costs of the records kept, and a fixed cost for each suppressed one
    discernibility,  // squared class sizes, and n for each suppressed record
    unmeasured       // nodes are sound or not, and that is all
};

// Integer costs make every sum exact: losses do not depend on the order in which records are
// met, and a lower bound compares with them without a tolerance.
struct LatticeProblem {
    std::vector<Ladder> ladders;
    std::vector<std::int32_t> counts;  // records of each row
    std::int64_t k = 2;
    std::int64_t limit = 0;  // records that may be suppressed
    LatticeLoss loss = LatticeLoss::level;
    std::int64_t suppressed_cost = 0;
    Models models;
    // For each model whether it may be inferred: a node above one that meets it meets it too.
    std::vector<char> inferable;

    std::size_t rows() const { return counts.size(); }
    std::int64_t records() const {
        std::int64_t sum = 0;
        for (const std::int32_t count : counts) sum += count;
        return sum;
    }
    bool infers_all() const {
        for (const char each : inferable) {
            if (!each) return false;
        }
        return true;
    }
};

using Level = std::uint8_t;
using Levels = std::vector<Level>;
// A level beyond the last: the attribute is left out, as if it were not there.
inline constexpr Level absent_level = 255;
inline constexpr int most_levels = 250;

struct Judgement {
    std::int64_t suppressed = 0;  // records in classes that are too small or break a model
    std::int64_t loss = std::numeric_limits<std::int64_t>::max();  // only if sound
    std::int64_t floor = 0;    // no node at or above this one loses less
    std::int64_t classes = 0;  // that are kept
    bool base = false;         // what can be inferred holds: k and the inferable models
    bool sound = false;        // everything holds
};

// The best sound node that was met.
struct LatticeAnswer {
    Levels node;  // empty if none was met
    std::int64_t loss = std::numeric_limits<std::int64_t>::max();
    std::int64_t checks = 0;            // nodes whose classes were counted
    bool complete = true;               // false if the budget ended the search
    std::vector<std::int64_t> holding;  // without a measure: nodes that are not known to fail
};

struct LatticeBudget {
    double seconds = std::numeric_limits<double>::infinity();
    std::int64_t checks = std::numeric_limits<std::int64_t>::max();
};

// Judges nodes. Groups of a finer node are folded further instead of the rows themselves, and
// tables of groups are kept for that; every result is the same whatever was kept.
class NodeJudge {
  public:
    virtual ~NodeJudge() = default;

    const LatticeProblem& problem() const { return *problem_; }
    // What all records together cost at these levels: no node at or above them loses less.
    std::int64_t floor(std::span<const Level> node) const;
    int threads() const { return threads_; }

    // Judges all nodes, on as many threads as there are workers. Throws Cancelled.
    virtual void judge(std::span<const Levels> nodes, std::span<Judgement> found,
                       Control& control) = 0;
    // Judges every node of the lattice, each folded from one that is a step below it.
    virtual LatticeAnswer exhaust(const LatticeBudget& budget, Control& control) = 0;

  protected:
    NodeJudge(const LatticeProblem& problem, int threads);

    const LatticeProblem* problem_;
    int threads_;
    std::vector<std::vector<std::int64_t>> column_cost_;  // [attribute][level] of all records
    std::int64_t records_ = 0;
};

// Keys of looks are packed into 64 bits where they fit; beyond, each is a sum of 128 random bits a
// look, whose chance of uniting two classes is below 2^-100. The answer is classified anew.
std::unique_ptr<NodeJudge> make_judge(const LatticeProblem& problem, int threads);

}  // namespace shoal
