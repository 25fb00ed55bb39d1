// Transport of least cost over a sparse graph: sources each send some units to sinks of limited
// capacity, by shortest augmenting paths. Edges may be added later; prices tell which would help.
#pragma once

#include <cstddef>
#include <cstdint>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "shoal/common/control.hpp"

namespace shoal {

class Transport {
  public:
    struct Edge {
        std::int32_t sink;
        std::int32_t cost;
        std::int32_t capacity;
        std::int32_t flow;
    };

    Transport(std::size_t sources, std::int32_t demand, std::vector<std::int32_t> capacities);

    // Starting prices of the sinks; only before edges have flow.
    void set_prices(std::span<const std::int64_t> prices) {
        sink_price_ = {prices.begin(), prices.end()};
    }
    const std::vector<std::int64_t>& sink_prices() const { return sink_price_; }
    std::int64_t source_price(std::size_t source) const { return source_price_[source]; }
    const std::vector<Edge>& edges(std::size_t source) const { return edges_[source]; }

    // An edge that the source does not have yet. Reduced cost below zero is allowed: what the
    // source sends elsewhere is then taken back as far as it must be.
    void add_edge(std::size_t source, std::int32_t sink, std::int32_t cost, std::int32_t capacity);
    // A first feasible flow: each source takes its cheapest edges while their sinks have room.
    void start();
    // Sends what can be sent; false if some source cannot reach room. Then `stuck()` are the
    // sources of the search that failed, and `visited(sink)` the sinks it saw.
    bool send(Control& control);
    const std::vector<std::int32_t>& stuck() const { return reached_sources_; }
    bool visited(std::int32_t sink) const {
        return sink_stamp_[static_cast<std::size_t>(sink)] == stamp_;
    }
    std::int64_t cost() const;

  private:
    struct Holder {
        std::int32_t source;
        std::int32_t edge;
    };
    struct GivenUp {  // an edge with flow by which the search leaves a sink
        std::int32_t sink;
        std::int32_t edge;
    };
    struct Step {
        std::int64_t distance;
        std::int32_t sink;
        bool operator>(const Step& other) const {
            return distance != other.distance ? distance > other.distance : sink > other.sink;
        }
    };

    std::int64_t reduced(std::size_t source, const Edge& edge) const {
        return edge.cost - source_price_[source] - sink_price_[static_cast<std::size_t>(edge.sink)];
    }
    void put(std::size_t source, std::size_t edge, std::int32_t amount);
    void take_back(std::size_t source, std::size_t edge, std::int32_t amount);
    void bid();
    bool augment(std::size_t source);
    void relax(std::size_t source, std::int64_t distance);

    std::int32_t demand_;
    std::vector<std::int32_t> capacity_;
    std::vector<std::int32_t> used_;
    std::vector<std::int32_t> missing_;  // of each source
    std::vector<std::vector<Edge>> edges_;
    std::vector<std::vector<Holder>> holders_;  // of each sink: edges with flow
    std::vector<std::int64_t> source_price_, sink_price_;
    // The search: distances of this stamp.
    std::int32_t stamp_ = 0;
    std::vector<std::int32_t> sink_stamp_, source_stamp_;
    std::vector<std::int64_t> sink_distance_, source_distance_;
    std::vector<std::pair<std::int32_t, std::int32_t>> came_by_;  // sink: source and edge
    std::vector<std::int32_t> settled_sinks_, reached_sources_;
    std::vector<GivenUp> came_from_;  // of each source
    std::vector<Step> heap_;
};

}  // namespace shoal
