// Records and their attributes; folding.
#include "shoal/common/records.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "arrays.hpp"
#include "shoal/common/control.hpp"
#include "shoal/common/fold.hpp"

namespace bindings {

namespace {

using shoal::Attribute;
using shoal::Kind;
using shoal::Records;

constexpr std::int64_t most_codes = std::int64_t{1} << 31;

// Codes and weight, checked: one code a row, every code below code_count.
Attribute start_attribute(const Records& records, Kind kind, const AnyArray& codes,
                          std::int64_t code_count, double weight) {
    if (records.frozen) refuse("attributes must be added before the records are used");
    if (records.attributes.size() >= most_attributes) refuse("too many attributes");
    if (!(weight >= 0.0) || !std::isfinite(weight)) {
        refuse("weight must be a finite number, not negative");
    }
    if (code_count < 1 || code_count > most_codes) refuse("code_count must be from 1 to 2**31");
    Attribute attribute;
    attribute.kind = kind;
    attribute.weight = weight;
    attribute.code_count = static_cast<std::uint32_t>(code_count);
    with_codes(codes, [&](auto values) {
        if (values.size() != records.rows()) refuse("codes must have one entry for each row");
        const nb::gil_scoped_release release;
        for (const auto code : values) {
            if (code >= attribute.code_count) refuse("every code must be below code_count");
        }
        attribute.codes = shoal::narrow(values, attribute.code_count);
    });
    return attribute;
}

void add_interval(Records& records, const AnyArray& codes, const AnyArray& positions,
                  double weight) {
    const auto places = vector_of<double>(positions, "positions", "float64");
    Attribute attribute = start_attribute(records, Kind::interval, codes,
                                          static_cast<std::int64_t>(places.size()), weight);
    attribute.positions.assign(places.begin(), places.end());
    if (!std::all_of(places.begin(), places.end(),
                     [](double each) { return std::isfinite(each); }) ||
        !std::is_sorted(places.begin(), places.end())) {
        refuse("positions must be finite and ascend");
    }
    records.attributes.push_back(std::move(attribute));
}

void add_set(Records& records, const AnyArray& codes, std::int64_t code_count, double step,
             double weight) {
    Attribute attribute = start_attribute(records, Kind::set, codes, code_count, weight);
    if (!(step >= 0.0) || !std::isfinite(step)) refuse("step must be finite, not negative");
    attribute.step = step;
    records.attributes.push_back(std::move(attribute));
}

void add_all_or_nothing(Records& records, const AnyArray& codes, std::int64_t code_count,
                        double weight) {
    records.attributes.push_back(
        start_attribute(records, Kind::all_or_nothing, codes, code_count, weight));
}

// Every leaf lies in its nodes, nodes grow with the level, and one node stands above all.
void check_tree(const shoal::Tree& tree, std::uint32_t code_count) {
    const auto nodes = static_cast<std::int32_t>(tree.node_loss.size());
    for (std::uint32_t code = 0; code < code_count; ++code) {
        std::int32_t first = static_cast<std::int32_t>(code);
        std::int32_t last = first;
        for (std::uint32_t level = 0; level < tree.levels; ++level) {
            const std::int32_t node = tree.above(level, code, code_count);
            if (node < 0 || node >= nodes) refuse("ancestors must name nodes");
            const auto place = static_cast<std::size_t>(node);
            const std::int32_t node_first = tree.node_first[place];
            const std::int32_t node_last = tree.node_last[place];
            const bool leaf = level == 0 && (node_first != first || node_last != last);
            if (node_first < 0 || node_last >= static_cast<std::int32_t>(code_count) ||
                node_first > first || node_last < last || leaf) {
                refuse("nodes must be nested intervals of codes, level 0 the codes themselves");
            }
            first = node_first;
            last = node_last;
        }
        if (first != 0 || last != static_cast<std::int32_t>(code_count) - 1) {
            refuse("the last level must be one node above all codes");
        }
    }
    for (std::uint32_t level = 0; level < tree.levels; ++level) {
        for (std::uint32_t code = 0; code < code_count; ++code) {
            const auto node = static_cast<std::size_t>(tree.above(level, code, code_count));
            const auto first = static_cast<std::uint32_t>(tree.node_first[node]);
            if (tree.above(level, first, code_count) != static_cast<std::int32_t>(node)) {
                refuse("the codes of a node must be consecutive and have it above them");
            }
        }
    }
}

void add_tree(Records& records, const AnyArray& codes, const AnyArray& ancestors,
              const AnyArray& node_first, const AnyArray& node_last, const AnyArray& node_loss,
              double weight) {
    if (ancestors.dtype() != nb::dtype<std::int32_t>() || ancestors.ndim() != 2) {
        refuse("ancestors must be of type int32 with two dimensions");
    }
    const std::size_t levels = ancestors.shape(0);
    const std::size_t width = ancestors.shape(1);
    if (levels < 1 || width < 1) refuse("ancestors must not be empty");
    if (levels > 256) refuse("a tree may have at most 256 levels");
    if ((width > 1 && ancestors.stride(1) != 1) ||
        (levels > 1 && ancestors.stride(0) != static_cast<std::int64_t>(width))) {
        refuse("ancestors must be contiguous");
    }
    const auto first = vector_of<std::int32_t>(node_first, "node_first", "int32");
    const auto last = vector_of<std::int32_t>(node_last, "node_last", "int32");
    const auto loss = vector_of<double>(node_loss, "node_loss", "float64");
    if (first.size() != last.size() || first.size() != loss.size()) {
        refuse("node_first, node_last and node_loss must have one entry for each node");
    }
    Attribute attribute =
        start_attribute(records, Kind::tree, codes, static_cast<std::int64_t>(width), weight);
    const auto* data = static_cast<const std::int32_t*>(ancestors.data());
    shoal::Tree& tree = attribute.tree;
    tree.levels = static_cast<std::uint32_t>(levels);
    tree.ancestors.assign(data, data + levels * width);
    tree.node_first.assign(first.begin(), first.end());
    tree.node_last.assign(last.begin(), last.end());
    tree.node_loss.assign(loss.begin(), loss.end());
    if (!std::all_of(loss.begin(), loss.end(),
                     [](double each) { return each >= 0.0 && each <= 1.0; })) {
        refuse("node_loss must lie from 0 to 1");
    }
    check_tree(tree, attribute.code_count);
    for (std::uint32_t code = 0; code < attribute.code_count; ++code) {
        for (std::uint32_t level = 1; level < tree.levels; ++level) {
            const auto below =
                static_cast<std::size_t>(tree.above(level - 1, code, attribute.code_count));
            const auto above =
                static_cast<std::size_t>(tree.above(level, code, attribute.code_count));
            if (loss[above] < loss[below]) refuse("node_loss must not fall towards the root");
        }
    }
    records.attributes.push_back(std::move(attribute));
}

nb::tuple fold(const std::vector<AnyArray>& codes, const shoal::Control* control) {
    if (codes.empty()) refuse("codes must hold at least one array");
    std::vector<shoal::Column> columns;
    std::size_t records = 0;
    for (const AnyArray& array : codes) {
        with_codes(array, [&](auto values) {
            if (columns.empty()) records = values.size();
            if (values.size() != records) refuse("all arrays of codes must be equally long");
            using Code = typename decltype(values)::value_type;
            const nb::gil_scoped_release release;
            Code highest = 0;
            for (const Code code : values) highest = std::max(highest, code);
            columns.push_back({values.data(), static_cast<int>(sizeof(Code)),
                               static_cast<std::uint64_t>(highest) + 1});
        });
    }
    if (records > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
        refuse("at most 2**31 - 1 records");
    }
    shoal::Folded folded;
    {
        const nb::gil_scoped_release release;
        const shoal::Control unwatched;
        folded = shoal::fold(columns, records, control == nullptr ? unwatched : *control);
    }
    return nb::make_tuple(to_numpy(std::move(folded.row_of)), to_numpy(std::move(folded.first)));
}

}  // namespace

void bind_records(nb::module_& module) {
    nb::class_<Records>(module, "Records",
                        "Distinct rows with multiplicities; attributes are added in order.")
        .def(
            "__init__",
            [](Records* self, const AnyArray& counts) {
                const auto values = vector_of<std::int32_t>(counts, "counts", "int32");
                if (values.empty()) refuse("counts must not be empty");
                if (values.size() >
                    static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
                    refuse("at most 2**31 - 1 rows");
                }
                if (*std::min_element(values.begin(), values.end()) < 1) {
                    refuse("every count must be at least 1");
                }
                std::vector<std::int32_t> copy(values.begin(), values.end());
                new (self) Records(std::move(copy));
            },
            nb::arg("counts"), nb::sig("def __init__(self, counts: " SHOAL_INT32 ") -> None"))
        .def("add_interval", &add_interval, nb::arg("codes"), nb::arg("positions"),
             nb::arg("weight"),
             nb::sig("def add_interval(self, codes: " SHOAL_CODES ", positions: " SHOAL_FLOAT64
                     ", weight: float) -> None"),
             "Closure [low, high]; loss min(1, distance of its positions).")
        .def("add_set", &add_set, nb::arg("codes"), nb::arg("code_count"), nb::arg("step"),
             nb::arg("weight"),
             nb::sig("def add_set(self, codes: " SHOAL_CODES
                     ", code_count: int, step: float, weight: float) -> None"),
             "Closure: the values held; loss min(1, step each after the first).")
        .def("add_tree", &add_tree, nb::arg("codes"), nb::arg("ancestors"), nb::arg("node_first"),
             nb::arg("node_last"), nb::arg("node_loss"), nb::arg("weight"),
             nb::sig("def add_tree(self, codes: " SHOAL_CODES ", ancestors: " SHOAL_INT32
                     ", node_first: " SHOAL_INT32 ", node_last: " SHOAL_INT32
                     ", node_loss: " SHOAL_FLOAT64 ", weight: float) -> None"),
             "Closure: lowest common ancestor of leaves in depth-first order; loss of that node.")
        .def("add_all_or_nothing", &add_all_or_nothing, nb::arg("codes"), nb::arg("code_count"),
             nb::arg("weight"),
             nb::sig("def add_all_or_nothing(self, codes: " SHOAL_CODES
                     ", code_count: int, weight: float) -> None"),
             "Loss 0 for one value, else 1.")
        .def_prop_ro("rows", &Records::rows)
        .def_prop_ro("total", [](const Records& records) { return records.total; })
        .def_prop_ro("attributes",
                     [](const Records& records) { return records.attributes.size(); });
    module.def(
        "fold", &fold, nb::arg("codes"), nb::arg("control") = nb::none(),
        nb::sig("def fold(codes: collections.abc.Sequence[" SHOAL_CODES
                "], control: Control | None = None) -> tuple[" SHOAL_INT32 ", " SHOAL_INT32 "]"),
        "Fold equal rows: the row of each record, and the first record of each row.");
}

}  // namespace bindings
