"""The entry point ``shoal``: all verbs, and one place where commands end."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

import shoal
from shoal.cli.failure import INTERRUPTED, USAGE, Terminated, explain
from shoal.cli.screen import CLOSED_PIPE, Screen, silence
from shoal.cli.verbs import Verbs
from shoal.limits.memory import MemoryGuard, file_size, require_memory

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

_EPILOG = (
    "Exit codes: 0 done and verified; 1 the goal cannot be met or verification failed; "
    "2 bad input or usage; 70 internal error; 130 interrupted."
)

_SMALL = 8 * 2**20  # bytes of CSV, outputs of an earlier run included
_GARBAGE = 200_000  # objects that are made before garbage is looked for

# Plugins of pydantic could read the options of a job, and looking for them takes time.
os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"
# Threads of numpy's linear algebra would spin for a while before they sleep, from its import on.
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")

app = typer.Typer(
    name="shoal",
    cls=Verbs,
    pretty_exceptions_enable=False,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:  # noqa: FBT001 - the form typer calls
    if wanted:
        Screen().say(f"shoal {shoal.__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _shoal(
    context: typer.Context,
    *,
    version: Annotated[  # noqa: ARG001 - its callback does the work
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> int:
    """Release tables of people in which every record hides among at least k, and prove it."""
    if context.invoked_subcommand is None:
        Screen().say(context.get_help())
        return USAGE
    return 0


def run(arguments: Sequence[str], guard: MemoryGuard | None = None) -> int:
    """Run a command line and return its exit code; errors are reported, not raised.

    Parameters
    ----------
    arguments
        The command line.
    guard
        It may have ended the command for lack of memory.
    """
    as_json = "--json" in arguments
    try:
        if not _works_beyond_memory(arguments):
            require_memory(arguments)
        code = app(args=list(arguments), prog_name="shoal", standalone_mode=False)
        sys.stdout.flush()
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 - the last resort of the program
        if isinstance(error, BrokenPipeError) or isinstance(error.__cause__, BrokenPipeError):
            silence()
            return CLOSED_PIPE
        return explain(_cause(error, guard), as_json=as_json)
    if code == INTERRUPTED:
        # Typer turns Ctrl-C into a silent exit code.
        return explain(_cause(KeyboardInterrupt(), guard), as_json=as_json)
    return code or 0


def _works_beyond_memory(arguments: Sequence[str]) -> bool:
    """Return whether a command line names an engine that does not hold the table in memory."""
    line = " ".join(arguments).replace("--engine=", "--engine ")
    return "--engine disk" in line or "--engine spark" in line


def _cause(error: BaseException, guard: MemoryGuard | None) -> BaseException:
    """Return why a command ended: the guard may have ended it."""
    if guard is None or not guard.tripped:
        return error
    lack = MemoryError()
    for note in getattr(error, "__notes__", ()):  # what is left of the work
        lack.add_note(note)
    return lack


def main() -> None:
    """Run the command line of this process."""
    _install_signal_handlers()
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    if sys.argv[1:2] == ["serve"]:
        sys.exit(run(sys.argv[1:]))  # its workers have guards of their own, and it outlives them
    # Loading modules makes many objects that live on; looking for garbage among them takes long.
    gc.set_threshold(_GARBAGE, 20, 20)
    # A search of all installed packages for plugins, of which none has a part in this.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    if _names_small_tables(sys.argv[1:]):
        os.environ.setdefault("POLARS_MAX_THREADS", "1")
    with MemoryGuard(lambda: explain(MemoryError(), as_json="--json" in sys.argv)) as guard:
        code = run(sys.argv[1:], guard)
    _leave(code)


def _names_small_tables(arguments: Sequence[str]) -> bool:
    """Return whether a command line names CSV files that are not worth a pool of threads.

    Waking threads for columns of a few thousand cells takes longer than they save.
    """
    if _works_beyond_memory(arguments):
        return False
    sizes = [file_size(one) for one in arguments if one.lower().endswith((".csv", ".tsv"))]
    found = [size for size in sizes if size is not None]
    return bool(found) and sum(found) < _SMALL


def _open_closed_streams() -> None:
    """Let what a shell closed (``>&-``) lead nowhere, so that no file of ours takes its place."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            mode = "r" if number == 0 else "w"
            # The lowest descriptor that is free: those below are open by now.
            stream = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115 (to the end)
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)


def _leave(code: int) -> NoReturn:
    """End the process; freeing every object before would take a sixth of a short command."""
    others = (one for one in threading.enumerate() if one is not threading.main_thread())
    if not all(one.daemon for one in others):
        sys.exit(code)  # which waits for these threads
    atexit._run_exitfuncs()  # noqa: SLF001 (what the interpreter itself would call now)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _install_signal_handlers() -> None:
    """Let SIGTERM and SIGHUP unwind the program, so that temporary files are removed."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # A signal that is ignored on purpose, as under nohup, stays ignored.
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end)


def _end(number: int, _frame: FrameType | None) -> None:
    raise Terminated(number)
