"""Figures 2 and 5 to 10, Table 8 and Appendix A of the MILP paper, every attribute a number.

Sizes are those of the paper. ``SHOAL_FULL=1`` gives the exact solvers more time, and the paper's
model a larger table. Some parts only: ``python -m benchmarks milp_figures:figure_5,table_8``.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from statistics import mean, median
from typing import TYPE_CHECKING, Any

import polars as pl

from benchmarks.milp_tables import (
    EIGHT,
    FOUR,
    adult_codes,
    adult_numbers,
    census_codes,
    fars_codes,
    problem_of,
    wide_census,
)
from benchmarks.plots import plot_lines
from benchmarks.problems import mean_loss, released_loss
from benchmarks.timing import print_table
from shoal.algorithms import Partition, Run, make_algorithm
from shoal.algorithms.budget import Budget
from shoal.algorithms.exact.split_carry.split_carry import SplitCarry

if TYPE_CHECKING:
    from shoal.algorithms import Problem

FULL = bool(os.environ.get("SHOAL_FULL"))
# As printed: equal records are not settled first, and attributes come by the variance of values.
CLUSTERING: dict[str, dict[str, Any]] = {
    "sorted": {"order": "values"},
    "mondrian": {},
    "mondrian, relaxed cuts": {"cuts": "relaxed"},
    "greedy": {},
    "greedy as printed": {"settle": False, "order": "values"},
    "k-member": {},
    "k-member as printed": {"settle": False},
}
CHAIN: dict[str, Any] = {"order": "values"}
# What sorts its records, with `settle` stated where there is such a parameter.
SORTED: dict[str, dict[str, Any]] = {
    "sorted": {},
    "greedy, settle=false": {"settle": False},
    "greedy, settle=true": {"settle": True},
    "split-carry": {},
}
SAMPLES = 5
DRAWS = 20
SECONDS = 60.0 if FULL else 15.0
Row = dict[str, Any]
Rows = list[Row]


def run() -> dict[str, Rows]:
    """Draw all figures, and return their points."""
    return {part: draw() for part, draw in PARTS.items()}


def draw_figure(part: str) -> Rows:
    """Draw one figure, and return its points: none where its table is not here."""
    table, draw = FIGURES[part]
    frame = table()
    if frame is None:
        print(f"The table of {part} is not here; left out")
        return []
    return draw(frame)


def solved(problem: Problem, name: str, seconds: float | None = None, **param: Any) -> Row:
    """Return loss, CPU seconds and proof of one algorithm on one problem."""
    start = time.process_time()
    found = make_algorithm(name, param).solve(problem, Run(seed=1, budget=Budget(seconds=seconds)))
    spent = time.process_time() - start
    assert isinstance(found, Partition)
    assert found.sizes.min() >= problem.k
    return {"loss": mean_loss(problem, found), "CPU s": spent, "proved": found.optimal}


def _clusterings(problem: Problem) -> Rows:
    """Return all algorithms of classes but Split & Carry."""
    return [
        {"algorithm": label, **solved(problem, label.split(",")[0].split()[0], **param)}
        for label, param in CLUSTERING.items()
    ]


def _chain(problem: Problem, seconds: float | None = None, **param: Any) -> Row:
    return solved(problem, "split-carry", seconds, **CHAIN, **param)


def _show(title: str, rows: Rows) -> Rows:
    print(f"\n{title}")
    print_table(tuple(rows[0]), [tuple(row.values()) for row in rows])
    return rows


def _lines(rows: Rows, of: str, across: str, up: str) -> dict[str, list[tuple[float, float]]]:
    lines: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        lines.setdefault(str(row[of]), []).append((float(row[across]), float(row[up])))
    return lines


def _plot(name: str, rows: Rows, across: str, title: str) -> None:
    for up in ("loss", "CPU s"):
        plot_lines(
            f"milp_{name}_{up.split()[0].lower()}",
            _lines(rows, "algorithm", across, up),
            title=title,
            across=across,
            up=up,
            logarithmic=up == "CPU s",
        )


def _figure_2(adult: pl.DataFrame, sizes: list[tuple[int, int]], across: str) -> Rows:
    rows: Rows = []
    for n, m in sizes:
        ratios: dict[str, list[tuple[float, float]]] = {}
        proved = 0
        for draw in range(DRAWS):
            problem = problem_of(adult[draw * n : (draw + 1) * n], 3, EIGHT[:m])
            best = solved(problem, "optimal", SECONDS)
            proved += best["proved"]
            for name in ("split-carry", "greedy as printed"):
                found = solved(problem, name.split()[0], **CLUSTERING.get(name, CHAIN))
                ratio = found["loss"] / best["loss"] if best["loss"] else 1.0
                ratios.setdefault(name, []).append((ratio, found["CPU s"] / best["CPU s"]))
        rows += [
            {
                "algorithm": name,
                "n": n,
                "m": m,
                "proved": f"{proved}/{DRAWS}",
                "loss": mean(loss for loss, _ in of),
                "CPU s": mean(spent for _, spent in of),
            }
            for name, of in ratios.items()
        ]
    title = f"Figure 2: Adult samples, k = 3, ratio to the optimum, mean of {DRAWS}"
    _plot(f"figure_2_{across}", rows, across, title)
    return _show(title, rows)


def _milp(adult: pl.DataFrame) -> Rows:
    """Set the paper's model beside the exact solver, on what it can solve."""
    rows: Rows = []
    for n in (8, 10, 12) if FULL else (8, 10):
        for draw in range(3):
            problem = problem_of(adult[draw * n : (draw + 1) * n], 3, EIGHT[:4])
            best = solved(problem, "optimal", SECONDS)
            for name, param in (("milp", {}), ("milp, continuous", {"integral": False})):
                found = solved(problem, "milp", 20.0, **param)
                rows.append(
                    {
                        "model": name,
                        "n": n,
                        "draw": draw,
                        **found,
                        "optimal CPU s": best["CPU s"],
                        "ratio of time": found["CPU s"] / best["CPU s"],
                        "ratio of loss": found["loss"] / best["loss"] if best["loss"] else 1.0,
                    }
                )
    return _show("The paper's model on HiGHS (20 s at most) beside `optimal`: n × 4, k = 3", rows)


def _figure_5(adult: pl.DataFrame) -> Rows:
    problem = problem_of(adult[:5_000], 3, FOUR)
    rows = _clusterings(problem)
    for sets in (3, 4, 5):
        rows.append({"algorithm": f"split-carry S={sets}", **_chain(problem, sets=sets)})
    for carry in ("cheap-part", "bubble"):
        param: dict[str, Any] = {"carry": carry}
        rows.append({"algorithm": f"split-carry {carry}", **_chain(problem, **param)})
    rows += _doka(problem)
    rows = [{**row, "loss sum": row["loss"] * 4 * problem.n} for row in rows]
    return _show("Figure 5: Adult, 5,000 × 4, k = 3", rows)


def _doka(problem: Problem) -> Rows:
    """Return the freeform algorithms that the paper compares itself with."""
    ways: dict[str, dict[str, Any]] = {"ff-greedy": {"chooser": "original"}, "ff-sortgreedy": {}}
    if problem.n <= 5_000:
        ways["ff-hungarian"] = {}
    rows: Rows = []
    for name, param in ways.items():
        start = time.process_time()
        found = make_algorithm(name, param).solve(problem, Run(seed=1))
        rows.append(
            {
                "algorithm": f"{name} (freeform)",
                "loss": released_loss(problem, found),
                "CPU s": time.process_time() - start,
                "proved": False,
            }
        )
    return rows


def _boundary(adult: pl.DataFrame, k: int) -> Rows:
    """Try boundaries l from 1 to kS, where all that was read is solved again with what follows."""
    samples = _samples(adult.select(FOUR), k)
    rows: Rows = []
    for sets in (3, 6):
        for boundary in (1, *(k * times for times in (1, 2, 3, 4, 6) if times <= sets)):
            found = [_chain(problem, sets=sets, boundary=boundary) for problem in samples]
            rows.append(
                {
                    "k": k,
                    "S": sets,
                    "l": boundary,
                    "loss": mean(one["loss"] for one in found),
                    "CPU s, median": median(one["CPU s"] for one in found),
                }
            )
    return _show(f"Boundary l of Split & Carry: Adult, {SAMPLES} samples of 500 × 4", rows)


def _samples(frame: pl.DataFrame, k: int) -> list[Problem]:
    return [problem_of(frame[one * 500 : (one + 1) * 500], k) for one in range(SAMPLES)]


def _orders(frame: pl.DataFrame, table: str) -> Rows:
    """Compare orders of records: by variance of ranks or of values, or the commonest first."""
    rows: Rows = []
    for k in (3, 10):
        samples = _samples(frame, k)
        for label, param in SORTED.items():
            losses = {
                order: [
                    solved(problem, label.split(",")[0], order=order, **param)["loss"]
                    for problem in samples
                ]
                for order in ("ranks", "values", *(["commonest"] * label.startswith("greedy")))
            }
            rows.append(
                {
                    "table": table,
                    "k": k,
                    "algorithm": label,
                    **{order: mean(of) for order, of in losses.items()},
                    "commonest": mean(losses["commonest"]) if "commonest" in losses else None,
                    "ranks lose less in": _wins(losses["ranks"], losses["values"]),
                    "values lose less in": _wins(losses["values"], losses["ranks"]),
                }
            )
    return _show(f"Orders of records: {table}, {SAMPLES} samples of 500 records", rows)


def _wins(ours: Sequence[float], theirs: Sequence[float]) -> int:
    return sum(one < other - 1e-12 for one, other in zip(ours, theirs, strict=True))


def _table_8(adult: pl.DataFrame) -> Rows:
    problem = problem_of(adult[:5_000], 3, FOUR)
    rows: Rows = []
    for sets in (3, 4, 5):
        found: list[int] = []
        SplitCarry(sets=sets, order="values").divide(problem, Run(seed=1), found)
        counted = Counter(found)
        common, times = counted.most_common(1)[0]
        rows.append(
            {
                "S": sets,
                "sub-problems": len(found),
                "most common size": common,
                "how often": times,
                "largest": max(found),
                "Lemma 2": 3 * (5 + sets),
                "sizes": " ".join(f"{size}:{counted[size]}" for size in sorted(counted)),
            }
        )
    return _show("Table 8: sizes of the sub-problems", rows)


def _figure_6(census: pl.DataFrame, k: int, sizes: Sequence[int]) -> Rows:
    rows: Rows = []
    for n in sizes:
        problem = problem_of(census[:n], k, FOUR)
        rows += [{**row, "n": n} for row in _clusterings(problem)]
        rows.append({"algorithm": "split-carry", **_chain(problem), "n": n})
    title = f"Figure 6: synthetic census, 4 attributes, k = {k}"
    _plot(f"figure_6_k{k}_{sizes[0]}", rows, "n", title)
    return _show(title, rows)


def _figure_7(adult: pl.DataFrame) -> Rows:
    rows: Rows = []
    for k in (5, 10, 15, 25, 50, 100, 200):
        problem = problem_of(adult[:20_000], k)
        rows += [{**row, "k": k} for row in _clusterings(problem)]
    _plot("figure_7", rows, "k", "Figure 7: Adult, 20,000 × 8")
    return _show("Figure 7: Adult, 20,000 × 8", rows)


def _figure_8(census: pl.DataFrame) -> Rows:
    rows: Rows = []
    for k in (10, 100):
        for m in (15, 25, 35):
            problem = problem_of(census, k, census.columns[:m])
            rows += [
                {**row, "algorithm": f"{row['algorithm']}, k={k}", "m": m}
                for row in _clusterings(problem)
            ]
    _plot("figure_8", rows, "m", "Figure 8: synthetic census, 20,000 records")
    return _show("Figure 8: synthetic census, 20,000 records", rows)


def _figures_9_10(fars: pl.DataFrame) -> Rows:
    rows: Rows = []
    for n in (1_000, 40_000):
        problem = problem_of(fars[:n], 3)
        rows += [{**row, "n": n} for row in _clusterings(problem)]
        rows.append({"algorithm": "split-carry", **_chain(problem), "n": n})
        if n <= 5_000:
            rows += [{**row, "n": n} for row in _doka(problem)]
    return _show(f"Figures 9 and 10: FARS ({', '.join(fars.columns)}), k = 3", rows)


def _appendix_a(fars: pl.DataFrame) -> Rows:
    """Show the loss of each attribute, unweighted, under equal and unequal weights."""
    columns = fars.columns
    rows: Rows = []
    for name, shares in (("equal", (0.25,) * 4), ("unequal", (0.8, 0.05, 0.1, 0.05))):
        losses = []
        for draw in range(DRAWS):
            weight = dict(zip(columns, shares, strict=True))
            problem = problem_of(fars[draw * 20 : (draw + 1) * 20], 3, columns, weight)
            found = make_algorithm("optimal").solve(
                problem, Run(seed=1, budget=Budget(seconds=SECONDS))
            )
            assert isinstance(found, Partition)
            losses.append(_losses_of_attributes(problem, found))
        by_attribute = [mean(column) for column in zip(*losses, strict=True)]
        rows.append({"weights": name, **dict(zip(columns, by_attribute, strict=True))})
    return _show("Appendix A: mean width of each attribute, FARS, 20 records, k = 3", rows)


def _losses_of_attributes(problem: Problem, found: Partition) -> list[float]:
    shares = []
    for codes, domain in zip(problem.codes, problem.domains, strict=True):
        closures, index = domain.close(codes[found.rows], found.starts)
        losses = domain.loss(closures)[index]
        shares.append(float((losses * found.sizes).sum() / problem.n))
    return shares


def _reach(adult: pl.DataFrame) -> Rows:
    """Show how far Split & Carry goes with an exact sub-solver: more attributes, larger k."""
    rows: Rows = []
    n = 20_000
    for k, sets in ((3, 3), (5, 3), (10, 2)):
        problem = problem_of(adult[:n], k)
        greedy = solved(problem, "greedy")
        found = _chain(problem, sets=sets)
        rows.append(
            {
                "k": k,
                "S": sets,
                **found,
                "CPU ms a record": 1_000 * found["CPU s"] / n,
                "greedy": greedy["loss"],
                "ratio": found["loss"] / greedy["loss"],
            }
        )
    return _show(f"Reach: Adult, {n:,} × 8, split-carry with `optimal`, no limit of time", rows)


Draw = Callable[[pl.DataFrame], Rows]
FARS = ("MONTH", "AGE", "SEX", "target")
FARS_BY_STATE = ("CASE_STATE", "AGE", "SEX", "target")
# Numbers whose values lie far apart: the variance of values orders them otherwise than of ranks.
ADULT_NUMBERS = ("age", "education-num", "capital-gain", "capital-loss", "hours-per-week")
FARS_TESTS = ("AGE", "ALCOHOL_TEST_RESULT", "DRUG_TEST_RESULTS_(1_of_3)", "SEATING_POSITION",
              "RESTRAINT_SYSTEM-USE")  # fmt: skip
FARS_WEIGHED = ("AGE", "SEX", "target", "POLICE_REPORTED_ALCOHOL_INVOLVEMENT")
# The table and the drawing of each part.
FIGURES: dict[str, tuple[Callable[[], pl.DataFrame | None], Draw]] = {
    "figure_2_records": (
        adult_codes,
        lambda adult: _figure_2(adult, [(n, 4) for n in (10, 20, 40, 60, 100)], "n"),
    ),
    "figure_2_attributes": (
        adult_codes,
        lambda adult: _figure_2(adult, [(20, m) for m in (2, 4, 6, 8)], "m"),
    ),
    "milp": (adult_codes, _milp),
    "figure_5": (adult_codes, _figure_5),
    **{f"boundary_k{k}": (adult_codes, partial(_boundary, k=k)) for k in (3, 5)},
    **{
        f"orders_{table}": (partial(make, columns), partial(_orders, table=table))
        for table, make, columns in (
            ("adult", adult_numbers, ADULT_NUMBERS),
            ("fars", fars_codes, FARS_TESTS),
        )
    },
    "table_8": (adult_codes, _table_8),
    **{
        f"figure_6_k{k}{which}": (
            lambda: census_codes(100_000),
            partial(_figure_6, k=k, sizes=sizes),
        )
        for k in (3, 5)
        for which, sizes in (("", (20_000, 100_000)), ("_between", (40_000, 60_000, 80_000)))
    },
    "figure_7": (adult_codes, _figure_7),
    "figure_8": (lambda: wide_census(20_000, 35), _figure_8),
    "figures_9_10": (lambda: fars_codes(FARS), _figures_9_10),
    "figures_9_10_state": (lambda: fars_codes(FARS_BY_STATE), _figures_9_10),
    "appendix_a": (lambda: fars_codes(FARS_WEIGHED), _appendix_a),
    "reach": (adult_codes, _reach),
}
PARTS = {part: partial(draw_figure, part) for part in FIGURES}
