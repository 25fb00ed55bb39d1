"""Shoal: k-anonymous releases of tables of people, with little loss and independent proof."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal import algorithms, errors, hierarchies, models
    from shoal.api.anatomize import anatomize
    from shoal.api.anonymize import anonymize
    from shoal.api.anonymize_files import anonymize_files
    from shoal.api.bound import bound
    from shoal.api.compare import compare
    from shoal.api.hierarchy import build_hierarchy
    from shoal.api.inspect import inspect
    from shoal.api.measure import measure
    from shoal.api.plan import plan
    from shoal.api.report import report
    from shoal.api.risk import risk
    from shoal.api.utility import utility
    from shoal.api.verify import verify
    from shoal.errors import (
        Cancelled,
        ExposureError,
        FileError,
        HierarchyError,
        InfeasibleError,
        InputError,
        ParameterError,
        SchemaError,
        ShoalError,
        ValueReadError,
        VerificationError,
    )
    from shoal.hierarchies import Hierarchy, read_hierarchy
    from shoal.io import write_hierarchy
    from shoal.options import Job
    from shoal.pipeline.anatomy import Anatomy
    from shoal.pipeline.progress import Progress
    from shoal.pipeline.release import Release

__all__ = [
    "Anatomy",
    "Cancelled",
    "ExposureError",
    "FileError",
    "Hierarchy",
    "HierarchyError",
    "InfeasibleError",
    "InputError",
    "Job",
    "ParameterError",
    "Progress",
    "Release",
    "SchemaError",
    "ShoalError",
    "ValueReadError",
    "VerificationError",
    "algorithms",
    "anatomize",
    "anonymize",
    "anonymize_files",
    "bound",
    "build_hierarchy",
    "compare",
    "errors",
    "hierarchies",
    "inspect",
    "measure",
    "models",
    "plan",
    "read_hierarchy",
    "report",
    "risk",
    "utility",
    "verify",
    "write_hierarchy",
]
__version__ = "0.1.0"

# Names are imported on first use: `import shoal` and `shoal --help` need none of them. A name that
# is not listed here is an error class or a package.
_MODULE_OF = {
    "Anatomy": "shoal.pipeline.anatomy",
    "Hierarchy": "shoal.hierarchies",
    "Job": "shoal.options",
    "Progress": "shoal.pipeline.progress",
    "Release": "shoal.pipeline.release",
    "anatomize": "shoal.api.anatomize",
    "anonymize": "shoal.api.anonymize",
    "anonymize_files": "shoal.api.anonymize_files",
    "bound": "shoal.api.bound",
    "build_hierarchy": "shoal.api.hierarchy",
    "compare": "shoal.api.compare",
    "inspect": "shoal.api.inspect",
    "measure": "shoal.api.measure",
    "plan": "shoal.api.plan",
    "read_hierarchy": "shoal.hierarchies",
    "report": "shoal.api.report",
    "risk": "shoal.api.risk",
    "utility": "shoal.api.utility",
    "verify": "shoal.api.verify",
    "write_hierarchy": "shoal.io",
}
_PACKAGES = ("algorithms", "errors", "hierarchies", "models")

if not TYPE_CHECKING:  # else a type checker would take any name for a public one

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module 'shoal' has no attribute {name!r}")
        if name in _PACKAGES:
            return import_module(f"shoal.{name}")
        value = getattr(import_module(_MODULE_OF.get(name, "shoal.errors")), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    # Packages that happen to be imported already are not public for that.
    return [*__all__, "__version__"]
