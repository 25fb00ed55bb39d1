// The scan alone, for tests and benchmarks.
#include "shoal/scan/scan.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <numeric>

#include "arrays.hpp"

namespace bindings {

namespace {

using shoal::Path;
using shoal::Records;

// Tables and alive rows of a closure, given by its member rows.
struct Scene {
    shoal::Layout layout;
    shoal::Alive alive;
    shoal::Query query;

    Scene(const Records& records, std::span<const std::int32_t> members, bool furthest)
        : layout(records),
          alive(records, layout, all_rows(records)),
          query(records, layout,
                furthest ? shoal::Query::Aim::furthest : shoal::Query::Aim::nearest) {
        query.open(static_cast<std::size_t>(members[0]));
        for (const std::int32_t row : members) {
            query.add(static_cast<std::size_t>(row));
            const std::int32_t index = alive.index_of(row);
            if (index >= 0) alive.remove(static_cast<std::size_t>(index));
        }
    }

    static std::vector<std::int32_t> all_rows(const Records& records) {
        std::vector<std::int32_t> rows(records.rows());
        std::iota(rows.begin(), rows.end(), 0);
        return rows;
    }
};

std::span<const std::int32_t> checked_members(const Records& records, const AnyArray& members) {
    const auto rows = vector_of<std::int32_t>(members, "members", "int32");
    if (rows.empty()) refuse("members must not be empty");
    for (const std::int32_t row : rows) {
        if (row < 0 || static_cast<std::size_t>(row) >= records.rows()) {
            refuse("members must be rows of the records");
        }
    }
    require_attributes(records);
    return rows;
}

std::pair<std::int32_t, double> scan(const Records& records, const AnyArray& members,
                                     const std::string& path, bool furthest) {
    const Path chosen = path_of(path);
    const auto rows = checked_members(records, members);
    const nb::gil_scoped_release release;
    const Scene scene(records, rows, furthest);
    if (scene.alive.size() == 0) refuse("every row is a member");
    shoal::Scanner scanner(chosen);
    const shoal::Found& found = scanner.scan(scene.alive, scene.query);
    return {scene.alive.position(found.indices[0]), found.score};
}

NumpyVector<double> scan_speed(const Records& records, const AnyArray& members,
                               const std::string& path, std::int64_t repeats) {
    const Path chosen = path_of(path);
    if (repeats < 1) refuse("repeats must be at least 1");
    const auto rows = checked_members(records, members);
    std::vector<double> seconds;
    {
        const nb::gil_scoped_release release;
        const Scene scene(records, rows, false);
        if (scene.alive.size() == 0) refuse("every row is a member");
        shoal::Scanner scanner(chosen);
        for (std::int64_t i = 0; i < repeats; ++i) {
            const auto start = std::chrono::steady_clock::now();
            scanner.scan(scene.alive, scene.query);
            const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
            seconds.push_back(taken.count());
        }
    }
    return to_numpy(std::move(seconds));
}

}  // namespace

Path path_of(const std::string& name) {
    const std::vector<Path> paths = shoal::available_paths();
    if (name == "auto") return paths.front();
    for (const Path path : paths) {
        if (shoal::name(path) == name) return path;
    }
    refuse("path must be 'auto' or one of available_paths()");
}

void bind_scan(nb::module_& module) {
    module.def(
        "available_paths",
        [] {
            std::vector<std::string> names;
            for (const Path path : shoal::available_paths()) names.emplace_back(shoal::name(path));
            return names;
        },
        "Instruction sets the scan can use on this processor, best first.");
    module.def("scan", &scan, nb::arg("records"), nb::arg("members"), nb::arg("path") = "auto",
               nb::arg("furthest") = false,
               nb::sig("def scan(records: Records, members: " SHOAL_INT32
                       ", path: str = 'auto', furthest: bool = False) -> tuple[int, float]"),
               "The row outside `members` whose addition to their closure loses least (most), "
               "ties to the lowest row, and that loss.");
    module.def("scan_speed", &scan_speed, nb::arg("records"), nb::arg("members"), nb::arg("path"),
               nb::arg("repeats"),
               nb::sig("def scan_speed(records: Records, members: " SHOAL_INT32
                       ", path: str, repeats: int) -> " SHOAL_FLOAT64),
               "Wall seconds of each of `repeats` scans over all other rows.");
}

}  // namespace bindings
