"""The verdict on disk: every fault of a release is found, by counts of DuckDB alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

import shoal
from shoal.engines.disk.duck import Duck, files_of
from shoal.engines.disk.verification import verify_on_disk
from shoal.engines.solving import ROW
from shoal.pipeline.run import schema_of

if TYPE_CHECKING:
    from pathlib import Path

    from shoal.verifier import Verdict

SOURCE = pl.DataFrame(
    {
        "age": [20, 21, 22, 40, 41, 42, 60, None],
        "sex": ["F", "F", "M", "M", "M", "F", "F", "M"],
        "ill": ["flu", "gout", "flu", "gout", "flu", "gout", "flu", "gout"],
        ROW: list(range(8)),
    },
    schema_overrides={"age": pl.Int64},
)
RELEASE = pl.DataFrame(
    {
        "age": ["[20..22]"] * 3 + ["[40..42]"] * 3 + ["*"] * 2,
        "sex": ["{F|M}"] * 3 + ["{F|M}"] * 3 + ["*"] * 2,
        "ill": SOURCE["ill"],
        ROW: SOURCE[ROW],
    }
)


def _verdict(folder: Path, release: pl.DataFrame, **options: object) -> Verdict:
    given = {"k": 2, "quasi": ["age", "sex"], "sensitive": ["ill"],
             "suppress_only": []} | options  # fmt: skip
    job = shoal.Job(**given)  # type: ignore[arg-type]
    for name, table in (("source", SOURCE), ("release", release)):
        (folder / name).mkdir()
        table.write_parquet(folder / name / "1.parquet")
    schema = schema_of(SOURCE.drop(ROW), job)
    with Duck(folder / "spill", memory=1 << 28, threads=1) as duck:
        return verify_on_disk(
            duck,
            folder / "source",
            dict(SOURCE.schema),
            files_of(folder / "release"),
            schema=schema,
            job=job,
        )


def _failed(verdict: Verdict) -> list[str]:
    return [check.name for check in verdict.checks if not check.passed]


def test_a_sound_release_passes(tmp_path: Path) -> None:
    verdict = _verdict(tmp_path, RELEASE, models=["distinct-l-diversity:2"])
    assert _failed(verdict) == []
    assert (verdict.classes, verdict.smallest_class, verdict.starred) == (3, 2, 2)
    assert verdict.n == verdict.released == 8


def _changed(column: str, row: int, value: object) -> pl.DataFrame:
    shown = pl.when(pl.col(ROW) == row).then(pl.lit(value)).otherwise(pl.col(column))
    return RELEASE.with_columns(shown.alias(column))


@pytest.mark.parametrize(
    ("release", "options", "failed"),
    [
        (_changed("age", 0, "20"), {}, ["classes of at least 2"]),
        (RELEASE, {"k": 3}, ["classes of at least 3"]),
        (
            RELEASE.with_columns(pl.col("age").replace("[40..42]", "[40..41]")),
            {},
            ["cells cover originals"],
        ),
        (
            RELEASE.with_columns(pl.col("age").replace("[20..22]", "[20...22]")),
            {},
            ["cells readable", "cells cover originals"],
        ),
        (_changed("ill", 3, "flu"), {}, ["other values unchanged"]),
        (
            RELEASE.with_columns(pl.col(ROW).replace(1, 0)),
            {},
            ["row map is one-to-one", "other values unchanged"],
        ),
        (
            RELEASE.with_columns(pl.col(ROW).replace(6, 99)),
            {},
            ["row map is one-to-one", "cells cover originals"],
        ),
        (RELEASE.filter(pl.col(ROW) < 6), {}, ["every record accounted for"]),
        (
            RELEASE.with_columns(name=pl.lit("Ann")),
            {},
            ["identifiers absent"],
        ),
        (RELEASE, {"models": ["t-closeness:0.1"]}, ["t-closeness:0.1@ill"]),
        (RELEASE, {"models": ["distinct-l-diversity:3"]}, ["distinct-l-diversity:3@ill"]),
    ],
    ids=[
        "class too small", "k too high", "cell too narrow", "unreadable cell", "changed value",
        "row twice", "row of nobody", "withheld", "identifier", "t-closeness", "l-diversity",
    ],
)  # fmt: skip
def test_every_fault_is_found(
    tmp_path: Path, release: pl.DataFrame, options: dict[str, object], failed: list[str]
) -> None:
    verdict = _verdict(tmp_path, release, **options)
    assert not verdict.passed
    assert set(failed) <= set(_failed(verdict))
    others = {"every record accounted for", "cells readable"}
    assert set(_failed(verdict)) - others <= set(failed)


def test_withheld_records_are_allowed_up_to_the_limit(tmp_path: Path) -> None:
    verdict = _verdict(tmp_path, RELEASE.filter(pl.col(ROW) < 6), suppression=0.25)
    assert _failed(verdict) == []
    assert verdict.withheld == 2


def test_figures_of_models_are_those_of_the_verifier_in_memory(tmp_path: Path) -> None:
    asked = ["t-closeness:0.4", "entropy-l-diversity:1.2", "ordered-t-closeness:0.4"]
    verdict = _verdict(tmp_path, RELEASE, models=asked)
    whole = shoal.verify(
        SOURCE.drop(ROW), RELEASE.drop(ROW), k=2, quasi=["age", "sex"], sensitive=["ill"],
        models=asked,
    )  # fmt: skip
    figures = {check.name: check.detail for check in whole.checks}
    for check in verdict.checks:
        if "@ill" in check.name:
            assert check.detail == figures[check.name]
