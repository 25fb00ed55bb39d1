// Covers: closures of k originals for every released record, and random matchings of them.
#include "shoal/cover/cover.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <limits>

#include "arrays.hpp"
#include "partition_arrays.hpp"
#include "shoal/common/control.hpp"
#include "shoal/cover/conceal.hpp"
#include "shoal/cover/cover_refine.hpp"
#include "shoal/cover/dense_assignment.hpp"
#include "shoal/cover/matchings.hpp"

namespace bindings {

namespace {

using shoal::Records;

constexpr std::int64_t most_members = std::numeric_limits<std::int32_t>::max();

void check_degree(const Records& records, std::int64_t k) {
    require_attributes(records);
    if (k < 2 || k > records.total) refuse("k must be from 2 to the number of records");
    if (k * records.total > most_members) refuse("at most 2**31 - 1 members in all");
}

void check_unfolded(const Records& records) {
    if (records.total != static_cast<std::int64_t>(records.rows())) {
        refuse("the records must not be folded");
    }
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
    if (method == "originals") build = shoal::cover_greedily_by_originals;
    if (method == "sorted") build = shoal::cover_by_sorted_pairs;
    if (method == "assignments") build = shoal::cover_by_assignments;
    if (method == "flow") build = shoal::cover_by_flow;
    if (method.starts_with("symmetric")) check_unfolded(records);
    if (method == "symmetric") build = shoal::pair_by_sorted_pairs;
    if (method == "symmetric-greedy") build = shoal::pair_greedily;
    if (method == "symmetric-assignments") build = shoal::pair_by_assignments;
    if (method == "symmetric-flow") build = shoal::pair_by_flow;
    if (build == nullptr) {
        refuse(
            "method must be 'greedy', 'originals', 'sorted', 'assignments', 'flow', "
            "'symmetric', 'symmetric-greedy', 'symmetric-assignments' or 'symmetric-flow'");
    }
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

// The originals of each released record one after another, and where each begins.
nb::tuple conceal(const Records& records, std::int64_t k, const std::string& aim,
                  shoal::Control& control) {
    check_degree(records, k);
    check_unfolded(records);
    using shoal::Concealing;
    Concealing asked = Concealing::concealment;
    if (aim == "(k,1)") {
        asked = Concealing::k_1;
    } else if (aim == "(1,k)") {
        asked = Concealing::one_k;
    } else if (aim == "(k,k)") {
        asked = Concealing::k_k;
    } else if (aim != "concealment") {
        refuse("aim must be '(k,1)', '(1,k)', '(k,k)' or 'concealment'");
    }
    std::vector<std::int32_t> members;
    std::vector<std::int64_t> starts;
    {
        const nb::gil_scoped_release release;
        for (const auto& each :
             shoal::conceal(records, static_cast<std::int32_t>(k), asked, control)) {
            starts.push_back(static_cast<std::int64_t>(members.size()));
            members.insert(members.end(), each.begin(), each.end());
        }
    }
    return nb::make_tuple(to_numpy(std::move(members)), to_numpy(std::move(starts)));
}

NumpyVector<std::int32_t> ring_cover(const Records& records, const AnyArray& row,
                                     const AnyArray& klass, const AnyArray& count,
                                     std::int64_t classes, std::int64_t k, const AnyArray& order,
                                     bool chain, shoal::Control& control) {
    check_degree(records, k);
    const shoal::Partition partition = to_partition(row, klass, count, records.rows(), classes);
    std::vector<std::int64_t> placed(records.rows()), sizes(static_cast<std::size_t>(classes));
    for (std::size_t i = 0; i < partition.row.size(); ++i) {
        placed[static_cast<std::size_t>(partition.row[i])] += partition.count[i];
        sizes[static_cast<std::size_t>(partition.klass[i])] += partition.count[i];
    }
    for (std::size_t r = 0; r < placed.size(); ++r) {
        if (placed[r] != records.counts[r]) refuse("every record must be placed once");
    }
    for (const std::int64_t size : sizes) {
        if (size > 0 && size < k) refuse("a class has fewer than k records");
    }
    const shoal::CoverSettings settings{static_cast<std::int32_t>(k), checked_order(records, order),
                                        1, path_of("auto")};
    std::vector<std::int32_t> members;
    {
        const nb::gil_scoped_release release;
        shoal::Cover made(records, settings.k);
        shoal::cover_by_rings(made, partition, settings, chain, control);
        members = made.take();
    }
    return to_numpy(std::move(members));
}

// Every released record k rows, every row k times for each of its records, none too often.
std::span<const std::int32_t> checked_cover(const Records& records, const AnyArray& members,
                                            std::int64_t k) {
    const auto rows = vector_of<std::int32_t>(members, "members", "int32");
    const auto degree = static_cast<std::size_t>(k);
    if (rows.size() != static_cast<std::size_t>(records.total) * degree) {
        refuse("members must hold k rows for each record");
    }
    std::vector<std::int64_t> held(records.rows(), 0);
    for (const std::int32_t row : rows) {
        if (row < 0 || static_cast<std::size_t>(row) >= records.rows()) {
            refuse("every member must be a row of the records");
        }
        ++held[static_cast<std::size_t>(row)];
    }
    for (std::size_t row = 0; row < held.size(); ++row) {
        if (held[row] != k * records.counts[row]) {
            refuse("every row must be held k times for each of its records");
        }
    }
    for (std::size_t i = 0; i < rows.size(); i += degree) {
        for (std::size_t m = i; m < i + degree; ++m) {
            const auto copies =
                std::count(rows.begin() + static_cast<std::ptrdiff_t>(i),
                           rows.begin() + static_cast<std::ptrdiff_t>(i + degree), rows[m]);
            if (copies > records.counts[static_cast<std::size_t>(rows[m])]) {
                refuse("a released record holds a row more often than it has records");
            }
        }
    }
    return rows;
}

// A k-regular graph: k different right ends for each left node, k left ones for each right.
std::span<const std::int32_t> checked_edges(const AnyArray& edges, std::int64_t k) {
    const auto right = vector_of<std::int32_t>(edges, "edges", "int32");
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
    return right;
}

NumpyVector<std::int32_t> refine_cover(const Records& records, std::int64_t k,
                                       const AnyArray& members, std::uint64_t seed,
                                       std::int64_t steps, double seconds, std::int64_t block,
                                       double heat, std::int64_t threads, shoal::Control& control,
                                       const std::string& path) {
    check_degree(records, k);
    const auto rows = checked_cover(records, members, k);
    if (steps < 0 && !(seconds >= 0)) refuse("steps or seconds must be given");
    constexpr auto most = static_cast<std::int64_t>(shoal::DenseAssignment::most);
    if (block < 2 || block > most) refuse("block must be from 2 to 512");
    if (!(heat >= 0) || !(heat <= 1e3)) refuse("heat must be from 0 to 1000");
    shoal::CoverRefinement refinement;
    refinement.seed = seed;
    refinement.steps = steps;
    refinement.seconds = seconds;
    refinement.block = static_cast<std::int32_t>(block);
    refinement.heat = heat;
    refinement.threads = checked_threads(threads);
    refinement.path = path_of(path);
    std::vector<std::int32_t> made;
    {
        const nb::gil_scoped_release release;
        shoal::Cover cover(records, static_cast<std::int32_t>(k), rows);
        shoal::refine_cover(cover, refinement, control);
        made = cover.take();
    }
    return to_numpy(std::move(made));
}

// A record covers another exactly when that one covers it.
void check_symmetric(std::span<const std::int32_t> rows, std::size_t k) {
    const auto members = [&](std::size_t i) { return rows.subspan(i * k, k); };
    for (std::size_t i = 0; i < rows.size() / k; ++i) {
        for (const std::int32_t other : members(i)) {
            const auto back = members(static_cast<std::size_t>(other));
            if (std::find(back.begin(), back.end(), static_cast<std::int32_t>(i)) == back.end()) {
                refuse("the cover must be symmetric");
            }
        }
    }
}

NumpyVector<std::int32_t> refine_symmetric_cover(const Records& records, std::int64_t k,
                                                 const AnyArray& members, std::uint64_t seed,
                                                 std::int64_t steps, double seconds, double heat,
                                                 shoal::Control& control) {
    check_degree(records, k);
    check_unfolded(records);
    const auto rows = checked_cover(records, members, k);
    check_symmetric(rows, static_cast<std::size_t>(k));
    if (steps < 0 && !(seconds >= 0)) refuse("steps or seconds must be given");
    if (!(heat >= 0) || !(heat <= 1e3)) refuse("heat must be from 0 to 1000");
    std::vector<std::int32_t> made;
    {
        const nb::gil_scoped_release release;
        shoal::Cover cover(records, static_cast<std::int32_t>(k), rows);
        shoal::refine_symmetrically(cover, {seed, steps, seconds, heat}, control);
        made = cover.take();
    }
    return to_numpy(std::move(made));
}

NumpyVector<std::int32_t> cover_outliers(const Records& records, std::int64_t k,
                                         const AnyArray& members, std::int64_t limit,
                                         shoal::Control& control) {
    check_degree(records, k);
    const auto rows = checked_cover(records, members, k);
    if (limit < 0) refuse("limit must not be negative");
    std::vector<std::int32_t> out;
    {
        const nb::gil_scoped_release release;
        const shoal::Cover cover(records, static_cast<std::int32_t>(k), rows);
        out = shoal::cover_outliers(cover, limit, control);
    }
    return to_numpy(std::move(out));
}

double cover_loss(const Records& records, std::int64_t k, const AnyArray& members) {
    check_degree(records, k);
    const auto rows = checked_cover(records, members, k);
    const nb::gil_scoped_release release;
    const shoal::Cover cover(records, static_cast<std::int32_t>(k), rows);
    return static_cast<double>(cover.total()) * cover.losses().unit() /
           static_cast<double>(cover.size());
}

NumpyVector<std::int32_t> random_matchings(const AnyArray& edges, std::int64_t k,
                                           const AnyArray& words, shoal::Control& control) {
    const auto right = checked_edges(edges, k);
    const auto seeds = vector_of<std::uint64_t>(words, "words", "uint64");
    if (seeds.size() != 4) refuse("words must be four");
    std::vector<std::int32_t> matching;
    {
        const nb::gil_scoped_release release;
        matching = shoal::random_matchings(right, static_cast<std::int32_t>(k), seeds, control);
    }
    return to_numpy(std::move(matching));
}

}  // namespace

void bind_cover(nb::module_& module) {
    module.def("cover", &cover, nb::arg("records"), nb::arg("k"), nb::arg("method"),
               nb::arg("order"), nb::arg("threads"), nb::arg("control"), nb::arg("path") = "auto",
               nb::sig("def cover(records: Records, k: int, method: str, order: " SHOAL_INT32
                       ", threads: int, control: Control, path: str = 'auto') -> " SHOAL_INT32),
               "The k rows of every released record, those of row 0 first; every row is held k "
               "times for each of its records, by no released record more often than it has "
               "records.");
    module.def("conceal", &conceal, nb::arg("records"), nb::arg("k"), nb::arg("aim"),
               nb::arg("control"),
               nb::sig("def conceal(records: Records, k: int, aim: str, control: Control) -> "
                       "tuple[" SHOAL_INT32 ", numpy.typing.NDArray[numpy.int64]]"),
               "The originals that each released record is the closure of, and where each "
               "begins, so that '(k,1)', '(1,k)', '(k,k)' or 'concealment' holds.");
    module.def("ring_cover", &ring_cover, nb::arg("records"), nb::arg("row"), nb::arg("class_"),
               nb::arg("count"), nb::arg("classes"), nb::arg("k"), nb::arg("order"),
               nb::arg("chain"), nb::arg("control"),
               nb::sig("def ring_cover(records: Records, row: " SHOAL_INT32 ", class_: " SHOAL_INT32
                       ", count: " SHOAL_INT32 ", classes: int, k: int, order: " SHOAL_INT32
                       ", chain: bool, control: Control) -> " SHOAL_INT32),
               "Rings inside classes: each released record covers itself and the next k - 1.");
    module.def("refine_cover", &refine_cover, nb::arg("records"), nb::arg("k"), nb::arg("members"),
               nb::arg("seed"), nb::arg("steps"), nb::arg("seconds"), nb::arg("block"),
               nb::arg("heat"), nb::arg("threads"), nb::arg("control"), nb::arg("path") = "auto",
               nb::sig("def refine_cover(records: Records, k: int, members: " SHOAL_INT32
                       ", seed: int, steps: int, seconds: float, block: int, heat: float, "
                       "threads: int, control: Control, path: str = 'auto') -> " SHOAL_INT32),
               "Lower the loss of a cover by reassigning blocks of near records.");
    module.def("refine_symmetric_cover", &refine_symmetric_cover, nb::arg("records"), nb::arg("k"),
               nb::arg("members"), nb::arg("seed"), nb::arg("steps"), nb::arg("seconds"),
               nb::arg("heat"), nb::arg("control"),
               nb::sig("def refine_symmetric_cover(records: Records, k: int, members: " SHOAL_INT32
                       ", seed: int, steps: int, seconds: float, heat: float, control: Control) "
                       "-> " SHOAL_INT32),
               "Lower the loss of a symmetric cover by exchanging partners between pairs.");
    module.def(
        "cover_loss", &cover_loss, nb::arg("records"), nb::arg("k"), nb::arg("members"),
        nb::sig("def cover_loss(records: Records, k: int, members: " SHOAL_INT32 ") -> float"),
        "The mean loss of a cover, in fixed point of 2**-28.");
    module.def("cover_outliers", &cover_outliers, nb::arg("records"), nb::arg("k"),
               nb::arg("members"), nb::arg("limit"), nb::arg("control"),
               nb::sig("def cover_outliers(records: Records, k: int, members: " SHOAL_INT32
                       ", limit: int, control: Control) -> " SHOAL_INT32),
               "How many records of each row to leave out: those that widen closures most.");
    module.def("random_matchings", &random_matchings, nb::arg("edges"), nb::arg("k"),
               nb::arg("words"), nb::arg("control"),
               nb::sig("def random_matchings(edges: " SHOAL_INT32 ", k: int, words: "
                       "numpy.typing.NDArray[numpy.uint64], control: Control) -> " SHOAL_INT32),
               "Divide a k-regular bipartite graph into k perfect matchings at random: the "
               "matching of each edge.");
}

}  // namespace bindings
