"""Exact (k,1), (1,k), (k,k) and concealment: against trying everything, below the heuristic."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import shoal
from shoal.algorithms import Problem, Run, make_algorithm
from shoal.algorithms.concealment import Concealment
from shoal.encoding import encode
from shoal.models import PersonalK
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Schema, Table
from tests.reference.covers import least_concealing_loss, least_loss_of_covering
from tests.tables import MIXED, mixed_table

WORDS = {key: value for key, value in MIXED.items() if key != "hierarchy"}
MODELS: list[Any] = ["(k,1)", "(1,k)", "(k,k)", "concealment"]


def made(n: int, seed: int, k: int, missing: float = 0.0) -> tuple[Any, Schema, Problem]:
    frame = mixed_table(n, seed, missing=missing, spread=6)
    schema = schema_of(frame, Job.from_dict({**WORDS, "k": k}), MIXED["hierarchy"])
    return frame, schema, Problem.of(encode(Table.of(frame, schema)), k)


def solved(asked: Problem, **parameters: Any) -> tuple[float, Concealment]:
    found = make_algorithm("k-concealment", parameters).solve(asked, Run(seed=1))
    assert isinstance(found, Concealment)
    lost, _ = found.lost(asked)
    return lost / asked.n, found


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("n", "k"), [(4, 2), (4, 3), pytest.param(5, 2, marks=pytest.mark.slow)])
def test_the_program_finds_what_trying_everything_finds(n: int, k: int, model: str) -> None:
    for seed in range(2):
        frame, schema, asked = made(n, seed, k)
        loss, found = solved(asked, model=model, exact=True)
        assert found.optimal
        assert found.lower_bound == pytest.approx(loss, abs=1e-6)
        assert loss == pytest.approx(least_concealing_loss(frame, schema, k, model), abs=1e-9)


@pytest.mark.parametrize("model", ["(1,k)", "(k,k)", "concealment"])
def test_the_program_asks_each_record_for_its_own_k(model: str) -> None:
    for seed, ks in ((0, [2, 2, 2, 4]), (1, [3, 2, 4, 2])):
        frame, schema, asked = made(4, seed, 2)
        own = PersonalK(np.array([2, 3, 4]))
        codes = np.array(ks, dtype=np.uint32) - 2
        personal = Problem.of(encode(Table.of(frame, schema)), 2, models=(own,), protected=(codes,))
        loss, found = solved(personal, model=model, exact=True)
        assert found.optimal
        assert loss == pytest.approx(least_concealing_loss(frame, schema, 2, model, ks), abs=1e-9)
        assert solved(asked, model=model, exact=True)[0] <= loss + 1e-9
        assert loss <= solved(personal, model=model)[0] + 1e-9


def test_k_1_is_the_nearest_k_of_each_record() -> None:
    frame, schema, asked = made(9, 4, 3)
    loss, _ = solved(asked, model="(k,1)", exact=True)
    assert loss == pytest.approx(least_loss_of_covering(frame, schema, 3), abs=1e-9)


@pytest.mark.parametrize("model", MODELS)
def test_the_heuristic_is_never_below_it_and_models_ask_for_more_and_more(model: str) -> None:
    for seed in range(2):
        _, _, asked = made(7, seed, 3, missing=0.1)
        least, found = solved(asked, model=model, exact=True)
        assert found.optimal
        assert least <= solved(asked, model=model)[0] + 1e-9
        weaker = {"(k,k)": ["(k,1)", "(1,k)"], "concealment": ["(1,k)"]}.get(model, [])
        for other in weaker:
            assert solved(asked, model=other, exact=True)[0] <= least + 1e-9
        cover = make_algorithm("ff-mip").solve(asked, Run(seed=1))
        assert cover.optimal
        assert cover.lower_bound is not None
        assert least <= cover.lower_bound + 1e-6  # k-anonymity promises each of them


@pytest.mark.parametrize("model", MODELS)
def test_exact_releases_are_verified_from_the_files(model: Any) -> None:
    frame = mixed_table(7, 3, missing=0.1)
    release = shoal.anonymize(
        frame, k=3, algorithm="k-concealment", param={"model": model, "exact": True}, **MIXED
    )
    assert release.verdict.passed
    assert release.figures.optimal
    assert shoal.verify(frame, release.frame, k=3, form=model, **MIXED).passed


def test_larger_tables_and_suppression_are_not_claimed() -> None:
    _, _, asked = made(20, 1, 3)
    run = Run(seed=1)
    found = make_algorithm("k-concealment", {"exact": True}).solve(asked, run)
    assert not found.optimal
    assert "limited to 7 records" in run.notes[0]
    frame = mixed_table(7, 1)
    release = shoal.anonymize(
        frame, k=2, algorithm="k-concealment", param={"exact": True}, suppression=0.3, **MIXED
    )
    assert not release.figures.optimal
    assert release.figures.lower_bound is None
    assert np.isfinite(release.figures.loss)
