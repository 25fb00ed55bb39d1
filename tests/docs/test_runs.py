"""The tutorial, the README's commands and the examples run, in order, in an empty folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.example import write_example
from tests.docs.markdown import ROOT, Block, blocks, run_python

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
POINTS = {
    "add_an_algorithm": r"shuffled: verified True.*k-member: verified True",
    "anonymize_a_pandas_frame": r"^pandas \(2000, 9\).*verified: True",
    "compare_algorithms": r"k-member +5 .*sorted +20 ",
    "verify_a_release": r"the release: True; the tampered one: False",
}
ENVIRONMENT = {
    **os.environ,
    # The commands of the pages are those of the environment that runs the tests.
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    "NO_COLOR": "1",
    "PYTHONUTF8": "1",
    "PYTHONWARNINGS": "error",
}


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )


def run_shell(block: Block, folder: Path) -> str:
    """Run a block, and return what it printed as errors."""
    expected = re.fullmatch(r"(?:fails with (\d+))?", block.note)
    assert expected is not None, f"line {block.line}: {block.note!r} is not understood"
    done = run(["sh", "-e", "-c", block.code], folder)
    assert done.returncode == int(expected[1] or 0), f"line {block.line}: {done.stderr}"
    return done.stderr


def message_above(page: Path, block: Block) -> str:
    """Return a pattern for the message that the heading above a block quotes; empty if none."""
    lines = page.read_text(encoding="utf-8").splitlines()[: block.line]
    heading = next((line for line in reversed(lines) if line.startswith("## ")), "")
    quoted = re.fullmatch(r"## “(.+)”", heading)
    return ".*".join(map(re.escape, quoted[1].split("…"))) if quoted else ""


GUIDES = sorted(
    str(page.relative_to(ROOT))
    for page in (
        ROOT / "docs/index.md",
        ROOT / "docs/bounds.md",
        ROOT / "docs/troubleshooting.md",
        *(ROOT / "docs/guides").glob("*.md"),
    )
)
MADE = {
    "docs/tutorial.md": {"first.csv", "third.json", "private"},
    "docs/hierarchies.md": {"born.csv", "places.csv", "release.csv"},
}


@pytest.mark.parametrize("page", [*MADE, *GUIDES])
def test_a_page_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python blocks share what they define, as in one session; shell blocks share the folder."""
    monkeypatch.chdir(tmp_path)
    session: dict[str, object] = {"__name__": "page"}
    run_blocks = {"sh": 0, "python": 0, "text": 0}
    for block in blocks(ROOT / page):
        run_blocks[block.language] += 1
        if "make demo" in block.code:
            continue  # run by the tests of the repository's own commands
        if block.language == "sh":
            printed = run_shell(block, tmp_path)
            assert re.search(message_above(ROOT / page, block), printed, re.DOTALL), printed
        elif block.language == "python":
            run_python(block, page, session)
        else:
            written = "".join(file.read_text() for file in tmp_path.glob("*.csv"))
            assert all(line in written for line in block.code.splitlines()), f"line {block.line}"
    assert run_blocks["sh"] + run_blocks["python"]
    assert {path.name for path in tmp_path.iterdir()} >= MADE.get(page, {"hospital.csv"})


def test_the_readme_commands_run(tmp_path: Path) -> None:
    write_example(tmp_path, rows=1_000)
    commands = [
        block
        for block in blocks(ROOT / "README.md")
        if block.language == "sh" and "shoal " in block.code
    ]
    assert commands
    for block in commands:
        run_shell(block, tmp_path)
    assert (tmp_path / "release.csv").exists()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_shows_its_point(example: Path, tmp_path: Path) -> None:
    done = run([sys.executable, str(example)], tmp_path)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    assert re.search(POINTS[example.stem], done.stdout, re.DOTALL), done.stdout


def test_an_algorithm_of_a_third_party_is_judged_on_equal_terms(tmp_path: Path) -> None:
    """The random one of the example loses more than ours, and takes part in everything."""
    script = (ROOT / "examples/add_an_algorithm.py").read_text(encoding="utf-8")
    script += (
        "\nwords = {'k': 5, 'quasi': ['birth_date', 'sex'], 'sensitive': ['diagnosis']}"
        "\nfor size in (0, 101):"
        "\n    try:"
        "\n        shoal.anonymize(table, algorithm='shuffled', param={'size': size}, **words)"
        "\n    except shoal.errors.ParameterError as error:"
        "\n        print('refused', size, error.what)\n"
    )
    shown = run([sys.executable, "-c", script], tmp_path).stdout
    losses = dict(re.findall(r"^([\w-]+): verified True, gcp ([\d.]+)$", shown, re.MULTILINE))
    assert float(losses["k-member"]) < float(losses["shuffled"])
    assert shown.count("refused") == 2
