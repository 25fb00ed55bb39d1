"""Rivals, each in an environment of its own: what it needs, and how it is run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

DRIVERS = Path(__file__).parent / "drivers"
ENVIRONMENTS = Path(__file__).parents[2] / "build" / "rivals"
LONGEST = float(os.environ.get("SHOAL_RIVAL_SECONDS", "600"))
JAR = os.environ.get("SHOAL_LIBARX", "")
"""Path of ARX's library, ``libarx-….jar``, which no registry carries."""


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds of the anonymization alone, without reading and writing."""

    wall: float
    cpu: float


class RivalError(Exception):
    """The rival has no release: it failed, or took longer than it may."""


@dataclass(frozen=True, slots=True)
class PythonRival:
    """A package with a driver script; versions are pinned, so that figures can be had again."""

    name: str
    driver: str
    requirements: tuple[str, ...]
    environment: str
    words: tuple[str, ...] = ()

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return ENVIRONMENTS / self.environment / "bin" / "python"

    def run(self, table: Path, k: int, release: Path, *words: str) -> Spent:
        """Write a release of the table."""
        script = DRIVERS / self.driver
        return _spent([self.python, script, table, str(k), release, *words, *self.words])

    def prepare(self) -> None:
        """Install it, unless that was done before."""
        home = ENVIRONMENTS / self.environment
        ready = home / ".ready"
        if not ready.is_file() or ready.read_text() != "\n".join(self.requirements):
            print(f"installing {', '.join(self.requirements)}")
            subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True)
            install = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
            subprocess.run([self.python, *install, *self.requirements], check=True)
            ready.write_text("\n".join(self.requirements))


@dataclass(frozen=True, slots=True)
class Arx:
    """ARX by its library; Java compiles the driver as it starts."""

    name: str = "ARX local recoding"

    def prepare(self) -> None:
        """Do nothing: the user has the library."""

    def run(self, table: Path, k: int, release: Path, *words: str) -> Spent:
        """Write a release of the table."""
        java = shutil.which("java")
        if java is None or not Path(JAR).is_file():
            raise RivalError("needs Java, and the path to libarx-….jar in SHOAL_LIBARX")
        script = DRIVERS / "ArxLocal.java"
        return _spent([java, "-cp", JAR, script, table, str(k), release, *words])


def _spent(command: list[str | Path]) -> Spent:
    try:
        ran = subprocess.run(
            command, capture_output=True, text=True, timeout=LONGEST, check=False, cwd=DRIVERS
        )
    except subprocess.TimeoutExpired:
        raise RivalError(f"no release after {LONGEST:.0f} s") from None
    if ran.returncode:
        told = ran.stderr.strip().splitlines() or ["no reason given"]
        raise RivalError(f"failed: {told[-1][:120]}")
    return Spent(**json.loads(ran.stdout.strip().splitlines()[-1]))


ANONYPY = PythonRival(
    "anonypy Mondrian",
    "anonypy_mondrian.py",
    # It does not name its own dependencies.
    ("anonypy==0.2.1", "pandas==2.3.3"),
    "anonypy",
)
ANONYPYX = PythonRival(
    "anonypyx Mondrian",
    "anonypyx_mondrian.py",
    ("anonypyx==0.2.11", "pandas==2.3.3", "scipy"),
    "anonypyx",
)
ANONYPYX_MDAV = PythonRival(
    "anonypyx MDAV",
    ANONYPYX.driver,
    ANONYPYX.requirements,
    ANONYPYX.environment,
    ("MDAV-generic",),
)
ANJANA = PythonRival("anjana", "anjana_levels.py", ("anjana==1.2.3",), "anjana", ("10",))
ARX = Arx()
