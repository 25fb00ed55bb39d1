"""Which module holds which algorithm, found in the source: no module is imported for it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

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
    folder = Path(__file__).parent
    found = {}
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        # Quick: most modules hold none.
        if "\n@algorithm(" not in text:
            continue
        parts = path.relative_to(folder).with_suffix("").parts
        for one in _DECORATED.finditer(text):
            name = one["name"] or _constant(text, one["constant"])
            found[name] = Place(".".join(("shoal.algorithms", *parts)), one["cls"])
    return dict(sorted(found.items()))


def _constant(text: str, name: str) -> str:
    value = re.search(rf'^{name} = "([^"]+)"', text, re.MULTILINE)
    assert value is not None, name
    return value[1]
