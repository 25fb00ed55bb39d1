"""Which module holds which algorithm, found in the source: no module is imported for it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent
_DECORATED = re.compile(
    r'^@algorithm\(\s*(?:"(?P<name>[^"]+)"|(?P<constant>[A-Z_]+)).*?^class (?P<cls>\w+)',
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where an algorithm is: its module, and the name of its class there."""

    module: str
    cls: str


@cache
def places() -> dict[str, Place]:
    """Return where each algorithm of this package is, by the name in its decorator."""
    found: dict[str, Place] = {}
    for path in sorted(_FOLDER.rglob("*.py")):
        found |= _places_in(path)
    return dict(sorted(found.items()))


@cache
def place_of(name: str) -> Place | None:
    """Return where the algorithm of this name is; a module of its own name is read first."""
    module = name.replace("-", "_")
    if module.isidentifier():
        for path in _FOLDER.rglob(f"{module}.py"):
            found = _places_in(path).get(name)
            if found is not None:
                return found
    return places().get(name)


def _places_in(path: Path) -> dict[str, Place]:
    text = path.read_text(encoding="utf-8")
    if "\n@algorithm(" not in text:  # as in most modules
        return {}
    module = ".".join(("shoal.algorithms", *path.relative_to(_FOLDER).with_suffix("").parts))
    return {
        one["name"] or _constant(text, one["constant"]): Place(module, one["cls"])
        for one in _DECORATED.finditer(text)
    }


def _constant(text: str, name: str) -> str:
    value = re.search(rf'^{name} = "([^"]+)"', text, re.MULTILINE)
    assert value is not None, name
    return value[1]
