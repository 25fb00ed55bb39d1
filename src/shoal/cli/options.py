"""The flags of all verbs.

Those of options follow from the definition of the options: a verb gets them by :func:`takes`, in
the place of its ``**options``. Those that name files are defined here, once.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from typer import Argument, Option

from shoal.cli.shell_lines import with_flags
from shoal.options import Group, describe_options

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.options import OptionDescription

    _Verb = TypeVar("_Verb", bound=Callable[..., int])


def known_algorithms(incomplete: str) -> list[tuple[str, str]]:
    """Complete the name of an algorithm, for shells."""
    from shoal.algorithms import algorithms

    return [
        (name, one.traits.summary)
        for name, one in algorithms().items()
        if name.startswith(incomplete)
    ]


Data = Annotated[
    str,
    Argument(
        metavar="DATA",
        help="The table: a file (CSV, JSON lines, Parquet, Arrow, Excel, SPSS, Stata or SAS), "
        "a folder or a pattern of such files, a database URL, or - for standard input.",
    ),
]
Original = Annotated[str, Argument(metavar="ORIGINAL", help="The table that was anonymized.")]
Released = Annotated[str, Argument(metavar="RELEASE", help="The table that was released.")]
Json = Annotated[bool, Option("--json", help="Print one JSON object on standard output.")]
Force = Annotated[
    bool, Option("--force", help="Replace outputs that exist.", rich_help_panel=Group.RESULTS)
]
FactsIn = Annotated[
    str | None,
    Option(
        "--facts",
        metavar="FILE",
        help="Take the options from the job in this facts file; flags override them.",
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
        help="Use the row map of this custody file to keep training and test people apart.",
    ),
]
CustodyForStatistics = Annotated[
    str | None,
    Option(
        "--custody",
        metavar="FILE",
        help="Use the row map of this custody file to find the classes behind --aggregate and "
        "--notation midpoint.",
    ),
]
Output = Annotated[
    str,
    Option(
        "-o",
        "--output",
        metavar="OUT",
        help="Where the release goes: a .csv, .csv.gz, .jsonl, .parquet, .arrow or .xlsx file, a "
        "database URL, or - for standard output.",
        rich_help_panel=Group.RESULTS,
    ),
]
FactsOut = Annotated[
    str | None,
    Option(
        "--facts",
        metavar="FILE",
        help="Write the facts of the release as JSON: options, loss, verdict.",
        rich_help_panel=Group.RESULTS,
    ),
]
ReportOut = Annotated[
    str | None,
    Option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write the results as JSON; - is standard output.",
        rich_help_panel=Group.RESULTS,
    ),
]
ReportFile = Annotated[
    str | None,
    Option(
        "--report",
        metavar="FILE",
        help="Write the internal report, with figures before and after: .html, .md or .json.",
        rich_help_panel=Group.RESULTS,
    ),
]
PublicReportFile = Annotated[
    str | None,
    Option(
        "--public-report",
        metavar="FILE",
        help="Write the report that may be handed out, from the release alone.",
        rich_help_panel=Group.RESULTS,
    ),
]
ReportFormat = Annotated[
    Literal["html", "md", "json"] | None,
    Option(
        "--report-format",
        help="Format of the report, if its suffix does not show it.",
        rich_help_panel=Group.RESULTS,
    ),
]
CustodyOut = Annotated[
    str | None,
    Option(
        "--custody",
        metavar="FILE",
        help="Write the custody file: row map, seed, checksums. Only you can read it; keep it "
        "outside the release's folder.",
        rich_help_panel=Group.RESULTS,
    ),
]
DictionaryOut = Annotated[
    str | None,
    Option(
        "--dictionary",
        metavar="FILE",
        help="Write how to read every released column, as .csv or .md.",
        rich_help_panel=Group.RESULTS,
    ),
]
IfExists = Annotated[
    Literal["fail", "replace", "append"],
    Option(
        "--if-exists",
        help="What to do if the table exists in the database.",
        rich_help_panel=Group.RESULTS,
    ),
]
Resume = Annotated[
    bool,
    Option(
        "--resume",
        help="Resume a run with --engine disk after it was killed or interrupted.",
        rich_help_panel=Group.RESULTS,
    ),
]
Master = Annotated[
    str | None,
    Option(
        "--master",
        metavar="URL",
        help="Cluster of --engine spark: local[4], spark://HOST:7077, yarn, or sc://HOST:15002 for "
        "Spark Connect.",
        rich_help_panel=Group.RESULTS,
    ),
]
JobIn = Annotated[
    str | None,
    Option(
        "--job",
        metavar="FILE",
        help="Take the options of this job file (TOML); flags override them.",
        rich_help_panel=Group.RESULTS,
    ),
]
JobOut = Annotated[
    str | None,
    Option(
        "--save-job",
        metavar="FILE",
        help="Write the options of this run as a job file.",
        rich_help_panel=Group.RESULTS,
    ),
]


def names_of(verb: str) -> tuple[str, ...]:
    """Return the options that a verb takes, by their names in job files."""
    return tuple(option.key for option in describe_options(verb))


def takes(verb: str) -> Callable[[_Verb], _Verb]:
    """Give a command the flags of a verb's options, in the place of its ``**options``."""

    def give(command: _Verb) -> _Verb:
        own = inspect.signature(command, eval_str=True)
        flags = [
            inspect.Parameter(
                option.key,
                inspect.Parameter.KEYWORD_ONLY,
                default=False if option.shape == "boolean" else None,
                annotation=_flag(option),
            )
            for option in describe_options(verb)
        ]
        by_kind = {
            kind: [one for one in own.parameters.values() if one.kind is kind]
            for kind in (
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                inspect.Parameter.KEYWORD_ONLY,
            )
        }
        before, after = by_kind.values()
        command.__signature__ = own.replace(parameters=[*before, *flags, *after])  # type: ignore[attr-defined]
        return command

    return give


def _flag(option: OptionDescription) -> Any:
    """Return how typer reads the flag of an option."""
    kind: Any = list[str] | None
    if option.shape == "boolean":
        kind = bool
    elif option.shape in ("integer", "number", "text"):
        # Numbers and choices are checked with all other options: typer would stop at the first.
        kind = str | None
    choices = f"<{'|'.join(option.choices)}>" if option.choices else None
    return Annotated[
        kind,
        Option(
            *option.flags,
            metavar=option.metavar or choices,
            help=_help(option),
            rich_help_panel=str(option.group),
            show_default=False,
            autocompletion=_completion(option),
        ),
    ]


def _completion(option: OptionDescription) -> Callable[[str], list[Any]] | None:
    """Return what completes the value of an option in a shell."""
    if option.name == "algorithm":
        return known_algorithms
    if not option.choices:
        return None
    return lambda incomplete: [one for one in option.choices if one.startswith(incomplete)]


def _help(option: OptionDescription) -> str:
    text = with_flags(option.help)
    if option.default in (None, (), {}) or option.default is False:
        return text
    value = f"{option.default:g}" if isinstance(option.default, float) else option.default
    value = repr(value) if value == "." else value  # else its full stop looks like another
    return f"{text} Default: {value}."
