"""Options for reading files; those about cells apply to frames too."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from shoal.options.checked import CheckedOptions
from shoal.options.option import Group, Option
from shoal.options.values import Line, Names


class ReadingOptions(CheckedOptions):
    """How a file is read."""

    separator: Annotated[
        str | None,
        Option(
            "Separator of CSV files, or tab; detected unless set.",
            Group.FILES,
            metavar="CHARACTER",
            in_python=False,
        ),
    ] = None
    encoding: Annotated[
        str | None,
        Option(
            "Encoding of CSV files; detected unless set.",
            Group.FILES,
            metavar="NAME",
            in_python=False,
        ),
    ] = None
    null_values: Annotated[
        Names,
        Option(
            "Texts that stand for a missing cell: ?,NA in all columns, age=97|98 in one.",
            Group.FILES,
            metavar="A,COLUMN=B|C,…",
        ),
    ] = ()
    special_values: Annotated[
        Names,
        Option(
            "Codes that stand for the reason why a number is missing: weeks=N|R. They become "
            "categories in weeks_special, and the column keeps its numbers.",
            Group.FILES,
            metavar="COLUMN=A|B,…",
        ),
    ] = ()
    header: Annotated[
        Line | None,
        Option(
            "Whether the first line holds the column names, or which line does; required when the "
            "first line looks like data.",
            Group.FILES,
            metavar="present|absent|LINE",
            in_python=False,
        ),
    ] = None
    decimal: Annotated[
        Literal[".", ","],
        Option(
            "Decimal separator of numbers in a CSV file; with a comma, points separate thousands.",
            Group.FILES,
        ),
    ] = "."
    thousands: Annotated[
        Literal[",", ".", " ", "'", "_"] | None,
        Option(
            "Thousands separator of numbers in a CSV file; it is removed when they are read.",
            Group.FILES,
        ),
    ] = None
    sheet: Annotated[
        str | None,
        Option(
            "Sheet of a workbook; the only one unless set.",
            Group.FILES,
            metavar="NAME",
            in_python=False,
        ),
    ] = None
    table: Annotated[
        str | None,
        Option(
            "Table of a database; the only one unless set.",
            Group.FILES,
            metavar="NAME",
            in_python=False,
        ),
    ] = None
    query: Annotated[
        str | None,
        Option(
            "SQL query to read from a database, instead of a table.",
            Group.FILES,
            metavar="SQL",
            in_python=False,
        ),
    ] = None


def reading_of(arguments: Mapping[str, Any]) -> ReadingOptions:
    """Return the options for reading cells and files among the arguments of a function."""
    given = {name: arguments[name] for name in ReadingOptions.model_fields if name in arguments}
    return ReadingOptions(**{name: value for name, value in given.items() if value is not None})
