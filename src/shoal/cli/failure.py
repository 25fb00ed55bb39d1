"""How a command ends when it does not end well: one or two lines, and an exit code that tells.

======  ==============================================================
code    meaning
======  ==============================================================
0       done and verified
1       the goal cannot be met, or verification failed
2       bad input or usage
70      internal error: a bug in Shoal
130     interrupted by Ctrl-C
141     the reader of a pipe went away
143     terminated by a signal
======  ==============================================================
"""

from __future__ import annotations

import os
import traceback

import typer

from shoal.cli.screen import Screen, print_json, printable
from shoal.errors import Cancelled, ShoalError

USAGE = 2
INTERNAL = 70
INTERRUPTED = 130
TRACEBACK_WISH = "SHOAL_TRACEBACK"


class Terminated(BaseException):
    """Another program asked this one to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


def explain(error: BaseException, *, as_json: bool) -> int:
    """Say what went wrong and return the exit code.

    Parameters
    ----------
    error
        Anything that ended a command.
    as_json
        Whether a program reads standard output; it gets the error as an object.
    """
    if os.environ.get(TRACEBACK_WISH):
        traceback.print_exception(error)
    if isinstance(error, Cancelled):
        return _tell("", type(error).__name__, error.what, "", error.exit_code, as_json=as_json)
    if isinstance(error, KeyboardInterrupt):
        return _tell("", "Cancelled", "Interrupted.", "", INTERRUPTED, as_json=as_json)
    if isinstance(error, Terminated):
        return _tell("", "Terminated", "Terminated.", "", error.exit_code, as_json=as_json)
    if isinstance(error, ShoalError):
        return _tell(
            "error: ",
            type(error).__name__,
            error.what,
            error.remedy,
            error.exit_code,
            as_json=as_json,
        )
    if isinstance(error, typer.TyperException):
        return _tell(
            "error: ",
            "UsageError",
            error.format_message(),
            f"See: {_path(error)} --help",
            USAGE,
            as_json=as_json,
        )
    return _tell(
        "internal error: ",
        type(error).__name__,
        f"{type(error).__name__}. This is a bug in Shoal; nothing was written.",
        f"Run it again with {TRACEBACK_WISH}=1 to see where, and report it.",
        INTERNAL,
        as_json=as_json,
    )


def _path(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    return context.command_path if context is not None else "shoal"


def _tell(opening: str, kind: str, what: str, remedy: str, code: int, *, as_json: bool) -> int:
    screen = Screen(stderr=True)
    lines = "\n".join(printable(line) for line in what.splitlines())
    screen.print(opening, style="bold red", end="", soft_wrap=True)
    screen.say(lines)
    if remedy:
        screen.say("\n".join(f"  {printable(line)}" for line in remedy.splitlines()))
    if as_json:
        print_json({"error": {"type": kind, "what": what, "remedy": remedy}})
    return code
