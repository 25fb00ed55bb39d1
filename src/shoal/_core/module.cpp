// The extension module; every topic of kernels adds itself here.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>

#include "arrays.hpp"
#include "shoal/common/clock.hpp"
#include "shoal/common/control.hpp"
#include "shoal/common/partition.hpp"

namespace nb = nanobind;

NB_MODULE(kernels, module) {
    module.doc() = "Compiled kernels: hot loops without the interpreter lock.";
    module.def("count_cpu_seconds", &shoal::Clock::count_cpu, nb::arg("does"),
               "Keep limits of time in CPU seconds of the process, or in wall seconds again.");
    nb::class_<shoal::Control>(module, "Control",
                               "Progress out of a kernel and cancellation into it.")
        .def(nb::init<>())
        .def(
            "child",
            [](const shoal::Control& control) {
                auto* part = new shoal::Control();
                part->parent = &control;
                return part;
            },
            nb::rv_policy::take_ownership, nb::keep_alive<0, 1>(),
            "Return the control of a part of the work: progress of its own, cancelled with this.")
        .def("cancel", [](shoal::Control& control) { control.cancel.store(true); })
        .def(
            "stop", [](shoal::Control& control) { control.stop.store(true); },
            "Ask for the best so far.")
        .def_prop_ro("stopping", &shoal::Control::stopping)
        .def_prop_ro("abandoned", &shoal::Control::abandoned)
        .def_prop_ro("cancelled", &shoal::Control::cancelled)
        .def_prop_ro("interrupted",
                     [](const shoal::Control& control) { return control.cancel.load(); })
        .def_prop_rw(
            "expired", [](const shoal::Control& control) { return control.expired.load(); },
            [](shoal::Control& control, bool value) { control.expired.store(value); })
        .def_prop_rw(
            "progress", [](const shoal::Control& control) { return control.progress.load(); },
            &shoal::Control::report,
            "Of the whole when read, of the part under way when written; from 0 to 1.")
        .def_prop_rw(
            "part",
            [](const shoal::Control& control) {
                return nb::make_tuple(control.begin.load(), control.end.load());
            },
            [](shoal::Control& control, const std::pair<double, double>& part) {
                control.begin.store(part.first);
                control.end.store(part.second);
            },
            nb::for_getter(nb::sig("def part(self, /) -> tuple[float, float]")))
        .def_prop_rw(
            "loss", [](const shoal::Control& control) { return control.loss.load(); },
            [](shoal::Control& control, double value) { control.loss.store(value); })
        .def_prop_rw(
            "bound", [](const shoal::Control& control) { return control.bound.load(); },
            [](shoal::Control& control, double value) { control.bound.store(value); })
        .def_prop_rw(
            "steps", [](const shoal::Control& control) { return control.steps.load(); },
            [](shoal::Control& control, std::int64_t value) { control.steps.store(value); });

    // A cancelled kernel raises the project's own error, looked up only when it happens.
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const shoal::Cancelled& cancelled) {
            const nb::object error = nb::module_::import_("shoal.errors").attr("Cancelled");
            PyErr_SetString(error.ptr(), "The run was cancelled.");
        }
    });
    bindings::bind_records(module);
    bindings::bind_scan(module);
    bindings::bind_growth(module);
    bindings::bind_mondrian(module);
    bindings::bind_partition(module);
    bindings::bind_agglomerative(module);
    bindings::bind_hilbert(module);
    bindings::bind_optimal_runs(module);
    bindings::bind_objective(module);
    bindings::bind_models(module);
    bindings::bind_sequential(module);
    bindings::bind_refine(module);
    bindings::bind_lattice(module);
    bindings::bind_repair(module);
    bindings::bind_bound(module);
    bindings::bind_pricing(module);
    bindings::bind_cover(module);
    bindings::bind_recoding_search(module);
}
