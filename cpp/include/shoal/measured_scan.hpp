// Clusters in order of age under any measure, scanned for the one that is cheapest to unite with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shoal/cluster_scan.hpp"
#include "shoal/objective.hpp"

namespace shoal {

// Does for the information measures what `ClusterScan` does for the plain loss, with the same
// interface. The bound that spares most unions: a union's closures are at least as probable as
// the likelier one of the two, and its private values are at least as mixed as theirs together.
class MeasuredScan {
  public:
    MeasuredScan(const Objective& objective, std::size_t slots);

    void open(std::size_t slot, std::size_t row, std::int64_t size);
    void unite(std::size_t kept, std::size_t gone);
    void remove(std::size_t slot);

    std::size_t size() const { return alive_; }
    std::int64_t size_of(std::size_t slot) const { return states_[slot].size(); }
    Nearest nearest_older(std::size_t slot) const;

  private:
    static constexpr std::size_t block = 64;

    void append(std::size_t slot);
    void compact();
    double entropy(std::size_t slot) const;  // of its private values, times its size
    double log_probability(std::size_t slot, std::size_t j) const;

    const Objective& objective_;
    double weight_;
    std::vector<ClassState> states_;      // by slot
    std::vector<std::int32_t> position_;  // by slot, -1 if it is in no place
    std::vector<std::int32_t> slot_;      // by position, -1 if its cluster is gone
    std::size_t alive_ = 0;
    std::vector<std::vector<float>> likely_;  // [attribute][position]: weighted, of the closure
    std::vector<float> sizes_;                // by position
    std::vector<float> spare_;                // by position: total less what no union changes
};

}  // namespace shoal
