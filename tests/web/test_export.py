"""What is taken away: every file downloads, and the job repeats the release to the byte."""

from __future__ import annotations

import io
import re
import shlex
import subprocess
import sys
import zipfile
from html import unescape
from typing import TYPE_CHECKING

import polars as pl
import pytest

from shoal.web.runs import Run, State
from shoal.web.tables import Request, original_page, released_page
from tests.web.conftest import Served, reached
from tests.web.test_app import PEOPLE

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.web.workspace import Project

pytestmark = pytest.mark.anyio


async def released(served: Served) -> tuple[Project, Run]:
    """Make a release with an edited hierarchy, a model and weights, and no seed of one's own."""
    project = await served.opened(PEOPLE)
    job = {"k": 7, "quasi": ["age", "sex"], "sensitive": ["illness"], "steps": 200}
    more = {
        "model": ["distinct-l-diversity:2@illness"],
        "suppression": 0.05,
        "weight": {"age": 2.0},
    }
    project.change({**job, **more, "hierarchy": {"age": "ranges:5,10"}})
    moved = await served.client.post(
        f"/p/{project.identifier}/hierarchies/move",
        data={"column": "age", "value": "24", "group": "[25..29]"},
    )
    assert moved.status_code == 303, moved.text
    run = await served.started(project)
    await reached(run, State.DONE, State.FAILED)
    assert run.state is State.DONE, run.status
    return project, run


async def test_the_command_line_and_the_script_repeat_the_bytes(
    served: Served, tmp_path: Path
) -> None:
    project, run = await released(served)
    where = f"/p/{project.identifier}/export"
    page = (await served.client.get(where)).text
    job = await served.client.get(f"{where}/1/job.zip")
    release = (await served.client.get(f"{where}/1/release.csv")).content
    command, script = (unescape(one) for one in re.findall(r"<pre[^>]*>(.*?)</pre>", page, re.S))
    assert run.options()["hierarchy"]["age"] == "hierarchies/column-0-1.csv"
    assert "Both make the same bytes" in page

    for name, line in (
        ("shell", [sys.executable, "-m", *shlex.split(command)]),
        ("python", [sys.executable, "-c", script]),
    ):
        folder = tmp_path / name
        zipfile.ZipFile(io.BytesIO(job.content)).extractall(folder)
        (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
        made = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
        assert made.returncode == 0, made.stderr
        assert (folder / "release.csv").read_bytes() == release


async def test_every_file_downloads(served: Served) -> None:
    project, run = await released(served)
    where = f"/p/{project.identifier}/export/1"
    released_table = pl.read_parquet(run.release)
    for suffix in ("csv", "csv.gz", "tsv", "jsonl", "parquet", "arrow", "feather", "xlsx"):
        answer = await served.client.get(f"{where}/release.{suffix}")
        assert answer.status_code == 200, suffix
        assert f'filename="release.{suffix}"' in answer.headers["content-disposition"]
    csv = pl.read_csv((await served.client.get(f"{where}/release.csv")).content, infer_schema=False)
    assert csv.height == released_table.height
    assert (await served.client.get(f"{where}/facts.json")).json()["k"] == 7
    internal = (await served.client.get(f"{where}/internal-report.html")).text
    public = (await served.client.get(f"{where}/report.html")).text
    assert "Do not hand it out" in internal
    assert "Computed from the release alone" in public
    seed = str(run.options()["seed"])
    assert seed not in public
    assert seed not in internal

    # The custody file leaves only on request, never by a link that a page could load.
    assert (await served.client.get(f"{where}/custody.json")).status_code == 405
    custody = await served.client.post(f"{where}/custody.json")
    assert custody.json()["seed"] == seed
    page = (await served.client.get(f"/p/{project.identifier}/export")).text
    assert "The custody file shows whose record is whose" in page
    assert seed not in page
    assert (await served.client.get(f"{where}/release.exe")).status_code == 400


async def test_explore_shows_each_record_beside_its_original(served: Served) -> None:
    project, run = await released(served)
    table = pl.read_csv(io.StringIO(PEOPLE), infer_schema=False)
    shown = released_page(run, Request())
    assert (shown["n"], shown["first"], shown["last"]) == (120, 1, 100)
    assert len(shown["rows"]) == 100
    released_sex = shown["columns"].index("sex")
    for row, original in zip(shown["rows"], shown["originals"], strict=True):
        assert original in set(table.iter_rows())
        assert original[1] in str(row[released_sex]) or row[released_sex] in {"*", "{F,M}"}

    page = (await served.client.get(f"/p/{project.identifier}/explore?run=1")).text
    assert page.count('class="records level"') == 2  # side by side
    below = await served.client.get(f"/p/{project.identifier}/explore?run=1&originals=below")
    assert below.text.count('<table class="records">') == 1

    of_class = released_page(run, Request(group=0))
    assert of_class["n"] >= 7
    assert len({row[:2] for row in of_class["rows"]}) == 1
    assert set(of_class["classes"]) == {0}
    rest = released_page(run, Request(page=1))
    assert len(rest["rows"]) == 20
    assert released_page(run, Request(page=9))["rows"] == []
    colds = original_page(project.page_table, Request(column="illness", contains="cold"))
    assert colds["n"] == PEOPLE.count("cold")
    assert {row[2] for row in colds["rows"]} == {"cold"}
