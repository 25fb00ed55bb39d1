"""What starting costs: CPU seconds of libraries alone, of the help, and of a whole small command.

The median and the least of several processes; on a busy machine the least is nearer to what the
work takes, since processes that share a core slow each other down.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.command_line import QUASI, people
from benchmarks.timing import print_table

REPEATS = 9
LIMITS = {"shoal --help": 0.25, "import shoal": 0.1, "30,000 × 9 CSV, mondrian": 0.8}
"""Regression limits on an idle machine."""


def run() -> list[dict[str, object]]:
    """Time processes in turn, so that all meet the same load."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        command = ["-m", "shoal", "anonymize", str(people(folder)), "-k", "5", "--quasi", QUASI]
        command += ["--sensitive", "salary-class", "--algorithm", "mondrian", "--force"]
        commands = {
            "python": ["-c", "pass"],
            "numpy and polars": ["-c", "import numpy, polars"],
            "these, pydantic, typer and rich": [
                "-c",
                "import numpy, polars, pydantic, typer, rich.console, rich.table",
            ],
            "import shoal": ["-c", "import shoal"],
            "shoal --help": ["-m", "shoal", "--help"],
            "30,000 × 9 CSV, mondrian": [*command, "-o", str(folder / "release.csv")],
        }
        spent: dict[str, list[float]] = {label: [] for label in commands}
        for repeat in range(REPEATS + 1):
            for label, arguments in commands.items():
                seconds = _cpu_seconds(arguments)
                if repeat:  # the first writes bytecode and fills caches
                    spent[label].append(seconds)
    figures: list[dict[str, object]] = [
        {
            "command": label,
            "cpu_s": round(statistics.median(seconds), 3),
            "least_cpu_s": round(min(seconds), 3),
            "regression_limit": LIMITS.get(label),
        }
        for label, seconds in spent.items()
    ]
    print_table(
        ("command", "CPU s", "least", "regression limit"), [tuple(f.values()) for f in figures]
    )
    return figures


def _cpu_seconds(arguments: list[str]) -> float:
    settings = {key: value for key, value in os.environ.items() if key != _NO_BYTECODE}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=settings
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


_NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
