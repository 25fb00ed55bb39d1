"""A table that is read in another way: the same project, its runs, and what becomes of its job."""

from __future__ import annotations

import pytest

from shoal.web.runs import State
from shoal.web.tables import Request, original_page, released_page
from shoal.web.workspace import write_json
from tests.web.conftest import Served, reached

pytestmark = pytest.mark.anyio
ROWS = "".join(f"{20 + n % 4};{'FM'[n % 2]};{'?' if n % 7 == 0 else 'flu'}\n" for n in range(42))
TABLE = f"age;sex;illness\n{ROWS}"
JOB = {"k": 3, "quasi": ["age", "sex"], "sensitive": ["illness"], "steps": 50, "seed": 1}


async def test_the_same_columns_keep_options_and_runs(served: Served) -> None:
    project = await served.opened(TABLE)
    project.change(JOB)
    run = await served.started(project)
    await reached(run, State.DONE, State.FAILED)
    assert run.state is State.DONE, run.status
    before = released_page(run, Request())
    where = f"/p/{project.identifier}"
    drawn = project.version

    answer = await served.client.post(f"{where}/open", data={"null_values": "?"})

    assert answer.headers["location"] == f"{where}/open?options=kept"
    assert len(served.workspace.projects()) == 1
    assert project.options() == JOB
    assert project.reading["null_values"] == ["?"]
    shown = original_page(project.page_table, Request())
    assert {row[2] for row in shown["rows"]} == {"flu", None}
    # The finished run shows, and repeats, the table as it was read then.
    assert released_page(run, Request()) == before
    assert "null_values" not in run.options()
    assert "null_values" not in (await served.client.get(f"{where}/export?run=1")).text
    page = (await served.client.get(answer.headers["location"])).text
    assert "roles, hierarchies and goal stay as they were" in page
    # Another tab still shows the table as it was.
    stale = await served.client.post(f"{where}/goal", data={"k": "9", "version": str(drawn)})
    assert stale.status_code == 409


async def test_other_columns_start_without_options(served: Served) -> None:
    project = await served.opened(TABLE)
    project.change(JOB)
    where = f"/p/{project.identifier}"

    answer = await served.client.post(f"{where}/open", data={"separator": ","})

    assert answer.headers["location"] == f"{where}/open?options=cleared"
    assert project.column_names() == ["age;sex;illness"]
    assert project.options() == {}
    assert not project.undo()


async def test_a_reading_that_fails_changes_nothing(served: Served) -> None:
    project = await served.opened(TABLE)
    project.change(JOB)
    about = project.about

    answer = await served.client.post(f"/p/{project.identifier}/open", data={"header": "99"})

    assert answer.status_code == 400
    assert project.about == about
    assert project.options() == JOB
    assert list(project.folder.glob("reading-*")) == []


async def test_a_file_with_titles_shows_its_lines_and_the_line_of_its_names(
    served: Served,
) -> None:
    project = await served.opened(f"Clinic <b>;;\n;;\n{TABLE}")
    where = f"/p/{project.identifier}/open"

    page = (await served.client.get(where)).text

    assert "First lines of the file" in page
    assert "Clinic &lt;b&gt;;;" in page
    assert 'name="header" list="headers" value="3"' in page
    assert "<q>Header: 3</q>" in page
    await served.client.post(where, data={"header": "3"})
    assert project.column_names() == ["age", "sex", "illness"]


async def test_dates_in_two_styles_are_suggested_as_dates(served: Served) -> None:
    rows = "".join(f"{1 + n}.02.{1950 + n},flu\n1970-03-{1 + n:02},flu\n" for n in range(20))
    project = await served.opened(f"born,illness\n{rows}")

    await served.client.post(f"/p/{project.identifier}/columns/suggested")

    options = project.options()
    assert set(options["date_format"]["born"].split("|")) == {"%Y-%m-%d", "%d.%m.%Y"}
    assert options["kind"]["born"] == "date"


async def test_undo_leads_back_to_the_screen_it_came_from(served: Served) -> None:
    project = await served.opened(TABLE)
    project.change(JOB)
    where = f"/p/{project.identifier}"
    here = f"{served.client.base_url}{where}/hierarchies?column=sex".replace("//p", "/p")
    assert "Undo the last change" in (await served.client.get(f"{where}/goal")).text

    answer = await served.client.post(f"{where}/job/undo", headers={"referer": here})

    assert answer.headers["location"] == f"{where}/hierarchies?column=sex"
    assert project.options() == {}
    # Nothing is left to undo, and other addresses lead nowhere.
    assert "Undo the last change" not in (await served.client.get(f"{where}/goal")).text
    away = await served.client.post(
        f"{where}/job/undo", headers={"referer": "https://x.example/p/1"}
    )
    assert away.headers["location"] == f"{where}/job"


async def test_the_start_page_names_tables_of_another_version(served: Served) -> None:
    project = await served.opened(TABLE)
    about = {key: value for key, value in project.about.items() if key != "layout"}
    write_json(project.folder / "project.json", about)

    page = (await served.client.get("/")).text
    opened = await served.client.get(f"/p/{project.identifier}/columns")
    await served.client.post(f"/p/{project.identifier}/remove")

    assert "opened by another version of Shoal" in page
    assert opened.status_code == 400
    assert "Open the table again" in opened.text
    assert served.workspace.projects() == []
