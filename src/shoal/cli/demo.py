"""``shoal demo``: the whole workflow on the bundled example."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

from shoal.cli import options  # noqa: TC001 - typer reads the flags at run time
from shoal.cli.flag_values import read_json
from shoal.cli.screen import Screen, print_json


def demo(
    *,
    output: Annotated[
        Path, Option(metavar="FOLDER", help="Folder for the example and its release.")
    ] = Path("shoal-demo"),
    force: options.Force = False,
    json: options.Json = False,
) -> int:
    """Anonymize and verify a made-up hospital table, and show what happened."""
    from shoal.example.demo import run

    run(output, force, Screen(stderr=json))
    if json:
        print_json(read_json(str(output / "facts.json"), "facts"))
    return 0
