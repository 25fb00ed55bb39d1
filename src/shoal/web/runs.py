"""Runs of a project: a queue of worker processes, and what each of them left in its folder.

A run is a folder ``runs/0001`` of its project::

    job.toml        the options it runs with
    status.json     state, times, process, and why it failed
    progress.jsonl  one line per report of the search
    released/       release.parquet, facts.json and report.html, which may be published
    private/        custody.json, summary.json, charts.json, lattice.json, the internal report.html,
                    and for each released record its class and its original

A finished run needs nothing but its folder: its table may be read in another way since.

A worker that crashes or is killed for its memory takes nothing else with it.
"""

from __future__ import annotations

import asyncio
import datetime
import json
import os
import secrets
import shutil
import signal
import sys
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import tomli_w

from shoal.errors import InputError
from shoal.web.workspace import read_json, write_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from shoal.web.workspace import Project, Workspace

_PATIENCE = 5.0  # seconds for a worker to end before it is killed


class State(StrEnum):
    """What has become of a run."""

    QUEUED = "queued"
    RUNNING = "running"
    STOPPING = "stopping"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen."""
        return self in {State.DONE, State.FAILED, State.CANCELLED}


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a project."""

    folder: Path

    @property
    def number(self) -> int:
        """Its number within the project, from 1."""
        return int(self.folder.name)

    @property
    def status(self) -> dict[str, Any]:
        """State, times, and what went wrong."""
        return read_json(self.folder / "status.json")

    @property
    def state(self) -> State:
        """What has become of it."""
        return State(self.status["state"])

    def mark(self, state: State, **more: Any) -> None:
        """Record a new state."""
        write_json(self.folder / "status.json", {**self.status, "state": state, **more})

    def progress(self, after: int = 0) -> list[dict[str, Any]]:
        """Return the reports of its search, without the first ``after``."""
        file = self.folder / "progress.jsonl"
        if not file.is_file():
            return []
        lines = file.read_text(encoding="utf-8").splitlines()[after:]
        return [json.loads(line) for line in lines if line.endswith("}")]

    @property
    def release(self) -> Path:
        """The released table."""
        return self.folder / "released" / "release.parquet"

    @property
    def facts_file(self) -> Path:
        """The facts of the release."""
        return self.folder / "released" / "facts.json"

    @property
    def custody(self) -> Path:
        """The secrets of the release."""
        return self.folder / "private" / "custody.json"

    @property
    def classes(self) -> Path:
        """The class of each released record."""
        return self.folder / "private" / "classes.arrow"

    @property
    def originals(self) -> Path:
        """The original of each released record, in the order of the release."""
        return self.folder / "private" / "originals.arrow"

    @property
    def page_release(self) -> Path:
        """A copy of the released table that pages are cut from."""
        return self.folder / "private" / "release.arrow"

    @property
    def summary_file(self) -> Path:
        """What pages show of its release; exact figures, so it stays with the custody file."""
        return self.folder / "private" / "summary.json"

    @property
    def charts_file(self) -> Path:
        """The charts of its internal report."""
        return self.folder / "private" / "charts.json"

    def charts(self) -> dict[str, Any]:
        """Return the charts of its internal report by their names."""
        return read_json(self.charts_file)

    @property
    def lattice_file(self) -> Path:
        """The nodes around the chosen one; only full-domain runs have it."""
        return self.folder / "private" / "lattice.json"

    def lattice(self) -> dict[str, Any] | None:
        """Return the nodes around the chosen one, if the run is full-domain."""
        return read_json(self.lattice_file) if self.lattice_file.is_file() else None

    def report(self, *, public: bool) -> Path:
        """Return the file of a report: the public one, or the one for the custodian."""
        return self.folder / ("released" if public else "private") / "report.html"

    def summary(self) -> dict[str, Any]:
        """Return what pages show of its release."""
        return read_json(self.summary_file)

    def options(self) -> dict[str, Any]:
        """Return the options it ran with."""
        return tomllib.loads((self.folder / "job.toml").read_text(encoding="utf-8"))

    def facts(self) -> dict[str, Any]:
        """Return the facts of its release."""
        return read_json(self.facts_file)


def runs_of(project: Project) -> list[Run]:
    """Return the runs of a project, the newest first."""
    folders = (project.folder / "runs").glob("[0-9]*/status.json")
    return sorted((Run(file.parent) for file in folders), key=lambda run: run.number, reverse=True)


def run_of(project: Project, number: int) -> Run:
    """Return a run by its number.

    Raises
    ------
    InputError
        If there is none.
    """
    folder = project.folder / "runs" / f"{number:04}"
    if not (folder / "status.json").is_file():
        raise InputError("There is no such run.", remedy="Choose one from the list.")
    return Run(folder)


class Queue:
    """Runs waiting for a worker, and the workers that are at it.

    Parameters
    ----------
    workers
        How many run at once.
    """

    def __init__(self, workers: int = 1) -> None:
        self._slots = asyncio.Semaphore(workers)
        self._tasks: set[asyncio.Task[None]] = set()
        self._processes: dict[Path, asyncio.subprocess.Process] = {}

    def submit(self, project: Project, options: Mapping[str, Any]) -> Run:
        """Queue a run of a project with these options.

        A run without a seed gets one, and the job says how the table was read, so that its file
        makes the same release again.
        """
        folder = project.folder / "runs"
        folder.mkdir(mode=0o700, exist_ok=True)
        number = max((run.number for run in runs_of(project)), default=0) + 1
        made = folder / f"{number:04}"
        made.mkdir(mode=0o700)
        seeded = {"seed": secrets.randbits(128), **project.reading, **options}
        (made / "job.toml").write_text(tomli_w.dumps(seeded), encoding="utf-8")
        write_json(made / "status.json", {"state": State.QUEUED, "queued": _now()})
        run = Run(made)
        task = asyncio.get_running_loop().create_task(self._work(run))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return run

    async def read(self, project: Project) -> None:
        """Read the table of a project in a worker of its own.

        Raises
        ------
        InputError
            If it cannot be read; the message is that of the reader.
        """
        process = await _start("read", project.folder)
        code = await process.wait()
        failure = project.folder / "failure.json"
        if failure.is_file() or code != 0:
            why = read_json(failure) if failure.is_file() else _reason(code)
            raise InputError(why["what"], remedy=why["remedy"])

    async def stop(self, run: Run) -> None:
        """End a run: a search keeps the best it found, a queued run is taken off the queue."""
        process = self._processes.get(run.folder)
        if run.state is State.QUEUED:
            run.mark(State.CANCELLED, ended=_now())
        elif process is not None and run.state is State.RUNNING:
            run.mark(State.STOPPING)
            process.send_signal(signal.SIGINT)
        elif process is not None:  # the second request: nothing is kept
            process.terminate()

    async def close(self) -> None:
        """End all workers."""
        for task in self._tasks:
            task.cancel()
        for process in list(self._processes.values()):
            process.terminate()
        waits = [process.wait() for process in self._processes.values()]
        if waits:
            await asyncio.wait([asyncio.ensure_future(one) for one in waits], timeout=_PATIENCE)
        for process in list(self._processes.values()):
            if process.returncode is None:
                process.kill()

    async def _work(self, run: Run) -> None:
        async with self._slots:
            if run.state is not State.QUEUED:
                return
            run.mark(State.RUNNING, started=_now())
            process = await _start("run", run.folder)
            self._processes[run.folder] = process
            run.mark(run.state, process=process.pid)
            try:
                code = await process.wait()
            finally:
                del self._processes[run.folder]
            if not run.state.ended:
                failure = run.folder / "failure.json"
                why = read_json(failure) if failure.is_file() else _reason(code)
                run.mark(State.FAILED, ended=_now(), **why)


async def _start(task: str, folder: Path) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "shoal.web.worker", task, os.fspath(folder)),
        stdin=asyncio.subprocess.PIPE,  # closed when the server ends, however it does
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C in the terminal is for the server
    )


def recover(workspace: Workspace) -> None:
    """Close the books on runs that a server left behind when it was killed."""
    for project in workspace.projects():
        if not project.is_current:
            continue
        for unfinished in project.folder.glob("reading-*"):
            shutil.rmtree(unfinished, ignore_errors=True)
        if "source" not in project.about:  # the upload did not come to its end
            project.remove()
            continue
        if not project.is_read and "problem" not in project.about:
            why = {"what": "The server ended before this table was read.", "remedy": ""}
            project.note(problem=why)
        for run in runs_of(project):
            if not run.state.ended:
                run.mark(
                    State.FAILED,
                    ended=_now(),
                    what="The server ended before this run did.",
                    remedy="Run it again.",
                )


def _reason(code: int) -> dict[str, str]:
    if code == -signal.SIGKILL:
        return {
            "what": "The system killed this run, most likely because memory ran out.",
            "remedy": "Drop columns, sample the table, or use a machine with more memory.",
        }
    if code == -signal.SIGINT:  # before the worker had begun
        return {
            "what": "The run was stopped before it had found a release.",
            "remedy": "Run it again, and stop it later.",
        }
    if code in {-signal.SIGTERM, 143}:
        return {"what": "The run was ended.", "remedy": "Run it again."}
    return {
        "what": f"The worker ended unexpectedly (exit code {code}).",
        "remedy": "Run the command of the job file to see why.",
    }


def _now() -> str:
    return datetime.datetime.now(tz=datetime.UTC).isoformat(timespec="milliseconds")
