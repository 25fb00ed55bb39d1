// The extension module; every topic of kernels adds itself here.
#include <nanobind/nanobind.h>

#include "shoal/control.hpp"

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
}
