"""The disk engine: equal to the reference in memory, whole or not at all, resumable, private."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import shoal
from shoal.engines.local import plan_in_memory, solve_in_memory
from shoal.engines.solving import ROW
from shoal.pipeline.custody import read_row_map
from tests.engines.census import QUASI, people

if TYPE_CHECKING:
    from pathlib import Path


def _job(**options: object) -> shoal.Job:
    given = {"k": 5, "quasi": QUASI, "sensitive": ["ill"], "identifier": ["name"], "seed": 11,
             "cell_records": 1500, "engine": "disk", "steps": 60_000} | options  # fmt: skip
    return shoal.Job(**given)  # type: ignore[arg-type]


def _class_table(folder: Path) -> pl.DataFrame:
    """Return the release beside the row map: what each row of the source became."""
    released = pl.read_parquet(folder / "out" / "release" / "*.parquet")
    rows = pl.read_parquet(folder / "secret" / "custody.json.rows.parquet")
    return released.with_columns((rows["row"] - 1).alias(ROW)).sort(ROW)


def _release(
    folder: Path, frame: pl.DataFrame, job: shoal.Job, name: str = "people.parquet"
) -> pl.DataFrame:
    (folder / "secret").mkdir()
    (folder / "out").mkdir()
    frame.write_parquet(folder / name)
    custody = folder / "secret" / "custody.json"
    release = shoal.anonymize_files(folder / name, folder / "out" / "release", job, custody=custody)
    assert release.verdict.passed
    return _class_table(folder)


def _reference(frame: pl.DataFrame, job: shoal.Job) -> pl.DataFrame:
    plan, numbered = plan_in_memory(frame, job, seed=11)
    solved = pl.concat([one.table for one in solve_in_memory(plan, numbered)])
    return solved.sort(ROW)


def _work_folder(folder: Path) -> Path:
    return folder / "out" / ".release.shoal-work"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {
            "models": ["t-closeness:0.3", "distinct-l-diversity:2"],
            "threads": 2,
            "hierarchy": {"age": "ranges:5,10", "town": "stars"},
        },
        {"suppression": 0.01, "notation": "min_max"},
        {"missing": "drop", "person": "name", "identifier": []},
    ],
    ids=["plain", "models", "suppression", "persons"],
)
def test_class_tables_equal_those_of_the_reference(
    tmp_path: Path, options: dict[str, object]
) -> None:
    frame = people(6_000)
    if "missing" in options:
        every = pl.int_range(pl.len())
        frame = frame.with_columns(
            pl.when(every % 97 == 0).then(None).otherwise(pl.col("job")).alias("job"),
            name=every // 2,
        )
    job = _job(**options)
    made = _release(tmp_path, frame, job)
    expected = _reference(frame, job).select(made.columns)
    assert made.height >= 5_700
    assert_frame_equal(made, expected)
    assert not _work_folder(tmp_path).exists()


def test_a_record_that_is_not_released_does_not_decide_the_type_of_bounds(tmp_path: Path) -> None:
    frame = people(400).with_columns(age=pl.col("age").cast(pl.Float64))
    frame = frame.with_columns(
        age=pl.when(pl.int_range(pl.len()) == 7).then(33.5).otherwise("age"),
        job=pl.when(pl.int_range(pl.len()) == 7).then(None).otherwise("job"),
    )
    job = _job(missing="drop", notation="min_max")
    made = _release(tmp_path, frame, job)
    assert made.height == 399
    assert made.schema["age_min"] == made.schema["age_max"] == pl.Int64


def test_csv_files_that_a_pattern_names_are_one_table(tmp_path: Path) -> None:
    frame = people(6_000)
    frame[:2_500].write_csv(tmp_path / "a-1.csv")
    frame[2_500:].write_csv(tmp_path / "a-2.csv")
    job = _job(seed=3, cell_records=2000)
    release = shoal.anonymize_files(tmp_path / "a-*.csv", tmp_path / "out.csv", job)
    assert release.verdict.passed
    read = pl.read_csv(tmp_path / "out.csv", infer_schema=False)
    assert read.height == 6_000
    assert read.columns == [*QUASI, "ill"]
    counts = frame["ill"].value_counts().sort("ill")
    assert_frame_equal(read["ill"].value_counts().sort("ill"), counts)
    shown = shoal.verify(
        frame.cast(pl.String), read, k=5, quasi=QUASI, sensitive=["ill"], identifier=["name"],
        kind={"age": "numeric"},
    )  # fmt: skip
    assert shown.passed


def test_rows_are_shuffled_across_cells(tmp_path: Path) -> None:
    frame = people(8_000)
    _release(tmp_path, frame, _job())
    rows = pl.read_parquet(tmp_path / "secret" / "custody.json.rows.parquet")["row"]
    ages = frame["age"][rows - 1]
    # Cells are cut by age too: had they been written one after another, halves would differ.
    halves = float(ages[:4000].mean()), float(ages[4000:].mean())  # type: ignore[arg-type]
    assert abs(halves[0] - halves[1]) < 2


def test_facts_and_custody_say_what_was_done(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    out = tmp_path / "out"
    out.mkdir()
    people(5_000).write_parquet(tmp_path / "people.parquet")
    shoal.anonymize_files(
        tmp_path / "people.parquet", out / "release.parquet", _job(),
        facts=out / "facts.json", custody=tmp_path / "secret" / "c.json",
    )  # fmt: skip
    rows, _ = read_row_map(tmp_path / "secret" / "c.json")
    assert sorted(rows.tolist()) == list(range(5_000))
    facts = json.loads((out / "facts.json").read_text())
    assert facts["n"] == 5_000
    assert facts["verdict"]["passed"]
    assert "DuckDB" in facts["verdict"]["proof"]
    assert "seed" not in facts["job"]
    for secret in ("c.json", "c.json.rows.parquet"):
        mode = (tmp_path / "secret" / secret).stat().st_mode
        assert stat.S_IMODE(mode) == 0o600
    assert json.loads((tmp_path / "secret" / "c.json").read_text())["seed"] == "11"
    assert pl.read_parquet(out / "release.parquet").height == 5_000


def test_starred_records_fewer_than_k_are_withheld(tmp_path: Path) -> None:
    far = pl.when(pl.int_range(pl.len()) < 3).then(5000).otherwise(pl.col("age"))
    frame = people(5_000).with_columns(age=far + pl.int_range(pl.len()) % 7)
    frame.write_parquet(tmp_path / "people.parquet")
    job = _job(k=10, suppression=0.01, cell_records=4000, steps=200_000)
    release = shoal.anonymize_files(tmp_path / "people.parquet", tmp_path / "out.parquet", job)
    shown = pl.read_parquet(tmp_path / "out.parquet")
    starred = shown.filter(pl.all_horizontal(pl.col(QUASI) == "*")).height
    assert release.facts.suppressed > 0
    assert starred == 0 or starred >= 10
    assert shown.height == 5_000 - release.facts.withheld
    assert "gcp" not in release.facts.measures
    # What unchanged columns single out was counted with the withheld records.
    figures = [one["unique_if_known"] for one in release.facts.exposure["columns"]]
    assert set(figures) == ({None} if release.facts.withheld else set(figures))


@pytest.mark.parametrize(
    ("make", "error", "reason"),
    [
        ("other type", shoal.FileError, "differs from .* in 'age'"),
        ("column missing", shoal.FileError, "differs from .* in 'town'"),
        ("equal records", shoal.InfeasibleError, "30,000 records cannot be cut"),
        ("no such column", shoal.SchemaError, "no column 'job'"),
    ],
)
def test_bad_input_is_a_clear_error_and_leaves_nothing(
    tmp_path: Path, make: str, error: type[shoal.ShoalError], reason: str
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    frame = people(3_000)
    second = frame
    if make == "other type":
        second = frame.with_columns(pl.col("age").cast(pl.String))
    elif make == "column missing":
        second = frame.drop("town")
    elif make == "equal records":
        frame = second = pl.concat([frame[:1]] * 15_000)
    else:
        frame = second = frame.drop("job")
    frame.write_parquet(folder / "1.parquet")
    second.write_parquet(folder / "2.parquet")
    (tmp_path / "out").mkdir()
    with pytest.raises(error, match=reason):
        shoal.anonymize_files(folder, tmp_path / "out" / "release", _job())
    assert list((tmp_path / "out").iterdir()) == []


def test_a_ragged_csv_file_is_refused_without_its_cells(tmp_path: Path) -> None:
    people(100).write_csv(tmp_path / "p.csv")
    with (tmp_path / "p.csv").open("a") as file:
        file.write("7,33,F,secret word\n")
    (tmp_path / "out").mkdir()
    with pytest.raises(shoal.FileError, match="has 4 fields, but the header has 6") as raised:
        shoal.anonymize_files(tmp_path / "p.csv", tmp_path / "out" / "release", _job())
    assert "secret word" not in str(raised.value)
    assert list((tmp_path / "out").iterdir()) == []


def test_an_existing_release_is_replaced_only_when_told(tmp_path: Path) -> None:
    people(2_000).write_parquet(tmp_path / "p.parquet")
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "notes.txt").write_text("mine")
    for force in (False, True):
        with pytest.raises(shoal.FileError, match="exists"):
            shoal.anonymize_files(tmp_path / "p.parquet", tmp_path / "release", _job(), force=force)
    assert (tmp_path / "release" / "notes.txt").read_text() == "mine"


def test_there_is_nothing_to_resume_where_nothing_was_begun(tmp_path: Path) -> None:
    people(1_000).write_parquet(tmp_path / "p.parquet")
    with pytest.raises(shoal.FileError, match="nothing to resume"):
        shoal.anonymize_files(tmp_path / "p.parquet", tmp_path / "release", _job(), resume=True)


# Sends itself a signal as soon as a unit is solved; at its end it says when units were written.
_RUN = """
import os
import signal
import sys
from pathlib import Path

from shoal.cli.main import main

folder, sent = Path(sys.argv[1]), getattr(signal, sys.argv[2], None)
work = folder / "out" / ".release.shoal-work"
written = lambda: list((work / "solved").glob("*.parquet"))


def watch(frame, event, _):
    solving = event == "call" and frame.f_code.co_filename.endswith("workers.py")
    if solving and written():
        sys.setprofile(None)
        os.kill(os.getpid(), sent)


def tell(event, arguments):
    if event == "subprocess.Popen" and sent:  # those that solve are being started
        sys.setprofile(watch)
    if event == "shutil.rmtree" and Path(arguments[0]) == work:
        for one in written():
            print(one.name, one.stat().st_mtime_ns)


sys.addaudithook(tell)
sys.argv[1:] = sys.argv[3:]
main()
"""


def _run(folder: Path, sent: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = ["anonymize", str(folder / "people.csv"), "-k", "5", "--quasi", ",".join(QUASI),
               "--sensitive", "ill", "--identifier", "name", "--engine", "disk", "--seed", "11",
               "--cell-records", "1500", "--steps", "60000", "-o", str(folder / "out/release"),
               "--custody", str(folder / "secret/custody.json"), *words]  # fmt: skip
    return subprocess.run(
        [sys.executable, "-c", _RUN, str(folder), sent, *command],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    frame = people(6_000)
    frame.write_csv(tmp_path / "people.csv")
    (tmp_path / "secret").mkdir()
    (tmp_path / "out").mkdir()
    killed = _run(tmp_path, "SIGKILL")
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert not (tmp_path / "out" / "release").exists()
    work = _work_folder(tmp_path)
    assert stat.S_IMODE(work.stat().st_mode) == 0o700
    done = {f"{one.name} {one.stat().st_mtime_ns}" for one in (work / "solved").glob("*.parquet")}
    assert done

    with pytest.raises(shoal.FileError, match="had another job"):
        shoal.anonymize_files(
            tmp_path / "people.csv", tmp_path / "out" / "release", _job(k=6), resume=True
        )
    again = _run(tmp_path, "no signal", "--resume")
    assert again.returncode == 0, again.stderr
    assert done < set(again.stdout.splitlines())  # what was solved is not solved again
    made = _class_table(tmp_path)
    assert not work.exists()
    assert made.height == 6_000
    assert made[ROW].sum() == sum(range(6_000))
    assert_frame_equal(made, _reference(frame, _job()).select(made.columns))


def test_ctrl_c_leaves_a_run_that_can_be_resumed(tmp_path: Path) -> None:
    people(6_000).write_csv(tmp_path / "people.csv")
    (tmp_path / "secret").mkdir()
    (tmp_path / "out").mkdir()
    stopped = _run(tmp_path, "SIGINT")
    assert stopped.returncode == 130
    assert "nothing was released" in stopped.stderr
    assert "--resume" in stopped.stderr
    assert not (tmp_path / "out" / "release").exists()
    again = _run(tmp_path, "no signal", "--resume")
    assert again.returncode == 0, again.stderr
    assert "verified: 6,000 of 6,000" in again.stdout
    assert pl.read_parquet(tmp_path / "out" / "release" / "*.parquet").height == 6_000
    assert not _work_folder(tmp_path).exists()


def test_a_terminated_run_says_what_it_keeps(tmp_path: Path) -> None:
    people(3_000).write_csv(tmp_path / "people.csv")
    (tmp_path / "secret").mkdir()
    (tmp_path / "out").mkdir()
    stopped = _run(tmp_path, "SIGTERM")
    assert stopped.returncode == 128 + signal.SIGTERM
    assert "Nothing was released" in stopped.stderr
    assert f"kept in {_work_folder(tmp_path)}" in stopped.stderr
    assert "--resume" in stopped.stderr
    assert [one.name for one in (tmp_path / "out").iterdir()] == [".release.shoal-work"]


def test_a_run_that_ends_before_its_plan_leaves_nothing(tmp_path: Path) -> None:
    people(1_000).write_parquet(tmp_path / "p.parquet")
    (tmp_path / "out").mkdir()

    def watch(progress: shoal.Progress) -> None:
        if progress.stage == "cut":
            raise KeyboardInterrupt

    with pytest.raises(shoal.Cancelled, match="no work was kept"):
        shoal.anonymize_files(
            tmp_path / "p.parquet", tmp_path / "out" / "release", _job(), watch=watch
        )
    assert list((tmp_path / "out").iterdir()) == []


def test_progress_tells_every_stage_and_never_goes_back(tmp_path: Path) -> None:
    people(3_000).write_csv(tmp_path / "p.csv")
    told: list[shoal.Progress] = []
    job = _job(cell_records=1000, steps=20_000)
    shoal.anonymize_files(tmp_path / "p.csv", tmp_path / "out.csv", job, watch=told.append)
    stages = list(dict.fromkeys(one.stage for one in told))
    assert stages == ["read", "encode", "examine", "cut", "solve", "verify", "write"]
    for stage in ("read", "cut", "solve", "write"):
        fractions = [one.fraction for one in told if one.stage == stage]
        assert fractions == sorted(fractions)
        assert len(fractions) > 2


# Kills itself when it has come so far.
_KILLED = """
import os, signal, sys
import shoal
from pathlib import Path

def watch(progress):
    if progress.stage == sys.argv[2] and progress.fraction >= float(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)

folder = Path(sys.argv[1])
job = shoal.Job(k=5, quasi=["age", "sex", "job", "town"], sensitive=["ill"], identifier=["name"],
                seed=11, cell_records=1500, engine="disk", steps=60000)
shoal.anonymize_files(folder / "people.parquet", folder / "out" / "release", job,
                      custody=folder / "secret" / "custody.json", watch=watch)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stage", "fraction", "resumable"),
    [
        ("read", "0", False),
        ("encode", "1", False),
        ("cut", "0", False),
        ("solve", "0", True),
        ("solve", "0.9", True),
        ("verify", "0", True),
        ("write", "0", True),
        ("write", "0.5", True),
        ("write", "1", True),
    ],
)
def test_a_run_that_is_killed_at_any_moment_can_be_repeated(
    tmp_path: Path, stage: str, fraction: str, resumable: bool
) -> None:
    frame = people(5_000)
    frame.write_parquet(tmp_path / "people.parquet")
    (tmp_path / "secret").mkdir()
    (tmp_path / "out").mkdir()
    killed = subprocess.run(
        [sys.executable, "-c", _KILLED, str(tmp_path), stage, fraction],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    assert not (tmp_path / "out" / "release").exists()
    arguments = (tmp_path / "people.parquet", tmp_path / "out" / "release", _job())
    custody = tmp_path / "secret" / "custody.json"
    if not resumable:
        with pytest.raises(shoal.FileError, match="nothing to resume"):
            shoal.anonymize_files(*arguments, custody=custody, resume=True)
    shoal.anonymize_files(*arguments, custody=custody, resume=resumable)
    assert {one.name for one in (tmp_path / "out").iterdir()} == {"release"}
    made = _class_table(tmp_path)
    assert made.height == 5_000
    assert made[ROW].sum() == sum(range(5_000))
    assert_frame_equal(made, _reference(frame, _job()).select(made.columns))
