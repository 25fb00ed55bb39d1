"""Folders get their names whole; what a killed process left is removed or put back."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from shoal.io.folder_staging import renamed_folder, settle_folder, staged_folder

if TYPE_CHECKING:
    from pathlib import Path

_KILLED = """
import os, sys
from pathlib import Path
from shoal.io.folder_staging import renamed_folder, staged_folder

place, moment = Path(sys.argv[1]), sys.argv[2]
renames = []


def watch(event, arguments):
    if event == "os.rename":
        renames.append(arguments)
        if moment == "between" and len(renames) == 2:
            os.kill(os.getpid(), 9)  # the old folder is moved aside, the new one not yet in place


sys.addaudithook(watch)
with staged_folder(place) as held:
    made = held / "release"
    made.mkdir()
    (made / "part-1").write_text("new")
    if moment != "staged":
        with renamed_folder(made, place):
            os.kill(os.getpid(), 9)
    os.kill(os.getpid(), 9)
"""


def _names(folder: Path) -> list[str]:
    return [one.name for one in folder.iterdir()]


@pytest.mark.parametrize(
    ("moment", "stands"), [("staged", "old"), ("between", "old"), ("renamed", "new")]
)
def test_what_a_killed_process_left_is_settled(tmp_path: Path, moment: str, stands: str) -> None:
    place = tmp_path / "release"
    place.mkdir()
    (place / "part-1").write_text("old")
    subprocess.run([sys.executable, "-c", _KILLED, str(place), moment], check=False)
    assert len(_names(tmp_path)) > 1
    settle_folder(place)
    assert _names(tmp_path) == ["release"]
    assert (place / "part-1").read_text() == stands


def test_what_a_living_process_holds_stays(tmp_path: Path) -> None:
    with staged_folder(tmp_path / "release") as held:
        settle_folder(tmp_path / "release")
        assert held.is_dir()
    assert _names(tmp_path) == []


@pytest.mark.parametrize("replaces", [False, True])
def test_a_folder_whose_companions_fail_loses_its_name(tmp_path: Path, replaces: bool) -> None:
    place = tmp_path / "release"
    if replaces:
        place.mkdir()
        (place / "part-1").write_text("old")
    made = tmp_path / "made"
    made.mkdir()
    with pytest.raises(OSError, match="disk is full"), renamed_folder(made, place):
        raise OSError("disk is full")
    assert made.is_dir()
    assert place.exists() == replaces
    assert sorted(_names(tmp_path)) == (["made", "release"] if replaces else ["made"])


@pytest.mark.parametrize("state", ["partial", "previous"])
def test_a_link_that_looks_like_a_leftover_is_not_followed(tmp_path: Path, state: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").write_text("kept")
    place = tmp_path / "out" / "release"
    place.parent.mkdir()
    link = place.with_name(f".release.{'0' * 16}.{state}")
    link.symlink_to(elsewhere)
    settle_folder(place)
    assert link.is_symlink()
    assert not place.exists()
    assert (elsewhere / "kept").read_text() == "kept"
