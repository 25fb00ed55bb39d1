"""The workspace keeps jobs with their history, and lets nobody else in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from shoal.errors import FileError, InputError
from shoal.web.runs import recover
from shoal.web.workspace import OtherLayoutError, StaleJobError, Workspace, write_json

if TYPE_CHECKING:
    from pathlib import Path


def test_a_temporary_workspace_is_private_and_wiped() -> None:
    workspace = Workspace.open()
    project = workspace.create("people.csv")
    assert workspace.root.stat().st_mode & 0o777 == 0o700
    assert project.folder.stat().st_mode & 0o777 == 0o700

    workspace.close()

    assert not workspace.root.exists()


def test_a_kept_workspace_is_found_again(tmp_path: Path) -> None:
    first = Workspace.open(tmp_path / "kept")
    project = first.create("people.csv")
    project.change({"k": 5})
    first.close()

    again = Workspace.open(tmp_path / "kept").project(project.identifier, read=False)

    assert again.about["name"] == "people.csv"
    assert again.options() == {"k": 5}


def test_a_workspace_that_others_can_read_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o755)

    with pytest.raises(FileError, match="Others may read"):
        Workspace.open(folder)


@pytest.mark.parametrize("name", ["..", "../../etc", "", "0123456789ab", "0123456789AB", "a/b"])
def test_only_identifiers_lead_to_projects(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="no such project"):
        Workspace.open(tmp_path / "w").project(name)


def test_links_lead_to_no_project(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "w")
    project = workspace.create("people.csv")
    outside = tmp_path / "outside"
    project.folder.rename(outside)
    project.folder.symlink_to(outside, target_is_directory=True)

    assert workspace.projects() == []
    with pytest.raises(InputError, match="no such project"):
        workspace.project(project.identifier, read=False)


def test_changes_can_be_undone_one_by_one(tmp_path: Path) -> None:
    project = Workspace.open(tmp_path / "w").create("people.csv")
    project.change({"k": 2})
    project.change({"k": 3})

    assert project.undo()
    assert project.options() == {"k": 2}
    assert project.undo()
    assert project.options() == {}
    assert not project.undo()


def test_a_stale_page_does_not_overwrite_another_tab(tmp_path: Path) -> None:
    project = Workspace.open(tmp_path / "w").create("people.csv")
    drawn = project.version
    project.change({"k": 3}, version=drawn)

    with pytest.raises(StaleJobError):
        project.change({"k": 99}, version=drawn)

    assert project.options() == {"k": 3}


def test_a_project_of_another_version_is_named_and_left_as_it_is(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "w")
    project = workspace.create("people.csv")
    (project.folder / "runs").mkdir()
    write_json(project.folder / "project.json", {"name": "people.csv", "opened": "2025"})

    with pytest.raises(OtherLayoutError, match="opened by another version of Shoal") as raised:
        workspace.project(project.identifier, read=False)

    assert str(project.folder / "runs") in raised.value.remedy
    assert (project.folder / "runs").is_dir()
    assert [one.identifier for one in workspace.projects()] == [project.identifier]


def test_a_server_that_was_killed_leaves_no_half_an_upload(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "w")
    half, whole = workspace.create("half.csv"), workspace.create("whole.csv")
    (half.folder / "source.csv").write_text("age\n1")
    whole.note(source=str(whole.folder / "source.csv"))

    recover(workspace)

    assert [one.identifier for one in workspace.projects()] == [whole.identifier]
    assert "server ended before this table was read" in whole.about["problem"]["what"]
