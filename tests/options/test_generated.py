"""The options of the public functions are those of the definition."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import pytest

import shoal
from shoal.options import VERBS, describe_options
from shoal.options.generate import TARGETS, files, refreshed

if TYPE_CHECKING:
    from pathlib import Path

FUNCTIONS = {
    target.verb: getattr(shoal, target.name) for target in TARGETS if target.name != "__init__"
}


@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_the_source_is_up_to_date(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert refreshed(path, source) == source, "run: python -m shoal.options.generate"


@pytest.mark.parametrize("verb", FUNCTIONS)
def test_functions_spell_out_and_explain_all_their_options(verb: str) -> None:
    function = FUNCTIONS[verb]
    parameters = inspect.signature(function).parameters
    assert not any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    explained = " ".join((inspect.getdoc(function) or "").split())
    for option in describe_options(verb):
        if option.in_python:
            assert parameters[option.name].kind is inspect.Parameter.KEYWORD_ONLY
            assert option.help in explained


@pytest.mark.parametrize("verb", VERBS)
def test_options_are_described_for_forms(verb: str) -> None:
    for option in describe_options(verb):
        assert option.help.endswith(".")
        assert option.help[0].isupper()
        assert option.flags
        assert option.group
        if option.choices and option.default is not None:
            assert option.default in option.choices
        if option.required:
            assert option.default is None


def test_ranges_and_choices_are_described() -> None:
    found = {option.name: option for option in describe_options()}
    assert (found["suppression"].minimum, found["suppression"].maximum) == (0, 1)
    assert (found["threads"].minimum, found["threads"].maximum) == (1, 1024)
    assert found["rest"].choices == ("other", "drop")
    assert found["models"].key == "model"
    assert found["order"].value_shape == "list"
    assert found["k"].required
    assert not {option.name: option for option in describe_options("verify")}["k"].required
