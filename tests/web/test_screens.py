"""What single screens answer: figures of what the page shows now, and errors where they arose."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from shoal.web.workspace import write_json
from tests.web.conftest import HERE, Served
from tests.web.test_app import JOB, PEOPLE

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.web.workspace import Project

pytestmark = pytest.mark.anyio


async def prepared(served: Served) -> tuple[Project, str]:
    project = await served.opened(PEOPLE)
    project.change(JOB)
    return project, f"/p/{project.identifier}"


async def test_the_cost_is_that_of_the_fields_before_they_are_kept(served: Served) -> None:
    project, where = await prepared(served)
    # Three of the 120 records share each age and sex: k = 3 costs nothing.
    kept = await served.client.get(f"{where}/goal/prediction")
    typed = await served.client.get(f"{where}/goal/prediction", params={"k": "12", "person": ""})
    wrong = await served.client.get(f"{where}/goal/prediction", params={"k": "many"})
    too_much = await served.client.get(f"{where}/goal/prediction", params={"k": "121"})

    assert ">0.0 %<" in kept.text
    assert "of the detail lost" in typed.text
    assert typed.text != kept.text
    assert "should be a valid integer" in wrong.text
    assert "of the detail lost" not in too_much.text
    assert project.options() == JOB


async def test_another_kind_changes_its_details_in_place(served: Served) -> None:
    project, where = await prepared(served)

    ordered = await served.client.post(f"{where}/columns/1/kind", data={"kind": "ordered"})
    dates = await served.client.post(f"{where}/columns/1/kind", data={"kind": "date"})
    none = await served.client.post(f"{where}/columns/1/kind", data={"kind": ""})

    assert 'id="details-1" hx-swap-oob="true"' in ordered.text
    assert "Order of the values of sex" in ordered.text
    assert "Format of the dates of sex" in dates.text
    assert "<input" not in none.text
    assert "hx-refresh" not in ordered.headers
    assert none.headers["shoal-version"] == str(project.version)
    assert project.options() == JOB


async def test_a_column_left_out_changes_the_others_without_a_role(served: Served) -> None:
    project = await served.opened(PEOPLE)
    where = f"/p/{project.identifier}"
    await served.client.post(f"{where}/columns/0/role", data={"role": "quasi"})

    answer = await served.client.post(f"{where}/columns/1/role", data={"role": "drop"})

    assert 'id="role-2" name="role" hx-swap-oob="true"' in answer.text
    assert '<option value="drop" selected>' in answer.text
    assert 'id="role-0"' not in answer.text
    assert 'id="role-1"' not in answer.text  # it has the focus
    assert project.options() == {"quasi": ["age"], "rest": "drop"}


@pytest.mark.parametrize(
    ("place", "form", "told"),
    [
        ("make", {"recipe": "ranges", "details": "5,7"}, "multiple"),
        ("make", {"recipe": "dates", "details": ""}, "date"),
        ("import", {"layout": "tree"}, "No file was chosen"),
        ("move", {"value": "99", "group": "[20..24]"}, "There is no such value or group"),
    ],
)
async def test_a_hierarchy_that_fails_leaves_the_screen_and_its_fields(
    served: Served, place: str, form: dict[str, str], told: str
) -> None:
    project, where = await prepared(served)
    made = {"column": "age", "recipe": "ranges", "details": "5,10"}
    await served.client.post(f"{where}/hierarchies/make", data=made)
    options = project.options()

    answer = await served.client.post(
        f"{where}/hierarchies/{place}", data={"column": "age", **form}
    )

    assert answer.status_code == 400
    assert told in answer.text
    assert "<h2>Make one</h2>" in answer.text
    for name, value in form.items():
        kept = (
            f'id="recipe-{value}" name="recipe" value="{value}" checked'
            if name == "recipe"
            else (f'value="{value}"')
        )
        assert kept in answer.text
    assert project.options() == options
    assert list(project.hierarchies.iterdir()) == []


async def test_the_tree_says_what_was_checked(served: Served) -> None:
    _, where = await prepared(served)
    tree = "F,women,*\nM,men,*\nX,others,*\n"
    answer = await served.client.post(
        f"{where}/hierarchies/import",
        data={"column": "sex", "layout": "tree"},
        files={"file": ("sex.csv", tree)},
    )
    assert answer.status_code == 303, answer.text

    page = (await served.client.get(f"{where}/hierarchies/tree", params={"column": "sex"})).text

    assert "all 2 values of the data are in the tree" in page
    assert "1 of its values does not occur in the data" in page


async def test_another_role_takes_the_options_of_the_old_one_away(served: Served) -> None:
    project, where = await prepared(served)
    more = {"kind": {"age": "numeric"}, "weight": {"age": 2.0, "sex": 3.0}}
    project.change({**JOB, **more, "model": ["t-closeness:0.5@illness"], "target": "illness"})

    left_out = await served.client.post(f"{where}/columns/0/role", data={"role": "drop"})
    await served.client.post(f"{where}/columns/2/role", data={"role": "identifier"})

    assert 'id="kind-0" name="kind" hx-swap-oob="true"' in left_out.text
    options = project.options()
    assert options["weight"] == {"sex": 3.0}
    assert not {"kind", "model", "target", "sensitive"} & set(options)


async def test_columns_have_several_models_and_so_has_the_release(served: Served) -> None:
    project, where = await prepared(served)
    fields = {
        "model-illness": "distinct-l-diversity:2  t-closeness:0.5",
        "model-": "average-risk:0.1",
    }

    await served.client.post(f"{where}/goal", data=fields)

    assert project.options()["model"] == [
        "distinct-l-diversity:2@illness",
        "t-closeness:0.5@illness",
        "average-risk:0.1",
    ]
    page = (await served.client.get(f"{where}/goal")).text
    assert 'value="distinct-l-diversity:2 t-closeness:0.5"' in page
    assert 'name="model-" list="whole-models" value="average-risk:0.1"' in page


async def test_the_job_is_edited_as_a_file(served: Served) -> None:
    project, where = await prepared(served)
    job = 'k = 4\nquasi = ["age", "sex"]\nsensitive = ["illness"]\npersonal_k = ["sex=F:9"]\n'

    kept = await served.client.post(f"{where}/job", data={"job": job})

    assert kept.status_code == 303
    assert project.options()["personal_k"] == ["sex=F:9"]
    await served.client.post(f"{where}/job/undo")
    assert project.options() == JOB


@pytest.mark.parametrize(
    ("job", "told"),
    [
        ("k = ", "This is not TOML"),
        ("kk = 3", "kk"),
        ("k = 'many'", "should be a valid integer"),
        ("separator = ';'", "sets how the table is read"),
        ("[hierarchy]\nage = '/etc/passwd'", "There is no hierarchy file /etc/passwd"),
        ("[hierarchy]\nage = 'hierarchies/../project.json'", "There is no hierarchy file"),
    ],
)
async def test_a_job_that_cannot_be_is_shown_again(served: Served, job: str, told: str) -> None:
    project, where = await prepared(served)

    answer = await served.client.post(f"{where}/job", data={"job": job})

    assert answer.status_code == 400
    assert told in answer.text
    assert job.partition("\n")[0].replace("'", "&#39;") in answer.text
    assert project.options() == JOB


async def test_the_list_of_runs_is_sent_when_it_has_changed(served: Served) -> None:
    project, where = await prepared(served)
    for number, state in ((1, "done"), (2, "queued")):
        folder = project.folder / "runs" / f"{number:04}"
        folder.mkdir(parents=True)
        write_json(
            folder / "status.json", {"state": "failed" if number == 1 else state, "what": "x"}
        )

    page = (await served.client.get(f"{where}/run")).text
    same = await served.client.get(f"{where}/run/list", params={"seen": "queued-failed"})
    ended = await served.client.post(f"{where}/run/2/stop")
    changed = await served.client.get(f"{where}/run/list", params={"seen": "queued-failed"})

    assert f'hx-get="{where}/run/list?seen=queued-failed"' in page
    assert same.status_code == 204
    assert ended.status_code == 303
    assert "cancelled" in changed.text
    assert "hx-get" not in changed.text  # nothing more will happen


@pytest.mark.skipif(os.name != "posix", reason="devices are files")
async def test_devices_are_not_read(served: Served, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    for path in ("/dev/null", str(tmp_path / "pipe.csv")):
        answer = await served.client.post("/open/path", data={"path": path})
        assert answer.status_code == 400
        assert f"{path} is not a file." in answer.text
    assert served.workspace.projects() == []


@pytest.mark.parametrize(
    ("place", "status"),
    [("/nowhere", 404), ("/p/nothing/open", 400), ("/open/path", 405), ("/p/x/explore?run=a", 404)],
)
async def test_addresses_that_lead_nowhere_answer_with_a_page(
    served: Served, place: str, status: int
) -> None:
    answer = await served.client.get(place)

    assert answer.status_code == status
    assert "<h1>That did not work</h1>" in answer.text


async def test_an_error_leads_back_to_the_page_it_came_from(served: Served) -> None:
    project, where = await prepared(served)
    project.change({"quasi": ["age"]})  # no k
    answer = await served.client.post(
        f"{where}/run/start", headers={"referer": f"{HERE}{where}/run"}
    )
    away = await served.client.post(
        f"{where}/run/start", headers={"referer": f"https://evil.example{where}/run"}
    )

    assert answer.status_code == away.status_code == 400
    assert f'<a class="button primary" href="{where}/run">Back</a>' in answer.text
    assert f'href="{where}/goal"' in answer.text  # the steps of the table
    assert ">Back<" not in away.text


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ann:hunter2@localhost/clinic",
        "mysql://localhost/clinic?password=hunter2",
        "postgres://ann:hun/ter2#@localhost/clinic",
    ],
)
async def test_an_address_with_a_password_is_neither_shown_nor_stored(
    served: Served, address: str
) -> None:
    answer = await served.client.post("/open/path", data={"path": address, "table": "people"})

    assert answer.status_code == 400
    assert "holds a password" in answer.text
    assert "ter2" not in answer.text
    assert served.workspace.projects() == []
