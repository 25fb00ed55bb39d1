"""How a command ends when it fails: one or two lines, and an exit code.

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

import errno
import os
import traceback
from contextlib import suppress
from dataclasses import dataclass

import typer

from shoal.cli.screen import Screen, print_json, printable
from shoal.cli.shell_lines import with_flags
from shoal.errors import Cancelled, ShoalError
from shoal.limits.memory import REMEDY, WHAT, is_lack_of_memory

INFEASIBLE = 1
USAGE = 2
INTERNAL = 70
INTERRUPTED = 130
TRACEBACK_ENV = "SHOAL_TRACEBACK"


class Terminated(BaseException):
    """Another program ended this one."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


@dataclass(frozen=True, slots=True)
class _Ending:
    """The message about an error, and the exit code."""

    opening: str
    kind: str
    what: str
    remedy: str
    code: int


def explain(error: BaseException, *, as_json: bool) -> int:
    """Say what went wrong and return the exit code.

    Parameters
    ----------
    error
        Anything that ended a command.
    as_json
        Whether a program reads standard output; it gets the error as an object.
    """
    if os.environ.get(TRACEBACK_ENV):
        traceback.print_exception(error)
    ending = _ending(error)
    screen = Screen(stderr=True)
    screen.print(ending.opening, style="bold red", end="", soft_wrap=True)
    screen.say("\n".join(printable(line) for line in ending.what.splitlines()))
    if ending.remedy:
        screen.say("\n".join(f"  {printable(line)}" for line in ending.remedy.splitlines()))
    if as_json:
        shown = {"type": ending.kind, "what": ending.what, "remedy": ending.remedy}
        with suppress(OSError):  # its reader may be what went wrong
            print_json({"error": shown})
    return ending.code


def _ending(error: BaseException) -> _Ending:
    kind = type(error).__name__
    # The message of an unforeseen error may quote cells, so its type must do.
    ending = _Ending(
        "internal error: ",
        kind,
        f"{kind}. This is a bug in Shoal.",
        f"Run it again with {TRACEBACK_ENV}=1 to see where, and report it.",
        INTERNAL,
    )
    match error:
        case Cancelled():
            ending = _Ending("", kind, with_flags(error.what), "", error.exit_code)
        case ShoalError():
            what, remedy = with_flags(error.what), with_flags(error.remedy)
            ending = _Ending("error: ", kind, what, remedy, error.exit_code)
        case typer.TyperException():
            context = getattr(error, "ctx", None)
            verb = context.command_path if context is not None else "shoal"
            what = error.format_message()
            ending = _Ending("error: ", "UsageError", what, f"See: {verb} --help", USAGE)
        case KeyboardInterrupt():
            ending = _Ending("", Cancelled.__name__, "Interrupted.", "", INTERRUPTED)
        case Terminated():
            ending = _Ending("", kind, "Terminated.", with_flags(_notes(error)), error.exit_code)
        case OSError(errno=errno.ENOSPC | errno.EDQUOT):
            ending = _Ending(
                "error: ", kind, "The disk or quota is full.", "Free some space.", USAGE
            )
        case _ if is_lack_of_memory(error):
            remedy = with_flags("\n".join([REMEDY, _notes(error)]).strip())
            ending = _Ending("error: ", MemoryError.__name__, WHAT, remedy, INFEASIBLE)
    return ending


def _notes(error: BaseException) -> str:
    """Return what was added to an error on its way: what is left of the work."""
    return "\n".join(getattr(error, "__notes__", ()))
