"""Components found from pairs that come in parts are those of the graph as a whole."""

from __future__ import annotations

import contextlib
import io
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.cli.screen import progress_bar
from shoal.errors import InputError
from shoal.pipeline.progress import Progress
from shoal.verifier.components import exchangeable
from shoal.verifier.coverage import Lists
from shoal.verifier.reach import Condition, Reach
from shoal.verifier.transport import fill

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from shoal.verifier.flow import Filling


class Covers(NamedTuple):
    """Which group covers which original, a match of all released records, and what it leaves."""

    edges: NDArray[np.bool_]
    reach: Reach
    match: Filling
    left: NDArray[np.int64]


def random_covers(rng: np.random.Generator) -> Covers:
    groups, originals = (int(number) for number in rng.integers(2, 16, 2))
    edges = rng.random((groups, originals)) < rng.choice([0.05, 0.1, 0.3])
    if rng.random() < 0.3:
        edges = np.triu(np.ones_like(edges))  # no two can be exchanged
    supply = rng.integers(1, 3, originals)
    left = supply.copy()
    demand = np.zeros(groups, np.int64)
    for group in range(groups):
        own = rng.permutation(np.flatnonzero(left))[:2]
        edges[group, own] = True
        left[own] -= 1
        demand[group] = len(own)
    edges, demand = edges[demand > 0], demand[demand > 0]
    if rng.random() < 0.5:  # nobody is withheld
        taken = supply > left
        edges, supply = edges[:, taken], (supply - left)[taken]
    groups, originals = edges.shape
    lists = Lists(np.arange(groups), originals, np.flatnonzero(edges.ravel()))
    condition = Condition(np.arange(originals), lists)
    reach = Reach([], np.arange(originals), np.arange(groups), [condition])
    match = fill(supply, demand, reach)
    used = np.bincount(match.original, match.amount, originals).astype(np.int64)
    return Covers(edges, reach, match, supply - used)


def mutually_reachable(covers: Covers) -> NDArray[np.bool_]:
    """Return for each group and original whether paths of exchanges lead both ways."""
    groups, originals = covers.edges.shape
    nobody = groups + originals
    leads = np.eye(nobody + 1, dtype=bool)
    leads[:groups, groups:nobody] = covers.edges
    leads[groups + covers.match.original, covers.match.released] = True
    if covers.left.any():
        leads[groups:nobody, nobody] = covers.left > 0
        leads[nobody, groups:nobody] = True
    for by in range(nobody + 1):
        leads |= leads[:, [by]] & leads[[by], :]
    return np.asarray((leads & leads.T)[:groups, groups:nobody])


def test_components_are_those_of_all_paths() -> None:
    rng = np.random.default_rng(7)
    split = withheld = 0
    for _ in range(120):
        covers = random_covers(rng)
        at_once = int(rng.choice([1, 5, 1000]))
        released, original = exchangeable(
            covers.reach,
            covers.match,
            covers.left,
            covers.edges.sum(axis=1),
            arcs_at_once=at_once,
            groups_at_once=int(rng.integers(1, 6)),
            drawn_pairs=int(rng.integers(0, 3)),
        )
        together = mutually_reachable(covers)
        assert ((released[:, None] == original) == together).all()
        split += not together.all()
        withheld += bool(covers.left.any())
    assert 20 < split < 110
    assert withheld > 10


def test_too_many_arcs_are_refused() -> None:
    edges = np.triu(np.ones((30, 30), bool))
    lists = Lists(np.arange(30), 30, np.flatnonzero(edges.ravel()))
    condition = Condition(np.arange(30), lists)
    reach = Reach([], np.arange(30), np.arange(30), [condition])
    match = fill(np.ones(30, np.int64), np.ones(30, np.int64), reach)
    nothing = np.zeros(30, np.int64)
    with pytest.raises(InputError, match="more than 20 ways to exchange"):
        exchangeable(reach, match, nothing, edges.sum(axis=1), arcs_at_once=1, most_arcs=20)


def test_too_many_arcs_are_expected_before_the_search() -> None:
    # Every group covers the originals of those after it, so that no two can be exchanged.
    edges = np.triu(np.ones((300, 300), bool))
    lists = Lists(np.arange(300), 300, np.flatnonzero(edges.ravel()))
    condition = Condition(np.arange(300), lists)
    reach = Reach([], np.arange(300), np.arange(300), [condition])
    match = fill(np.ones(300, np.int64), np.ones(300, np.int64), reach)
    nothing = np.zeros(300, np.int64)
    for most, expected in ((20_000, True), (80_000, False)):
        seen: list[str] = []

        def report(share: float, expected: float | None = None, /, seen: list[str] = seen) -> None:
            del expected
            seen.append("searched" if share else "begun")

        exchangeable(
            reach, match, nothing, edges.sum(axis=1), groups_at_once=10, most_arcs=most,
            report=report, warn=partial(seen.append, "warned"),
        )  # fmt: skip
        assert ("warned" in seen) is expected
        if expected:
            assert seen.index("warned") < seen.index("searched")


def test_the_command_says_so() -> None:
    shown = io.StringIO()
    with contextlib.redirect_stderr(shown), progress_bar() as feed:
        feed(Progress("many exchanges", 0.0))
    assert "ends without a verdict" in " ".join(shown.getvalue().split())


@pytest.mark.parametrize(("k", "passes"), [(5, True), (6, False)])
def test_classes_conceal_as_many_as_they_hold(k: int, passes: bool) -> None:
    """Every class covers the originals of all before it, too, and can exchange with none."""
    ages = np.repeat(np.arange(60), 5)
    cells = [f"[0..{age}]" if age else "0" for age in ages.tolist()]
    original, release = pl.DataFrame({"age": ages}), pl.DataFrame({"age": cells})
    kind = {"age": "numeric"}
    verdict = shoal.verify(original, release, k=k, quasi=["age"], kind=kind, form="concealment")
    assert verdict.passed is passes
    assert verdict.smallest_class == 5
