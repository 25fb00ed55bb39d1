// Columns of the set-partitioning program: pricing, enumeration and cuts.
#include "shoal/exact/pricing.hpp"

#include <nanobind/nanobind.h>

#include <cmath>
#include <limits>

#include "arrays.hpp"
#include "partition_arrays.hpp"
#include "shoal/exact/mixed_cuts.hpp"

#define SHOAL_INT64 "numpy.typing.NDArray[numpy.int64]"
#define SHOAL_UINT8 "numpy.typing.NDArray[numpy.uint8]"
#define SHOAL_CUTS \
    "tuple[" SHOAL_INT64 ", " SHOAL_INT32 ", " SHOAL_INT32 ", " SHOAL_INT32 ", " SHOAL_INT32 "]"

namespace bindings {

namespace {

void check_rows(std::span<const std::int32_t> rows, std::size_t count) {
    for (const std::int32_t row : rows) {
        if (row < 0 || static_cast<std::size_t>(row) >= count) {
            refuse("every row must be a row of the records");
        }
    }
}

// Starts that rise from 0 to the number of entries.
void check_starts(std::span<const std::int64_t> starts, std::size_t entries) {
    if (starts.empty() || starts.front() != 0 ||
        starts.back() != static_cast<std::int64_t>(entries)) {
        refuse("start must run from 0 to the number of entries");
    }
    for (std::size_t i = 1; i < starts.size(); ++i) {
        if (starts[i] < starts[i - 1]) refuse("start must not fall");
    }
}

shoal::RankCuts to_cuts(const AnyArray& start, const AnyArray& row, const AnyArray& weight,
                        const AnyArray& divisor, const AnyArray& remainder, std::size_t rows) {
    const auto starts = vector_of<std::int64_t>(start, "cut_start", "int64");
    const auto members = vector_of<std::int32_t>(row, "cut_row", "int32");
    const auto weights = vector_of<std::int32_t>(weight, "cut_weight", "int32");
    const auto divisors = vector_of<std::int32_t>(divisor, "divisor", "int32");
    const auto remainders = vector_of<std::int32_t>(remainder, "remainder", "int32");
    check_starts(starts, members.size());
    check_rows(members, rows);
    if (starts.size() != divisors.size() + 1) refuse("cut_start must have one entry more");
    if (weights.size() != members.size()) refuse("cut_row and cut_weight must be equally long");
    if (remainders.size() != divisors.size()) refuse("remainder must have one for each cut");
    for (std::size_t q = 0; q < divisors.size(); ++q) {
        if (divisors[q] < 2) refuse("a divisor must be at least 2");
        if (remainders[q] < 0 || remainders[q] >= divisors[q]) {
            refuse("a remainder must be below its divisor");
        }
        for (auto i = starts[q]; i < starts[q + 1]; ++i) {
            const std::int32_t each = weights[static_cast<std::size_t>(i)];
            if (each < 1 || each >= divisors[q]) refuse("a weight must be below its divisor");
        }
    }
    return {{starts.begin(), starts.end()},
            {members.begin(), members.end()},
            {weights.begin(), weights.end()},
            {divisors.begin(), divisors.end()},
            {remainders.begin(), remainders.end()}};
}

nb::tuple price(const shoal::ClassPricer& pricer, const AnyArray& record_prices, double opening,
                const AnyArray& cut_prices, const AnyArray& cut_start, const AnyArray& cut_row,
                const AnyArray& cut_weight, const AnyArray& divisor, const AnyArray& remainder,
                const AnyArray& first, const AnyArray& second, const AnyArray& together,
                double below, bool all, std::int64_t nodes, std::int64_t total,
                std::int64_t columns, double seconds, int threads, shoal::Control& control) {
    shoal::Prices prices;
    prices.record = vector_of<double>(record_prices, "record_prices", "float64");
    prices.opening = opening;
    prices.cut = vector_of<double>(cut_prices, "cut_prices", "float64");
    if (prices.record.size() != pricer.rows()) refuse("record_prices must have one for each row");
    for (const double each : prices.record) {
        if (!std::isfinite(each)) refuse("every price must be finite");
    }
    for (const double each : prices.cut) {
        if (!(each <= 0) || !std::isfinite(each)) refuse("no price of a cut may be positive");
    }
    if (!std::isfinite(opening)) refuse("opening must be finite");
    if (!std::isfinite(below)) refuse("below must be finite");
    if (threads < 1 || threads > 1024) refuse("threads must be from 1 to 1024");
    const shoal::RankCuts cuts =
        to_cuts(cut_start, cut_row, cut_weight, divisor, remainder, pricer.rows());
    if (cuts.size() != prices.cut.size()) refuse("cut_prices must have one for each cut");
    const auto firsts = vector_of<std::int32_t>(first, "first", "int32");
    const auto seconds_of = vector_of<std::int32_t>(second, "second", "int32");
    const auto togethers = vector_of<std::uint8_t>(together, "together", "uint8");
    if (firsts.size() != seconds_of.size() || firsts.size() != togethers.size()) {
        refuse("first, second and together must be equally long");
    }
    check_rows(firsts, pricer.rows());
    check_rows(seconds_of, pricer.rows());
    const shoal::Branches branches{{firsts.begin(), firsts.end()},
                                   {seconds_of.begin(), seconds_of.end()},
                                   {togethers.begin(), togethers.end()}};
    const shoal::Pricing pricing{below, all, nodes, total, columns, seconds, threads};
    shoal::Priced priced;
    {
        const nb::gil_scoped_release release;
        priced = pricer.price(prices, cuts, branches, pricing, control);
    }
    return nb::make_tuple(
        to_numpy(std::move(priced.columns.start)), to_numpy(std::move(priced.columns.row)),
        to_numpy(std::move(priced.columns.count)), to_numpy(std::move(priced.columns.cost)),
        to_numpy(std::move(priced.columns.reduced)), to_numpy(std::move(priced.least)),
        priced.nodes, priced.complete);
}

NumpyVector<double> costs(const shoal::ClassPricer& pricer, const AnyArray& start,
                          const AnyArray& row, const AnyArray& count) {
    const auto starts = vector_of<std::int64_t>(start, "start", "int64");
    const auto rows = vector_of<std::int32_t>(row, "row", "int32");
    const auto counts = vector_of<std::int32_t>(count, "count", "int32");
    check_starts(starts, rows.size());
    check_rows(rows, pricer.rows());
    if (counts.size() != rows.size()) refuse("row and count must be equally long");
    for (std::size_t i = 1; i < starts.size(); ++i) {
        if (starts[i] == starts[i - 1]) refuse("no class may be empty");
    }
    return to_numpy(pricer.costs(starts, rows, counts));
}

nb::tuple separate(const AnyArray& counts, const AnyArray& start, const AnyArray& row,
                   const AnyArray& count, const AnyArray& value, const AnyArray& divisors,
                   double violation, std::int32_t most, std::int32_t most_of_row,
                   std::int32_t largest, shoal::Control& control) {
    const auto starts = vector_of<std::int64_t>(start, "start", "int64");
    const auto rows = vector_of<std::int32_t>(row, "row", "int32");
    const auto counts_in = vector_of<std::int32_t>(count, "count", "int32");
    const auto values = vector_of<double>(value, "value", "float64");
    const auto all = vector_of<std::int64_t>(counts, "counts", "int64");
    shoal::Separation separation;
    separation.divisors = vector_of<std::int32_t>(divisors, "divisors", "int32");
    separation.violation = violation;
    separation.most = most;
    separation.most_of_row = most_of_row;
    separation.largest = largest;
    check_starts(starts, rows.size());
    check_rows(rows, all.size());
    if (counts_in.size() != rows.size()) refuse("row and count must be equally long");
    if (values.size() + 1 != starts.size()) refuse("value must have one for each column");
    for (const std::int32_t each : separation.divisors) {
        if (each < 2) refuse("a divisor must be at least 2");
    }
    if (!(violation > 0)) refuse("violation must be positive");
    shoal::Columns columns;
    columns.start.assign(starts.begin(), starts.end());
    columns.row.assign(rows.begin(), rows.end());
    columns.count.assign(counts_in.begin(), counts_in.end());
    shoal::RankCuts cuts;
    {
        const nb::gil_scoped_release release;
        cuts = shoal::separate_mixed(all, columns, values, separation, control);
    }
    return nb::make_tuple(to_numpy(std::move(cuts.start)), to_numpy(std::move(cuts.row)),
                          to_numpy(std::move(cuts.weight)), to_numpy(std::move(cuts.divisor)),
                          to_numpy(std::move(cuts.remainder)));
}

void make_pricer(shoal::ClassPricer* pricer, const shoal::Records& records, std::int32_t k,
                 std::int32_t largest) {
    check_class_size(records, k);
    if (largest < k) refuse("largest must be at least k");
    new (pricer) shoal::ClassPricer(records, k, largest);
}

}  // namespace

void bind_pricing(nb::module_& module) {
    nb::class_<shoal::ClassPricer>(module, "ClassPricer",
                                   "Searches for classes of k to `largest` records that are worth "
                                   "having at given prices.")
        .def("__init__", &make_pricer, nb::arg("records"), nb::arg("k"), nb::arg("largest"),
             nb::keep_alive<1, 2>(),
             nb::sig("def __init__(self, records: Records, k: int, largest: int) -> None"))
        .def("price", &price, nb::arg("record_prices"), nb::arg("opening"), nb::arg("cut_prices"),
             nb::arg("cut_start"), nb::arg("cut_row"), nb::arg("cut_weight"), nb::arg("divisor"),
             nb::arg("remainder"), nb::arg("first"), nb::arg("second"), nb::arg("together"),
             nb::arg("below"), nb::arg("all"), nb::arg("nodes"), nb::arg("total"),
             nb::arg("columns"), nb::arg("seconds"), nb::arg("threads"), nb::arg("control"),
             nb::sig(
                 "def price(self, record_prices: " SHOAL_FLOAT64
                 ", opening: float, cut_prices: " SHOAL_FLOAT64 ", cut_start: " SHOAL_INT64
                 ", cut_row: " SHOAL_INT32 ", cut_weight: " SHOAL_INT32 ", divisor: " SHOAL_INT32
                 ", remainder: " SHOAL_INT32 ", first: " SHOAL_INT32 ", second: " SHOAL_INT32
                 ", together: " SHOAL_UINT8
                 ", below: float, all: bool, nodes: int, total: int, columns: int, seconds: float, "
                 "threads: int, control: Control) -> tuple[" SHOAL_INT64 ", " SHOAL_INT32
                 ", " SHOAL_INT32 ", " SHOAL_FLOAT64 ", " SHOAL_FLOAT64 ", " SHOAL_FLOAT64
                 ", int, bool]"),
             "Columns (start, row, count, cost, reduced cost), the least reduced cost that each "
             "row could lead, nodes, and whether no limit struck.")
        .def("costs", &costs, nb::arg("start"), nb::arg("row"), nb::arg("count"),
             nb::sig("def costs(self, start: " SHOAL_INT64 ", row: " SHOAL_INT32
                     ", count: " SHOAL_INT32 ") -> " SHOAL_FLOAT64),
             "What classes cost: size times loss.");
    module.def(
        "separate", &separate, nb::arg("counts"), nb::arg("start"), nb::arg("row"),
        nb::arg("count"), nb::arg("value"), nb::arg("divisors"), nb::arg("violation"),
        nb::arg("most"), nb::arg("most_of_row"), nb::arg("largest"), nb::arg("control"),
        nb::sig("def separate(counts: " SHOAL_INT64 ", start: " SHOAL_INT64 ", row: " SHOAL_INT32
                ", count: " SHOAL_INT32 ", value: " SHOAL_FLOAT64 ", divisors: " SHOAL_INT32
                ", violation: float, most: int, most_of_row: int, largest: int, "
                "control: Control) -> " SHOAL_CUTS),
        "Rank-1 cuts that a fractional solution breaks: (start, row, weight, divisor, "
        "remainder).");
}

}  // namespace bindings
