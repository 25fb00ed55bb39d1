// Refinement of a partition, and the neighbour lists it works on.
#include "shoal/refine/refine.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cmath>

#include "arrays.hpp"
#include "partition_arrays.hpp"
#include "shoal/scan/neighbours.hpp"

namespace bindings {

namespace {

// Every record placed once, every class at least k records and within every model.
void check_start(const shoal::Records& records, const shoal::Models& models,
                 const shoal::Partition& start, std::int64_t k, std::int64_t classes) {
    std::vector<std::int64_t> placed(records.rows());
    for (std::size_t i = 0; i < start.row.size(); ++i) {
        placed[static_cast<std::size_t>(start.row[i])] += start.count[i];
    }
    for (std::size_t row = 0; row < placed.size(); ++row) {
        if (placed[row] != records.counts[row]) refuse("every record must be placed once");
    }
    const shoal::ClassPieces pieces(start, static_cast<std::size_t>(classes));
    shoal::ClassHistogram histogram;
    for (std::size_t c = 0; c < static_cast<std::size_t>(classes); ++c) {
        histogram.assign(models, pieces.of(c));
        if (histogram.size() > 0 && histogram.size() < k) {
            refuse("a class has fewer than k records");
        }
        if (!histogram.holds(models)) refuse("a class breaks a model");
    }
}

nb::tuple refine(const shoal::Objective& objective, const shoal::Models& models,
                 const AnyArray& row, const AnyArray& klass, const AnyArray& count,
                 std::int64_t classes, std::int64_t k, std::uint64_t seed, int threads,
                 std::int64_t steps, double seconds, std::int32_t neighbours, std::int32_t region,
                 double heat, shoal::Control& control, const std::string& path) {
    const shoal::Records& records = objective.records();
    require_attributes(records);
    if (models.rows != records.rows()) refuse("the models must have the rows of the records");
    if (k < 1) refuse("k must be at least 1");
    if (threads < 1 || threads > 1024) refuse("threads must be from 1 to 1024");
    if (steps < 0 && !(seconds >= 0)) refuse("steps or seconds must be given");
    if (neighbours < 1 || neighbours > 1024) refuse("neighbours must be from 1 to 1024");
    if (region < 0) refuse("region must not be negative");
    if (!(heat >= 0) || !std::isfinite(heat)) refuse("heat must be finite, not negative");
    const shoal::Partition start = to_partition(row, klass, count, records.rows(), classes);
    check_start(records, models, start, k, classes);
    const shoal::Refinement refinement{k,          seed,   threads, steps,        seconds,
                                       neighbours, region, heat,    path_of(path)};
    shoal::Refined refined;
    {
        const nb::gil_scoped_release release;
        refined = shoal::refine(objective, models, start, refinement, control);
    }
    return to_tuple(std::move(refined.partition));
}

NumpyVector<std::int32_t> neighbours(const shoal::Records& records, std::int64_t width,
                                     std::int64_t all_pairs, int threads, shoal::Control& control,
                                     const std::string& path) {
    require_attributes(records);
    if (width < 1 || width > 1024) refuse("width must be from 1 to 1024");
    if (all_pairs < 0) refuse("all_pairs must not be negative");
    if (threads < 1 || threads > 1024) refuse("threads must be from 1 to 1024");
    shoal::NeighbourSearch nearest;
    nearest.width = static_cast<std::size_t>(width);
    nearest.threads = threads;
    nearest.path = path_of(path);
    nearest.all_pairs = static_cast<std::size_t>(all_pairs);
    shoal::Neighbours found;
    {
        const nb::gil_scoped_release release;
        shoal::Random random(0);
        found = shoal::find_neighbours(records, nearest, random, control);
    }
    return to_numpy(std::move(found.rows));
}

}  // namespace

void bind_refine(nb::module_& module) {
    module.def(
        "refine", &refine, nb::arg("objective"), nb::arg("models"), nb::arg("row"),
        nb::arg("class_"), nb::arg("count"), nb::arg("classes"), nb::arg("k"), nb::arg("seed"),
        nb::arg("threads"), nb::arg("steps"), nb::arg("seconds"), nb::arg("neighbours"),
        nb::arg("region"), nb::arg("heat"), nb::arg("control"), nb::arg("path") = "auto",
        nb::sig("def refine(objective: Objective, models: Models, row: " SHOAL_INT32
                ", class_: " SHOAL_INT32 ", count: " SHOAL_INT32
                ", classes: int, k: int, seed: int, threads: int, steps: int, seconds: float, "
                "neighbours: int, region: int, heat: float, control: Control, path: str = 'auto') "
                "-> " SHOAL_PARTITION),
        "Local search from a partition: (row, class, count) of every placement. Negative steps: "
        "as many as fit into the seconds.");
    module.def("neighbours", &neighbours, nb::arg("records"), nb::arg("width"),
               nb::arg("all_pairs"), nb::arg("threads"), nb::arg("control"),
               nb::arg("path") = "auto",
               nb::sig("def neighbours(records: Records, width: int, all_pairs: int, "
                       "threads: int, control: Control, path: str = 'auto') -> " SHOAL_INT32),
               "The nearest rows of each row, one list of min(width, rows - 1) after another.");
}

}  // namespace bindings
