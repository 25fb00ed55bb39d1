// Privacy models, as kernels keep them.
#include "shoal/common/models.hpp"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "arrays.hpp"
#include "partition_arrays.hpp"

namespace bindings {

namespace {

using shoal::Condition;
using shoal::Model;
using shoal::Models;

Model start_model(const Models& models, Condition condition, const AnyArray& codes, double level,
                  std::int64_t number) {
    if (!std::isfinite(level)) refuse("the level must be finite");
    Model model;
    model.condition = condition;
    model.level = level;
    model.number = number;
    with_codes(codes, [&](auto values) {
        if (values.size() != models.rows) refuse("codes must have one entry for each row");
        model.codes.assign(values.begin(), values.end());
    });
    for (const std::uint32_t code : model.codes) {
        model.code_count = std::max(model.code_count, code + 1);
    }
    return model;
}

void add_distinct(Models& models, const AnyArray& codes, std::int64_t least) {
    if (least < 1) refuse("least must be at least 1");
    models.all.push_back(start_model(models, Condition::distinct, codes, 0.0, least));
}

shoal::Ratio ratio_of(std::int64_t numerator, std::int64_t denominator) {
    if (numerator < 1 || denominator < 1) refuse("numerator and denominator must be positive");
    return {numerator, denominator};
}

void add_frequency(Models& models, const AnyArray& codes, std::int64_t numerator,
                   std::int64_t denominator) {
    Model model = start_model(models, Condition::frequency, codes, 0.0, 1);
    model.ratio = ratio_of(numerator, denominator);
    models.all.push_back(std::move(model));
}

void add_entropy(Models& models, const AnyArray& codes, double level) {
    if (!(level >= 1)) refuse("the level must be at least 1");
    models.all.push_back(start_model(models, Condition::entropy, codes, level, 1));
}

void add_recursive(Models& models, const AnyArray& codes, std::int64_t numerator,
                   std::int64_t denominator, std::int64_t l) {
    if (l < 1) refuse("l must be at least 1");
    Model model = start_model(models, Condition::recursive, codes, 0.0, l);
    model.ratio = ratio_of(numerator, denominator);
    models.all.push_back(std::move(model));
}

Model start_closeness(const Models& models, Condition condition, const AnyArray& codes,
                      const AnyArray& share, double t) {
    if (!(t >= 0)) refuse("t must not be negative");
    const auto shares = vector_of<double>(share, "share", "float64");
    Model model = start_model(models, condition, codes, t, 1);
    if (shares.size() < model.code_count) refuse("share must have an entry for each code");
    if (!std::all_of(shares.begin(), shares.end(),
                     [](double each) { return each >= 0 && each <= 1; })) {
        refuse("every share must lie from 0 to 1");
    }
    model.code_count = static_cast<std::uint32_t>(shares.size());
    model.share.assign(shares.begin(), shares.end());
    return model;
}

void add_closeness(Models& models, const AnyArray& codes, const AnyArray& share, double t) {
    models.all.push_back(start_closeness(models, Condition::equal_closeness, codes, share, t));
}

void add_ordered_closeness(Models& models, const AnyArray& codes, const AnyArray& share, double t) {
    models.all.push_back(start_closeness(models, Condition::ordered_closeness, codes, share, t));
}

void add_tree_closeness(Models& models, const AnyArray& codes, const AnyArray& share,
                        const AnyArray& parent, const AnyArray& toll, double t) {
    Model model = start_closeness(models, Condition::tree_closeness, codes, share, t);
    const auto parents = vector_of<std::int32_t>(parent, "parent", "int32");
    const auto tolls = vector_of<double>(toll, "toll", "float64");
    if (parents.size() != tolls.size()) refuse("parent and toll must be equally long");
    if (parents.size() < model.code_count) refuse("parent must have an entry for each code");
    for (std::size_t node = 0; node < parents.size(); ++node) {
        const bool root = parents[node] == -1;
        if (!root && (parents[node] <= static_cast<std::int32_t>(node) ||
                      parents[node] >= static_cast<std::int32_t>(parents.size()))) {
            refuse("every parent must come after its children");
        }
        if (!(tolls[node] >= 0) || !std::isfinite(tolls[node])) {
            refuse("every toll must be finite, not negative");
        }
    }
    model.tree.parent.assign(parents.begin(), parents.end());
    model.tree.toll.assign(tolls.begin(), tolls.end());
    models.all.push_back(std::move(model));
}

void add_bounded_shares(Models& models, const AnyArray& codes, const AnyArray& lowest,
                        const AnyArray& highest) {
    const auto low = vector_of<double>(lowest, "lowest", "float64");
    const auto high = vector_of<double>(highest, "highest", "float64");
    Model model = start_model(models, Condition::bounded_shares, codes, 0.0, 1);
    if (low.size() != high.size()) refuse("lowest and highest must be equally long");
    if (low.size() < model.code_count) refuse("lowest must have an entry for each code");
    for (std::size_t code = 0; code < low.size(); ++code) {
        if (!(low[code] >= 0 && low[code] <= high[code])) {
            refuse("every lowest share must lie from 0 to the highest");
        }
    }
    model.code_count = static_cast<std::uint32_t>(low.size());
    model.lowest.assign(low.begin(), low.end());
    model.highest.assign(high.begin(), high.end());
    models.all.push_back(std::move(model));
}

void add_least_sizes(Models& models, const AnyArray& codes, const AnyArray& sizes) {
    const auto least = vector_of<double>(sizes, "sizes", "float64");
    Model model = start_model(models, Condition::least_sizes, codes, 0.0, 1);
    if (least.size() < model.code_count) refuse("sizes must have an entry for each code");
    if (!std::all_of(least.begin(), least.end(), [](double each) { return each >= 1; })) {
        refuse("every size must be at least 1");
    }
    model.lowest.assign(least.begin(), least.end());
    models.all.push_back(std::move(model));
}

NumpyVector<std::uint8_t> holds(const Models& models, const AnyArray& row, const AnyArray& klass,
                                const AnyArray& count, std::int64_t classes) {
    const shoal::Partition partition = to_partition(row, klass, count, models.rows, classes);
    std::vector<std::uint8_t> found(static_cast<std::size_t>(classes));
    {
        const nb::gil_scoped_release release;
        const shoal::ClassPieces pieces(partition, found.size());
        shoal::ClassHistogram histogram;
        for (std::size_t c = 0; c < found.size(); ++c) {
            histogram.assign(models, pieces.of(c));
            found[c] = histogram.holds(models);
        }
    }
    return to_numpy(std::move(found));
}

}  // namespace

void bind_models(nb::module_& module) {
    nb::class_<Models>(module, "Models",
                       "Conditions on the protected values of every class, one code a row.")
        .def(
            "__init__",
            [](Models* self, std::int64_t rows) {
                if (rows < 1) refuse("rows must be at least 1");
                new (self) Models{{}, static_cast<std::size_t>(rows)};
            },
            nb::arg("rows"))
        .def("__len__", [](const Models& self) { return self.all.size(); })
        .def("add_distinct", &add_distinct, nb::arg("codes"), nb::arg("least"),
             "At least this many different values.")
        .def("add_frequency", &add_frequency, nb::arg("codes"), nb::arg("numerator"),
             nb::arg("denominator"),
             "No value has more than denominator / numerator of the records.")
        .def("add_entropy", &add_entropy, nb::arg("codes"), nb::arg("level"),
             "The entropy is at least that of so many equally frequent values.")
        .def("add_recursive", &add_recursive, nb::arg("codes"), nb::arg("numerator"),
             nb::arg("denominator"), nb::arg("l"),
             "The most frequent value has fewer than numerator / denominator times the records of "
             "the l-th and rarer ones.")
        .def("add_closeness", &add_closeness, nb::arg("codes"), nb::arg("share"), nb::arg("t"),
             "Variational distance to the distribution `share` at most t.")
        .def("add_ordered_closeness", &add_ordered_closeness, nb::arg("codes"), nb::arg("share"),
             nb::arg("t"), "Earth mover's distance of ordered values at most t.")
        .def("add_tree_closeness", &add_tree_closeness, nb::arg("codes"), nb::arg("share"),
             nb::arg("parent"), nb::arg("toll"), nb::arg("t"),
             "Earth mover's distance in a tree whose first nodes are the codes, at most t.")
        .def("add_bounded_shares", &add_bounded_shares, nb::arg("codes"), nb::arg("lowest"),
             nb::arg("highest"), "The share of every value from its lowest to its highest.")
        .def("add_least_sizes", &add_least_sizes, nb::arg("codes"), nb::arg("sizes"),
             "As many records as the largest size that a value of the class asks for.")
        .def("holds", &holds, nb::arg("row"), nb::arg("class_"), nb::arg("count"),
             nb::arg("classes"), "Which classes of a partition meet every model.");
}

}  // namespace bindings
