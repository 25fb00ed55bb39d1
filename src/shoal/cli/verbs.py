"""The verbs of the command line, each imported when it is run.

``shoal --help`` needs their summaries alone, and a verb needs no other.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup

from shoal.cli.usage import Command, as_flags

# The first lines of their docstrings, in the order of the help.
SUMMARIES = {
    "inspect": "Suggest a role for each column, show how exposed records are, and print a first "
    "command.",
    "plan": "Forecast a release before making it: feasible k, loss, time, and advice.",
    "risk": "Estimate how likely people are to be identified in a table, and by which columns.",
    "anonymize": "Release a table in which every record hides among at least k.",
    "verify": "Decide from the files alone whether a release keeps its guarantee.",
    "report": "Write a report on a release for decision makers: verdict, risk, remaining detail.",
    "compare": "Compare releases of a table under several options: loss, risk, utility and time.",
    "measure": "Measure how much detail a release has lost, whoever made it.",
    "utility": "Compare classifiers, rules and counts made from a release with those of the "
    "original.",
    "bound": "Prove how much detail (gcp) any release in classes, or any freeform one, must lose.",
    "anatomize": "Release quasi-identifiers and sensitive values in two tables, linked only by "
    "groups.",
    "algorithms": "List the algorithms, or describe one of them.",
    "demo": "Anonymize and verify a made-up hospital table, and show what happened.",
    "serve": "Open the web app in the browser. Nothing leaves this machine.",
    "hierarchy": "Build hierarchies from columns, check them, and preview what they do to a "
    "column.",
    "import": "Import projects of other tools as jobs.",
}
# A verb whose module and command cannot have its name.
_ELSEWHERE = {"import": ("import_projects", "projects")}


@cache
def load(verb: str) -> Any:
    """Return the command of a verb, with its flags, as typer makes it."""
    module, name = _ELSEWHERE.get(verb, (verb, verb))
    found = getattr(import_module(f"shoal.cli.{module}"), name)
    if isinstance(found, typer.Typer):
        app = found
    else:
        app = typer.Typer(add_completion=False)
        app.command(name=verb)(found)
    made = typer.main.get_command(app)
    for command in (made, *getattr(made, "commands", {}).values()):
        if isinstance(command, TyperCommand):
            command.__class__ = Command
        elif isinstance(command, TyperGroup):
            command.__class__ = Parts
        as_flags(command.params)
    return made


class Parts(TyperGroup):
    """The commands below a verb."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the flags."""
        return as_flags(super().get_params(ctx))


class Verbs(Parts):
    """The verbs by their summaries; the one that is run is loaded."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for verb, summary in SUMMARIES.items():
            self.add_command(TyperCommand(verb, help=summary))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Return the verb that the arguments begin with, and the arguments that follow it."""
        name, placeholder, rest = super().resolve_command(ctx, args)
        return name, None if name is None or placeholder is None else load(name), rest
