"""What nodes of hierarchies lose, by leaves or by levels, for measures and kernels alike."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal
from shoal.errors import ParameterError
from shoal.options import Job
from shoal.pipeline.run import schema_of
from tests.reference.loss import release_loss
from tests.tables import MIXED, PLACES, mixed_table


@pytest.mark.parametrize(
    ("values", "leaves", "levels"),
    [(["aa", "ab"], 1 / 6, 1 / 3), (["aa", "ba"], 2 / 6, 2 / 3), (["aa", "da"], 1.0, 1.0)],
)
def test_loss_of_a_node(values: list[str], leaves: float, levels: float) -> None:
    frame = pl.DataFrame({"place": values})
    both: list[tuple[Any, float]] = [("leaves", leaves), ("levels", levels)]
    for hierarchy_loss, expected in both:
        made = shoal.anonymize(
            frame,
            k=2,
            quasi=["place"],
            hierarchy={"place": PLACES},
            hierarchy_loss=hierarchy_loss,
            seed=1,
        )
        assert made.figures.measures["gcp"] == pytest.approx(expected)


@pytest.mark.parametrize(
    "name", ["k-member", "mondrian", "sequential", "agglomerative", "refine", "optimal", "hilbert"]
)
def test_algorithms_and_measures_agree_on_levels(name: str) -> None:
    frame = mixed_table(60, 3, missing=0.1, spread=5)
    words: dict[str, Any] = {**MIXED, "hierarchy_loss": "levels"}
    limit: dict[str, Any] = {"steps": 2_000} if name in ("refine", "optimal") else {}
    made = shoal.anonymize(frame, k=3, algorithm=name, seed=1, **limit, **words)
    classes: dict[tuple[str, ...], list[int]] = {}
    cells = made.frame.select(MIXED["quasi"]).rows()
    for row, shown in zip(made.custody.rows.tolist(), cells, strict=True):
        classes.setdefault(shown, []).append(row)
    job = Job.from_dict({"k": 3, **{word: words[word] for word in words if word != "hierarchy"}})
    schema = schema_of(frame, job, MIXED["hierarchy"])
    expected = release_loss(frame, schema, list(classes.values()))
    assert made.figures.measures["gcp"] == pytest.approx(expected)
    again = shoal.measure(frame, made.frame, k=3, **words)
    assert again["measures"]["gcp"] == pytest.approx(expected)


def test_the_best_node_of_a_lattice_depends_on_it() -> None:
    """One city apart from many: over leaves going up costs much, over levels a step."""
    rows = [[f"a{i}", "a", "*"] for i in range(9)] + [["b0", "b", "*"]]
    frame = pl.DataFrame({"x": [row[0] for row in rows] * 2, "y": ["p"] * 10 + ["q"] * 10})
    words: dict[str, Any] = {
        "quasi": ["x", "y"],
        "hierarchy": {
            "x": shoal.Hierarchy.from_rows(rows),
            "y": shoal.Hierarchy.from_rows([["p", "*"], ["q", "*"]]),
        },
        "weight": {"x": 1.5, "y": 1.0},
        "suppression": 0.1,
        "algorithm": "exhaustive",
        "k": 2,
        "seed": 1,
    }
    of = {
        loss: shoal.anonymize(frame, hierarchy_loss=loss, **words).facts["levels"]
        for loss in ("leaves", "levels")
    }
    # Level 1 of x shows classes a (9 + 9) and b (1 + 1, suppressed unless y is gone).
    assert of["leaves"]["y"]["level"] == 1
    assert of["levels"]["y"]["level"] == 0
    assert of["levels"]["x"]["level"] == 1


def test_an_unknown_loss_is_refused() -> None:
    with pytest.raises(ParameterError, match="hierarchy_loss"):
        shoal.anonymize(mixed_table(20, 1), k=2, hierarchy_loss="depth", **MIXED)  # type: ignore[arg-type]
