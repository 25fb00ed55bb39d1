"""The web app on a million records: what each screen takes on the server until it is sent.

``shoal serve`` runs as users start it. The screens are asked for once right after the server has
started on a workspace with the table and its runs (``first``), and five times more (``later``,
medians). ``wall`` is what a client on the same machine waits, ``cpu`` what the server's process
spends; both in milliseconds. Parts of a screen that come after it (figures of exposure, the
predicted loss, trees) are listed with a star: the screen is drawn before them.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from benchmarks.timing import print_table
from benchmarks.verification import CODES, census_like

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORDS = int(os.environ.get("SHOAL_LARGEST", "1000000"))
_REPEATS = 5
_PATIENCE = 900.0


class Client:
    """A browser's place: one session of a running server, whose processor time it reads."""

    def __init__(self, address: str, process: int) -> None:
        base = address.partition("/?")[0]
        self._client = httpx.Client(base_url=base, headers={"origin": base}, timeout=_PATIENCE)
        self._client.get(address)
        self._process = process

    def get(self, place: str) -> tuple[float, float]:
        """Return wall and CPU milliseconds of a page."""
        cpu, wall = self._cpu(), time.perf_counter()
        answer = self._client.get(place)
        assert answer.status_code == 200, (place, answer.status_code, answer.text[:300])
        return 1000 * (time.perf_counter() - wall), 1000 * (self._cpu() - cpu)

    def send(self, place: str, **form: str) -> str:
        """Send a form, and return where the answer leads."""
        answer = self._client.post(place, data=form)
        assert answer.status_code in {200, 204, 303}, (place, answer.text[:300])
        return str(answer.headers.get("location", ""))

    def text(self, place: str) -> str:
        """Return the text of a page."""
        return self._client.get(place).text

    def _cpu(self) -> float:
        fields = Path(f"/proc/{self._process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def served(workspace: Path) -> Iterator[Client]:
    """Serve a workspace."""
    command = [sys.executable, "-m", "shoal", "serve", "--no-browser", "--workspace"]
    with subprocess.Popen(
        [*command, str(workspace)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            yield Client(process.stdout.readline().strip(), process.pid)
        finally:
            process.terminate()


def prepare(client: Client, table: Path) -> str:
    """Open the table, and make a release in classes and a full-domain one; return its address."""
    project = client.send("/open/path", path=str(table)).removesuffix("/open")
    for place, _ in enumerate(CODES):
        client.send(f"{project}/columns/{place}/role", role="quasi")
    client.send(f"{project}/goal", k="5")
    client.send(f"{project}/hierarchies/make", column="age", recipe="ranges", details="5,10,20")
    for number, algorithm in enumerate(("mondrian", "datafly"), start=1):
        client.send(f"{project}/run/method", algorithm=algorithm)
        client.send(f"{project}/run/start")
        while not re.search(
            r'class="badge[^"]*">(done|failed)<', client.text(f"{project}/run/{number}")
        ):
            time.sleep(0.5)
        assert ">done<" in client.text(f"{project}/run/{number}")
    return project


def run() -> list[dict[str, Any]]:
    """Measure every screen, first and later."""
    with tempfile.TemporaryDirectory() as folder:
        table, workspace = Path(folder) / "people.csv", Path(folder) / "workspace"
        census_like(RECORDS).write_csv(table)
        with served(workspace) as client:
            project = prepare(client, table)
        places = {
            "open": "/",
            "table": f"{project}/open",
            "columns": f"{project}/columns",
            "columns: exposure*": f"{project}/columns/exposed",
            "hierarchies": f"{project}/hierarchies?column=age",
            "hierarchies: tree*": f"{project}/hierarchies/tree?column=age",
            "goal": f"{project}/goal",
            "goal: predicted loss*": f"{project}/goal/prediction",
            "run": f"{project}/run",
            "run 1": f"{project}/run/1",
            "compare": f"{project}/compare",
            "explore the original": f"{project}/explore",
            "explore a release": f"{project}/explore?run=1",
            "explore a class": f"{project}/explore?run=1&group=7",
            "explore with a filter": f"{project}/explore?run=1&column=age&contains=44",
            "explore a lattice": f"{project}/explore?run=2",
            "export": f"{project}/export?run=1",
            "job": f"{project}/job",
        }
        with served(workspace) as client:
            first = {name: client.get(place) for name, place in places.items()}
            later = {
                name: [client.get(place) for _ in range(_REPEATS)] for name, place in places.items()
            }
    figures: list[dict[str, Any]] = [
        {
            "screen": name,
            "first_wall": round(first[name][0], 1),
            "first_cpu": round(first[name][1], 1),
            "later_wall": round(statistics.median(wall for wall, _ in later[name]), 1),
            "later_cpu": round(statistics.median(cpu for _, cpu in later[name]), 1),
        }
        for name in places
    ]
    print_table(tuple(figures[0]), [tuple(one.values()) for one in figures])
    return figures
