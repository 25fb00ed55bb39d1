"""What a class reveals about its members without singling them out: attribute disclosure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.encoding import FoldedRows, encode_values

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from shoal.risks.classes import Classes


@dataclass(frozen=True, slots=True)
class Disclosure:
    """What the classes reveal about one sensitive attribute; suppressed records are a class, too.

    Parameters
    ----------
    column
        The sensitive attribute.
    guess
        Share of the records whose value is guessed right by the most frequent value of their class.
    guess_without
        The same by the most frequent value of the table, for somebody who sees no class.
    largest_share
        Largest share that one value has in a class.
    least_values
        Fewest different values in a class.
    least_entropy
        Least exp(entropy) of a class: as many equally frequent values would be as mixed.
    largest_distance
        Largest distance between the values of a class and of the table, half the sum of the
        differences of shares (t-closeness with equal distances).
    giving_away
        Number of classes in which all records have the same value.
    given_away
        Number of records in such classes.
    """

    column: str
    guess: float
    guess_without: float
    largest_share: float
    least_values: int
    least_entropy: float
    largest_distance: float
    giving_away: int
    given_away: int


def disclosure(classes: Classes, values: pl.Series) -> Disclosure:
    """Return what classes reveal about a sensitive attribute.

    >>> import polars as pl
    >>> from shoal.risks.classes import Classes
    >>> table = pl.DataFrame({"sex": list("FFMM"), "ill": ["flu", "flu", "flu", "gout"]})
    >>> found = disclosure(Classes.of(table, ["sex"]), table["ill"])
    >>> found.giving_away, found.guess, found.guess_without
    (1, 0.75, 0.75)
    """
    codes, labels = encode_values(values)
    usual = np.bincount(codes, minlength=len(labels)) / len(codes)
    owner, value, count = _pairs(classes.of_record, codes)
    sizes = classes.records
    shares = count / sizes[owner]
    most_frequent = np.zeros(len(classes))
    np.maximum.at(most_frequent, owner, count)
    values_of = np.bincount(owner, minlength=len(classes))
    entropy = np.bincount(owner, -shares * np.log(shares), minlength=len(classes))
    # Values that a class lacks differ by their whole share.
    lacking = 1.0 - np.bincount(owner, usual[value], minlength=len(classes))
    apart = np.bincount(owner, np.abs(shares - usual[value]), minlength=len(classes))
    single = values_of == 1
    return Disclosure(
        column=values.name,
        guess=float(most_frequent.sum() / sizes.sum()),
        guess_without=float(usual.max()),
        largest_share=float((most_frequent / sizes).max()),
        least_values=int(values_of.min()),
        least_entropy=float(np.exp(entropy.min())),
        largest_distance=float(((apart + lacking) / 2).max()),
        giving_away=int(single.sum()),
        given_away=int(sizes[single].sum()),
    )


def _pairs(
    owner: NDArray[np.int64], codes: NDArray[np.unsignedinteger]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return class, value and number of records of each pair that occurs."""
    folded = FoldedRows.of([owner.astype(np.uint32), codes.astype(np.uint32)])
    return (
        owner[folded.first],
        codes[folded.first].astype(np.int64),
        folded.counts.astype(np.int64),
    )
