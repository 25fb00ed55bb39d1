// What classes cost under a measure.
#include <nanobind/nanobind.h>

#include <cmath>
#include <vector>

#include "arrays.hpp"
#include "partition_arrays.hpp"
#include "shoal/common/class_state.hpp"

namespace bindings {

namespace {

using shoal::ClassState;
using shoal::Objective;
using shoal::Records;

Objective information(const Records& records, double w, const AnyArray& secret,
                      std::int64_t secret_count) {
    require_attributes(records);
    if (!(w >= 0.0 && w <= 1.0)) refuse("w must lie from 0 to 1");
    if (secret_count < 0 || secret_count > (std::int64_t{1} << 31)) {
        refuse("secret_count must be from 0 to 2**31");
    }
    std::vector<std::uint32_t> values;
    with_codes(secret, [&](auto codes) {
        if (w < 1 && codes.size() != records.rows()) {
            refuse("secret must have one code for each row");
        }
        for (const auto code : codes) {
            if (static_cast<std::int64_t>(code) >= secret_count) {
                refuse("every code of secret must be below secret_count");
            }
        }
        values.assign(codes.begin(), codes.end());
    });
    const nb::gil_scoped_release release;
    return Objective(records, w, std::move(values), static_cast<std::uint32_t>(secret_count));
}

NumpyVector<double> totals(const Objective& objective, const AnyArray& row, const AnyArray& klass,
                           const AnyArray& count, std::int64_t classes) {
    const shoal::Partition partition =
        to_partition(row, klass, count, objective.records().rows(), classes);
    std::vector<double> found(static_cast<std::size_t>(classes));
    {
        const nb::gil_scoped_release release;
        const shoal::ClassPieces pieces(partition, found.size());
        ClassState state;
        for (std::size_t c = 0; c < found.size(); ++c) {
            state.assign(objective, pieces.of(c));
            found[c] = state.total(objective);
        }
    }
    return to_numpy(std::move(found));
}

// A class bound to its objective, and checked: the kernel's own trusts its callers.
struct OneClass {
    const Objective* objective;
    ClassState state;
    std::vector<std::int32_t> held;  // records of each row

    explicit OneClass(const Objective& given) : objective(&given), held(given.records().rows()) {}

    std::size_t row(std::int64_t given) const {
        if (given < 0 || given >= static_cast<std::int64_t>(held.size())) refuse("no such row");
        return static_cast<std::size_t>(given);
    }
    std::size_t row_to_remove(std::int64_t given, std::int32_t count) const {
        const std::size_t at = row(given);
        if (count < 1 || held[at] < count) refuse("the class does not hold as many");
        return at;
    }
};

void require_positive(std::int32_t count) {
    if (count < 1) refuse("count must be at least 1");
}

}  // namespace

void bind_objective(nb::module_& module) {
    nb::class_<Objective>(module, "Objective",
                          "Total loss of classes: over all of them it sums to n times a measure.")
        .def(
            "__init__",
            [](Objective* self, const Records& records) {
                require_attributes(records);
                new (self) Objective(records);
            },
            nb::arg("records"), nb::keep_alive<1, 2>(), "The plain loss (gcp).")
        .def_static("information", &information, nb::arg("records"), nb::arg("w"),
                    nb::arg("secret"), nb::arg("secret_count"), nb::keep_alive<0, 1>(),
                    "w·MI + (1 - w)·PMI; secret is the private value of each row.")
        .def("totals", &totals, nb::arg("row"), nb::arg("class_"), nb::arg("count"),
             nb::arg("classes"), "Total loss of each class of a partition.");
    nb::class_<OneClass>(module, "ClassState", "One class, and how its total loss changes.")
        .def(nb::init<const Objective&>(), nb::arg("objective"), nb::keep_alive<1, 2>())
        .def_prop_ro("size", [](const OneClass& self) { return self.state.size(); })
        .def_prop_ro("total",
                     [](const OneClass& self) { return self.state.total(*self.objective); })
        .def(
            "add",
            [](OneClass& self, std::int64_t row, std::int32_t count) {
                require_positive(count);
                const std::size_t at = self.row(row);
                self.held[at] += count;
                self.state.add(*self.objective, at, count);
            },
            nb::arg("row"), nb::arg("count"))
        .def(
            "remove",
            [](OneClass& self, std::int64_t row, std::int32_t count) {
                const std::size_t at = self.row_to_remove(row, count);
                self.held[at] -= count;
                self.state.remove(*self.objective, at, count);
            },
            nb::arg("row"), nb::arg("count"))
        .def(
            "change_adding",
            [](const OneClass& self, std::int64_t row, std::int32_t count) {
                require_positive(count);
                return self.state.change_adding(*self.objective, self.row(row), count);
            },
            nb::arg("row"), nb::arg("count"))
        .def(
            "change_removing",
            [](const OneClass& self, std::int64_t row, std::int32_t count) {
                return self.state.change_removing(*self.objective, self.row_to_remove(row, count),
                                                  count);
            },
            nb::arg("row"), nb::arg("count"))
        .def(
            "unite",
            [](OneClass& self, const OneClass& other) {
                if (&other == &self) refuse("a class cannot be united with itself");
                if (other.objective != self.objective) refuse("both need the same objective");
                for (std::size_t i = 0; i < self.held.size(); ++i) self.held[i] += other.held[i];
                self.state.unite(*self.objective, other.state);
            },
            nb::arg("other"))
        .def(
            "total_united",
            [](const OneClass& self, const OneClass& other) {
                if (other.objective != self.objective) refuse("both need the same objective");
                return self.state.total_united(*self.objective, other.state);
            },
            nb::arg("other"));
}

}  // namespace bindings
