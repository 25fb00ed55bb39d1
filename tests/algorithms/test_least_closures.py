"""What single records lose at least: never above what any division loses that meets a model."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.algorithms import Problem, Run
from shoal.algorithms.budget import Budget
from shoal.algorithms.least_closures import bound_by_closures
from shoal.algorithms.lower_bound import find_lower_bound
from shoal.encoding import encode
from shoal.errors import ParameterError
from shoal.models import PersonalK, parse_models, protect
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table
from tests.reference.loss import class_loss
from tests.reference.models import (
    disclosure,
    enhanced_likeness,
    entropy,
    equal_distance,
    largest_share,
    likeness,
    ordered_distance,
    recursive_holds,
    transport,
)
from tests.reference.optimum import divisions
from tests.tables import MIXED, mixed_table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Holds = Callable[[Sequence[str], Sequence[str]], bool]

WORDS = {key: value for key, value in MIXED.items() if key != "hierarchy"}

MODELS: dict[str, Holds] = {
    "distinct-l-diversity:3": lambda values, _: len(set(values)) >= 3,
    "entropy-l-diversity:2": lambda values, _: entropy(values) >= log(2) - 1e-9,
    "frequency-l-diversity:3": lambda values, _: largest_share(values) <= Fraction(1, 3),
    "recursive-l-diversity:2,2": lambda values, _: recursive_holds(values, Fraction(2), 2),
    "t-closeness:0.3": lambda values, table: transport(values, table, equal_distance) <= 0.3 + 1e-9,
    "delta-disclosure:1": lambda values, table: disclosure(values, table) < 1,
    "beta-likeness:0.5": lambda values, table: likeness(values, table) <= 0.5,
    "enhanced-beta-likeness:0.5": lambda values, table: enhanced_likeness(values, table) <= 0.5,
}


def problem_of(
    frame: pl.DataFrame, k: int, models: tuple[str, ...] = (), suppression: float = 0.0
) -> Problem:
    job = Job.from_dict({**WORDS, "k": k, "model": models})
    table = Table.of(frame, schema_of(frame, job, MIXED["hierarchy"]))
    protections = [protect(one, table) for one in parse_models(job.models, job.sensitive)]
    return Problem.of(
        encode(table),
        k,
        models=tuple(one.model for one in protections),
        protected=tuple(one.codes for one in protections),
        suppression=suppression,
    )


def least_loss(frame: pl.DataFrame, k: int, holds: Callable[[list[int]], bool]) -> float:
    """Return the least loss per record of all divisions into classes that hold."""
    schema = schema_of(frame, Job.from_dict({**WORDS, "k": k}), MIXED["hierarchy"])
    known: dict[tuple[int, ...], float] = {}

    def cost(rows: list[int]) -> float:
        key = tuple(rows)
        if key not in known:
            known[key] = len(rows) * class_loss(frame, schema, rows) if holds(rows) else np.inf
        return known[key]

    every = divisions(list(range(frame.height)), k)
    return min(sum(map(cost, classes)) for classes in every) / frame.height


@pytest.mark.parametrize("model", MODELS)
def test_never_above_the_least_loss_of_classes_that_meet_a_model(model: str) -> None:
    tight = 0
    for seed in range(6):
        n = 6
        frame = mixed_table(n, 31 * seed + 5, missing=0.1 * (seed % 2), spread=3 + seed % 5)
        values = frame["disease"].cast(str).to_list()

        def holds(rows: list[int], values: list[str] = values) -> bool:
            return MODELS[model]([values[row] for row in rows], values)

        if not holds(list(range(n))):
            continue
        with_model = problem_of(frame, 2, (model,))
        least = least_loss(frame, 2, holds)
        alone = bound_by_closures(problem_of(frame, 2), Run(seed=0))
        bound = bound_by_closures(with_model, Run(seed=0))
        assert alone <= bound <= least + 1e-12, seed
        assert find_lower_bound(with_model, None, Run(seed=0), rounds=5).loss <= least + 1e-12
        tight += bound > alone
    # Where a model asks for other company than k does, it raises the bound.
    assert tight > 0 or model == "recursive-l-diversity:2,2"


@pytest.mark.parametrize("k", [2, 3, 4])
def test_never_above_the_least_loss_and_not_far_below(k: int) -> None:
    ratios = []
    for seed in range(12):
        n = 6 + seed % 3
        frame = mixed_table(n, 7 * k + seed, missing=0.1 * (seed % 3), spread=2 + seed % 7)
        least = least_loss(frame, k, lambda _: True)
        bound = bound_by_closures(problem_of(frame, k), Run(seed=0))
        assert bound <= least + 1e-12, seed
        ratios.append(bound / least if least > 0 else 1.0)
    assert np.median(ratios) > 0.6


def test_never_above_the_least_loss_under_personal_ks() -> None:
    for seed in range(8):
        rng = np.random.default_rng(seed)
        n = 7
        frame = mixed_table(n, seed, spread=6)
        own = rng.choice([2, 3, 5], n)
        plain = problem_of(frame, 2)
        ks, codes = np.unique(own, return_inverse=True)
        # A row of its own for each record, so that equal ones may ask for different ks.
        asked = Problem.of(
            encode(
                Table.of(
                    frame, schema_of(frame, Job.from_dict({**WORDS, "k": 2}), MIXED["hierarchy"])
                )
            ),
            2,
            models=(PersonalK(ks),),
            protected=(codes.astype(np.uint32),),
        )

        def holds(rows: list[int], own: NDArray[np.int64] = own) -> bool:
            return len(rows) >= int(own[rows].max())

        least = least_loss(frame, 2, holds)
        common = bound_by_closures(plain, Run(seed=0))
        bound = bound_by_closures(asked, Run(seed=0))
        assert common <= bound <= least + 1e-12


def test_a_bound_that_time_ends_is_lower() -> None:
    problem = problem_of(mixed_table(40, 3, spread=9), 4)
    whole = bound_by_closures(problem, Run(seed=0))
    assert whole > 0
    out_of_time = Run(seed=0, budget=Budget(seconds=0.0))
    assert bound_by_closures(problem, out_of_time) == 0.0


def test_columns_that_are_kept_or_suppressed() -> None:
    # Pairs of equal records, and one pair that differs in both columns.
    frame = pl.DataFrame({"a": list("xxyyzw"), "b": list("ppqqrs")})
    words: dict[str, Any] = {"k": 2, "quasi": ["a", "b"], "suppress_only": ["a", "b"]}
    job = Job.from_dict(words)
    problem = Problem.of(encode(Table.of(frame, schema_of(frame, job))), 2)
    assert bound_by_closures(problem, Run(seed=0)) == pytest.approx(2 / 6, abs=1e-8)
    assert shoal.bound(frame, bound_seconds=20, **words)["loss"] == pytest.approx(2 / 6)


def test_intervals_by_hand() -> None:
    # Of 0, 1, 2, 9, 10 each needs the nearest window of three: 2, 2, 2, 8 and 8 of ten.
    frame = pl.DataFrame({"age": [0, 1, 2, 9, 10]})
    problem = Problem.of(
        encode(Table.of(frame, schema_of(frame, Job.from_dict({"k": 3, "quasi": ["age"]})))), 3
    )
    assert bound_by_closures(problem, Run(seed=0)) == pytest.approx((3 * 0.2 + 2 * 0.8) / 5)


def test_sets_by_hand() -> None:
    # Five values, 4, 2, 1, 1 and 1 times; k = 4: the first needs none beside it, all others one.
    frame = pl.DataFrame({"place": list("aaaabbcde")})
    problem = Problem.of(
        encode(Table.of(frame, schema_of(frame, Job.from_dict({"k": 4, "quasi": ["place"]})))), 4
    )
    assert bound_by_closures(problem, Run(seed=0)) == pytest.approx(5 * 0.25 / 9)
    # k = 6: the two commonest are six, so that they need one beside them; the others two.
    six = replace(problem, k=6)
    assert bound_by_closures(six, Run(seed=0)) == pytest.approx((6 * 0.25 + 3 * 0.5) / 9)


def test_models_are_options_of_a_bound() -> None:
    frame = mixed_table(30, 2, spread=9)
    alone = shoal.bound(frame, k=2, bound_seconds=10, **MIXED)
    asked = shoal.bound(frame, k=2, bound_seconds=10, models=["distinct-l-diversity:3"], **MIXED)
    assert alone["lower_bound"] <= asked["lower_bound"] * (1 + 1e-3)
    assert asked["lower_bound"] <= asked["loss"]
    assert asked["loss"] >= alone["loss"]
    for refused in (["average-risk:0.2"], ["k-map:3"]):
        with pytest.raises(ParameterError, match="release as a whole"):
            shoal.bound(frame, k=2, models=refused, **MIXED)
    with pytest.raises(ParameterError, match="classes alone"):
        shoal.bound(frame, k=2, form="freeform", models=["distinct-l-diversity:3"], **MIXED)


@pytest.mark.parametrize(
    "model", ["distinct-l-diversity:2", "distinct-l-diversity:3", "t-closeness:0.3"]
)
def test_prices_know_the_values_that_models_require(model: str) -> None:
    """Tiny tables, all divisions: never above the best that meets the model, often above k."""
    different = {"distinct-l-diversity:2": 2, "distinct-l-diversity:3": 3}.get(model)
    higher, ratios = 0, []
    for seed in range(24):
        n, k = 7 + seed % 3, 2 + seed % 2
        frame = mixed_table(n, 57 * seed + 3, missing=0.1 * (seed % 2), spread=3 + seed % 7)
        # Few records have another value than their neighbours: classes of 2k and more are needed.
        rng = np.random.default_rng(seed)
        values = [str(value) for value in rng.choice(3, n, p=[0.7, 0.2, 0.1])]
        frame = frame.with_columns(disease=pl.Series(values))

        def holds(rows: list[int], values: list[str] = values) -> bool:
            held = [values[row] for row in rows]
            return len(set(held)) >= different if different else MODELS[model](held, values)

        if not holds(list(range(n))):
            continue
        least = least_loss(frame, k, holds)
        alone = find_lower_bound(problem_of(frame, k), None, Run(seed=0), rounds=25).loss
        bound = find_lower_bound(problem_of(frame, k, (model,)), None, Run(seed=0), rounds=25).loss
        assert bound <= least + 1e-12, seed
        higher += bound > alone + 1e-6
        ratios.append(bound / least if least > 0 else 1.0)
    assert len(ratios) > 8
    assert higher >= 5
    assert np.median(ratios) > 0.8


def test_prices_under_a_model_with_suppression() -> None:
    for seed in range(12):
        n, k, limit = 7, 2 + seed % 2, 1 + seed % 2
        frame = mixed_table(n, 91 * seed, missing=0.1 * (seed % 2), spread=3 + seed % 5)
        values = [str(value) for value in np.random.default_rng(seed).choice(2, n, p=[0.7, 0.3])]
        frame = frame.with_columns(disease=pl.Series(values))
        if len(set(values)) < 2:
            continue
        schema = schema_of(frame, Job.from_dict({**WORDS, "k": k}), MIXED["hierarchy"])
        optimum = min(
            gone
            + sum(
                len(rows) * class_loss(frame, schema, rows)
                if len({values[row] for row in rows}) > 1
                else np.inf
                for rows in classes
            )
            for gone in range(limit + 1)
            for out in combinations(range(n), gone)
            for classes in divisions([row for row in range(n) if row not in out], k)
        )
        problem = problem_of(frame, k, ("distinct-l-diversity:2",), (limit + 0.5) / n)
        found = find_lower_bound(problem, None, Run(seed=0), rounds=25).loss
        assert n * found <= optimum + 1e-9, seed


def test_ordered_values() -> None:
    frame = mixed_table(7, 4, spread=6)
    values = [str(size) for size in range(7)]
    order = sorted(values)
    frame = frame.with_columns(disease=pl.Series(values))
    model = "ordered-t-closeness:0.1"

    def holds(rows: list[int]) -> bool:
        return transport([values[row] for row in rows], values, ordered_distance(order)) <= 0.1

    bound = bound_by_closures(problem_of(frame, 2, (model,)), Run(seed=0))
    assert bound <= least_loss(frame, 2, holds) + 1e-12
