"""Processes that solve units side by side; each finished unit is a checkpoint."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

from shoal import errors
from shoal.engines.disk.worker import SOLVED, place_of
from shoal.engines.outcome import Solved
from shoal.errors import FileError, ShoalError

if TYPE_CHECKING:
    from collections.abc import Callable

    from shoal.engines.disk.folder import WorkFolder
    from shoal.engines.solving import Plan

_GLANCE = 0.2


def solve_units(
    folder: WorkFolder, plan: Plan, processes: int, report: Callable[[float], None]
) -> list[Solved]:
    """Solve every unit that is not solved yet; return what is known of all.

    Parameters
    ----------
    folder
        Holds the plan and the records in the order of their units.
    processes
        How many units are solved at the same time.
    report
        Called from time to time with the share of the work that is done, from 0 to 1.

    Raises
    ------
    FileError
        If a process was killed; what is solved stays.
    """
    solved = folder.part(SOLVED)
    sizes = [plan.tree.records_of_unit(unit) for unit in range(len(plan.tree.units))]
    done = {
        unit: Solved.from_json(place_of(solved, unit, ".json").read_text())
        for unit in range(len(sizes))
        if place_of(solved, unit).is_file()
    }
    # The largest first: none is left to run alone at the end.
    pending = deque(
        sorted((u for u in range(len(sizes)) if u not in done), key=lambda u: -sizes[u])
    )
    answers: queue.SimpleQueue[Solved | BaseException] = queue.SimpleQueue()
    workers = [_Worker(folder) for _ in range(min(processes, len(pending)))]
    threads = [
        threading.Thread(target=worker.serve, args=(pending, answers), daemon=True)
        for worker in workers
    ]
    try:
        for thread in threads:
            thread.start()
        while len(done) < len(sizes):
            report(sum(sizes[unit] for unit in done) / sum(sizes))
            try:
                answer = answers.get(timeout=_GLANCE)
            except queue.Empty:
                continue
            if isinstance(answer, BaseException):
                raise answer
            done[answer.unit] = answer
    finally:
        pending.clear()
        for worker in workers:
            worker.end()
    return [done[unit] for unit in sorted(done)]


class _Worker:
    """A process that solves one unit after the other."""

    def __init__(self, folder: WorkFolder) -> None:
        # Each is one of as many as there are threads.
        environment = {**os.environ, "POLARS_MAX_THREADS": "1"}
        environment["PYTHONPATH"] = os.pathsep.join(str(Path(path).absolute()) for path in sys.path)
        command = [sys.executable, "-P", "-m", "shoal.engines.disk.worker", str(folder.path)]
        errors_to = None if os.environ.get("SHOAL_TRACEBACK") else subprocess.DEVNULL
        self.process = subprocess.Popen(  # noqa: S603 (this Python, a module of this package)
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors_to,  # messages of libraries may quote cells
            env=environment,
            text=True,
        )

    def serve(
        self, pending: deque[int], answers: queue.SimpleQueue[Solved | BaseException]
    ) -> None:
        """Give the process unit after unit, and pass its answers on."""
        try:
            while True:
                try:
                    unit = pending.popleft()
                except IndexError:
                    return
                answers.put(self._solve(unit))
        except BaseException as error:  # noqa: BLE001 (handed on to the caller's thread)
            answers.put(error)

    def _solve(self, unit: int) -> Solved:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(f"{unit}\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except OSError:
            answer = ""
        if not answer:
            raise FileError(
                "A process that solved cells was killed, perhaps for lack of memory.",
                remedy="Resume the run with fewer `threads`.",
            )
        reply = json.loads(answer)
        if "error" in reply:
            kind = getattr(errors, reply["error"], None)
            if isinstance(kind, type) and issubclass(kind, ShoalError):
                raise kind(reply["what"], remedy=reply["remedy"])
            raise RuntimeError(f"{reply['error']} while a unit was solved")
        return Solved.from_json(answer)

    def end(self) -> None:
        """End the process, in whatever state it is; it never leaves half a file under its name."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()
