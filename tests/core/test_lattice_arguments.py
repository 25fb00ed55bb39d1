"""The lattice kernel refuses what it could not judge rightly, and can be stopped."""

from __future__ import annotations

import resource
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from shoal._core import kernels
from shoal.errors import Cancelled

CODES = np.array([0, 1, 2, 2], dtype=np.uint8)
COUNTS = np.ones(4, dtype=np.int32)
LOOK = np.array([[0, 1, 2], [0, 0, 1], [0, 0, 0]], dtype=np.int32)
COST = np.array([[0, 0, 0], [2, 2, 1], [4, 4, 4]], dtype=np.int64)
SILENT = np.array([[0, 0, 0], [0, 0, 0], [1, 1, 1]], dtype=np.uint8)


def empty(**other: Any) -> kernels.Lattice:
    words: dict[str, Any] = {
        "counts": COUNTS,
        "k": 2,
        "limit": 0,
        "loss": "cost",
        "suppressed_cost": 8,
        "models": kernels.Models(4),
        "inferable": [],
    }
    if "models" in other:
        other["models"] = kernels.Models(other["models"])
    return kernels.Lattice(**{**words, **other})


def lattice() -> kernels.Lattice:
    made = empty()
    made.add(CODES, LOOK, COST, SILENT)
    return made


def test_a_small_lattice_is_judged() -> None:
    nodes = np.array([[0], [1], [2]], dtype=np.uint8)
    suppressed, loss, floor, sound, base = lattice().judge(nodes, 1, kernels.Control())
    assert suppressed.tolist() == [2, 0, 0]
    assert sound.tolist() == base.tolist() == [0, 1, 1]
    assert loss.tolist()[1:] == [2 + 2 + 1 + 1, 16]
    assert floor.tolist() == [0, 6, 16]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"counts": np.array([1, 0], dtype=np.int32)}, "positive"),
        ({"k": 0}, "k must be"),
        ({"limit": -1}, "limit"),
        ({"loss": "none"}, "loss must be"),
        ({"suppressed_cost": 2**62}, "too large"),
        ({"models": 3}, "same rows"),
        ({"inferable": [True]}, "entry a model"),
    ],
)
def test_bad_problems_are_refused(words: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        empty(**words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"codes": np.array([0, 1, 2, 3], dtype=np.uint8)}, "must have a look"),
        ({"codes": CODES[:3]}, "each row"),
        ({"look": LOOK[::-1].copy()}, "stay equal"),
        ({"look": LOOK + 1}, "from 0 to"),
        ({"look": LOOK.astype(np.int64)}, "int32"),
        ({"cost": COST[::-1].copy()}, "nor fall"),
        ({"cost": COST[:, :2].copy()}, "each level"),
        ({"cost": COST * 3}, "suppressed record"),
        ({"cost": np.array([[0, 0, 0], [2, 1, 1], [4, 4, 4]])}, "cost the same"),
        ({"silent": np.array([[0, 0, 0], [1, 0, 0], [1, 1, 1]], dtype=np.uint8)}, "read the same"),
    ],
)
def test_bad_ladders_are_refused(words: dict[str, Any], message: str) -> None:
    given = {"codes": CODES, "look": LOOK, "cost": COST, "silent": SILENT, **words}
    with pytest.raises(ValueError, match=message):
        empty().add(**given)


def test_bad_nodes_and_searches_are_refused() -> None:
    control = kernels.Control()
    with pytest.raises(ValueError, match="no attribute"):
        empty().search("ola", 1, 1.0, 10, control)
    with pytest.raises(ValueError, match="no such level"):
        lattice().judge(np.array([[3]], dtype=np.uint8), 1, control)
    with pytest.raises(ValueError, match="one level for each"):
        lattice().judge(np.zeros((1, 2), dtype=np.uint8), 1, control)
    with pytest.raises(ValueError, match="no such search"):
        lattice().search("best", 1, 1.0, 10, control)
    with pytest.raises(ValueError, match="threads"):
        lattice().search("ola", 0, 1.0, 10, control)
    used = lattice()
    used.judge(np.array([[1]], dtype=np.uint8), 1, control)
    with pytest.raises(ValueError, match="before nodes"):
        used.add(CODES, LOOK, COST, SILENT)


@pytest.mark.parametrize("way", ["exhaustive", "ola", "flash", "incognito", "samarati"])
def test_searches_can_be_cancelled_and_end_in_time(way: str) -> None:
    rng = np.random.default_rng(1)
    rows, attributes = 3_000, 8
    made = empty(counts=np.ones(rows, dtype=np.int32), models=rows,
                 suppressed_cost=100)  # fmt: skip
    look = np.stack([np.arange(16) >> level for level in range(5)]).astype(np.int32)
    cost = np.repeat(np.arange(5, dtype=np.int64)[:, None], 16, axis=1)
    for _ in range(attributes):
        codes = rng.integers(0, 16, rows).astype(np.uint8)
        made.add(codes, look, cost, np.zeros((5, 16), dtype=np.uint8))
    node, _, checks, complete = made.search(way, 1, 0.0, 2**40, kernels.Control())
    assert not complete
    assert checks <= 1
    # What was met by then; only an exhaustive walk may have met nothing sound.
    assert len(node) == attributes or way == "exhaustive"
    control = kernels.Control()
    control.cancel()
    with pytest.raises(Cancelled):
        made.search(way, 2, 10.0, 2**40, control)


def test_one_lattice_serves_several_threads() -> None:
    shared = lattice()
    nodes = np.array([[0], [1], [2]] * 50, dtype=np.uint8)
    alone = [part.tolist() for part in lattice().judge(nodes, 1, kernels.Control())]

    def ask(threads: int) -> list[list[int]]:
        return [part.tolist() for part in shared.judge(nodes, threads, kernels.Control())]

    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(ask, [1, 2, 3, 4] * 25):
            assert found == alone


def test_a_refused_lattice_leaves_nothing_behind() -> None:
    counts = np.full(200_000, 2**20, dtype=np.int32)
    words: dict[str, Any] = {"counts": counts, "models": len(counts)}

    def refuse(times: int) -> int:
        for _ in range(times):
            with pytest.raises(ValueError, match="too many records"):
                empty(**words)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = refuse(20)
    assert refuse(100) < before + 20_000  # kilobytes; each would leave 800 behind
