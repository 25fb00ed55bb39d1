"""Random tables whose losses are sums of powers of two: no rounding anywhere, hence real ties."""

from __future__ import annotations

import numpy as np

from shoal._core import kernels
from tests.core.tables import TestTable, random_tree
from tests.reference import clustering


def exact_table(seed: int, *, size: int = 0, copies: int = 3, most_codes: int = 9) -> TestTable:
    """Draw a small table of all kinds of attributes; rows show up to ``copies`` records."""
    draw = np.random.default_rng(seed)
    size = size or int(draw.integers(4, 30))
    attribute_count = int(draw.integers(1, 6))
    weights = draw.choice([0.125, 0.25, 0.5, 0.0], attribute_count, p=[0.3, 0.3, 0.3, 0.1])
    code_counts = draw.choice(
        [c for c in (1, 2, 3, 5, 9, 17, 257, 513) if c <= most_codes], attribute_count
    )
    distinct = np.unique(np.stack([draw.integers(0, count, size) for count in code_counts]), axis=1)
    distinct = distinct[:, draw.permutation(distinct.shape[1])]
    counts = draw.integers(1, copies + 1, (distinct.shape[1],)).astype(np.int32)
    row_of = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    records = kernels.Records(counts)
    attributes: list[clustering.Attribute] = []
    for place, weight in enumerate(weights.tolist()):
        codes = distinct[place].astype(np.uint32)
        plain = codes[row_of].tolist()
        code_count = int(code_counts[place])
        kind = str(draw.choice(list("ista")))
        if kind == "i":
            positions = np.sort(draw.integers(0, 9, code_count)) / 8.0
            if draw.random() < 0.3:
                positions[-1] = 3.0
            records.add_interval(codes, positions, weight)
            attributes.append(clustering.Interval(plain, weight, positions.tolist()))
        elif kind == "s":
            step = float(draw.choice([1.0, 2.0])) / max(code_count - 1, 1)
            records.add_set(codes, code_count, step, weight)
            attributes.append(clustering.Set(plain, weight, code_count, step))
        elif kind == "t":
            ancestors, first, last, loss = random_tree(draw, code_count)
            records.add_tree(codes, ancestors, first, last, loss, weight)
            attributes.append(clustering.Tree(plain, weight, ancestors.T.tolist(), loss.tolist()))
        else:
            records.add_all_or_nothing(codes, code_count, weight)
            attributes.append(clustering.AllOrNothing(plain, weight, code_count))
    return TestTable(records, attributes, row_of, len(counts))
