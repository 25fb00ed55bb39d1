"""Filling of released groups from original groups: a maximum flow, or a proof that none exists.

Supply is the number of equal originals, demand the number of equal released records, and a
released group may take from the originals that it reaches. Groups that reach few originals are
offered all of them. The others are offered some, and more only where the flow falls short: the
many pairs of wide closures are never listed.

The flow grows in small steps, so that whoever waits sees it grow and can stop it: first groups take
what is left and exchange it with those close by, window by window; then those that still lack
something exchange along the offers. Where that does not help, pairs that lead out of the part that
is stuck are offered as well, and at last exchanges go along all pairs.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from shoal.verifier.exchange import exchange
from shoal.verifier.flow import Filling, Flow, distinct
from shoal.verifier.grouping import rank_within
from shoal.verifier.reach import Pairs

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from shoal.verifier.exchange import Closed
    from shoal.verifier.reach import Reach

_MOST_PAIRS = 2**24
_FEWEST_OFFERS = 8
_FEWEST_PAIRS = 40
_PAIRS_OF_RECORD = 16
_OFFERS_OF_ORIGINAL = 3
_ROUNDS_OF_OFFERS = 4
_NEIGHBOURS = 6
_RARE_AT_ONCE = 2**16
_MORE_OF_NARROW = 2
_SEARCHED_AT_ONCE = 2**13
_SHARE_OF_FIRST = 0.6  # of the time until all that is offered at first is found
_DRAWS = 64
_FEWEST_HITS = 4
_DRAWN_HOLDERS = 32
_OFFERS_OF_FREE = 16
_FIRST_BATCH = 4
_LARGEST_BATCH = 2**12
_PAIRS_OF_ORIGINAL = 4
_PROBED = 2**8
# As `python -m benchmarks verification` measures it, all passes over a pair together.
_SECONDS_OF_PAIR = 4e-6
# One step takes a fraction of a second, a second at most.
_PAIRS_OF_STEP = 2**17
_HUNGRY_OF_STEP = 2**8
_ROUNDS_AROUND = 24
_MOST_WAYS_OUT = 2**20
_FIRST_SEARCHED = 2**10
_LAST_SEARCHED = 2**15
_CHECKS_AROUND = 2**25


class Watch(Protocol):
    """Whoever waits for a verdict."""

    def __call__(self, stage: str, share: float, expected: float | None = None, /) -> None:
        """Take what is being done, how much of it is, and the seconds that it probably takes."""


def fill(
    supply: NDArray[np.int64],
    demand: NDArray[np.int64],
    reach: Reach,
    *,
    times: int = 1,
    of_pair: NDArray[np.int64] | None = None,
    most_pairs: int = _MOST_PAIRS,
    watch: Watch | None = None,
) -> Filling:
    """Fill every released group, or name groups that provably cannot be filled.

    Every round fills more records than the one before, or ends with a proof, so that it ends.

    Parameters
    ----------
    supply, demand
        Records of each original and each released group.
    reach
        Which originals each released group may take from.
    times
        How often each record is wanted, and given, where no pair of records is used twice: the
        flow then divides into so many matchings, no two of which share a pair.
    of_pair
        For each original group in how many of these matchings a pair of records may be, if not in
        one alone.
    most_pairs
        How many pairs are offered at first, more or less.
    watch
        Called with the share of each stage that is done, and first with the expected seconds.
    """
    near, groups, originals = reach.renumbered()
    of_pair = None if of_pair is None else of_pair[originals]
    flow = Flow(supply[originals], demand[groups], times, of_pair)
    found = _fill(flow, near, most_pairs, watch)
    return replace(
        found,
        released=groups[found.released],
        original=originals[found.original],
        short=np.sort(groups[found.short]),
    )


def _fill(flow: Flow, reach: Reach, most_pairs: int, watch: Watch | None) -> Filling:
    stage, lacking = "match", int(flow.missing.sum())

    def report() -> None:
        if watch is not None:
            watch(stage, 1.0 - int(flow.missing.sum()) / max(1, lacking))

    def report_index(share: float) -> None:
        if watch is not None:
            watch("index", share)

    if watch is not None:
        watch("index", 0.0, _expected_seconds(flow, reach))
    flow.offer(_first_offers(flow, reach, most_pairs, report_index))
    _fill_by_windows(flow, report)
    # What is left is little, and takes long: it is a stage of its own.
    stage, lacking = "exchange", int(flow.missing.sum())
    for _ in range(_ROUNDS_AROUND):
        closed = exchange(flow, report)
        if closed is None:
            return flow.filling(np.empty(0, np.int64), 0)
        if not offer_ways_out(flow, reach, closed):
            break
    short = _exchange_along_all(flow, reach, report)
    if short is None:
        return flow.filling(np.empty(0, np.int64), 0)
    return flow.filling(short.groups, flow.reached(short.groups, short.originals))


def _expected_seconds(flow: Flow, reach: Reach) -> float:
    """Return about how long it takes to fill all groups, from the pairs of a few of them."""
    rng = np.random.default_rng(3)
    some = np.sort(rng.permutation(reach.groups)[:_PROBED])
    most = np.maximum(_FEWEST_PAIRS, _PAIRS_OF_RECORD * flow.demand // flow.times)
    start = time.perf_counter()
    wanted = _MORE_OF_NARROW * _offers_wanted(flow)
    offered, _ = reach.first_pairs(some, wanted, most, _MOST_PAIRS, rng)
    searching = (time.perf_counter() - start) / len(some)
    pairs = len(offered.released) / len(some)
    pairs = min(pairs * reach.groups, float(_MOST_PAIRS)) + reach.originals
    return searching * reach.groups + _SECONDS_OF_PAIR * pairs


def _offers_wanted(flow: Flow) -> NDArray[np.int64]:
    return 2 * flow.demand + _FEWEST_OFFERS


def _fill_by_windows(flow: Flow, report: Callable[[], None]) -> None:
    """Let groups take what is left, and exchange with those close to them."""
    for shift in (0.0, 0.5):
        for groups in flow.windows(_PAIRS_OF_STEP, shift):
            if flow.missing[groups].any() and flow.improve(groups):
                report()


def offer_ways_out(flow: Flow, reach: Reach, closed: Closed) -> int:
    """Offer pairs that lead out of a part that no exchange leaves; return how many are new.

    Only originals lead out of which something is left, or which a group outside holds.
    """
    left, held = flow.free > 0, flow.held_outside(closed.groups)
    left[closed.originals] = held[closed.originals] = False
    found = [_ways_out(reach, closed.groups, some) for some in (left, held & ~left)]
    return flow.offer(Pairs(*(np.concatenate(side) for side in zip(*found, strict=True))))


def _ways_out(reach: Reach, groups: NDArray[np.int64], wanted: NDArray[np.bool_]) -> Pairs:
    """Return a few pairs of groups with each of the originals wanted, up to a number of pairs."""
    listed = [Pairs(np.empty(0, np.int64), np.empty(0, np.int64))]
    found = 0
    groups = np.random.default_rng(2).permutation(groups)
    wanted = wanted.copy()
    size = _FIRST_SEARCHED
    while len(groups) and wanted.any() and found <= _MOST_WAYS_OUT:
        # Each search looks at all originals, so that there may not be many searches. Groups of one
        # search are best close to each other.
        some, groups = np.sort(groups[:size]), groups[size:]
        size = min(2 * size, _LAST_SEARCHED)
        for pairs in reach.pairs(some, wanted.copy()):
            listed.append(_few_of_each(pairs))
            wanted[pairs.original] = False
            found += len(listed[-1].released)
    return Pairs(*(np.concatenate(side) for side in zip(*listed, strict=True)))


def _exchange_along_all(flow: Flow, reach: Reach, report: Callable[[], None]) -> _Search | None:
    """Exchange along all pairs, until nobody lacks anything or nothing more is found.

    Returns the groups that cannot be filled, if there are some.
    """
    while True:
        hungry = np.flatnonzero(flow.missing)[:_HUNGRY_OF_STEP]
        if not len(hungry):
            return None
        found = _search(flow, hungry, reach)
        if not found.free:
            return found
        flow.offer(found.pairs)
        filled = flow.improve(found.groups, found.pairs)
        assert filled, "every round must fill more records"
        report()


def _first_offers(
    flow: Flow, reach: Reach, most_pairs: int, report: Callable[[float], None]
) -> Pairs:
    """Choose the pairs that the first flow may use: all where they are few, else some.

    A few originals drawn at random show which groups reach a good part of all; of these, what was
    drawn is offered, and the index need not be searched. Every original is to be offered to a few
    groups, so that none is left out of every offer.
    """
    rng = np.random.default_rng(0)
    every = np.arange(reach.groups)
    many = np.maximum(_FEWEST_PAIRS, _PAIRS_OF_RECORD * flow.demand // flow.times)
    drawn = reach.drawn_pairs(every, _DRAWS, rng)
    hits = np.bincount(drawn.released, minlength=reach.groups)
    broad = (hits >= _FEWEST_HITS) & (hits * (reach.originals / _DRAWS) > 2 * many)
    parts = [Pairs(*(side[broad[drawn.released]] for side in drawn))]
    wanted = _offers_wanted(flow)
    narrow = np.flatnonzero(~broad)
    first, complete = reach.first_pairs(
        narrow,
        _MORE_OF_NARROW * wanted,
        many,
        most_pairs,
        rng,
        report=lambda share: report(_SHARE_OF_FIRST * share),
    )
    parts.append(first)
    thin = np.flatnonzero(~complete & ~broad)
    for _ in range(_ROUNDS_OF_OFFERS):
        few = np.flatnonzero(broad & (hits < wanted))
        if not len(few):
            break
        parts.append(reach.drawn_pairs(few, _DRAWS, rng))
        hits += np.bincount(parts[-1].released, minlength=reach.groups)
    rest = 1 - _SHARE_OF_FIRST
    parts += _offers_of_rare(
        parts,
        reach,
        np.flatnonzero(broad),
        thin,
        rng,
        report=lambda share: report(_SHARE_OF_FIRST + rest * share),
    )
    return Pairs(*(np.concatenate(side) for side in zip(*parts, strict=True)))


def _offers_of_rare(
    parts: list[Pairs],
    reach: Reach,
    broad: NDArray[np.int64],
    thin: NDArray[np.int64],
    rng: np.random.Generator,
    *,
    report: Callable[[float], None],
) -> list[Pairs]:
    """Return pairs of the originals that were offered to few groups.

    Somebody has to take them. Thin groups are searched for them a part at a time, at random, until
    each is offered to enough.
    """
    if not len(broad) and not len(thin):
        return []
    count = sum(np.bincount(part.original, minlength=reach.originals) for part in parts)
    count = np.asarray(count)
    found = []
    thin = rng.permutation(thin)
    # Thin groups may be offered far more than they can take, so that broad ones are offered the
    # same originals once more.
    by_thin = count.copy()
    if len(thin):
        found.append(offers_of_neighbours(parts, reach, by_thin))
        by_thin += np.bincount(found[-1].original, minlength=reach.originals)
    for start in range(0, len(thin), _SEARCHED_AT_ONCE):
        report(start / len(thin))
        some = thin[start : start + _SEARCHED_AT_ONCE]
        now = list(reach.pairs(some, by_thin < _OFFERS_OF_ORIGINAL))
        if now:
            offered = np.concatenate([pairs.original for pairs in now])
            by_thin += np.bincount(offered, minlength=reach.originals)
            found += now
    for round_ in range(_ROUNDS_OF_OFFERS if len(broad) else 0):
        rare = np.flatnonzero(count < _OFFERS_OF_ORIGINAL)
        draws = max(_DRAWN_HOLDERS << (2 * round_), 1)
        draws = min(draws, len(broad), max(1, _CHECKS_AROUND // max(len(rare), 1)))
        found.append(reach.holding_pairs(rare, broad, draws, rng))
        count += np.bincount(found[-1].original, minlength=reach.originals)
    return found


def offers_of_neighbours(parts: list[Pairs], reach: Reach, count: NDArray[np.int64]) -> Pairs:
    """Return pairs of rare originals with groups that are offered an original close to them.

    It takes no search, and leaves few originals to search for.
    """
    # Of each original, two groups that are offered it: all that a rare one has.
    offered = np.full((2, reach.originals), -1, np.int64)
    for part in parts:
        offered[0, part.original] = part.released
    for part in reversed(parts):
        offered[1, part.original[::-1]] = part.released[::-1]
    steps = np.concatenate([np.arange(-_NEIGHBOURS, 0), np.arange(1, _NEIGHBOURS + 1)])
    rare = np.flatnonzero(count < _OFFERS_OF_ORIGINAL)
    listed = [Pairs(np.empty(0, np.int64), np.empty(0, np.int64))]
    for start in range(0, len(rare), _RARE_AT_ONCE):
        some = rare[start : start + _RARE_AT_ONCE, None]
        beside = np.clip(some + steps, 0, reach.originals - 1)
        group = np.concatenate([one[beside] for one in offered], axis=1)
        new = (group >= 0) & (group != offered[0, some]) & (group != offered[1, some])
        original = np.broadcast_to(some, group.shape)[new]
        keys = distinct(group[new] * reach.originals + original)
        listed.append(reach.holding(Pairs(*np.divmod(keys, reach.originals))))
    return Pairs(*(np.concatenate(side) for side in zip(*listed, strict=True)))


@dataclass(frozen=True, slots=True)
class _Search:
    """What hungry groups can get by exchanges.

    Parameters
    ----------
    free
        Whether an original with something left was found.
    groups, originals
        What was visited; when nothing free was found, all that there is to visit.
    pairs
        Pairs by which originals were found.
    """

    free: bool
    groups: NDArray[np.int64]
    originals: NDArray[np.int64]
    pairs: Pairs


def _search(flow: Flow, hungry: NDArray[np.int64], reach: Reach) -> _Search:
    """Search for originals that hungry groups could get by exchanges.

    From a group to every original that it reaches, from an original to the groups that
    hold it, until as much is found free as is missing. When nothing is, the visited groups and
    originals prove the shortfall. Wide groups are visited a few at a time, since
    they leave little for the next.
    """
    full, holders = flow.full_keys(), flow.holders()
    has_free = flow.free > 0
    visited = np.zeros(len(flow.demand), bool)
    visited[hungry] = True
    unseen = np.ones(len(flow.supply), bool)
    seen = np.zeros(len(flow.supply), bool)
    frontier, enough, found_free = hungry, int(flow.missing[hungry].sum()), 0
    rng = np.random.default_rng(1)
    parts: list[Pairs] = []
    size = _FIRST_BATCH
    while len(frontier) and found_free < enough:
        batch, frontier = np.sort(frontier[:size]), frontier[size:]
        size = min(2 * size, _LARGEST_BATCH)
        found = _unseen_pairs(flow, reach, batch, unseen, full)
        some = reach.some_pairs(batch, np.full(len(batch), _OFFERS_OF_FREE), rng, has_free)
        parts += [found, _without(flow, some, full)]
        for part in parts[-2:]:
            new = distinct(part.original[~seen[part.original]])
            seen[new] = True
            found_free += int(flow.free[new].sum())
        holding = distinct(holders.of(found.original))
        new = holding[~visited[holding]]
        visited[new] = True
        frontier = np.concatenate([frontier, new])
    every = Pairs(*(np.concatenate(side) for side in zip(*parts, strict=True)))
    return _Search(found_free > 0, np.flatnonzero(visited), np.flatnonzero(seen), every)


def _unseen_pairs(
    flow: Flow,
    reach: Reach,
    groups: NDArray[np.int64],
    unseen: NDArray[np.bool_],
    full: NDArray[np.int64],
) -> Pairs:
    """Return pairs to every original that groups reach and that was not seen; marks them seen."""
    listed = []
    for pairs in reach.pairs(groups, unseen.copy()):
        some = _without(flow, pairs, full)
        listed.append(_few_of_each(some))
        unseen[some.original] = False
    nothing = np.empty(0, np.int64)
    return Pairs(
        np.concatenate([nothing, *(pairs.released for pairs in listed)]),
        np.concatenate([nothing, *(pairs.original for pairs in listed)]),
    )


def _few_of_each(pairs: Pairs) -> Pairs:
    """Return a few pairs of each original."""
    order = np.argsort(pairs.original, kind="stable")
    few = order[rank_within(pairs.original[order]) < _PAIRS_OF_ORIGINAL]
    return Pairs(pairs.released[few], pairs.original[few])


def _without(flow: Flow, pairs: Pairs, full: NDArray[np.int64]) -> Pairs:
    if not len(full):
        return pairs
    keys = flow.keys(*pairs)
    place = np.minimum(np.searchsorted(full, keys), len(full) - 1)
    good = full[place] != keys
    return Pairs(pairs.released[good], pairs.original[good])
