// The extension module; every topic of kernels adds itself here.
#include <nanobind/nanobind.h>

#include "arrays.hpp"
#include "shoal/control.hpp"
#include "shoal/partition.hpp"

namespace nb = nanobind;

NB_MODULE(kernels, module) {
    module.doc() = "Compiled kernels: hot loops without the interpreter lock.";
    nb::class_<shoal::Control>(module, "Control",
                               "Progress out of a kernel and cancellation into it.")
        .def(nb::init<>())
        .def("cancel", [](shoal::Control& control) { control.cancel.store(true); })
        .def_prop_ro("cancelled", &shoal::Control::cancelled)
        .def_prop_rw(
            "progress", [](const shoal::Control& control) { return control.progress.load(); },
            [](shoal::Control& control, double value) { control.progress.store(value); })
        .def_prop_rw(
            "loss", [](const shoal::Control& control) { return control.loss.load(); },
            [](shoal::Control& control, double value) { control.loss.store(value); })
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
    bindings::bind_clustering(module);
    bindings::bind_agglomerative(module);
    bindings::bind_hilbert(module);
    bindings::bind_objectives(module);
    bindings::bind_models(module);
    bindings::bind_sequential(module);
    bindings::bind_refine(module);
    bindings::bind_cut_search(module);
}
