"""Risk figures, each with what it means and how it is defined."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST_DIGITS = 5


@dataclass(frozen=True, slots=True)
class Figure:
    """One risk figure of a table.

    Parameters
    ----------
    name
        Its key, such as ``prosecutor_highest``.
    value
        A share between 0 and 1, or a count; ``None`` where it cannot be computed.
    label
        What it is called.
    meaning
        What it means, in one sentence.
    definition
        How it is computed.
    unit
        ``share`` or ``count``.
    margin
        Half the width of its 95 % interval, where it is estimated from records drawn at random;
        ``None`` where every record was counted.
    """

    name: str
    value: float | None
    label: str
    meaning: str
    definition: str
    unit: str = "share"
    margin: float | None = None

    @property
    def shown(self) -> str:
        """The value as people read it.

        >>> make_figure("prosecutor_average", 0.0512).shown
        '5.1 %'
        >>> make_figure("linkage_average", 0.0512, margin=0.001).shown
        '≈ 5.1 %'
        """
        if self.value is None:
            return "not known"
        if self.unit == "count":
            return f"{self.value:,.0f}"
        return percent(self.value) if self.margin is None else f"≈ {percent(self.value)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the figure as a dictionary, ready for JSON."""
        return asdict(self)


def percent(share: float) -> str:
    """Return a share as a percentage that never rounds a risk to nothing or to certainty.

    >>> percent(0.2), percent(0.00004), percent(0.99999), percent(0)
    ('20 %', '0.004 %', '99.999 %', '0 %')
    """
    value = 100 * share
    for digits in range(1, _MOST_DIGITS + 1):
        text = f"{value:.{digits}f}"
        if value in (0.0, 100.0) or float(text) not in (0.0, 100.0):
            return f"{text.rstrip('0').rstrip('.')} %"
    least = 10**-_MOST_DIGITS
    return f"< {least:.{_MOST_DIGITS}f} %" if value < 50 else f"> {100 - least:.{_MOST_DIGITS}f} %"


def make_figure(
    name: str, value: float | None, margin: float | None = None, *, in_people: bool = False
) -> Figure:
    """Return a figure with its label, meaning and definition.

    Parameters
    ----------
    in_people
        Whether a person may have several records, so that classes are counted in people.
    """
    known = _IN_PEOPLE.get(name, DEFINITIONS[name]) if in_people else DEFINITIONS[name]
    return Figure(name, value, known.label, known.meaning, known.definition, known.unit, margin)


@dataclass(frozen=True, slots=True)
class _Definition:
    label: str
    meaning: str
    definition: str
    unit: str = "share"


# f: records that look the same; F: people of the population who
# do; n: records; π: sampling fraction.
DEFINITIONS: dict[str, _Definition] = {
    "smallest_class": _Definition(
        "Smallest class",
        "Every record looks the same as at least this many, itself included: the table's k.",
        "min f, f: records in a class",
        "count",
    ),
    "classes": _Definition(
        "Classes",
        "This many groups of records can be told apart by their quasi-identifiers.",
        "number of different combinations of quasi-identifiers",
        "count",
    ),
    "unique": _Definition(
        "Unique records",
        "These records look like no other: whoever knows their quasi-identifiers finds them.",
        "number of records with f = 1",
        "count",
    ),
    "sample_uniqueness": _Definition(
        "Sample uniqueness",
        "Share of the records that look like no other record of the table.",
        "(records with f = 1) / n, n: records",
    ),
    "prosecutor_average": _Definition(
        "Prosecutor risk, average",
        "Chance that somebody who knows a person is in the table picks the right record, on "
        "average.",
        "mean of 1/f over the records = classes / n",
    ),
    "prosecutor_highest": _Definition(
        "Prosecutor risk, highest",
        "The same chance for the most exposed person.",
        "max 1/f = 1 / smallest class",
    ),
    "prosecutor_above": _Definition(
        "Records above the threshold",
        "Share of the records that are picked with a higher chance than the threshold allows.",
        "(records with 1/f > threshold) / n",
    ),
    "journalist_average": _Definition(
        "Journalist risk, average",
        "Chance that somebody who does not know who is in the table picks the right person, on "
        "average.",
        "max of (classes / sum of F over classes) and (mean of 1/F over the records), F: people of "
        "the population in a class; with a sampling fraction alone E(1/F | f) in place of 1/F, as "
        "in sdcMicro",
    ),
    "journalist_highest": _Definition(
        "Journalist risk, highest",
        "The same chance for the most exposed person.",
        "max 1/F, or max E(1/F | f)",
    ),
    "journalist_above": _Definition(
        "Journalist: records above the threshold",
        "Share of the records whose chance exceeds the threshold for such an attacker.",
        "(records with 1/F, or E(1/F | f), > threshold) / n",
    ),
    "marketer": _Definition(
        "Marketer risk",
        "Share of all records that somebody who links the whole table to another is expected to "
        "link correctly.",
        "mean of 1/F over the records; of 1/f where no population is known",
    ),
    "matching_average": _Definition(
        "Risk by matching, average",
        "The prosecutor's chance when * matches anything and overlapping cells may hide the same "
        "person, if all records that match are taken as equally likely.",
        "mean of 1/m over the records that show anything, m: such records whose cells are "
        "compatible in every column",
    ),
    "matching_highest": _Definition(
        "Risk by matching, highest",
        "The same chance for the most exposed person.",
        "max 1/m",
    ),
    "matching_above": _Definition(
        "By matching: records above the threshold",
        "Share of the records whose chance by matching exceeds the threshold.",
        "(records with 1/m > threshold) / n",
    ),
    "linkage_average": _Definition(
        "Linkage risk, average",
        "Chance that somebody who knows the exact quasi-identifiers of a person in the original "
        "picks the right record of the release, on average.",
        "mean over the original records of 1/c, c: released records that show anything and cover "
        "the original, or if there are none, those that show nothing",
    ),
    "linkage_highest": _Definition(
        "Linkage risk, highest",
        "The same chance for the most exposed person.",
        "max 1/c",
    ),
    "population_pitman": _Definition(
        "Population uniqueness, Pitman",
        "Estimated share of the population that is unique, by Pitman's model.",
        "Hoshino (2001): maximum likelihood of θ and α, Γ(θ+1)/Γ(θ+α) · Γ(N+θ+α-1)/Γ(N+θ)",
    ),
    "population_zayatz": _Definition(
        "Population uniqueness, Zayatz",
        "Estimated share of the population that is unique, by Zayatz' method.",
        "Zayatz (1991): c₁ / n · P(unique in the population | unique in the sample)",
    ),
    "population_snb": _Definition(
        "Population uniqueness, SNB",
        "Estimated share of the population that is unique, by the shifted negative binomial model.",
        "Chen and Keller-McNulty (1998): K β^α / N, K by Shlosser's estimator",
    ),
    "population_dankar": _Definition(
        "Population uniqueness, by Dankar's rule",
        "The estimate to go by: the model that suits this sampling fraction.",
        "Dankar et al. (2012): Pitman if π ≤ 0.1, else the lower of Zayatz and SNB",
    ),
}

# f: people with a record in a class.
_IN_PEOPLE: dict[str, _Definition] = {
    "smallest_class": _Definition(
        "Smallest class, in people",
        "Every record looks the same as records of at least this many people, its own included: "
        "the table's k.",
        "min f, f: people with a record in the class",
        "count",
    ),
    "unique": _Definition(
        "Unique records",
        "These records look like those of no other person: whoever knows their quasi-identifiers "
        "finds the person.",
        "number of records with f = 1, f: people with a record in the class",
        "count",
    ),
    "sample_uniqueness": _Definition(
        "Sample uniqueness",
        "Share of the records that look like those of no other person.",
        "(records with f = 1) / n, f: people with a record in the class, n: records",
    ),
    "prosecutor_average": _Definition(
        "Prosecutor risk, average",
        "Chance that somebody who knows a person is in the table picks a record of that person, on "
        "average.",
        "mean of 1/f over the records, f: people with a record in the class",
    ),
    "prosecutor_highest": _Definition(
        "Prosecutor risk, highest",
        "The same chance for the most exposed person.",
        "max 1/f = 1 / people in the smallest class",
    ),
}


def explained(names: Iterable[str]) -> list[tuple[str, str, str]]:
    """Return label, meaning and definition of columns of a table of figures."""
    return [(one.label, one.meaning, one.definition) for one in (COLUMNS[name] for name in names)]


# p: share of a value in a class; q: its share in the table.
COLUMNS: dict[str, _Definition] = {
    "guess": _Definition(
        "guessed right",
        "How often an attacker who names the most frequent value of a person's class is right.",
        "(sum over the classes of the records with their most frequent value) / n",
    ),
    "guess_without": _Definition(
        "without classes",
        "How often somebody who names the most frequent value of the table is right.",
        "(records with the most frequent value) / n",
    ),
    "largest_share": _Definition(
        "largest share",
        "How sure an attacker can be of a value in the most revealing class.",
        "max p, p: share of a value in a class",
    ),
    "least_values": _Definition(
        "fewest values",
        "Every class holds at least this many different values (distinct l-diversity).",
        "min over the classes of the number of their values",
        "count",
    ),
    "least_entropy": _Definition(
        "entropy l",
        "The least mixed class is as mixed as this many equally frequent values (entropy "
        "l-diversity).",
        "min over the classes of exp(-Σ p ln p)",
        "number",
    ),
    "largest_distance": _Definition(
        "distance t",
        "How far the values of a class are from those of the table (t-closeness, equal distances).",
        "max over the classes of ½ Σ |p - q|, q: share of a value in the table",
        "number",
    ),
    "giving_away": _Definition(
        "classes giving away",
        "Whoever finds a person in one of these classes learns the value for certain.",
        "number of classes that hold one value alone",
        "count",
    ),
    "given_away": _Definition(
        "records given away",
        "The records of these classes.",
        "records in classes that hold one value alone",
        "count",
    ),
    "contribution": _Definition(
        "part in unique combinations",
        "How much a column contributes to singling people out.",
        "share of all SUDA scores that comes from minimal combinations with the column",
    ),
    "unique_alone": _Definition(
        "unique alone",
        "Records that this column singles out by itself.",
        "records whose value in the column occurs once",
        "count",
    ),
    "unique_without": _Definition(
        "unique without it",
        "Records that stay unique when the column is removed.",
        "records that are unique on the other columns together",
        "count",
    ),
}
