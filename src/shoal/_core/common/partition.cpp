// What the classes of a partition lose.
#include "shoal/common/partition.hpp"

#include <nanobind/nanobind.h>

#include <vector>

#include "partition_arrays.hpp"

namespace bindings {

namespace {

NumpyVector<double> class_loss(const shoal::Records& records, const AnyArray& row,
                               const AnyArray& klass, const AnyArray& count, std::int64_t classes) {
    const shoal::Partition partition = to_partition(row, klass, count, records.rows(), classes);
    std::vector<double> losses;
    {
        const nb::gil_scoped_release release;
        losses = shoal::class_loss(records, partition, static_cast<std::int32_t>(classes));
    }
    return to_numpy(std::move(losses));
}

}  // namespace

void bind_partition(nb::module_& module) {
    module.def("class_loss", &class_loss, nb::arg("records"), nb::arg("row"), nb::arg("class_"),
               nb::arg("count"), nb::arg("classes"),
               nb::sig("def class_loss(records: Records, row: " SHOAL_INT32 ", class_: " SHOAL_INT32
                       ", count: " SHOAL_INT32 ", classes: int) -> " SHOAL_FLOAT64),
               "Loss per record of each class.");
}

}  // namespace bindings
