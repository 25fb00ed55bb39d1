// The classes of one start of sequential clustering, while single records move between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "clustering/merge_small.hpp"
#include "common/admission.hpp"
#include "scan/changed_classes.hpp"
#include "scan/class_columns.hpp"
#include "shoal/common/control.hpp"
#include "shoal/common/models.hpp"
#include "shoal/common/objective.hpp"
#include "shoal/common/partition.hpp"

namespace shoal {

// A move must lower the total loss by this share of one record's: what single precision can tell.
inline constexpr double least_gain = 1e-4;

// A unit is one record; units of equal records are neighbours.
//
// Looking for a record's best class among all of them is what takes the time, and after two or
// three passes few classes change. So each unit remembers what it found: in the next pass it looks
// only at classes that have changed since the pass before began, and at all of them only if that
// leaves the answer open. The choice is the same as without memory.
class MovingClasses {
  public:
    MovingClasses(const Objective& objective, std::int64_t k, bool remember);

    std::size_t units() const { return row_.size(); }
    std::size_t count() const { return classes_.states.size(); }  // empty classes too
    std::size_t row(std::size_t unit) const { return static_cast<std::size_t>(row_[unit]); }
    std::size_t class_of(std::size_t unit) const { return static_cast<std::size_t>(class_[unit]); }
    std::int64_t size(std::size_t c) const { return classes_.states[c].size(); }
    double total() const;

    // Models that every move and split keeps from now on, and whether a class meets them.
    void keep(std::vector<Model> models);
    const Models& kept() const { return kept_; }
    bool holds(std::size_t c) const { return classes_.histograms[c].holds(kept_); }
    // Equal for rows with equal protected values; 0 without models.
    std::int32_t signature(std::size_t row) const {
        return admission_.empty() ? 0 : admission_.signature(row);
    }

    void clear(std::size_t classes);              // empty ones, all units without a class
    void place(std::size_t unit, std::size_t c);  // a unit without a class
    void show_all();                              // after placing: lets scans see the classes
    void hide(std::size_t c);                     // scans pass over it until it changes

    void begin_pass();
    void end_pass() { changed_classes_.close(); }
    void forget_looks() { pass_ += 2; }

    // What the unit's class gains by its leaving, less the record's constant; minus infinity if
    // that breaks a model.
    double gain(std::size_t unit);
    // The class of least change below `gain` that may take the unit, -1: none.
    std::int32_t choose(std::size_t unit, double gain);
    std::int32_t choose_among_all(std::size_t unit, double gain);
    void move(std::size_t unit, std::size_t to);

    // Makes a new class of the units with side 1, if both sides keep the models.
    void split(std::size_t c, std::span<const std::int32_t> units,
               std::span<const std::int32_t> side);
    // Drops empty classes once they are many, so that scans do not pass over them.
    void compact();
    // Unites classes below k or that break one of `models`.
    void unite(const Models& models, Control& control);
    void fill(Partition& partition) const;

  private:
    // What a unit found when it looked last.
    struct Look {
        float bound = 0.0f;       // no class that could take it and has not changed costs less
        std::int32_t best = -1;   // one that costs just that, the first; -1: not known
        std::int32_t pass = -10;  // when
    };
    // Least change, and the first class of it if that is known.
    struct Least {
        float change;
        std::int32_t where;
    };

    void show(std::size_t c);
    float preference(std::size_t c) const;
    Least least_of(std::size_t row, std::span<float> change, std::span<const std::int32_t> ids,
                   double limit);
    bool better(std::size_t row, const Least& least, double gain) const;
    std::int32_t take(std::size_t unit, const Least& least, double gain);
    void count_protected(const Models& models);

    const Objective& objective_;
    std::int64_t k_;
    bool remember_;
    Models kept_;
    Admission admission_;
    Classes classes_;
    ClassColumns class_columns_;
    ChangedClasses changed_classes_;
    std::vector<std::int32_t> row_;      // of each unit
    std::vector<std::int32_t> class_;    // of each unit
    std::vector<double> gain_;           // of each unit, as asked when
    std::vector<std::int64_t> asked_;    // its class had last changed at this time
    std::vector<Look> look_;             // of each unit
    std::vector<std::int64_t> changed_;  // of each class: when last
    std::int64_t changes_ = 0;           // the clock
    std::int64_t pass_began_ = 0;
    std::int32_t pass_ = 0;
};

}  // namespace shoal
