"""Run the studies: ``python -m benchmarks [name …]``; without names, all of them.

Long studies have parts: ``name:part,part`` runs these, and the figures of the others stay as they
were.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import benchmarks

if TYPE_CHECKING:
    from collections.abc import Callable

RESULTS = Path(__file__).parent / "results"


def studies() -> list[str]:
    """Names of the study modules: those of this folder that define ``run``."""
    names = (module.name for module in pkgutil.iter_modules(benchmarks.__path__))
    return sorted(
        name
        for name in names
        if name != "__main__" and hasattr(importlib.import_module(f"benchmarks.{name}"), "run")
    )


def parts_of(name: str) -> dict[str, Callable[[], object]]:
    """Parts of a study that can be run by themselves."""
    return getattr(importlib.import_module(f"benchmarks.{name}"), "PARTS", {})


def main(names: list[str]) -> int:
    """Run studies one after another; each prints tables and returns figures for the JSON file."""
    known = studies()
    asked = []
    for given in names or known:
        name, _, listed = given.partition(":")
        parts = listed.split(",") if listed else []
        there = parts_of(name) if name in known else {}
        unknown = [part for part in parts if part not in there]
        if name not in known or unknown:
            what = f"{name}: {', '.join(unknown)}" if unknown else name
            print(f"unknown: {what}; there are: {', '.join(there or known)}", file=sys.stderr)
            return 2
        asked.append((name, parts))
    RESULTS.mkdir(exist_ok=True)
    for name, parts in asked:
        module = importlib.import_module(f"benchmarks.{name}")
        print(f"\n== {name}: {(module.__doc__ or '').strip().splitlines()[0]}")
        file = RESULTS / f"{name}.json"
        figures = (
            module.run() if not parts else json.loads(file.read_text() if file.is_file() else "{}")
        )
        for part in parts:
            figures[part] = parts_of(name)[part]()
        file.write_text(json.dumps(figures, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
