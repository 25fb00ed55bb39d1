"""Outputs: all of them or none, and the previous ones untouched by any failure."""

from __future__ import annotations

import gzip
import signal
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from shoal.errors import FileError
from shoal.io import Staging, check_output, read_table

FRAME = pl.DataFrame({"age": ["[35..37]", "*"], "note": ['q "r", s', None], "cost": [1.5, None]})
CELL = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0\r"), max_size=9)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def run(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_nothing_is_there_before_the_commit(tmp_path: Path) -> None:
    with Staging() as staging:
        staging.table(FRAME, tmp_path / "release.csv")
        staging.text("{}", tmp_path / "facts.json")
        assert not {"release.csv", "facts.json"} & set(names(tmp_path))
        assert all(name.startswith(".") for name in names(tmp_path))
        staging.commit()
    assert names(tmp_path) == ["facts.json", "release.csv"]
    assert (tmp_path / "facts.json").read_text() == "{}"
    expected = 'age,note,cost\n[35..37],"q ""r"", s",1.5\n*,,\n'
    assert (tmp_path / "release.csv").read_text() == expected


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".ipc", ".feather"])
def test_binary_tables_come_back_equal(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"release{suffix}"
    with Staging() as staging:
        staging.table(FRAME, path)
        staging.commit()
    assert_frame_equal(read_table(path), FRAME)


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz"])
def test_text_tables_come_back_as_text(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"release{suffix}"
    with Staging() as staging:
        staging.table(FRAME, path)
        staging.commit()
    assert read_table(path).rows() == [("[35..37]", 'q "r", s', "1.5"), ("*", None, None)]


def test_separator(tmp_path: Path) -> None:
    with Staging() as staging:
        staging.table(pl.DataFrame({"a": ["1,5"], "b": ["x;y"]}), tmp_path / "r.csv", separator=";")
        staging.table(pl.DataFrame({"a": ["1"], "b": ["2"]}), tmp_path / "r.tsv")
        staging.commit()
    assert (tmp_path / "r.csv").read_text() == 'a;b\n1,5;"x;y"\n'
    assert (tmp_path / "r.tsv").read_text() == "a\tb\n1\t2\n"


def test_lists_are_json_text_in_csv(tmp_path: Path) -> None:
    frame = pl.DataFrame({"sex": [["F", "M"], None, ["ü|"]]})
    with Staging() as staging:
        staging.table(frame, tmp_path / "release.csv")
        staging.commit()
    assert read_table(tmp_path / "release.csv")["sex"].to_list() == ['["F", "M"]', None, '["ü|"]']


def test_equal_tables_give_equal_bytes(tmp_path: Path) -> None:
    for name in ("one.csv.gz", "two.csv.gz", "one.parquet", "two.parquet"):
        with Staging() as staging:
            staging.table(FRAME, tmp_path / name)
            staging.commit()
    for suffix in (".csv.gz", ".parquet"):
        one, two = (tmp_path / f"{name}{suffix}" for name in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()
    assert gzip.decompress((tmp_path / "one.csv.gz").read_bytes()).startswith(b"age,note")


@settings(max_examples=80, deadline=None)
@given(rows=st.lists(st.tuples(CELL, CELL), min_size=1, max_size=6))
def test_any_cells_survive(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    path = tmp_path_factory.mktemp("round") / "release.csv"
    frame = pl.DataFrame(rows, schema={"a": pl.String, "b": pl.String}, orient="row")
    with Staging() as staging:
        staging.table(frame, path)
        staging.commit()
    assert read_table(path, header="present").rows() == [
        tuple(cell or None for cell in row) for row in rows
    ]


def test_carriage_returns_at_the_end_of_a_record_survive(tmp_path: Path) -> None:
    with Staging() as staging:
        staging.table(pl.DataFrame({"a": ["x\r", "\r"], "b": ["y\r", "\r\r"]}), tmp_path / "r.csv")
        staging.commit()
    assert read_table(tmp_path / "r.csv").rows() == [("x\r", "y\r"), ("\r", "\r\r")]


def test_one_column_of_missing_cells_survives(tmp_path: Path) -> None:
    with Staging() as staging:
        staging.table(pl.DataFrame({"a": ["1", None, None]}), tmp_path / "release.csv")
        staging.commit()
    assert read_table(tmp_path / "release.csv")["a"].to_list() == ["1", None, None]


def test_private_files_are_private_from_the_start(tmp_path: Path) -> None:
    with Staging() as staging:
        staging.text("seed", tmp_path / "custody.json", private=True)
        staging.table(FRAME, tmp_path / "map.parquet", private=True)
        hidden = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in names(tmp_path)]
        assert hidden == [0o600, 0o600]
        staging.commit()
    for name in ("custody.json", "map.parquet"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


def test_a_replaced_file_keeps_others_out(tmp_path: Path) -> None:
    path = tmp_path / "release.csv"
    path.write_text("old")
    path.chmod(0o640)
    with Staging() as staging:
        staging.table(FRAME, path)
        staging.commit()
    assert stat.S_IMODE(path.stat().st_mode) & 0o007 == 0


def test_links_are_followed(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    real = tmp_path / "inner" / "real.csv"
    real.write_text("old")
    (tmp_path / "link.csv").symlink_to(real)
    with Staging() as staging:
        staging.table(FRAME, tmp_path / "link.csv")
        staging.commit()
    assert (tmp_path / "link.csv").is_symlink()
    assert real.read_text().startswith("age,note,cost")


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, ValueError, SystemExit])
def test_an_exception_removes_everything(tmp_path: Path, interruption: type[BaseException]) -> None:
    (tmp_path / "release.csv").write_text("old")

    def work() -> None:
        with Staging() as staging:
            staging.table(FRAME, tmp_path / "release.csv")
            staging.text("{}", tmp_path / "facts.json")
            raise interruption

    with pytest.raises(interruption):
        work()
    assert names(tmp_path) == ["release.csv"]
    assert (tmp_path / "release.csv").read_text() == "old"


def test_a_rename_that_fails_puts_the_others_back(tmp_path: Path) -> None:
    (tmp_path / "facts.json").write_text("old facts")

    with Staging() as staging:
        staging.text("new facts", tmp_path / "facts.json")
        staging.text("new log", tmp_path / "log.txt")
        staging.table(FRAME, tmp_path / "release.csv")
        # A folder that appears at the place of the release cannot be replaced by a file.
        (tmp_path / "release.csv").mkdir()
        with pytest.raises(FileError):
            staging.commit()
    assert names(tmp_path) == ["facts.json", "release.csv"]
    assert (tmp_path / "facts.json").read_text() == "old facts"


def test_the_release_is_renamed_last(tmp_path: Path) -> None:
    code = """
        import os, sys
        import polars as pl
        from shoal.io import Staging
        def hook(event, arguments):
            if event == "os.rename":
                print(os.path.basename(arguments[1]))
        with Staging() as staging:
            staging.table(pl.DataFrame({"a": ["1"]}), sys.argv[1] + "/release.csv")
            staging.text("{}", sys.argv[1] + "/facts.json")
            staging.text("{}", sys.argv[1] + "/job.toml")
            sys.addaudithook(hook)
            staging.commit()
    """
    renamed = [name for name in run(code, tmp_path).stdout.split() if not name.startswith(".")]
    assert renamed == ["facts.json", "job.toml", "release.csv"]


WRITE = """
    import resource, sys
    import polars as pl
    from shoal.errors import FileError
    from shoal.io import Staging
    frame = pl.DataFrame({"a": [str(number * 7919 % 100003) for number in range(200_000)]})
    if len(sys.argv) > 2:
        limit = int(sys.argv[2])
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    try:
        with Staging() as staging:
            staging.text("{}", sys.argv[1] + ".json")
            staging.table(frame, sys.argv[1])
            staging.commit()
    except FileError as error:
        print(error)
"""


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet", ".arrow"])
def test_a_limit_on_file_size(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"release{suffix}"
    path.write_text("old")
    done = run(WRITE, path, 50_000)
    assert "full" in done.stdout, done.stderr
    assert names(tmp_path) == [path.name]
    assert path.read_text() == "old"


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet", ".arrow"])
def test_a_full_disk(tmp_path: Path, suffix: str) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(disk)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("only the superuser can mount a small disk")
    try:
        path = disk / f"release{suffix}"
        path.write_text("old")
        done = run(WRITE, path)
        assert "full" in done.stdout, done.stderr
        assert names(disk) == [path.name]
        assert path.read_text() == "old"
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_kill_leaves_the_previous_release(tmp_path: Path) -> None:
    path = tmp_path / "release.csv"
    path.write_text("old")
    code = """
        import sys, time
        import polars as pl
        from shoal.io import Staging
        with Staging() as staging:
            staging.table(pl.DataFrame({"a": range(1000)}), sys.argv[1])
            print("written", flush=True)
            time.sleep(60)
            staging.commit()
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), str(path)], stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    with process.stdout as output:
        assert output.readline() == b"written\n"
        process.kill()
        process.wait()
    assert path.read_text() == "old"
    assert [name for name in names(tmp_path) if not name.startswith(".")] == ["release.csv"]


def test_control_c_leaves_nothing(tmp_path: Path) -> None:
    code = """
        import sys, time
        import polars as pl
        from shoal.io import Staging
        with Staging() as staging:
            staging.table(pl.DataFrame({"a": range(1000)}), sys.argv[1])
            print("written", flush=True)
            while True:  # a signal just before a long sleep would wait for its end
                time.sleep(0.01)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "release.csv")],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    with process.stdout as output:
        assert output.readline() == b"written\n"
        process.send_signal(signal.SIGINT)
        assert process.wait() != 0
    assert names(tmp_path) == []


def test_standard_output_is_written_last(tmp_path: Path) -> None:
    code = """
        import sys
        import polars as pl
        from shoal.io import Staging
        with Staging() as staging:
            staging.table(pl.DataFrame({"a": ["1,5", None], "b": ["x", "y"]}), "-")
            staging.text("{}", sys.argv[1])
            if sys.argv[2] == "commit":
                staging.commit()
    """
    assert run(code, tmp_path / "facts.json", "commit").stdout == 'a,b\n"1,5",x\n,y\n'
    assert names(tmp_path) == ["facts.json"]
    assert run(code, tmp_path / "more.json", "leave").stdout == ""
    assert names(tmp_path) == ["facts.json"]


def test_standard_output_that_is_full() -> None:
    code = """
        import sys
        import polars as pl
        from shoal.errors import FileError
        from shoal.io import Staging
        try:
            with Staging() as staging:
                staging.table(pl.DataFrame({"a": ["1"]}), "-")
                staging.commit()
        except FileError as error:
            print(error, file=sys.stderr)
            sys.stdout = None
    """
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert "Standard output was not written: the disk or quota is full" in done.stderr


def test_a_format_that_cannot_hold_the_table(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [b"x"]})
    with pytest.raises(FileError, match="Parquet"), Staging() as staging:
        staging.table(frame, tmp_path / "release.csv")
    assert names(tmp_path) == []


def test_checks_before_any_work(tmp_path: Path) -> None:
    path = tmp_path / "release.csv"
    check_output(path)
    check_output("-")
    path.write_text("old")
    with pytest.raises(FileError, match="`force`"):
        check_output(path)
    check_output(path, force=True)
    with pytest.raises(FileError, match="does not exist"):
        check_output(tmp_path / "absent" / "release.csv")
    with pytest.raises(FileError, match="suffix"):
        check_output(tmp_path / "release.ods")
    check_output(tmp_path / "facts.json", table=False)
    with pytest.raises(FileError, match="input and an output"):
        check_output(path, force=True, inputs=[path])
    with pytest.raises(FileError, match="same file"):
        check_output(tmp_path / "a.csv", others=[tmp_path / "b.csv", tmp_path / "." / "a.csv"])
    with pytest.raises(FileError, match="standard output"):
        check_output("-", others=["-"])
    check_output("-", inputs=["-"])
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(FileError, match="is a folder"):
        check_output(tmp_path / "folder.csv", force=True)


def test_an_input_is_known_under_any_name(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("a\n1\n")
    (tmp_path / "link.csv").symlink_to(path)
    (tmp_path / "second.csv").hardlink_to(path)
    for name in ("link.csv", "second.csv"):
        with pytest.raises(FileError, match="input and an output"):
            check_output(tmp_path / name, force=True, inputs=[path])


def test_devices_are_not_replaced() -> None:
    for path in ("/dev/null", "/dev/full"):
        with pytest.raises(FileError, match="not a regular file"):
            check_output(path, force=True, table=False)
        with pytest.raises(FileError, match="not a regular file"), Staging() as staging:
            staging.text("{}", path)


def test_an_unwritable_folder(tmp_path: Path) -> None:
    code = """
        import os, sys
        from shoal.errors import FileError
        from shoal.io import check_output
        if os.geteuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        try:
            check_output("/usr/release.csv")
        except FileError as error:
            print(error)
    """
    assert "no permission to write to the folder /usr" in run(code).stdout


def test_a_csv_that_nobody_could_read_is_refused(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": ["x\0y", "z"]})
    with Staging() as staging:
        with pytest.raises(FileError, match="NUL"):
            staging.table(frame, tmp_path / "t.csv")
        staging.table(frame, tmp_path / "t.parquet")
        staging.commit()
    assert [path.name for path in tmp_path.iterdir()] == ["t.parquet"]
    assert read_table(tmp_path / "t.parquet").equals(frame)


def test_leftovers_of_killed_processes_are_private_and_removed(tmp_path: Path) -> None:
    program = (
        "import os, polars, sys\n"
        "from shoal.io import Staging\n"
        "staging = Staging().__enter__()\n"
        "staging.table(polars.DataFrame({'a': [1]}), sys.argv[1])\n"
        "os.kill(os.getpid(), 9)\n"
    )
    place = tmp_path / "release.csv"
    subprocess.run([sys.executable, "-c", program, str(place)], check=False)
    (left,) = tmp_path.iterdir()
    assert left.name.endswith(".partial")
    assert stat.S_IMODE(left.stat().st_mode) == 0o600
    with Staging() as living, Staging() as staging:
        living.text("in use", place)
        staging.table(pl.DataFrame({"a": [2]}), place)
        assert not left.exists()
        staging.commit()
        living.commit()
    assert [one.name for one in tmp_path.iterdir()] == ["release.csv"]
    assert place.read_text() == "in use"
