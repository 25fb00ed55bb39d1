// Full-domain generalization: judging nodes of a lattice, and searching all of it.
#include "shoal/lattice/lattice.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "shoal/lattice/lattice_search.hpp"
#include "shoal/lattice/shared_judge.hpp"

namespace bindings {

namespace {

using shoal::Control;
using shoal::Ladder;
using shoal::LatticeAnswer;
using shoal::LatticeBudget;
using shoal::LatticeLoss;
using shoal::LatticeProblem;
using shoal::Level;
using shoal::Levels;

// The problem, and a judge that keeps its tables from one call to the next.
struct Lattice {
    LatticeProblem problem;
    std::int64_t records = 0;
    shoal::SharedJudge judge;
    bool judged = false;

    void check(int threads) {
        if (problem.ladders.empty()) refuse("the lattice has no attribute");
        if (threads < 1 || threads > 1024) refuse("threads must be from 1 to 1024");
        judged = true;
    }
};

LatticeLoss loss_of(const std::string& name) {
    if (name == "level") return LatticeLoss::level;
    if (name == "cost") return LatticeLoss::cost;
    if (name == "discernibility") return LatticeLoss::discernibility;
    if (name == "unmeasured") return LatticeLoss::unmeasured;
    refuse("loss must be level, cost, discernibility or unmeasured");
}

template <class T>
std::span<const T> matrix_of(const AnyArray& array, const char* name, const char* type) {
    if (array.dtype() != nb::dtype<T>()) refuse(std::string(name) + " must be of type " + type);
    if (array.ndim() != 2) refuse(std::string(name) + " must have two dimensions");
    const std::size_t rows = array.shape(0), columns = array.shape(1);
    if ((columns > 1 && array.stride(1) != 1) ||
        (rows > 1 && array.stride(0) != static_cast<std::int64_t>(columns))) {
        refuse(std::string(name) + " must be contiguous");
    }
    return {static_cast<const T*>(array.data()), rows * columns};
}

void check_shape(const AnyArray& array, std::size_t levels, std::size_t codes, const char* name) {
    if (array.shape(0) != levels || array.shape(1) != codes) {
        refuse(std::string(name) + " must have one row for each level, one entry for each code");
    }
}

void make(Lattice* self, const AnyArray& counts, std::int64_t k, std::int64_t limit,
          const std::string& loss, std::int64_t suppressed_cost, const shoal::Models& models,
          const std::vector<bool>& inferable) {
    const auto given = vector_of<std::int32_t>(counts, "counts", "int32");
    if (given.empty()) refuse("there must be a row");
    if (!std::all_of(given.begin(), given.end(), [](std::int32_t each) { return each > 0; })) {
        refuse("every count must be positive");
    }
    if (k < 1) refuse("k must be at least 1");
    if (limit < 0) refuse("limit must not be negative");
    if (suppressed_cost < 0) refuse("suppressed_cost must not be negative");
    if (models.rows != given.size()) refuse("models must be about the same rows");
    if (models.all.size() != inferable.size()) refuse("inferable must have an entry a model");
    LatticeProblem problem;
    problem.counts.assign(given.begin(), given.end());
    problem.k = k;
    problem.limit = limit;
    problem.loss = loss_of(loss);
    problem.suppressed_cost = suppressed_cost;
    problem.models = models;
    problem.inferable.assign(inferable.begin(), inferable.end());
    const std::int64_t records = problem.records();
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() / 2;
    if (records > std::numeric_limits<std::int32_t>::max()) refuse("too many records");
    if (suppressed_cost > most / records) refuse("suppressed_cost is too large");
    // Nothing is refused from here on: what is made in place would never be unmade.
    new (self) Lattice{};
    self->problem = std::move(problem);
    self->records = records;
}

void add(Lattice& self, const AnyArray& codes, const AnyArray& look, const AnyArray& cost,
         const AnyArray& silent) {
    if (self.judged) refuse("attributes must be added before nodes are judged");
    if (self.problem.ladders.size() >= most_attributes) refuse("too many attributes");
    const auto looks = matrix_of<std::int32_t>(look, "look", "int32");
    const std::size_t levels = look.shape(0), code_count = look.shape(1);
    if (levels < 1 || levels > static_cast<std::size_t>(shoal::most_levels)) {
        refuse("there must be from 1 to 250 levels");
    }
    if (code_count < 1) refuse("there must be a code");
    const auto costs = matrix_of<std::int64_t>(cost, "cost", "int64");
    check_shape(cost, levels, code_count, "cost");
    const auto silences = matrix_of<std::uint8_t>(silent, "silent", "uint8");
    check_shape(silent, levels, code_count, "silent");
    Ladder ladder;
    ladder.code_count = static_cast<std::uint32_t>(code_count);
    with_codes(codes, [&](auto values) {
        if (values.size() != self.problem.rows()) refuse("codes must have one entry for each row");
        ladder.codes.assign(values.begin(), values.end());
    });
    if (!std::all_of(ladder.codes.begin(), ladder.codes.end(),
                     [&](std::uint32_t code) { return code < code_count; })) {
        refuse("every code must have a look");
    }
    std::vector<std::int64_t> above;
    for (std::size_t level = 0; level < levels; ++level) {
        const auto here = looks.subspan(level * code_count, code_count);
        const auto paid = costs.subspan(level * code_count, code_count);
        for (std::size_t code = 0; code < code_count; ++code) {
            if (here[code] < 0 || static_cast<std::size_t>(here[code]) >= code_count) {
                refuse("every look must be from 0 to the number of codes - 1");
            }
            if (paid[code] < 0 || (level > 0 && paid[code] < ladder.cost[level - 1][code])) {
                refuse("costs must not be negative, nor fall from one level to the next");
            }
        }
        const auto quiet = silences.subspan(level * code_count, code_count);
        std::vector<std::int64_t> first(code_count, -1);
        for (std::size_t code = 0; code < code_count; ++code) {
            std::int64_t& seen = first[static_cast<std::size_t>(here[code])];
            if (seen < 0) seen = static_cast<std::int64_t>(code);
            const auto same = static_cast<std::size_t>(seen);
            if (paid[same] != paid[code] || quiet[same] != quiet[code]) {
                refuse("equal looks must cost the same and read the same");
            }
        }
        if (level > 0) {
            // Folding further is right only if equal looks stay equal.
            above.assign(code_count, -1);
            for (std::size_t code = 0; code < code_count; ++code) {
                std::int64_t& seen = above[ladder.look[level - 1][code]];
                if (seen >= 0 && seen != here[code]) refuse("equal looks must stay equal");
                seen = here[code];
            }
        }
        ladder.look.emplace_back(here.begin(), here.end());
        ladder.cost.emplace_back(paid.begin(), paid.end());
        ladder.silent.emplace_back(quiet.begin(), quiet.end());
    }
    self.problem.ladders.push_back(std::move(ladder));
    if (self.problem.loss == LatticeLoss::discernibility) return;
    std::int64_t dearest = 0;
    for (const Ladder& each : self.problem.ladders) {
        dearest += *std::max_element(each.cost.back().begin(), each.cost.back().end());
    }
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() / 2;
    if (dearest > most / self.records) refuse("costs are too large");
    if (self.problem.loss == LatticeLoss::cost && dearest > self.problem.suppressed_cost) {
        refuse("a suppressed record must cost no less than any other");
    }
}

nb::tuple judge(Lattice& self, const AnyArray& nodes, int threads, Control& control) {
    const auto given = matrix_of<std::uint8_t>(nodes, "nodes", "uint8");
    const std::size_t attributes = self.problem.ladders.size();
    if (nodes.shape(1) != attributes) refuse("nodes must have one level for each attribute");
    std::vector<Levels> levels(nodes.shape(0));
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const auto row = given.subspan(i * attributes, attributes);
        levels[i].assign(row.begin(), row.end());
        for (std::size_t j = 0; j < attributes; ++j) {
            if (row[j] >= self.problem.ladders[j].levels()) refuse("there is no such level");
        }
    }
    self.check(threads);
    std::vector<shoal::Judgement> found(levels.size());
    std::vector<std::int64_t> suppressed, loss, floor;
    std::vector<std::uint8_t> sound, base;
    {
        const nb::gil_scoped_release release;
        self.judge.with(self.problem, threads, [&](shoal::NodeJudge& nodes_judge) {
            nodes_judge.judge(levels, found, control);
        });
        for (const shoal::Judgement& each : found) {
            suppressed.push_back(each.suppressed);
            loss.push_back(each.loss);
            floor.push_back(each.floor);
            sound.push_back(each.sound);
            base.push_back(each.base);
        }
    }
    return nb::make_tuple(to_numpy(std::move(suppressed)), to_numpy(std::move(loss)),
                          to_numpy(std::move(floor)), to_numpy(std::move(sound)),
                          to_numpy(std::move(base)));
}

LatticeAnswer run(Lattice& self, const std::string& way, int threads, double seconds,
                  std::int64_t checks, Control& control) {
    if (!(seconds >= 0)) refuse("seconds must not be negative");
    if (checks < 1) refuse("checks must be at least 1");
    using Way = LatticeAnswer (*)(shoal::NodeJudge&, const LatticeBudget&, Control&);
    Way chosen = nullptr;
    if (way == "ola") chosen = &shoal::ola;
    if (way == "flash") chosen = &shoal::flash;
    if (way == "incognito") chosen = &shoal::incognito;
    if (way == "samarati") chosen = &shoal::samarati;
    if (way != "exhaustive" && chosen == nullptr) refuse("there is no such search");
    if (shoal::lattice_nodes(self.problem, way == "incognito") > shoal::most_lattice_nodes) {
        refuse("the lattice has too many nodes to be searched whole");
    }
    self.check(threads);
    LatticeAnswer answer;
    {
        const nb::gil_scoped_release release;
        const LatticeBudget budget{seconds, checks};
        self.judge.with(self.problem, threads, [&](shoal::NodeJudge& all) {
            answer =
                chosen == nullptr ? all.exhaust(budget, control) : chosen(all, budget, control);
        });
        control.steps.store(answer.checks, std::memory_order_relaxed);
    }
    return answer;
}

nb::tuple holding(Lattice& self, const std::string& way, int threads, double seconds,
                  std::int64_t checks, Control& control) {
    if (self.problem.loss != LatticeLoss::unmeasured) refuse("the lattice must be unmeasured");
    if (way == "exhaustive" || way == "samarati") refuse("that search keeps no nodes");
    LatticeAnswer answer = run(self, way, threads, seconds, checks, control);
    return nb::make_tuple(to_numpy(std::move(answer.holding)), answer.checks, answer.complete);
}

nb::tuple search(Lattice& self, const std::string& way, int threads, double seconds,
                 std::int64_t checks, Control& control) {
    LatticeAnswer answer = run(self, way, threads, seconds, checks, control);
    return nb::make_tuple(to_numpy(std::move(answer.node)), answer.loss, answer.checks,
                          answer.complete);
}

}  // namespace

#define SHOAL_INT64 "numpy.typing.NDArray[numpy.int64]"
#define SHOAL_UINT8 "numpy.typing.NDArray[numpy.uint8]"

void bind_lattice(nb::module_& module) {
    module.attr("most_lattice_nodes") = shoal::most_lattice_nodes;
    nb::class_<Lattice>(module, "Lattice",
                        "Rows with a ladder of levels for each attribute, and what classes cost.")
        .def("__init__", &make, nb::arg("counts"), nb::arg("k"), nb::arg("limit"), nb::arg("loss"),
             nb::arg("suppressed_cost"), nb::arg("models"), nb::arg("inferable"))
        .def("add", &add, nb::arg("codes"), nb::arg("look"), nb::arg("cost"), nb::arg("silent"),
             "An attribute: looks and costs of each code on each level, costs in whole numbers.")
        .def(
            "nodes",
            [](const Lattice& self, bool subsets) {
                return shoal::lattice_nodes(self.problem, subsets);
            },
            nb::arg("subsets") = false,
            "Number of nodes; one more than most_lattice_nodes if there are more than that.")
        .def("judge", &judge, nb::arg("nodes"), nb::arg("threads"), nb::arg("control"),
             nb::sig("def judge(self, nodes: " SHOAL_UINT8
                     ", threads: int, control: Control) -> tuple[" SHOAL_INT64 ", " SHOAL_INT64
                     ", " SHOAL_INT64 ", " SHOAL_UINT8 ", " SHOAL_UINT8 "]"),
             "Suppressed records, loss (if sound), lower bound and soundness of each node, and "
             "whether "
             "what can be inferred holds.")
        .def("search", &search, nb::arg("way"), nb::arg("threads"), nb::arg("seconds"),
             nb::arg("checks"), nb::arg("control"),
             nb::sig("def search(self, way: str, threads: int, seconds: float, checks: int, "
                     "control: Control) -> tuple[" SHOAL_UINT8 ", int, int, bool]"),
             "Best node, its loss, nodes judged, and whether the search came to its end.")
        .def("holding", &holding, nb::arg("way"), nb::arg("threads"), nb::arg("seconds"),
             nb::arg("checks"), nb::arg("control"),
             nb::sig("def holding(self, way: str, threads: int, seconds: float, checks: int, "
                     "control: Control) -> tuple[" SHOAL_INT64 ", int, bool]"),
             "Without a measure: nodes that are not known to fail, as mixed radix numbers with "
             "the last attribute running fastest; nodes judged; whether the search ended.");
}

}  // namespace bindings
