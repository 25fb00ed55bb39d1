"""From a release and its original to a report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.encoding import encode
from shoal.encoding.parse import codes_in, parse_release
from shoal.errors import InputError
from shoal.hierarchies import file_of, is_file, is_recipe
from shoal.measures import Released, losses
from shoal.reports import wording
from shoal.reports.associations import Grouped, associations, group_column
from shoal.reports.class_sizes import class_sizes
from shoal.reports.details import column_detail, generalized_rows
from shoal.reports.distributions import distribution
from shoal.reports.exposure import exposed
from shoal.reports.report import (
    AssociationMap,
    CheckLine,
    ColumnDetail,
    KeyFigure,
    Report,
    SampleRows,
    SizeBucket,
)
from shoal.reports.risk_part import risk_lines, risk_notes, risks, sensitive_lines, singling_out
from shoal.reports.sides import Sides
from shoal.reports.writing import UNTITLED
from shoal.risks import Risk, percent
from shoal.risks.assessment import columns_shown
from shoal.table import Kind, Reading, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.reports.report import Audience
    from shoal.reports.subject import NamedFile, Subject
    from shoal.table import Attribute

_ROWS_SHOWN = 8
_LONGEST_CELL = 60
# Options that say nothing about people, so that they may be handed out.
_PUBLIC_OPTIONS = ("k", "quasi", "sensitive", "other", "model", "form", "suppression", "missing",
                   "notation")  # fmt: skip
_NEVER_SHOWN = ("seed",)


def make_report(
    subject: Subject,
    *,
    audience: Audience = "internal",
    made: str,
    version: str,
    title: str = UNTITLED,
) -> Report:
    """Return the report of a release.

    A release that failed verification gets its verdict and checks alone: nothing of its cells,
    which may be originals.
    """
    sides = Sides.of(subject, audience)
    verdict = subject.verdict
    left_out: list[str] = []
    parts: dict[str, Any] = {}
    if verdict.passed:
        parts = _parts(sides, left_out)
    else:
        left_out.append("Contents of the release are not shown: it failed verification.")
    return Report(
        audience=audience,
        title=title,
        made=made,
        version=version,
        passed=verdict.passed,
        k=subject.k,
        hiding=verdict.smallest_class,
        headline=wording.headline(subject),
        meaning=wording.meaning(subject, audience),
        guarantee=wording.guarantee(subject),
        proof=verdict.proof if audience == "internal" else "",
        checks=tuple(
            CheckLine(one.name, one.passed, one.detail if audience == "internal" else "")
            for one in verdict.checks
        ),
        options=_options(subject, audience),
        files=_files(subject, audience),
        stamp=wording.stamp(subject, audience),
        search=subject.search if audience == "internal" and verdict.passed else None,
        commands=subject.commands or wording.commands(subject, audience),
        job_file=subject.job_file if audience == "internal" else "",
        left_out=tuple(left_out),
        **{**_NOTHING, **parts},
    )


_NOTHING: dict[str, Any] = {
    "key_figures": (),
    "details": (),
    "class_sizes": (),
    "distributions": (),
    "associations": None,
    "risk": (),
    "risk_notes": (),
    "singling_out": None,
    "sensitive": (),
    "exposed": (),
    "sample": None,
}


def _parts(sides: Sides, left_out: list[str]) -> dict[str, Any]:
    """Return the parts that are drawn from the tables."""
    subject = sides.subject
    before, after = risks(sides, left_out)
    loss, by_column = _loss(sides, left_out)
    details = tuple(
        column_detail(
            # Whether a node is a leaf of its hierarchy is not secret: it shows how exact a cell is.
            replace(column, hierarchy=one.hierarchy),
            _kind(one),
            subject.released,
            ordered=one.kind is Kind.NUMERIC,
            loss=by_column.get(one.name),
        )
        for column, one in zip(sides.columns, sides.attributes, strict=True)
    )
    sizes: tuple[SizeBucket, ...] = ()
    if subject.in_classes:
        sizes = class_sizes(None if before is None else before.classes, after.classes)
    else:
        left_out.append("Class sizes: records of this form need not look the same.")
    return {
        "key_figures": _key_figures(sides, before, after, loss, details),
        "details": details,
        "class_sizes": sizes,
        "distributions": tuple(
            distribution(column, subject.released, sides.original, ordered=one.kind is Kind.NUMERIC)
            for column, one in zip(sides.columns, sides.attributes, strict=True)
        ),
        "associations": _associations(sides),
        "risk": risk_lines(before, after, in_classes=subject.in_classes),
        "risk_notes": risk_notes(sides, before, after),
        "singling_out": None if before is None else singling_out(before),
        # Which classes give values away would help those who attack the release.
        "sensitive": sensitive_lines(before, after)
        if subject.in_classes and sides.audience == "internal"
        else (),
        "exposed": exposed(subject, sides.audience, after),
        "sample": _sample(sides),
    }


def _kind(attribute: Attribute) -> str:
    """Return how a column is read where that says more than its kind."""
    named = {Reading.DATE: "date", Reading.DATETIME: "date and time", Reading.RANK: "ordered"}
    return named.get(attribute.reading, str(attribute.kind))


def _loss(sides: Sides, left_out: list[str]) -> tuple[float | None, dict[str, float]]:
    """Return the loss of the release against its original, and that of each column."""
    if sides.original is None:
        return None, {}
    subject = sides.subject
    encoded = encode(Table.of(subject.source, subject.schema))
    try:
        recoding, domains = parse_release(subject.released, encoded.domains)
    except InputError:
        left_out.append("Loss: the cells of the release cannot be placed in the original.")
        return None, {}
    codes = tuple(map(codes_in, domains, encoded.codes, encoded.domains))
    released = Released(domains, encoded.weights, codes, recoding, encoded.n, subject.k)
    found = losses(released)
    by_column = {domain.attribute.name: loss for domain, loss in zip(domains, found, strict=True)}
    return float(np.dot(encoded.weights, found)), by_column


def _key_figures(
    sides: Sides,
    before: Risk | None,
    after: Risk,
    loss: float | None,
    details: Sequence[ColumnDetail],
) -> tuple[KeyFigure, ...]:
    subject, verdict = sides.subject, sides.subject.verdict
    least = f"{verdict.smallest_class:,}"
    requested = f"k = {subject.k:,} was requested"
    if subject.in_classes:
        noun = "people who" if subject.options.get("person") else "records that"
        figures = [KeyFigure("Smallest class", least, f"{noun} look alike, at least; {requested}")]
    else:
        meaning = f"records that may be a person's, at least; {requested}"
        figures = [KeyFigure("Counterparts", least, meaning)]
    highest = 1 / verdict.smallest_class if verdict.smallest_class else 0.0
    if before is not None:
        unique = int(before["unique"] or 0)
        figures.append(
            KeyFigure(
                "Unique records",
                f"{unique:,} → {int(after['unique'] or 0):,}" if subject.in_classes else
                f"{unique:,} before",
                f"of {before.n:,}; a unique record is found by whoever knows its quasi-identifiers",
            )
        )  # fmt: skip
    # Other forms leave counterparts that need not be equally likely, and so bound no chance.
    bounded = subject.in_classes or verdict.form == "freeform"
    figures.append(
        KeyFigure(
            "Chance of picking a person",
            f"{'≤ ' if bounded else ''}{percent(highest)}",
            (
                "for the most exposed person in the release"
                if bounded
                else "if all counterparts are equally likely, which this form does not prove"
            )
            + ("" if before is None else f"; {percent(before['prosecutor_highest'] or 0)} before"),
        )
    )
    if loss is not None:
        figures.append(KeyFigure("Detail lost", percent(loss), "0 % leaves every cell exact (GCP)"))
    else:
        exact = float(np.mean([one.exact for one in details])) if details else 0.0
        figures.append(
            KeyFigure("Exact cells", percent(exact), "of the quasi-identifiers in the release")
        )
    figures.append(_suppressed(sides))
    return tuple(figures)


def _suppressed(sides: Sides) -> KeyFigure:
    """Return how many records are suppressed; how many are withheld is not for the public."""
    verdict = sides.subject.verdict
    if sides.original is None:
        return KeyFigure(
            "Starred",
            f"{verdict.starred:,}" if verdict.starred else "none",
            f"of {verdict.released:,} released records; a starred one shows * in every "
            "quasi-identifier",
        )
    gone = verdict.starred + verdict.withheld
    return KeyFigure(
        "Suppressed",
        f"{gone:,}" if gone else "none",
        f"of {verdict.n:,} records"
        + (f": {verdict.starred:,} starred (*), {verdict.withheld:,} withheld" if gone else ""),
    )


def _associations(sides: Sides) -> AssociationMap | None:
    subject = sides.subject
    pairs = [
        group_column(column, subject.released, sides.original, ordered=one.kind is Kind.NUMERIC)
        for column, one in zip(sides.columns, sides.attributes, strict=True)
    ]
    names = [column.name for column in sides.columns]
    after = [pair[0] for pair in pairs]
    before = [pair[1] for pair in pairs if pair[1] is not None]
    for name in subject.schema.sensitive:
        if name in subject.released.columns:
            names.append(name)
            after.append(Grouped.unchanged(subject.released[name]))
            if sides.original is not None:
                before.append(Grouped.unchanged(sides.original[name]))
    if len(names) < 2:
        return None
    return AssociationMap(
        tuple(names),
        None if sides.original is None else tuple(map(tuple, associations(before))),
        tuple(map(tuple, associations(after))),
    )


def _sample(sides: Sides) -> SampleRows | None:
    """Return some generalized records, each of another class: quasi-identifiers alone.

    A class of equal originals may be released as it is. Its record is left out, since it is a row
    of the original.
    """
    subject = sides.subject
    shown = [
        name for one in subject.schema.quasi for name in columns_shown(subject.released, one.name)
    ]
    columns = [
        replace(column, hierarchy=one.hierarchy)
        for column, one in zip(sides.columns, sides.attributes, strict=True)
    ]
    generalized = subject.released.filter(generalized_rows(columns, subject.released))
    distinct = generalized.select(shown).unique(maintain_order=True)
    if distinct.height == 0:
        return None
    rows = distinct.sample(min(_ROWS_SHOWN, distinct.height), seed=1, shuffle=True).rows()
    return SampleRows(
        tuple(shown),
        tuple(tuple(_shortened(cell) for cell in row) for row in rows),
    )


def _shortened(cell: object) -> str:
    text = "" if cell is None else str(cell)
    return text if len(text) <= _LONGEST_CELL else f"{text[: _LONGEST_CELL - 1]}…"


def _options(subject: Subject, audience: Audience) -> tuple[tuple[str, str], ...]:
    shown = []
    for name, value in subject.options.items():
        if name in _NEVER_SHOWN or (audience == "public" and name not in _PUBLIC_OPTIONS):
            continue
        if name == "hierarchy":
            sources = {column: _source_of(tree) for column, tree in value.items()}
            shown.append((name, _written(sources)))
            continue
        shown.append((name, _written(value)))
    return tuple(shown)


def _source_of(tree: object) -> str:
    """Return where a hierarchy comes from: its recipe, or its file without the folder."""
    if isinstance(tree, str) and is_recipe(tree):
        return tree
    return PurePath(file_of(tree)).name if isinstance(tree, str) and is_file(tree) else "given"


def _written(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}={_written(one)}" for key, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value)


def _files(subject: Subject, audience: Audience) -> tuple[tuple[str, NamedFile], ...]:
    named = [("release", subject.release_file)]
    if audience == "internal":
        named.append(("original", subject.original_file))
    return tuple((noun, file) for noun, file in named if file is not None)
