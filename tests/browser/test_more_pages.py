"""Reports of Adult and of a million records, and a comparison, in Chromium."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from axe_playwright_python.sync_playwright import Axe

import shoal
from benchmarks.data import find_data
from benchmarks.reports import QUASI, people
from shoal.reports.comparing import save_comparison
from tests.browser.test_report_page import NARROW, WIDE, opened

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser


def looked_at(browser: Browser, page: Path, *, charts: int) -> None:
    """Open a page in both widths: quiet, alone, drawn, accessible, printable, small."""
    assert page.stat().st_size <= 2 * 2**20
    for width, scheme in ((WIDE, "light"), (NARROW, "dark")):
        found = opened(browser, page, width=width, scheme=scheme)
        assert found.said == []
        assert found.asked == [page.as_uri()]
        assert len(found.page.query_selector_all("[data-chart] svg")) == charts
        violations = Axe().run(found.page).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"][:120]) for one in violations] == []
        assert found.page.evaluate("document.documentElement.scrollWidth") <= width
        assert len(found.page.pdf(format="A4")) > 10_000
        found.page.context.close()


def test_a_comparison(browser: Browser, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    table = pl.DataFrame(
        {
            "age": rng.integers(20, 80, 300),
            "sex": rng.choice(["f", "m"], 300),
            "ill": rng.choice(["flu", "gout"], 300),
        }
    )
    rows = shoal.compare(
        table, k=[3, 6], algorithm=["mondrian"], quasi=["age", "sex"], sensitive=["ill"]
    )
    page = tmp_path / "comparison.html"
    save_comparison(pl.DataFrame(rows).to_dicts(), str(page), "people.csv")
    looked_at(browser, page, charts=page.read_text().count("data-chart="))


@pytest.mark.shared_data
@pytest.mark.skipif(find_data("adult30k") is None, reason="the real tables are not here")
def test_adult(browser: Browser, tmp_path: Path) -> None:
    path = find_data("adult30k")
    assert path is not None
    quasi = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass",
             "occupation"]  # fmt: skip
    words: dict[str, Any] = {"quasi": quasi, "sensitive": ["salary-class"], "rest": "drop"}
    release = shoal.anonymize(pl.read_csv(path), k=5, algorithm="mondrian", seed=1, **words)
    page = tmp_path / "adult.html"
    release.report(page)
    looked_at(browser, page, charts=page.read_text().count("data-chart="))


@pytest.mark.slow
def test_a_million_records(browser: Browser, tmp_path: Path) -> None:
    release = shoal.anonymize(
        people(1_000_000), k=10, quasi=QUASI, sensitive=["ill"], algorithm="mondrian", seed=1
    )
    page = tmp_path / "million.html"
    release.report(page)
    looked_at(browser, page, charts=page.read_text().count("data-chart="))
