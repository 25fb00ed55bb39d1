"""Rivals of the MILP paper as it ran them: Mondrian of a toolbox, and Greedy Search in Python.

The paper took Mondrian from the UT Dallas Anonymization Toolbox, whose source has this rule. An
attribute has one cut, above its lower median, so that it is never cut while its largest value is
that of half of the records. Of the attributes whose cut leaves k records on both sides, the one
with the widest interval is cut; the interval is what earlier cuts left, not what the records span.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.milp_figures import FARS
from benchmarks.milp_tables import FOUR, adult_codes, census_codes, fars_codes, problem_of
from benchmarks.problems import mean_loss
from benchmarks.timing import print_table
from shoal.algorithms import Run, make_algorithm

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from numpy.typing import NDArray

Rows = list[dict[str, Any]]
Classes = list["NDArray[np.int64]"]
K = 3


def run() -> dict[str, Rows]:
    """Run every part."""
    return {name: part() for name, part in PARTS.items()}


def toolbox_classes(values: NDArray[np.int64], k: int) -> Classes:
    """Divide records, a row of numbers each, as the toolbox's Mondrian does."""
    low, high = values.min(axis=0), values.max(axis=0)
    spans = np.maximum(high - low, 1)
    done: Classes = []
    waiting = [(np.arange(len(values)), low, high)]
    while waiting:
        rows, low, high = waiting.pop()
        of = values[rows]
        medians = np.sort(of, axis=0)[(len(rows) + 1) // 2 - 1]
        below = (of <= medians).sum(axis=0)
        able = (below >= k) & (len(rows) - below >= k)
        if not able.any():
            done.append(rows)
            continue
        place = int(np.argmax(np.where(able, (high - low) / spans, -1.0)))
        left = of[:, place] <= medians[place]
        most, least = high.copy(), low.copy()
        most[place] = least[place] = medians[place]
        waiting += [(rows[left], low, most), (rows[~left], least, high)]
    return done


def loss_of(values: NDArray[np.int64], classes: Classes) -> float:
    """Return the GCP of classes published as tight intervals."""
    spans = np.maximum(np.ptp(values, axis=0), 1)
    lost = sum(len(rows) * float((np.ptp(values[rows], axis=0) / spans).mean()) for rows in classes)
    return lost / len(values)


def _mondrian() -> Rows:
    """Compare the initial solution with both Mondrians, on the tables of Figures 5 and 6."""
    adult = adult_codes()
    census = census_codes(100_000)
    tables = [("Adult", adult[:5_000], K)] if adult is not None else []
    tables += [("synthetic", census[:n], k) for k in (3, 5) for n in (20_000, 60_000, 100_000)]
    rows: Rows = []
    for table, frame, k in tables:
        problem = problem_of(frame, k, FOUR)
        ours = {
            name: mean_loss(problem, make_algorithm(name, param).solve(problem, Run(seed=1)))
            for name, param in (("sorted", {"order": "values"}), ("mondrian", {}))
        }
        values = frame.select(FOUR).to_numpy().astype(np.int64)
        classes = toolbox_classes(values, k)
        toolbox = loss_of(values, classes)
        medians = np.sort(values, axis=0)[(len(values) + 1) // 2 - 1]
        rows.append(
            {
                "table": table,
                "n": frame.height,
                "k": k,
                **ours,
                "toolbox": toolbox,
                "toolbox / sorted": toolbox / ours["sorted"],
                "mondrian / sorted": ours["mondrian"] / ours["sorted"],
                "never cut at first": int((values.max(axis=0) == medians).sum()),
            }
        )
    return _show(rows)


def plain_greedy(frame: pl.DataFrame, k: int) -> Classes:
    """Make classes by Greedy Search, a record at a time in Python."""
    columns = sorted(frame.columns, key=lambda name: float(np.var(frame[name].to_numpy())))
    records = frame.select(columns).rows()
    spans = [max(1, int(np.ptp(frame[name].to_numpy()))) for name in columns]
    left = sorted(range(len(records)), key=lambda row: records[row])
    classes: list[list[int]] = []
    while len(left) >= k:
        members = [left.pop(0)]
        low, high = list(records[members[0]]), list(records[members[0]])
        while len(members) < k:
            costs = [_grown(records[row], low, high, spans) for row in left]
            nearest = costs.index(min(costs))
            members.append(left.pop(nearest))
            taken = records[members[-1]]
            low, high = list(map(min, low, taken)), list(map(max, high, taken))
        classes.append(members)
    for row in left:
        classes[-1].append(row)
    return [np.array(members) for members in classes]


def _grown(
    record: Sequence[int], low: Sequence[int], high: Sequence[int], spans: Sequence[int]
) -> float:
    total = 0.0
    for value, least, most, span in zip(record, low, high, spans, strict=True):
        total += (max(value, most) - min(value, least)) / span
    return total


def _greedy() -> Rows:
    """Time Greedy Search in Python on FARS, as large as is quick, beside the kernel."""
    fars = fars_codes(FARS)
    rows: Rows = []
    for n in (1_000, 2_000, 4_000) if fars is not None else ():
        assert fars is not None
        frame = fars[:n]
        start = time.process_time()
        classes = plain_greedy(frame, K)
        plain = time.process_time() - start
        problem = problem_of(frame, K)
        start = time.process_time()
        found = make_algorithm("greedy", {"settle": False, "order": "values"}).solve(
            problem, Run(seed=1)
        )
        ours = time.process_time() - start
        values = frame.to_numpy().astype(np.int64)
        rows.append(
            {
                "n": n,
                "loss, Python": loss_of(values, classes),
                "loss": mean_loss(problem, found),
                "CPU s, Python": plain,
                "CPU s": ours,
            }
        )
    return _show(rows)


def _show(rows: Rows) -> Rows:
    if rows:
        print_table(tuple(rows[0]), [tuple(row.values()) for row in rows])
    return rows


PARTS = {"mondrian": _mondrian, "greedy": _greedy}
