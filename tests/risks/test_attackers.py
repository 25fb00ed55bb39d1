"""Re-identification risk: hand-worked tables, and the definitions spelt out."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.risks import Column, assess
from shoal.risks.attackers import expected_inverse
from tests.reference import risk as reference

# Six people of El Emam's kind: classes of 3, 2 and 1.
PEOPLE = pl.DataFrame({"age": [30, 30, 30, 40, 40, 50], "sex": [*"FFFMMM"]})
POPULATION = pl.DataFrame(
    {"age": [30] * 6 + [40] * 2 + [50] * 4 + [60] * 3, "sex": [*"FFFFFF", *"MM", *"MMMM", *"FFF"]}
)


def test_prosecutor_by_hand() -> None:
    found = shoal.risk(PEOPLE, quasi=["age", "sex"], threshold=0.4)
    assert found["smallest_class"] == 1
    assert found["classes"] == 3
    assert found["unique"] == 1
    assert found["sample_uniqueness"] == pytest.approx(1 / 6)
    assert found["prosecutor_average"] == pytest.approx(3 / 6)
    assert found["prosecutor_highest"] == 1.0
    assert found["prosecutor_above"] == pytest.approx(3 / 6)  # 1/2 and 1, not 1/3
    assert found["marketer"] == pytest.approx(3 / 6)


def test_a_risk_equal_to_the_threshold_is_not_above_it() -> None:
    table = pl.DataFrame({"age": [1] * 5 + [2] * 4})
    assert shoal.risk(table, quasi="age", threshold=0.2)["prosecutor_above"] == pytest.approx(4 / 9)


def test_journalist_by_hand() -> None:
    """F is 6, 2 and 4: over records (3/6 + 2/2 + 1/4)/6, over classes 3/12."""
    found = shoal.risk(PEOPLE, quasi=["age", "sex"], population=POPULATION, threshold=0.3)
    assert found["journalist_average"] == pytest.approx((3 / 6 + 2 / 2 + 1 / 4) / 6)
    assert found["journalist_highest"] == pytest.approx(1 / 2)
    assert found["journalist_above"] == pytest.approx(2 / 6)
    assert found["marketer"] == pytest.approx((3 / 6 + 2 / 2 + 1 / 4) / 6)
    # The prosecutor knows who is in the table, so a population changes nothing for him.
    assert found["prosecutor_highest"] == 1.0


def test_the_journalist_average_is_that_over_classes_where_it_is_larger() -> None:
    table = pl.DataFrame({"age": [1] * 9 + [2]})
    population = pl.DataFrame({"age": [1] * 90 + [2] * 2})
    found = shoal.risk(table, quasi="age", population=population)
    over_records, over_classes = (9 / 90 + 1 / 2) / 10, 2 / 92
    assert over_records > over_classes
    assert found["journalist_average"] == pytest.approx(over_records)
    # A large class that is known almost to the last person, and a small one that is not.
    table = pl.DataFrame({"age": [1] * 50 + [2]})
    population = pl.DataFrame({"age": [1] * 50 + [2] * 10})
    found = shoal.risk(table, quasi="age", population=population)
    over_records, over_classes = (50 / 50 + 1 / 10) / 51, 2 / 60
    assert over_records < over_classes
    assert found["journalist_average"] == pytest.approx(over_classes)


def test_who_is_not_in_the_population_counts_by_his_class() -> None:
    found = shoal.risk(
        PEOPLE, quasi=["age", "sex"], population=POPULATION.filter(pl.col("age") != 50)
    )
    assert found["journalist_highest"] == 1.0
    assert any("not a sample of it" in note for note in found.notes)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=30),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=30),
    st.sampled_from([0.05, 0.2, 0.25, 0.5, 1.0]),
)
def test_attackers_by_definition(
    rows: list[tuple[int, int]], more: list[tuple[int, int]], threshold: float
) -> None:
    table = pl.DataFrame(rows, schema=["a", "b"], orient="row")
    everybody = [*rows, *more]
    population = pl.DataFrame(everybody, schema=["a", "b"], orient="row")
    found = shoal.risk(table, quasi=["a", "b"], population=population, threshold=threshold)
    for name, expected in (
        ("prosecutor", reference.prosecutor(rows, threshold)),
        ("journalist", reference.journalist(rows, everybody, threshold)),
    ):
        for part, value in zip(("average", "highest", "above"), expected, strict=True):
            assert found[f"{name}_{part}"] == pytest.approx(value), f"{name}_{part}"


@pytest.mark.parametrize("pi", [0.003, 0.02, 0.3, 0.9])
@pytest.mark.parametrize("f", [1, 2, 3, 10, 60])
def test_individual_risk_is_the_mean_of_a_negative_binomial(f: int, pi: float) -> None:
    assert expected_inverse(np.array([f]), pi)[0] == pytest.approx(
        reference.expected_inverse(f, pi), rel=1e-9
    )


@pytest.mark.parametrize("pi", [0.001, 0.01, 0.1, 0.5])
def test_individual_risk_of_large_classes_is_a_number(pi: float) -> None:
    sizes = np.array([19, 20, 21, 22, 100, 1000, 100_000])
    found = expected_inverse(sizes, pi)
    assert np.isfinite(found).all()
    # F is at least f, about f / π, and the mean of 1/F is above 1 over the mean of F.
    assert (found >= pi / sizes).all()
    assert found == pytest.approx(pi / sizes, rel=0.06)
    for f, risk in zip(sizes[:4].tolist(), found[:4].tolist(), strict=True):
        assert risk == pytest.approx(reference.expected_inverse(f, pi, 400_000), rel=1e-6)


def test_individual_risk_of_a_unique_record_as_sdcmicro_prints_it() -> None:
    """For f = 1 the formula of Benedetti and Franconi is p/(1-p) · log(1/p)."""
    p = 0.05
    assert expected_inverse(np.array([1]), p)[0] == pytest.approx(p / (1 - p) * np.log(1 / p))
    # For f = 2: p/(1-p)² · (p log p + 1 - p).
    expected = p / (1 - p) ** 2 * (p * np.log(p) + 1 - p)
    assert expected_inverse(np.array([2]), p)[0] == pytest.approx(expected)


def test_persons_are_counted_where_they_have_several_records() -> None:
    table = pl.DataFrame({"age": [30, 30, 30, 40], "who": ["a", "a", "b", "c"]})
    found = shoal.risk(table, quasi="age", person="who")
    assert found["smallest_class"] == 1
    assert found["prosecutor_average"] == pytest.approx((3 * 1 / 2 + 1) / 4)
    assert shoal.risk(table, quasi="age")["prosecutor_average"] == pytest.approx(2 / 4)


def test_people_are_counted_alike_in_every_figure() -> None:
    """Two records of one person that look the same are unique to that person."""
    table = pl.DataFrame(
        {"age": [30, 30, 40, 40], "sex": ["F", "F", "M", "M"], "who": ["a", "a", "b", "c"]}
    )
    found = shoal.risk(table, quasi=["age", "sex"], person="who")
    assert found["unique"] == found.uniques.unique == 2
    assert found.by_column["unique_alone"].to_list() == [2, 2]
    assert found.by_combination["records"].to_list() == [2, 2]
    in_records = shoal.risk(table, quasi=["age", "sex"])
    assert in_records["unique"] == in_records.uniques.unique == 0
    told = {figure.name: figure.meaning for figure in found.figures}
    assert "no other person" in told["unique"]


def test_people_of_a_release_are_counted_by_the_row_map() -> None:
    table = pl.DataFrame({"age": [30, 31, 32, 33], "who": ["a", "b", "a", "a"]})
    release = pl.DataFrame({"age": ["[32..33]", "[30..31]", "[32..33]", "[30..31]"]})
    rows = np.array([2, 0, 3, 1])
    found = shoal.risk(release, original=table, quasi="age", person="who", rows=rows)
    assert found["smallest_class"] == 1  # both records of 32 and 33 are of a
    assert found["unique"] == 2
    assert found.get("linkage_average") is None
    with pytest.raises(shoal.ParameterError, match="rows"):
        shoal.risk(release, original=table, quasi="age", person="who", rows=rows[:2])
    people = shoal.risk(table, quasi="age", person="who")
    assert "2 after" in people.beside(found).summary
    with pytest.raises(shoal.ParameterError, match="counts people"):
        people.beside(shoal.risk(release, quasi="age"))


def test_records_that_show_nothing_are_a_class() -> None:
    """Whoever is covered by no other class must be one of them."""
    columns = [Column("age"), Column("sex")]
    table = pl.DataFrame({"age": ["30", "30", "*"], "sex": ["F", "F", "*"]})
    found = assess(table, columns)
    assert found["smallest_class"] == 1
    assert found["prosecutor_average"] == pytest.approx((1 / 2 + 1 / 2 + 1) / 3)
    original = pl.DataFrame({"age": [30, 30, 99], "sex": ["F", "F", "M"]})
    linked = assess(table, columns, original=original)
    assert linked["linkage_average"] == pytest.approx((1 / 2 + 1 / 2 + 1) / 3)
    two = pl.concat([table, table.tail(1)])
    assert assess(two, columns, original=original)["linkage_highest"] == pytest.approx(1 / 2)


def test_missing_and_empty_cells_are_the_same_value() -> None:
    table = pl.DataFrame({"age": ["", None, "3"]})
    assert shoal.risk(table, quasi="age")["unique"] == 1


@pytest.mark.parametrize(
    ("option", "value"), [("threshold", 0), ("threshold", 1.5), ("sampling_fraction", 0.0)]
)
def test_shares_are_shares(option: str, value: float) -> None:
    with pytest.raises(shoal.ParameterError, match=option):
        shoal.risk(PEOPLE, quasi=["age"], **{option: value})  # type: ignore[arg-type]


def test_an_unknown_column_is_named() -> None:
    with pytest.raises(shoal.InputError, match="'height'"):
        shoal.risk(PEOPLE, quasi=["height"])
