"""Words from flags, job files and facts, and the command lines that are made of them."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import pytest

from shoal.cli import options
from shoal.cli.flag_values import (
    options_of_facts_file,
    options_of_flags,
    options_of_job_file,
    override,
)
from shoal.cli.shell_lines import command, flags_of_job
from shoal.cli.verbs import load
from shoal.errors import ParameterError
from shoal.options import Job
from shoal.options.hierarchy_paths import hierarchies_from

if TYPE_CHECKING:
    from pathlib import Path


def test_every_word_of_a_job_is_a_flag_and_the_other_way_round() -> None:
    assert set(options.names_of("anonymize")) == {
        info.alias or name for name, info in Job.model_fields.items()
    }


def test_lists_by_comma_by_repetition_and_with_commas_in_names() -> None:
    words = options_of_flags({"quasi": ["age, sex", r"city\, state", r"a\b"], "other": [""]})

    assert words == {"quasi": ["age", "sex", "city, state", r"a\b"], "other": []}


def test_tables_by_comma_and_by_repetition() -> None:
    words = options_of_flags(
        {
            "kind": ["age=numeric, zip=categorical", r"a\=b\,c=date"],
            "hierarchy": [r"zip=C:\trees\zip.csv"],
            "value_range": ["age=0:100,born=1900-01-01:2025-12-31"],
            "order": [r"size=small,large\, huge"],
            "date_format": ["born=%d %B, %Y"],
            "param": ["rule=a=b,c"],
            "model": ["x:1,2@disease"],
        }
    )

    assert words == {
        "kind": {"age": "numeric", "zip": "categorical", "a=b,c": "date"},
        "hierarchy": {"zip": r"C:\trees\zip.csv"},
        "value_range": {"age": "0:100", "born": "1900-01-01:2025-12-31"},
        "order": {"size": ["small", "large, huge"]},
        "date_format": {"born": "%d %B, %Y"},
        "param": {"rule": "a=b,c"},
        "model": ["x:1,2@disease"],
    }


def test_flags_that_were_not_given_are_no_words() -> None:
    assert options_of_flags({"k": None, "quasi": None, "keep_order": False}) == {}


@pytest.mark.parametrize("text", ["age", "=numeric", ""])
def test_a_pair_needs_a_name_and_a_value(text: str) -> None:
    with pytest.raises(ParameterError, match="--date-format"):
        options_of_flags({"date_format": [text]})


def test_numbers_are_read_and_what_is_none_is_left_to_the_check_of_all_options() -> None:
    assert options_of_flags({"k": "5", "time": "2.5", "threads": "two"}) == {
        "k": 5,
        "time": 2.5,
        "threads": "two",
    }


def test_all_that_is_wrong_with_flags_is_reported_together() -> None:
    with pytest.raises(ParameterError) as caught:
        options_of_flags({"k": "few", "kind": ["age"], "rest": "x", "measure": "gpc"})
    text = "\n".join(map(str, caught.value.mistakes))
    assert len(caught.value.mistakes) == 4, text
    for part in ("--kind 'age' is not", "`k` should be", "`rest` should be", "no measure 'gpc'"):
        assert part in text


def test_flags_override_tables_column_by_column_and_the_rest_as_a_whole() -> None:
    file = {"k": 5, "quasi": ["age"], "kind": {"age": "numeric", "zip": "numeric"}}
    flags = {"k": 9, "quasi": ["zip"], "kind": {"zip": "categorical"}}

    assert override(file, flags) == {
        "k": 9,
        "quasi": ["zip"],
        "kind": {"age": "numeric", "zip": "categorical"},
    }


def test_another_algorithm_does_not_inherit_parameters() -> None:
    file = {"algorithm": "mondrian", "param": {"cuts": "relaxed"}}

    assert override(file, {"algorithm": "greedy"}) == {"algorithm": "greedy"}
    assert override(file, {"algorithm": "mondrian"}) == file
    assert override({"param": {"whole": "no"}}, {"algorithm": "greedy"}) == {"algorithm": "greedy"}


def test_hierarchies_of_a_job_are_found_from_its_folder(folder: Path) -> None:
    (folder / "jobs").mkdir()
    (folder / "jobs/job.toml").write_text('k = 2\nhierarchy = {a = "a.csv", b = "/trees/b.csv"}\n')

    assert options_of_job_file("jobs/job.toml")["hierarchy"] == {
        "a": "jobs/a.csv",
        "b": "/trees/b.csv",
    }
    assert hierarchies_from({"a": "jobs/a.csv", "b": "/trees/b.csv"}, "jobs/new.toml") == {
        "a": "a.csv",
        "b": "/trees/b.csv",
    }
    assert hierarchies_from({"a": "jobs/a.csv"}, "new.toml") == {"a": "jobs/a.csv"}


def parsed(line: str) -> dict[str, Any]:
    """Return the flags that the command line itself reads from a line."""
    program, verb, *arguments = shlex.split(line)
    assert program == "shoal"
    with load(verb).make_context(verb, arguments) as context:
        return dict(context.params)


def test_a_command_line_says_the_same_as_its_job() -> None:
    words: dict[str, Any] = {
        "k": 7,
        "quasi": ["age", "city, state", "it's", "a=b", "when"],
        "sensitive": ["disease"],
        "rest": "drop",
        "kind": {"age": "numeric"},
        "hierarchy": {"a=b": "my trees/zip,1.csv"},
        "weight": {"age": 2.5},
        "value_range": {"age": "0:100"},
        "order": {"it's": ["small", "large, huge"]},
        "date_format": {"when": "%d %B, %Y"},
        "suppression": 0.02,
        "null_values": ["?", "n,a"],
        "separator": ";",
    }
    job = Job.from_dict(words)

    line = command("verify", "a b.csv", "out.csv", *flags_of_job(job, options.names_of("verify")))
    flags = parsed(line)

    assert (flags.pop("original"), flags.pop("release")) == ("a b.csv", "out.csv")
    given = {word: value for word, value in flags.items() if word in options.names_of("verify")}
    assert Job.from_dict(options_of_flags(given)) == job


def test_the_population_is_found_from_the_folder_of_the_facts(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    folder.mkdir()
    facts = folder / "facts.json"
    facts.write_text('{"job": {"k": 2, "population": "everybody.csv"}}')
    assert options_of_facts_file(str(facts))["population"] == "everybody.csv"
    (folder / "everybody.csv").write_text("age\n30\n")
    found = options_of_facts_file(str(facts))["population"]
    assert found == str(folder / "everybody.csv")
    facts.write_text('{"job": {"k": 2, "population": "postgresql://host/people"}}')
    assert options_of_facts_file(str(facts))["population"] == "postgresql://host/people"
