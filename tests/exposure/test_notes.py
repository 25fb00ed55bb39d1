"""Short notes: whoever is named in one is noticed, however often it repeats; labels are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.contents.sentences import names_in
from shoal.contents.word_lists import read_words
from shoal.exposure.examination import read_contents
from shoal.table.schema import Role
from tests.exposure.notes import NAMED, NUMBERED, ORDINARY, UNLISTED
from tests.exposure.people import People, family_names, given_names

if TYPE_CHECKING:
    from collections.abc import Callable

TIMES = 10


def column(texts: list[str]) -> pl.Series:
    return pl.Series("nota", [text for text in texts for _ in range(TIMES)])


def stopping(texts: list[str], role: Role = Role.OTHER) -> tuple[str, ...]:
    return read_contents(column(texts), role)[0]


@pytest.mark.parametrize("role", [Role.OTHER, Role.SENSITIVE])
@pytest.mark.parametrize("language", list(NAMED))
def test_names_within_repeated_notes_stop(language: str, role: Role) -> None:
    people = People(np.random.default_rng(1))
    texts = [
        pattern.format(given=people.given(language), family=people.family(language))
        for pattern in NAMED[language]
        for _ in range(30 // len(NAMED[language]))
    ]
    assert any("names of people" in said for said in stopping(texts, role))


@pytest.mark.parametrize("language", list(NAMED))
def test_one_pattern_with_names_of_no_list_stops(language: str) -> None:
    for pattern in NAMED[language]:
        texts = [
            pattern.format(given=given, family=family)
            for given, family in map(str.split, UNLISTED[language])
        ]
        assert stopping(texts), pattern


@pytest.mark.parametrize("language", list(UNLISTED))
def test_the_unlisted_names_are_in_no_list(language: str) -> None:
    listed = read_words("given_names") | read_words("family_names")
    known = sum(word.lower() in listed for name in UNLISTED[language] for word in name.split())
    assert known <= 1


@pytest.mark.parametrize("case", [str.lower, str.upper])
def test_names_in_one_case_stop(case: Callable[[str], str]) -> None:
    named = ["paziente Maria Rossi riferisce dolore", "Peter Schmidt hat angerufen"]
    assert stopping([case(text) for text in (*named, *ORDINARY["befund"])])


@pytest.mark.parametrize("language", list(NUMBERED))
def test_numbers_within_repeated_notes_stop(language: str) -> None:
    assert stopping([NUMBERED[language].format(n=n) for n in range(31, 61)])


@pytest.mark.parametrize("name", list(ORDINARY))
def test_labels_do_not_stop(name: str) -> None:
    assert stopping(list(ORDINARY[name])) == ()


def test_one_note_among_many_labels_stops() -> None:
    labels = [text for texts in ORDINARY.values() for text in texts]
    assert stopping([*labels, "Herr Zschoche ruft morgen an"])


def test_short_texts_that_hardly_repeat_stop_as_free_text() -> None:
    parts = [f"{a} {b} {c}" for a in ("mild", "strong") for b in ("left", "right", "both")
             for c in ("arm pain", "leg pain", "eye itching", "ear noise")]  # fmt: skip
    series = pl.Series("x", [text for text in parts for _ in range(2)])
    assert any("free text" in said for said in read_contents(series, Role.OTHER)[0])
    assert read_contents(series, Role.SENSITIVE)[0] == ()
    assert read_contents(column(parts), Role.OTHER)[0] == ()


def test_a_rare_note_in_a_long_column_is_read() -> None:
    series = pl.Series("x", ["no change today", "seen and sent home"] * 100_000)
    series[123_457] = "Mrs Tregarthen rang"
    assert read_contents(series, Role.OTHER)[0]


def test_nothing_is_written_with_the_rest_as_other() -> None:
    rng = np.random.default_rng(2)
    names = [f"{given} {family}" for given in given_names("pl") for family in family_names("pl")]
    notes = [f"paziente {name} riferisce dolore" for name in names[:30]]
    frame = pl.DataFrame({"age": rng.integers(20, 60, 300), "nota": notes * 10})
    with pytest.raises(shoal.ExposureError, match="'nota' holds names of people"):
        shoal.anonymize(frame, k=3, quasi=["age"], rest="other")


def test_findings_hold_no_word_of_a_note() -> None:
    said = " ".join(stopping([f"Mrs {name} rang" for name in ("Tregarthen", "Pellow", "Kersey")]))
    assert not any(name in said for name in ("Tregarthen", "Pellow", "Kersey"))


def test_an_institution_is_not_a_person() -> None:
    assert not names_in("Martin Luther King Hospital in town").sure
    assert names_in("Martin King was seen in the Memorial Hospital").sure
