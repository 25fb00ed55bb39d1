"""Shoal: k-anonymous releases of tables of people, with little loss and independent proof."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.hierarchy import Hierarchy, read_hierarchy
    from shoal.io import write_hierarchy
    from shoal.pipeline import anonymize, bound, build_hierarchy, inspect, measure, verify
    from shoal.progress import Progress
    from shoal.release import Release

# Names load their modules when they are first used: `shoal --help` needs none of them.
_HOME = {
    "Hierarchy": "shoal.hierarchy",
    "Progress": "shoal.progress",
    "Release": "shoal.release",
    "anonymize": "shoal.pipeline",
    "bound": "shoal.pipeline",
    "build_hierarchy": "shoal.pipeline",
    "inspect": "shoal.pipeline",
    "measure": "shoal.pipeline",
    "read_hierarchy": "shoal.hierarchy",
    "verify": "shoal.pipeline",
    "write_hierarchy": "shoal.io",
}

__all__ = [
    "Hierarchy",
    "Progress",
    "Release",
    "anonymize",
    "bound",
    "build_hierarchy",
    "inspect",
    "measure",
    "read_hierarchy",
    "verify",
    "write_hierarchy",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'shoal' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
