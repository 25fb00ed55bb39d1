// Covers: closures of k originals for every released record, and random matchings of them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <limits>

#include "arrays.hpp"
#include "shoal/control.hpp"
#include "shoal/cover.hpp"
#include "shoal/matchings.hpp"

namespace bindings {

namespace {

using shoal::Records;

constexpr std::int64_t most_members = std::numeric_limits<std::int32_t>::max();

void check_degree(const Records& records, std::int64_t k) {
    if (records.attributes.empty()) refuse("the records have no attribute");
    if (k < 2 || k > records.total) refuse("k must be from 2 to the number of records");
    if (k * records.total > most_members) refuse("at most 2**31 - 1 members in all");
}

std::vector<std::int32_t> checked_order(const Records& records, const AnyArray& order) {
    const auto rows = vector_of<std::int32_t>(order, "order", "int32");
    std::vector<char> seen(records.rows(), 0);
    for (const std::int32_t row : rows) {
        if (row < 0 || static_cast<std::size_t>(row) >= records.rows() ||
            seen[static_cast<std::size_t>(row)]++) {
            refuse("order must name every row once");
        }
    }
    if (rows.size() != records.rows()) refuse("order must name every row once");
    return {rows.begin(), rows.end()};
}

int checked_threads(std::int64_t threads) {
    if (threads < 1 || threads > 1024) refuse("threads must be from 1 to 1024");
    return static_cast<int>(threads);
}

NumpyVector<std::int32_t> cover(const Records& records, std::int64_t k, const std::string& method,
                                const AnyArray& order, std::int64_t threads,
                                shoal::Control& control, const std::string& path) {
    check_degree(records, k);
    using Method = void (*)(shoal::Cover&, const shoal::CoverSettings&, shoal::Control&);
    Method build = nullptr;
    if (method == "greedy") build = shoal::cover_greedily;
    if (method == "sorted") build = shoal::cover_by_sorted_pairs;
    if (method == "assignments") build = shoal::cover_by_assignments;
    if (method == "flow") build = shoal::cover_by_flow;
    if (build == nullptr) refuse("method must be 'greedy', 'sorted', 'assignments' or 'flow'");
    const shoal::CoverSettings settings{static_cast<std::int32_t>(k), checked_order(records, order),
                                        checked_threads(threads), path_of(path)};
    std::vector<std::int32_t> members;
    {
        const nb::gil_scoped_release release;
        shoal::Cover made(records, settings.k);
        build(made, settings, control);
        members = made.take();
    }
    return to_numpy(std::move(members));
}

NumpyVector<std::int32_t> random_matchings(const AnyArray& edges, std::int64_t k,
                                           const AnyArray& words, shoal::Control& control) {
    const auto right = vector_of<std::int32_t>(edges, "edges", "int32");
    const auto seeds = vector_of<std::uint64_t>(words, "words", "uint64");
    if (seeds.size() != 4) refuse("words must be four");
    if (k < 1 || right.empty() || right.size() % static_cast<std::size_t>(k) != 0) {
        refuse("edges must hold k right ends for each left node");
    }
    const std::size_t nodes = right.size() / static_cast<std::size_t>(k);
    if (right.size() > static_cast<std::size_t>(most_members)) refuse("too many edges");
    std::vector<std::int64_t> ends(nodes, 0);
    std::vector<std::int32_t> last(nodes, -1);  // the left node that named a right one last
    for (std::size_t e = 0; e < right.size(); ++e) {
        if (right[e] < 0 || static_cast<std::size_t>(right[e]) >= nodes) {
            refuse("every right end must be a node");
        }
        const auto node = static_cast<std::size_t>(right[e]);
        const auto left = static_cast<std::int32_t>(e / static_cast<std::size_t>(k));
        if (last[node] == left) refuse("the right ends of a left node must differ");
        last[node] = left;
        ++ends[node];
    }
    if (std::any_of(ends.begin(), ends.end(), [&](std::int64_t each) { return each != k; })) {
        refuse("every right node must have k edges");
    }
    std::vector<std::int32_t> matching;
    {
        const nb::gil_scoped_release release;
        matching = shoal::random_matchings(right, static_cast<std::int32_t>(k), seeds, control);
    }
    return to_numpy(std::move(matching));
}

}  // namespace

void bind_covers(nb::module_& module) {
    module.def("cover", &cover, nb::arg("records"), nb::arg("k"), nb::arg("method"),
               nb::arg("order"), nb::arg("threads"), nb::arg("control"), nb::arg("path") = "auto",
               nb::sig("def cover(records: Records, k: int, method: str, order: " SHOAL_INT32
                       ", threads: int, control: Control, path: str = 'auto') -> " SHOAL_INT32),
               "The k rows of every released record, those of row 0 first; every row is held k "
               "times for each of its records, by no released record more often than it has "
               "records.");
    module.def("random_matchings", &random_matchings, nb::arg("edges"), nb::arg("k"),
               nb::arg("words"), nb::arg("control"),
               nb::sig("def random_matchings(edges: " SHOAL_INT32 ", k: int, words: "
                       "numpy.typing.NDArray[numpy.uint64], control: Control) -> " SHOAL_INT32),
               "Divide a k-regular bipartite graph into k perfect matchings at random: the "
               "matching of each edge.");
}

}  // namespace bindings
