// Clusters in order of age, scanned for the one that is cheapest to unite with.
//
// Every attribute of every cluster is kept as a few 16-bit words, from which a union's loss can be
// bounded from below with additions, minima and bit counts alone, for any kind and size of domain:
// rounding, and folding large domains into few bits, only ever lower the bound. The few clusters
// whose bound does not exceed the best distance so far are decided exactly, so all instruction
// sets return the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "clustering/cluster_closures.hpp"
#include "shoal/common/bulk.hpp"
#include "shoal/scan/scan.hpp"

namespace shoal {

// What the bounds of one query are made of; see `bound_block`.
struct BoundStep {
    static constexpr std::size_t most_words = 8;

    enum class Kind { interval, set, node, equal } kind;
    std::uint32_t column;             // first of its columns
    std::uint32_t words = 1;          // set: columns of the mask
    std::uint16_t low = 0, high = 0;  // interval: positions; node: codes
    std::uint16_t unit = 0;           // set: a value; node, equal: the loss if outside
    std::uint16_t cap = 0;            // interval, set: the most it can be
    std::array<std::uint16_t, most_words> mask{};
};

struct BoundQuery {
    std::vector<BoundStep> steps;
    std::uint16_t constant = 0;  // loss of the union whatever the other cluster is
    float size = 0.0f;
    float slack = 0.0f;  // rounding that may have raised the loss, in quanta
    float limit = 0.0f;  // bounds above it are of no interest
};

struct Nearest {
    double distance = std::numeric_limits<double>::infinity();
    std::int32_t slot = -1;
};

class ClusterScan {
  public:
    static constexpr std::size_t block = 128;

    ClusterScan(const Records& records, std::size_t slots, Path path);

    // The cluster of one row becomes the youngest.
    void open(std::size_t slot, std::size_t row, std::int64_t size);
    // Two clusters leave their places, and their union becomes the youngest in the slot `kept`.
    void unite(std::size_t kept, std::size_t gone);
    void remove(std::size_t slot);

    std::size_t size() const { return alive_; }
    std::int64_t size_of(std::size_t slot) const { return sizes_[slot]; }
    double loss(std::size_t slot) const { return closures_.loss(slot); }
    // Growth of the total loss if the two clusters were one.
    double distance(std::size_t a, std::size_t b) const {
        return static_cast<double>(sizes_[a] + sizes_[b]) * closures_.loss_of_union(a, b) -
               (total(a) + total(b));
    }
    // The nearest among the clusters older than this one, ties to the oldest.
    Nearest nearest_older(std::size_t slot);

    // Columns of 16-bit words, sizes and total losses (in quanta) by age; read by the bounds.
    const std::uint16_t* column(std::size_t which) const { return columns_[which].data(); }
    const float* sizes() const { return column_sizes_.data(); }
    const float* totals() const { return column_totals_.data(); }

  private:
    struct Packing {
        std::uint32_t column = 0;
        std::uint32_t words = 1;
        std::uint32_t shift = 0;  // node: codes in units of 2^shift
        std::uint16_t weight = 0;
        std::uint16_t step = 0;
        std::vector<std::uint16_t> positions;    // interval: of each code
        std::vector<std::uint16_t> node_losses;  // tree
    };
    double total(std::size_t slot) const {
        return static_cast<double>(sizes_[slot]) * closures_.loss(slot);
    }
    void append(std::size_t slot);
    void pack(std::size_t slot, std::size_t position);
    void compact();
    void prepare(std::size_t slot);
    void prepare_tree(std::size_t slot, std::size_t j);

    ClusterClosures closures_;
    Path path_;
    double scale_;  // quanta per unit of loss
    std::vector<Packing> packings_;
    std::size_t column_count_ = 0;
    std::size_t intervals_ = 0;
    std::vector<std::int64_t> sizes_;     // by slot
    std::vector<std::int32_t> position_;  // by slot, -1 if it is in no place
    std::vector<std::int32_t> slot_;      // by position, -1 if its cluster is gone
    std::size_t alive_ = 0;
    std::vector<BulkVector<std::uint16_t>> columns_;
    BulkVector<float> column_sizes_, column_totals_;
    BoundQuery query_;
};

// The clusters of a block whose bound is within the limit, one bit each.
struct WithinLimit {
    std::array<std::uint64_t, ClusterScan::block / 64> bits{};

    bool any() const { return (bits[0] | bits[1]) != 0; }
};

// Lower bounds, in quanta and less the total of the query, on the distance from the query of the
// 128 clusters from `begin` on; they are written only if one of them is within the limit.
WithinLimit bound_block(Path path, const ClusterScan& scan, const BoundQuery& query,
                        std::size_t begin, float* bounds);

}  // namespace shoal
