"""Cuts from a sample: cells are counted exactly, and none stays below k."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal.engines.codebook import Codebook, Dictionary
from shoal.engines.counting import CodesInMemory
from shoal.engines.cut_tree import Cut, CutTree
from shoal.engines.sampled_cuts import grow_from_sample, recounted
from shoal.errors import InfeasibleError, ParameterError
from shoal.options import Job
from tests.engines.census import QUASI, people


def test_cells_of_a_sample_are_counted_in_the_whole_table() -> None:
    frame = people(4_000).select(QUASI)
    job = Job(k=3, quasi=QUASI, engine="spark", cut_sample=1_000)
    counted = {name: Dictionary.count(frame[name]) for name in QUASI}
    book = Codebook.of(dict(frame.schema), counted, job)
    codes = book.encode(frame)
    sample = CodesInMemory([one[::4] for one in codes])
    grown = grow_from_sample(
        sample, book.domains, book.weights, sampled=1_000, n=4_000, k=3, target=800
    )
    counts = np.bincount(grown.assign(codes), minlength=len(grown.cells))
    tree = recounted(grown, counts.tolist(), k=3, target=800)
    assert len(tree.cells) > 4
    assert tree.n == 4_000
    held = np.bincount(tree.assign(codes), minlength=len(tree.cells)).tolist()
    assert held == [tree.records[path] for path in tree.cells]
    assert min(held) >= 3


def test_cells_below_k_are_merged_with_their_neighbours() -> None:
    cuts = {"": Cut(0, 3), "1": Cut(0, 7), "10": Cut(1, 0)}
    tree = CutTree(cuts, {"0": 40, "100": 40, "101": 40, "11": 40})
    assert recounted(tree, [90, 7, 2, 60], k=5, target=100).records == {"0": 90, "10": 9, "11": 60}
    assert recounted(tree, [90, 1, 2, 60], k=5, target=100).records == {"0": 90, "1": 63}
    assert recounted(tree, [0, 1, 2, 3], k=5, target=100).records == {"": 6}


def test_a_cell_that_is_larger_than_its_sample_said_is_refused() -> None:
    tree = CutTree({"": Cut(0, 3)}, {"0": 10, "1": 10})
    with pytest.raises(InfeasibleError, match="500 records cannot be cut"):
        recounted(tree, [500, 20], k=5, target=100)


def test_only_spark_cuts_by_a_sample() -> None:
    frame = pl.DataFrame({"age": [1, 2, 3, 4]})
    job = Job(k=2, quasi=["age"], engine="disk", cut_sample=1_000)
    with pytest.raises(ParameterError, match="`cut_sample` is for `engine='spark'`"):
        Codebook.of(dict(frame.schema), {"age": Dictionary.count(frame["age"])}, job)
