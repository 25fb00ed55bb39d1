"""Run the studies: ``python -m benchmarks [name …]``; without names, all of them."""

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
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"unknown: {', '.join(unknown)}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    RESULTS.mkdir(exist_ok=True)
    for name in names or known:
        module = importlib.import_module(f"benchmarks.{name}")
        print(f"\n== {name}: {(module.__doc__ or '').strip().splitlines()[0]}")
        figures = module.run()
        (RESULTS / f"{name}.json").write_text(json.dumps(figures, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
