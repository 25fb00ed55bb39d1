"""The cut rule: trees as a pure function of histograms."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal.encoding.domain import Domain, TreeDomain
from shoal.engines.codebook import Codebook, Dictionary
from shoal.engines.counting import CodesInMemory
from shoal.engines.cut_tree import Cut, CutTree
from shoal.engines.cutting import Histogram, cell_target, grow_tree, join_for_models
from shoal.errors import InfeasibleError
from shoal.hierarchies import Hierarchy
from shoal.models import DistinctDiversity
from shoal.options import Job
from tests.reference.cuts import cells_of

_TREE = Hierarchy.from_rows(
    [[f"z{i}", f"g{i // 3}", f"h{i // 6}", "*"] for i in range(12)], where="the test"
)


def _people(n: int, seed: int = 3) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    age = np.clip(rng.normal(40, 15, n), 16, 90).astype(int)
    zones = np.minimum(rng.geometric(0.25, n) - 1, 11)
    return pl.DataFrame(
        {
            "age": pl.Series(age).cast(pl.String).set(pl.Series(rng.random(n) < 0.03), None),
            "job": rng.choice(["cook", "nurse", "smith", "clerk"], n, p=[0.7, 0.2, 0.07, 0.03]),
            "zone": [f"z{zone}" for zone in zones],
            "ill": rng.choice(["flu", "gout", "cold"], n),
        }
    )


def _codebook(frame: pl.DataFrame, **options: object) -> Codebook:
    job = Job(k=2, quasi=["age", "job", "zone"], sensitive=["ill"], **options)  # type: ignore[arg-type]
    counted = {name: Dictionary.count(frame[name]) for name in frame.columns}
    return Codebook.of(dict(frame.schema), counted, job, {"zone": _TREE})


def _loss(domain: Domain, codes: set[int]) -> float:
    held = np.array(sorted(codes))
    closures, index = domain.close(held, np.zeros(1, dtype=np.int64))
    return float(domain.loss(closures)[index][0])


def _allowed(domain: Domain, held: set[int], code: int, following: int) -> bool:
    if not isinstance(domain, TreeDomain):
        return True
    level = next(
        level
        for level in range(len(domain.ancestors))
        if len({int(domain.ancestors[level, one]) for one in held}) == 1
    )
    below = domain.ancestors[level - 1]
    return bool(below[code] != below[following])


@pytest.mark.parametrize(("n", "target", "seed"), [(400, 60, 1), (900, 90, 2), (300, 25, 3)])
def test_a_tree_of_histograms_is_that_of_the_records(n: int, target: int, seed: int) -> None:
    frame = _people(n, seed)
    book = _codebook(frame)
    codes = book.encode(frame)
    tree = grow_tree(CodesInMemory(codes), book.domains, book.weights, n=n, k=2, target=target)
    expected = cells_of(
        list(zip(*(c.tolist() for c in codes), strict=True)),
        lambda a, held: book.weights[a] * _loss(book.domains[a], held),
        lambda a, held, code, following: _allowed(book.domains[a], held, code, following),
        target=target,
        least=20,
    )
    assert tree.records == {path: len(records) for path, records in expected.items()}
    number = tree.assign(codes)
    for cell, path in enumerate(tree.cells):
        members = np.flatnonzero(number == cell)
        held = sorted(zip(*(c[members].tolist() for c in codes), strict=True))
        assert held == sorted(expected[path])
    assert len(tree.cells) > 3


def test_the_order_of_records_and_of_counts_does_not_matter() -> None:
    frame = _people(800)
    book = _codebook(frame)
    codes = book.encode(frame)

    class Shuffled(CodesInMemory):
        def histograms(self, tree: CutTree, cells: object) -> list[Histogram]:
            rng = np.random.default_rng(5)
            counted = super().histograms(tree, cells)  # type: ignore[arg-type]
            orders = [rng.permutation(len(one.cell)) for one in counted]
            return [
                Histogram(one.cell[order], one.code[order], one.count[order])
                for one, order in zip(counted, orders, strict=True)
            ]

    mixed = np.random.default_rng(9).permutation(800)
    grown = [
        grow_tree(source, book.domains, book.weights, n=800, k=2, target=100)
        for source in (CodesInMemory(codes), Shuffled([c[mixed] for c in codes]))
    ]
    assert grown[0] == grown[1]


def test_no_side_of_a_cut_has_fewer_than_k_records() -> None:
    frame = _people(3000)
    book = _codebook(frame)
    source = CodesInMemory(book.encode(frame))
    tree = grow_tree(source, book.domains, book.weights, n=3000, k=7, target=150)
    assert min(tree.records.values()) >= 7
    assert tree.n == 3000


def test_equal_records_beyond_four_times_the_target_are_refused() -> None:
    frame = pl.DataFrame({"age": ["30"] * 5000, "job": ["cook"] * 5000, "zone": ["z1"] * 5000,
                          "ill": ["flu"] * 5000})  # fmt: skip
    book = _codebook(frame)
    source = CodesInMemory(book.encode(frame))
    with pytest.raises(InfeasibleError, match="5,000 records cannot be cut") as raised:
        grow_tree(source, book.domains, book.weights, n=5000, k=2, target=1000)
    assert "`cell_records=1250`" in str(raised.value)
    kept = grow_tree(source, book.domains, book.weights, n=5000, k=2, target=1250)
    assert kept.cells == ("",)


def test_cells_have_room_for_classes() -> None:
    assert cell_target(50_000, 5) == 50_000
    assert cell_target(50_000, 1000) == 100_000


def test_siblings_are_one_unit_of_work() -> None:
    cuts = {"": Cut(0, 3), "1": Cut(0, 7), "10": Cut(1, 0)}
    tree = CutTree(cuts, {"0": 10, "100": 4, "101": 6, "11": 9})
    assert tree.cells == ("0", "100", "101", "11")
    assert tree.units == ("0", "10", "11")
    assert [tree.cells_of_unit(unit) for unit in range(3)] == [[0], [1, 2], [3]]
    assert tree.records_of_unit(1) == 10
    assert CutTree.from_dict(tree.to_dict()) == tree


def test_cells_that_break_a_model_are_joined_with_what_they_were_cut_from() -> None:
    cuts = {"": Cut(0, 3), "1": Cut(0, 7), "10": Cut(1, 0)}
    tree = CutTree(cuts, {"0": 10, "100": 4, "101": 6, "11": 9})
    # Cell 100 holds one value, and so does 101: only with cell 11 are there two.
    held = Histogram(
        np.array([0, 0, 1, 2, 3]), np.array([0, 1, 1, 1, 0]), np.array([5, 5, 4, 6, 9])
    )
    joined = join_for_models(tree, [DistinctDiversity("ill", 2)], [held], target=10)
    assert joined.records == {"0": 10, "1": 19}
    assert joined.cuts == {"": Cut(0, 3)}
    with pytest.raises(InfeasibleError, match="19 records"):
        join_for_models(tree, [DistinctDiversity("ill", 2)], [held], target=4)
