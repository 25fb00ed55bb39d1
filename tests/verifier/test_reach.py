"""The index finds what trying all pairs finds, and flows over its pairs are the largest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from shoal.table import Attribute, Kind, Reading
from shoal.verifier.coverage import Coverage, Covering, Intervals, Lists, coverage_of
from shoal.verifier.exchange import exchange
from shoal.verifier.flow import Flow
from shoal.verifier.reach import Condition, Pairs, Reach
from shoal.verifier.released import read_column
from shoal.verifier.transport import fill, offer_ways_out, offers_of_neighbours
from tests.reference.flows import largest_flow

if TYPE_CHECKING:
    from numpy.typing import NDArray

AGE = Attribute("age", Kind.NUMERIC, Reading.NUMBER)
TOWN = Attribute("town", Kind.CATEGORICAL)


def dimension(
    rng: np.random.Generator, points: int, boxes: int, size: int, wide: float
) -> tuple[Condition, NDArray[np.bool_]]:
    """Return one dimension of random points and boxes, and which box covers which point."""
    positions = rng.integers(0, size, points)
    table = rng.random((boxes, size)) < wide
    covering: Covering
    if rng.random() < 0.5:
        low = rng.integers(0, size, boxes)
        high = np.minimum(size - 1, low + rng.integers(-1, max(1, int(size * wide)) + 1, boxes))
        covering = Intervals(low.astype(np.int32), high.astype(np.int32))
        table = (low[:, None] <= np.arange(size)) & (np.arange(size) <= high[:, None])
    else:
        keys = np.flatnonzero(table.ravel())
        covering = Lists(np.arange(boxes), size, keys)
    return Condition(positions, covering), table[:, positions]


def random_reach(rng: np.random.Generator) -> tuple[Reach, NDArray[np.bool_]]:
    points, boxes = (int(number) for number in rng.integers(1, 120, 2))
    covers = np.ones((boxes, points), bool)
    conditions = []
    for _ in range(int(rng.integers(1, 4))):
        size, wide = int(rng.integers(1, 40)), float(rng.choice([0.1, 0.4, 0.9]))
        condition, table = dimension(rng, points, boxes, size, wide)
        conditions.append(condition)
        covers &= table
    return Reach([], np.arange(points), np.arange(boxes), conditions), covers


def found(
    reach: Reach, groups: NDArray[np.int64], among: NDArray[np.bool_] | None = None
) -> set[tuple[int, int]]:
    listed = [
        pair
        for pairs in reach.pairs(groups, among)
        for pair in zip(pairs.released.tolist(), pairs.original.tolist(), strict=True)
    ]
    assert len(set(listed)) == len(listed)
    return set(listed)


def test_pairs_counts_and_samples_are_those_of_trying_all() -> None:
    rng = np.random.default_rng(3)
    for _ in range(150):
        reach, covers = random_reach(rng)
        boxes, points = int(covers.shape[0]), int(covers.shape[1])
        every = {(int(a), int(b)) for a, b in np.argwhere(covers)}
        assert found(reach, np.arange(boxes)) == every
        asked = rng.permutation(boxes)[: 1 + boxes // 2]
        among = rng.random(points) < 0.3
        assert found(reach, asked, among) == {
            (a, b) for a, b in every if a in set(asked.tolist()) and among[b]
        }
        sizes, weights = rng.integers(1, 5, points), rng.integers(1, 5, boxes)
        by_original, by_group = reach.count(sizes, weights)
        assert by_original.tolist() == (weights @ covers).tolist()
        assert by_group.tolist() == (covers @ sizes).tolist()
        most = int(rng.integers(1, 3 * points))
        wanted, limit = np.full(boxes, 2), np.full(boxes, points)
        first, few = reach.first_pairs(np.arange(boxes), wanted, limit, most, rng)
        listed = set(zip(first.released.tolist(), first.original.tolist(), strict=True))
        assert len(listed) == len(first.released)
        assert listed <= every
        complete = {(a, b) for a, b in listed if few[a]}
        assert complete == {(a, b) for a, b in every if few[a]}
        assert len(complete) <= most
        assert np.bincount(first.released, minlength=boxes)[~few].max(initial=0) <= 2
        some = reach.some_pairs(asked, np.full(len(asked), 3), rng, among)
        drawn = set(zip(some.released.tolist(), some.original.tolist(), strict=True))
        assert len(drawn) == len(some.released)
        assert drawn <= found(reach, asked, among)
        assert np.bincount(some.released, minlength=boxes).max(initial=0) <= 3


@pytest.mark.parametrize("most_pairs", [1, 60, 10**6])
@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_flow_that_begins_with_few_pairs_is_the_largest(most_pairs: int, times: int) -> None:
    rng = np.random.default_rng(11 + times)
    answers = {True: 0, False: 0}
    for _ in range(120):
        originals, groups = (int(number) for number in rng.integers(1, 30, 2))
        edges = rng.random((groups, originals)) < rng.choice([0.1, 0.3, 0.8])
        supply, demand = rng.integers(1, 4, originals), rng.integers(1, 4, groups)
        if rng.random() < 0.5:
            demand = np.bincount(rng.integers(0, groups, supply.sum()), minlength=groups)
        covered = [set(np.flatnonzero(row).tolist()) for row in edges]
        most = largest_flow(covered, supply.tolist(), demand.tolist(), times)
        possible = most == times * demand.sum()
        lists = Lists(np.arange(groups), originals, np.flatnonzero(edges.ravel()))
        condition = Condition(np.arange(originals), lists)
        reach = Reach([], np.arange(originals), np.arange(groups), [condition])
        filling = fill(supply, demand, reach, times=times, most_pairs=most_pairs)
        answers[bool(possible)] += 1
        assert edges[filling.released, filling.original].all()
        pairs = supply[filling.original] * demand[filling.released]
        assert (filling.amount <= pairs).all() or times == 1
        given = np.bincount(filling.original, filling.amount, originals)
        assert (given <= times * supply).all()
        got = np.bincount(filling.released, filling.amount, groups)
        if possible:
            assert not len(filling.short)
            assert (got == times * demand).all()
        else:
            # The groups named need more than they can have, whatever anybody else gets.
            alone = largest_flow(
                [covered[group] for group in filling.short],
                supply.tolist(),
                demand[filling.short].tolist(),
                times,
            )
            wanted = times * demand[filling.short].sum()
            assert alone <= filling.reached < wanted
    assert min(answers.values()) > 5


def test_rare_originals_are_offered_to_groups_of_their_neighbours() -> None:
    rng = np.random.default_rng(5)
    gained = 0
    for _ in range(60):
        reach, edges = random_reach(rng)
        near, groups, originals = reach.renumbered()
        true = edges[np.ix_(groups, originals)]
        drawn = rng.permutation(np.flatnonzero(true))
        sides = np.split(drawn[: len(drawn) // 3], [len(drawn) // 6])
        parts = [Pairs(*np.divmod(np.sort(side), near.originals)) for side in sides]
        offered = np.concatenate([near.originals * part.released + part.original for part in parts])
        count = np.bincount(offered % near.originals, minlength=near.originals)
        found = offers_of_neighbours(parts, near, count)
        keys = near.originals * found.released + found.original
        assert true[found.released, found.original].all()
        assert (count[found.original] < 3).all()
        assert len(np.unique(keys)) == len(keys)
        assert not np.isin(keys, offered).any()
        gained += len(keys)
    assert gained > 100


@pytest.mark.parametrize("times", [1, 2])
def test_exchanges_fill_all_that_can_be_filled(times: int) -> None:
    rng = np.random.default_rng(5 + times)
    stuck = 0
    for _ in range(80):
        originals, groups = (int(number) for number in rng.integers(1, 25, 2))
        edges = rng.random((groups, originals)) < rng.choice([0.1, 0.25, 0.6])
        supply = rng.integers(1, 4, originals)
        demand = np.bincount(rng.integers(0, groups, supply.sum()), minlength=groups)
        flow = Flow(supply, demand, times)
        assert flow.offer(Pairs(*np.nonzero(edges))) == edges.sum()
        closed = exchange(flow, lambda: None)
        covered = [set(np.flatnonzero(row).tolist()) for row in edges]
        most = largest_flow(covered, supply.tolist(), demand.tolist(), times)
        assert times * demand.sum() - flow.missing.sum() == most
        assert (flow.missing >= 0).all()
        assert (flow.free >= 0).all()
        assert (closed is None) == (flow.missing.sum() == 0)
        if closed is not None:
            stuck += 1
            assert set(np.flatnonzero(flow.missing)) <= set(closed.groups)
            assert flow.reached(closed.groups, closed.originals) < flow.demand[closed.groups].sum()
    assert 5 < stuck < 75


@pytest.mark.parametrize("times", [1, 2])
def test_ways_out_of_what_is_stuck_lead_to_the_largest_flow(times: int) -> None:
    rng = np.random.default_rng(8 + times)
    helped = 0
    for _ in range(80):
        originals, groups = (int(number) for number in rng.integers(2, 25, 2))
        edges = rng.random((groups, originals)) < rng.choice([0.1, 0.25, 0.6])
        supply = rng.integers(1, 4, originals)
        demand = np.bincount(rng.integers(0, groups, supply.sum()), minlength=groups)
        lists = Lists(np.arange(groups), originals, np.flatnonzero(edges.ravel()))
        condition = Condition(np.arange(originals), lists)
        reach = Reach([], np.arange(originals), np.arange(groups), [condition])
        flow = Flow(supply, demand, times)
        first = edges & (rng.random(edges.shape) < 0.2)  # most pairs have to be found
        flow.offer(Pairs(*np.nonzero(first)))
        while (closed := exchange(flow, lambda: None)) is not None:
            offered = offer_ways_out(flow, reach, closed)
            helped += offered > 0
            if not offered:
                break
        covered = [set(np.flatnonzero(row).tolist()) for row in edges]
        most = largest_flow(covered, supply.tolist(), demand.tolist(), times)
        assert times * demand.sum() - flow.missing.sum() == most
    assert helped > 20


def coverage(attribute: Attribute, values: list[object], cells: list[str | None]) -> Coverage:
    original = pl.Series(attribute.name, values)
    released = pl.DataFrame({attribute.name: pl.Series(cells, dtype=pl.String)})
    return coverage_of(attribute, original, read_column(attribute, released, "text"))


def test_cells_of_every_kind_are_found_by_the_index() -> None:
    ages = coverage(AGE, [1, 2, 3, None, 2, 7], ["[1..2]", "*", None, "7", "[2..9]", "[4..6]"])
    towns = coverage(TOWN, [*"ab", None, *"cab"], ["{a|b}", "*", "{b|}", "b", "{a|c|}", "*"])
    reach = Reach([ages, towns], np.arange(6), np.arange(6))
    assert found(reach, np.arange(6)) == {
        *((0, original) for original in (0, 1, 4)),
        *((1, original) for original in range(6)),
        (3, 5),
        (4, 2),
        (4, 4),
    }
