"""Slow, obvious answers about covers: every graph, every matching, one after another."""

from __future__ import annotations

from itertools import combinations, permutations, product
from typing import TYPE_CHECKING

from tests.reference.loss import cell_loss, class_loss

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars as pl

    from shoal.table import Schema

Graph = list[set[int]]  # of each released record the originals that it covers


def perfect_matchings(graph: Graph) -> Iterator[tuple[int, ...]]:
    """Yield every way to give each released record an original of its own that it covers."""
    for order in permutations(range(len(graph))):
        if all(original in covered for original, covered in zip(order, graph, strict=True)):
            yield order


def has_disjoint_matchings(graph: Graph, k: int) -> bool:
    """Return whether a graph has k perfect matchings without a common pair."""
    failed: set[tuple[frozenset[int], ...]] = set()

    def has(left: Graph, wanted: int) -> bool:
        if wanted == 0:
            return True
        key = tuple(map(frozenset, left))
        if min(map(len, left)) < wanted or key in failed:
            return False
        for matching in perfect_matchings(left):
            rest = [covered - {original} for original, covered in zip(matching, left, strict=True)]
            if has(rest, wanted - 1):
                return True
        failed.add(key)
        return False

    return has(graph, k)


def possible_counterparts(graph: Graph) -> list[int]:
    """Return for each original how many released records are its own in some perfect matching."""
    own: list[set[int]] = [set() for _ in graph]
    for matching in perfect_matchings(graph):
        for released, original in enumerate(matching):
            own[original].add(released)
    return [len(found) for found in own]


def regular_graphs(n: int, k: int) -> Iterator[Graph]:
    """Yield every graph in which all records of both sides have k partners."""

    def extend(graph: Graph, used: Sequence[int]) -> Iterator[Graph]:
        if len(graph) == n:
            yield [set(covered) for covered in graph]
            return
        for covered in combinations([i for i in range(n) if used[i] < k], k):
            left = n - len(graph) - 1
            more = [count + (i in covered) for i, count in enumerate(used)]
            if all(count + left >= k for count in more):
                yield from extend([*graph, set(covered)], more)

    yield from extend([], [0] * n)


def least_cover_loss(frame: pl.DataFrame, schema: Schema, k: int, *, withheld: int = 0) -> float:
    """Return the least loss per record of any cover of a tiny table.

    Parameters
    ----------
    withheld
        Most records that may be withheld, at a loss of 1 each.
    """
    n = frame.height
    best = float(n) if withheld >= n else float("inf")
    for gone in range(min(withheld, n - k) + 1):
        for kept in combinations(range(n), n - gone):
            best = min(best, gone + _least_cover_of(frame, schema, k, kept))
    return best / n


def _least_cover_of(frame: pl.DataFrame, schema: Schema, k: int, kept: tuple[int, ...]) -> float:
    """Return the least total loss of any cover of these records."""
    # Which released record is called what does not matter: covered sets in ascending order.
    choices = list(combinations(kept, k))
    costs = [class_loss(frame, schema, list(covered)) for covered in choices]
    used = dict.fromkeys(kept, 0)
    best = float("inf")

    def search(first: int, chosen: int, loss: float) -> None:
        nonlocal best
        if loss >= best:
            return
        if chosen == len(kept):
            best = loss
            return
        for place in range(first, len(choices)):
            if all(used[i] < k for i in choices[place]):
                for i in choices[place]:
                    used[i] += 1
                search(place, chosen + 1, loss + costs[place])
                for i in choices[place]:
                    used[i] -= 1

    search(0, 0, 0.0)
    return best


def least_loss_of_covering(frame: pl.DataFrame, schema: Schema, k: int) -> float:
    """Return what records that each cover k originals, themselves among them, lose at least."""
    everyone = range(frame.height)
    return (
        sum(
            min(
                class_loss(frame, schema, sorted({own, *others}))
                for others in combinations([i for i in everyone if i != own], k - 1)
            )
            for own in everyone
        )
        / frame.height
    )


def least_concealing_loss(
    frame: pl.DataFrame, schema: Schema, k: int, model: str, ks: Sequence[int] = ()
) -> float:
    """Return the least loss per record of (k,1), (1,k), (k,k) or concealment, trying everything.

    Parameters
    ----------
    ks
        How many counterparts each original asks for, if not k.
    """
    asked = list(ks) or [k] * frame.height
    everyone = range(frame.height)
    columns = {one.name: frame[one.name].to_list() for one in schema.quasi}

    def covered(rows: tuple[int, ...]) -> frozenset[int]:
        def inside(row: int) -> bool:
            for one in schema.quasi:
                column = columns[one.name]
                held = [column[i] for i in rows]
                more = cell_loss([*held, column[row]], column, one)
                if column[row] not in held and more > cell_loss(held, column, one) + 1e-12:
                    return False
                if column[row] not in held and len(set(held)) == 1:
                    return False
            return True

        return frozenset(row for row in everyone if inside(row))

    choices = []
    for own in everyone:
        others = [i for i in everyone if i != own]
        rows = [
            (own, *more) for size in range(len(others) + 1) for more in combinations(others, size)
        ]
        choices.append({covered(one): class_loss(frame, schema, list(one)) for one in rows})
    best = float("inf")
    for graph in product(*choices):
        loss = sum(choices[own][one] for own, one in enumerate(graph))
        if loss < best - 1e-12 and conceals([set(one) for one in graph], k, asked, model):
            best = loss
    return best / frame.height


def conceals(graph: Graph, k: int, ks: Sequence[int], model: str) -> bool:
    """Return whether a graph keeps a model; ``ks`` are the counterparts that originals ask for."""
    held_by = [sum(i in covered for covered in graph) for i in range(len(graph))]
    if model in ("(k,1)", "(k,k)") and min(map(len, graph)) < k:
        return False
    if model in ("(1,k)", "(k,k)") and not _enough(held_by, ks):
        return False
    return model != "concealment" or _enough(possible_counterparts(graph), ks)


def _enough(counts: Sequence[int], ks: Sequence[int]) -> bool:
    return all(count >= k for count, k in zip(counts, ks, strict=True))
