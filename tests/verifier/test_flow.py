"""A flow is counted anew before a verdict rests on it."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.verifier.flow import Flow
from shoal.verifier.reach import Pairs

NOTHING = np.empty(0, np.int64)


def two_groups() -> Flow:
    """Two originals of one record each, and two released records that cover both."""
    flow = Flow(np.array([1, 1]), np.array([1, 1]), times=1)
    flow.offer(Pairs(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])))
    return flow


def test_a_possible_matching_is_returned() -> None:
    flow = two_groups()
    flow.change(np.array([0, 3]), np.array([1, 1]))
    found = flow.filling(NOTHING, 0)
    assert found.released.tolist() == [0, 1]
    assert found.original.tolist() == [0, 1]


@pytest.mark.parametrize("entries", [[0, 2], [0], [0, 1, 2, 3]])
def test_an_impossible_one_is_refused(entries: list[int]) -> None:
    """One original for two records, too little, and everything twice."""
    flow = two_groups()
    flow.change(np.array(entries), np.ones(len(entries), np.int64))
    with pytest.raises(RuntimeError, match="not possible"):
        flow.filling(NOTHING, 0)
