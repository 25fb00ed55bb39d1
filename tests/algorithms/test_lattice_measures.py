"""Objectives of lattice searches that the evaluator of releases tells, against all nodes."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.algorithms import Levels, Run, make_algorithm
from shoal.algorithms.budget import Budget
from shoal.algorithms.lattice.measured import MEASURES
from shoal.errors import InfeasibleError, ParameterError
from tests.algorithms.test_lattice import OPTIMAL, encoded_of, problem_of, random_case

if TYPE_CHECKING:
    from shoal.hierarchies import Hierarchy

SEEDS = (2, 5, 9)


def figures(
    frame: pl.DataFrame, hierarchies: dict[str, Hierarchy], k: int, suppression: float
) -> dict[tuple[int, ...], dict[str, float]]:
    """Return every measure of every sound node, read back from the table that it releases."""
    problem = problem_of(frame, hierarchies, k, suppression=suppression)
    words: dict[str, Any] = {
        "k": k, "quasi": list(hierarchies), "sensitive": ["ill"], "hierarchy": hierarchies,
    }  # fmt: skip
    heights = [tree.height for tree in hierarchies.values()]
    found = {}
    for node in product(*(range(height + 1) for height in heights)):
        try:
            made = Levels.of(problem, node)
        except InfeasibleError:
            continue
        kept = ~made.suppressed[problem.folded.row_of]
        shown = frame.with_columns(
            pl.Series(name, [tree.names(level)[tree.position[leaf]] for leaf in frame[name]])
            for (name, tree), level in zip(hierarchies.items(), node, strict=True)
        ).filter(pl.Series(kept))
        told = shoal.measure(frame, shown, **words)["measures"] if len(shown) else {"los": 1.0}
        found[node] = told
    return found


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("suppression", [0.0, 0.3])
def test_the_best_node_by_any_measure(seed: int, suppression: float) -> None:
    frame, hierarchies, _ = random_case(seed)
    told = figures(frame, hierarchies, 3, suppression)
    # Where nobody shows anything there is nothing to measure: that is the last resort.
    shown = {node: one for node, one in told.items() if one["los"] < 1}
    target = np.unique(frame["ill"].to_numpy(), return_inverse=True)[1].astype(np.uint32)
    for measure in MEASURES:
        asked = problem_of(
            frame, hierarchies, 3, suppression=suppression, measure=measure, target=target
        )
        best = min((one[measure] for one in shown.values()), default=None)
        for name in OPTIMAL:
            found = make_algorithm(name).solve(asked, Run(seed=seed))
            assert isinstance(found, Levels)
            if best is None:
                assert found.node == found.heights
                continue
            assert told[found.node][measure] == pytest.approx(best, abs=1e-9), (measure, name)
            assert found.optimal
            assert found.lower_bound == pytest.approx(best, abs=1e-9)
        for name in ("samarati", "kgen", "random", "datafly"):
            found = make_algorithm(name).solve(asked, Run(seed=seed, budget=Budget(steps=400)))
            assert isinstance(found, Levels)
            assert found.node in told
            if name == "samarati" and shown:
                # The least height is that of as many suppressed records as are allowed.
                found = make_algorithm(name).solve(
                    replace(asked, suppress_for="released"), Run(seed=seed)
                )
                assert isinstance(found, Levels)
                height = min(map(sum, told))
                least = min(
                    (one[measure] for node, one in shown.items() if sum(node) == height),
                    default=None,
                )
                assert sum(found.node) == height
                assert least is None or told[found.node][measure] == pytest.approx(least)


def test_what_is_better_when_higher_is_refused_with_a_reason() -> None:
    frame, hierarchies, _ = random_case(2)
    for measure in ("pmi_max", "pmi_mean", "pmi_l2", "entropy_diversity"):
        with pytest.raises(ParameterError, match="more of it is better"):
            shoal.anonymize(
                frame, k=2, quasi=list(hierarchies), sensitive=["ill"], hierarchy=hierarchies,
                algorithm="flash", measure=measure,
            )  # fmt: skip


def test_a_budget_ends_a_search_by_measure_without_a_claim() -> None:
    frame, hierarchies, _ = random_case(9)
    asked = problem_of(frame, hierarchies, 3, measure="am", suppression=0.3)
    run = Run(seed=1, budget=Budget(steps=3))
    found = make_algorithm("exhaustive").solve(asked, run)
    assert isinstance(found, Levels)
    assert not found.optimal
    assert any("was stopped after" in note for note in run.notes)
    assert encoded_of(frame, hierarchies).n == asked.n
