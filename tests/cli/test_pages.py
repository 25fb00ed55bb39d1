"""The page of each verb: its commands run, show what it says they show, and tell every flag."""

from __future__ import annotations

import re
import shlex
import shutil
from typing import TYPE_CHECKING

import pytest
from typer.core import TyperGroup

from shoal.cli import options
from shoal.cli.main import run
from shoal.cli.verbs import SUMMARIES, load
from shoal.options import Group, describe_options
from tests.docs.markdown import ROOT, blocks

if TYPE_CHECKING:
    from pathlib import Path

VERBS = (
    "inspect",
    "anonymize",
    "verify",
    "measure",
    "risk",
    "report",
    "compare",
    "plan",
    "utility",
    "bound",
    "anatomize",
    "algorithms",
    "hierarchy",
    "demo",
)
PAGES = ROOT / "docs/verbs"
DESCRIBING = ("verify", "measure", "risk", "report", "compare", "plan", "utility", "bound")
# What describes the columns of a table is told on the page of anonymize.
SHARED = {
    one.name
    for one in describe_options("anonymize")
    if one.group in (Group.COLUMNS, Group.KINDS, Group.FILES, Group.RESULTS)
} | ({*options.names_of("bound")} - {"measure", "bound_seconds", "threads"})
"""Options that other verbs take, too; their pages refer to that of `shoal anonymize`."""


def squeezed(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("verb", [*VERBS, "../models", "../whole-release"])
def test_the_commands_of_a_page_run_and_show_what_it_says(
    verb: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("people.csv", "zip.csv"):
        shutil.copy(PAGES / name, folder)
    shown, ran = "", set()
    for block in blocks(PAGES / f"{verb}.md"):
        if block.language == "sh":
            expected = re.fullmatch(r"(?:fails with (\d))?", block.note)
            assert expected is not None
            for line in block.code.splitlines():
                program, *arguments = shlex.split(line)
                assert program == "shoal"
                code = run(arguments)
                told = capsys.readouterr()
                assert code == int(expected[1] or 0), told.err
                shown = told.out
                ran.add(arguments[0])
        else:
            for line in block.code.splitlines():
                assert squeezed(line) in squeezed(shown), line
    assert (verb if verb in VERBS else "anonymize") in ran


@pytest.mark.parametrize("verb", VERBS)
def test_a_page_tells_every_flag(verb: str) -> None:
    told = (PAGES / f"{verb}.md").read_text(encoding="utf-8")
    shared = SHARED if "(anonymize.md#columns)" in told else ()
    command = load(verb)
    parts = command.commands.values() if isinstance(command, TyperGroup) else [command]
    for parameter in (parameter for part in parts for parameter in part.params):
        if parameter.param_type_name == "option" and parameter.name not in (*shared, "help"):
            assert any(f"`{option}" in told for option in parameter.opts), parameter.name


@pytest.mark.parametrize("verb", SUMMARIES)
def test_a_verb_begins_with_its_summary(verb: str) -> None:
    told = load(verb).help
    assert told is not None
    assert squeezed(told.partition("\n\n")[0]) == SUMMARIES[verb]
