"""Categories that only withheld records have: types, facts and dictionaries do not list them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pyarrow as pa

import shoal

if TYPE_CHECKING:
    from pathlib import Path


def test_an_enum_lists_released_categories_alone(tmp_path: Path) -> None:
    ranks = pl.Enum(["clerk", "curate", "bishop"])
    ills = pl.Enum(["flu", "gout", "plague"])
    frame = pl.DataFrame(
        {
            "rank": pl.Series(["clerk"] * 20 + ["curate"] * 20 + ["bishop"], dtype=ranks),
            "age": [30] * 40 + [90],
            "ill": pl.Series(["flu", "gout"] * 20 + ["plague"], dtype=ills),
        }
    )
    release = shoal.anonymize(
        frame, k=5, quasi=["rank", "age"], sensitive=["ill"], suppression=0.1,
        suppressed="withhold", suppress_for="released", algorithm="mondrian",
    )  # fmt: skip
    assert release.frame.height == 40
    release.save(tmp_path / "r.parquet", facts=tmp_path / "f.json", dictionary=tmp_path / "d.csv")
    for name in ("r.parquet", "f.json", "d.csv"):
        content = (tmp_path / name).read_bytes()
        assert b"bishop" not in content, name
        assert b"plague" not in content, name
    assert release.frame.schema["ill"] == pl.Enum(["flu", "gout"])
    assert shoal.verify(frame, release).passed


def test_ordered_categories_of_other_frames_list_released_ones_alone() -> None:
    ills = ["flu", "gout", "plague"]
    frame = pd.DataFrame(
        {
            "age": [30] * 40 + [90],
            "ill": pd.Categorical(["flu", "gout"] * 20 + ["plague"], ills, ordered=True),
        }
    )
    asked: dict[str, Any] = {
        "k": 5, "quasi": ["age"], "sensitive": ["ill"], "suppression": 0.1,
        "suppressed": "withhold", "suppress_for": "released", "algorithm": "mondrian",
    }  # fmt: skip
    released = shoal.anonymize(frame, **asked).frame["ill"]
    assert released.cat.categories.tolist() == ["flu", "gout"]
    assert released.cat.ordered
    table = pa.Table.from_pandas(frame)
    column = shoal.anonymize(table, **asked).frame.column("ill")
    assert column.type.ordered
    assert column.chunk(0).dictionary.to_pylist() == ["flu", "gout"]


def test_an_order_that_the_user_gave_is_published(tmp_path: Path) -> None:
    grades = ["low", "mid", "high"]
    frame = pl.DataFrame({"grade": grades * 4, "ill": ["flu", "gout", "cold"] * 4})
    release = shoal.anonymize(
        frame, k=6, quasi=["grade"], sensitive=["ill"], kind={"grade": "ordered"},
        order={"grade": grades},
    )  # fmt: skip
    release.save(tmp_path / "r.csv", facts=tmp_path / "f.json")
    assert json.loads((tmp_path / "f.json").read_text())["job"]["order"] == {"grade": grades}
