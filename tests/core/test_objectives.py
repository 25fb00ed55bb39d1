"""Total loss of classes and its changes, against the definition of each measure."""

from __future__ import annotations

from math import log2
from typing import Any

import numpy as np
import pytest

from shoal._core import kernels
from shoal.algorithms import Problem
from shoal.encoding import encode, encode_values
from shoal.encoding.closures import Sets, Spans
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table
from tests.tables import MIXED, mixed_table

MEASURES = ["gcp", "mi", "pmi", "wmi", "wmi:0.25"]


def make_problem(measure: str, seed: int, **words: Any) -> Problem:
    frame = mixed_table(60, seed, missing=0.1, spread=5)
    given = {key: value for key, value in MIXED.items() if key != "hierarchy"}
    job = Job.from_dict({**given, "k": 2, **words})
    table = Table.of(frame, schema_of(frame, job, MIXED["hierarchy"]))
    target, _ = encode_values(table.frame["disease"])
    return Problem.of(encode(table), 2, measure=measure, target=target)


def covered_codes(problem: Problem, attribute: int, rows: list[int]) -> set[int]:
    domain = problem.domains[attribute]
    closures, _ = domain.close(problem.codes[attribute][rows], np.array([0]))
    if isinstance(closures, Spans):
        return set(range(int(closures.first[0]), int(closures.last[0]) + 1))
    assert isinstance(closures, Sets)
    return set(closures.members.tolist())


def oracle_total(problem: Problem, members: dict[int, int]) -> float:
    """Sum over records and attributes of what the measure's definition says."""
    rows = sorted(members)
    if not rows:
        return 0.0
    name, _, number = problem.measure.partition(":")
    w = {"mi": 1.0, "pmi": 0.0, "wmi": float(number or 0.5)}.get(name)
    counts = problem.counts.tolist()
    total = 0.0
    for j, weight in enumerate(problem.weights):
        codes = problem.codes[j].tolist()
        if w is None:
            closures, _ = problem.domains[j].close(problem.codes[j][rows], np.array([0]))
            loss = float(problem.domains[j].loss(closures)[0])
            total += weight * loss * sum(members.values())
            continue
        inside = covered_codes(problem, j, rows)
        everyone = [row for row in range(problem.rows) if codes[row] in inside]
        mass = sum(counts[row] for row in everyone)
        for row, copies in members.items():
            same = sum(counts[r] for r in range(problem.rows) if codes[r] == codes[row])
            bits = w * -log2(same / mass)
            if w < 1:
                assert problem.target is not None
                secret = problem.target.tolist()
                both = sum(counts[r] for r in everyone if secret[r] == secret[row])
                bits += (1 - w) * -log2(both / mass)
            total += weight * copies * bits
    return total


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("seed", range(4))
def test_totals_and_changes_are_those_of_the_definition(measure: str, seed: int) -> None:
    problem = make_problem(measure, seed)
    objective = problem.objective()
    rng = np.random.default_rng(seed)
    members: dict[int, int] = {}
    state = kernels.ClassState(objective)
    for _ in range(40):
        row = int(rng.integers(problem.rows))
        if row in members and (rng.random() < 0.5 or members[row] == problem.counts[row]):
            after = {**members, row: members[row] - 1}
            after = {r: c for r, c in after.items() if c}
            change = state.change_removing(row, 1)
            state.remove(row, 1)
        else:
            after = {**members, row: members.get(row, 0) + 1}
            change = state.change_adding(row, 1)
            state.add(row, 1)
        expected = oracle_total(problem, after)
        assert change == pytest.approx(expected - oracle_total(problem, members), abs=1e-9)
        assert state.total == pytest.approx(expected, abs=1e-9)
        assert state.size == sum(after.values())
        members = after


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("seed", range(4))
def test_union_of_two_classes(measure: str, seed: int) -> None:
    problem = make_problem(measure, 10 + seed)
    objective = problem.objective()
    rng = np.random.default_rng(seed)
    rows = rng.permutation(problem.rows)[:9].tolist()
    one, two = kernels.ClassState(objective), kernels.ClassState(objective)
    for row in rows[:4]:
        one.add(row, 1)
    for row in rows[4:]:
        two.add(row, 1)
    expected = oracle_total(problem, dict.fromkeys(rows, 1))
    assert one.total_united(two) == pytest.approx(expected, abs=1e-9)
    one.unite(two)
    assert one.total == pytest.approx(expected, abs=1e-9)
    one.remove(rows[0], 1)
    assert one.total == pytest.approx(oracle_total(problem, dict.fromkeys(rows[1:], 1)), abs=1e-9)


def test_a_class_refuses_what_it_does_not_hold() -> None:
    state = kernels.ClassState(make_problem("gcp", 1).objective())
    state.add(0, 1)
    with pytest.raises(ValueError, match="does not hold"):
        state.remove(1, 1)
    with pytest.raises(ValueError, match="no such row"):
        state.change_adding(10**6, 1)
