"""Everything that is compared between a release and its original, in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.analysis.classifiers import Folds, classify, draw_folds
from shoal.analysis.queries import compare_counts
from shoal.analysis.rules import compare_rules
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from shoal.analysis.shown import Shown

# What is drawn decides figures, never a release, so it need not be secret.
SEED = 1
# Classifiers learn from no more records than this; beyond it figures hardly change.
MOST_RECORDS = 100_000

LEAKY = (
    "The row map is not known, so a classifier tested on original records may have learned from "
    "the same people's released ones, and look a little better than it is; `rows` keeps them "
    "apart."
)


@dataclass(frozen=True, slots=True)
class Settings:
    """How a release is compared.

    Parameters
    ----------
    folds
        Parts of the cross-validation.
    queries
        Random counting queries.
    support, confidence
        Least share of records, and least share of hits, of an association rule.
    threads
        Threads for classifiers.
    name_rules
        Whether the strongest rules are listed; they name values of the target.
    """

    folds: int = 10
    queries: int = 1000
    support: float = 0.02
    confidence: float = 0.6
    threads: int = 1
    name_rules: bool = False

    def __post_init__(self) -> None:
        """Refuse what makes no sense.

        Raises
        ------
        ParameterError
            If a number is out of range.
        """
        for name, right, takes in (
            ("folds", 2 <= self.folds <= 1000, "2 to 1000"),
            ("queries", 1 <= self.queries <= 1_000_000, "1 to 1,000,000"),
            ("support", 0 < self.support <= 1, "a share above 0, up to 1"),
            ("confidence", 0 < self.confidence <= 1, "a share above 0, up to 1"),
        ):
            if not right:
                raise ParameterError(
                    f"{name} is {getattr(self, name)}.", remedy=f"It takes {takes}."
                )


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """A release beside its original.

    Parameters
    ----------
    original, release
        What the records show, over the same domains.
    labels
        The target of each record of original and release, as codes.
    label_names
        The target's values.
    record_of
        For each released record its original, where that is known.
    people
        Who each original record is of, where that is known.
    """

    original: Shown
    release: Shown
    labels: tuple[NDArray[np.integer], NDArray[np.integer]]
    label_names: Sequence[str]
    record_of: NDArray[np.int64] | None = None
    people: NDArray[np.integer] | None = None


def study(pair: Pair, settings: Settings, report: Callable[[float], None]) -> dict[str, Any]:
    """Return errors of classifiers, association rules and counting queries, ready for JSON."""
    notes = [] if pair.record_of is not None else [LEAKY]
    drawn = _drawn(pair)
    if drawn is not pair:
        notes.append(f"Classifiers worked on {MOST_RECORDS:,} records, drawn at random.")
    learned = classify(
        drawn.original,
        drawn.release,
        drawn.labels,
        _folds(drawn, settings.folds),
        threads=settings.threads,
        report=report,
    )
    rules = compare_rules(
        pair.original,
        pair.release,
        pair.labels,
        pair.label_names,
        support=settings.support,
        confidence=settings.confidence,
    )
    if not settings.name_rules:
        del rules["strongest"]
    counts = study_counts(pair.original, pair.release, settings)
    return {"learning": learned, "rules": rules, "queries": counts, "notes": notes}


def study_counts(original: Shown, release: Shown, settings: Settings) -> dict[str, Any]:
    """Return errors of counting queries, the comparison that needs no target, ready for JSON."""
    return compare_counts(original, release, settings.queries, np.random.default_rng([SEED, 2]))


def _folds(pair: Pair, folds: int) -> Folds:
    rng = np.random.default_rng([SEED, 1])
    original = draw_folds(pair.labels[0], folds, rng, pair.people)
    if pair.record_of is not None:
        return Folds(original, original[pair.record_of], apart=True)
    return Folds(original, draw_folds(pair.labels[1], folds, rng), apart=False)


def _drawn(pair: Pair) -> Pair:
    """Return the pair with no more records than classifiers take."""
    n = pair.original.records
    if n <= MOST_RECORDS:
        return pair
    rng = np.random.default_rng([SEED, 0])
    kept = np.sort(rng.choice(n, size=MOST_RECORDS, replace=False))
    record_of = None
    if pair.record_of is None:
        size = min(MOST_RECORDS, pair.release.records)
        shown = np.sort(rng.choice(pair.release.records, size=size, replace=False))
    else:
        place = np.full(n, -1, dtype=np.int64)
        place[kept] = np.arange(len(kept))
        shown = np.flatnonzero(place[pair.record_of] >= 0)
        record_of = place[pair.record_of[shown]]
    return Pair(
        pair.original.take(kept),
        pair.release.take(shown),
        (pair.labels[0][kept], pair.labels[1][shown]),
        pair.label_names,
        record_of,
        None if pair.people is None else pair.people[kept],
    )
