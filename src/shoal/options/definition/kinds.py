"""Options for how the values of columns are read and generalized."""

from typing import Annotated, Literal

from pydantic import Field

from shoal.options.definition.roles import RoleOptions
from shoal.options.definition.takers import DESCRIBED, SPELLED, WEIGHED
from shoal.options.option import Group, Option
from shoal.options.values import HierarchyText, Names, RangeText


class KindOptions(RoleOptions):
    """How the values of columns are read and generalized."""

    kind: Annotated[
        dict[str, str],
        Option(
            "Kind of a column, if its values do not show it: numeric, categorical, hierarchical, "
            "suppress-only, date, datetime or ordered.",
            Group.KINDS,
            DESCRIBED,
            metavar="COLUMN=KIND,…",
            columns=True,
        ),
    ] = Field(default_factory=dict)
    hierarchy: Annotated[
        dict[str, HierarchyText],
        Option(
            "Hierarchy of a column: a file with lines leaf,level1,…,*, or a recipe: auto, "
            "ranges:5,10,20, quantiles:4, cuts:18,65, stars, dates or groups:FILE.",
            Group.KINDS,
            SPELLED,
            metavar="COLUMN=FILE,…",
            accepts="Mapping[str, Hierarchy | Recipe | str | PathLike[str]]",
            columns=True,
        ),
    ] = Field(default_factory=dict)
    suppress_only: Annotated[
        Names,
        Option(
            "Columns whose values are kept or replaced by *, never merged.",
            Group.KINDS,
            DESCRIBED,
            columns=True,
        ),
    ] = ()
    order: Annotated[
        dict[str, Names],
        Option(
            "Categories of an ordered column, lowest first.",
            Group.KINDS,
            SPELLED,
            metavar="COLUMN=A,B,…",
            columns=True,
            one_at_a_time=True,
        ),
    ] = Field(default_factory=dict)
    date_format: Annotated[
        dict[str, str],
        Option(
            "How the dates of a column are written, such as %d.%m.%Y.",
            Group.KINDS,
            SPELLED,
            metavar="COLUMN=FORMAT",
            columns=True,
            one_at_a_time=True,
        ),
    ] = Field(default_factory=dict)
    value_range: Annotated[
        dict[str, RangeText],
        Option(
            "Lowest and highest permissible value of a column; its loss is measured against them.",
            Group.KINDS,
            DESCRIBED,
            metavar="COLUMN=LOW:HIGH,…",
            accepts="Mapping[str, tuple[Limit, Limit] | str]",
            columns=True,
        ),
    ] = Field(default_factory=dict)
    round_to: Annotated[
        dict[str, Annotated[float, Field(gt=0)]],
        Field(alias="round"),
        Option(
            "Round the ends of a numeric column's intervals outward to multiples of a number.",
            Group.KINDS,
            ("anonymize", "compare"),
            metavar="COLUMN=NUMBER,…",
            columns=True,
        ),
    ] = Field(default_factory=dict)
    min_level: Annotated[
        dict[str, Annotated[int, Field(ge=0)]],
        Option(
            "Lowest level of a column's hierarchy that the release may show; 0 is the leaves.",
            Group.KINDS,
            ("anonymize", "verify", "report", "compare", "plan"),
            metavar="COLUMN=LEVEL,…",
            columns=True,
        ),
    ] = Field(default_factory=dict)
    max_level: Annotated[
        dict[str, Annotated[int, Field(ge=0)]],
        Option(
            "Highest level of a column's hierarchy that the release may show; suppressed records "
            "show * nonetheless.",
            Group.KINDS,
            ("anonymize", "verify", "report", "compare", "plan"),
            metavar="COLUMN=LEVEL,…",
            columns=True,
        ),
    ] = Field(default_factory=dict)
    top: Annotated[
        dict[str, float],
        Option(
            "Top coding: numbers at or above a limit are one value, such as 90+, before anything "
            "is generalized.",
            Group.KINDS,
            DESCRIBED,
            metavar="COLUMN=NUMBER,…",
            columns=True,
        ),
    ] = Field(default_factory=dict)
    bottom: Annotated[
        dict[str, float],
        Option(
            "Bottom coding: numbers at or below a limit are one value, such as <=18.",
            Group.KINDS,
            DESCRIBED,
            metavar="COLUMN=NUMBER,…",
            columns=True,
        ),
    ] = Field(default_factory=dict)
    weight: Annotated[
        dict[str, Annotated[float, Field(gt=0)]],
        Option(
            "How much the loss of a column counts; 1 unless set.",
            Group.KINDS,
            (*WEIGHED, "compare", "plan"),
            metavar="COLUMN=NUMBER,…",
            columns=True,
        ),
    ] = Field(default_factory=dict)
    set_loss: Annotated[
        Literal["share", "paper", "binary"],
        Option(
            "Loss of a set of c of A categories: (c-1)/(A-1), (c-1)/A, or c/A as A binary columns.",
            Group.KINDS,
            DESCRIBED,
        ),
    ] = "share"
    hierarchy_loss: Annotated[
        Literal["leaves", "levels"],
        Option(
            "Loss of a node over c of A leaves: (c-1)/(A-1); or of level i of h: i/h.",
            Group.KINDS,
            DESCRIBED,
        ),
    ] = "leaves"
    missing: Annotated[
        Literal["value", "drop"],
        Option(
            "Treat a missing cell as a value of its own, or withhold its record.",
            Group.KINDS,
            DESCRIBED,
        ),
    ] = "value"
