// Clusters in order of age under any measure, scanned for the one that is cheapest to unite with.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "clustering/cluster_scan.hpp"
#include "shoal/common/class_state.hpp"

namespace shoal {

// Does for the information measures what `ClusterScan` does for the plain loss, with the same
// interface. Clusters share few closures, so that for each of these, not for each cluster, it is
// worked out what a record of every private value would cost in the union with the cluster at
// hand; a scan then adds look-ups. The closest few are compared exactly and remembered: older
// clusters vanish, none is added, so that the next of them serves when the first is gone.
class InformationScan {
  public:
    InformationScan(const Objective& objective, std::size_t slots);

    void open(std::size_t slot, std::size_t row, std::int64_t size);
    void unite(std::size_t kept, std::size_t gone);
    void remove(std::size_t slot);

    std::size_t size() const { return alive_; }
    std::int64_t size_of(std::size_t slot) const { return states_[slot].size(); }
    Nearest nearest_older(std::size_t slot);

  private:
    static constexpr std::size_t remembered = 32;

    // The closures of one attribute, numbered, each as often as clusters hold it.
    struct Closures {
        // What a closure is made of: its codes if it is a set, else the least and greatest one.
        std::map<std::vector<std::uint32_t>, std::uint32_t> known;
        std::vector<std::map<std::vector<std::uint32_t>, std::uint32_t>::iterator> of;
        std::vector<std::int32_t> uses;
        std::vector<std::uint32_t> free;
        std::vector<double> price;  // [closure][private value]: a record in the union
    };
    struct Candidate {
        double distance = 0.0;
        std::int32_t slot = -1;
        std::int64_t version = 0;
    };
    struct Candidates {
        std::int64_t version = -1;  // of the cluster they are for
        std::size_t next = 0;
        std::vector<Candidate> all;
    };

    void append(std::size_t slot);
    void compact();
    std::uint32_t number_closure(std::size_t j, const ClassState& state);
    void price_unions(std::size_t j, const ClassState& state);
    void scan(std::size_t slot);

    const Objective& objective_;
    std::size_t width_;                  // private values, 1 if they are not read
    std::vector<ClassState> states_;     // by slot
    std::vector<std::int64_t> version_;  // by slot: changes with every change of its cluster
    std::int64_t versions_ = 0;
    std::vector<std::int32_t> position_;  // by slot, -1 if it is in no place
    std::vector<std::int32_t> slot_;      // by position, -1 if its cluster is gone
    std::size_t alive_ = 0;
    std::vector<Closures> closures_;      // by attribute
    std::vector<std::uint32_t> closure_;  // [position][attribute]
    std::vector<double> records_;         // [position][private value]
    std::vector<double> fixed_;           // by position: cost now, without constants
    std::vector<Candidates> candidates_;  // by slot
    std::vector<double> estimate_;        // by position
    std::vector<char> own_;               // by code
    std::vector<std::int64_t> joint_;
    std::vector<Candidate> close_;
};

}  // namespace shoal
