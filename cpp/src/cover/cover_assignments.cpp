// Rounds of exact assignments without a matrix of all pairs: lists of the cheapest rows, shortest
// augmenting paths over them, then a scan of all pairs at the prices found. Pairs that would help
// join the lists and the search goes on; without any, the assignment is optimal.
#include <algorithm>

#include "common/parallel.hpp"
#include "cover/cover_candidates.hpp"
#include "cover/transport.hpp"
#include "shoal/cover/cover.hpp"

namespace shoal {

namespace {

constexpr std::size_t violators = 8;
constexpr std::size_t rescue = 8;

class Assignment {
  public:
    Assignment(const Cover& cover, std::int32_t demand, const CoverSettings& settings,
               Control& control, bool mutual = false)
        : cover_(cover),
          demand_(demand),
          mutual_(mutual),
          settings_(settings),
          control_(control),
          transport_(cover.size(), demand, capacities()) {}

    // Prices of the rows, a good start for the next round; improved.
    void solve(std::vector<std::int64_t>& prices, double from, double to) {
        transport_.set_prices(prices);
        const std::size_t length = candidate_list + static_cast<std::size_t>(2 * (demand_ - 1));
        const auto found = scan(cover_.size(), [&](CandidateScan& scan, std::size_t i) {
            return scan.least(i, prices, length, no_bound, [](std::int32_t) { return false; });
        });
        for (std::size_t i = 0; i < found.size(); ++i) {
            for (const RowCost& one : found[i]) add(i, one);
        }
        control_.report(from + 0.3 * (to - from));
        transport_.start();
        while (true) {
            while (!transport_.send(control_)) widen();
            control_.report(from + 0.7 * (to - from));
            if (!price()) break;
        }
        prices = transport_.sink_prices();
        control_.report(to);
    }

    const Transport& transport() const { return transport_; }

  private:
    std::vector<std::int32_t> capacities() const {
        std::vector<std::int32_t> made = cover_.records().counts;
        for (auto& count : made) count *= demand_;
        return made;
    }

    template <class Find>
    std::vector<std::vector<RowCost>> scan(std::size_t count, Find find) {
        std::vector<std::vector<RowCost>> found(count);
        parallel_for(
            count, settings_.threads, [&](std::size_t) { return CandidateScan(cover_, mutual_); },
            [&](CandidateScan& scanner, std::size_t place) {
                if (place % 16 == 0 && control_.cancelled()) throw Cancelled();
                found[place] = find(scanner, place);
            });
        return found;
    }

    bool listed(std::size_t released, std::int32_t row) const {
        const auto& edges = transport_.edges(released);
        return std::any_of(edges.begin(), edges.end(),
                           [&](const Transport::Edge& edge) { return edge.sink == row; });
    }

    void add(std::size_t released, const RowCost& one) {
        std::int32_t room = 1;
        if (demand_ > 1) {
            const auto members = cover_.members(released);
            room = cover_.records().counts[static_cast<std::size_t>(one.row)] -
                   static_cast<std::int32_t>(std::count(members.begin(), members.end(), one.row));
        }
        transport_.add_edge(released, one.row, one.growth, room);
    }

    // The lists were too short for a perfect matching: those who took part in the failed search
    // get rows that it did not reach.
    void widen() {
        std::vector<std::int32_t> stuck = transport_.stuck();
        std::sort(stuck.begin(), stuck.end());
        stuck.erase(std::unique(stuck.begin(), stuck.end()), stuck.end());
        const auto found = scan(stuck.size(), [&](CandidateScan& scan, std::size_t place) {
            const auto released = static_cast<std::size_t>(stuck[place]);
            return scan.least(
                released, transport_.sink_prices(), rescue, no_bound,
                [&](std::int32_t row) { return transport_.visited(row) || listed(released, row); });
        });
        for (std::size_t place = 0; place < stuck.size(); ++place) {
            for (const RowCost& one : found[place]) {
                add(static_cast<std::size_t>(stuck[place]), one);
            }
        }
    }

    // Adds pairs that cost less than the prices of both sides; false if there are none.
    bool price() {
        const auto found = scan(cover_.size(), [&](CandidateScan& scan, std::size_t i) {
            return scan.least(i, transport_.sink_prices(), violators, transport_.source_price(i),
                              [&](std::int32_t row) { return listed(i, row); });
        });
        bool any = false;
        for (std::size_t i = 0; i < found.size(); ++i) {
            for (const RowCost& one : found[i]) {
                add(i, one);
                any = true;
            }
        }
        return any;
    }

    const Cover& cover_;
    std::int32_t demand_;
    bool mutual_;
    const CoverSettings& settings_;
    Control& control_;
    Transport transport_;
};

void add_flow(Cover& cover, const Transport& transport) {
    for (std::size_t i = 0; i < cover.size(); ++i) {
        for (const Transport::Edge& edge : transport.edges(i)) {
            for (std::int32_t unit = 0; unit < edge.flow; ++unit) cover.add(i, edge.sink);
        }
    }
}

}  // namespace

void cover_by_assignments(Cover& cover, const CoverSettings& settings, Control& control) {
    std::vector<std::int64_t> prices(cover.records().rows(), 0);
    const double rounds = cover.k() - 1;
    for (std::int32_t round = 1; round < cover.k(); ++round) {
        Assignment assignment(cover, 1, settings, control);
        assignment.solve(prices, (round - 1) / rounds, round / rounds);
        add_flow(cover, assignment.transport());
    }
}

std::vector<std::int32_t> assign_mutually(const Cover& cover, const CoverSettings& settings,
                                          std::vector<std::int64_t>& prices, Control& control) {
    Assignment assignment(cover, 1, settings, control, true);
    assignment.solve(prices, 0.0, 0.0);
    std::vector<std::int32_t> partner(cover.size(), -1);
    for (std::size_t i = 0; i < cover.size(); ++i) {
        for (const Transport::Edge& edge : assignment.transport().edges(i)) {
            if (edge.flow > 0) partner[i] = edge.sink;
        }
    }
    return partner;
}

void cover_by_flow(Cover& cover, const CoverSettings& settings, Control& control) {
    std::vector<std::int64_t> prices(cover.records().rows(), 0);
    Assignment assignment(cover, cover.k() - 1, settings, control);
    assignment.solve(prices, 0.0, 1.0);
    add_flow(cover, assignment.transport());
}

}  // namespace shoal
