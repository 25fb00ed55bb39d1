"""What only a process of its own can show: streams, signals and pipes."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pty
import shlex
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from tests.cli.command import COMMAND, PEOPLE, ROLES, environment, shoal

if TYPE_CHECKING:
    from pathlib import Path


def large_table(folder: Path, n: int) -> None:
    """Write n records that are nearly all different, so that solving takes long."""
    rng = np.random.default_rng(5)
    numbers = {f"q{i}": rng.integers(0, 1000, n) for i in range(4)}
    pl.DataFrame(numbers).write_parquet(folder / "large.parquet")


def wait_for(seen: bytes, descriptor: int) -> bytes:
    """Read a terminal until it shows some text; a program that ends without it is a failure."""
    shown = b""
    while seen not in shown:
        try:
            shown += os.read(descriptor, 65536)
        except OSError:
            pytest.fail(f"{seen!r} was not shown: {shown!r}")
    return shown


def drain(descriptor: int) -> bytes:
    """Read what a terminal still has to show, once its program has ended."""
    shown = b""
    with contextlib.suppress(OSError):
        while chunk := os.read(descriptor, 65536):
            shown += chunk
    return shown


def start_long_run(
    folder: Path, *words: str, records: int = 1_000_000, until: bytes = b"solve"
) -> tuple[subprocess.Popen[bytes], int, bytes]:
    """Start a run that takes long, in a terminal, and wait until it solves."""
    large_table(folder, records)
    (folder / "out.csv").write_text("previous")
    terminal, its_end = pty.openpty()
    arguments = ["large.parquet", "-k", "2", "--quasi", "q0,q1,q2,q3", "-o", "out.csv", "--force"]
    arguments += words or ["--algorithm", "k-member"]
    process = subprocess.Popen(
        [*COMMAND, "anonymize", *arguments],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=its_end,
        env=environment(TERM="xterm-256color"),
    )
    os.close(its_end)
    return process, terminal, wait_for(until, terminal)


@pytest.mark.parametrize(
    ("number", "code", "says"),
    [
        (signal.SIGINT, 130, b"Interrupted: nothing was written."),
        (signal.SIGTERM, 143, b"Terminated."),
    ],
)
def test_signals_end_a_run_and_leave_nothing(
    number: signal.Signals, code: int, says: bytes, tmp_path: Path
) -> None:
    process, terminal, _ = start_long_run(tmp_path)

    process.send_signal(number)
    told = drain(terminal)
    out, _ = process.communicate()
    os.close(terminal)

    assert process.returncode == code
    assert says in told
    assert b"Traceback" not in told
    assert out == b""
    assert (tmp_path / "out.csv").read_text() == "previous"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["large.parquet", "out.csv"]


def test_closed_streams_are_no_failure(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    command = f"{shlex.join(COMMAND)} inspect people.csv --json >&- 2>told"
    ended = subprocess.run(["sh", "-c", command], cwd=tmp_path, env=environment(), check=False)
    assert ended.returncode == 0
    assert (tmp_path / "told").read_text() == ""


def test_ctrl_c_once_keeps_the_best_so_far(tmp_path: Path) -> None:
    words = ("--time", "86400", "--facts", "facts.json")  # a day: only the signal ends it
    process, terminal, shown = start_long_run(tmp_path, *words, records=20_000, until=b"loss")

    process.send_signal(signal.SIGINT)
    told = shown + drain(terminal)
    out, _ = process.communicate()
    os.close(terminal)

    assert process.returncode == 0
    assert b"Solving takes up to " in told
    assert b"Stopped by hand: the best release so far is kept" in told
    assert b"Stopped by hand after " in out
    facts = json.loads((tmp_path / "facts.json").read_text())
    assert facts["stopped_early"]
    assert facts["verdict"]["passed"]
    assert (tmp_path / "out.csv").read_text() != "previous"


def test_progress_is_shown_on_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    arguments = ["anonymize", "people.csv", "-k", "3", *ROLES, "-o", "out.csv", "--force"]
    terminal, its_end = pty.openpty()
    process = subprocess.run(
        [*COMMAND, *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=its_end,
        env=environment(TERM="xterm-256color"),
        check=False,
    )
    os.close(its_end)
    shown = drain(terminal)
    os.close(terminal)

    assert process.returncode == 0
    assert b"write" in shown
    assert b"\x1b" not in process.stdout


# Kills itself when the release is written and about to get its name.
KILLED = """
import os, signal, sys
from shoal.cli.main import main

def kill(event, arguments):
    if event == "os.rename" and str(arguments[0]).endswith(".partial"):
        os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(kill)
main()
"""


def test_a_kill_while_writing_leaves_the_previous_release(tmp_path: Path) -> None:
    large_table(tmp_path, 2_000)
    (tmp_path / "out.csv.gz").write_bytes(b"previous")
    arguments = ["large.parquet", "-k", "5", "--quasi", "q0,q1,q2,q3", "--algorithm", "mondrian"]
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, "anonymize", *arguments, "-o", "out.csv.gz", "--force"],
        cwd=tmp_path,
        capture_output=True,
        env=environment(),
        check=False,
    )

    assert ended.returncode == -signal.SIGKILL, ended.stderr
    assert list(tmp_path.glob(".*.partial"))
    assert (tmp_path / "out.csv.gz").read_bytes() == b"previous"
    visible = [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")]
    assert sorted(visible) == ["large.parquet", "out.csv.gz"]


def test_a_full_disk_leaves_the_previous_release(tmp_path: Path) -> None:
    large_table(tmp_path, 20_000)
    (tmp_path / "out.csv").write_text("previous")
    limit = 64 * 1024
    program = (
        f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit})); "
        "from shoal.cli.main import main; main()"
    )
    arguments = ["large.parquet", "-k", "5", "--quasi", "q0,q1,q2,q3", "--algorithm", "mondrian"]
    ended = subprocess.run(
        [sys.executable, "-c", program, "anonymize", *arguments, "-o", "out.csv", "--force"],
        cwd=tmp_path,
        capture_output=True,
        env=environment(),
        check=False,
    )

    assert ended.returncode == 2
    assert b"disk or quota is full" in ended.stderr
    assert (tmp_path / "out.csv").read_text() == "previous"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["large.parquet", "out.csv"]


def test_standard_input_and_output(tmp_path: Path) -> None:
    (tmp_path / "safe").mkdir()
    arguments = ["-k", "3", *ROLES, "--seed", "1", "--custody", "safe/keys.json", "-o", "-"]
    ended = shoal("anonymize", "-", *arguments, folder=tmp_path, given=PEOPLE.encode())

    assert ended.returncode == 0, ended.stderr
    header, *rows = ended.stdout.decode().splitlines()
    assert header == "age,sex,zip,disease"
    assert len(rows) == 6
    assert "verified" in ended.stderr.decode()
    keys = json.loads((tmp_path / "safe/keys.json").read_text())
    assert keys["source_sha256"] == hashlib.sha256(PEOPLE.encode()).hexdigest()
    assert keys["release_sha256"] == hashlib.sha256(ended.stdout).hexdigest()

    (tmp_path / "people.csv").write_text(PEOPLE)
    verified = shoal(
        "verify", "people.csv", "-", "-k", "3", *ROLES, folder=tmp_path, given=ended.stdout
    )
    assert verified.returncode == 0, verified.stderr
    assert "PASSED" in verified.stdout.decode()


def test_facts_on_standard_output_stand_alone_there(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    arguments = ["anonymize", "people.csv", "-k", "3", *ROLES, "-o", "out.csv", "--facts", "-"]
    ended = shoal(*arguments, folder=tmp_path)

    assert ended.returncode == 0
    assert json.loads(ended.stdout)["n"] == 6
    assert "verified" in ended.stderr.decode()


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["anonymize", "-", "-k", "3", *ROLES, "-o", "-"], b"Standard output was not written"),
        (["inspect", "-"], b"The disk or quota is full"),
    ],
)
def test_a_full_standard_output_is_an_error(
    arguments: list[str], what: bytes, tmp_path: Path
) -> None:
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device, not a path
        ended = subprocess.run(
            [*COMMAND, *arguments],
            cwd=tmp_path,
            input=PEOPLE.encode(),
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(),
            check=False,
        )

    assert ended.returncode == 2
    assert what in ended.stderr
    assert b"Traceback" not in ended.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["--version"],
        ["algorithms", "--json"],
        ["anonymize", "people.csv", "-k", "3", *ROLES, "-o", "-"],
    ],
    ids=["text", "json", "release"],
)
def test_a_reader_that_goes_away_ends_it_quietly(arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [*COMMAND, *arguments],
        cwd=tmp_path,
        stdout=writing,
        stderr=subprocess.PIPE,
        env=environment(),
        check=False,
    )
    os.close(writing)

    assert ended.returncode == 141
    assert ended.stderr == b""


def in_terminal(arguments: list[str], folder: Path, **changes: str) -> bytes:
    """Return what a command shows on a terminal."""
    terminal, its_end = pty.openpty()
    subprocess.run(
        [*COMMAND, *arguments],
        cwd=folder,
        stdout=its_end,
        stderr=its_end,
        env=environment(TERM="xterm-256color", **changes),
        check=False,
    )
    os.close(its_end)
    shown = drain(terminal)
    os.close(terminal)
    return shown


def test_colours_on_a_terminal_unless_unwanted(tmp_path: Path) -> None:
    red = b"\x1b[1;31merror: "

    assert red in in_terminal(["bogus"], tmp_path)
    assert b"\x1b[1merror: " in in_terminal(["bogus"], tmp_path, NO_COLOR="1")
    assert shoal("bogus", folder=tmp_path).stderr.startswith(b"error: No such command")


def test_a_terminal_without_unicode_gets_ascii(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    arguments = ["anonymize", "people.csv", "-k", "3", *ROLES, "-o", "out.csv"]
    ended = shoal(*arguments, folder=tmp_path, PYTHONIOENCODING="ascii")

    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == b"", "progress, and on no terminal"
    assert ended.stdout.startswith(b"pass verified")
    assert b"?" not in ended.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str, tmp_path: Path) -> None:
    ended = shoal(folder=tmp_path, _SHOAL_COMPLETE=f"source_{shell}")

    assert ended.returncode == 0
    assert b"_SHOAL_COMPLETE" in ended.stdout


def test_completion_of_verbs_and_algorithms(tmp_path: Path) -> None:
    def completed(words: str, place: str) -> list[str]:
        ended = shoal(
            folder=tmp_path, _SHOAL_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=place
        )
        return ended.stdout.decode().split()

    assert completed("shoal ano", "1") == ["anonymize"]
    assert completed("shoal anonymize data.csv --algorithm mon", "4") == ["mondrian"]
    assert completed("shoal anonymize data.csv --rest d", "4") == ["drop"]


def test_long_work_is_announced_on_a_terminal(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,sex\n" + "35,F\n36,F\n61,M\n62,M\n")
    terminal, its_end = pty.openpty()
    process = subprocess.Popen(
        # The announcement follows from the time that is allowed, not from what it takes.
        [*COMMAND, *shlex.split("anonymize people.csv -k 2 --quasi age,sex -o out.csv"),
         "--algorithm", "mondrian", "--time", "60"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=its_end,
        env=environment(TERM="xterm-256color", COLUMNS="120"),
    )  # fmt: skip
    os.close(its_end)
    told = drain(terminal)
    process.communicate()
    os.close(terminal)

    assert process.returncode == 0
    assert b"4 records, 4 different ones; k is 1 now" in told


# Ctrl-C in the midst of the search for a match, wherever that is when the machine is busy.
INTERRUPTED_IN_SEARCH = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
def interrupt(frame, event, argument):
    called = frame.f_globals.get("__name__"), frame.f_code.co_name
    if event == "call" and called == ("shoal.verifier.exchange", "exchange"):
        sys.setprofile(None)
        print("searching", file=sys.stderr)
        signal.raise_signal(signal.SIGINT)
sys.setprofile(interrupt)
from shoal.cli.main import main
main()
"""


def test_ctrl_c_ends_a_verdict_while_it_searches(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,sex\n" + "35,F\n36,F\n61,M\n62,M\n")
    (tmp_path / "released.csv").write_text("age,sex\n" + 2 * "[35..36],F\n" + 2 * "[61..62],M\n")
    command = "verify people.csv released.csv -k 2 --quasi age,sex"
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_IN_SEARCH, *shlex.split(command)],
        cwd=tmp_path,
        capture_output=True,
        env=environment(),
        check=False,
    )
    assert ended.returncode == 130
    assert ended.stderr.splitlines() == [b"searching", b"Interrupted."]
    assert ended.stdout == b""
