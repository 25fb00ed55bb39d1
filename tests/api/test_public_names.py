"""What ``import shoal`` shows: exactly the public names, imported when they are first used."""

from __future__ import annotations

import subprocess
import sys

import pytest

import shoal
from shoal import errors

PUBLIC = [
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


def _modules_after(code: str) -> set[str]:
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(run.stdout.split())


def test_dir_lists_the_public_names_and_no_others() -> None:
    assert [name for name in dir(shoal) if not name.startswith("_")] == PUBLIC
    assert shoal.__all__ == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_have_docstrings(name: str) -> None:
    assert getattr(shoal, name).__doc__


def test_every_error_class_is_public() -> None:
    classes = {
        name
        for name, one in vars(errors).items()
        if isinstance(one, type) and issubclass(one, Exception)
    }
    assert classes <= set(PUBLIC)
    assert all(getattr(shoal, name) is getattr(errors, name) for name in classes)


def test_a_plain_import_reaches_errors_and_packages() -> None:
    code = "import shoal; shoal.errors.InputError; shoal.hierarchies.Hierarchy"
    assert "shoal.hierarchies" in _modules_after(code)


def test_importing_shoal_imports_nothing_else() -> None:
    ours = {name for name in _modules_after("import shoal") if name.startswith("shoal")}
    assert ours == {"shoal"}
    assert not _modules_after("import shoal") & {"numpy", "polars", "pydantic", "scipy"}


def test_unknown_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'anonymise'"):
        _ = shoal.anonymise  # type: ignore[attr-defined]


def test_bad_input_is_a_value_error() -> None:
    assert issubclass(shoal.InputError, ValueError)
    assert not issubclass(shoal.InfeasibleError, ValueError)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("quasi_identifiers", "quasi"),
        ("quasi-identifier", "quasi"),
        ("identifiers", "identifier"),
        ("sensitve", "sensitive"),
        ("Suppresion", "suppression"),
        ("banana", None),
    ],
)
def test_the_nearest_option(word: str, meant: str | None) -> None:
    assert errors.nearest(word, shoal.Job.model_fields) == meant


def test_many_names_are_not_all_listed() -> None:
    remedy = errors.did_you_mean("x", [f"column {number}" for number in range(30)])
    assert "'column 19' and 10 more." in remedy
    assert errors.did_you_mean("x", []) == "There is none."
