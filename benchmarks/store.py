"""Stored results: one tracked JSON file per study, one entry per part, with where it comes from.

The tables of the documentation are generated from these files (:mod:`docs.generate`), so a figure
on a page always has a command, a commit and a machine behind it.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

RESULTS = Path(__file__).parent / "results"
ALL = "all"
"""The part of a study that has no parts."""


def load(study: str, folder: Path = RESULTS) -> dict[str, Any]:
    """Return the stored parts of a study: part name to its entry; empty where none is stored."""
    file = folder / f"{study}.json"
    if not file.is_file():
        return {}
    stored: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))["parts"]
    return stored


def figures(study: str, part: str = ALL, folder: Path = RESULTS) -> Any:
    """Return the figures of one part.

    Raises
    ------
    KeyError
        If the part has not been run.
    """
    return load(study, folder)[part]["figures"]


def save(study: str, measured: dict[str, Any], *, seconds: float, folder: Path = RESULTS) -> Path:
    """Store measured parts beside those that are there already, and return the file.

    Parameters
    ----------
    study
        Module name of the study.
    measured
        Figures by part, ready for JSON.
    seconds
        Wall seconds that measuring took, all parts together.
    folder
        Where results are stored.
    """
    origin = provenance()
    folder.mkdir(exist_ok=True)
    file = folder / f"{study}.json"
    with claim(file.name, wait=True):  # one process at a time changes it
        parts = load(study, folder)
        _add(parts, measured, {**origin, "measured_in_seconds": round(seconds, 1)})
        content = {"study": study, "parts": dict(sorted(parts.items()))}
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        # Replaced at once: whoever reads it meanwhile sees the old file or the new one.
        fresh = file.with_suffix(".new")
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(file)
    return file


def _add(parts: dict[str, Any], measured: dict[str, Any], origin: dict[str, Any]) -> None:
    for part, found in measured.items():
        if not found:
            continue  # its table is absent here; an earlier result stays
        parts[part] = {**origin, "figures": found}


@contextmanager
def claim(name: str, *, wait: bool = False) -> Iterator[bool]:
    """Tell whether no other process holds this name, and hold it meanwhile.

    Parameters
    ----------
    wait
        Whether to wait until nobody else holds it.
    """
    if sys.platform == "win32":
        yield True
        return
    import fcntl

    with (Path(tempfile.gettempdir()) / f"shoal-{name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True


def provenance() -> dict[str, Any]:
    """Return what a reader needs to judge a figure: commit, date, machine and settings."""
    settings = {key: os.environ[key] for key in sorted(os.environ) if key.startswith("SHOAL_")}
    settings.pop("SHOAL_DATA", None)
    return {
        "commit": _commit(),
        "date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "machine": _machine(),
        "settings": settings,
    }


def _commit() -> str:
    """Return the last commit that changed what is measured, so that later ones may be rebased."""
    root = Path(__file__).resolve().parent.parent
    try:
        head = _git(root, "log", "-1", "--format=%h", "--abbrev=9", "--", "src", "cpp")
        changed = _git(root, "status", "--porcelain", "--untracked-files=no", "--", "src", "cpp")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{head} with changes" if changed else head


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _machine() -> dict[str, Any]:
    """Return processor, cores, memory and load: nothing that names the machine or its user."""
    processor, memory = platform.machine(), 0.0
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        processor = models[0] if models else processor
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    except (OSError, ValueError):
        pass
    return {
        "processor": processor,
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "memory_gib": round(memory, 1),
        "load_at_end": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "system": platform.system(),
    }
