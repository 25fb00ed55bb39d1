"""``shoal anatomize``: a release in two tables, linked only by groups of records."""

from __future__ import annotations

from dataclasses import replace
from json import dumps
from pathlib import Path
from typing import Annotated, Any

from rich.text import Text
from typer import Option

from shoal.cli import options
from shoal.cli.flag_values import options_of_flags
from shoal.cli.screen import Screen, plain_table, print_json, printable
from shoal.cli.summary import show_notes
from shoal.io import STANDARD_STREAM

_RESULT = "Results"


@options.takes("anatomize")
def anatomize(
    data: options.Data,
    *,
    output: Annotated[
        str,
        Option(
            "-o",
            "--output",
            metavar="OUT",
            help="Where the records go, each with its group: .csv, .csv.gz, .parquet, .arrow.",
            rich_help_panel=_RESULT,
        ),
    ],
    values: Annotated[
        str,
        Option(
            "--values",
            metavar="OUT",
            help="Where the sensitive values of each group go.",
            rich_help_panel=_RESULT,
        ),
    ],
    facts: options.FactsOut = None,
    custody: options.CustodyOut = None,
    force: options.Force = False,
    json: options.Json = False,
    **flags: Any,
) -> int:
    r"""Release quasi-identifiers and sensitive values in two tables, linked only by groups.

    Quasi-identifiers stay as they are; no sensitive value is more than one in L of a group. It
    hides whose value is whose, not who is in the table.

    Nothing is written unless the independent verifier accepts the release.
    """
    from shoal.api.anatomize import anatomize as make
    from shoal.io import Staging, check_output, read_table
    from shoal.pipeline.custody import checksum, require_separate_folder

    given = options_of_flags(flags, "anatomize")
    reading = {name: given.pop(name) for name in options.names_of("inspect") if name in given}
    every = {"records": output, "values": values, "facts": facts, "custody": custody}
    outputs = {noun: path for noun, path in every.items() if path is not None}
    for noun, path in outputs.items():
        others = [other for named, other in outputs.items() if named != noun]
        others += [STANDARD_STREAM] if json else []
        table = noun in {"records", "values"}
        check_output(path, force, table=table, inputs=[data], others=others)
    if custody is not None:
        for path in (output, values):
            require_separate_folder(custody, path)
    made = make(read_table(data, **reading), **given)
    with Staging() as staging:
        staging.table(made.people, output, separator=reading.get("separator"))
        staging.table(made.values, values, separator=reading.get("separator"))
        if facts is not None:
            staging.text(dumps(made.facts, indent=2, ensure_ascii=False) + "\n", facts)
        if custody is not None:
            source = checksum(data) if Path(data).is_file() else None
            secrets = replace(made.custody, source_sha256=source)
            staging.text(secrets.to_json(staging.checksum(output)), custody, private=True)
        staging.commit()
    if json:
        print_json(made.facts)
        return 0
    screen = Screen(stderr=STANDARD_STREAM in outputs.values())
    guarantee = f" verified: no value is more than one in {made.facts['l']} of its group"
    screen.say(Text.assemble(screen.mark(passed=made.verdict.passed), (guarantee, "bold")))
    screen.print(
        f"  {made.facts['n']:,} records in {made.facts['groups']:,} groups, the smallest of "
        f"{made.facts['smallest_group']:,}",
        style="dim",
    )
    show_notes(screen, [*made.facts["notes"], *made.custody.notes])
    written = plain_table("file", "path")
    for noun, path in outputs.items():
        written.add_row(noun, "standard output" if path == STANDARD_STREAM else printable(path))
    screen.print(written)
    return 0
