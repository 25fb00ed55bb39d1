// Clustering by growth: the plain loss, and information measures.
#include "shoal/clustering/growth.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <numeric>
#include <optional>
#include <vector>

#include "partition_arrays.hpp"
#include "shoal/clustering/information_growth.hpp"

namespace bindings {

namespace {

using shoal::Control;
using shoal::Partition;
using shoal::Records;

nb::tuple greedy(const Records& records, const AnyArray& order, std::int64_t k, bool settle,
                 Control& control, const std::string& path) {
    check_class_size(records, k);
    const std::vector<std::int32_t> rows = checked_order(records, order);
    const shoal::Growth growth{k, settle, path_of(path)};
    Partition partition;
    {
        const nb::gil_scoped_release release;
        partition = shoal::greedy(records, rows, growth, control);
    }
    return to_tuple(std::move(partition));
}

nb::tuple k_member(const Records& records, std::int64_t start, std::int64_t k, bool settle,
                   bool centre, Control& control, const std::string& path,
                   const std::optional<AnyArray>& order, double seconds) {
    check_class_size(records, k);
    if (start < 0 || start >= static_cast<std::int64_t>(records.rows())) {
        refuse("start must be a row of the records");
    }
    std::vector<std::int32_t> rows;
    if (order.has_value()) {
        rows = checked_order(records, *order);
    } else {
        rows.resize(records.rows());
        std::iota(rows.begin(), rows.end(), 0);
    }
    const shoal::Growth growth{k, settle, path_of(path), seconds};
    Partition partition;
    {
        const nb::gil_scoped_release release;
        partition = shoal::k_member(records, rows, static_cast<std::int32_t>(start), centre, growth,
                                    control);
    }
    return to_tuple(std::move(partition));
}

void require_information(const shoal::Objective& objective) {
    if (objective.plain()) refuse("the objective must be an information measure");
}

nb::tuple information_greedy(const shoal::Objective& objective, const AnyArray& order,
                             std::int64_t k, bool settle, Control& control) {
    check_class_size(objective.records(), k);
    require_information(objective);
    const std::vector<std::int32_t> rows = checked_order(objective.records(), order);
    Partition partition;
    {
        const nb::gil_scoped_release release;
        partition = shoal::greedy(objective, rows, {k, settle}, control);
    }
    return to_tuple(std::move(partition));
}

nb::tuple information_k_member(const shoal::Objective& objective, const AnyArray& order,
                               std::int64_t start, std::int64_t k, bool settle, bool centre,
                               Control& control, double seconds) {
    check_class_size(objective.records(), k);
    require_information(objective);
    if (start < 0 || start >= static_cast<std::int64_t>(objective.records().rows())) {
        refuse("start must be a row of the records");
    }
    const std::vector<std::int32_t> rows = checked_order(objective.records(), order);
    Partition partition;
    {
        const nb::gil_scoped_release release;
        partition = shoal::k_member(objective, rows, static_cast<std::int32_t>(start), centre,
                                    {.k = k, .settle = settle, .seconds = seconds}, control);
    }
    return to_tuple(std::move(partition));
}

}  // namespace

void bind_growth(nb::module_& module) {
    module.def("greedy", &greedy, nb::arg("records"), nb::arg("order"), nb::arg("k"),
               nb::arg("settle"), nb::arg("control"), nb::arg("path") = "auto",
               nb::sig("def greedy(records: Records, order: " SHOAL_INT32 ", "
                       "k: int, settle: bool, control: Control, path: str = 'auto') "
                       "-> " SHOAL_PARTITION),
               "Greedy Search: (row, class, count) of every placement.");
    module.def(
        "k_member", &k_member, nb::arg("records"), nb::arg("start"), nb::arg("k"),
        nb::arg("settle"), nb::arg("centre"), nb::arg("control"), nb::arg("path") = "auto",
        nb::arg("order") = nb::none(), nb::arg("seconds") = -1.0,
        nb::sig("def k_member(records: Records, start: int, k: int, settle: bool, "
                "centre: bool, control: Control, path: str = 'auto', "
                "order: " SHOAL_INT32 " | None = None, seconds: float = -1.0) "
                "-> " SHOAL_PARTITION),
        "k-member clustering: (row, class, count) of every placement. Ties go to the earliest "
        "in `order`, the order of the rows by default. After so many seconds it opens no more "
        "classes; k or more records may then have none.");
    module.def("information_greedy", &information_greedy, nb::arg("objective"), nb::arg("order"),
               nb::arg("k"), nb::arg("settle"), nb::arg("control"),
               nb::sig("def information_greedy(objective: Objective, order: " SHOAL_INT32
                       ", k: int, settle: bool, control: Control) -> " SHOAL_PARTITION),
               "Greedy Search under an information measure.");
    module.def("information_k_member", &information_k_member, nb::arg("objective"),
               nb::arg("order"), nb::arg("start"), nb::arg("k"), nb::arg("settle"),
               nb::arg("centre"), nb::arg("control"), nb::arg("seconds") = -1.0,
               nb::sig("def information_k_member(objective: Objective, order: " SHOAL_INT32
                       ", start: int, k: int, settle: bool, centre: bool, control: Control, "
                       "seconds: float = -1.0) -> " SHOAL_PARTITION),
               "k-member clustering under an information measure.");
}

}  // namespace bindings
