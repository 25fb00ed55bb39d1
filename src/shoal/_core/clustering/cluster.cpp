// Algorithms that place records into classes.
#include "shoal/clustering/cluster.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "arrays.hpp"
#include "partition_arrays.hpp"
#include "shoal/clustering/information_growth.hpp"
#include "shoal/clustering/mondrian.hpp"

namespace bindings {

namespace {

using shoal::Control;
using shoal::Partition;
using shoal::Records;

// A copy of the order in which ties are broken, checked to name every row once.
std::vector<std::int32_t> checked_order(const Records& records, const AnyArray& order) {
    const auto rows = vector_of<std::int32_t>(order, "order", "int32");
    if (rows.size() != records.rows()) refuse("order must have one entry for each row");
    std::vector<std::int32_t> copy(rows.begin(), rows.end());
    std::vector<char> seen(copy.size());
    for (const std::int32_t row : copy) {
        if (row < 0 || static_cast<std::size_t>(row) >= seen.size() ||
            seen[static_cast<std::size_t>(row)]) {
            refuse("order must name every row once");
        }
        seen[static_cast<std::size_t>(row)] = 1;
    }
    return copy;
}

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
                   const std::optional<AnyArray>& order) {
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
    const shoal::Growth growth{k, settle, path_of(path)};
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

nb::tuple measured_greedy(const shoal::Objective& objective, const AnyArray& order, std::int64_t k,
                          bool settle, Control& control) {
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

nb::tuple measured_k_member(const shoal::Objective& objective, const AnyArray& order,
                            std::int64_t start, std::int64_t k, bool settle, bool centre,
                            Control& control) {
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
                                    {k, settle}, control);
    }
    return to_tuple(std::move(partition));
}

nb::tuple mondrian(const Records& records, std::int64_t k, bool strict, int threads,
                   Control& control) {
    check_class_size(records, k);
    if (threads < 1 || threads > 1024) refuse("threads must be from 1 to 1024");
    Partition partition;
    {
        const nb::gil_scoped_release release;
        partition =
            shoal::mondrian(records, {.k = k, .strict = strict, .threads = threads}, control);
    }
    return to_tuple(std::move(partition));
}

nb::tuple guarded_mondrian(const shoal::Objective& objective, const shoal::Models& models,
                           std::int64_t k, bool strict, bool keep, int threads, Control& control) {
    check_class_size(objective.records(), k);
    if (models.rows != objective.records().rows()) {
        refuse("the models must have the rows of the records");
    }
    if (threads < 1 || threads > 1024) refuse("threads must be from 1 to 1024");
    Partition partition;
    {
        const nb::gil_scoped_release release;
        partition = shoal::mondrian(objective, models, {k, strict, threads, keep}, control);
    }
    return to_tuple(std::move(partition));
}

NumpyVector<double> class_loss(const Records& records, const AnyArray& row, const AnyArray& klass,
                               const AnyArray& count, std::int64_t classes) {
    const auto rows = vector_of<std::int32_t>(row, "row", "int32");
    const auto classes_of = vector_of<std::int32_t>(klass, "class_", "int32");
    const auto counts = vector_of<std::int32_t>(count, "count", "int32");
    if (rows.size() != classes_of.size() || rows.size() != counts.size()) {
        refuse("row, class_ and count must be equally long");
    }
    if (classes < 0 || classes > std::numeric_limits<std::int32_t>::max()) {
        refuse("classes must be from 0 to 2**31 - 1");
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i] < 0 || static_cast<std::size_t>(rows[i]) >= records.rows()) {
            refuse("every row must be a row of the records");
        }
        if (classes_of[i] < 0 || classes_of[i] >= classes) {
            refuse("every class must be below classes");
        }
        if (counts[i] < 0) refuse("no count may be negative");
    }
    std::vector<double> losses;
    {
        const nb::gil_scoped_release release;
        const Partition partition{{rows.begin(), rows.end()},
                                  {classes_of.begin(), classes_of.end()},
                                  {counts.begin(), counts.end()}};
        losses = shoal::class_loss(records, partition, static_cast<std::int32_t>(classes));
    }
    return to_numpy(std::move(losses));
}

}  // namespace

void bind_cluster(nb::module_& module) {
    module.def("greedy", &greedy, nb::arg("records"), nb::arg("order"), nb::arg("k"),
               nb::arg("settle"), nb::arg("control"), nb::arg("path") = "auto",
               nb::sig("def greedy(records: Records, order: " SHOAL_INT32 ", "
                       "k: int, settle: bool, control: Control, path: str = 'auto') "
                       "-> " SHOAL_PARTITION),
               "Greedy Search: (row, class, count) of every placement.");
    module.def(
        "k_member", &k_member, nb::arg("records"), nb::arg("start"), nb::arg("k"),
        nb::arg("settle"), nb::arg("centre"), nb::arg("control"), nb::arg("path") = "auto",
        nb::arg("order") = nb::none(),
        nb::sig("def k_member(records: Records, start: int, k: int, settle: bool, "
                "centre: bool, control: Control, path: str = 'auto', "
                "order: " SHOAL_INT32 " | None = None) "
                "-> " SHOAL_PARTITION),
        "k-member clustering: (row, class, count) of every placement. Ties go to the earliest "
        "in `order`, the order of the rows by default.");
    module.def("measured_greedy", &measured_greedy, nb::arg("objective"), nb::arg("order"),
               nb::arg("k"), nb::arg("settle"), nb::arg("control"),
               nb::sig("def measured_greedy(objective: Objective, order: " SHOAL_INT32
                       ", k: int, settle: bool, control: Control) -> " SHOAL_PARTITION),
               "Greedy Search under an information measure.");
    module.def("measured_k_member", &measured_k_member, nb::arg("objective"), nb::arg("order"),
               nb::arg("start"), nb::arg("k"), nb::arg("settle"), nb::arg("centre"),
               nb::arg("control"),
               nb::sig("def measured_k_member(objective: Objective, order: " SHOAL_INT32
                       ", start: int, k: int, settle: bool, centre: bool, control: Control) "
                       "-> " SHOAL_PARTITION),
               "k-member clustering under an information measure.");
    module.def("mondrian", &mondrian, nb::arg("records"), nb::arg("k"), nb::arg("strict"),
               nb::arg("threads"), nb::arg("control"),
               nb::sig("def mondrian(records: Records, k: int, strict: bool, threads: int, "
                       "control: Control) -> " SHOAL_PARTITION),
               "Median cuts of the widest attribute: (row, class, count) of every placement.");
    module.def(
        "guarded_mondrian", &guarded_mondrian, nb::arg("objective"), nb::arg("models"),
        nb::arg("k"), nb::arg("strict"), nb::arg("keep"), nb::arg("threads"), nb::arg("control"),
        nb::sig("def guarded_mondrian(objective: Objective, models: Models, k: int, "
                "strict: bool, keep: bool, threads: int, control: Control) -> " SHOAL_PARTITION),
        "Median cuts that leave both sides with every model met, always or where they can; "
        "attributes in the order of what a cut saves under the objective.");
    module.def("class_loss", &class_loss, nb::arg("records"), nb::arg("row"), nb::arg("class_"),
               nb::arg("count"), nb::arg("classes"),
               nb::sig("def class_loss(records: Records, row: " SHOAL_INT32 ", class_: " SHOAL_INT32
                       ", count: " SHOAL_INT32 ", classes: int) -> " SHOAL_FLOAT64),
               "Loss per record of each class.");
}

}  // namespace bindings
