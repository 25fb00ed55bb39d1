"""Options for what each column is, and among how many each record hides."""

from typing import Annotated, Literal

from pydantic import Field

from shoal.options.definition.takers import DESCRIBED, FROM_RELEASE, SPELLED, WEIGHED, WITH_ROLES
from shoal.options.option import Group, Option, Variant
from shoal.options.reading import ReadingOptions
from shoal.options.values import Names, Rules


class RoleOptions(ReadingOptions):
    """What each column is, and among how many each record hides."""

    k: Annotated[
        int,
        Option(
            "Every record looks like at least k - 1 others.",
            Group.GOAL,
            WEIGHED,
            metavar="K",
            flags=("-k", "--k"),
            variants=FROM_RELEASE,
        ),
    ]
    quasi: Annotated[
        Names,
        Option(
            "Quasi-identifiers: columns by which a person could be recognized; generalized.",
            Group.COLUMNS,
            (*WITH_ROLES, "risk"),
            columns=True,
            variants={
                **FROM_RELEASE,
                "risk": Variant(
                    "Columns that an attacker is assumed to know; suggested ones unless set.",
                    required=False,
                ),
                "anatomize": Variant(
                    "Quasi-identifiers: columns by which a person could be recognized; released "
                    "unchanged."
                ),
                "plan": Variant(
                    "Quasi-identifiers: columns by which a person could be recognized; suggested "
                    "ones unless set.",
                    required=False,
                ),
            },
        ),
    ]
    sensitive: Annotated[
        Names,
        Option(
            "Sensitive columns: worth protecting; released unchanged.",
            Group.COLUMNS,
            (*WITH_ROLES, "risk"),
            columns=True,
            variants={
                "anatomize": Variant("The one sensitive column.", required=True),
                "risk": Variant("Sensitive columns, whose values a class may disclose."),
            },
        ),
    ] = ()
    identifier: Annotated[
        Names,
        Option(
            "Columns that name a person; removed before anything else runs.",
            Group.COLUMNS,
            WITH_ROLES,
            columns=True,
        ),
    ] = ()
    other: Annotated[
        Names,
        Option("Columns that are released unchanged.", Group.COLUMNS, WITH_ROLES, columns=True),
    ] = ()
    rest: Annotated[
        Literal["other", "drop"] | None,
        Option(
            "What happens to columns that have no role: released unchanged, or dropped.",
            Group.COLUMNS,
            WITH_ROLES,
            variants={
                "utility": Variant(
                    "What happens to columns that have no role: released unchanged, or dropped; "
                    "dropped unless set."
                )
            },
        ),
    ] = None
    accept: Annotated[
        Names,
        Option(
            "Columns to release unchanged although the exposure check finds something in them; "
            "the facts record it.",
            Group.COLUMNS,
            ("anonymize", "verify", "report", "compare", "anatomize"),
            columns=True,
        ),
    ] = ()
    person: Annotated[
        str | None,
        Option(
            "An identifier that repeats: k then counts persons, not records.",
            Group.COLUMNS,
            SPELLED,
            columns=True,
        ),
    ] = None
    personal_k: Annotated[
        Rules,
        Option(
            "Records that need more than k: a column that holds the k of each record, dropped "
            "unless it has a role, or a rule such as ward=ICU:20.",
            Group.COLUMNS,
            DESCRIBED,
            metavar="COLUMN|COLUMN=VALUE:K",
            one_at_a_time=True,
        ),
    ] = ()
    columns: Annotated[
        dict[str, str],
        Option(
            "Columns of the table and their types, as a saved job holds them; a table with other "
            "columns is refused.",
            Group.COLUMNS,
            DESCRIBED,
            metavar="COLUMN=TYPE,…",
        ),
    ] = Field(default_factory=dict)
