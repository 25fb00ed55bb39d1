"""``shoal risk``: how exposed the people of a table are, before and after."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Annotated, Any

from rich.text import Text
from typer import Argument, Option

from shoal.cli import options
from shoal.cli.flag_values import options_of_facts_file, options_of_flags, override
from shoal.cli.screen import Screen, plain_table, print_json, printable
from shoal.cli.summary import show_notes
from shoal.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from shoal.risks import Risk

_COLUMNS_SHOWN = 12
_COMBINATIONS_SHOWN = 5
_HEADER = 20  # letters in a line of a header
_EXPLAINED = "meaning, and how it is computed"

_Release = Annotated[
    str | None, Argument(metavar="RELEASE", help="Release of the table, to show side by side.")
]
_Population = Annotated[
    str | None,
    Option(metavar="FILE", help="The population itself, with the same quasi-identifiers."),
]
_Custody = Annotated[
    str | None,
    Option(
        metavar="FILE",
        help="Use the row map of this custody file to see whose the records of RELEASE are, so "
        "that --person counts on both sides.",
    ),
]
_Records = Annotated[
    str | None,
    Option(
        metavar="FILE",
        help="Write class size, risk and SUDA score of each record, by row number.",
    ),
]


@options.takes("risk")
def risk(
    data: options.Data,
    release: _Release = None,
    *,
    facts: options.FactsIn = None,
    custody: _Custody = None,
    population: _Population = None,
    records: _Records = None,
    force: options.Force = False,
    json: options.Json = False,
    **flags: Any,
) -> int:
    """Estimate how likely people are to be identified in a table, and by which columns.

    Quasi-identifiers are suggested unless they are named. With RELEASE both tables are shown side
    by side.
    """
    from shoal.api.risk import risk as risk_of
    from shoal.io import check_output, read_table
    from shoal.options.reading import ReadingOptions

    if records is not None:
        check_output(records, force, inputs=[data])
    if custody is not None and release is None:
        raise ParameterError(
            "--custody identifies the records of a release, but no release is given.",
            remedy="Name the release after the table, or leave --custody out.",
        )
    given = options_of_flags(flags, "risk")
    described = override(options_of_facts_file(facts), given) if facts is not None else given
    reads = options.names_of("inspect")
    reading = ReadingOptions(**_only(described, reads)).model_dump()
    question = {name: described[name] for name in options.names_of("risk") if name in described}
    question = {name: value for name, value in question.items() if name not in reads}
    source = read_table(data, **reading)
    if population is not None:
        alike = {name: reading[name] for name in reading if name not in ("sheet", "table", "query")}
        question["population"] = read_table(population, **alike)
    # The cells of an original are in no notation.
    shown: dict[str, Any] = {
        name: question.pop(name) for name in ("notation", "aggregate") if name in question
    }
    notes = []
    if release is None:
        question |= shown
    elif question.get("person") in source.columns and custody is None:
        del question["person"]
        notes.append(
            "All figures count records, not people: a release does not show which records belong "
            "to one person. Its custody file does (--custody)."
        )
    before = risk_of(source, **question)
    after = None
    if release is not None:
        released = _released(release, described)
        rows = None if custody is None else _rows(custody)
        question = {**question, **shown, "quasi": before.columns}
        after = risk_of(released, original=source, rows=rows, **question)
    if records is not None:
        _write_records(before, records)
    if json:
        for note in notes:
            Screen(stderr=True).say(f"note: {note}")
        print_json(before.to_dict() if after is None else before.beside(after).to_dict())
        return 0
    _show(Screen(), before, after, notes)
    return 0


def _only(flags: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: flags[name] for name in names if name in flags}


def _released(path: str, described: dict[str, Any]) -> pl.DataFrame:
    from shoal.io import read_release
    from shoal.io.formulas import is_csv, without_marks

    released = read_release(path, described.get("separator"))
    marked = described.get("escape_formulas") and is_csv(path)
    return without_marks(released) if marked else released


def _rows(custody: str) -> NDArray[np.int64]:
    from shoal.pipeline.custody import read_row_map

    return read_row_map(custody)[0]


def _write_records(found: Risk, path: str) -> None:
    from shoal.io import Staging

    with Staging() as staging:
        staging.table(found.by_record, path, private=True)
        staging.commit()


def _show(screen: Screen, before: Risk, after: Risk | None, notes: list[str]) -> None:
    from shoal.risks import percent

    screen.say(Text(before.summary if after is None else before.beside(after).summary, "bold"))
    screen.print(
        f"Assumed attacker knowledge: {printable(', '.join(before.columns))}. "
        f"Threshold: {percent(before.threshold)}.",
        style="dim",
    )
    screen.say()
    values = ("value",) if after is None else ("before", "after")
    rows = before.rows() if after is None else before.beside(after).rows()
    table = plain_table("figure", *values, _EXPLAINED, right=values)
    for label, *shown, meaning, definition in rows:
        table.add_row(label, *shown, _explanation(meaning, definition))
    screen.print(table)
    _show_columns(screen, before)
    _show_sensitive(screen, before, after, values)
    _show_safe_harbor(screen, before, after)
    all_notes = [*notes, *before.notes, *(() if after is None else after.notes)]
    show_notes(screen, list(dict.fromkeys(all_notes)))


def _show_columns(screen: Screen, found: Risk) -> None:
    from shoal.risks.figure import explained
    from shoal.risks.tables import column_rows, combination_rows

    if not found.uniques.unique:
        return
    headers, rows = column_rows(found, _COLUMNS_SHOWN)
    broken = tuple(textwrap.fill(header, _HEADER) for header in headers)
    table = plain_table("which columns single people out", *broken, right=broken)
    for row in rows:
        table.add_row(*map(printable, row))
    screen.say()
    screen.print(table)
    for label, meaning, definition in explained(("contribution", "unique_alone", "unique_without")):
        screen.print(f"{label}: {meaning} ({definition})", style="dim")
    combinations = combination_rows(found, _COMBINATIONS_SHOWN)
    if not combinations:
        return
    combined = plain_table("combinations that single out most", "records", right=("records",))
    for row in combinations:
        combined.add_row(*map(printable, row))
    screen.say()
    screen.print(combined)


def _show_sensitive(
    screen: Screen, before: Risk, after: Risk | None, values: tuple[str, ...]
) -> None:
    from shoal.risks.figure import explained
    from shoal.risks.tables import DISCLOSURES, sensitive_rows

    explanations = [
        _explanation(meaning, computed) for _, meaning, computed in explained(DISCLOSURES)
    ]
    # Figures are explained once.
    for place, (name, rows) in enumerate(sensitive_rows(before, after).items()):
        extra = (_EXPLAINED,) if not place else ()
        table = plain_table(
            f"what classes reveal about {printable(name)}", *values, *extra, right=values
        )
        for row, explanation in zip(rows, explanations, strict=True):
            table.add_row(*row, *((explanation,) if extra else ()))
        screen.say()
        screen.print(table)


def _explanation(meaning: str, definition: str) -> Text:
    return Text.assemble(meaning, "\n", (definition, "dim"))


def _show_safe_harbor(screen: Screen, before: Risk, after: Risk | None) -> None:
    from shoal.risks.tables import safe_harbor_rows, safe_harbor_summary

    sides = [("", before)] if after is None else [("before", before), ("after", after)]
    for side, found in sides:
        screen.say()
        screen.say(Text(safe_harbor_summary(found, side), "bold"))
        table = plain_table("", "")
        table.show_header = False
        for row in safe_harbor_rows(found):
            table.add_row(*map(printable, row))
        if table.row_count:
            screen.print(table)
