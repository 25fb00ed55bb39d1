"""Faults in the midst of a run: one line, the right exit code, nothing written."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import polars as pl
import pytest
from pydantic import Field

from shoal.algorithms import Family, Traits, algorithm
from shoal.algorithms.algorithm import _registry
from shoal.cli.failure import explain
from shoal.cli.main import run as shoal_command
from tests.cli.command import ROLES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from shoal.algorithms import Partition, Problem, Run

    Captured = pytest.CaptureFixture[str]


def anonymize(*flags: str) -> int:
    return shoal_command(["anonymize", "people.csv", "-k", "3", *ROLES, *flags])


@pytest.fixture
def faulty() -> Iterator[None]:
    """Register an algorithm of a third party that fails in the midst of its work."""

    @algorithm("faulty", family=Family.CLUSTER, traits=Traits(summary="", cost="", paper=""))
    class Faulty:
        interrupt: bool = Field(default=False, description="fail by an interrupt")

        def solve(self, problem: Problem, run: Run) -> Partition:
            raise KeyboardInterrupt if self.interrupt else ZeroDivisionError("Ann Archer")

    yield
    del _registry["faulty"]


@pytest.mark.usefixtures("faulty")
def test_an_unforeseen_error_names_its_type_and_no_value(
    folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert anonymize("-o", "out.csv", "--algorithm", "faulty") == 70
    told = capsys.readouterr().err
    assert told.startswith("internal error: ZeroDivisionError.")
    assert "Ann" not in told
    assert "SHOAL_TRACEBACK=1" in told
    assert not (folder / "out.csv").exists()

    monkeypatch.setenv("SHOAL_TRACEBACK", "1")
    anonymize("-o", "out.csv", "--algorithm", "faulty")
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.usefixtures("faulty")
def test_an_interrupt_is_one_line_and_writes_nothing(folder: Path, capsys: Captured) -> None:
    flags = ["--algorithm", "faulty", "--param", "interrupt=true"]
    assert anonymize("-o", "out.csv", *flags) == 130
    assert capsys.readouterr().err == "Interrupted: nothing was written.\n"
    assert not (folder / "out.csv").exists()


LIMITED = """
import resource, sys
limit = int(sys.argv.pop(1)) * 2**20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
from shoal.cli.main import main
main()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not enforce the limit")
@pytest.mark.parametrize("mebibytes", [400, 600, 1000, 1400])
def test_a_limit_on_memory_ends_in_one_line(folder: Path, mebibytes: int) -> None:
    pl.DataFrame({"age": [row * 7919 % 73 for row in range(200_000)]}).write_csv(
        folder / "large.csv"
    )
    words = ["anonymize", "large.csv", "-k", "3", "--quasi", "age", "-o", "out.csv"]
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(mebibytes), *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 1, done.stderr[:2000]
    assert done.stderr.startswith("error: There is not enough memory for this table.\n")
    assert "ulimit -v" in done.stderr
    assert not (folder / "out.csv").exists()


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OSError(errno.ENOMEM, "Cannot allocate memory"),
        RuntimeError("can't start new thread"),
        RuntimeError("std::bad_alloc"),
        pl.exceptions.PanicException("memory allocation of 4096 bytes failed"),
    ],
    ids=repr,
)
def test_lack_of_memory_is_no_bug(error: BaseException, capsys: Captured) -> None:
    assert explain(error, as_json=False) == 1
    assert capsys.readouterr().err.startswith("error: There is not enough memory")


@pytest.mark.parametrize("error", [RuntimeError("Ann Archer"), OSError(errno.EIO, "x")], ids=repr)
def test_other_errors_of_these_kinds_stay_bugs(error: BaseException, capsys: Captured) -> None:
    assert explain(error, as_json=False) == 70
    assert "Ann" not in capsys.readouterr().err


KILLED = """
import os, sys
left = int(sys.argv.pop(1))
def count(event, arguments):
    global left
    if event == "os.rename":
        if left == 0:
            os.kill(os.getpid(), 9)
        left -= 1
sys.addaudithook(count)
from shoal.cli.main import main
main()
"""


@pytest.mark.parametrize("renames", range(4))
def test_verify_completes_what_a_killed_run_began(
    folder: Path, capsys: Captured, renames: int
) -> None:
    (folder.parent / "safe").mkdir()
    places = [folder / "out.csv", folder / "facts.json", folder.parent / "safe" / "keys.json"]
    outputs = ["-o", "out.csv", "--facts", "facts.json", "--custody", "../safe/keys.json"]
    assert anonymize(*outputs, "--seed", "1") == 0
    earlier = [place.read_bytes() for place in places]
    words = ["anonymize", "people.csv", "-k", "3", *ROLES, *outputs, "--seed", "2", "--force"]
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(renames), *words],
        cwd=folder,
        capture_output=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == -9
    capsys.readouterr()
    flags = ["--facts", "facts.json", "--custody", "../safe/keys.json", "--json"]
    assert shoal_command(["verify", "people.csv", "out.csv", *flags]) == 0
    notes = json.loads(capsys.readouterr().out)["notes"]
    kept = [place.read_bytes() == before for place, before in zip(places, earlier, strict=True)]
    # The first rename decides: it is the marker's, in the folder of the release.
    assert kept == [renames == 0] * 3
    outcome = "undone" if renames == 0 else "completed"
    assert notes
    assert all(note.startswith("A run was killed") and outcome in note for note in notes)
    assert shoal_command(["verify", "people.csv", "out.csv", *flags]) == 0
    assert json.loads(capsys.readouterr().out)["notes"] == []


@pytest.mark.parametrize(
    ("companion", "path"), [("facts", "facts.json"), ("custody", "../safe/keys.json")]
)
def test_companions_of_another_release_are_told(
    folder: Path, capsys: Captured, companion: str, path: str
) -> None:
    (folder.parent / "safe").mkdir()
    outputs = ["-o", "out.csv", "--facts", "facts.json", "--custody", "../safe/keys.json"]
    assert anonymize(*outputs, "--seed", "1") == 0
    other = (folder / path).read_bytes()
    assert anonymize(*outputs, "--seed", "2", "--force") == 0
    (folder / path).write_bytes(other)
    capsys.readouterr()
    shoal_command(
        ["verify", "people.csv", "out.csv", *ROLES, "-k", "3", f"--{companion}", path, "--json"]
    )
    (note,) = json.loads(capsys.readouterr().out)["notes"]
    verb = {"facts": "facts were", "custody": "custody file was"}[companion]
    assert note == f"out.csv is not the release that the {verb} written for."
