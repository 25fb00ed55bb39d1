"""Processes killed at every step of renaming: what they leave belongs together after recovery."""

from __future__ import annotations

import shutil
import stat
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from shoal.errors import FileError
from shoal.io import Staging, recover

if TYPE_CHECKING:
    from collections.abc import Iterator

PLACES = {
    "release": "out/release.csv",
    "facts": "out/facts.json",
    "custody": "safe/custody.json",
    "report": "reports/report.html",
}
# Forks a process for each step of a commit, which kills itself there; says how many there are.
KILLED = """
    import os, signal, sys
    from pathlib import Path
    import polars as pl
    from shoal.io import Staging
    STEPS = {"os.rename", "os.remove", "os.link", "os.chmod", "open"}
    base, previous, fails = Path(sys.argv[1]), sys.argv[2] == "previous", sys.argv[3] == "fails"
    def work(folder, step):
        places = {name: folder / path for name, path in PLACES.items()}
        if fails:  # the file that stands there cannot be replaced: what was renamed is put back
            places["release"].unlink(missing_ok=True)
        left = -1
        def count(event, arguments):
            nonlocal left
            if left >= 0 and event in STEPS:
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                left -= 1
            if fails and event == "os.rename" and str(arguments[1]) == str(places["release"]):
                raise OSError(5, "Input/output error", str(arguments[0]))
        sys.addaudithook(count)
        with Staging() as staging:
            staging.table(pl.DataFrame({"generation": ["new"]}), places["release"])
            staging.text("new", places["facts"])
            staging.text("new", places["custody"], private=True)
            staging.text("new", places["report"], private=True)
            left = step
            staging.commit()
    step = 0
    while True:
        folder = base / str(step)
        for path in PLACES.values():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            if previous:
                (folder / path).write_text("old")
        child = os.fork()
        if child == 0:
            try:
                work(folder, step)
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            break
        step += 1
    print(step)
"""


@pytest.fixture
def base(tmp_path: Path) -> Iterator[Path]:
    """Return a folder in memory where there is one: flushing hundreds of files takes long."""
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(dir=memory)) if memory.is_dir() else tmp_path
    yield folder
    shutil.rmtree(folder)


def killed(base: Path, *, previous: bool = True, fails: bool = False) -> list[Path]:
    """Return folders with what a process left that was killed at the first step, the second, …"""
    words = ["previous" if previous else "none", "fails" if fails else "works"]
    code = f"PLACES = {PLACES!r}\n{textwrap.dedent(KILLED)}"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, str(base), *words],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    steps = int(done.stdout)
    assert steps > 20
    return [base / str(step) for step in range(steps)]


def generations(folder: Path) -> dict[str, str | None]:
    found: dict[str, str | None] = dict.fromkeys(PLACES)
    for name, path in PLACES.items():
        if (folder / path).exists():
            found[name] = "new" if "new" in (folder / path).read_text() else "old"
    return found


def hidden(folder: Path) -> list[Path]:
    return [path for path in folder.rglob(".*") if path.is_file()]


def paths(folder: Path, *names: str) -> list[Path]:
    return [folder / PLACES[name] for name in names or PLACES]


def require_private(folder: Path) -> None:
    """What a kill leaves is for this user alone, and does not tell where the custody file is."""
    for path in hidden(folder):
        if path.suffix != ".previous":  # the earlier file, as it stood there
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
    for path in hidden(folder / "out"):
        assert not any(word in path.read_bytes() for word in (b"safe", b"custody", b"reports"))


@pytest.mark.parametrize("previous", [True, False])
def test_all_files_are_of_one_run_after_a_kill_at_any_step(base: Path, previous: bool) -> None:
    folders = killed(base, previous=previous)
    mixed = [folder for folder in folders if len(set(generations(folder).values())) > 1]
    assert len(mixed) >= len(PLACES) - 1, "the kills hit between renames"
    seen = set()
    for folder in folders:
        require_private(folder)
        recover(paths(folder))
        (generation,) = set(generations(folder).values())
        seen.add(generation)
        assert not [path for path in hidden(folder) if path.name.startswith(".shoal-")]
        assert recover(paths(folder)) == []
    assert seen == {"new", "old" if previous else None}


@pytest.mark.parametrize("first", [["release"], ["custody"]])
def test_folders_may_be_recovered_one_after_another(base: Path, first: list[str]) -> None:
    for folder in killed(base):
        recover(paths(folder, *first))
        recover(paths(folder))
        assert len(set(generations(folder).values())) == 1
        assert not [path for path in hidden(folder) if path.name.startswith(".shoal-")]


def test_a_kill_while_renames_are_put_back(base: Path) -> None:
    for folder in killed(base, fails=True):
        recover(paths(folder))
        told = generations(folder)
        assert told.pop("release") in (None, "new")
        assert len(set(told.values())) == 1


def test_the_next_run_recovers_and_leaves_nothing(base: Path) -> None:
    for folder in killed(base):
        with Staging() as staging:
            for path in paths(folder):
                staging.text("newest", path)
            staging.commit()
        assert {path.read_text() for path in paths(folder)} == {"newest"}
        assert hidden(folder) == []


def test_a_run_that_cannot_tell_refuses_to_mix_files(base: Path) -> None:
    refused = 0
    for folder in killed(base):
        (folder / "out").rename(folder / "moved")
        told = [found for found in recover(paths(folder)) if found.outcome == "undecided"]
        journals = [path for path in hidden(folder / "safe") if path.suffix == ".journal"]
        assert len(told) == sum(path.stat().st_size > 0 for path in journals) + len(
            [path for path in hidden(folder / "reports") if path.suffix == ".journal"]
        )
        if journals and told:
            before = (folder / PLACES["custody"]).read_text()
            with pytest.raises(FileError, match="is not there"), Staging() as staging:
                staging.text("newest", folder / PLACES["custody"])
            assert (folder / PLACES["custody"]).read_text() == before
            refused += 1
        (folder / "moved").rename(folder / "out")
        recover(paths(folder))
        assert len(set(generations(folder).values())) == 1
    assert refused


def test_files_that_somebody_else_put_there_stay(base: Path) -> None:
    for folder in killed(base):
        facts = folder / PLACES["facts"]
        facts.unlink()
        facts.write_text("by hand")
        recover(paths(folder))
        assert facts.read_text() == "by hand"
