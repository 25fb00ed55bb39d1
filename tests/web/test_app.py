"""The app as a whole, against those who mean it ill and against bad luck."""

from __future__ import annotations

import asyncio
import io
import os
import re
import signal
import sqlite3
import subprocess
import sys
import zipfile
from html import unescape
from typing import TYPE_CHECKING

import polars as pl
import pytest

from shoal.io.decimal_commas import columns_with_decimal_commas
from shoal.web.profiles import exposed_by
from shoal.web.runs import State, runs_of
from tests.web.conftest import LIMIT, Served, reached

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.web.workspace import Project

PEOPLE = "age,sex,illness\n" + "".join(
    f"{20 + number % 40},{'FM'[number % 2]},{'flu' if number % 3 else 'cold'}\n"
    for number in range(120)
)
JOB = {"k": 3, "quasi": ["age", "sex"], "sensitive": ["illness"], "steps": 200, "seed": 1}
pytestmark = pytest.mark.anyio


def format_shown(page: str) -> dict[str, str]:
    """Return what a page says about the format of a table."""
    found = re.findall(r"<dt>(.*?)</dt><dd>(.*?)(?: <span.*?)?</dd>", page)
    return {title: unescape(value) for title, value in found}


async def finished(served: Served, project: Project, **options: object) -> None:
    project.change({**JOB, **options})
    run = await served.started(project)
    await reached(run, State.DONE, State.FAILED)
    assert run.state is State.DONE, run.status


@pytest.mark.parametrize(
    ("headers", "status"),
    [({"origin": "https://evil.example"}, 403), ({"host": "evil.example"}, 421)],
)
async def test_other_origins_and_hosts_change_nothing(
    served: Served, headers: dict[str, str], status: int
) -> None:
    answer = await served.client.post("/open/example", headers=headers)

    assert answer.status_code == status
    assert served.workspace.projects() == []


async def test_without_the_cookie_there_is_no_page(served: Served) -> None:
    project = await served.opened(PEOPLE)
    served.client.cookies.clear()

    for path in ("/", f"/p/{project.identifier}/explore", "/static/app.css"):
        answer = await served.client.get(path)
        assert answer.status_code == 401
        assert "age" not in answer.text.replace("page", "")


@pytest.mark.parametrize(
    "name", ["../../escaped.csv", "/tmp/escaped.csv", "..\\..\\escaped.csv", "..", "a/../b.csv"]
)
async def test_names_of_uploads_lead_nowhere(served: Served, name: str) -> None:
    project = await served.opened(PEOPLE, name)

    root = served.workspace.root
    assert [file.name for file in project.folder.glob("source*")] == ["source.csv"]
    assert list(root.parent.rglob("*escaped*")) == []
    assert "/" not in project.about["name"]


@pytest.mark.parametrize(
    "path",
    [
        "/p/..%2f..%2fetc/columns",
        "/p/%2e%2e/columns",
        "/static/..%2f..%2fworker.py",
        "/static/%2e%2e/app.py",
    ],
)
async def test_paths_lead_nowhere(served: Served, path: str) -> None:
    answer = await served.client.get(path)

    assert answer.status_code in {400, 404}
    assert "import" not in answer.text


async def test_an_upload_over_the_limit_is_refused_and_removed(served: Served) -> None:
    answer = await served.client.put(
        "/open/upload", params={"name": "large.csv"}, content=b"a,b\n" + b"1,2\n" * LIMIT
    )

    assert answer.status_code == 400
    assert "larger than" in answer.text
    assert list((served.workspace.root / "projects").iterdir()) == []


async def test_a_killed_worker_is_shown_and_the_server_lives(served: Served) -> None:
    project = await served.opened(PEOPLE)
    project.change({key: value for key, value in JOB.items() if key != "steps"} | {"time": 300.0})
    run = await served.started(project)
    while "process" not in run.status or not run.progress():
        await asyncio.sleep(0.05)

    os.kill(run.status["process"], signal.SIGKILL)

    await reached(run, State.FAILED)
    page = await served.client.get(f"/p/{project.identifier}/run/{run.number}")
    assert "The system killed this run" in page.text
    await finished(served, project)


async def test_ten_runs_at_once_wait_for_each_other(served: Served) -> None:
    project = await served.opened(PEOPLE)
    project.change(JOB)

    runs = await asyncio.gather(*(served.started(project) for _ in range(10)))

    assert sorted(run.number for run in runs) == list(range(1, 11))
    assert sum(run.state is State.RUNNING for run in runs) <= 1
    for run in runs:
        if run.number > 2:
            await served.client.post(f"/p/{project.identifier}/run/{run.number}/stop")
    for run in runs:
        await reached(run, State.DONE, State.CANCELLED)
    assert [run.number for run in runs if run.state is State.CANCELLED] == list(range(3, 11))


async def test_compare_shows_what_differs_and_sorts(served: Served) -> None:
    project = await served.opened(PEOPLE)
    await finished(served, project, k=3)
    await finished(served, project, k=20)
    where = f"/p/{project.identifier}/compare"

    by_number = (await served.client.get(where)).text
    by_loss = (await served.client.get(where, params={"sort": "loss", "order": "down"})).text

    first, second = (f'aria-label="Export run {number}"' for number in (1, 2))
    assert by_number.index(first) < by_number.index(second)
    # The higher k loses more, so it comes first when losses fall.
    assert by_loss.index(second) < by_loss.index(first)
    assert '<th scope="row" class="cell">k</th><td class="cell">3</td>' in by_number
    assert '<th scope="row" class="cell">seed</th>' not in by_number
    losses = {run.number: run.summary()["loss"] for run in runs_of(project)}
    assert f"{losses[2]:.4f}" in by_number
    assert losses[2] > losses[1]


async def test_compare_filters_and_draws_before_and_after(served: Served) -> None:
    project = await served.opened(PEOPLE)
    await finished(served, project, k=3)
    await finished(served, project, k=20)
    where = f"/p/{project.identifier}/compare"

    both = (await served.client.get(where, params={"column": "sex"})).text
    only = (await served.client.get(where, params={"k": "20"})).text
    none = (await served.client.get(where, params={"risk": "1%"})).text
    wrong = await served.client.get(where, params={"loss": "little"})

    assert both.count('aria-label="Export run') == 2
    # Class sizes, risk and one distribution, for each of the runs.
    assert both.count("data-spec=") == 6
    assert "Run 1: Distribution of sex before and after" in both
    assert 'aria-label="Export run 2"' in only
    assert 'aria-label="Export run 1"' not in only
    assert "1 run hidden by the filter" in only
    assert "2 runs hidden by the filter" in none
    assert wrong.status_code == 400
    assert "not a share" in wrong.text


async def test_a_target_shows_what_classifiers_lose(served: Served) -> None:
    pytest.importorskip("sklearn")
    project = await served.opened(PEOPLE)
    # With ``auto`` classifiers choose the release, too: a matter of the library's own tests.
    project.change({**JOB, "algorithm": "mondrian"})
    form = {"target": "illness", "utility": "true"}
    await served.client.post(f"/p/{project.identifier}/goal", data=form)
    assert project.options()["utility"] is True
    run = await served.started(project)
    await reached(run, State.DONE, State.FAILED)

    page = (await served.client.get(f"/p/{project.identifier}/compare")).text

    for name, errors in run.summary()["utility"].items():
        shown = f"{100 * errors['original']:.1f} % before, {100 * errors['release']:.1f} % after"
        assert f"{name}</th><td>{shown}" in page
    await served.client.post(f"/p/{project.identifier}/goal", data={**form, "target": ""})
    assert "utility" not in project.options()


async def test_marginal_tables_of_the_form_are_part_of_the_job(served: Served) -> None:
    project = await served.opened(PEOPLE)
    project.change(JOB)
    address = f"/p/{project.identifier}/goal"
    await served.client.post(address, data={"keep_marginals": " age*sex , sex"})
    assert project.options()["keep_marginals"] == ["age*sex", "sex"]
    assert 'value="age*sex,sex"' in (await served.client.get(address)).text
    await served.client.post(address, data={"keep_marginals": ""})
    assert "keep_marginals" not in project.options()


async def test_a_stale_tab_is_told_and_changes_nothing(served: Served) -> None:
    project = await served.opened(PEOPLE)
    project.change(JOB)
    base = f"/p/{project.identifier}"
    drawn = str(project.version)
    field = f'name="version" value="{drawn}"'
    for screen in ("columns", "hierarchies", "goal", "run", "job"):
        assert field in (await served.client.get(f"{base}/{screen}")).text, screen
    first = await served.client.post(
        f"{base}/goal", data={"k": "4", "version": drawn}, headers={"hx-request": "true"}
    )
    assert first.headers["shoal-version"] == str(int(drawn) + 1)

    forms = {
        "goal": {"k": "9"},
        "columns/0/role": {"role": "other"},
        "columns/0/kind": {"kind": "ordinal"},
        "columns/suggested": {},
        "hierarchies/make": {"column": "age", "recipe": "auto"},
        "run/method": {"algorithm": "mondrian"},
        "run/start": {},
        "job/undo": {},
    }
    for place, form in forms.items():
        answer = await served.client.post(f"{base}/{place}", data={**form, "version": drawn})
        assert answer.status_code == 409, place
        assert "changed in another tab" in answer.text

    assert project.options() == {**JOB, "k": 4}
    assert runs_of(project) == []
    own = await served.client.post(
        f"{base}/goal", data={"k": "5", "version": first.headers["shoal-version"]}
    )
    assert own.status_code == 303
    assert project.options()["k"] == 5


@pytest.mark.parametrize("scheme", ["sqlite", "duckdb"])
async def test_a_table_of_a_database_is_opened_by_its_address(
    served: Served, tmp_path: Path, scheme: str
) -> None:
    module = sqlite3 if scheme == "sqlite" else pytest.importorskip("duckdb")
    file = tmp_path / "clinic.db"
    database = module.connect(str(file))
    database.execute("create table people (age integer, illness text)")
    database.execute("create table other (x integer)")
    database.executemany("insert into people values (?, 'flu')", [(n,) for n in range(30)])
    database.commit()
    database.close()
    where = f"{scheme}:///{file}"

    unclear = await served.client.post("/open/path", data={"path": where})
    named = await served.client.post("/open/path", data={"path": where, "table": "people"})
    query = {"path": where, "table": "select age from people where age < 20"}
    asked = await served.client.post("/open/path", data=query)

    assert unclear.status_code == 400
    assert "people" in unclear.text
    assert f'value="{where}"' in unclear.text  # the address need not be typed again
    assert [answer.status_code for answer in (named, asked)] == [303, 303]
    found = sorted(
        (one.about["records"], one.about["columns"]) for one in served.workspace.projects()
    )
    assert found == [(20, 1), (30, 2)]
    page = (await served.client.get(named.headers["location"])).text
    assert format_shown(page) == {"Format": "database", "Table": "people"}


async def test_a_messy_file_is_shown_as_it_was_read(served: Served) -> None:
    lines = ["Name;Größe", "Müller;1,80", "<b>;1,75", *(f"N{n};1,{60 + n}" for n in range(30))]
    project = await served.opened("\n".join(lines).encode("cp1252"), "Patienten.csv")

    page = (await served.client.get(f"/p/{project.identifier}/open")).text

    assert "Müller" in page
    assert "&lt;b&gt;" in page
    assert "N29" not in page
    assert "Patienten.csv is not UTF-8" in page
    assert format_shown(page) == {
        "Format": "CSV",
        "Separator": "semicolon",
        "Encoding": "cp1252",
        "Header": "line 1",
        "Decimal separator": "comma",
    }


async def test_exposure_is_counted_as_by_hand(served: Served) -> None:
    rows = ["30,F,8001", "30,F,8001", "30,M,8001", "31,F,", "31,F,8002", "31,F,8002"]
    project = await served.opened("age,sex,zip\n" + "\n".join(rows) + "\n")

    found = exposed_by(project, ("age", "sex", "zip"))

    assert (found["n"], found["unique"], found["smallest"]) == (6, 2, 1)
    assert found["at_risk"] == [(3, 6), (5, 6), (10, 6)]
    # Without sex the man joins two women; without zip the missing cell joins two records.
    assert dict(found["without"]) == {"age": 2, "sex": 1, "zip": 1}


def test_decimal_commas_are_told_from_thousands() -> None:
    weights = pl.Series("kg", ["71,8", "60"])
    for beside, found in (
        (["7.600", "900"], ["kg"]),  # points may part thousands
        (["7.65", "900"], []),
        (["ab", "7.5"], ["kg"]),
    ):
        frame = pl.DataFrame([weights, pl.Series("other", beside)])
        assert columns_with_decimal_commas(frame) == found
    assert columns_with_decimal_commas(pl.DataFrame({"n": ["1,234", "900"]})) == []


async def test_problems_are_named_by_row_and_the_file_is_kept(served: Served) -> None:
    rows = "".join(f"{20 + n},F\n" for n in range(30))
    project = await served.opened(f"age,sex\n{rows}31,M,x\n")
    where = f"/p/{project.identifier}"

    page = (await served.client.get(f"{where}/open")).text
    elsewhere = await served.client.get(f"{where}/columns")
    again = await served.client.post(f"{where}/open", data={"separator": ";"})

    assert "people.csv: the header has 2 fields, but data row 31 (line 32) has 3" in page
    assert str(served.workspace.root) not in page
    assert elsewhere.headers["location"] == f"{where}/open"
    # With another separator the lines are cells of one column.
    assert again.status_code == 303
    assert again.headers["location"] == f"{where}/open"
    assert [one.identifier for one in served.workspace.projects()] == [project.identifier]
    assert (project.about["records"], project.about["columns"]) == (31, 1)


async def test_a_table_is_read_in_another_way(served: Served, tmp_path: Path) -> None:
    rows = "".join(
        f"{20 + n % 3},{'FM'[n % 2]},{'?' if n % 7 == 0 else 'flu'}\n" for n in range(42)
    )
    project = await served.opened(rows, "nameless.csv")
    asked = (await served.client.get(f"/p/{project.identifier}/open")).text
    assert "looks like a record, not like column names" in asked

    form = {"header": "absent", "null_values": "?, NA"}
    answer = await served.client.post(f"/p/{project.identifier}/open", data=form)
    read = served.workspace.project(answer.headers["location"].split("/")[2])
    page = (await served.client.get(f"/p/{read.identifier}/open")).text

    assert format_shown(page)["Header"] == "none"
    assert read.reading == {"header": "absent", "null_values": ["?", "NA"]}
    read.change({"k": 3, "quasi": ["column_1", "column_2"], "rest": "drop", "steps": 50, "seed": 1})
    run = await served.started(read)
    await reached(run, State.DONE, State.FAILED)
    assert run.state is State.DONE, run.status
    where = f"/p/{read.identifier}"
    job = (await served.client.get(f"{where}/export/1/job.zip")).content
    release = (await served.client.get(f"{where}/export/1/release.csv")).content
    zipfile.ZipFile(io.BytesIO(job)).extractall(tmp_path)
    (tmp_path / "nameless.csv").write_text(rows, encoding="utf-8")
    command = ["-m", "shoal", "anonymize", "nameless.csv", "--job", "job.toml", "-o", "release.csv"]
    subprocess.run([sys.executable, *command], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "release.csv").read_bytes() == release


async def test_a_table_is_removed_with_its_runs(served: Served) -> None:
    project = await served.opened(PEOPLE)
    await finished(served, project)

    answer = await served.client.post(f"/p/{project.identifier}/remove")

    assert answer.headers["location"] == "/"
    assert not project.folder.exists()


async def test_the_run_page_repeats_the_headline_of_the_verdict(served: Served) -> None:
    ages = "age,sex,illness\n" + "".join(
        f"{20 + number % 4},{'FM'[number % 2]},flu\n" for number in range(120)
    )
    project = await served.opened(ages + "99,F,cold\n98,M,flu\n97,M,flu\n")
    tree = {"age": "ranges:10,20"}
    await finished(served, project, suppression=0.05, form="full-domain", hierarchy=tree)

    page = (await served.client.get(f"/p/{project.identifier}/run/1")).text

    # One level for all ages: the three old ones are suppressed, or everybody's age is lost.
    assert "hides among at least 3 (3 starred ones among each other)" in page
    assert "3 of 123 records suppressed: 3 starred, 0 withheld" in page
    assert "1 unchanged column examined" in page


async def test_an_exposed_column_can_be_accepted(served: Served) -> None:
    numbered = "age,sex,mail\n" + "".join(
        f"{20 + number % 40},{'FM'[number % 2]},person{number}@clinic.example\n"
        for number in range(120)
    )
    project = await served.opened(numbered)
    project.change({"k": 3, "quasi": ["age", "sex"], "other": ["mail"], "steps": 200, "seed": 1})
    run = await served.started(project)
    await reached(run, State.DONE, State.FAILED)
    assert run.status["exposed"] == ["mail"]
    where = f"/p/{project.identifier}/run/1"

    page = (await served.client.get(where)).text
    assert "Nothing was written" in page
    assert all(f'value="{way}"' in page for way in ("identifier", "quasi", "accept"))
    assert "disabled>Run again" in page
    answer = await served.client.post(f"{where}/exposed", data={"column": "0", "way": "accept"})

    assert answer.status_code == 303
    assert project.options()["accept"] == ["mail"]
    assert "is accepted as it is" in (await served.client.get(where)).text
    again = await served.started(project)
    await reached(again, State.DONE, State.FAILED)
    shown = (await served.client.get(f"/p/{project.identifier}/run/2")).text
    assert "accepted as they are: &#39;mail&#39;" in shown


@pytest.mark.parametrize(("way", "role"), [("identifier", "identifier"), ("quasi", "quasi")])
async def test_an_exposed_column_can_be_dropped_or_generalized(
    served: Served, way: str, role: str
) -> None:
    numbered = "age,mail\n" + "".join(
        f"{20 + number % 40},person{number}@clinic.example\n" for number in range(60)
    )
    project = await served.opened(numbered)
    project.change({"k": 3, "quasi": ["age"], "other": ["mail"], "steps": 100, "seed": 1})
    run = await served.started(project)
    await reached(run, State.FAILED)

    where = f"/p/{project.identifier}/run/1/exposed"
    await served.client.post(where, data={"column": "0", "way": way})

    assert "mail" in project.options()[role]
    assert "other" not in project.options()
    refused = await served.client.post(where, data={"column": "7", "way": way})
    assert refused.status_code == 400
