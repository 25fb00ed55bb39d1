"""The flags of all verbs, each defined once.

The words of a job are flags of several verbs. A verb names the ones it takes with :func:`takes`
and gets those that were given as keywords.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from typer import Argument, Option

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    _Verb = TypeVar("_Verb", bound=Callable[..., int])

_COLUMNS = "Columns: what each one is"
_KINDS = "Columns: how they are generalized"
_GOAL = "Goal"
_METHOD = "Method"
_RESULT = "Results"
_FILES = "Reading files"
_MANY = "A,B,…"


def known_algorithms(incomplete: str) -> list[tuple[str, str]]:
    """Complete the name of an algorithm; asked for by the shell alone."""
    from shoal.algorithms import algorithms

    return [
        (name, one.traits.summary)
        for name, one in algorithms().items()
        if name.startswith(incomplete)
    ]


Data = Annotated[
    str, Argument(metavar="DATA", help="The table: CSV, Parquet or Arrow; - is standard input.")
]
Original = Annotated[str, Argument(metavar="ORIGINAL", help="The table that was anonymized.")]
Released = Annotated[str, Argument(metavar="RELEASE", help="The table that was released.")]
Json = Annotated[bool, Option("--json", help="Print one JSON object on standard output.")]
Force = Annotated[
    bool, Option("--force", help="Replace outputs that exist.", rich_help_panel=_RESULT)
]
FactsIn = Annotated[
    str | None,
    Option(
        "--facts",
        metavar="FILE",
        help="Take the words from the job in this facts file; flags override them.",
    ),
]
CustodyIn = Annotated[
    str | None,
    Option(
        "--custody",
        metavar="FILE",
        help="Check the row map of this custody file instead of searching for one.",
    ),
]
ValuesIn = Annotated[
    str | None,
    Option(
        "--values",
        metavar="FILE",
        help="The second table of a release that shoal anatomize made; RELEASE is the first.",
    ),
]
LeastValues = Annotated[
    int | None,
    Option("-l", "--l", metavar="L", help="With --values: no value may be more than one in L."),
]
CustodyForFolds = Annotated[
    str | None,
    Option(
        "--custody",
        metavar="FILE",
        help="Keep people apart in training and test by the row map of this custody file.",
    ),
]
FoldCount = Annotated[int, Option("--folds", metavar="N", help="Parts of the cross-validation.")]
QueryCount = Annotated[int, Option("--queries", metavar="N", help="Random counting queries.")]
LeastSupport = Annotated[
    float, Option("--support", metavar="SHARE", help="Least share of records of a rule.")
]
LeastConfidence = Annotated[
    float, Option("--confidence", metavar="SHARE", help="Least share of hits of a rule.")
]
NameRules = Annotated[
    bool,
    Option("--rules", help="Tell the strongest rules; they name values of the target."),
]
Output = Annotated[
    str,
    Option(
        "-o",
        "--output",
        metavar="OUT",
        help="Where the release goes: .csv, .csv.gz, .parquet, .arrow; - is standard output.",
        rich_help_panel=_RESULT,
    ),
]
FactsOut = Annotated[
    str | None,
    Option(
        "--facts",
        metavar="FILE",
        help="Write what was done and what it cost, as JSON.",
        rich_help_panel=_RESULT,
    ),
]
ReportOut = Annotated[
    str | None,
    Option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write what was found, as JSON; - is standard output.",
        rich_help_panel=_RESULT,
    ),
]
CustodyOut = Annotated[
    str | None,
    Option(
        "--custody",
        metavar="FILE",
        help="Write the secrets of this release: row map, seed, checksums. "
        "Only you may read it; never in the release's folder.",
        rich_help_panel=_RESULT,
    ),
]
JobIn = Annotated[
    str | None,
    Option(
        "--job",
        metavar="FILE",
        help="Take the words of this job file (TOML); flags override them.",
        rich_help_panel=_RESULT,
    ),
]
JobOut = Annotated[
    str | None,
    Option(
        "--save-job",
        metavar="FILE",
        help="Write the words of this run as a job file.",
        rich_help_panel=_RESULT,
    ),
]


def _columns(help_text: str) -> Any:
    return Annotated[
        list[str] | None, Option(metavar=_MANY, help=help_text, rich_help_panel=_COLUMNS)
    ]


def _by_column(metavar: str, help_text: str) -> Any:
    return Annotated[
        list[str] | None, Option(metavar=metavar, help=help_text, rich_help_panel=_KINDS)
    ]


_WORDS: dict[str, Any] = {
    "k": Annotated[
        int | None,
        Option(
            "-k",
            "--k",
            metavar="K",
            help="Every record must look like at least K-1 others.",
            rich_help_panel=_GOAL,
        ),
    ],
    "quasi": _columns("Columns by which a person could be recognised."),
    "sensitive": _columns("Columns worth protecting; released unchanged."),
    "identifier": _columns("Columns that name a person; removed."),
    "other": _columns("Columns that are released unchanged."),
    "rest": Annotated[
        Literal["other", "drop"] | None,
        Option(help="What becomes of all columns not named.", rich_help_panel=_COLUMNS),
    ],
    "person": Annotated[
        str | None,
        Option(
            metavar="COLUMN",
            help="An identifier that repeats: k then counts persons, not records.",
            rich_help_panel=_COLUMNS,
        ),
    ],
    "kind": _by_column(
        "COLUMN=KIND,…",
        "numeric, categorical, hierarchical, suppress-only, date, datetime or ordered, "
        "where the values do not tell.",
    ),
    "hierarchy": _by_column(
        "COLUMN=FILE,…",
        "File of a column's hierarchy (leaf,level1,…,*), or how to make one: auto, "
        "ranges:5,10,20, quantiles:4, cuts:18,65, stars or dates.",
    ),
    "suppress_only": _by_column(_MANY, "Columns whose values are kept or replaced by *."),
    "order": _by_column("COLUMN=A,B,…", "Categories of an ordered column, lowest first."),
    "date_format": _by_column(
        "COLUMN=FORMAT", "How dates of a column are written, such as %d.%m.%Y."
    ),
    "value_range": _by_column(
        "COLUMN=LOW:HIGH,…", "Lowest and highest permissible value of a column."
    ),
    "weight": _by_column("COLUMN=NUMBER,…", "How much the loss of a column counts; 1 otherwise."),
    "set_loss": Annotated[
        Literal["share", "paper", "binary"] | None,
        Option(
            help="What c of A categories lose: (c-1)/(A-1), (c-1)/A, or c/A as A binary columns.",
            rich_help_panel=_KINDS,
        ),
    ],
    "missing": Annotated[
        Literal["value", "drop"] | None,
        Option(
            help="A missing cell is a value of its own, or drops its record.",
            rich_help_panel=_KINDS,
        ),
    ],
    "suppression": Annotated[
        float | None,
        Option(
            metavar="SHARE",
            help="Largest share of records that may be suppressed; 0 unless given.",
            rich_help_panel=_GOAL,
        ),
    ],
    "suppressed": Annotated[
        Literal["star", "withhold"] | None,
        Option(
            help="Suppressed records show * everywhere, or are left out.", rich_help_panel=_GOAL
        ),
    ],
    "model": Annotated[
        list[str] | None,
        Option(
            metavar="NAME:VALUE[@COLUMN]",
            help="A further privacy model; may be repeated.",
            rich_help_panel=_GOAL,
        ),
    ],
    "measure": Annotated[
        str | None,
        Option(
            "--measure",
            "--goal",
            metavar="NAME",
            help="The loss to minimise; gcp unless given.",
            rich_help_panel=_GOAL,
        ),
    ],
    "form": Annotated[
        str | None,
        Option(
            metavar="FORM",
            help="What the release looks like: classes, hierarchy, full-domain or freeform; or "
            "what it promises: concealment, (k,k), (k,1), (1,k). An algorithm other than auto "
            "decides it; who verifies without --facts must say it, else classes.",
            rich_help_panel=_GOAL,
        ),
    ],
    "target": Annotated[
        str | None,
        Option(
            metavar="COLUMN",
            help="A column that analysts will want to predict; auto then minimises pmi.",
            rich_help_panel=_GOAL,
        ),
    ],
    "utility": Annotated[
        bool,
        Option(
            "--utility",
            help="Tell in the facts what classifiers, rules and counts lose; takes a minute.",
            rich_help_panel=_RESULT,
        ),
    ],
    "algorithm": Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="How the release is found; auto unless given. See: shoal algorithms",
            autocompletion=known_algorithms,
            rich_help_panel=_METHOD,
        ),
    ],
    "param": Annotated[
        list[str] | None,
        Option(
            metavar="NAME=VALUE",
            help="A parameter of the algorithm; may be repeated.",
            rich_help_panel=_METHOD,
        ),
    ],
    "time": Annotated[
        float | None,
        Option(
            metavar="SECONDS",
            help="Wall seconds for solving; 5 unless given, more beyond 500,000 records.",
            rich_help_panel=_METHOD,
        ),
    ],
    "steps": Annotated[
        int | None,
        Option(
            metavar="N",
            help="Budget in the algorithm's own steps; repeatable, unlike time.",
            rich_help_panel=_METHOD,
        ),
    ],
    "bound_seconds": Annotated[
        float | None,
        Option(
            metavar="SECONDS",
            help="Wall seconds for proving how much any release of this kind must lose.",
            rich_help_panel=_METHOD,
        ),
    ],
    "threads": Annotated[
        int | None,
        Option(
            metavar="N",
            help="Threads for solving; the result does not depend on it.",
            rich_help_panel=_METHOD,
        ),
    ],
    "seed": Annotated[
        int | None,
        Option(
            metavar="N",
            help="Seed of all randomness. Keep it secret: it can undo the shuffling.",
            rich_help_panel=_METHOD,
        ),
    ],
    "keep_order": Annotated[
        bool,
        Option(
            "--keep-order",
            help="Keep the rows' order instead of shuffling them.",
            rich_help_panel=_RESULT,
        ),
    ],
    "notation": Annotated[
        Literal["text", "min_max"] | None,
        Option(
            help="Write [35..37] in one column, or 35 and 37 in age_min and age_max.",
            rich_help_panel=_RESULT,
        ),
    ],
    "separator": Annotated[
        str | None,
        Option(
            metavar="CHARACTER",
            help="Separator of CSV files, or tab; found by itself otherwise.",
            rich_help_panel=_FILES,
        ),
    ],
    "encoding": Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="Encoding of the CSV file; found by itself otherwise.",
            rich_help_panel=_FILES,
        ),
    ],
    "null_values": Annotated[
        list[str] | None,
        Option(
            metavar="A,COLUMN=B|C,…",
            help="Texts that mean a missing cell: ?,NA in all columns, age=97|98 in one.",
            rich_help_panel=_FILES,
        ),
    ],
    "header": Annotated[
        str | None,
        Option(
            metavar="present|absent|LINE",
            help="Whether the first line holds the column names, or which line does; asked for "
            "when the first line looks like data.",
            rich_help_panel=_FILES,
        ),
    ],
    "sheet": Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="Sheet of a workbook; the only one unless given.",
            rich_help_panel=_FILES,
        ),
    ],
}

READING = ("separator", "encoding", "null_values", "header", "sheet")
SCHEMA = (
    "k",
    "quasi",
    "sensitive",
    "identifier",
    "other",
    "rest",
    "person",
    "kind",
    "hierarchy",
    "suppress_only",
    "order",
    "date_format",
    "value_range",
    "weight",
    "set_loss",
    "missing",
    "suppression",
    *READING,
)
VERIFYING = (*SCHEMA, "model", "form")
MEASURING = (*SCHEMA, "measure", "target", "form")
BOUNDING = (*SCHEMA, "measure", "bound_seconds", "threads")
LEARNING = (*(word for word in SCHEMA if word not in {"k", "suppression", "weight"}), "target",
            "threads")  # fmt: skip
ALL = tuple(_WORDS)


def takes(names: Sequence[str]) -> Callable[[_Verb], _Verb]:
    """Give a verb the flags of these words of a job, in the place of its ``**words``."""

    def give(verb: _Verb) -> _Verb:
        own = inspect.signature(verb, eval_str=True)
        flags = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=False if name in {"keep_order", "utility"} else None,
                annotation=_WORDS[name],
            )
            for name in names
        ]
        before = [
            parameter
            for parameter in own.parameters.values()
            if parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
        ]
        after = [
            parameter
            for parameter in own.parameters.values()
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY
        ]
        verb.__signature__ = own.replace(parameters=[*before, *flags, *after])  # type: ignore[attr-defined]
        return verb

    return give
