"""Covers that start from pairs of near records: regular whatever the parity, and no worse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shoal._core import kernels
from shoal.algorithms import Run, make_algorithm
from shoal.algorithms.cover import Cover
from shoal.algorithms.freeform import refine
from shoal.algorithms.freeform.covering import cover_by, rows_of
from shoal.algorithms.freeform.pairs import cover_by_pairs, near_pairs
from tests.algorithms.test_freeform import problem
from tests.tables import mixed_table


@pytest.mark.parametrize("n", [40, 41])
def test_pairs_hold_everybody_once_and_are_near(n: int) -> None:
    asked = problem(mixed_table(n, 5, spread=12), 2)
    groups = [np.arange(0, n, 2), np.arange(1, n, 2)]
    first, second, alone = near_pairs(asked, Run(seed=1), groups)
    everyone = [*first.tolist(), *second.tolist(), *([] if alone is None else [alone])]
    assert sorted(everyone) == list(range(n))
    assert (alone is None) == (n % 2 == 0)
    # Partners are of one group, but for who is left over in each.
    assert np.count_nonzero(first % 2 != second % 2) <= 1


@pytest.mark.parametrize("n", [30, 31])
@pytest.mark.parametrize("k", [8, 9])
def test_covers_of_pairs_are_regular(n: int, k: int) -> None:
    asked = problem(mixed_table(n, 3, missing=0.1, spread=12), k)
    solve = cover_by_pairs(cover_by("assignments"), lambda _, found: found, [np.arange(n)])
    cover = solve(asked, Run(seed=1))
    assert cover.matches.shape == (n, k)
    assert (np.bincount(cover.matches.ravel()) == k).all()
    assert all(len(set(covered)) == k for covered in cover.matches.tolist())
    assert (cover.matches[:, 0] == np.arange(n)).all()


def test_a_search_from_pairs_is_one_of_steps_and_of_no_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(refine, "START_WORK", 2e4)
    monkeypatch.setattr(refine, "FEWEST_FOR_PAIRS", 8)
    asked = problem(mixed_table(301, 2, spread=28), 9)
    found = []
    for threads in (1, 2):
        run = Run(seed=4, steps=400, threads=threads)
        cover = make_algorithm("ff-refine").solve(asked, run)
        assert isinstance(cover, Cover)
        assert run.control.steps == 400
        assert (np.bincount(cover.matches.ravel()) == 9).all()
        found.append(cover)
    assert (found[0].matches == found[1].matches).all()
    records = asked.records()
    losses = [
        kernels.cover_loss(records, 9, rows_of(asked, one))
        for one in (found[0], cover_by("greedy")(asked, Run(seed=1)))
    ]
    assert losses[0] < losses[1]


def test_pairs_that_are_no_cover_are_refused() -> None:
    asked = problem(mixed_table(8, 1), 2)
    records = asked.records()
    pairs = np.arange(asked.rows // 2 * 2, dtype=np.int32)
    words: dict[str, Any] = {
        "seed": 1,
        "steps": 1,
        "seconds": 0.0,
        "block": 4,
        "heat": 0.0,
        "threads": 1,
    }
    ring = np.array([[i, (i + 1) % (len(pairs) // 2)] for i in range(len(pairs) // 2)])
    held = ring.astype(np.int32).ravel()
    control = kernels.Control()
    assert len(kernels.refine_pairs(records, pairs, 2, held, control=control, **words)) == len(held)
    for wrong, rows in ((held[:-1], pairs), (np.zeros_like(held), pairs), (held, pairs + 9)):
        with pytest.raises(ValueError, match=r"must|differ"):
            kernels.refine_pairs(records, rows, 2, wrong, control=control, **words)
