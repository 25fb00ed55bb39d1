"""Cross-validated errors of classifiers that learn from a release, beside the original."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.analysis.intervals import mean_with_interval
from shoal.analysis.shown import groups_of
from shoal.encoding.domain import IntervalDomain
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from shoal.analysis.shown import Group, Shown

    Features = NDArray[np.float32]

CLASSIFIERS = ("logistic regression", "gradient boosting", "naive Bayes")
# Intervals into which numbers fall for naive Bayes, which takes categories alone.
BINS = 16
# Of a small release several values are drawn from each closure.
ENOUGH, MOST_COPIES = 20_000, 10
SEED = 1


@dataclass(frozen=True, slots=True, eq=False)
class Folds:
    """Which part of the records each one is tested with.

    Parameters
    ----------
    original, release
        For each record its fold.
    apart
        Whether the two agree on every person, so that nobody is tested by what was learned from
        their own record.
    """

    original: NDArray[np.int64]
    release: NDArray[np.int64]
    apart: bool


def draw_folds(
    labels: NDArray[np.integer],
    folds: int,
    rng: np.random.Generator,
    people: NDArray[np.integer] | None = None,
) -> NDArray[np.int64]:
    """Return a fold for each record, with about equal shares of each label.

    Parameters
    ----------
    people
        Who each record is of; all records of one person fall into one fold.
    """
    if people is None:
        people = np.arange(len(labels))
    _, first, person = np.unique(people, return_index=True, return_inverse=True)
    mixed = rng.permutation(len(first))
    order = mixed[np.argsort(labels[first][mixed], kind="stable")]
    fold = np.empty(len(first), dtype=np.int64)
    fold[order] = np.arange(len(first)) % folds
    return np.asarray(fold[person], np.int64)


def classify(
    original: Shown,
    release: Shown,
    labels: tuple[NDArray[np.integer], NDArray[np.integer]],
    folds: Folds,
    *,
    names: Sequence[str] = CLASSIFIERS,
    threads: int = 1,
    report: Callable[[float], None] = lambda _: None,
) -> dict[str, Any]:
    """Return the errors of classifiers, each a mean over folds with its confidence interval.

    For each classifier ``original`` learns from and is tested on original records, ``release``
    learns from the release and is tested on original records, ``recoded`` learns from the release
    and is tested on it; ``difference`` is ``release`` - ``original``, fold by fold. ``majority``
    always predicts what most records of the training folds have.

    What is tested on exact values must be learned from exact values: a tree that has seen shares
    of a half only divides at thresholds that mean nothing for values that are there or not. So
    ``release`` learns from values that are drawn from the closures, all equally likely;
    ``recoded`` learns from, and predicts, the closures themselves.

    Raises
    ------
    ParameterError
        If scikit-learn is not installed, or there is only one value to predict.
    """
    _require(labels, folds)
    makers = _makers()
    groups = groups_of(original, BINS)
    copies = max(1, min(MOST_COPIES, ENOUGH // max(release.records, 1)))
    everyone = np.tile(np.arange(release.records), copies)
    drawn = release.take(everyone).drawn(np.random.default_rng(SEED))
    number = int(folds.original.max()) + 1
    results: dict[str, Any] = {}
    done, every = 0, len(names) * number
    for name in names:
        make = makers[name]
        whole, parts = _FEATURES[name]
        before, likely = (whole(one, groups) for one in (original, drawn))
        after = parts(release, groups)
        categories = _categorical(original) if whole is _values else None
        errors: dict[str, list[float]] = {"original": [], "release": [], "recoded": []}
        for fold in range(number):
            own, shown = folds.original == fold, folds.release == fold
            used = ~shown[everyone]
            with _fitting(threads):
                learned = make(categories).fit(before[~own], labels[0][~own])
                errors["original"].append(_error(learned, before[own], labels[0][own]))
                learned = make(categories).fit(likely[used], labels[1][everyone[used]])
                errors["release"].append(_error(learned, before[own], labels[0][own]))
                learned = make(None).fit(after[~shown], labels[1][~shown])
                errors["recoded"].append(_error(learned, after[shown], labels[1][shown]))
            done += 1
            report(done / every)
        gaps = np.array(errors["release"]) - np.array(errors["original"])
        results[name] = {
            **{what: mean_with_interval(np.array(found)) for what, found in errors.items()},
            "difference": mean_with_interval(gaps),
        }
    return {
        "folds": number,
        "apart": folds.apart,
        "majority": mean_with_interval(_majority(labels[0], folds.original)),
        "classifiers": results,
    }


def errors_from_release(
    original: Shown,
    release: Shown,
    labels: NDArray[np.integer],
    folds: NDArray[np.int64],
    *,
    names: Sequence[str] = CLASSIFIERS,
    threads: int = 1,
) -> dict[str, float]:
    """Return the mean error on original records of each classifier that learned from a release.

    As ``release`` of :func:`classify`, for a release whose records stand in the order of the
    original's.

    Raises
    ------
    ParameterError
        If scikit-learn is not installed.
    """
    makers = _makers()
    groups = groups_of(original, BINS)
    copies = max(1, min(MOST_COPIES, ENOUGH // max(release.records, 1)))
    everyone = np.tile(np.arange(release.records), copies)
    drawn = release.take(everyone).drawn(np.random.default_rng(SEED))
    found = {}
    for name in names:
        whole, _ = _FEATURES[name]
        before, likely = (whole(one, groups) for one in (original, drawn))
        categories = _categorical(original) if whole is _values else None
        errors = []
        for fold in range(int(folds.max()) + 1):
            tested = folds == fold
            used = ~tested[everyone]
            known = labels[everyone[used]]
            if len(np.unique(known)) < 2:
                errors.append(float(np.mean(labels[tested] != known[:1])))
                continue
            with _fitting(threads):
                learned = makers[name](categories).fit(likely[used], known)
                errors.append(_error(learned, before[tested], labels[tested]))
        found[name] = float(np.mean(errors))
    return found


def _require(labels: tuple[NDArray[np.integer], NDArray[np.integer]], folds: Folds) -> None:
    for of_table, fold in zip(labels, (folds.original, folds.release), strict=True):
        for one in range(int(folds.original.max()) + 1):
            tested = fold == one
            if not tested.any() or len(np.unique(of_table[~tested])) < 2:
                raise ParameterError(
                    "There is nothing to learn: the target needs two values or more in every "
                    "part that classifiers train on.",
                    remedy="Choose another `target`, or fewer `folds`.",
                )


def require_scikit_learn() -> None:
    """Raise if classifiers are not available.

    Raises
    ------
    ParameterError
        If scikit-learn is not installed.
    """
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise ParameterError(
            "Classifiers need scikit-learn, which is not installed.",
            remedy="Install it with: pip install 'shoal[utility]'",
        ) from None


def _makers() -> dict[str, Callable[[list[int] | None], Any]]:
    require_scikit_learn()
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import MultinomialNB

    return {
        "logistic regression": lambda _: LogisticRegression(max_iter=1000, tol=1e-3),
        "gradient boosting": lambda categories: HistGradientBoostingClassifier(
            categorical_features=categories, early_stopping=False, random_state=0
        ),
        "naive Bayes": lambda _: MultinomialNB(),
    }


@contextmanager
def _fitting(threads: int) -> Iterator[None]:
    """Let classifiers use no more threads, and stop short of the last digit without a warning.

    Callers give them one thread unless users set more: threads of OpenMP spin while they wait for
    each other, and where cores are busy, two take many times as long as one.
    """
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    with threadpool_limits(threads), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def _error(learned: Any, unseen: Features, truth: NDArray[np.integer]) -> float:
    return float(np.mean(learned.predict(unseen) != truth))


def _majority(labels: NDArray[np.integer], folds: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.array(
        [
            np.mean(labels[folds == fold] != np.bincount(labels[folds != fold]).argmax())
            for fold in range(int(folds.max()) + 1)
        ]
    )


def _categories(shown: Shown, groups: Sequence[Sequence[Group]]) -> Features:
    """Return for each record the share of each group of values in its closures.

    The shares of an attribute sum to 1, so multinomial naive Bayes on them is naive Bayes on
    categories for exact values, and takes the mean of log-likelihoods over a closure.
    """
    parts = shown.memberships(groups)
    return np.hstack([part[at] for part, at in zip(parts, shown.index, strict=True)])


def _numbers(shown: Shown, groups: Sequence[Sequence[Group]]) -> Features:
    """Return low end, middle and high end of numbers, shares of values of all else."""
    parts = shown.memberships(groups)
    for place, domain in enumerate(shown.domains):
        if isinstance(domain, IntervalDomain):
            parts[place] = shown.ends(place)
    return np.hstack([part[at] for part, at in zip(parts, shown.index, strict=True)])


def _values(shown: Shown, groups: Sequence[Sequence[Group]]) -> Features:
    """Return a column for each attribute of exact records: the number, or the group's place."""
    columns = []
    for place, (domain, index) in enumerate(zip(shown.domains, shown.index, strict=True)):
        if isinstance(domain, IntervalDomain):
            ends = shown.ends(place)
            of_code = np.where(ends[:, 3] == 1, np.float32(np.nan), ends[:, 1])
        else:
            of_code = np.zeros(domain.size, dtype=np.float32)
            for number, group in enumerate(groups[place]):
                of_code[group.codes] = number
        columns.append(of_code[index])
    return np.stack(columns, axis=1)


def _categorical(shown: Shown) -> list[int]:
    return [
        place
        for place, domain in enumerate(shown.domains)
        if not isinstance(domain, IntervalDomain)
    ]


# What each classifier sees of exact values, and of closures.
_FEATURES = {
    "logistic regression": (_numbers, _numbers),
    "gradient boosting": (_values, _numbers),
    "naive Bayes": (_categories, _categories),
}
