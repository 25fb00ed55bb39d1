"""Categories that only withheld records have: types, facts and dictionaries do not list them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

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
