"""Run the studies: ``python -m benchmarks [name …]``; without names, all of them.

Long studies have parts: ``name:part,part`` runs these, and the stored figures of the others stay.
Parts that take many minutes run only if they are named, or with ``SHOAL_FULL=1``.
Every study prints its tables and stores its figures in ``benchmarks/results/NAME.json``, which is
tracked; ``python docs/generate.py`` then refreshes the pages that show them.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
import time
from typing import TYPE_CHECKING, Any

import benchmarks
from benchmarks import store

if TYPE_CHECKING:
    from collections.abc import Callable


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


def parts_to_run(name: str) -> list[str]:
    """Parts of a study that run if none is named: all but the long ones."""
    long: frozenset[str] = getattr(
        importlib.import_module(f"benchmarks.{name}"), "LONG", frozenset()
    )
    full = os.environ.get("SHOAL_FULL") == "1"
    return [part for part in parts_of(name) if full or part not in long]


def main(names: list[str]) -> int:
    """Run studies one after another and store what they measure."""
    known = studies()
    chosen = []
    for given in names or known:
        name, _, listed = given.partition(":")
        parts = listed.split(",") if listed else []
        there = parts_of(name) if name in known else {}
        unknown = [part for part in parts if part not in there]
        if name not in known or unknown:
            what = f"{name}: {', '.join(unknown)}" if unknown else name
            print(f"unknown: {what}; choose from: {', '.join(there or known)}", file=sys.stderr)
            return 2
        chosen.append((name, parts))
    for name, parts in chosen:
        module = importlib.import_module(f"benchmarks.{name}")
        print(f"\n== {name}: {(module.__doc__ or '').strip().splitlines()[0]}")
        # Each part is stored as soon as it is measured: a study that is stopped loses one part.
        for part in parts or parts_to_run(name):
            start = time.perf_counter()
            found = parts_of(name)[part]()
            store.save(name, {part: found}, seconds=time.perf_counter() - start)
        if not parts_of(name):
            start = time.perf_counter()
            store.save(name, _by_part(module.run()), seconds=time.perf_counter() - start)
    return 0


def _by_part(measured: Any) -> dict[str, Any]:
    """Return figures by part: a study without parts may still name several tables."""
    return measured if isinstance(measured, dict) else {store.ALL: measured}


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
