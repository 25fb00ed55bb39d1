"""The one definition of the options of a release.

The job, its TOML file and JSON Schema, the flags, the signatures of the public functions and the
tables of the documentation follow from the fields below: a new option is a new field.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from shoal.options.option import Group, Option, Variant
from shoal.options.reading import ReadingOptions
from shoal.options.values import Form, HierarchyText, Models, Names, RangeText, Rules

_DESCRIBED = ("anonymize", "verify", "report", "compare", "plan", "measure", "bound", "utility")
_WEIGHED = ("anonymize", "verify", "report", "measure", "bound")
_WITH_ROLES = (*_DESCRIBED, "anatomize")
_SPELLED = (*_DESCRIBED, "risk")
_READERS = ("verify", "report", "measure", "utility")
_SHOWN = ("anonymize", *_READERS)
# A release that Shoal made tells how it was made.
_FROM_RELEASE = {
    verb: Variant(required=False) for verb in ("verify", "report", "measure", "utility")
}

_GUARANTEE = Variant(
    "What the release guarantees: classes, freeform, concealment, (k,k), (k,1) or (1,k); classes "
    "unless set."
)


class ReleaseOptions(ReadingOptions):
    """What to release and how."""

    k: Annotated[
        int,
        Option(
            "Every record looks like at least k - 1 others.",
            Group.GOAL,
            _WEIGHED,
            metavar="K",
            flags=("-k", "--k"),
            variants=_FROM_RELEASE,
        ),
    ]
    quasi: Annotated[
        Names,
        Option(
            "Quasi-identifiers: columns by which a person could be recognized; generalized.",
            Group.COLUMNS,
            (*_WITH_ROLES, "risk"),
            columns=True,
            variants={
                **_FROM_RELEASE,
                "risk": Variant(
                    "Columns that an attacker is taken to know; suggested ones unless set.",
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
            (*_WITH_ROLES, "risk"),
            columns=True,
            variants={
                "anatomize": Variant("The one sensitive column.", required=True),
                "risk": Variant("Columns whose values classes may give away."),
            },
        ),
    ] = ()
    identifier: Annotated[
        Names,
        Option(
            "Columns that name a person; removed before anything else runs.",
            Group.COLUMNS,
            _WITH_ROLES,
            columns=True,
        ),
    ] = ()
    other: Annotated[
        Names,
        Option("Columns that are released unchanged.", Group.COLUMNS, _WITH_ROLES, columns=True),
    ] = ()
    rest: Annotated[
        Literal["other", "drop"] | None,
        Option(
            "What happens to columns that have no role: released unchanged, or dropped.",
            Group.COLUMNS,
            _WITH_ROLES,
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
            ("anonymize", "verify", "report", "compare"),
            columns=True,
        ),
    ] = ()
    person: Annotated[
        str | None,
        Option(
            "An identifier that repeats: k then counts persons, not records.",
            Group.COLUMNS,
            _SPELLED,
            columns=True,
        ),
    ] = None
    personal_k: Annotated[
        Rules,
        Option(
            "Records that need more than k: a column that holds the k of each record, dropped "
            "unless it has a role, or a rule such as ward=ICU:20.",
            Group.COLUMNS,
            _DESCRIBED,
            metavar="COLUMN|COLUMN=VALUE:K",
            one_at_a_time=True,
        ),
    ] = ()
    kind: Annotated[
        dict[str, str],
        Option(
            "Kind of a column, where its values do not tell: numeric, categorical, hierarchical, "
            "suppress-only, date, datetime or ordered.",
            Group.KINDS,
            _DESCRIBED,
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
            _SPELLED,
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
            _DESCRIBED,
            columns=True,
        ),
    ] = ()
    order: Annotated[
        dict[str, Names],
        Option(
            "Categories of an ordered column, lowest first.",
            Group.KINDS,
            _SPELLED,
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
            _SPELLED,
            metavar="COLUMN=FORMAT",
            columns=True,
            one_at_a_time=True,
        ),
    ] = Field(default_factory=dict)
    columns: Annotated[
        dict[str, str],
        Option(
            "Columns of the table and their types, as a saved job holds them; a table with other "
            "columns is refused.",
            Group.COLUMNS,
            _DESCRIBED,
            metavar="COLUMN=TYPE,…",
        ),
    ] = Field(default_factory=dict)
    value_range: Annotated[
        dict[str, RangeText],
        Option(
            "Lowest and highest permissible value of a column; its loss is measured against them.",
            Group.KINDS,
            _DESCRIBED,
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
            ("anonymize",),
            metavar="COLUMN=NUMBER,…",
            columns=True,
        ),
    ] = Field(default_factory=dict)
    min_level: Annotated[
        dict[str, Annotated[int, Field(ge=0)]],
        Option(
            "Lowest level of a column's hierarchy that the release may show; 0 is the leaves.",
            Group.KINDS,
            ("anonymize", "verify", "report", "compare"),
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
            ("anonymize", "verify", "report", "compare"),
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
            _DESCRIBED,
            metavar="COLUMN=NUMBER,…",
            columns=True,
        ),
    ] = Field(default_factory=dict)
    bottom: Annotated[
        dict[str, float],
        Option(
            "Bottom coding: numbers at or below a limit are one value, such as <=18.",
            Group.KINDS,
            _DESCRIBED,
            metavar="COLUMN=NUMBER,…",
            columns=True,
        ),
    ] = Field(default_factory=dict)
    weight: Annotated[
        dict[str, Annotated[float, Field(gt=0)]],
        Option(
            "How much the loss of a column counts; 1 unless set.",
            Group.KINDS,
            _WEIGHED,
            metavar="COLUMN=NUMBER,…",
            columns=True,
        ),
    ] = Field(default_factory=dict)
    set_loss: Annotated[
        Literal["share", "paper", "binary"],
        Option(
            "Loss of a set of c of A categories: (c-1)/(A-1), (c-1)/A, or c/A as A binary columns.",
            Group.KINDS,
            _DESCRIBED,
        ),
    ] = "share"
    hierarchy_loss: Annotated[
        Literal["leaves", "levels"],
        Option(
            "Loss of a node over c of A leaves: (c-1)/(A-1); or of level i of h: i/h.",
            Group.KINDS,
            _DESCRIBED,
        ),
    ] = "leaves"
    missing: Annotated[
        Literal["value", "drop"],
        Option(
            "A missing cell is a value of its own, or its record is withheld.",
            Group.KINDS,
            _DESCRIBED,
        ),
    ] = "value"
    suppression: Annotated[
        float,
        Field(ge=0, le=1),
        Option(
            "Largest share of records that may be suppressed; 1 is no limit.",
            Group.GOAL,
            _WEIGHED,
            metavar="SHARE",
        ),
    ] = 0.0
    suppress_for: Annotated[
        Literal["total", "released"],
        Option(
            "What suppression must lower: the total loss, in which suppressed records count as "
            "lost, or the loss of the released records alone.",
            Group.GOAL,
            ("anonymize",),
        ),
    ] = "total"
    suppressed: Annotated[
        Literal["star", "withhold"],
        Option(
            "Suppressed records show * everywhere, or are withheld; fewer than k are withheld.",
            Group.GOAL,
            ("anonymize",),
        ),
    ] = "star"
    population: Annotated[
        str | None,
        Option(
            "Table of all people of whom the table is a part, for the models k-map and "
            "delta-presence.",
            Group.GOAL,
            ("anonymize", "verify", "report"),
            metavar="FILE",
        ),
    ] = None
    sampling_fraction: Annotated[
        float | None,
        Field(gt=0, le=1),
        Option(
            "Share of the population that the table is a sample of, for the model "
            "population-uniqueness.",
            Group.GOAL,
            ("anonymize", "verify", "report"),
            metavar="SHARE",
        ),
    ] = None
    models: Annotated[
        Models,
        Field(alias="model"),
        Option(
            "Privacy models beyond k, such as distinct-l-diversity:3 or t-closeness:0.2@diagnosis.",
            Group.GOAL,
            ("anonymize", "verify", "report"),
            metavar="NAME:VALUE[@COLUMN]",
            accepts="Sequence[Model | str]",
            one_at_a_time=True,
        ),
    ] = ()
    measure: Annotated[
        str,
        Option(
            "The loss measure to minimize.",
            Group.GOAL,
            ("anonymize", "measure", "bound"),
            metavar="NAME",
            flags=("--measure", "--goal"),
            variants={
                "anonymize": Variant(
                    "The loss measure to minimize; gcp unless set, or what suits `target`.",
                    default=None,
                ),
                "measure": Variant(
                    "A measure with a weight of its own to report too, such as wmi:0.25."
                ),
                "bound": Variant("The loss measure; gcp is the only one that is bounded."),
            },
        ),
    ] = "gcp"
    form: Annotated[
        Form | None,
        Option(
            "What the release looks like: classes, hierarchy, full-domain or freeform; or what it "
            "guarantees: concealment, (k,k), (k,1) or (1,k). An algorithm other than auto decides "
            "it.",
            Group.GOAL,
            ("anonymize", "verify", "report", "measure"),
            metavar="FORM",
            accepts="Form",
            variants={
                "verify": _GUARANTEE,
                "report": _GUARANTEE,
                "measure": Variant(
                    "The form of the release: without classes, measures that are sums over classes "
                    "are left out."
                ),
            },
        ),
    ] = None
    target: Annotated[
        str | None,
        Option(
            "The column that analysts will predict; auto then tries several measures and keeps "
            "the release that predicts it best.",
            Group.GOAL,
            ("anonymize", "compare", "measure", "utility"),
            columns=True,
            variants={
                "measure": Variant(
                    "The private column of cm, pmi, wmi and entropy_diversity; the first sensitive "
                    "one unless set."
                ),
                "utility": Variant("The column to predict; released unchanged.", required=True),
            },
        ),
    ] = None
    algorithm: Annotated[
        str,
        Option(
            "The algorithm that finds the release.",
            Group.METHOD,
            ("anonymize",),
            metavar="NAME",
            accepts="AlgorithmLike | str",
        ),
    ] = "auto"
    param: Annotated[
        dict[str, Any],
        Option(
            "Parameters of the algorithm.",
            Group.METHOD,
            ("anonymize",),
            metavar="NAME=VALUE",
            one_at_a_time=True,
        ),
    ] = Field(default_factory=dict)
    time: Annotated[
        float | None,
        Field(ge=0),
        Option(
            "Wall seconds for solving; unless set, auto takes 5, more beyond 500,000 records, and "
            "a number of steps up to 10,000.",
            Group.METHOD,
            ("anonymize", "compare"),
            metavar="SECONDS",
        ),
    ] = None
    steps: Annotated[
        int | None,
        Field(ge=1),
        Option(
            "Budget in the algorithm's own steps; unlike `time` it gives equal bytes for equal "
            "seeds on every machine.",
            Group.METHOD,
            ("anonymize",),
        ),
    ] = None
    engine: Annotated[
        Literal["local", "disk", "spark"],
        Option(
            "Where the work is done: local in memory, disk on one machine beyond its memory, spark "
            "on a cluster. disk and spark solve the table cell by cell.",
            Group.METHOD,
            ("anonymize",),
        ),
    ] = "local"
    cell_records: Annotated[
        int,
        Field(ge=1_000, le=10_000_000),
        Option(
            "Most records of a cell of disk and spark; beyond that it is cut, and each cell is "
            "solved by itself.",
            Group.METHOD,
            ("anonymize",),
            metavar="N",
        ),
    ] = 100_000
    memory: Annotated[
        float | None,
        Field(ge=0.25),
        Option(
            "Gigabytes of memory that disk may take; half of what is free unless set, and 4 at "
            "most.",
            Group.METHOD,
            ("anonymize",),
            metavar="GB",
        ),
    ] = None
    bound_seconds: Annotated[
        float | None,
        Field(ge=0),
        Option(
            "Wall seconds for proving how much any release of this kind must lose.",
            Group.METHOD,
            ("anonymize", "bound"),
            metavar="SECONDS",
            variants={
                "bound": Variant(
                    "Wall seconds in all; it ends earlier when the bound cannot rise.", default=60.0
                )
            },
        ),
    ] = None
    threads: Annotated[
        int,
        Field(ge=1, le=1024),
        Option(
            "Number of threads; unless `time` ends a search, the result does not depend on it.",
            Group.METHOD,
            ("anonymize", "bound", "utility"),
        ),
    ] = 1
    seed: Annotated[
        int | None,
        Field(ge=0, lt=2**128),
        Option(
            "Seed of all randomness. Keep it secret: it can undo the shuffling.",
            Group.METHOD,
            ("anonymize", "anatomize"),
        ),
    ] = None
    utility: Annotated[
        bool,
        Option(
            "Report in the facts what classifiers, rules and counts lose; takes a minute for "
            "30,000 records.",
            Group.RESULTS,
            ("anonymize",),
        ),
    ] = False
    keep_order: Annotated[
        bool,
        Option(
            "Keep the order of the rows instead of shuffling them; it may tell whose record is "
            "whose.",
            Group.RESULTS,
            ("anonymize",),
        ),
    ] = False
    notation: Annotated[
        Literal["text", "min_max", "midpoint", "label", "json"],
        Option(
            "How generalized cells are written: [35..37] (text), 35 and 37 in age_min and age_max "
            "(min_max), 36 (midpoint), 35 to 37 (label), or as JSON.",
            Group.RESULTS,
            _SHOWN,
            variants=dict.fromkeys(
                _READERS,
                Variant("How the cells of the release are written; text and min_max are detected."),
            ),
        ),
    ] = "text"
    aggregate: Annotated[
        dict[str, Literal["mean", "median", "mode", "midpoint"]],
        Option(
            "Columns that show a statistic of their class in place of an interval or a set: mean, "
            "median, mode or midpoint.",
            Group.RESULTS,
            _SHOWN,
            metavar="COLUMN=STATISTIC,…",
            columns=True,
        ),
    ] = Field(default_factory=dict)
    escape_formulas: Annotated[
        bool,
        Option(
            "In a CSV file meant for a spreadsheet, put an apostrophe before cells that it would "
            "run as formulas.",
            Group.RESULTS,
            ("anonymize", "verify", "measure"),
        ),
    ] = False
