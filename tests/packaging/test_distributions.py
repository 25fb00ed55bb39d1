"""Wheel and source distribution: built twice they are equal, and they need no repository."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DATED = {"SOURCE_DATE_EPOCH": "1700000000", "CMAKE_BUILD_PARALLEL_LEVEL": str(os.cpu_count() or 1)}
BUILD_SDIST = "import sys, scikit_build_core.build as b; b.build_sdist(sys.argv[1])"
SMOKE = """
import polars as pl
import shoal

people = pl.DataFrame({
    "age": [31, 33, 35, 52, 54, 59],
    "sex": ["f", "f", "m", "m", "m", "f"],
    "illness": ["flu", "cold", "flu", "cough", "flu", "cold"],
})
release = shoal.anonymize(people, k=3, quasi=["age", "sex"], sensitive=["illness"])
assert release.verdict.passed
assert release.frame.height == 6
assert release.frame.group_by("age", "sex").len()["len"].min() >= 3
print(shoal.__file__)
"""


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command as if there were no repository, and return what it printed."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")} | DATED
    done = subprocess.run(
        command, cwd=cwd, env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build(folder: Path) -> tuple[Path, Path]:
    """Build the source distribution from the repository, and the wheel from it alone."""
    folder.mkdir()
    run(sys.executable, "-c", BUILD_SDIST, folder, cwd=ROOT)
    (sdist,) = folder.glob("*.tar.gz")
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
    run(*pip, "--wheel-dir", folder, sdist, cwd=folder)
    (wheel,) = folder.glob("*.whl")
    return sdist, wheel


@pytest.mark.slow
def test_distributions_are_reproducible_and_install_without_the_repository(tmp_path: Path) -> None:
    first, second = build(tmp_path / "first"), build(tmp_path / "second")
    for one, other in zip(first, second, strict=True):
        assert one.name == other.name
        digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (one, other)]
        assert digests[0] == digests[1], f"two builds of {one.name} differ"

    elsewhere = tmp_path / "elsewhere"
    venv.create(elsewhere / "venv", with_pip=True)
    python = elsewhere / "venv" / "bin" / "python"
    constraints = ("--constraint", ROOT / "constraints.txt")
    run(python, "-m", "pip", "install", "--quiet", *constraints, first[1], cwd=elsewhere)
    assert Path(run(python, "-c", SMOKE, cwd=elsewhere).strip()).is_relative_to(elsewhere)
    run(python.with_name("shoal"), "demo", "--output", "demo", cwd=elsewhere)
    assert (elsewhere / "demo").is_dir()
