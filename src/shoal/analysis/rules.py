"""Association rules of the original, and what a release makes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.analysis.shown import groups_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.analysis.shown import Group, Shown

# Intervals of a numeric attribute that rules speak of.
BINS = 5
# A rule must raise the chance of its consequent by this factor; else it tells nothing.
LEAST_LIFT = 1.1
CHUNK = 20_000
LISTED_RULES = 10


@dataclass(frozen=True, slots=True, eq=False)
class _Counts:
    """Expected records of every pair of items (an item with itself: the item) and label."""

    of_pairs: NDArray[np.float64]  # [label, item, item]
    records: int

    @property
    def support(self) -> NDArray[np.float64]:
        return np.asarray(self.of_pairs / max(self.records, 1))

    @property
    def confidence(self) -> NDArray[np.float64]:
        every = self.of_pairs.sum(axis=0)
        shares = np.zeros(self.of_pairs.shape)
        np.divide(self.of_pairs, every, out=shares, where=every > 1e-9)
        return shares


def compare_rules(
    original: Shown,
    release: Shown,
    labels: tuple[NDArray[np.integer], NDArray[np.integer]],
    names: Sequence[str],
    *,
    support: float,
    confidence: float,
) -> dict[str, Any]:
    """Return how many rules of the original an analyst would also find in the release.

    A rule says: who shows these groups of values in one or two attributes has this value of the
    target. It needs a support, a confidence, and a confidence of at least 1.1 times the share
    of the value among all. In the release a record counts for a rule by the share of its closures'
    values that fit.

    Parameters
    ----------
    labels
        For each record of original and release the code of its target value.
    names
        The target's values.
    """
    groups = groups_of(original, BINS)
    items = [(place, group) for place, of_one in enumerate(groups) for group in of_one]
    owner = np.array([place for place, _ in items])
    before = _count(original, labels[0], groups, len(names))
    after = _count(release, labels[1], groups, len(names))
    # Each pair once, two items of one attribute never; the diagonal is rules of one item.
    pairs = np.triu(owner[:, None] != owner[None, :]) | np.eye(len(items), dtype=np.bool_)
    there = _rules(before, labels[0], support, confidence) & pairs
    here = _rules(after, labels[1], support, confidence) & pairs
    kept = there & here
    change = np.abs(after.confidence - before.confidence)[there]
    found, mined = int(there.sum()), int(here.sum())
    return {
        "support": support,
        "confidence": confidence,
        "original": found,
        "release": mined,
        "kept": int(kept.sum()),
        "share_kept": float(kept.sum() / found) if found else None,
        "share_spurious": float(1 - kept.sum() / mined) if mined else None,
        "confidence_difference": float(change.mean()) if found else None,
        "strongest": _described(there, here, before, after, original, items, names),
    }


def _count(
    shown: Shown,
    labels: NDArray[np.integer],
    groups: Sequence[Sequence[Group]],
    label_count: int,
) -> _Counts:
    parts = shown.memberships(groups)
    width = sum(part.shape[1] for part in parts)
    found = np.zeros((label_count, width, width))
    for start in range(0, shown.records, CHUNK):
        index = [column[start : start + CHUNK] for column in shown.index]
        block = np.hstack([part[at] for part, at in zip(parts, index, strict=True)])
        block = block.astype(np.float64)
        here = labels[start : start + CHUNK]
        for label in range(label_count):
            of_label = block[here == label]
            found[label] += of_label.T @ of_label
            # An item with itself is the item, not its square.
            np.einsum("ii->i", found[label])[:] += (of_label - of_label**2).sum(axis=0)
    return _Counts(found, shown.records)


def _rules(
    counts: _Counts, labels: NDArray[np.integer], support: float, confidence: float
) -> NDArray[np.bool_]:
    share = np.bincount(labels, minlength=len(counts.of_pairs)) / max(len(labels), 1)
    least = np.maximum(confidence, LEAST_LIFT * share)[:, None, None]
    return np.asarray((counts.support >= support) & (counts.confidence >= least))


def _described(  # noqa: PLR0917 (both tables' counts and rules, and the names of what they count)
    there: NDArray[np.bool_],
    here: NDArray[np.bool_],
    before: _Counts,
    after: _Counts,
    original: Shown,
    items: Sequence[tuple[int, Group]],
    names: Sequence[str],
) -> list[dict[str, Any]]:
    """Return the best supported rules of the original, with what became of them."""
    places = np.argwhere(there)
    order = np.argsort(-before.of_pairs[there], kind="stable")[:LISTED_RULES]
    described = []
    for label, first, second in places[order].tolist():
        antecedent = {
            original.domains[items[item][0]].attribute.name: items[item][1].name
            for item in dict.fromkeys((first, second))
        }
        described.append(
            {
                "if": antecedent,
                "then": names[label],
                "support": float(before.support[label, first, second]),
                "confidence": float(before.confidence[label, first, second]),
                "in_release": {
                    "support": float(after.support[label, first, second]),
                    "confidence": float(after.confidence[label, first, second]),
                    "kept": bool(here[label, first, second]),
                },
            }
        )
    return described
