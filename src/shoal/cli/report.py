"""``shoal report``: a release as a data-protection officer wants to see it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rich.text import Text
from typer import Option

from shoal.cli import options
from shoal.cli.screen import Screen, print_json, printable
from shoal.cli.shell_lines import command, flags_of_job
from shoal.cli.tables import read_comparison
from shoal.io import STANDARD_STREAM
from shoal.options import Group

if TYPE_CHECKING:
    from shoal.reports import Report


Out = Annotated[
    str,
    Option(
        "-o",
        "--output",
        metavar="FILE",
        help="Output file of the report: .html, .md or .json; - is standard output.",
        rich_help_panel=Group.RESULTS,
    ),
]
Public = Annotated[
    bool,
    Option(
        "--public",
        help="Compute it from the release alone, so that it may be handed out.",
        rich_help_panel=Group.RESULTS,
    ),
]
Certificate = Annotated[
    bool, Option("--certificate", help="One page to sign.", rich_help_panel=Group.RESULTS)
]
Title = Annotated[
    str | None,
    Option(metavar="TEXT", help="Title of the report.", rich_help_panel=Group.RESULTS),
]


@options.takes("report")
def report(
    original: options.Original,
    release: options.Released,
    *,
    output: Out,
    facts: options.FactsIn = None,
    custody: options.CustodyIn = None,
    public: Public = False,
    certificate: Certificate = False,
    report_format: options.ReportFormat = None,
    title: Title = None,
    force: options.Force = False,
    json: options.Json = False,
    **flags: Any,
) -> int:
    """Write a report on a release for decision makers: verdict, risk, remaining detail.

    The release is verified first. One that fails gets a report that says so, and exit code 1.
    """
    from shoal.io import check_output
    from shoal.reports import ReportForm

    form = ReportForm.of(
        output, public=public, certificate=certificate, report_format=report_format
    )
    taken = [STANDARD_STREAM] if json else []
    check_output(output, force, table=False, inputs=[original, release], others=taken)
    found = _make(original, release, form.public, facts, custody, title, flags)
    form.save(found, output, force=True)
    if json:
        print_json({"passed": found.passed, "headline": found.headline, "report": output})
    elif output != STANDARD_STREAM:
        screen = Screen()
        screen.say(Text.assemble(screen.mark(passed=found.passed), (f" {found.headline}", "bold")))
        kind = "certificate" if certificate else "report"
        screen.say(f"  {found.audience} {kind}: {printable(output)}")
    return 0 if found.passed else 1


def _make(  # noqa: PLR0917 - two tables, and what is known of them
    original: str,
    release: str,
    public: bool,  # noqa: FBT001 - the flag
    facts: str | None,
    custody: str | None,
    title: str | None,
    flags: dict[str, Any],
) -> Report:
    from shoal.api.report import report as report_of
    from shoal.options import Job
    from shoal.pipeline.custody import figures_of, matches_of, read_row_map
    from shoal.pipeline.facts import Facts

    source, released, described = read_comparison(original, release, facts, flags, "report")
    rows = matches = figures = None
    if custody is not None:
        rows, content = read_row_map(custody)
        matches = matches_of(content, custody)
        figures = figures_of(content)
    arguments = (
        ["--facts", Path(facts).name]
        if facts is not None
        else flags_of_job(Job.from_dict(described), options.names_of("verify"))
    )
    named = [_name(original), _name(release)]
    if public:
        columns = flags_of_job(Job.from_dict(described), ["quasi", "sensitive"])
        commands = [("See how likely people are to be picked out", "risk", [named[1], *columns])]
    else:
        commands = [("Verify it from the files alone", "verify", [*named, *arguments])]
    return report_of(
        source,
        released,
        public=public,
        title=title,
        facts=None if facts is None else Facts.load(facts),
        rows=rows,
        matches=matches,
        figures=figures,
        files=(_file(original), _file(release)),
        commands=tuple((does, command(verb, *given)) for does, verb, given in commands),
        **described,
    )


def _name(path: str) -> str:
    return path if path == STANDARD_STREAM else Path(path).name


def _file(path: str) -> Any:
    from shoal.pipeline.custody import checksum
    from shoal.reports import NamedFile

    if path == STANDARD_STREAM:
        return None
    return NamedFile(Path(path).name, checksum(path))
