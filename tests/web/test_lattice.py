"""The lattice that a page draws of a full-domain release."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.options import Job
from shoal.pipeline.progress import Stages
from shoal.pipeline.run import run_job
from shoal.web.lattice import MOST_NODES, drawing, surroundings

AGES = [20, 21, 22, 25, 31, 31, 33, 38, 40, 41, 46, 47]
ZIPS = [
    "8001",
    "8002",
    "8001",
    "8003",
    "8101",
    "8102",
    "8101",
    "8103",
    "8201",
    "8002",
    "8201",
    "8203",
]
TABLE = pl.DataFrame({"age": AGES, "zip": ZIPS})
TREES = {"age": "ranges:5,10", "zip": "stars"}


def around(frame: pl.DataFrame = TABLE, **options: Any) -> dict[str, Any] | None:
    """The nodes around the one that a run chooses."""
    found: list[dict[str, Any] | None] = []
    stages = Stages(solved=lambda *solved: found.append(surroundings(*solved)))
    given = {"quasi": ["age", "zip"], "hierarchy": TREES, "form": "full-domain", "seed": 1}
    run_job(frame, Job.from_dict({**given, **options}), stages=stages)
    return found[0]


def test_every_node_of_a_small_lattice_is_counted() -> None:
    found = around(k=3)
    assert found is not None
    # What each value shows on each level, as the trees are written to files.
    ages = shoal.build_hierarchy(TABLE, "age", "ranges:5,10", beside=["zip"])
    zips = shoal.build_hierarchy(TABLE, "zip", "stars", beside=["age"])
    shown_as = [{row[0]: row for row in tree.rows()} for tree in (ages, zips)]
    every = list(product(range(ages.height + 1), range(zips.height + 1)))
    assert sorted(tuple(one["levels"]) for one in found["nodes"]) == every
    for one in found["nodes"]:
        of_age, of_zip = one["levels"]
        sizes = Counter(
            (shown_as[0][str(age)][of_age], shown_as[1][code][of_zip])
            for age, code in zip(AGES, ZIPS, strict=True)
        )
        assert one["small"] == sum(size for size in sizes.values() if size < 3), one


def test_the_drawing_marks_the_chosen_node_and_those_beside_it() -> None:
    found = around(k=3, suppression=0.25)
    assert found is not None
    drawn = drawing(found)
    chosen = next(node for node in drawn.nodes if node.relation == "chosen")
    assert chosen.levels == tuple(found["chosen"])
    assert chosen.sound
    assert drawn.allowed == 3
    assert drawn.whole
    for node in drawn.nodes:
        steps = [after - before for before, after in zip(chosen.levels, node.levels, strict=True)]
        beside = sorted(map(abs, steps)) == [0, 1]
        expected = "more general" if sum(steps) == 1 else "less general"
        assert node.relation == ("chosen" if node is chosen else expected if beside else "")
        assert node.sound == (node.small <= 3)
    # Each edge leads one level up, so to the right.
    assert all(x1 < x2 for x1, _, x2, _, _ in drawn.edges)
    heights = [top + 1 for top in found["highest"]]
    assert len(drawn.edges) == (heights[0] - 1) * heights[1] + heights[0] * (heights[1] - 1)


def test_of_a_large_lattice_only_the_neighbourhood_is_drawn() -> None:
    names = [f"c{number}" for number in range(4)]
    table = pl.DataFrame({name: [f"{n % 9}{n % 7}" for n in range(60)] for name in names})
    found = around(table, k=2, quasi=names, hierarchy=dict.fromkeys(names, "stars"))
    assert found is not None
    drawn = drawing(found)
    assert drawn.size == 3**4 > MOST_NODES  # a digit less, and none
    assert not drawn.whole
    beside = sum((level > 0) + (level < 2) for level in drawn.chosen)
    assert len(drawn.nodes) == 1 + beside == 1 + len(drawn.edges)


def test_records_that_break_a_model_count_too() -> None:
    ills = ["flu"] * 11 + ["gout"]
    table = TABLE.with_columns(ill=pl.Series(ills))
    asked = {"k": 2, "sensitive": ["ill"], "models": ["distinct-l-diversity:2@ill"]}
    found = around(table, **asked)
    plain = around(table, k=2, sensitive=["ill"])
    assert found is not None
    assert plain is not None
    # Only a class that holds the one case of gout shows two illnesses.
    top = next(one for one in found["nodes"] if one["levels"] == tuple(found["highest"]))
    assert top["small"] == 0
    exact = {one["levels"]: one["small"] for one in found["nodes"]}[0, 0]
    assert exact == 12
    assert all(
        with_model["small"] >= without["small"]
        for with_model, without in zip(found["nodes"], plain["nodes"], strict=True)
    )


def test_a_suppressed_record_with_a_value_of_its_own_does_not_disturb() -> None:
    # Hierarchies of the release are pinned to the released values; the lattice is the searched one.
    table = pl.concat([TABLE, pl.DataFrame({"age": [99], "zip": ["7000"]})])
    found = around(table, k=3, suppression=0.1)
    assert found is not None
    assert drawing(found).whole


@pytest.mark.parametrize("form", ["classes", "freeform"])
def test_other_forms_have_no_lattice(form: str) -> None:
    assert around(k=3, form=form, steps=20) is None
