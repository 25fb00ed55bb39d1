#include "cover/transport.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "shoal/common/partition.hpp"

namespace shoal {

Transport::Transport(std::size_t sources, std::int32_t demand, std::vector<std::int32_t> capacities)
    : demand_(demand),
      capacity_(std::move(capacities)),
      used_(capacity_.size(), 0),
      missing_(sources, demand),
      edges_(sources),
      holders_(capacity_.size()),
      source_price_(sources, std::numeric_limits<std::int64_t>::max() / 4),
      sink_price_(capacity_.size(), 0),
      sink_stamp_(capacity_.size(), 0),
      source_stamp_(sources, 0),
      sink_distance_(capacity_.size()),
      source_distance_(sources),
      came_by_(capacity_.size()),
      came_from_(sources) {}

void Transport::put(std::size_t source, std::size_t edge, std::int32_t amount) {
    Edge& way = edges_[source][edge];
    const auto sink = static_cast<std::size_t>(way.sink);
    if (way.flow == 0) {
        holders_[sink].push_back(
            {static_cast<std::int32_t>(source), static_cast<std::int32_t>(edge)});
    }
    way.flow += amount;
    used_[sink] += amount;
    missing_[source] -= amount;
}

void Transport::take_back(std::size_t source, std::size_t edge, std::int32_t amount) {
    Edge& way = edges_[source][edge];
    const auto sink = static_cast<std::size_t>(way.sink);
    way.flow -= amount;
    used_[sink] -= amount;
    missing_[source] += amount;
    if (way.flow == 0) {
        auto& holders = holders_[sink];
        const auto place = std::find_if(holders.begin(), holders.end(), [&](const Holder& holder) {
            return holder.source == static_cast<std::int32_t>(source);
        });
        *place = holders.back();
        holders.pop_back();
    }
}

void Transport::add_edge(std::size_t source, std::int32_t sink, std::int32_t cost,
                         std::int32_t capacity) {
    edges_[source].push_back({sink, cost, capacity, 0});
    const std::int64_t excess = reduced(source, edges_[source].back());
    if (excess >= 0) return;
    source_price_[source] += excess;
    for (std::size_t e = 0; e < edges_[source].size(); ++e) {
        const Edge& edge = edges_[source][e];
        if (edge.flow > 0 && reduced(source, edge) > 0) take_back(source, e, edge.flow);
    }
}

void Transport::start() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < edges_.size(); ++i) {
        order.resize(edges_[i].size());
        for (std::size_t e = 0; e < order.size(); ++e) order[e] = e;
        const auto worth = [&](std::size_t e) {
            const Edge& edge = edges_[i][e];
            return edge.cost - sink_price_[static_cast<std::size_t>(edge.sink)];
        };
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            const auto left = worth(a), right = worth(b);
            return left != right ? left < right : edges_[i][a].sink < edges_[i][b].sink;
        });
        for (const std::size_t e : order) {
            const Edge& edge = edges_[i][e];
            const auto sink = static_cast<std::size_t>(edge.sink);
            source_price_[i] = worth(e);
            const std::int32_t amount =
                std::min({edge.capacity, missing_[i], capacity_[sink] - used_[sink]});
            if (amount > 0) put(i, e, amount);
            if (missing_[i] == 0 || edges_[i][e].flow < edge.capacity) break;
        }
    }
    if (demand_ == 1) bid();
}

// Auction steps for sources that send one unit: a source takes its best sink from whoever holds
// it and lowers the sink's price until its second best is as good. Few are left to search for.
void Transport::bid() {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < edges_.size(); ++i) {
        if (missing_[i] > 0) open.push_back(i);
    }
    for (int pass = 0; pass < 3; ++pass) {
        std::vector<std::size_t> later;
        std::size_t tries = 0;
        const std::size_t most = 8 * open.size() + 64;
        for (std::size_t place = 0; place < open.size(); ++place) {
            std::size_t i = open[place];
            while (tries++ < most) {
                std::int64_t best = std::numeric_limits<std::int64_t>::max(), second = best;
                std::size_t choice = 0;
                for (std::size_t e = 0; e < edges_[i].size(); ++e) {
                    const Edge& edge = edges_[i][e];
                    const std::int64_t worth =
                        edge.cost - sink_price_[static_cast<std::size_t>(edge.sink)];
                    if (worth < best) {
                        second = best;
                        best = worth;
                        choice = e;
                    } else if (worth < second) {
                        second = worth;
                    }
                }
                const auto sink = static_cast<std::size_t>(edges_[i][choice].sink);
                source_price_[i] = best;
                if (used_[sink] < capacity_[sink]) {
                    put(i, choice, 1);
                    break;
                }
                if (capacity_[sink] != 1 || edges_[i].size() < 2) {
                    later.push_back(i);
                    break;
                }
                const Holder holder = holders_[sink][0];
                const auto loser = static_cast<std::size_t>(holder.source);
                take_back(loser, static_cast<std::size_t>(holder.edge), 1);
                sink_price_[sink] -= second - best;
                source_price_[i] = second;
                put(i, choice, 1);
                if (second == best) {
                    later.push_back(loser);
                    break;
                }
                i = loser;
            }
            if (tries >= most) {
                if (missing_[i] > 0) later.push_back(i);
                later.insert(later.end(), open.begin() + static_cast<std::ptrdiff_t>(place) + 1,
                             open.end());
                break;
            }
        }
        open.clear();
        for (const std::size_t i : later) {
            if (missing_[i] > 0) open.push_back(i);
        }
        std::sort(open.begin(), open.end());
        open.erase(std::unique(open.begin(), open.end()), open.end());
    }
    // A source that lost its sink to another stands at the price of an edge it no longer uses.
    for (std::size_t i = 0; i < edges_.size(); ++i) {
        if (missing_[i] == 0) continue;
        std::int64_t best = std::numeric_limits<std::int64_t>::max() / 4;
        for (const Edge& edge : edges_[i]) {
            best = std::min(best, edge.cost - sink_price_[static_cast<std::size_t>(edge.sink)]);
        }
        source_price_[i] = best;
    }
}

void Transport::relax(std::size_t source, std::int64_t distance) {
    source_stamp_[source] = stamp_;
    source_distance_[source] = distance;
    reached_sources_.push_back(static_cast<std::int32_t>(source));
    for (std::size_t e = 0; e < edges_[source].size(); ++e) {
        const Edge& edge = edges_[source][e];
        if (edge.flow >= edge.capacity) continue;
        const auto sink = static_cast<std::size_t>(edge.sink);
        const std::int64_t there = distance + reduced(source, edge);
        if (sink_stamp_[sink] == stamp_ && sink_distance_[sink] <= there) continue;
        sink_stamp_[sink] = stamp_;
        sink_distance_[sink] = there;
        came_by_[sink] = {static_cast<std::int32_t>(source), static_cast<std::int32_t>(e)};
        heap_.push_back({there, edge.sink});
        std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
    }
}

bool Transport::augment(std::size_t source) {
    ++stamp_;
    heap_.clear();
    settled_sinks_.clear();
    reached_sources_.clear();
    relax(source, 0);
    std::int32_t end = -1;
    std::int64_t length = 0;
    while (!heap_.empty()) {
        std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
        const Step step = heap_.back();
        heap_.pop_back();
        const auto sink = static_cast<std::size_t>(step.sink);
        if (step.distance > sink_distance_[sink]) continue;
        if (used_[sink] < capacity_[sink]) {
            end = step.sink;
            length = step.distance;
            break;
        }
        settled_sinks_.push_back(step.sink);
        for (const Holder& holder : holders_[sink]) {
            const auto other = static_cast<std::size_t>(holder.source);
            const Edge& edge = edges_[other][static_cast<std::size_t>(holder.edge)];
            const std::int64_t there = step.distance - reduced(other, edge);
            if (source_stamp_[other] == stamp_ && source_distance_[other] <= there) continue;
            came_from_[other] = {step.sink, holder.edge};
            relax(other, there);
        }
    }
    if (end < 0) return false;
    for (const std::int32_t sink : settled_sinks_) {
        const auto place = static_cast<std::size_t>(sink);
        if (sink_distance_[place] < length) {
            sink_price_[place] -= length - sink_distance_[place];
            sink_distance_[place] = length;  // a sink settled twice moves once
        }
    }
    for (const std::int32_t reached : reached_sources_) {
        const auto place = static_cast<std::size_t>(reached);
        if (source_distance_[place] < length) {
            source_price_[place] += length - source_distance_[place];
            source_distance_[place] = length;
        }
    }
    for (std::int32_t sink = end;;) {
        const auto [who, edge] = came_by_[static_cast<std::size_t>(sink)];
        const auto place = static_cast<std::size_t>(who);
        put(place, static_cast<std::size_t>(edge), 1);
        if (place == source) return true;
        const GivenUp given_up = came_from_[place];
        take_back(place, static_cast<std::size_t>(given_up.edge), 1);
        sink = given_up.sink;
    }
}

bool Transport::send(Control& control) {
    for (std::size_t i = 0; i < edges_.size(); ++i) {
        while (missing_[i] > 0) {
            if (control.cancelled()) throw Cancelled();
            if (!augment(i)) return false;
        }
    }
    return true;
}

std::int64_t Transport::cost() const {
    std::int64_t sum = 0;
    for (const auto& edges : edges_) {
        for (const Edge& edge : edges) sum += std::int64_t{edge.cost} * edge.flow;
    }
    return sum;
}

}  // namespace shoal
