"""Plots for notebooks, with and without Altair."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import polars as pl
import pytest

import shoal
from shoal.reports.charts import loss_chart, size_chart
from shoal.reports.column_charts import distribution_chart
from shoal.reports.plots import bars_svg
from tests.tables import MIXED, mixed_table


@pytest.fixture(scope="module")
def release() -> shoal.Release[object]:
    return shoal.anonymize(mixed_table(80, 1), k=4, algorithm="mondrian", seed=1, **MIXED)


def test_plots_are_altair_charts(release: shoal.Release[object]) -> None:
    altair = pytest.importorskip("altair")
    plots = [release.plot.loss(), release.plot.classes()]
    plots += [release.plot.column(name) for name in MIXED["quasi"]]
    for plot in plots:
        assert isinstance(plot, altair.TopLevelMixin)
        assert "var(" not in plot.to_json()  # a notebook has no style sheet


def test_a_column_that_is_not_there_is_named(release: shoal.Release[object]) -> None:
    with pytest.raises(shoal.SchemaError, match="'height'"):
        release.plot.column("height")
    with pytest.raises(shoal.SchemaError, match="'disease'"):
        release.plot.column("disease")


def test_without_altair_they_are_svg(release: shoal.Release[object]) -> None:
    report = release.report()
    charts = [loss_chart(report), size_chart(report)]
    charts += [distribution_chart(1, one) for one in report.distributions]
    for chart in charts:
        assert chart is not None
        drawn = ET.fromstring(bars_svg(chart))
        bars = drawn.findall(".//{http://www.w3.org/2000/svg}rect")
        assert len(bars) == sum(len(row) - 1 for row in chart.rows)
        told = [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
        assert chart.headers[0] in told  # one axis
        assert chart.measures in told  # the other
        assert chart.measures
        if len(chart.headers) > 2:
            assert set(chart.headers[1:]) <= set(told)  # the legend


def test_a_column_without_values_is_drawn_empty() -> None:
    table = pl.DataFrame(
        {"age": [None] * 4, "sex": [*"FFMM"]}, schema={"age": pl.Int64, "sex": str}
    )
    release = shoal.anonymize(table, k=2, quasi=["age", "sex"], algorithm="mondrian")
    for one in release.report().distributions:
        assert "</svg>" in bars_svg(distribution_chart(1, one))
    assert release.plot.column("age") is not None


def test_a_verdict_shows_itself(release: shoal.Release[object]) -> None:
    shown = release.verdict._repr_html_()
    assert "PASSED" in shown
    assert shown.count("<tr>") == len(release.verdict.checks) + 1


def test_a_comparison_of_risk_shows_itself(release: shoal.Release[object]) -> None:
    before = shoal.risk(release.original, quasi=MIXED["quasi"])
    after = shoal.risk(release.table, quasi=MIXED["quasi"])
    shown = before.beside(after)._repr_html_()
    assert "Unique records" in shown
    assert "mumps" not in shown + before._repr_html_()
