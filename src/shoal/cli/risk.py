"""``shoal risk``: how exposed the people of a table are, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from rich.text import Text
from typer import Argument, Option

from shoal.cli import options
from shoal.cli.flag_values import options_of_facts_file, options_of_flags, override
from shoal.cli.screen import Screen, plain_table, print_json, printable
from shoal.cli.summary import show_notes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.risks import Risk

_COLUMNS_SHOWN = 12
_COMBINATIONS_SHOWN = 5

_Release = Annotated[
    str | None, Argument(metavar="[RELEASE]", help="Release of the table, to show side by side.")
]
_Population = Annotated[
    str | None,
    Option(metavar="FILE", help="The population itself, with the same quasi-identifiers."),
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
    population: _Population = None,
    records: _Records = None,
    force: options.Force = False,
    json: options.Json = False,
    **words: Any,
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
    given = options_of_flags(words, "risk")
    described = override(options_of_facts_file(facts), given) if facts is not None else given
    reads = options.names_of("inspect")
    reading = ReadingOptions(**_only(described, reads)).model_dump()
    asked = {name: described[name] for name in options.names_of("risk") if name in described}
    asked = {name: value for name, value in asked.items() if name not in reads}
    source = read_table(data, **reading)
    if population is not None:
        asked["population"] = read_table(population, **reading)
    # The cells of an original are in no notation.
    shown: dict[str, Any] = {}
    for name in ("notation", "aggregate"):
        if release is not None and name in asked:
            shown[name] = asked.pop(name)
    before = risk_of(source, **asked)
    after = None
    if release is not None:
        released = read_table(release, separator=described.get("separator"), header="present")
        # Which record is whose person is not part of a release, so both count records there.
        asked = {**asked, **shown, "quasi": before.columns, "person": None}
        after = risk_of(released, original=source, **asked)
    if after is not None and described.get("person") is not None:
        Screen(stderr=True).say(
            "note: Figures after count records, not persons: a release does not say which records "
            "are of one person. Several of them in one class look like several people."
        )
    if records is not None:
        _write_records(before, records)
    if json:
        print_json(before.to_dict() if after is None else before.beside(after).to_dict())
        return 0
    _show(Screen(), before, after)
    return 0


def _only(words: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: words[name] for name in names if name in words}


def _write_records(found: Risk, path: str) -> None:
    from shoal.io import Staging

    with Staging() as staging:
        staging.table(found.by_record, path, private=True)
        staging.commit()


def _show(screen: Screen, before: Risk, after: Risk | None) -> None:
    from shoal.risks import percent

    screen.say(Text(before.summary if after is None else before.beside(after).summary, "bold"))
    screen.print(
        f"Assumed attacker knowledge: {printable(', '.join(before.columns))}. "
        f"Threshold: {percent(before.threshold)}.",
        style="dim",
    )
    screen.say()
    if after is None:
        table = plain_table("figure", "value", "meaning", right=("value",))
        for figure in before.figures:
            table.add_row(figure.label, figure.shown, figure.meaning)
    else:
        table = plain_table("figure", "before", "after", "meaning", right=("before", "after"))
        for row in before.beside(after).rows():
            table.add_row(*row)
    screen.print(table)
    _show_columns(screen, before)
    _show_sensitive(screen, before, after)
    _show_safe_harbor(screen, after or before)
    notes = [*before.notes, *(() if after is None else after.notes)]
    show_notes(screen, list(dict.fromkeys(notes)))


def _show_columns(screen: Screen, found: Risk) -> None:
    from shoal.risks import percent

    if not found.uniques.unique:
        return
    headers = ("part in unique combinations", "unique alone", "unique without it")
    table = plain_table("which columns single people out", *headers, right=headers)
    for row in found.by_column.head(_COLUMNS_SHOWN).to_dicts():
        table.add_row(
            printable(row["column"]),
            percent(row["contribution"]),
            f"{row['unique_alone']:,}",
            f"{row['unique_without']:,}",
        )
    screen.say()
    screen.print(table)
    combined = plain_table("combinations that single out most", "records", right=("records",))
    for row in found.by_combination.head(_COMBINATIONS_SHOWN).to_dicts():
        combined.add_row(printable(" + ".join(row["columns"])), f"{row['records']:,}")
    screen.say()
    screen.print(combined)


def _show_sensitive(screen: Screen, before: Risk, after: Risk | None) -> None:
    from shoal.risks import percent

    found = [("before", one) for one in before.sensitive]
    found += [] if after is None else [("after", one) for one in after.sensitive]
    if not found:
        return
    headers = ("guessed right", "without classes", "largest share", "given away")
    table = plain_table("sensitive attribute", "", *headers, right=headers)
    for side, one in found:
        table.add_row(
            printable(one.column),
            side if after is not None else "",
            percent(one.guess),
            percent(one.guess_without),
            percent(one.largest_share),
            f"{one.given_away:,} in {one.giving_away:,} classes",
        )
    screen.say()
    screen.print(table)
    screen.print(
        "guessed right: by the most frequent value of the class; given away: records in classes "
        "with one value only",
        style="dim",
    )


def _show_safe_harbor(screen: Screen, found: Risk) -> None:
    present = found.identifiers_present
    screen.say()
    if not present:
        screen.print("HIPAA Safe Harbor: none of the 18 identifiers was found.")
        return
    table = plain_table(f"HIPAA Safe Harbor: {len(present)} of 18 identifiers", "columns")
    for one in present:
        columns = "; ".join(f"{printable(column)} ({reason})" for column, reason in one.columns)
        table.add_row(one.name, columns)
    screen.print(table)
