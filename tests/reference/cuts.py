"""The cut rule, record by record: slow and plain, to check trees that are grown from histograms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

Records = Sequence[tuple[int, ...]]
Loss = Callable[[int, set[int]], float]
Allowed = Callable[[int, set[int], int, int], bool]


def cells_of(
    records: Records,
    loss: Loss,
    allowed: Allowed,
    *,
    target: int,
    least: int,
    path: str = "",
) -> dict[str, list[tuple[int, ...]]]:
    """Return the records of each cell by its path.

    ``loss`` says what the closure of the codes of an attribute loses, ``allowed`` whether a cell
    with these codes may be cut between two of them that follow each other.
    """
    found = cut_of(records, loss, allowed, least) if len(records) > target else None
    if found is None:
        return {path: list(records)}
    attribute, code = found
    sides = (
        [record for record in records if record[attribute] <= code],
        [record for record in records if record[attribute] > code],
    )
    cells: dict[str, list[tuple[int, ...]]] = {}
    for name, side in zip("01", sides, strict=True):
        cells |= cells_of(side, loss, allowed, target=target, least=least, path=path + name)
    return cells


def cut_of(records: Records, loss: Loss, allowed: Allowed, least: int) -> tuple[int, int] | None:
    """Return attribute and last code of the first side, or nothing if no cut is allowed."""
    candidates = []
    for attribute in range(len(records[0])):
        held = sorted({record[attribute] for record in records})
        evens = []
        for code, following in pairwise(held):
            below = sum(record[attribute] <= code for record in records)
            smaller = min(below, len(records) - below)
            if smaller >= least and allowed(attribute, set(held), code, following):
                evens.append((smaller, -code))
        if evens:
            smaller, code = max(evens)
            candidates.append((-loss(attribute, set(held)), attribute, smaller, -code))
    candidates.sort()
    for _, attribute, smaller, code in candidates:
        if 4 * smaller >= len(records):
            return attribute, code
    if not candidates:
        return None
    most = max(smaller for _, _, smaller, _ in candidates)
    return next((a, code) for _, a, smaller, code in candidates if smaller == most)
