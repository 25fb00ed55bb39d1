"""What `auto` sees in a problem before it chooses: its size, its kinds, and what fits the time."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Protocol

from shoal.algorithms.budget import Budget, for_width
from shoal.algorithms.cluster.k_member import estimate_seconds
from shoal.algorithms.cluster.refine import Refine
from shoal.algorithms.constants import (
    AGGLOMERATIVE_PAIR_SECONDS,
    CELL_ROWS,
    CLEARLY_AHEAD,
    CURVE_ORDER_SECONDS,
    CURVE_ORDER_SHARE,
    DEFAULT_RECORDS,
    DEFAULT_SECONDS,
    FAR_AHEAD,
    FEW_AT_ALL,
    FEW_CLASSES,
    FEW_NEIGHBOURS,
    FEWEST_STEPS,
    FIRST,
    HILBERT_RECORD_SECONDS,
    HILBERT_ROW_SECONDS,
    HILBERT_SLOW,
    LARGE_CLASS,
    LARGE_SHARE,
    LARGEST_K,
    LEAST_CELLS,
    LINEAR_SHARE,
    LONG_IN_LARGE_SHARE,
    LONG_SHARE,
    LOOKED_FROM,
    MANY_NEIGHBOURS,
    MOST_ROWS,
    MOST_SEQUENTIAL_SHARE,
    NEIGHBOURS,
    PATIENCE,
    QUICK_SHARE,
    SEQUENTIAL_PAIR_SECONDS,
    SEQUENTIAL_SHARE,
    SHALLOW,
    SHALLOW_IN_LARGE,
    SHALLOW_SHARE,
    SHORTEST_IMPROVED,
    SHORTEST_UNITED,
    SMALL,
    SMALL_PAIRS,
    STEPPED_CELLS_SHARE,
    STEPPED_SHARE,
    STEPPED_WEIGHT,
    STEPS_A_RECORD,
    STEPS_A_SECOND,
    UNITED_SHARE,
    USUAL_START,
    USUAL_VALUES,
    WHOLE_A_SECOND,
    WHOLE_SHARE,
)
from shoal.encoding.domain import IntervalDomain, SetDomain

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.algorithms.problem import Problem
    from shoal.encoding.domain import Domain

CELLS = "cells"  # each divided by `k-member`
UNITED_CELLS = "united-cells"  # by `agglomerative`
UNITED = "agglomerative"
SEQUENTIAL = "sequential"
CURVE = "hilbert"


class Expected(Protocol):
    """What starts will take and promise."""

    @property
    def is_search_shallow(self) -> bool:
        """Whether a search of all the time there is changes little."""

    def seconds(self, name: str) -> float:
        """Return how many seconds a start will take."""

    def pays(self, name: str) -> bool:
        """Return whether a start promises enough for the time that it takes."""

    def pays_most_time(self, name: str) -> bool:
        """Return whether a start promises so much that it may take most of the time."""

    def divides(self, name: str) -> bool:
        """Return whether cells save time, and could be done in the time there is."""

    def is_linear(self, name: str) -> bool:
        """Return whether a start takes time in proportion to the rows, as far as slices tell."""

    def leads(self, name: str, other: str, share: float = 1.0) -> bool:
        """Return whether a start promises to lose less than a share of what another loses."""


def default_budget(problem: Problem) -> Budget:
    """Return what a run for classes may spend without a limit of its own."""
    attributes = len(problem.codes)
    if problem.n > SMALL:
        return default_budget_in_seconds(problem)
    if attributes * problem.rows**2 > SMALL_PAIRS:
        return Budget(seconds=DEFAULT_SECONDS)
    steps = STEPS_A_RECORD * (min(problem.n, FIRST) + max(problem.n - FIRST, 0) // 8)
    return Budget(steps=for_width(steps, attributes))


def default_budget_in_seconds(problem: Problem) -> Budget:
    """Return what a run may spend; on a small table, what the searches it runs have by default."""
    if problem.n <= SMALL:
        return Budget()
    return Budget(seconds=DEFAULT_SECONDS * max(1.0, problem.n / DEFAULT_RECORDS))


def nominal_seconds(name: str, problem: Problem) -> float:
    """Estimate what a start takes from the size of the table alone, equal on every machine."""
    pairs = len(problem.codes) * problem.rows**2
    if name == "agglomerative":
        return AGGLOMERATIVE_PAIR_SECONDS * pairs
    if name == SEQUENTIAL:
        # Equal records count: it orders and moves each.
        return SEQUENTIAL_PAIR_SECONDS * len(problem.codes) * problem.n**2 / problem.k
    if name == CURVE:
        slow = sum(not _is_quick(domain) for domain in problem.domains)
        width = len(problem.codes) + (HILBERT_SLOW - 1) * slow
        within = width * problem.rows**2 * 2 * problem.k / problem.n  # of all rows and two classes
        return HILBERT_ROW_SECONDS * within + HILBERT_RECORD_SECONDS * problem.n * problem.k
    return estimate_seconds(problem)


def starts(
    problem: Problem,
    seconds: float,
    prospects: Expected,
    patience: float = PATIENCE,
) -> list[str]:
    """Return the algorithms whose classes are worth improving, given the seconds there are.

    `k-member` is the best start where closures grow by small steps: intervals and sets. Where one
    more value may cost a whole level of a hierarchy, or everything, its classes are poor;
    `agglomerative` finds better ones, cell by cell if it takes long, or `sequential` where they are
    large. `sorted` takes next to no time, and is best now and then, where attributes depend on each
    other; so is `hilbert`, which comes last, as it ends at once where others are ahead. Models that
    few classes meet are made to hold by a repair, which does least harm to the classes of
    `mondrian` and most to the runs of `sorted`: with models these come last. `sequential` needs no
    repair. A table that is too
    large for `k-member` is divided cell by cell, unless another start fits and promises far less
    loss. Before a short search, `agglomerative` takes its place wherever it leads and fits. Either
    comes beside the other if that takes next to no time.

    Parameters
    ----------
    prospects
        What starts will take and promise.
    patience
        Where no time is set, how many predicted seconds a start may take.
    """

    def fits(name: str, share: float) -> bool:
        return prospects.seconds(name) < (patience if seconds == inf else share * seconds)

    looked_at = is_look_worth_time(problem)
    quick = ["sorted"] if looked_at or not problem.models else []
    depth = STEPS_A_SECOND * seconds / problem.rows
    usual_share = LARGE_SHARE if depth < SHALLOW_IN_LARGE else WHOLE_SHARE
    share = SHALLOW_SHARE if prospects.is_search_shallow else usual_share
    width = len(problem.codes)
    # Its repair takes long where there are many rows.
    is_repaired = bool(problem.models) and problem.rows > SMALL
    is_order_quick = CURVE_ORDER_SECONDS * problem.n * width < CURVE_ORDER_SHARE * seconds
    # Where a search has so few steps, the start is all there is.
    is_order_worth_time = is_order_quick or depth < FEWEST_STEPS
    is_curve_quick = not is_repaired and is_order_worth_time and fits(CURVE, share)
    # On a small table it is quick, and so is its repair, unless classes are large.
    is_curve_small = problem.n <= SMALL and fits(CURVE, share)
    last = [CURVE] if is_curve_small or is_curve_quick else []

    def ordered(*chosen: str) -> list[str]:
        return [*chosen, *last, *quick] if problem.models else [*quick, *chosen, *last]

    usual = ["k-member"] if prospects.pays("k-member") else []
    if not fits("k-member", share):
        better = _in_place_of_whole(problem, prospects, fits) if usual else []
        if better:
            return ordered(*better)
        if not is_long_start_worth_time(problem, seconds, prospects):
            is_united = is_stepped(problem) and fits(UNITED, STEPPED_SHARE)
            if not is_united or not prospects.pays(UNITED):
                return ordered(CELLS) if usual and prospects.divides(CELLS) else ordered()
            usual = []
    if is_stepped(problem):
        chosen = _starts_for_jumps(problem, seconds, prospects, fits, usual)
        if chosen:
            return ordered(*chosen)
    elif usual and _is_united_better(problem, seconds, prospects, fits):
        usual = [*usual, UNITED] if fits(USUAL_START, QUICK_SHARE) else [UNITED]
    elif usual and _is_united_quick(problem, seconds, fits):
        usual = [*usual, UNITED]
    if not problem.models:
        return ordered(*usual)
    is_spread = problem.k >= LARGE_CLASS and seconds < inf and fits(SEQUENTIAL, SEQUENTIAL_SHARE)
    return ordered("mondrian", *usual, *([SEQUENTIAL] if is_spread else []))


def _starts_for_jumps(
    problem: Problem,
    seconds: float,
    prospects: Expected,
    fits: Callable[[str, float], bool],
    usual: list[str],
) -> list[str]:
    """Return the starts where losses jump; none if only the usual one fits."""
    looked_at = is_look_worth_time(problem)
    shares = {UNITED: STEPPED_SHARE, UNITED_CELLS: STEPPED_CELLS_SHARE}
    fitting = [name for name, share in shares.items() if fits(name, share)]
    is_behind = not looked_at and bool(usual) and prospects.leads(USUAL_START, UNITED)
    chosen = fitting[:1] if fitting and prospects.pays(UNITED) and not is_behind else []
    is_ahead = bool(chosen) and prospects.leads(UNITED, USUAL_START, CLEARLY_AHEAD)
    is_quick = seconds < inf and not is_ahead and fits(USUAL_START, QUICK_SHARE)
    first = usual if is_quick else []
    beside = usual if looked_at and not is_quick else []
    long = []
    if problem.k >= LARGE_CLASS and (looked_at or chosen != [UNITED]):
        share = SEQUENTIAL_SHARE if chosen == [UNITED] else MOST_SEQUENTIAL_SHARE
        long = [SEQUENTIAL] if fits(SEQUENTIAL, share) and prospects.pays(SEQUENTIAL) else []
    if long and chosen == [UNITED_CELLS]:
        chosen = []
    return [*first, *chosen, *beside, *long] if chosen or long else []


def _in_place_of_whole(
    problem: Problem, prospects: Expected, fits: Callable[[str, float], bool]
) -> list[str]:
    """Return what is better than a start that takes too long: far less time, or far less loss."""
    if problem.models:
        return []
    if fits(UNITED, QUICK_SHARE) and not prospects.leads(USUAL_START, UNITED, FAR_AHEAD):
        return [UNITED]
    for name, share in ((UNITED, STEPPED_SHARE), (SEQUENTIAL, SEQUENTIAL_SHARE)):
        if fits(name, share) and prospects.leads(name, USUAL_START, FAR_AHEAD):
            return [name]
    return []


def _is_united_better(
    problem: Problem, seconds: float, prospects: Expected, fits: Callable[[str, float], bool]
) -> bool:
    """Return whether `agglomerative` is the better start, and a search would not change that."""
    depth = STEPS_A_SECOND * seconds / problem.rows
    if problem.models or not SHORTEST_UNITED <= seconds < inf or depth >= SHALLOW:
        return False
    return fits(UNITED, UNITED_SHARE) and prospects.leads(UNITED, USUAL_START)


def _is_united_quick(problem: Problem, seconds: float, fits: Callable[[str, float], bool]) -> bool:
    """Return whether `agglomerative` takes so little that it may come beside the usual start."""
    if problem.models or seconds == inf:
        return False
    # Measured for large classes, and where looks show which of the two a search improves more.
    is_measured = problem.k >= LARGE_CLASS or is_look_worth_time(problem, seconds)
    return is_measured and fits(UNITED, QUICK_SHARE)


def is_long_start_worth_time(problem: Problem, seconds: float, prospects: Expected) -> bool:
    """Return whether `k-member` as a whole may take most of the time, and promises that much."""
    if problem.models or seconds == inf:
        return False
    are_cells_large = problem.rows > LEAST_CELLS * CELL_ROWS
    share = LONG_IN_LARGE_SHARE if are_cells_large else LONG_SHARE
    if prospects.is_linear(USUAL_START):
        share = LINEAR_SHARE
    fits = prospects.seconds(USUAL_START) < share * seconds
    return fits and prospects.pays_most_time(USUAL_START)


def search_for(problem: Problem, seconds: float = inf) -> Refine:
    """Return the local search that suits the problem, and the seconds there are."""
    depth = STEPS_A_SECOND * seconds / problem.rows
    small_classes = problem.k <= FEW_AT_ALL
    if depth < (SHALLOW if small_classes else SHALLOW_IN_LARGE):
        few = small_classes or depth < FEWEST_STEPS
        return Refine(neighbours=FEW_NEIGHBOURS if few else NEIGHBOURS)
    many = problem.rows <= SMALL or is_stepped(problem)
    return Refine(neighbours=MANY_NEIGHBOURS if many else NEIGHBOURS)


def exact_search(problem: Problem, seconds: float) -> str:
    """Return how exact search is worth its time: ``optimal``, ``improve`` or not at all."""
    if problem.measure != "gcp":
        return ""
    work = problem.rows * (problem.k - 1) ** 2
    if work <= WHOLE_A_SECOND * (1.0 if seconds == inf else seconds):
        return "optimal"
    small = problem.rows <= MOST_ROWS and problem.k <= LARGEST_K
    return "improve" if small and SHORTEST_IMPROVED <= seconds < inf else ""


def is_look_worth_time(problem: Problem, seconds: float = 0.0) -> bool:
    """Return whether short searches are to tell which start suits the table best.

    On a small table they take next to no time, nor do they where there is time for a long search.
    Few large classes settle early, each search in a state of its own: which start suits them cannot
    be known beforehand.

    Parameters
    ----------
    seconds
        How much time the search has, if that is limited.
    """
    is_long = STEPS_A_SECOND * seconds >= LOOKED_FROM * problem.rows
    return problem.rows <= SMALL or problem.n < FEW_CLASSES * problem.k or is_long


def has_usual_values(problem: Problem) -> bool:
    """Return whether no set or tree is larger than those by which seconds were measured."""
    return all(
        domain.size <= USUAL_VALUES
        for domain in problem.domains
        if not isinstance(domain, IntervalDomain)
    )


def _is_quick(domain: Domain) -> bool:
    """Return whether a class grows in a step or two: an interval, or a set in one word."""
    small_set = isinstance(domain, SetDomain) and domain.size <= USUAL_VALUES
    return small_set or isinstance(domain, IntervalDomain)


def is_stepped(problem: Problem) -> bool:
    """Return whether most closures grow by jumps, by weight: trees, and all or nothing."""
    stepped = [
        weight
        for domain, weight in zip(problem.domains, problem.weights, strict=True)
        if not isinstance(domain, SetDomain) and domain.attribute.kind != "numeric"
    ]
    return sum(stepped) > STEPPED_WEIGHT * sum(problem.weights)
