"""``shoal import``: projects of other tools as jobs of Shoal."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text
from typer import Argument, Option

from shoal.cli import options  # noqa: TC001 - typer reads the annotations
from shoal.cli.screen import Screen, printable
from shoal.cli.shell_lines import command
from shoal.cli.summary import show_notes

projects = typer.Typer(
    help="Import projects of other tools as jobs.", no_args_is_help=True, add_completion=False
)


@projects.callback()
def _projects() -> None:
    """Import projects of other tools as jobs."""


@projects.command()
def arx(
    project: Annotated[str, Argument(metavar="PROJECT.deid", help="A project saved by ARX.")],
    *,
    output: Annotated[
        str, Option("-o", "--output", metavar="FILE", help="Output file of the job, as TOML.")
    ],
    force: options.Force = False,
) -> int:
    """Import roles, hierarchies, models and limits of an ARX project as a job.

    Hierarchies become files in a folder beside the job. The data in the project stay there.
    """
    from shoal.hierarchies import format_hierarchy
    from shoal.io import Staging, check_output
    from shoal.io.arx_project import read_arx_project
    from shoal.options.job_file import job_text

    found = read_arx_project(project)
    place = Path(output)
    folder = place.with_name(f"{place.stem}-hierarchies")
    files = {
        column: folder / f"{number:02d}-{re.sub(r'[^A-Za-z0-9]+', '-', column)}.csv"
        for number, column in enumerate(found.hierarchies, start=1)
    }
    check_output(output, force, table=False, inputs=[project])
    made = files and not folder.exists()
    if files:
        folder.mkdir(exist_ok=True)
    try:
        with Staging() as staging:
            for column, path in files.items():
                check_output(path, force, table=False)
                staging.text(format_hierarchy(found.hierarchies[column]), path)
            named = {column: str(path.relative_to(place.parent)) for column, path in files.items()}
            staging.text(job_text({**found.options, "hierarchy": named}), output)
            staging.commit()
    except BaseException:
        if made:
            folder.rmdir()
        raise
    screen = Screen(stderr=output == "-")
    summary = f"{len(found.options['quasi'])} quasi-identifiers, {len(files)} hierarchies"
    screen.say(Text.assemble((f"{printable(output)}: ", "bold"), summary))
    show_notes(screen, found.notes)
    screen.say("Next, run the job on the data of the project:")
    line = command("anonymize", "DATA.csv", "--job", output, "-o", "release.csv")
    screen.say(Text(f"  {printable(line)}", style="bold"))
    return 0
