"""The worked examples on the pages of the measures: the evaluator gives what is printed there."""

from __future__ import annotations

import re
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.measures import measures
from tests.docs.markdown import ROOT

PAGES = ROOT / "docs/measures"
AGES = [20, 30, 40, 60]


def evaluated(original: dict[str, Any], released: dict[str, Any], **options: Any) -> Any:
    tables = pl.DataFrame(original), pl.DataFrame(released)
    return shoal.measure(*tables, **{"k": 2, **options})["measures"]


def test_gcp() -> None:
    cells = ["[20..30]", "[20..30]", "[40..60]", "[40..60]"]
    assert evaluated({"age": AGES}, {"age": cells}, quasi=["age"])["gcp"] == 0.375


def test_mi() -> None:
    cells = ["[20..30]", "[20..30]", "40", "60"]
    found = evaluated({"age": AGES}, {"age": cells}, quasi=["age"], k=1)
    assert found["mi"] == pytest.approx(0.5)


def test_kl() -> None:
    found = evaluated({"age": [1, 1, 1, 2]}, {"age": ["[1..2]"] * 4}, quasi=["age"])
    assert found["kl"] == pytest.approx(0.189, abs=5e-4)


def test_am() -> None:
    original = {"age": [20, 25, 30, 20], "sex": ["F", "M", "F", "M"]}
    released = {"age": ["[20..30]"] * 4, "sex": ["{F|M}"] * 4}
    assert evaluated(original, released, quasi=["age", "sex"])["am"] == 6


def test_dm_and_cavg() -> None:
    ages = [1] * 5 + [2] * 5 + [3] * 6
    found = evaluated({"age": ages}, {"age": list(map(str, ages))}, quasi=["age"], k=4)
    assert found["dm"] == 86
    assert found["cavg"] == pytest.approx(1.33, abs=5e-3)


@pytest.mark.parametrize(
    ("name", "groups", "targets", "printed"),
    [
        ("cm", "111222", "aabccc", 0.167),
        ("cm_fields", "11122", "xxyyy", 1 / 5),
        ("entropy_diversity", "11112222", "aaaaaabb", 0.5),
    ],
)
def test_measures_of_a_target(name: str, groups: str, targets: str, printed: float) -> None:
    table = {"group": list(groups), "target": list(targets)}
    options = {"quasi": ["group"], "kind": {"group": "categorical"}, "sensitive": ["target"]}
    found = evaluated(table, table, **options)
    assert found[name] == pytest.approx(printed, abs=5e-4)


def test_every_measure_has_a_page_with_formula_range_and_example() -> None:
    pages = [page.read_text(encoding="utf-8") for page in sorted(PAGES.glob("*.md"))]
    for page in pages:
        assert re.search(r"^    \S", page, re.MULTILINE), page[:40]  # the formula
        assert "**Range:**" in page
        assert "**Example" in page
    named = " ".join(page.splitlines()[0] + page for page in pages)
    assert all(re.search(rf"\b{name}\b", named) for name in measures())
