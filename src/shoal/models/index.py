"""Which module holds which privacy model, found in the source: no module is imported for it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent
_DECORATED = re.compile(r"^@privacy_model\(.*?^class (\w+)", re.MULTILINE | re.DOTALL)


@cache
def modules_of_models() -> dict[str, str]:
    """Return the module of each privacy model, by the name of its class."""
    return {
        cls: f"shoal.models.{path.stem}"
        for path in sorted(_FOLDER.glob("*.py"))
        for cls in _DECORATED.findall(path.read_text(encoding="utf-8"))
    }
