// Classes that break a model made to meet it; what uniting two classes costs.
#include "shoal/clustering/repair.hpp"

#include <nanobind/nanobind.h>

#include <limits>
#include <vector>

#include "arrays.hpp"
#include "partition_arrays.hpp"
#include "shoal/common/class_state.hpp"

namespace bindings {

namespace {

using shoal::ClassState;
using shoal::Objective;

nb::tuple repair(const Objective& objective, const shoal::Models& models, const AnyArray& row,
                 const AnyArray& klass, const AnyArray& count, std::int64_t classes,
                 shoal::Control& control) {
    const shoal::Records& records = objective.records();
    require_attributes(records);
    if (models.rows != records.rows()) refuse("the models must have the rows of the records");
    const shoal::Partition start = to_partition(row, klass, count, records.rows(), classes);
    shoal::Repaired repaired;
    {
        const nb::gil_scoped_release release;
        repaired = shoal::repair(objective, models, start, control);
    }
    return nb::make_tuple(to_tuple(std::move(repaired.partition)), repaired.broken,
                          repaired.exchanged, repaired.scattered, repaired.united, repaired.sound);
}

// By how much the total of its class falls when an entry leaves it.
NumpyVector<double> gains(const Objective& objective, const AnyArray& row, const AnyArray& klass,
                          const AnyArray& count, std::int64_t classes) {
    const shoal::Partition given =
        to_partition(row, klass, count, objective.records().rows(), classes);
    std::vector<double> found(given.row.size());
    {
        const nb::gil_scoped_release release;
        const std::vector<ClassState> states =
            shoal::class_states(objective, given, static_cast<std::size_t>(classes));
        for (std::size_t i = 0; i < found.size(); ++i) {
            const ClassState& state = states[static_cast<std::size_t>(given.klass[i])];
            if (given.count[i] == 0) continue;
            found[i] = given.count[i] == state.size()
                           ? state.total(objective)
                           : -state.change_removing(
                                 objective, static_cast<std::size_t>(given.row[i]), given.count[i]);
        }
    }
    return to_numpy(std::move(found));
}

// All classes, and what uniting any of them with another would add to the total loss.
class Unions {
  public:
    Unions(const Objective& objective, const AnyArray& row, const AnyArray& klass,
           const AnyArray& count, std::int64_t classes)
        : objective_(objective) {
        const shoal::Partition given =
            to_partition(row, klass, count, objective.records().rows(), classes);
        const nb::gil_scoped_release release;
        states_ = shoal::class_states(objective, given, static_cast<std::size_t>(classes));
    }

    NumpyVector<double> growth(std::int64_t chosen) const {
        const ClassState& own = state(chosen);
        std::vector<double> found(states_.size(), std::numeric_limits<double>::infinity());
        {
            const nb::gil_scoped_release release;
            for (std::size_t c = 0; c < states_.size(); ++c) {
                if (&states_[c] == &own || states_[c].size() == 0) continue;
                found[c] = own.total_united(objective_, states_[c]) - own.total(objective_) -
                           states_[c].total(objective_);
            }
        }
        return to_numpy(std::move(found));
    }

    void unite(std::int64_t kept, std::int64_t gone) {
        if (kept == gone) refuse("a class cannot be united with itself");
        ClassState& to = states_[static_cast<std::size_t>(&state(kept) - states_.data())];
        ClassState& from = states_[static_cast<std::size_t>(&state(gone) - states_.data())];
        to.unite(objective_, from);
        from.clear();
    }

  private:
    const ClassState& state(std::int64_t c) const {
        if (c < 0 || c >= static_cast<std::int64_t>(states_.size()) ||
            states_[static_cast<std::size_t>(c)].size() == 0) {
            refuse("no such class");
        }
        return states_[static_cast<std::size_t>(c)];
    }

    const Objective& objective_;
    std::vector<ClassState> states_;
};

}  // namespace

void bind_repair(nb::module_& module) {
    module.def("repair", &repair, nb::arg("objective"), nb::arg("models"), nb::arg("row"),
               nb::arg("class_"), nb::arg("count"), nb::arg("classes"), nb::arg("control"),
               nb::sig("def repair(objective: Objective, models: Models, row: " SHOAL_INT32
                       ", class_: " SHOAL_INT32 ", count: " SHOAL_INT32
                       ", classes: int, control: Control) -> tuple[" SHOAL_PARTITION
                       ", int, int, int, int, bool]"),
               "Classes that meet every model: placements, classes that broke one, records "
               "exchanged, classes scattered and united, and whether all are sound now.");
    module.def("gains", &gains, nb::arg("objective"), nb::arg("row"), nb::arg("class_"),
               nb::arg("count"), nb::arg("classes"),
               "By how much the total loss falls when an entry leaves its class.");
    nb::class_<Unions>(module, "Unions", "What uniting two classes adds to the total loss.")
        .def(nb::init<const Objective&, const AnyArray&, const AnyArray&, const AnyArray&,
                      std::int64_t>(),
             nb::arg("objective"), nb::arg("row"), nb::arg("class_"), nb::arg("count"),
             nb::arg("classes"), nb::keep_alive<1, 2>())
        .def("growth", &Unions::growth, nb::arg("chosen"),
             "For each class; infinite for the chosen one and for those that are gone.")
        .def("unite", &Unions::unite, nb::arg("kept"), nb::arg("gone"));
}

}  // namespace bindings
