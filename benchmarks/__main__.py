"""Run the studies: ``python -m benchmarks [name …]``; without names, all of them.

Of a study whose parts have names, ``name:part`` runs one; the figures of the others stay as they
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
    asked = [name.partition(":")[::2] for name in names or known]
    unknown = [
        f"{name}:{part}" if part else name
        for name, part in asked
        if name not in known or (part and part not in parts_of(name))
    ]
    if unknown:
        print(f"unknown: {', '.join(unknown)}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    RESULTS.mkdir(exist_ok=True)
    for name, part in asked:
        module = importlib.import_module(f"benchmarks.{name}")
        print(f"\n== {name}: {(module.__doc__ or '').strip().splitlines()[0]}")
        path = RESULTS / f"{name}.json"
        if part:
            before = json.loads(path.read_text()) if path.is_file() else {}
            figures = {**before, part: parts_of(name)[part]()}
        else:
            figures = module.run()
        path.write_text(json.dumps(figures, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
