"""``shoal inspect``: what each column seems to be, and how exposed the table is now."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from shoal.cli import options
from shoal.cli.flag_values import options_of_flags
from shoal.cli.screen import Screen, plain_table, print_json, printable
from shoal.cli.shell_lines import command, flags_of_options, with_flags
from shoal.cli.summary import show_notes
from shoal.errors import FileError
from shoal.io import STANDARD_STREAM
from shoal.io.compression import compression_of_suffix
from shoal.io.databases import is_database
from shoal.io.formats import file_kind

if TYPE_CHECKING:
    from shoal.table.inspection import Inspection

_SUGGESTED_K = 10
_COMBINATIONS = 6
_ROLES = ("quasi", "sensitive", "identifier", "other")


@options.takes("inspect")
def inspect(data: options.Data, *, json: options.Json = False, **flags: Any) -> int:
    """Suggest a role for each column, show how exposed records are, and print a first command."""
    from shoal.api.inspect import inspect as inspect_frame
    from shoal.io import ReadOptions, read_source

    reading = options_of_flags(flags, "inspect")
    source = read_source(data, ReadOptions.of(reading))
    if source.encoding is not None:
        reading["encoding"] = source.encoding
    found = inspect_frame(source.frame)
    found = replace(found, warnings=(*source.notes, *found.warnings))
    suggested = _suggested_command(data, found, reading)
    if json:
        print_json(_as_json(found, suggested))
    else:
        _show(Screen(), data, found, suggested)
    return 0


def _suggested_command(data: str, found: Inspection, reading: dict[str, Any]) -> str | None:
    if not found.quasi:
        return None
    from shoal.table import Role

    suggested: dict[str, Any] = {"k": max(2, min(_SUGGESTED_K, found.n))}
    suggested |= {role: list(found.with_role(Role(role))) for role in _ROLES}
    suggested |= {"kind": found.kinds}
    return command(
        "anonymize",
        data,
        *flags_of_options({**suggested, **reading}),
        "-o",
        suggested_release(data),
    )


def suggested_release(data: str) -> str:
    """Return a name for the release of a table, such that the table is not written over."""
    if data == STANDARD_STREAM or is_database(data):
        return "released.csv"
    path = Path(data)
    if path.is_dir():
        return str(path.with_name(f"{path.resolve().name}-released.parquet"))
    if not path.exists():  # a pattern, which the release must not match
        return "released.csv" if path.suffix == ".parquet" else "released.parquet"
    packed = compression_of_suffix(path.suffix) is not None
    suffixes = "".join(path.suffixes[-2:] if packed else path.suffixes[-1:])
    try:
        file_kind(path, written=True)
        suffix = suffixes
    except FileError:  # a format that is only read
        suffix = ".xlsx" if suffixes.lower() == ".xlsm" else ".csv"
    return str(path.with_name(f"{path.name.removesuffix(suffixes)}-released{suffix}"))


def _as_json(found: Inspection, suggested: str | None) -> dict[str, Any]:
    return {
        "n": found.n,
        "unique": found.unique,
        "k": found.k,
        "at_risk": {str(k): records for k, records in found.at_risk.items()},
        "singling_out": [asdict(one) for one in found.singling_out],
        "columns": [
            {
                "name": column.name,
                "role": str(column.role),
                "sure": column.sure,
                "kind": str(column.kind),
                "coded": column.profile.coded,
                "reading": str(column.reading),
                "distinct": column.distinct,
                "missing": column.missing,
                "missing_codes": list(column.missing_codes),
                "samples": list(column.profile.samples),
                "value_range": column.profile.value_range,
                "reason": column.reason,
            }
            for column in found.columns
        ],
        "warnings": [with_flags(warning) for warning in found.warnings],
        "command": suggested,
    }


def _show(screen: Screen, data: str, found: Inspection, suggested: str | None) -> None:
    from shoal.table.inspection_view import HEADERS, row_of

    table = plain_table(*HEADERS, right=("distinct", "missing"))
    for column in found.columns:
        table.add_row(*(printable(cell) for cell in row_of(column)))
    screen.print(table)
    screen.say()
    where = "standard input" if data == STANDARD_STREAM else printable(data)
    screen.print(f"{where}: {printable(found.summary)}.")
    if found.at_risk:
        listed = ", ".join(
            f"{records:,} are among fewer than {k}" for k, records in found.at_risk.items()
        )
        screen.print(f"Records at risk: {listed}.")
    _show_singling_out(screen, found)
    show_notes(screen, found.warnings)
    if suggested is not None:
        screen.say()
        screen.say("These are suggestions: correct the roles you know better, then run:")
        screen.say(Text(f"  {printable(suggested)}", style="bold"))


def _show_singling_out(screen: Screen, found: Inspection) -> None:
    if not found.singling_out:
        return
    headers = ("who knows", "finds unique", "share", "among fewer than 5")
    table = plain_table(*headers, right=headers[1:])
    for one in found.singling_out[:_COMBINATIONS]:
        table.add_row(
            printable(" + ".join(one.columns)),
            f"{one.unique:,}",
            f"{100 * one.unique / found.n:.1f} %",
            f"{one.below_five:,}",
        )
    screen.say()
    screen.print(table)
    screen.say()
