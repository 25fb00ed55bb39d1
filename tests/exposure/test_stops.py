"""What a custodian forgot stops the run: names, contacts, copies, columns that undo a class."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import shoal
from tests.exposure.people import People

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ROLES: dict[str, Any] = {"quasi": ["age", "sex"], "sensitive": ["diagnosis"]}


def visits(seed: int = 1, patients: int = 120, each: int = 5) -> pl.DataFrame:
    """Return visits of patients, each of whom comes several times."""
    rng = np.random.default_rng(seed)
    n = patients * each
    return pl.DataFrame(
        {
            "age": np.repeat(rng.integers(20, 90, patients), each),
            "sex": np.repeat(rng.choice(["f", "m"], patients), each),
            "diagnosis": rng.choice(["cold", "flu", "gout", "burn"], n),
        }
    )


def found(release: shoal.Release[Any]) -> Mapping[str, Any]:
    """Return all that the exposure check found, which stays with the custodian."""
    assert release.custody.figures is not None
    assert release.custody.figures.exposure is not None
    return release.custody.figures.exposure


def with_repeated(frame: pl.DataFrame, name: str, make: Callable[[], str]) -> pl.DataFrame:
    """Return the visits with a column that says the same at each visit of a patient."""
    values = [make() for _ in range(frame.height // 5)]
    return frame.with_columns(pl.Series(name, np.repeat(values, 5)))


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("name", "de"),
        ("patient_name", "en"),
        ("first_name", "en"),
        ("surname", "en"),
        ("Nachname", "de"),
        ("Vorname", "de"),
        ("nom", "fr"),
        ("prenom", "fr"),
        ("x1", "es"),
    ],
)
@pytest.mark.parametrize("rest", [False, True])
def test_names_that_repeat_are_not_released(name: str, language: str, rest: bool) -> None:
    people = People(np.random.default_rng(3))
    frame = with_repeated(visits(), name, lambda: people.full(language))
    words = {**ROLES, **({"rest": "other"} if rest else {"other": [name]})}
    with pytest.raises(shoal.ExposureError) as caught:
        shoal.anonymize(frame, k=10, **words)
    assert caught.value.columns == (name,)
    assert repr(name) in caught.value.what
    told = str(caught.value)
    assert not any(word in told for full in frame[name].unique() for word in full.split())
    for way in ("identifier", "quasi", "accept"):
        assert f"`{way}=[{name!r}]`" in caught.value.remedy


@pytest.mark.parametrize("name", ["first_name", "Vorname", "prenom", "c7"])
@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "it", "pl", "ru"])
def test_given_names_alone(name: str, language: str) -> None:
    people = People(np.random.default_rng(4))
    frame = with_repeated(visits(), name, lambda: people.given(language))
    with pytest.raises(shoal.ExposureError):
        shoal.anonymize(frame, k=5, other=[name], **ROLES)


def contacts() -> pl.DataFrame:
    people = People(np.random.default_rng(5))
    frame = visits()
    for name, make in {
        "contact": lambda: people.email("en"),
        "c1": lambda: people.filled("###-##-####"),
        "c2": lambda: people.iban("DE"),
        "c3": people.ip,
        "c4": lambda: people.note("en"),
        "c5": lambda: people.phone("FR"),
        "c6": lambda: people.street("de"),
        "c7": lambda: people.national("pl"),
        "c8": lambda: people.plate("DE"),
        "c9": people.url,
        "c10": lambda: f"{people.rng.normal(48, 1):.5f}, {people.rng.normal(11, 1):.5f}",
        "c11": lambda: people.born().isoformat(),
    }.items():
        frame = with_repeated(frame, name, make)
    return frame


def test_rest_other_does_not_let_contacts_out() -> None:
    frame = contacts()
    expected = set(frame.columns) - {"age", "sex", "diagnosis"}
    with pytest.raises(shoal.ExposureError) as caught:
        shoal.anonymize(frame, k=5, rest="other", **ROLES)
    assert set(caught.value.columns) == expected
    told = str(caught.value)
    assert not any(cell in told for name in expected for cell in frame[name].unique())


def test_contacts_are_not_released_as_sensitive_either() -> None:
    for name in ("contact", "c2", "c4", "c7"):
        with pytest.raises(shoal.ExposureError):
            shoal.anonymize(contacts(), k=5, quasi=["age", "sex"], sensitive=[name], rest="drop")


def test_one_address_in_a_column_of_codes_is_found() -> None:
    frame = visits().with_columns(
        remark=pl.Series(["a", "b", "c"] * 199 + ["write to mia@example.org", "a", "b"])
    )
    with pytest.raises(shoal.ExposureError, match="1 of its 600 cells contain e-mail addresses"):
        shoal.anonymize(frame, k=5, other=["remark"], **ROLES)


def regions(n: int = 3000, seed: int = 2) -> pl.DataFrame:
    """Return people of forty regions, each with a population density of its own."""
    rng = np.random.default_rng(seed)
    region = rng.integers(0, 40, n)
    density = np.round(np.exp(rng.normal(5, 1, 40)), 1)
    return pl.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "region": [f"R{number:02d}" for number in region],
            "density": density[region],
            "salary": rng.choice(["low", "middle", "high"], n),
            "icd": rng.choice([f"{letter}{digit}" for letter in "ABCDE" for digit in range(20)], n),
        }
    )


def test_a_density_that_determines_the_region_stops_the_run() -> None:
    with pytest.raises(shoal.ExposureError) as caught:
        shoal.anonymize(regions(), k=10, quasi=["age", "region"], rest="other")
    assert caught.value.columns == ("density",)
    assert "determines the quasi-identifier 'region'" in caught.value.what


def test_a_copy_of_a_quasi_identifier_stops_the_run() -> None:
    frame = regions().with_columns(Age=pl.col("age").cast(pl.Float64))
    with pytest.raises(shoal.ExposureError) as caught:
        shoal.anonymize(frame.drop("density"), k=10, quasi=["age", "region"], rest="other")
    assert caught.value.columns == ("Age",)
    assert "repeats the quasi-identifier 'age'" in caught.value.what
    # Even where there is nothing to learn from.
    tiny = pl.DataFrame({"age": [20, 31, 45, 52, 63, 70], "Age": [20, 31, 45, 52, 63, 70]})
    with pytest.raises(shoal.ExposureError, match="repeats"):
        shoal.anonymize(tiny, k=3, quasi=["age"], other=["Age"])


def test_a_concatenation_stops_the_run() -> None:
    frame = regions().drop("density")
    joined = frame.with_columns(
        code=pl.col("region") + "/" + pl.col("age").cast(pl.String) + "/" + pl.col("salary")
    )
    with pytest.raises(shoal.ExposureError) as caught:
        shoal.anonymize(joined, k=10, quasi=["age", "region"], rest="other")
    assert caught.value.columns == ("code",)


def test_ordinary_columns_stop_nothing() -> None:
    release = shoal.anonymize(
        regions().drop("density"), k=10, quasi=["age", "region"], rest="other"
    )
    told = {one["column"]: one for one in found(release)["columns"]}
    assert set(told) == {"salary", "icd"}
    assert all(one["effective_k"] > 9.5 for one in told.values())
    assert release.facts["exposure"]["accepted"] == []


def test_what_is_accepted_is_released_and_recorded() -> None:
    words: dict[str, Any] = {"k": 10, "quasi": ["age", "region"], "rest": "other"}
    release = shoal.anonymize(regions(), accept=["density"], **words)
    assert "density" in release.frame.columns
    assert release.facts["exposure"]["accepted"] == ["density"]
    exposure = found(release)
    assert exposure["accepted"] == ["density"]
    told = {one["column"]: one for one in exposure["columns"]}["density"]
    assert told["accepted"]
    assert told["effective_k"] < 10 <= told["candidates"]
    assert any("'density' was accepted" in note for note in release.custody.notes)
    check = release.verdict.checks[-1]
    assert check.passed
    assert "accepted as they are: 'density'" in check.detail
    assert release.facts["job"]["accept"] == ["density"]


def test_verify_finds_what_was_not_accepted() -> None:
    words: dict[str, Any] = {"k": 10, "quasi": ["age", "region"], "rest": "other"}
    frame = regions()
    release = shoal.anonymize(frame, accept=["density"], **words)
    rows = release.custody.rows
    assert shoal.verify(frame, release.frame, rows=rows, accept=["density"], **words).passed
    refused = shoal.verify(frame, release.frame, rows=rows, **words)
    assert [check.name for check in refused.checks if not check.passed] == ["unchanged columns"]


def test_verify_finds_it_without_a_custody_file() -> None:
    words: dict[str, Any] = {"k": 10, "quasi": ["age", "region"], "rest": "other"}
    frame = regions()
    release = shoal.anonymize(frame, accept=["density"], **words)
    refused = shoal.verify(frame, release.frame, **words)
    (fault,) = [check for check in refused.checks if not check.passed]
    assert fault.name == "unchanged columns"
    assert "'density'" in fault.detail
    passed = shoal.verify(frame, release.frame, accept=["density"], **words)
    assert "examined by value and by how many candidates remain" in str(passed)
    assert "accepted as they are: 'density'" in str(passed)


def test_freeform_releases_are_examined_where_matches_are_known() -> None:
    words: dict[str, Any] = {"k": 5, "quasi": ["age", "region"], "rest": "other"}
    frame = regions()
    words |= {"form": "freeform"}
    release = shoal.anonymize(frame, accept=["density"], seed=3, **words)
    secrets: dict[str, Any] = {
        "rows": release.custody.rows,
        "matches": release.custody.matches,
    }
    refused = shoal.verify(frame, release.frame, **secrets, **words)
    assert [check.name for check in refused.checks if not check.passed] == ["unchanged columns"]
    alone = shoal.verify(frame, release.frame, **words)
    assert "by value alone, not by how many candidates remain" in str(alone)


def test_effective_k_in_facts_is_counted_in_the_release() -> None:
    words: dict[str, Any] = {"k": 10, "quasi": ["age", "region"], "rest": "other"}
    release = shoal.anonymize(regions(), accept=["density"], **words)
    told = release.facts["exposure"]
    others = [one["column"] for one in told["columns"] if one["role"] == "other"]
    for known, figures in (
        *(([one["column"]], one) for one in told["columns"]),
        (others, told["other_columns_together"]),
    ):
        sizes = Counter(release.frame.select("age", "region", *known).rows())
        chance = sum(Fraction(1, sizes[row]) for row in sizes.elements()) / sizes.total()
        assert figures["effective_k_if_known"] == round(float(1 / chance), 2)
    # What depends on exact values behind the cells stays in custody.
    assert "'effective_k'" not in str(release.facts.to_dict())
    assert "effective_k" in str(found(release))


def test_verify_finds_contacts_without_a_custody_file() -> None:
    people = People(np.random.default_rng(6))
    frame = with_repeated(visits(), "mail", lambda: people.email("de"))
    words: dict[str, Any] = {"k": 5, "other": ["mail"], **ROLES}
    release = shoal.anonymize(frame, accept=["mail"], **words)
    assert shoal.verify(frame, release.frame, accept=["mail"], **words).passed
    assert not shoal.verify(frame, release.frame, **words).passed


def test_only_unchanged_columns_are_accepted() -> None:
    with pytest.raises(shoal.SchemaError, match="'age', which is not released unchanged"):
        shoal.anonymize(visits(), k=5, accept=["age"], **ROLES)


def test_facts_hold_no_cell() -> None:
    people = People(np.random.default_rng(7))
    frame = with_repeated(visits(), "who", lambda: people.full("en"))
    release = shoal.anonymize(frame, k=5, other=["who"], accept=["who"], **ROLES)
    told = f"{release.facts} {found(release)}"
    assert not any(word in told for full in frame["who"].unique() for word in full.split())


SYLLABLES = ["zor", "vak", "mel", "in", "dor", "que", "shi", "bru", "lo", "tha", "nem", "ik", "ul"]


def invented_name(rng: np.random.Generator) -> str:
    """Return a full name that is in no list."""
    words = ["".join(rng.choice(SYLLABLES, rng.integers(2, 4))).capitalize() for _ in range(2)]
    return " ".join(words)


@pytest.mark.parametrize("role", ["other", "sensitive"])
@pytest.mark.parametrize("name", ["who", "x7", "kontakt_3", "spouse", "mother"])
def test_names_in_no_list_are_told_by_their_shape(name: str, role: str) -> None:
    rng = np.random.default_rng(6)
    frame = with_repeated(visits(), name, lambda: invented_name(rng))
    roles: dict[str, Any] = {"quasi": ["age", "sex"], "rest": "drop", role: [name]}
    with pytest.raises(shoal.ExposureError, match="differ as given and family names do"):
        shoal.anonymize(frame, k=5, **roles)


LEVELS = ["Senior", "Junior", "Chief", "Deputy", "Assistant", "Lead", "Trainee", "Visiting"]
TRADES = ["Nurse", "Engineer", "Welder", "Clerk", "Driver", "Cook", "Analyst", "Porter"]


@pytest.mark.parametrize(
    "value",
    [
        lambda rng: f"{rng.choice(LEVELS)} {rng.choice(TRADES)}",
        lambda rng: f"{invented_name(rng).split()[0]} {rng.choice(['Ltd', 'Group', 'Partners'])}",
        lambda rng: invented_name(rng).split()[0],
        lambda rng: invented_name(rng).lower(),
    ],
    ids=["titles", "firms", "single words", "no capitals"],
)
def test_other_capitalized_words_are_not(value: Callable[[np.random.Generator], str]) -> None:
    rng = np.random.default_rng(7)
    frame = with_repeated(visits(), "x7", lambda: value(rng))
    release = shoal.anonymize(frame, k=5, other=["x7"], accept=["x7"], **ROLES)
    (column,) = (one for one in found(release)["columns"] if one["column"] == "x7")
    assert not any("given and family names" in one for one in column["findings"])


def test_towns_of_two_words_in_many_records_are_not() -> None:
    rng = np.random.default_rng(8)
    towns = [invented_name(rng) for _ in range(40)]
    frame = pl.DataFrame({"age": rng.integers(20, 90, 4_000), "x7": rng.choice(towns, 4_000)})
    release = shoal.anonymize(frame, k=5, quasi=["age"], other=["x7"], algorithm="mondrian")
    assert release.verdict.passed


def test_names_declared_as_quasi_identifier_are_noted() -> None:
    names = ["Anna Smith", "Jonas Lange", "Marie Dubois", "Lucia Rossi", "Pedro Gomez"] * 4
    frame = pl.DataFrame({"who": names, "town": ["a", "b", "c", "d"] * 5})
    release = shoal.anonymize(frame, k=2, quasi=["who", "town"], algorithm="mondrian", seed=1)
    assert release.custody is not None
    told = [note for note in release.custody.notes if "is a quasi-identifier, but" in note]
    assert len(told) == 1
    assert "'who'" in told[0]
    assert not any(name in told[0] for name in names)
