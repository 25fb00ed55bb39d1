"""Steps of the proofs of `optimal` one by one, against all divisions: no search hides mistakes."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

from shoal.algorithms import Partition, Problem, Run
from shoal.algorithms.exact.optimal import root, tree
from shoal.algorithms.exact.optimal.branching import Branches
from shoal.algorithms.exact.optimal.choosing import ChoosingLimits
from shoal.algorithms.exact.optimal.columns import Columns, Cuts, grouped
from shoal.algorithms.exact.optimal.divisions import columns_of, division_search
from shoal.algorithms.exact.optimal.generation import Generator, Prices
from shoal.algorithms.exact.optimal.root import round_up
from shoal.algorithms.exact.optimal.root import solve as solve_search
from shoal.algorithms.exact.optimal.search import Search
from tests.algorithms.test_optimal import loss, problem, schema
from tests.reference.loss import class_loss
from tests.reference.optimum import divisions
from tests.tables import mixed_table

K = 2
NOTHING = ChoosingLimits(at_root=(), all_at_root=0, in_tree=0, after_failures=0)
Division = list[list[int]]


def size(seed: int) -> int:
    """Return 7 or 8: with 7 no division is all pairs."""
    return 8 - seed % 2


@cache
def every_division(seed: int, withheld: int) -> list[tuple[float, Division]]:
    """Return every division of a table into classes of k to 2k - 1 records, and its total loss."""
    n = size(seed)
    frame = mixed_table(n, seed, spread=28)
    own = schema(frame, K)
    costs = cache(lambda rows: len(rows) * class_loss(frame, own, list(rows)))
    found = []
    for gone in range(1 << n):
        if gone.bit_count() > withheld:
            continue
        rows = [row for row in range(n) if not gone >> row & 1]
        found += [
            (sum(costs(tuple(one)) for one in division) + gone.bit_count(), division)
            for division in divisions(rows, K)
            if all(len(one) < 2 * K for one in division)
        ]
    return found


def asked(seed: int, withheld: int = 0) -> Problem:
    made = problem(mixed_table(size(seed), seed, spread=28), K)
    assert made.rows == made.n
    return replace(made, suppression_limit=withheld)


def from_one_class(one: Problem, limits: ChoosingLimits = NOTHING) -> Search[Partition]:
    whole = Partition.of(np.arange(one.rows), np.zeros(one.rows, dtype=np.int64), one.counts)
    return division_search(one, Run(seed=1), whole, limits=limits)


def random_cuts(rng: np.random.Generator, rows: int, number: int) -> Cuts:
    divisors = rng.integers(2, 7, number).astype(np.int32)
    chosen = [np.flatnonzero(rng.random(rows) < 0.6).astype(np.int32) for _ in range(number)]
    pairs = zip(chosen, divisors, strict=True)
    weights = [rng.integers(1, d, len(each)).astype(np.int32) for each, d in pairs]
    start = np.cumsum([0, *map(len, chosen)]).astype(np.int64)
    remainders = rng.integers(0, divisors).astype(np.int32)
    return Cuts(start, np.concatenate(chosen), np.concatenate(weights), divisors, remainders)


@pytest.mark.parametrize("divisor", range(2, 7))
def test_counts_of_two_classes_are_never_above_that_of_both_together(divisor: int) -> None:
    for remainder in range(divisor):
        row, weight, d, r = (np.array([i], dtype=np.int32) for i in (0, 1, divisor, remainder))
        one = Cuts(np.array([0, 1]), row, weight, d, r)

        def counted(weight: int, cut: Cuts = one) -> int:
            return int(cut.limits(np.array([weight]))[0])

        assert counted(0) == 0
        assert counted(divisor) == divisor - remainder
        for v, w in product(range(3 * divisor), repeat=2):
            assert counted(v) + counted(w) <= counted(v + w)


@pytest.mark.parametrize("seed", range(6))
def test_every_division_keeps_every_cut_as_columns_and_kernel_read_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one = asked(seed, 1)
    cuts = random_cuts(rng, one.rows, 8)
    limits = cuts.limits(one.counts)
    for _, division in every_division(seed, 1):
        owners = np.repeat(np.arange(len(division)), [len(rows) for rows in division])
        rows = np.array([row for rows in division for row in rows], dtype=np.int32)
        grouping = grouped(owners, rows, np.ones_like(rows))
        columns = Columns(*grouping, np.zeros(len(division)))
        assert (cuts.of(columns, one.rows).toarray().sum(axis=0) <= limits).all()
    price = np.rint(rng.normal(0.5, 0.3, one.rows) * 2**20) / 2**20
    fees = -np.rint(rng.random(len(cuts)) * 2**10) / 2**14
    found = Generator(one, Run()).price(
        Prices(price, 0.0, 0.0, fees), cuts, Branches.none(), below=1e3, every=10_000
    )
    assert found.complete
    paid = found.columns.matrix(one.rows) @ price + cuts.of(found.columns, one.rows) @ fees
    assert found.reduced == pytest.approx(found.columns.costs - paid, abs=1e-9)


@pytest.mark.parametrize("withheld", [0, 1])
@pytest.mark.parametrize("seed", range(6))
def test_bounds_of_parts_hold_and_are_close(seed: int, withheld: int) -> None:
    every = every_division(seed, withheld)
    pairs = [
        Branches.none().joined(pair, upward=upward)
        for pair in ((0, 1), (2, 5))
        for upward in (True, False)
    ]
    numbers = [
        Branches.none().joined(number, upward=upward)
        for number, upward in ((2, True), (3, True), (3, False))
        if number < size(seed) // K or not upward
    ]
    gaps = []
    for branches in (Branches.none(), *pairs, *numbers):
        fewest, most = branches.fewest, branches.most or size(seed)
        kept = list(zip(branches.first, branches.second, branches.together, strict=True))
        best = min(
            total
            for total, division in every
            if fewest <= len(division) <= most
            and all(
                any(a in rows and b in rows for rows in division) == together
                for a, b, together in kept
            )
        )
        search = from_one_class(asked(seed, withheld))
        classes = np.minimum(np.arange(size(seed)) // K, size(seed) // K - 1)
        small = Partition.of(np.arange(size(seed)), classes, search.problem.counts)
        search.know(columns_of(small, search.generator))  # so that no number is too high
        search.upper = float("inf")
        bound = search.converge(branches).bound
        assert bound <= best + 1e-9
        gaps.append(1 - bound / best)
    assert np.median(gaps) < 0.05


@pytest.mark.parametrize("withheld", [0, 1])
@pytest.mark.parametrize("seed", range(6))
def test_a_choice_among_few_columns_proves_no_more_than_these_do(seed: int, withheld: int) -> None:
    best = min(total for total, _ in every_division(seed, withheld))
    for most in (1, 4, 8, 16, 1_000):
        search = from_one_class(asked(seed, withheld))
        now = search.converge(Branches.none())
        round_up(search, now, most)
        assert search.lower <= best + 1e-9
    assert search.closed


@pytest.mark.parametrize("listed", [0, 1])
@pytest.mark.parametrize("withheld", [0, 1])
@pytest.mark.parametrize("seed", range(6))
def test_parts_are_done_with_only_if_nothing_is_left_in_them(
    seed: int, withheld: int, listed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nothing finds the best division but the parts themselves.
    monkeypatch.setattr(root, "round_by_search", lambda *_: None)
    monkeypatch.setattr(tree, "round_now_and_then", lambda *_: None)
    monkeypatch.setattr(Search, "cut", lambda *_: None)
    monkeypatch.setattr(tree, "most_columns", lambda *_: 6 * listed)
    best = min(total for total, _ in every_division(seed, withheld))
    one = asked(seed, withheld)
    search = from_one_class(one)
    solve_search(search)
    assert search.closed
    assert search.lower <= best + 1e-9
    assert one.n * loss(one, search.best) == pytest.approx(best, abs=1e-9)
