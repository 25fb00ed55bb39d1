"""A real standalone cluster of Spark on loopback, and a Spark Connect server."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark

if TYPE_CHECKING:
    from collections.abc import Iterator

_HOME = Path(pyspark.__file__).parent
_PATIENCE = 240


def environment(python: str = sys.executable) -> dict[str, str]:
    return {
        **os.environ,
        "SPARK_HOME": str(_HOME),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": python,
        "PYTHONPATH": os.pathsep.join(one for one in sys.path if one),
        "POLARS_MAX_THREADS": "1",
    }


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Process:
    """A Java process of Spark whose log is a file."""

    def __init__(self, command: list[str], log: Path, python: str = sys.executable) -> None:
        self.log = log
        with log.open("wb") as file:
            self.started = subprocess.Popen(
                [str(_HOME / "bin" / "spark-class"), *command],
                stdout=file,
                stderr=subprocess.STDOUT,
                env=environment(python),
                cwd=log.parent,
                start_new_session=True,
            )

    def wait_for(self, pattern: str) -> None:
        """Wait until the log says something, which it must before long."""
        end = time.monotonic() + _PATIENCE
        while not re.search(pattern, self.log.read_text(errors="replace")):
            assert self.started.poll() is None, self.log.read_text(errors="replace")[-2000:]
            assert time.monotonic() < end, self.log.read_text(errors="replace")[-2000:]
            time.sleep(0.1)

    def kill(self) -> None:
        """Kill it with its executors and their Python workers, at once."""
        if self.started.poll() is None:
            os.killpg(self.started.pid, 9)
            self.started.wait()


def descendants(pid: int, command: str) -> list[int]:
    """Return the processes below one whose command line holds a text."""
    parents: dict[int, int] = {}
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parents[int(place.name)] = int(
                (place / "stat").read_text().rpartition(")")[2].split()[1]
            )
    below = {pid}
    while more := {one for one, parent in parents.items() if parent in below} - below:
        below |= more
    found = []
    for one in sorted(below - {pid}):
        with suppress(OSError):
            if command in Path(f"/proc/{one}/cmdline").read_text().replace("\0", " "):
                found.append(one)
    return found


class Cluster:
    """One master and two workers of one core each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"spark://127.0.0.1:{self.port}"
        self.master = Process(
            ["org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port",
             str(self.port), "--webui-port", str(free_port())],
            folder / "master.log",
        )  # fmt: skip
        self.master.wait_for("New state: ALIVE")
        self.workers = [self._worker(number) for number in range(2)]
        for worker in self.workers:
            worker.wait_for("Successfully registered with master")

    def _worker(self, number: int) -> Process:
        work = self.folder / f"work-{number}"
        work.mkdir()
        return Process(
            ["org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--cores", "1",
             "--memory", "2g", "--webui-port", str(free_port()), "--work-dir", str(work), self.url],
            self.folder / f"worker-{number}.log",
        )  # fmt: skip

    def stop(self) -> None:
        for process in (*self.workers, self.master):
            process.kill()


@contextmanager
def cluster(folder: Path) -> Iterator[Cluster]:
    started = Cluster(folder)
    try:
        yield started
    finally:
        started.stop()


@contextmanager
def connect_server(folder: Path) -> Iterator[str]:
    """Yield the address of a Spark Connect server with two local cores."""
    port = free_port()
    server = Process(
        ["org.apache.spark.deploy.SparkSubmit", "--class",
         "org.apache.spark.sql.connect.service.SparkConnectServer", "--master", "local[2]",
         "--conf", "spark.driver.host=127.0.0.1", "--conf", "spark.driver.bindAddress=127.0.0.1",
         "--conf", "spark.ui.enabled=false", "--conf", "spark.sql.shuffle.partitions=4",
         "--conf", "spark.connect.grpc.binding.address=127.0.0.1",
         "--conf", f"spark.connect.grpc.binding.port={port}", "spark-internal"],
        folder / "connect.log",
    )  # fmt: skip
    try:
        server.wait_for("Spark Connect server started")
        yield f"sc://127.0.0.1:{port}"
    finally:
        server.kill()
