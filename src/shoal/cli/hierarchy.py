"""``shoal hierarchy build|check|show``: hierarchies built from a column, checked and previewed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.text import Text
from typer import Argument, Option

from shoal.cli import options
from shoal.cli.failure import USAGE
from shoal.cli.flag_values import options_of_flags
from shoal.cli.screen import Screen, plain_table, print_json, printable
from shoal.cli.shell_lines import command, flags_of_options
from shoal.errors import HierarchyError, ParameterError
from shoal.io import STANDARD_STREAM

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from shoal.hierarchies import Fault, Hierarchy, Level

_WAYS = "How to build it: choose one"

hierarchy = typer.Typer(add_completion=False)

_Column = Annotated[str, Argument(metavar="COLUMN", help="The column.")]
_File = Annotated[str, Argument(metavar="FILE", help="The hierarchy: leaf,level1,…,*")]


def _way(flag: str, metavar: str, help_text: str) -> Any:
    return Option(flag, metavar=metavar, help=help_text, rich_help_panel=_WAYS)


@hierarchy.callback(invoke_without_command=True)
def _hierarchy(context: typer.Context) -> int:
    """Build hierarchies from columns, check them, and preview what they do to a column."""
    if context.invoked_subcommand is None:
        Screen().say(context.get_help())
        return USAGE
    return 0


@hierarchy.command()
@options.takes("hierarchy")
def build(
    data: options.Data,
    column: _Column,
    *,
    output: Annotated[
        str,
        Option("-o", "--output", metavar="FILE", help="Output file; - is standard output."),
    ],
    ranges: Annotated[
        str | None, _way("--ranges", "W,W,…", "Ranges of these widths, narrowest first.")
    ] = None,
    quantiles: Annotated[
        str | None, _way("--quantiles", "N,N,…", "This many groups of nearly equal size.")
    ] = None,
    cuts: Annotated[
        list[str] | None,
        _way("--cuts", "A,B,…", "Groups begin at these values; repeat it for coarser levels."),
    ] = None,
    stars: Annotated[
        bool, Option("--stars", help="80015, 8001*, 800**, …", rich_help_panel=_WAYS)
    ] = False,
    dates: Annotated[
        bool,
        Option("--dates", help="Day, month, quarter, year, decade.", rich_help_panel=_WAYS),
    ] = False,
    groups: Annotated[
        str | None,
        _way("--groups", "TABLE", "A table whose columns are value, group, larger group, …"),
    ] = None,
    automatic: Annotated[
        bool,
        Option("--automatic", help="Choose by the values.", rich_help_panel=_WAYS),
    ] = False,
    by: Annotated[
        Literal["counts", "cooccurrence"] | None,
        Option(
            "--by",
            help="What --automatic groups by: how often values occur, or which other values "
            "they occur with.",
            rich_help_panel=_WAYS,
        ),
    ] = None,
    force: options.Force = False,
    json: options.Json = False,
    **flags: Any,
) -> int:
    """Build a hierarchy from a column, and write one line leaf,level1,…,* per value."""
    from shoal.api.hierarchy import build_hierarchy
    from shoal.io import check_output, write_hierarchy

    recipe = _recipe(
        {
            "--ranges": ranges and f"ranges:{ranges}",
            "--quantiles": quantiles and f"quantiles:{quantiles}",
            "--cuts": cuts and f"cuts:{'/'.join(cuts)}",
            "--stars": "stars" if stars else None,
            "--dates": "dates" if dates else None,
            "--groups": groups and f"groups:{groups}",
            "--automatic": ("auto" if by is None else f"auto:{by}") if automatic else None,
        }
    )
    if by is not None and not automatic:
        raise ParameterError("--by requires --automatic.", remedy="Leave it out.")
    about, reading = _described(flags)
    inputs = [data, *([groups] if groups is not None else [])]
    others = [STANDARD_STREAM] if json else []
    check_output(output, force, table=False, inputs=inputs, others=others)
    frame = _read(data, reading)
    if groups is not None:
        tree = _from_groups(groups, frame, column)
    else:
        tree = build_hierarchy(frame, column, recipe, **about)
    write_hierarchy(tree, output, force=force)
    levels, missing = _levels(tree, frame, column)
    if json:
        print_json(_as_json(levels, missing) | {"leaves": len(tree.leaves)})
        return 0
    screen = Screen(stderr=output == STANDARD_STREAM)
    _show(screen, levels, missing, column)
    if output != STANDARD_STREAM:
        shown = flags_of_options({"quasi": [column], "hierarchy": {column: output}, **reading})
        screen.say()
        screen.say(f"Written to {printable(output)}. To use it, add to shoal anonymize:")
        screen.say(Text("  " + command("", *shown).removeprefix("shoal '' "), style="bold"))
    return 0


@hierarchy.command()
@options.takes("inspect")
def check(
    file: _File,
    data: Annotated[
        str | None, Argument(metavar="DATA", help="The table whose column it is for.")
    ] = None,
    column: Annotated[str | None, Argument(metavar="COLUMN", help="The column.")] = None,
    *,
    json: options.Json = False,
    **flags: Any,
) -> int:
    """List what is wrong with a hierarchy: duplicate, non-nested and missing values by name.

    Exit code 0: no faults. 1: faults were found.
    """
    from shoal.hierarchies import Hierarchy, find_faults, read_rows

    if (data is None) != (column is None):
        raise ParameterError(
            "A table needs the name of its column.", remedy="Write: check FILE DATA COLUMN"
        )
    rows = read_rows(file, rooted=True)
    faults = find_faults(rows)
    notes: list[str] = []
    if data is not None and column is not None:
        frame = _read(data, options_of_flags(flags, "inspect"))
        tree = None if faults else Hierarchy.from_rows(rows, where=file)
        more, notes = _fit([row[0] for row in rows if row], tree, frame, column)
        faults += more
    if json:
        print_json(_check_as_json(rows, faults, notes))
    else:
        _show_check(Screen(), file, rows, faults, notes)
    return 1 if faults else 0


@hierarchy.command()
@options.takes("hierarchy")
def show(
    file: Annotated[
        str,
        Argument(
            metavar="FILE",
            help="The hierarchy, or how to make one: auto, ranges:5,10, stars, …",
        ),
    ],
    data: options.Data,
    column: _Column,
    *,
    examples: Annotated[
        int, Option("--examples", metavar="N", min=1, help="Groups to name for each level.")
    ] = 3,
    json: options.Json = False,
    **flags: Any,
) -> int:
    """Show what each level of a hierarchy makes of a column: groups, their sizes, examples."""
    from shoal.api.hierarchy import build_hierarchy
    from shoal.hierarchies import is_recipe, read_hierarchy

    about, reading = _described(flags)
    frame = _read(data, reading)
    if is_recipe(file):
        tree = build_hierarchy(frame, column, file, **about)
    elif about:
        raise ParameterError(
            "--beside, --kind, --order and --date-format control how a hierarchy is built; this "
            "one is a file.",
            remedy="Leave them out.",
        )
    else:
        tree = read_hierarchy(file)
    levels, missing = _levels(tree, frame, column, examples)
    if json:
        print_json(_as_json(levels, missing) | {"leaves": len(tree.leaves)})
    else:
        _show(Screen(), levels, missing, column)
    return 0


def _recipe(ways: Mapping[str, str | list[str] | None]) -> str:
    """Return the recipe of the one flag that was given."""
    given = {flag: str(recipe) for flag, recipe in ways.items() if recipe}
    if len(given) != 1:
        raise ParameterError(
            f"{' and '.join(given)} exclude each other."
            if given
            else "No recipe for the hierarchy given.",
            remedy=f"Give one of {', '.join(ways)}.",
        )
    return next(iter(given.values()))


def _described(flags: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what the flags declare about the column, and how the file is read."""
    given = options_of_flags(flags, "hierarchy")
    reading = {name: given.pop(name) for name in options.names_of("inspect") if name in given}
    return given, reading


def _read(data: str, reading: dict[str, Any]) -> pl.DataFrame:
    from shoal.io import read_table

    return read_table(data, **reading)


def _from_groups(path: str, frame: pl.DataFrame, column: str) -> Hierarchy:
    from shoal.hierarchies import group_levels
    from shoal.io import read_table
    from shoal.table.cells import texts
    from shoal.table.leaf_values import match_spelling, require_column, values_of

    table = read_table(path)
    columns = [texts(require_column(table, name)).fill_null("").to_list() for name in table.columns]
    tree = group_levels(list(zip(*columns, strict=True)), where=path)
    series = require_column(frame, column)
    tree = match_spelling(tree, series)
    try:
        tree.require(values_of(series), column)
    except HierarchyError as error:
        raise HierarchyError(
            error.what, remedy=f"Add them to {path}; its first line is its header."
        ) from error
    return tree


def _fit(
    leaves: Sequence[str], tree: Hierarchy | None, frame: pl.DataFrame, column: str
) -> tuple[list[Fault], list[str]]:
    """Return which values of a column a hierarchy lacks, and what else is worth knowing."""
    from shoal.hierarchies import find_missing
    from shoal.table.cells import texts
    from shoal.table.leaf_values import match_spelling, require_column, values_of

    series = require_column(frame, column)
    if tree is not None:
        leaves = match_spelling(tree, series).leaves
    values = values_of(series)
    unused = len(set(leaves) - {*values, ""})
    notes = [f"{unused:,} of its values are not in the column."] if unused else []
    absent = texts(series).null_count()
    if absent and "" not in leaves:
        notes.append(f"{absent:,} missing cells are placed directly below *.")
    return find_missing(leaves, values, column), notes


def _levels(
    tree: Hierarchy, frame: pl.DataFrame, column: str, examples: int = 3
) -> tuple[list[Level], int]:
    """Return what each level makes of a column, and how many of its cells are missing."""
    from shoal.hierarchies import preview
    from shoal.table.leaf_values import counts_of, match_spelling, require_column

    series = require_column(frame, column)
    counts = counts_of(series)
    tree = match_spelling(tree, series)
    tree.require(counts, column)
    missing = len(series) - sum(counts.values())
    if "" in tree.position and missing:
        counts, missing = {**counts, "": missing}, 0
    return preview(tree, counts, examples), missing


def _as_json(levels: Sequence[Level], missing: int) -> dict[str, Any]:
    return {
        "levels": [
            {
                "level": one.level,
                "groups": one.groups,
                "empty": one.empty,
                "smallest": one.smallest,
                "largest": one.largest,
                "examples": [{"group": name, "records": count} for name, count in one.examples],
            }
            for one in levels
        ],
        "missing": missing,
    }


def _show(screen: Screen, levels: Sequence[Level], missing: int, column: str) -> None:
    table = plain_table(
        "level", "groups", "smallest", "largest", "examples (records)",
        right=("level", "groups", "smallest", "largest"),
    )  # fmt: skip
    for one in levels:
        shown = "  ".join(f"{printable(name)} ({count:,})" for name, count in one.examples)
        table.add_row(
            f"{one.level}", f"{one.groups:,}", f"{one.smallest:,}", f"{one.largest:,}", shown
        )
    screen.print(table)
    empty = levels[0].empty
    if empty:
        screen.say(f"{empty:,} values of the hierarchy are not in column {printable(column)}.")
    if missing:
        screen.say(f"{missing:,} missing cells are placed directly below *.")


def _check_as_json(
    rows: Sequence[Sequence[str]], faults: Sequence[Fault], notes: Sequence[str]
) -> dict[str, Any]:
    from shoal.hierarchies.names import NAMED_IN_ERRORS

    return {
        "passed": not faults,
        "leaves": len({row[0] for row in rows}),
        "height": max((len(row) for row in rows), default=1) - 1,
        "faults": [
            {
                "kind": fault.kind,
                "what": fault.what,
                "remedy": fault.remedy,
                "values": list(fault.values[:NAMED_IN_ERRORS]),
                "count": len(fault.values),
            }
            for fault in faults
        ],
        "notes": list(notes),
    }


def _show_check(
    screen: Screen,
    file: str,
    rows: Sequence[Sequence[str]],
    faults: Sequence[Fault],
    notes: Sequence[str],
) -> None:
    passed = not faults
    leaves = len({row[0] for row in rows})
    verdict = f"{leaves:,} values, {len(rows[0]) - 1} levels above them" if passed else "FAULTS"
    screen.say(
        Text.assemble(screen.mark(passed=passed), (f" {printable(file)}: ", "bold"), verdict)
    )
    if faults:
        screen.say()
        table = plain_table("fault", "what", "remedy")
        for fault in faults:
            what = fault.what[0].upper() + fault.what[1:]
            table.add_row(fault.kind, printable(what), printable(fault.remedy))
        screen.print(table)
    for note in notes:
        screen.say(printable(note))
