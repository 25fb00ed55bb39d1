"""The one definition of options that are not part of a job: those of single verbs."""

from typing import Annotated

from pydantic import Field

from shoal.options.checked import CheckedOptions
from shoal.options.option import Group, Option
from shoal.options.values import Names


class UtilityOptions(CheckedOptions):
    """How analysts' results are compared."""

    folds: Annotated[
        int, Field(ge=2, le=1000), Option("Folds of the cross-validation.", Group.COMPARISON)
    ] = 10
    queries: Annotated[
        int,
        Field(ge=1, le=1_000_000),
        Option("Number of random counting queries.", Group.COMPARISON),
    ] = 1000
    support: Annotated[
        float,
        Field(gt=0, le=1),
        Option("Minimum support of an association rule.", Group.COMPARISON, metavar="SHARE"),
    ] = 0.02
    confidence: Annotated[
        float,
        Field(gt=0, le=1),
        Option("Minimum confidence of an association rule.", Group.COMPARISON, metavar="SHARE"),
    ] = 0.6
    rules: Annotated[
        bool,
        Option(
            "Name the strongest association rules; they show values of the target.",
            Group.COMPARISON,
        ),
    ] = False


class AnatomyOptions(CheckedOptions):
    """How sensitive values are grouped."""

    l: Annotated[  # noqa: E741 (the literature's letter)
        int,
        Option(
            "Smallest number of different sensitive values in every group.",
            Group.GOAL,
            metavar="L",
            flags=("-l", "--l"),
        ),
    ]


class ColumnOptions(CheckedOptions):
    """What is known of the column that a hierarchy is built from."""

    beside: Annotated[
        Names,
        Option(
            "Quasi-identifiers by which auto finds categories that are alike; never sensitive "
            "columns.",
            Group.COLUMN,
            columns=True,
        ),
    ] = ()
    kind: Annotated[
        str | None,
        Option(
            "How the values are read, if they do not show it: numeric, categorical, date, "
            "datetime or ordered.",
            Group.COLUMN,
            metavar="KIND",
        ),
    ] = None
    order: Annotated[
        Names, Option("Categories of the column, lowest first, if they are ordered.", Group.COLUMN)
    ] = ()
    date_format: Annotated[
        str | None,
        Option(
            "How the dates of the column are written, such as %d.%m.%Y.",
            Group.COLUMN,
            metavar="FORMAT",
        ),
    ] = None


class RiskOptions(CheckedOptions):
    """How the risk to the people of a table is estimated."""

    threshold: Annotated[
        float,
        Field(gt=0, le=1),
        Option("Highest acceptable risk of identifying a person.", Group.GOAL, metavar="SHARE"),
    ] = 0.2
    sampling_fraction: Annotated[
        float | None,
        Field(gt=0, le=1),
        Option(
            "Share of the population that the table is a sample of: adds the journalist's risk "
            "and population uniqueness.",
            Group.GOAL,
            metavar="SHARE",
        ),
    ] = None
    combinations: Annotated[
        int | None,
        Field(ge=1),
        Option(
            "Largest number of columns in a combination to search; unless set, as many as can "
            "be searched quickly.",
            Group.GOAL,
        ),
    ] = None
