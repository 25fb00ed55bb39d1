"""The demonstration, run as a newcomer runs it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.io import read_table
from shoal.options import read_job

SHOAL = Path(sys.executable).parent / "shoal"


def demo(folder: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "80", "PYTHONUTF8": "1"}
    return subprocess.run(
        [SHOAL, "demo", "--output", "out", *flags],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def told(folder: Path) -> str:
    """What a demonstration says over the files of an earlier one."""
    (folder / "out").mkdir()
    for name in ("hospital.csv", "postcode.csv", "release.csv", "facts.json", "job.toml"):
        (folder / "out" / name).write_text("earlier")
    done = demo(folder, "--force")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_verdict_comes_first(told: str) -> None:
    assert told.startswith("PASSED")
    assert "at least 5 patients" in told.splitlines()[0]


def test_it_tells_before_and_after(told: str) -> None:
    assert re.search(r"^\s*before\s+after\s*$", told, re.MULTILINE)
    unique = re.search(r"records that are unique to one patient\s+([\d,]+)\s+(\d+)", told)
    assert unique is not None
    assert int(unique[1].replace(",", "")) > 9_800
    assert unique[2] == "0"
    alike = re.search(r"records that look alike.*?\s(\d+)\s+(\d+)\s*$", told, re.MULTILINE)
    assert alike is not None
    assert (alike[1], int(alike[2]) >= 5) == ("1", True)


def test_it_tells_the_loss_of_each_attribute(told: str, folder: Path) -> None:
    facts = json.loads((folder / "out" / "facts.json").read_text(encoding="utf-8"))
    assert list(facts["per_attribute"]) == ["birth_date", "sex", "postcode", "admission_date"]
    for name, loss in facts["per_attribute"].items():
        line = next(line for line in told.splitlines() if line.lstrip().startswith(name))
        assert line.endswith(f"{100 * loss:.1f} %")
        assert line.count("█") == round(30 * loss)


def test_it_shows_records_side_by_side(told: str) -> None:
    assert re.search(r"^\s+before\s+before\s+before\s+after\s*$", told, re.MULTILINE)
    assert re.search(r"^name .* removed\s*$", told, re.MULTILINE)
    assert re.search(r"^diagnosis .* kept: ", told, re.MULTILINE)
    assert all(len(line) <= 80 for line in told.splitlines() if "    shoal " not in line)


def test_its_files_hold_no_identifier_and_verify_again(told: str, folder: Path) -> None:
    out = folder / "out"
    names = {path.name for path in out.iterdir()}
    assert names == {"hospital.csv", "postcode.csv", "release.csv", "facts.json", "job.toml"}
    original, released = read_table(out / "hospital.csv"), read_table(out / "release.csv")
    assert not {"patient_id", "name"} & set(released.columns)
    assert released.height == original.height
    words = read_job(out / "job.toml")
    words["hierarchy"] = {"postcode": str(out / "postcode.csv")}
    assert shoal.verify(original, released, **words).passed
    sizes = released.group_by(words["quasi"]).agg(pl.len())["len"]
    assert (sizes >= 5).all()


def test_the_commands_it_names_work(told: str, folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder / "out", tmp_path / "out")
    commands = [line.split() for line in told.splitlines() if line.startswith("    shoal ")]
    verbs = [command[1] for command in commands]
    assert verbs == ["inspect", "verify", "anonymize", "serve", "algorithms"]
    for command in commands:
        if command[1] == "serve":
            continue  # it runs until it is stopped; tests/web starts it
        done = subprocess.run(
            [SHOAL, *command[1:]], cwd=tmp_path, capture_output=True, timeout=600, check=False
        )
        assert done.returncode == 0, done.stderr.decode()


def test_without_force_nothing_is_replaced(told: str, folder: Path) -> None:
    release = folder / "out" / "release.csv"
    before = release.read_bytes()
    done = demo(folder)
    assert done.returncode == 2
    assert "hospital.csv" in done.stderr
    assert "Traceback" not in done.stderr
    assert release.read_bytes() == before
