"""Options for how a release is found, and how it is written."""

from typing import Annotated, Any, Literal

from pydantic import Field

from shoal.options.definition.goal import GoalOptions
from shoal.options.definition.takers import READERS, SHOWN
from shoal.options.option import Group, Option, Variant


class ReleaseOptions(GoalOptions):
    """All options of a release."""

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
            ("anonymize", "compare"),
            metavar="NAME=VALUE",
            one_at_a_time=True,
        ),
    ] = Field(default_factory=dict)
    time: Annotated[
        float | None,
        Field(ge=0),
        Option(
            "Wall seconds for solving. Unless set, auto takes 5 s, more above 500,000 records, and "
            "up to 10,000 records a fixed number of steps.",
            Group.METHOD,
            ("anonymize", "compare", "plan"),
            metavar="SECONDS",
        ),
    ] = None
    steps: Annotated[
        int | None,
        Field(ge=1),
        Option(
            "Budget in the algorithm's own steps; unlike `time`, it gives the same bytes for the "
            "same seed on every machine.",
            Group.METHOD,
            ("anonymize", "compare"),
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
            "Largest number of records in a cell of the disk and spark engines; larger cells "
            "are cut, and each cell is solved on its own.",
            Group.METHOD,
            ("anonymize",),
            metavar="N",
        ),
    ] = 100_000
    cut_sample: Annotated[
        int | None,
        Field(ge=1_000),
        Option(
            "Number of records from which the spark engine chooses its cuts; cells are counted "
            "exactly. Unless set, cuts follow from all records and are those of every engine.",
            Group.METHOD,
            ("anonymize",),
            metavar="N",
        ),
    ] = None
    memory: Annotated[
        float | None,
        Field(ge=0.25),
        Option(
            "Gigabytes of memory that the disk engine may use; unless set, half of the free "
            "memory, at most 4.",
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
                    "Wall seconds in total; the search ends earlier if the bound cannot rise.",
                    default=60.0,
                )
            },
        ),
    ] = None
    threads: Annotated[
        int | None,
        Field(ge=1, le=1024),
        Option(
            "Number of threads; unless set, all cores that the process may use. The result does "
            "not depend on it unless a time limit, also that of the default, ends a search.",
            Group.METHOD,
            ("anonymize", "compare", "bound", "utility"),
            variants={
                "bound": Variant(
                    "Number of threads; unless set, all cores that the process may use. The result "
                    "does not depend on it unless `bound_seconds` ends the search."
                ),
                "utility": Variant("Number of threads of each classifier; 1 unless set."),
            },
        ),
    ] = None
    seed: Annotated[
        int | None,
        Field(ge=0, lt=2**128),
        Option(
            "Seed of all randomness. Keep it secret: it can undo the shuffling.",
            Group.METHOD,
            ("anonymize", "compare", "anatomize"),
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
            "Keep the order of the rows instead of shuffling them; the order may reveal whose "
            "record is whose.",
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
            SHOWN,
            variants=dict.fromkeys(
                READERS,
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
            SHOWN,
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
