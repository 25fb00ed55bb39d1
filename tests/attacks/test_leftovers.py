"""Values of records that are not in a release are nowhere in what is handed out."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pandas as pd
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
BOTH = pl.Enum([COMMON, SECRET])
ILLNESSES = PEOPLE["illness"].to_list()


def holding(illness: list[Any], dtype: Any) -> pl.DataFrame:
    """Return the people with their illness in another type."""
    return PEOPLE.with_columns(pl.Series("illness", illness, dtype=dtype))


LISTS = holding([[one] for one in ILLNESSES], pl.List(BOTH))
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
    "polars bytes": lambda: holding([one.encode() for one in ILLNESSES], pl.Binary),
    "polars lists": lambda: holding([[one] for one in ILLNESSES], pl.List(pl.String)),
    "polars lists of categories": lambda: LISTS,
    "polars arrays of categories": lambda: LISTS.cast({"illness": pl.Array(BOTH, 1)}),
    "polars structs of categories": lambda: holding(
        [{"one": one} for one in ILLNESSES], pl.Struct({"one": BOTH})
    ),
    "pyarrow lists of a dictionary": LISTS.to_arrow,
    "pandas dictionary": lambda: PEOPLE.to_pandas().astype(
        {"illness": pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))}
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


def test_categories_within_lists_are_written_without_those_of_withheld_records(
    tmp_path: Path,
) -> None:
    release = shoal.anonymize(LISTS, **WORDS)
    files = [tmp_path / "release.arrow", tmp_path / "columns.md"]
    release.save(files[0], dictionary=files[1])
    assert COMMON.encode() in files[0].read_bytes()
    assert not any(SECRET.encode() in file.read_bytes() for file in files)
    assert release.table["illness"].to_list() == [[COMMON]] * 6


def test_metadata_of_an_arrow_table_is_not_handed_on() -> None:
    fields = [
        pa.field("age", pa.int64(), metadata={"highest": SECRET}),
        pa.field("illness", pa.string(), metadata={"values": SECRET}),
    ]
    schema = pa.schema(fields, metadata={"rows": SECRET})
    release = shoal.anonymize(pa.table(PEOPLE.to_dict(as_series=False), schema=schema), **WORDS)
    assert SECRET.encode() not in pickle.dumps(release.frame)


def test_a_lazy_frame_that_fails_quotes_no_cell() -> None:
    lazy = PEOPLE.lazy().with_columns(pl.col("illness").cast(pl.Int64))
    with pytest.raises(InputError) as failure:
        shoal.anonymize(lazy, **WORDS)
    assert "illness that many" not in str(failure.value)
