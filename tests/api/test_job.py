"""Jobs as objects and files: what is saved is loaded, and runs as the function does."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pytest

import shoal

if TYPE_CHECKING:
    from pathlib import Path

PEOPLE = pl.DataFrame({"age": [35, 36, 37, 61, 62, 66], "sex": list("FFFMMM")})
OPTIONS: dict[str, Any] = {"k": 3, "quasi": ["age", "sex"], "suppression": 0.5, "seed": 5}


def test_a_saved_job_is_loaded_as_it_was(tmp_path: Path) -> None:
    job = shoal.Job(
        **OPTIONS,
        models=["recursive-l-diversity:3,2@ill"],
        sensitive=["ill"],
        hierarchy={"age": shoal.hierarchies.Ranges(5, 10)},
        algorithm=shoal.algorithms.Mondrian(cuts="relaxed"),
        null_values=["?"],
    )
    job.save(tmp_path / "job.toml")
    text = (tmp_path / "job.toml").read_text(encoding="utf-8")
    assert 'model = [\n    "recursive-l-diversity:3,2@ill",\n]' in text
    assert shoal.Job.load(tmp_path / "job.toml") == job


def test_a_job_with_a_seed_can_be_read_by_its_owner_alone(tmp_path: Path) -> None:
    shoal.Job(**OPTIONS).save(tmp_path / "job.toml")
    assert stat.S_IMODE((tmp_path / "job.toml").stat().st_mode) == 0o600


def test_a_job_shows_what_is_set_and_keeps_its_seed_secret() -> None:
    job = shoal.Job(**OPTIONS)
    assert repr(job) == "Job(k=3, quasi=('age', 'sex'), suppression=0.5, seed='…')"
    assert {"k", "seed", "load", "save", "run", "to_dict"} <= set(dir(job))
    assert not any(name.startswith(("model_", "parse_")) for name in dir(job))


def test_a_file_that_exists_is_not_replaced_unless_forced(tmp_path: Path) -> None:
    job = shoal.Job(**OPTIONS)
    job.save(tmp_path / "job.toml")
    with pytest.raises(shoal.FileError, match="`force`"):
        job.save(tmp_path / "job.toml")
    job.save(tmp_path / "job.toml", force=True)


def test_hierarchy_files_are_found_from_the_folder_of_the_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "sex.csv").write_text("F,*\nM,*\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    shoal.Job(**OPTIONS, hierarchy={"sex": "sex.csv"}).save("jobs/job.toml")
    monkeypatch.chdir(tmp_path / "jobs")
    assert shoal.Job.load("job.toml").run(PEOPLE).verdict.passed


def test_a_job_runs_as_the_function_does() -> None:
    release = shoal.Job(**OPTIONS).run(PEOPLE)
    assert release.frame.equals(shoal.anonymize(PEOPLE, **OPTIONS).frame)
    assert isinstance(shoal.Job(**OPTIONS).run(PEOPLE.to_pandas()).frame, pd.DataFrame)


def test_a_hierarchy_object_is_saved_and_loaded_with_its_job(tmp_path: Path) -> None:
    rows = [["35", "young", "*"], ["36", "young", "*"], ["37", "young", "*"]]
    rows += [[age, 'old, or "senior"', "*"] for age in ("61", "62", "66")]
    tree = shoal.Hierarchy.from_rows(rows)
    job = shoal.Job(**OPTIONS, hierarchy={"age": tree})
    job.save(tmp_path / "job.toml")
    loaded = shoal.Job.load(tmp_path / "job.toml")
    assert loaded == job
    release = loaded.run(PEOPLE)
    assert set(release.frame["age"]) == {"young", 'old, or "senior"'}
    assert release.frame.equals(shoal.anonymize(PEOPLE, **OPTIONS, hierarchy={"age": tree}).frame)
    assert shoal.verify(PEOPLE, release).passed


def test_facts_do_not_list_the_values_of_a_hierarchy_object() -> None:
    """It may hold values of records that are withheld."""
    tree = shoal.Hierarchy.from_rows([["F", "*"], ["M", "*"], ["nobody", "*"]])
    release = shoal.anonymize(PEOPLE, **OPTIONS, hierarchy={"sex": tree})
    assert "nobody" not in str(release.facts.to_dict())
    assert "nobody" in str(release.job.to_dict())


@pytest.mark.parametrize("text", ["tree:", "tree:[[1]]", "tree:{", 'tree:[["F"],["M","*"]]'])
def test_a_hierarchy_that_is_listed_wrongly_is_refused(text: str) -> None:
    with pytest.raises(shoal.HierarchyError):
        shoal.Job(**OPTIONS, hierarchy={"sex": text}).run(PEOPLE)


def test_mistakes_in_a_file_are_reported_together(tmp_path: Path) -> None:
    (tmp_path / "job.toml").write_text('k = "many"\nquasy = ["age"]\n', encoding="utf-8")
    with pytest.raises(shoal.ParameterError) as caught:
        shoal.Job.load(tmp_path / "job.toml")
    assert len(caught.value.mistakes) == 3
    with pytest.raises(shoal.FileError, match="Cannot read the job"):
        shoal.Job.load(tmp_path / "none.toml")
