"""Values of records that are not in a release are nowhere in what is handed out."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.errors import InputError
from shoal.io import Staging

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SECRET = "the illness of the one record that is withheld"
COMMON = "an illness that many people have, as long as any"
PEOPLE = pl.DataFrame({"age": [1, 1, 2, 2, 3, 3, 9999], "illness": [COMMON] * 6 + [SECRET]})
WORDS: dict[str, Any] = {
    "k": 2,
    "quasi": ["age"],
    "sensitive": ["illness"],
    "suppression": 0.2,
    "suppressed": "withhold",
}
FRAMES: dict[str, Callable[[], Any]] = {
    "polars texts": lambda: PEOPLE,
    "polars lazy": PEOPLE.lazy,
    "polars categories": lambda: PEOPLE.cast({"illness": pl.Categorical}),
    "pandas texts": PEOPLE.to_pandas,
    "pandas categories": lambda: PEOPLE.to_pandas().astype({"illness": "category"}),
    "pyarrow texts": PEOPLE.to_arrow,
    "pyarrow dictionary": lambda: pa.table(
        {
            "age": PEOPLE["age"].to_list(),
            "illness": pa.array(PEOPLE["illness"].to_list()).dictionary_encode(),
        }
    ),
}


@pytest.mark.parametrize("made", FRAMES)
def test_a_pickled_release_holds_nothing_of_withheld_records(made: str) -> None:
    release = shoal.anonymize(FRAMES[made](), **WORDS)
    assert release.facts["withheld"] == 1
    frame = release.frame.collect() if isinstance(release.frame, pl.LazyFrame) else release.frame
    content = pickle.dumps(frame)
    assert COMMON.encode() in content
    assert SECRET.encode() not in content
    assert SECRET.encode() not in pickle.dumps(release.table)


@pytest.mark.parametrize("suffix", ["csv", "parquet", "arrow"])
def test_a_written_release_holds_nothing_of_withheld_records(suffix: str, tmp_path: Path) -> None:
    release = shoal.anonymize(PEOPLE.cast({"illness": pl.Categorical}), **WORDS)
    with Staging() as staging:
        staging.table(release.table, tmp_path / f"release.{suffix}")
        staging.commit()
    assert SECRET.encode() not in (tmp_path / f"release.{suffix}").read_bytes()


def test_a_lazy_frame_that_fails_quotes_no_cell() -> None:
    lazy = PEOPLE.lazy().with_columns(pl.col("illness").cast(pl.Int64))
    with pytest.raises(InputError) as failure:
        shoal.anonymize(lazy, **WORDS)
    assert "illness that many" not in str(failure.value)
