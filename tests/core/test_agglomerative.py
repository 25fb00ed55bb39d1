"""Agglomerative clustering against an oracle that looks at all pairs."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest

from shoal._core import kernels
from shoal.errors import Cancelled
from tests.core.exact_tables import exact_table
from tests.core.tables import TestTable, random_table, seed_blocks
from tests.interrupting import Interrupted
from tests.reference.agglomerative import NearTieError, agglomerative
from tests.reference.clustering import class_loss
from tests.reference.information import class_information

if TYPE_CHECKING:
    from collections.abc import Sequence

PATHS = kernels.available_paths()


def draw_k(seed: int, table: TestTable) -> int:
    return int(np.random.default_rng(seed + 10_000).integers(1, min(table.records.total, 12) + 1))


def class_total(table: TestTable, members: Sequence[int]) -> float:
    return len(members) * class_loss(table.attributes, members)


@pytest.mark.parametrize("seeds", seed_blocks(200), ids=str)
@pytest.mark.parametrize("shrink", [False, True])
def test_unites_as_the_oracle_does(seeds: range, shrink: bool) -> None:
    for seed in seeds:
        table = exact_table(seed, most_codes=9 if seed % 2 else 513)
        k = draw_k(seed, table)
        rows = [table.expand([row]) for row in range(table.rows)]
        expected = agglomerative(
            partial(class_total, table),
            rows,
            k,
            shrink=shrink,
        )
        for path in PATHS:
            placed = kernels.agglomerative(
                kernels.Objective(table.records), k, shrink, kernels.Control(), path
            )
            assert table.classes_of(placed) == table.fold_classes(expected)


@pytest.mark.parametrize("w", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("shrink", [False, True])
def test_unites_under_information_measures_as_the_oracle_does(w: float, shrink: bool) -> None:
    decisive = 0
    for seed in range(40):
        table = random_table(seed, size=12)
        draw = np.random.default_rng(seed)
        secret = draw.integers(0, 3, table.rows).astype(np.uint32)
        of_record = secret[table.row_of].tolist()
        objective = kernels.Objective.information(table.records, w, secret, 3)
        k = min(2 + seed % 4, table.records.total)
        try:
            expected = agglomerative(
                lambda members, table=table, of_record=of_record: class_information(  # type: ignore[misc]
                    table.attributes, members, of_record, w
                ),
                [table.expand([row]) for row in range(table.rows)],
                k,
                shrink=shrink,
                margin=1e-9,
            )
        except NearTieError:
            continue
        decisive += 1
        placed = kernels.agglomerative(objective, k, shrink, kernels.Control())
        assert table.classes_of(placed) == table.fold_classes(expected)
    assert decisive >= 5


@pytest.mark.parametrize("shrink", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_all_paths_agree_on_larger_tables(seed: int, shrink: bool) -> None:
    table = random_table(seed, size=600, most_codes=[7, 60, 300, 70_000][seed % 4])
    k = [2, 5, 20][seed % 3]
    placed = [
        kernels.agglomerative(kernels.Objective(table.records), k, shrink, kernels.Control(), path)
        for path in PATHS
    ]
    for other in placed[1:]:
        for mine, theirs in zip(placed[0], other, strict=True):
            np.testing.assert_array_equal(mine, theirs)
    sizes = np.bincount(placed[0][1], placed[0][2])
    assert sizes.sum() == table.records.total
    assert sizes.min() >= k


def many_rows(rows: int) -> kernels.Records:
    draw = np.random.default_rng(5)
    records = kernels.Records(np.ones(rows, dtype=np.int32))
    for _ in range(6):
        records.add_interval(draw.integers(0, 200, rows).astype(np.uint8),
                             np.linspace(0.0, 1.0, 200), 1 / 6)  # fmt: skip
    return records


def test_cancel_ends_a_kernel_under_way() -> None:
    records = many_rows(200_000)
    control = kernels.Control()
    objective = kernels.Objective(records)
    ended = Interrupted(lambda: kernels.agglomerative(objective, 5, False, control), control)
    assert ended.cancelled
    assert ended.went_on < 0.01


def test_progress_grows_while_it_runs() -> None:
    objective = kernels.Objective(many_rows(200_000))  # which would take minutes
    control = kernels.Control()

    def work() -> None:
        with suppress(Cancelled):
            kernels.agglomerative(objective, 5, False, control)

    worker = threading.Thread(target=work)
    seen = [control.progress]
    worker.start()
    while len(set(seen)) < 3 and worker.is_alive():
        seen.append(control.progress)
        time.sleep(0.001)
    control.cancel()
    worker.join()
    assert seen == sorted(seen)
    assert all(0.0 <= share < 1.0 for share in seen)
    assert len(set(seen)) == 3

    whole = kernels.Control()
    kernels.agglomerative(kernels.Objective(many_rows(100)), 5, False, whole)
    assert whole.progress == 1.0


@pytest.mark.parametrize(("k", "what"), [(0, "at least 1"), (4, "not exceed")])
def test_k_out_of_range_is_refused(k: int, what: str) -> None:
    records = kernels.Records(np.array([1, 2], dtype=np.int32))
    records.add_set(np.array([0, 1], dtype=np.uint8), 2, 1.0, 1.0)
    with pytest.raises(ValueError, match=what):
        kernels.agglomerative(kernels.Objective(records), k, False, kernels.Control())
