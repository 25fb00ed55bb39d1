"""What reports tell, against computations by hand and by others."""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import asdict
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from scipy.stats.contingency import association as scipy_association

import shoal
from shoal.hierarchies import Hierarchy
from shoal.reports.associations import Grouped, association
from shoal.reports.distributions import distribution
from shoal.reports.writing import PROGRAMS
from shoal.risks import Column
from tests.tables import MIXED, mixed_table

if TYPE_CHECKING:
    from pathlib import Path


def test_the_vendored_programs_are_those_that_are_named() -> None:
    folder = files("shoal.reports") / "vendor"
    listed = tomllib.loads((folder / "vendored.toml").read_text())["program"]
    assert {one["file"] for one in listed} == set(PROGRAMS)
    for one in listed:
        content = (folder / one["file"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == one["sha256"]
        for text in one["texts"]:
            assert "Copyright" in (folder / text).read_text()


def test_intervals_are_spread_evenly() -> None:
    original = pl.DataFrame({"age": [20, 21, 22, 23, 24, 25]})
    release = pl.DataFrame({"age": ["[20..23]"] * 4 + ["[24..25]"] * 2})
    found = distribution(Column("age"), release, original, ordered=True)
    assert found.shape == "numbers"
    assert found.spread
    assert [bar.label for bar in found.bars] == ["20", "21", "22", "23", "24", "25"]
    assert [bar.before for bar in found.bars] == [1.0] * 6
    assert [bar.after for bar in found.bars] == pytest.approx([1.0] * 6)


def test_open_values_are_the_first_and_the_last_bar() -> None:
    table = pl.DataFrame({"age": ["<=20", "21", "23", "24", "90+"]})
    released = pl.DataFrame({"age": ["[<=20..21]"] * 2 + ["[23..90+]"] * 3})
    found = distribution(Column("age"), released, table, ordered=True)
    assert found.shape == "numbers"
    assert found.bars[0].label.startswith("≤2")
    assert found.bars[-1].label.endswith("0+")
    assert sum(bar.before or 0 for bar in found.bars) == 5
    assert sum(bar.after for bar in found.bars) == pytest.approx(5)


def test_wide_ranges_fall_into_round_bins() -> None:
    original = pl.DataFrame({"cost": [3, 17, 180, 205, 999]})
    release = pl.DataFrame({"cost": ["[3..205]"] * 4 + ["*"]})
    found = distribution(Column("cost"), release, original, ordered=True)
    assert all(isinstance(bar.low, float) and bar.low % 50 == 0 for bar in found.bars)
    assert sum(bar.before or 0 for bar in found.bars) == 5
    assert sum(bar.after for bar in found.bars) == pytest.approx(4)
    assert found.hidden == pytest.approx(1 / 5)
    # 3..205 has 203 values, 47 of them below 50.
    assert found.bars[0].after == pytest.approx(4 * 47 / 203)


def test_dates_fall_into_calendar_bins() -> None:
    days = pl.date_range(pl.date(2020, 1, 1), pl.date(2021, 12, 31), "1d", eager=True)
    original = pl.DataFrame({"seen": days})
    release = pl.DataFrame({"seen": ["[2020-01-01..2021-12-31]"] * len(days)})
    found = distribution(Column("seen"), release, original, ordered=True)
    assert found.shape == "dates"
    assert len(found.bars) == 24
    assert found.bars[1].label == "2020-02-01 to 2020-02-29"
    for bar in found.bars:  # an even spread over days is the truth here
        assert bar.after == pytest.approx(bar.before)


def test_sets_and_missing_cells() -> None:
    original = pl.DataFrame({"job": ["cook", "cook", "nurse", None]})
    release = pl.DataFrame({"job": ["{cook|nurse}", "{cook|nurse}", "{cook|nurse|}", ""]})
    found = distribution(Column("job"), release, original, ordered=False)
    assert {bar.label: bar.before for bar in found.bars} == {"cook": 2, "nurse": 1, "(missing)": 1}
    assert [bar.after for bar in found.bars] == pytest.approx([1 + 1 / 3] * 3)


def test_nodes_are_spread_over_the_leaves_that_occur() -> None:
    tree = Hierarchy.from_rows(
        [["a1", "a", "*"], ["a2", "a", "*"], ["a3", "a", "*"], ["b1", "b", "*"]]
    )
    original = pl.DataFrame({"place": ["a1", "a1", "a2", "b1"]})
    release = pl.DataFrame({"place": ["a", "a", "a", "b1"]})
    found = distribution(Column("place", tree), release, original, ordered=False)
    counts = {bar.label: (bar.before, bar.after) for bar in found.bars}
    assert counts == {"a1": (2, 1.5), "a2": (1, 1.5), "b1": (1, 1.0)}
    alone = distribution(Column("place"), release, None, ordered=False)
    assert {bar.label: bar.after for bar in alone.bars} == {"a": 3, "b1": 1}
    assert all(bar.before is None for bar in alone.bars)


@pytest.mark.parametrize("column", ["age", "job", "place", "code", "born"])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_every_record_is_somewhere(column: str, missing: float) -> None:
    table = mixed_table(200, 5, missing=missing)
    release = shoal.anonymize(table, k=5, seed=1, algorithm="mondrian", **MIXED)
    for found in release.report().distributions:
        if found.column == column:
            assert sum(bar.before or 0 for bar in found.bars) == pytest.approx(200)
            shown = 200 * (1 - found.hidden)
            assert sum(bar.after for bar in found.bars) == pytest.approx(shown)


def test_association_is_cramers_v() -> None:
    rng = np.random.default_rng(1)
    first = rng.integers(0, 3, 4000)
    second = np.where(rng.random(4000) < 0.6, first, rng.integers(0, 3, 4000))
    table = np.histogram2d(first, second, bins=3)[0].astype(int)
    grouped = [Grouped.unchanged(pl.Series(one)) for one in (first, second)]
    # The correction for chance is small for so many records.
    expected = scipy_association(table, method="cramer")
    assert association(*grouped) == pytest.approx(expected, abs=0.005)
    independent = Grouped.unchanged(pl.Series(rng.permutation(first)))
    assert association(grouped[0], independent) < 0.03


def test_figures_of_a_small_release() -> None:
    table = pl.DataFrame({"age": [30, 31, 50, 51], "sex": list("FFMM"), "ill": list("abab")})
    release = shoal.anonymize(table, k=2, quasi=["age", "sex"], sensitive=["ill"])
    made = release.report()
    assert made.headline == "Verified: every record hides among at least 2."
    assert "1 in 2" in made.meaning
    lines = {line.name: line for line in made.risk}
    assert (lines["prosecutor_highest"].before, lines["prosecutor_highest"].after) == (1.0, 0.5)
    assert (lines["unique"].before_shown, lines["unique"].after_shown) == ("4", "0")
    sizes = {one.label: (one.before, one.after) for one in made.class_sizes}
    assert sizes == {"1": (1.0, 0.0), "2": (0.0, 1.0)}
    details = {one.column: one for one in made.details}
    assert (details["sex"].exact, details["age"].exact) == (1.0, 0.0)
    assert details["age"].loss == pytest.approx(1 / 21)
    assert details["age"].typical == "median width 1"
    assert [one.given_away for one in made.sensitive] == [0]
    public = release.report(public=True)
    assert not public.sensitive
    assert {line.before for line in public.risk} == {None}


def test_missing_cells_are_not_counted_as_exact() -> None:
    table = pl.DataFrame({"age": [30, 31, 50, 51], "sex": ["F", "F", None, None]})
    for notation in ("text", "min_max"):
        release = shoal.anonymize(table, k=2, quasi=["age", "sex"], notation=notation)
        for public in (False, True):
            made = release.report(public=public)
            sex, age = made.details[1], made.details[0]
            assert (sex.exact, sex.missing, sex.generalized, sex.hidden) == (0.5, 0.5, 0.0, 0.0)
            assert (age.exact, age.missing, age.generalized, age.hidden) == (0.0, 0.0, 1.0, 0.0)


def test_freeform_releases_are_not_judged_by_classes() -> None:
    table = mixed_table(60, 2)
    release = shoal.anonymize(table, k=3, form="freeform", seed=1, steps=50, **MIXED)
    made = release.report()
    assert "equally likely" in made.headline
    assert made.class_sizes == ()
    lines = {line.name: line for line in made.risk}
    assert lines["prosecutor_highest"].after is None
    assert lines["linkage_highest"].after is not None
    assert lines["linkage_highest"].after <= 1 / 3
    assert made.to_html()


def test_persons_are_counted() -> None:
    table = pl.DataFrame({"age": [30, 30, 30, 31], "who": ["a", "a", "b", "c"]})
    release = shoal.anonymize(table, k=3, quasi=["age"], person="who", identifier=["who"])
    made = release.report()
    assert "those of at least 3 people" in made.headline
    lines = {line.name: line for line in made.risk}
    assert lines["prosecutor_highest"].after == pytest.approx(1 / 3)  # not 1/4
    told = shoal.report(table, release.frame, k=3, quasi=["age"], person="who")
    lines = {line.name: line for line in told.risk}
    assert lines["prosecutor_highest"].after == pytest.approx(1 / 4)
    # Both sides count records then: two classes of four, one record of them unique.
    assert lines["prosecutor_average"].before == pytest.approx(2 / 4)
    assert lines["unique"].before == 1
    assert not any("people" in line.label + line.definition for line in told.risk)
    note = next(note for note in told.risk_notes if "count records" in note)
    assert "never above 33.3 %" in note
    public = release.report(public=True)
    assert any("count records" in note for note in public.risk_notes)


def test_suppressed_records_are_counted_inside_and_not_told_outside() -> None:
    table = pl.DataFrame({"age": [30, 30, 30, 40, 40, 40, 99], "sex": list("FFFMMMF")})
    released = pl.DataFrame({"age": ["30"] * 3 + ["40"] * 3, "sex": list("FFFMMM")})
    words: dict[str, Any] = {"k": 3, "quasi": ["age", "sex"], "suppression": 0.2}
    inside = {one.label: one for one in shoal.report(table, released, **words).key_figures}
    assert inside["Suppressed"].value == "1"
    assert inside["Suppressed"].meaning == "of 7 records: 0 starred (*), 1 withheld"
    public = shoal.report(table, released, public=True, **words)
    outside = {one.label: one for one in public.key_figures}
    assert "Suppressed" not in outside
    assert outside["Starred"].value == "none"
    assert "withheld" not in str(public.key_figures)


def test_columns_that_single_people_out_are_told_inside() -> None:
    """All four ages are unique, and no sex is."""
    table = pl.DataFrame({"age": [30, 31, 50, 51], "sex": list("FFMM")})
    release = shoal.anonymize(table, k=2, quasi=["age", "sex"])
    made = release.report()
    assert made.singling_out is not None
    assert [asdict(one) for one in made.singling_out.columns] == [
        {"column": "age", "contribution": 1.0, "unique_alone": 4, "unique_without": 0},
        {"column": "sex", "contribution": 0.0, "unique_alone": 0, "unique_without": 4},
    ]
    assert made.singling_out.combinations == (("age", 4),)
    for text in (made.to_html(), made.to_markdown()):
        assert "Which columns single people out" in text
    public = release.report(public=True)
    assert public.singling_out is None
    for text in (public.to_html(), public.to_markdown()):
        assert "single people out" not in text
        assert "After" not in text.split('id="charts"')[0]


def test_titles_stand_in_print_as_they_are() -> None:
    table = pl.DataFrame({"age": [30, 30]})
    made = shoal.report(table, table, k=2, quasi=["age"], title='Ward "7" \\')
    style = made.to_html().split("<style>")[1].split("</style>")[0]
    assert r'content: "Ward \22 7\22  \5c "' in style
    assert "Ward &#34;7&#34; \\ · " in made.to_certificate()
    assert "&#34;" not in style


def test_the_report_is_what_the_files_say(tmp_path: Any) -> None:
    table = mixed_table(80, 4)
    release = shoal.anonymize(table, k=4, seed=1, algorithm="mondrian", **MIXED)
    for name in ("r.html", "r.md", "r.json"):
        release.report(tmp_path / name)
    assert json.loads((tmp_path / "r.json").read_text())["headline"] in (
        (tmp_path / "r.md").read_text()
    )
    assert (tmp_path / "r.html").stat().st_size < 2_000_000
    with pytest.raises(shoal.FileError, match="exists"):
        release.report(tmp_path / "r.html")
    with pytest.raises(shoal.ParameterError, match="Unknown report format 'pdf'"):
        release.report(tmp_path / "r", report_format="pdf")
    with pytest.raises(shoal.ParameterError, match=r"not written as PDF: r\.pdf"):
        release.report(tmp_path / "r.pdf")
    with pytest.raises(shoal.ParameterError, match="certificate"):
        release.report(tmp_path / "c.md", certificate=True)


def test_a_report_is_the_same_for_the_same_release() -> None:
    table = mixed_table(80, 4)
    made = [
        shoal.anonymize(table, k=4, seed=1, algorithm="mondrian", **MIXED).report(public=True)
        for _ in range(2)
    ]
    assert made[0].to_html() == made[1].to_html()


def test_odd_tables_have_reports() -> None:
    for column in (
        [None] * 6,
        [1.5, 2.5, float(2**40), -3.25, 0.0, 1e-9],
        ["x"] * 6,
        [True, False] * 3,
        ["2020-01-01 10:00:00", "2020-01-01 10:00:05"] * 3,
    ):
        table = pl.DataFrame({"a": column, "b": [*"ppqqrr"]}, strict=False)
        release = shoal.anonymize(table, k=2, quasi=["a", "b"], algorithm="k-member", seed=1)
        for public in (False, True):
            text = release.report(public=public).to_html()
            assert "NaN" not in text.split('id="charts">')[1].split("</script>")[0]


def test_the_report_of_a_failed_release_may_not_be_handed_out() -> None:
    """Neither form says that it may, and each says where to read on."""
    table = pl.DataFrame({"age": [30, 31, 50, 51]})
    for public in (False, True):
        made = shoal.report(table, table, k=2, quasi=["age"], public=public)
        for text in (made.to_html(), made.to_markdown(), made.to_certificate()):
            assert "failed verification" in text
            assert "may be handed out" not in text
            assert ("checks below show" in text) != public
        assert "no certificate" in made.to_certificate()


def test_a_guarantee_that_lacks_its_custody_file_is_not_called_broken() -> None:
    """Two people with the same two records each: one of them alone may fill a class."""
    table = pl.DataFrame({"age": [30, 30, 31, 31], "who": ["a", "b", "a", "b"]})
    released = pl.DataFrame({"age": ["[30..31]"] * 4})
    words: dict[str, Any] = {"k": 2, "quasi": ["age"], "person": "who"}
    assert shoal.report(table, released, **words).passed  # nobody has more than two of the four
    halves = pl.DataFrame({"age": ["[30..31]"] * 2 + ["[30..32]"] * 2})
    unproved = shoal.report(table, halves, **words)
    assert not unproved.passed
    assert "cannot be shown from the two files alone" in unproved.headline
    assert "custody file" in unproved.meaning
    proved = shoal.report(table, halves, rows=np.array([0, 1, 2, 3]), **words)
    assert proved.passed
    broken = shoal.report(table, halves, rows=np.array([0, 2, 1, 3]), **words)
    assert "does not keep its guarantee" in broken.headline


def test_risk_to_a_known_population_is_told_inside_alone(tmp_path: Path) -> None:
    table = pl.DataFrame({"age": [30, 31, 50, 51]})
    everybody = tmp_path / "everybody.csv"
    pl.DataFrame({"age": [30, 31, 32, 33, 50, 51, 51, 51]}).write_csv(everybody)
    release = pl.DataFrame({"age": ["[30..31]"] * 2 + ["[50..51]"] * 2})
    options: dict[str, Any] = {"k": 2, "quasi": ["age"], "population": str(everybody)}
    lines = {one.name: one for one in shoal.report(table, release, **options).risk}
    # 30 and 31 are two people of the population, 50 and 51 four.
    assert lines["journalist_highest"].after == pytest.approx(1 / 2)
    assert lines["journalist_highest"].before == 1.0
    public = shoal.report(table, release, public=True, **options)
    assert "journalist" not in public.to_json().lower().replace("prosecutor, journalist", "")
    fraction: dict[str, Any] = {"k": 2, "quasi": ["age"], "sampling_fraction": 0.5}
    told = shoal.report(table, release, **fraction)
    assert "population_dankar" in {one.name for one in told.risk}
    assert not any("upper limit" in note for note in told.risk_notes)
    assert any(
        "upper limit" in note
        for note in shoal.report(table, release, k=2, quasi=["age"]).risk_notes
    )
