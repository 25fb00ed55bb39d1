// One start of sequential clustering and what passes over its records make of it.
#pragma once

#include <cstdint>
#include <vector>

#include "clustering/sequential_classes.hpp"
#include "shoal/clustering/sequential.hpp"
#include "shoal/common/control.hpp"
#include "shoal/common/deadline.hpp"
#include "shoal/common/models.hpp"
#include "shoal/common/objective.hpp"
#include "shoal/common/random.hpp"

namespace shoal {

class SequentialPasses {
  public:
    SequentialPasses(const Objective& objective, const Models& models, const Sequence& sequence,
                     std::uint64_t seed, const Deadline& deadline, Control& control);

    Sequenced run(bool tell);  // and reports progress, if told to

  private:
    void start();
    void deal(std::vector<std::int32_t> units, std::size_t classes);
    void pass_until_idle(bool tell);
    std::int64_t pass();
    bool visit(std::size_t unit);
    void split_large();
    void settle();
    Sequenced finish();
    void tell_progress(std::int64_t moves);
    void check();

    const Models& models_;
    std::vector<Model> later_;  // made to hold after the first passes
    const Sequence& sequence_;
    const Deadline& deadline_;
    Control& control_;
    Poll poll_;
    Random random_;
    MovingClasses classes_;
    const Objective& objective_;
    bool monotone_;                    // no class loses by a record's leaving
    bool keeps_size_ = false;          // no class may fall below k
    std::vector<std::int32_t> units_;  // as dealt last
    std::vector<std::int32_t> dealt_;  // to these classes
    std::int64_t start_size_ = 1;
    std::int64_t steps_ = 0;
    bool spent_ = false;
};

}  // namespace shoal
