"""Faults in the midst of a run: one line, the right exit code, nothing written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pydantic import Field

from shoal.algorithms import Family, Traits, algorithm
from shoal.algorithms.algorithm import _registry
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
