// Search for a global recoding.
#include "shoal/recoding/recoding_search.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "arrays.hpp"

namespace bindings {

namespace {

using shoal::Goal;
using shoal::RecodingProblem;
using shoal::RecodingSearch;
using shoal::Records;

Goal goal_of(const std::string& name) {
    if (name == "loss") return Goal::loss;
    if (name == "levels") return Goal::levels;
    if (name == "information") return Goal::information;
    if (name == "cells") return Goal::cells;
    if (name == "fields") return Goal::fields;
    refuse("goal must be loss, levels, information, cells or fields");
}

void start(RecodingSearch* self, const Records& records, const AnyArray& labels,
           std::int64_t label_count, const std::string& goal, double share, std::int64_t k,
           std::int64_t limit, bool contiguous, std::uint64_t seed, const shoal::Control& control) {
    require_attributes(records);
    if (k < 1 || limit < 0) refuse("k must be positive and limit not negative");
    if (!(share >= 0.0 && share <= 1.0)) refuse("share must lie from 0 to 1");
    if (label_count < 1 || label_count > (1 << 20)) refuse("label_count must be 1 to 2**20");
    RecodingProblem problem{&records,      {},        static_cast<std::uint32_t>(label_count),
                            goal_of(goal), share,     k,
                            limit,         contiguous};
    with_codes(labels, [&](auto codes) {
        if (codes.size() != 0 && codes.size() != records.rows()) {
            refuse("labels must have one code for each row, or none");
        }
        for (const auto code : codes) {
            if (static_cast<std::int64_t>(code) >= label_count) {
                refuse("every code of labels must be below label_count");
            }
        }
        problem.labels.assign(codes.begin(), codes.end());
    });
    const bool reads = problem.goal == Goal::cells || problem.goal == Goal::fields ||
                       (problem.goal == Goal::information && share < 1);
    if (reads && problem.labels.empty()) refuse("this goal needs labels");
    const nb::gil_scoped_release release;
    new (self) RecodingSearch(std::move(problem), seed, control);
}

std::size_t checked(const RecodingSearch& self, std::int64_t attribute) {
    if (attribute < 0 || static_cast<std::size_t>(attribute) >= self.attributes()) {
        refuse("no such attribute");
    }
    return static_cast<std::size_t>(attribute);
}

shoal::Walk walk_of(std::int64_t proposals, double temperature, double uncollapse, double pressure,
                    bool hastings) {
    if (proposals < 0) refuse("proposals must not be negative");
    if (!(temperature >= 0.0)) refuse("temperature must not be negative");
    if (!(uncollapse >= 0.0 && uncollapse < 1.0)) refuse("uncollapse must be from 0 to below 1");
    if (!(pressure >= 0.0)) refuse("pressure must not be negative");
    return {proposals, temperature, uncollapse, pressure, hastings};
}

NumpyVector<std::int32_t> copy_of(std::span<const std::int32_t> groups) {
    return to_numpy(std::vector<std::int32_t>(groups.begin(), groups.end()));
}

void set_groups(RecodingSearch& self, std::int64_t attribute, const AnyArray& groups) {
    const std::size_t j = checked(self, attribute);
    const auto given = vector_of<std::int32_t>(groups, "groups", "int32");
    const std::size_t values = self.groups(j).size();
    if (given.size() != values) refuse("groups must have one entry for each value");
    for (const std::int32_t group : given) {
        if (group < 0 || static_cast<std::size_t>(group) > values) refuse("no such group");
    }
    const nb::gil_scoped_release release;
    self.set_groups(j, given);
}

}  // namespace

void bind_recoding_search(nb::module_& module) {
    nb::class_<RecodingSearch>(module, "RecodingSearch",
                               "Search for one division of each attribute's values into groups.")
        .def("__init__", &start, nb::arg("records"), nb::arg("labels"), nb::arg("label_count"),
             nb::kw_only(), nb::arg("goal"), nb::arg("share"), nb::arg("k"), nb::arg("limit"),
             nb::arg("contiguous"), nb::arg("seed"), nb::arg("control"), nb::keep_alive<1, 2>(),
             nb::keep_alive<1, 11>())
        .def(
            "walk",
            [](RecodingSearch& self, std::int64_t attribute, std::int64_t proposals,
               double temperature, double uncollapse, double pressure, bool hastings) {
                const std::size_t j = checked(self, attribute);
                const auto walk = walk_of(proposals, temperature, uncollapse, pressure, hastings);
                const nb::gil_scoped_release release;
                return self.walk(j, walk);
            },
            nb::arg("attribute"), nb::arg("proposals"), nb::kw_only(), nb::arg("temperature"),
            nb::arg("uncollapse"), nb::arg("pressure"), nb::arg("hastings"),
            "Try moves of one attribute; return how many were accepted.")
        .def(
            "sample",
            [](RecodingSearch& self, std::int64_t attribute, std::int64_t proposals,
               double uncollapse, double pressure) {
                const std::size_t j = checked(self, attribute);
                const auto walk = walk_of(proposals, 0.0, uncollapse, pressure, false);
                std::vector<double> changes;
                {
                    const nb::gil_scoped_release release;
                    changes = self.sample(j, walk);
                }
                return to_numpy(std::move(changes));
            },
            nb::arg("attribute"), nb::arg("proposals"), nb::kw_only(), nb::arg("uncollapse"),
            nb::arg("pressure"),
            "Draw moves without taking them; return how each would change the loss.")
        .def(
            "groups",
            [](const RecodingSearch& self, std::int64_t attribute) {
                return copy_of(self.groups(checked(self, attribute)));
            },
            nb::arg("attribute"), "The group of each value.")
        .def("set_groups", &set_groups, nb::arg("attribute"), nb::arg("groups"))
        .def(
            "allows",
            [](const RecodingSearch& self, std::int64_t attribute, const AnyArray& groups) {
                const std::size_t j = checked(self, attribute);
                const auto given = vector_of<std::int32_t>(groups, "groups", "int32");
                return given.size() == self.groups(j).size() && self.allows(j, given);
            },
            nb::arg("attribute"), nb::arg("groups"),
            "Whether the attribute may be divided like that.")
        .def(
            "best_groups",
            [](const RecodingSearch& self, std::int64_t attribute) {
                const std::size_t j = checked(self, attribute);
                if (!self.found()) refuse("no division keeps the limit so far");
                return copy_of(self.best_groups(j));
            },
            nb::arg("attribute"))
        .def_prop_ro("found", &RecodingSearch::found)
        .def_prop_ro("best_loss", &RecodingSearch::best_loss)
        .def_prop_ro("loss", &RecodingSearch::loss)
        .def_prop_ro("suppressed", &RecodingSearch::suppressed);
}

}  // namespace bindings
