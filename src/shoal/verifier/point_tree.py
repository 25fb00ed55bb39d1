"""A balanced tree over points, which finds the points in many boxes at once.

Points are the originals, one dimension per quasi-identifier; boxes are what released cells cover.
All boxes descend the tree together, level by level, so that each step is one operation on arrays.
A box takes along the nodes that it touches: a node that it fills is found as a whole, and only
at the leaves are points looked at one by one.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.verifier.grouping import ranges

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from shoal.verifier.coverage import Covering

_POINTS_OF_LEAF = 8
_BOXES_AT_ONCE = 2**13
_PAIRS_AT_ONCE = 2**21
_NODES_OF_WIDE = 16


@dataclass(frozen=True, slots=True)
class Runs:
    """Points found in boxes, as runs of places in the tree's order.

    Parameters
    ----------
    box
        The box of each run.
    first, last
        Where the run begins, and the place after its end.
    """

    box: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]

    def of(self, boxes: NDArray[np.bool_]) -> Runs:
        """Return the runs of these boxes."""
        good = boxes[self.box]
        return Runs(self.box[good], self.first[good], self.last[good])


@dataclass(frozen=True, slots=True)
class _Frontier:
    """Pairs of a box and a node that it touches, on one level of the tree."""

    level: int
    box: NDArray[np.int64]
    node: NDArray[np.int64]

    def below(self) -> _Frontier:
        """Return the pairs with both children of each node."""
        node = np.repeat(2 * self.node, 2)
        node[1::2] += 1
        return _Frontier(self.level + 1, np.repeat(self.box, 2), node)

    def keep(self, good: NDArray[np.bool_]) -> _Frontier:
        """Return the good pairs."""
        return _Frontier(self.level, self.box[good], self.node[good])


class PointTree:
    """A tree over points, for boxes of a known shape.

    Parameters
    ----------
    points
        Positions, one row per dimension and one column per point.
    boxes
        What each box covers in each dimension.
    """

    def __init__(self, points: NDArray[np.int32], boxes: Sequence[Covering]) -> None:
        self._boxes = boxes
        count = points.shape[1]
        depth = max(0, int(np.ceil(np.log2(max(count, 1) / _POINTS_OF_LEAF))))
        widths = np.array([max(box.mean_width(), 1.0) for box in boxes])
        self.order = np.arange(count)
        self._starts: list[NDArray[np.int64]] = []
        self._low: list[NDArray[np.int32]] = []
        self._high: list[NDArray[np.int32]] = []
        self._split: list[NDArray[np.int64]] = []
        for level in range(depth + 1):
            nodes = 1 << level
            starts = np.arange(nodes + 1) * count // nodes
            low = np.minimum.reduceat(points, starts[:-1], axis=1)
            high = np.maximum.reduceat(points, starts[:-1], axis=1)
            self._starts.append(starts)
            self._low.append(low)
            self._high.append(high)
            if level < depth:
                # Split where most boxes will fall to one side.
                axis = np.argmax((high - low) / widths[:, None], axis=0)
                self._split.append(axis)
                owner = np.repeat(np.arange(nodes), np.diff(starts))
                value = points[axis[owner], np.arange(count)].astype(np.int64)
                moved = np.argsort(owner * (int(value.max(initial=0)) + 1) + value, kind="stable")
                points = np.ascontiguousarray(points[:, moved])
                self.order = self.order[moved]
        self._points = points
        extent = self._high[0][:, 0].astype(np.float64) - self._low[0][:, 0] + 1
        order = np.argsort(widths / extent).tolist()  # the most selective first
        # Where every box covers all there is, there is nothing to look at.
        self._axes = [axis for axis in order if not self._is_covered(axis)]

    def renumbered(self) -> tuple[PointTree, NDArray[np.int64]]:
        """Return the tree with points and boxes numbered as they stand in it, and those boxes.

        Points that are close to each other then have numbers that are, and so have boxes.
        """
        every = np.arange(len(self._boxes[0]))
        middle = np.stack([box.middle() for box in self._boxes])
        node = np.zeros(len(every), np.int64)
        for level, split in enumerate(self._split):
            axis = split[node]
            node = 2 * node
            node += middle[axis, every] > self._high[level + 1][axis, node]
        boxes = np.argsort(node, kind="stable")
        other = copy(self)
        taken = [box.take(boxes) for box in self._boxes]
        vars(other).update(order=np.arange(len(self.order)), _boxes=taken)
        return other, boxes

    def _is_covered(self, axis: int) -> bool:
        box = self._boxes[axis]
        low, high = self._low[0][axis, 0], self._high[0][axis, 0]
        return bool(box.fills(np.arange(len(box)), low, high).all())

    def search(
        self,
        boxes: NDArray[np.int64],
        marked: NDArray[np.int64] | None = None,
        report: Callable[[float], None] | None = None,
        at_once: int | None = None,
    ) -> Iterator[Runs]:
        """Yield all points in the given boxes, a bounded number of pairs at a time.

        Parameters
        ----------
        boxes
            Boxes by number.
        marked
            How many marked points stand before each place in the tree's order, and last how many
            there are; runs of places then hold at least one marked point. All points without it.
        report
            Called with the share of the boxes that were searched.
        at_once
            How many boxes are searched between two reports, if not as many as is quickest.
        """
        size = min(at_once or _BOXES_AT_ONCE, _BOXES_AT_ONCE)
        for start in range(0, len(boxes), size):
            if report is not None:
                report(start / len(boxes))
            some = boxes[start : start + size].astype(np.int64)
            waiting = [_Frontier(0, some, np.zeros(len(some), np.int64))]
            while waiting:
                frontier, filled = self._narrow(waiting.pop(), marked)
                if len(filled.box):
                    yield self._whole_nodes(filled)
                if frontier.level == self._depth:
                    for part in _parts(frontier, _PAIRS_AT_ONCE // _POINTS_OF_LEAF):
                        yield self._points_of_leaves(part)
                else:
                    waiting += _parts(frontier.below(), _PAIRS_AT_ONCE)

    def search_some(
        self,
        boxes: NDArray[np.int64],
        most: int,
        rng: np.random.Generator,
        marked: NDArray[np.int64] | None = None,
        report: Callable[[float], None] | None = None,
    ) -> Iterator[tuple[list[Runs], NDArray[np.int64], NDArray[np.bool_]]]:
        """Yield points in some boxes at a time, these boxes, and where points were passed over.

        A box that touches more than ``most`` nodes of a level follows about ``_NODES_OF_WIDE`` of
        them, drawn at random. It may come back without a point although it holds one.
        """
        for start in range(0, len(boxes), _BOXES_AT_ONCE):
            if report is not None:
                report(start / len(boxes))
            some = boxes[start : start + _BOXES_AT_ONCE].astype(np.int64)
            found: list[Runs] = []
            allowed = np.full(int(some.max()) + 1, most)
            frontier = _Frontier(0, some, np.zeros(len(some), np.int64))
            while True:
                frontier, filled = self._narrow(frontier, marked)
                if len(filled.box):
                    found.append(self._whole_nodes(filled))
                touched = np.bincount(frontier.box, minlength=len(allowed))
                if (touched > allowed).any():
                    allowed[touched > allowed] = _NODES_OF_WIDE
                    share = allowed / np.maximum(touched, 1)
                    frontier = frontier.keep(rng.random(len(frontier.box)) < share[frontier.box])
                if frontier.level == self._depth:
                    break
                frontier = frontier.below()
            found += [
                self._points_of_leaves(part)
                for part in _parts(frontier, _PAIRS_AT_ONCE // _POINTS_OF_LEAF)
            ]
            yield found, some, allowed[some] < most

    def held(
        self, box: NDArray[np.int64], place: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return those pairs of a box and a place in the tree's order whose point is in the box."""
        for axis in self._axes:
            good = self._boxes[axis].covers(box, self._points[axis][place])
            box, place = box[good], place[good]
        return box, place

    @property
    def _depth(self) -> int:
        return len(self._starts) - 1

    def _narrow(
        self, frontier: _Frontier, marked: NDArray[np.int64] | None
    ) -> tuple[_Frontier, _Frontier]:
        """Return the pairs whose box touches its node, and apart those whose box fills it."""
        low, high = self._low[frontier.level], self._high[frontier.level]
        if marked is not None:
            starts = self._starts[frontier.level]
            node = frontier.node
            frontier = frontier.keep(marked[starts[node + 1]] > marked[starts[node]])
        for axis in self._axes:
            node = frontier.node
            frontier = frontier.keep(
                self._boxes[axis].touches(frontier.box, low[axis][node], high[axis][node])
            )
        filled = np.arange(len(frontier.box))
        for axis in self._axes:
            node = frontier.node[filled]
            box = frontier.box[filled]
            filled = filled[self._boxes[axis].fills(box, low[axis][node], high[axis][node])]
        rest = np.ones(len(frontier.box), bool)
        rest[filled] = False
        return frontier.keep(rest), frontier.keep(~rest)

    def _whole_nodes(self, filled: _Frontier) -> Runs:
        starts = self._starts[filled.level]
        return Runs(filled.box, starts[filled.node], starts[filled.node + 1])

    def _points_of_leaves(self, frontier: _Frontier) -> Runs:
        starts = self._starts[-1]
        first, last = starts[frontier.node], starts[frontier.node + 1]
        box, place = self.held(np.repeat(frontier.box, last - first), ranges(first, last))
        return Runs(box, place, place + 1)


def _parts(frontier: _Frontier, size: int) -> list[_Frontier]:
    return [
        _Frontier(frontier.level, frontier.box[at : at + size], frontier.node[at : at + size])
        for at in range(0, len(frontier.box), size)
    ]
