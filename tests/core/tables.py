"""Random tables of all attribute kinds, as kernel records and for the oracles."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from shoal._core import kernels
from tests.reference import clustering

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Placement: TypeAlias = "tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]"


@dataclass(frozen=True, slots=True)
class TestTable:
    """One table in both forms; ``order`` lists records so that those of a row are together."""

    __test__ = False
    records: kernels.Records
    attributes: list[clustering.Attribute]
    row_of: NDArray[np.int32]
    rows: int

    def expand(self, rows: Sequence[int]) -> list[int]:
        """Records in the order of these rows."""
        return [int(record) for row in rows for record in np.flatnonzero(self.row_of == row)]

    def classes_of(self, placement: Placement) -> list[Counter[int]]:
        """How many records of each row every class has."""
        classes: dict[int, Counter[int]] = {}
        for row, which, count in zip(*(part.tolist() for part in placement), strict=True):
            classes.setdefault(which, Counter())[row] += count
        assert sorted(classes) == list(range(len(classes)))
        return [classes[which] for which in range(len(classes))]

    def fold_classes(self, classes: Sequence[Sequence[int]]) -> list[Counter[int]]:
        """Classes of records as classes of rows."""
        return [Counter(int(self.row_of[record]) for record in members) for members in classes]


def random_tree(
    draw: np.random.Generator, leaves: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """Random levels of consecutive groups; equal groups of two levels are one node."""
    levels = [[(code, code) for code in range(leaves)]]
    while len(levels[-1]) > 1:
        below = levels[-1]
        starts = [0, *(at for at in range(1, len(below)) if draw.random() < 0.5)]
        if len(starts) == len(below):
            starts = [0]
        ends = [*starts[1:], len(below)]
        levels.append([(below[a][0], below[b - 1][1]) for a, b in zip(starts, ends, strict=True)])
    if len(levels) == 1:
        levels.append(levels[0])
    nodes: dict[tuple[int, int], int] = {}
    ancestors = np.empty((len(levels), leaves), dtype=np.int32)
    for level, groups in enumerate(levels):
        for first, last in groups:
            ancestors[level, first : last + 1] = nodes.setdefault((first, last), len(nodes))
    first_leaf = np.array([first for first, _ in nodes], dtype=np.int32)
    last_leaf = np.array([last for _, last in nodes], dtype=np.int32)
    loss = (last_leaf - first_leaf) / max(leaves - 1, 1)
    return ancestors, first_leaf, last_leaf, loss.astype(np.float64)


def random_table(
    seed: int, *, size: int = 0, most_codes: int = 7, kinds: str = "ista"
) -> TestTable:
    """Draw a small table with many equal rows and ties."""
    draw = np.random.default_rng(seed)
    size = size or int(draw.integers(4, 40))
    attribute_count = int(draw.integers(1, 5))
    equal_weights = bool(draw.random() < 0.5)
    weights = np.ones(attribute_count) if equal_weights else draw.random(attribute_count)
    if draw.random() < 0.1:
        weights[0] = 0.0
    weights = weights / max(weights.sum(), 1e-9)
    code_counts = draw.integers(1, most_codes + 1, attribute_count)
    type_ = f"uint{draw.choice([8, 16, 32]) if most_codes <= 256 else 32}"
    columns = [
        np.minimum(draw.integers(0, count, size), draw.integers(0, count, size)).astype(type_)
        for count in code_counts
    ]
    row_of, first = kernels.fold(columns)
    records = kernels.Records(np.bincount(row_of).astype(np.int32))
    attributes: list[clustering.Attribute] = []
    for codes, code_count_, weight in zip(columns, code_counts, weights.tolist(), strict=True):
        code_count = int(code_count_)
        kind = str(draw.choice(list(kinds)))
        plain = codes.tolist()
        distinct = codes[first]
        if kind == "i":
            positions = np.sort(draw.integers(0, 9, code_count)) / 8.0
            if draw.random() < 0.3:
                positions[-1] = 3.0
            records.add_interval(distinct, positions, weight)
            attributes.append(clustering.Interval(plain, weight, positions.tolist()))
        elif kind == "s":
            step = float(draw.choice([1.0, 0.7])) / max(code_count - 1, 1)
            if draw.random() < 0.2:
                step *= 2
            records.add_set(distinct, code_count, step, weight)
            attributes.append(clustering.Set(plain, weight, code_count, step))
        elif kind == "t":
            ancestors, node_first, node_last, loss = random_tree(draw, code_count)
            records.add_tree(distinct, ancestors, node_first, node_last, loss, weight)
            paths = ancestors.T.tolist()
            attributes.append(clustering.Tree(plain, weight, paths, loss.tolist()))
        else:
            records.add_all_or_nothing(distinct, code_count, weight)
            attributes.append(clustering.AllOrNothing(plain, weight, code_count))
    return TestTable(records, attributes, row_of, len(first))


def seed_blocks(seeds: int) -> list[range]:
    """Return the seeds in blocks: a test of its own for each would take longer than its work."""
    return [range(first, min(first + 20, seeds)) for first in range(0, seeds, 20)]
