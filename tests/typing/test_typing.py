"""A type checker accepts what is right and refuses what is wrong, as a user of Shoal sees it."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
WRONG = (HERE / "wrong.py").read_text(encoding="utf-8").splitlines()
EXPECTED = {
    number: re.fullmatch(r"([a-z-]+): (.+)", remark.strip())
    for number, line in enumerate(WRONG, start=1)
    for _, mark, remark in [line.partition("  # ")]
    if mark
}


@cache
def reported() -> dict[str, dict[int, str]]:
    """Return what mypy reports, by file and line."""
    scripts = [str(HERE / name) for name in ("right.py", "wrong.py")]
    ended = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", *scripts],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    found: dict[str, dict[int, str]] = {"right.py": {}, "wrong.py": {}}
    for line in ended.stdout.splitlines():
        error = re.match(r"tests/typing/(\w+\.py):(\d+): error: (.*)", line)
        if error is not None:
            of_file = found[error[1]]
            of_file[int(error[2])] = of_file.get(int(error[2]), "") + error[3]
    assert ended.returncode in (0, 1), ended.stderr
    return found


def test_what_is_right_is_accepted() -> None:
    assert reported()["right.py"] == {}


@pytest.mark.parametrize("line", EXPECTED, ids=lambda line: WRONG[line - 1].partition("  # ")[0])
def test_what_is_wrong_is_refused(line: int) -> None:
    expected = EXPECTED[line]
    assert expected is not None
    code, text = expected.groups()
    error = reported()["wrong.py"].get(line, "")
    assert text in error
    assert f"[{code}]" in error


def test_nothing_else_is_refused() -> None:
    assert reported()["wrong.py"].keys() == EXPECTED.keys()
