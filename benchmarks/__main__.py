"""Run the studies: ``python -m benchmarks [name …]``; without names, all of them.

Long studies have parts: ``name:part,part`` runs these and leaves the figures of the others.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import sys
from pathlib import Path

import benchmarks

RESULTS = Path(__file__).parent / "results"


def studies() -> list[str]:
    """Names of the study modules: those of this folder that define ``run``."""
    names = (module.name for module in pkgutil.iter_modules(benchmarks.__path__))
    return sorted(
        name
        for name in names
        if name != "__main__" and hasattr(importlib.import_module(f"benchmarks.{name}"), "run")
    )


def main(names: list[str]) -> int:
    """Run studies one after another; each prints tables and returns figures for the JSON file."""
    known = studies()
    unknown = [name for name in names if name.partition(":")[0] not in known]
    if unknown:
        print(f"unknown: {', '.join(unknown)}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    RESULTS.mkdir(exist_ok=True)
    for given in names or known:
        name, _, listed = given.partition(":")
        parts = listed.split(",") if listed else []
        module = importlib.import_module(f"benchmarks.{name}")
        wrong = [part for part in parts if part not in getattr(module, "PARTS", ())]
        if wrong:
            there = ", ".join(getattr(module, "PARTS", ())) or "none"
            print(f"unknown parts of {name}: {', '.join(wrong)}; there are: {there}")
            return 2
        print(f"\n== {given}: {(module.__doc__ or '').strip().splitlines()[0]}")
        file = RESULTS / f"{name}.json"
        figures = module.run(parts) if parts else module.run()
        if parts and file.is_file():
            figures = {**json.loads(file.read_text()), **figures}
        file.write_text(json.dumps(figures, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
