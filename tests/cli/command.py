"""Running the command line as users do, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# Under a shell that runs jobs in the background Ctrl-C is ignored, and children inherit that.
_PROGRAM = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from shoal.cli.main import main; main()"
)
COMMAND = (sys.executable, "-c", _PROGRAM)

PEOPLE = """\
name,age,sex,zip,disease
Ann Archer,35,F,1010,flu
Bea Baker,36,F,1011,cold
Cat Cooper,37,F,1012,flu
Dan Draper,61,M,2010,gout
Eve Fisher,62,M,2011,flu
Fay Glover,66,M,2012,cold
"""
ROLES = ("--quasi", "age,sex,zip", "--sensitive", "disease", "--identifier", "name")


def environment(**changes: str) -> dict[str, str]:
    """Return the environment of this process, without what would change the output."""
    neutral = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "SHOAL_TRACEBACK")
    return {key: value for key, value in os.environ.items() if key not in neutral} | changes


def shoal(
    *arguments: str, folder: Path, given: bytes = b"", **changes: str
) -> subprocess.CompletedProcess[bytes]:
    """Run a command line in a folder, with these bytes on standard input."""
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=folder,
        input=given,
        capture_output=True,
        env=environment(**changes),
        timeout=600,
        check=False,
    )
