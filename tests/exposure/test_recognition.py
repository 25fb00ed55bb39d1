"""What is recognized in the values of a column, at the edges of the detectors."""

from __future__ import annotations

import polars as pl

from shoal.contents import Content, Values, recognize


def contents(*values: str) -> set[Content]:
    return {finding.content for finding in recognize(Values.of(pl.Series("x", values)))}


def test_digits_that_are_not_ascii_stop_no_validator() -> None:
    """Validators of national numbers look for ASCII digits and raise without them."""
    assert contents(*(f"٣٤٥{number}" for number in range(1000, 1040))) == {Content.KEY}


def test_values_are_counted_without_surrounding_blanks() -> None:
    values = Values.of(pl.Series("x", ["a", " a", "b ", "", "  ", None, "a"]))
    assert dict(zip(values.distinct, values.counts, strict=True)) == {"a": 3, "b": 1}
    assert values.number == 2


def test_names_of_sixty_letters_are_names_and_longer_texts_are_not() -> None:
    given = ("Anna", "Peter", "Maria", "Thomas", "Julia", "Stefan")
    assert contents(*(f"{name} {'b' * (59 - len(name))}" for name in given)) == {
        Content.PERSON_NAME
    }
    assert Content.PERSON_NAME not in contents(*(f"{name} {'b' * 60}" for name in given))


def test_hardware_addresses_need_no_digit() -> None:
    assert contents("aa-bb-cc-dd-ee-ff", "ab-bc-cd-de-ef-fa") == {Content.IP_ADDRESS}
