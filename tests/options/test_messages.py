"""Messages of the library name options; the command line shows them as flags."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import shoal
from shoal.cli.shell_lines import with_flags
from shoal.errors import option

SOURCES = Path(shoal.__file__).parent
LIBRARY = sorted(
    path
    for path in SOURCES.rglob("*.py")
    if path.relative_to(SOURCES).parts[0] not in ("cli", "example", "web")
    and path.parent.name != "definition"  # which defines flags
    and path.name != "further.py"
)
# A flag within a text, but not the dashes of a table or of `-h, --help` in a longer word.
FLAG = re.compile(r"(?<![\w-])--[a-z]")


def _texts(path: Path) -> list[tuple[int, str]]:
    """Return the texts of a module and their lines; docstrings are not shown to users at work."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    return [
        (node.lineno, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in docstrings
    ]


def test_the_library_does_not_speak_of_flags() -> None:
    assert [
        (str(path.relative_to(SOURCES)), line, text)
        for path in LIBRARY
        for line, text in _texts(path)
        if FLAG.search(text)
    ] == []
    assert len(LIBRARY) > 300


def test_a_flag_in_a_message_is_found() -> None:
    assert FLAG.search("Leave --rest out.")
    assert not FLAG.search("--- and a--b")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Leave `measure` out.", "Leave --measure out."),
        ("Choose `k=10`.", "Choose -k 10."),
        ("Ask for `models`.", "Ask for --model."),
        (f"Add {option('kind', {'zip': 'date'})}.", "Add --kind zip=date."),
        (f"Add {option('person', 'two words')}.", "Add --person 'two words'."),
        (f"Add {option('null_values', ['*'])}.", "Add --null-values '*'."),
        (f"Add {option('kind', {'a=b': 'date'})}.", r"Add --kind 'a\=b=date'."),
        ("The initial solution, `sorted`.", "The initial solution, `sorted`."),
        ("`shoal algorithms` lists them.", "`shoal algorithms` lists them."),
        ("`kind={` is left alone", "`kind={` is left alone"),
    ],
)
def test_options_become_flags(text: str, shown: str) -> None:
    assert with_flags(text) == shown
