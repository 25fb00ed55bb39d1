"""Planted secrets: what no report may show, and what the public one may not either."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import shoal

if TYPE_CHECKING:
    from shoal.reports import Report

NAME, ILLNESS, NOTE = "zaphod-sentinel", "sentinel-fever", "note-sentinel"
RARE, VILLAGE, EXTREME = "astronaut-sentinel", "hidden-village", 98_765
ROLES: dict[str, Any] = {
    "k": 3,
    "quasi": ["age", "job", "place"],
    "sensitive": ["illness"],
    "identifier": ["name"],
    "other": ["note"],
    "suppression": 0.4,
    "accept": ["note", "illness"],
    "hierarchy": {
        "place": shoal.Hierarchy.from_rows(
            [["a1", "a", "*"], ["a2", "a", "*"], ["b1", "b", "*"], ["hidden-village", "b", "*"]]
        )
    },
}
WRITTEN = ("to_html", "to_certificate", "to_markdown", "to_json")


def original(extreme: int = EXTREME, rare: str = RARE, village: str = VILLAGE) -> pl.DataFrame:
    """Six people who are released, and three who are suppressed."""
    rows = range(9)
    return pl.DataFrame(
        {
            "name": [f"{NAME}-{row}" for row in rows],
            "age": [30, 31, 32, 50, 51, 52, extreme, extreme, extreme],
            "job": ["cook", "nurse", "cook", "smith", "smith", "smith", rare, rare, rare],
            "place": ["a1", "a2", "a1", "b1", "b1", "b1", village, village, village],
            "illness": [f"{ILLNESS}-{row % 3}" for row in rows],
            "note": [f"{NOTE}-{row}" for row in rows],
        }
    )


def released(suppressed: str) -> pl.DataFrame:
    table = original().drop("name")
    generalized = {
        "age": ["[30..32]"] * 3 + ["[50..52]"] * 3 + ["*"] * 3,
        "job": ["{cook|nurse}"] * 3 + ["smith"] * 3 + ["*"] * 3,
        "place": ["a"] * 3 + ["b1"] * 3 + ["*"] * 3,
    }
    release = table.with_columns(**{name: pl.Series(cells) for name, cells in generalized.items()})
    return release if suppressed == "star" else release.head(6)


def report(suppressed: str, *, public: bool) -> Report:
    made = shoal.report(original(), released(suppressed), public=public, **ROLES)
    assert made.passed
    assert made.distributions
    return made


@pytest.mark.parametrize("suppressed", ["star", "withhold"])
@pytest.mark.parametrize("public", [False, True])
@pytest.mark.parametrize("how", WRITTEN)
def test_no_identifier_and_no_sensitive_or_other_value_is_told(
    how: str, public: bool, suppressed: str
) -> None:
    text = getattr(report(suppressed, public=public), how)()
    for secret in (NAME, ILLNESS, NOTE):
        assert secret not in text


@pytest.mark.parametrize("suppressed", ["star", "withhold"])
@pytest.mark.parametrize("how", WRITTEN)
def test_the_public_report_knows_nothing_of_suppressed_people(how: str, suppressed: str) -> None:
    text = getattr(report(suppressed, public=True), how)()
    for secret in (RARE, "hidden-village", str(EXTREME)):
        assert secret not in text


def test_the_public_report_is_the_same_whoever_was_withheld() -> None:
    """Another withheld person, another original: not one letter of the public report changes."""
    first = shoal.report(original(), released("withhold"), public=True, **ROLES)
    other = original(18, "cook", "b1")
    second = shoal.report(other, released("withhold"), public=True, **ROLES)
    assert first.to_html() == second.to_html()
    assert first.to_json() == second.to_json()
    fewer = shoal.report(original().head(6), released("withhold"), public=True, **ROLES)
    assert first.to_json() == fewer.to_json()


def test_the_internal_report_shows_no_row_of_the_original() -> None:
    made = report("star", public=False)
    assert made.sample is not None
    exact = {tuple(map(str, row)) for row in original().select("age", "job", "place").rows()}
    assert not exact & set(made.sample.rows)
    assert set(made.sample.columns) == {"age", "job", "place"}


def test_a_class_that_is_released_as_it_is_is_not_in_the_sample() -> None:
    """Three equal originals need no generalization: their row stays a row of the original."""
    table = pl.DataFrame({"age": [30, 30, 30, 50, 51, 52], "sex": [*"FFFMMM"]})
    release = pl.DataFrame({"age": ["30"] * 3 + ["[50..52]"] * 3, "sex": [*"FFFMMM"]})
    for public in (False, True):
        made = shoal.report(table, release, k=3, quasi=["age", "sex"], public=public)
        assert made.sample is not None
        assert made.sample.rows == (("[50..52]", "M"),)
        alike = shoal.report(table.head(3), release.head(3), k=3, quasi=["age", "sex"])
        assert alike.passed
        assert alike.sample is None


def test_a_failed_release_shows_nothing_of_its_cells() -> None:
    made = shoal.report(original(), original().drop("name"), **ROLES)
    assert not made.passed
    for how in WRITTEN:
        text = getattr(made, how)()
        for secret in (NAME, ILLNESS, NOTE, RARE, "nurse", "hidden-village"):
            assert secret not in text


def test_a_seed_is_not_told() -> None:
    seed = 987654321987
    table = pl.DataFrame({"age": [30, 31, 50, 51]})
    release = shoal.anonymize(table, k=2, quasi=["age"], seed=seed)
    for public in (False, True):
        for how in WRITTEN:
            assert str(seed) not in getattr(release.report(public=public), how)()


def test_folders_are_not_told(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("folder-sentinel")
    tree = folder / "places.csv"
    tree.write_text("a1,a,*\na2,a,*\nb1,b,*\nhidden-village,b,*\n")
    words = {**ROLES, "hierarchy": {"place": str(tree)}}
    for public in (False, True):
        made = shoal.report(original(), released("star"), public=public, **words)
        for how in WRITTEN:
            assert "folder-sentinel" not in getattr(made, how)()


def test_names_of_columns_and_values_are_not_markup() -> None:
    column, value = "<img src=x>", "</script><script>alert(1)</script>"
    table = pl.DataFrame({column: [value] * 3 + ["b"] * 3})
    made = shoal.report(table, table, k=3, quasi=[column], title="<b>title</b>")
    assert made.passed
    text = made.to_html()
    assert "<img src=x>" not in text
    assert "<script>alert" not in text
    assert "<b>title" not in text
    assert text.count("</script>") == 5  # the charts' data and four programs
    assert "<img" not in made.to_certificate()


@pytest.mark.parametrize("notation", ["text", "min_max"])
@pytest.mark.parametrize("how", WRITTEN)
def test_the_public_report_knows_no_category_that_only_withheld_people_have(
    how: str, notation: str
) -> None:
    """Neither beyond nor between the categories of the release."""
    grades = ["low", "middle-sentinel", "high", "top-sentinel"]
    table = pl.DataFrame(
        {
            "grade": ["low"] * 3 + ["high"] * 3 + ["middle-sentinel", "top-sentinel"],
            "sex": ["F", "M"] * 4,
        }
    )
    cells: dict[str, dict[str, list[Any]]] = {
        "text": {"grade": ["[low..high]"], "sex": ["{F|M}"]},
        "min_max": {"grade_min": ["low"], "grade_max": ["high"], "sex": [["F", "M"]]},
    }
    release = pl.DataFrame({name: 6 * cell for name, cell in cells[notation].items()})
    options: dict[str, Any] = {
        "k": 3,
        "quasi": ["grade", "sex"],
        "order": {"grade": grades},
        "suppression": 0.3,
        "notation": notation,
    }
    made = shoal.report(table, release, public=True, **options)
    assert made.passed, made.checks
    assert "sentinel" not in getattr(made, how)()
    shown = next(one for one in made.distributions if one.column == "grade")
    assert [(bar.label, bar.after) for bar in shown.bars] == [("low", 3), ("high", 3)]
    fewer = {**options, "order": {"grade": ["low", "high"]}}
    other = shoal.report(table.head(6), release, public=True, **fewer)
    assert getattr(other, how)() == getattr(made, how)()
