"""Releases for a target: every candidate of `auto --target`, and which of them it keeps.

``chosen by`` is the error by which a candidate is kept: that of three classifiers that learned from
the release, on original records, in folds that are the same for all. ``fresh`` is the same error in
other folds, which had no part in the choice. One thread, seed 1.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

import shoal
from benchmarks.data import find_data
from benchmarks.pages import PageTable
from benchmarks.timing import print_table
from shoal.analysis import Shown
from shoal.analysis.classifiers import draw_folds, errors_from_release
from shoal.encoding import encode, encode_values
from shoal.encoding.parse import codes_in, parse_release
from shoal.pipeline.run import schema_of
from shoal.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ADULT = ["sex", "age", "race", "marital-status", "education", "workclass", "occupation"]
DIABETIC = [
    "race",
    "gender",
    "age",
    "admission_type_id",
    "discharge_disposition_id",
    "admission_source_id",
    "time_in_hospital",
]
RECORDS = 2_000
STEPS = 100_000
FRESH = 11


def adult(records: int | None = RECORDS) -> tuple[pl.DataFrame, dict[str, Any]] | None:
    """Return records of Adult drawn at random, or all of them, where the table is here."""
    path = find_data("adult30k")
    if path is None:
        return None
    frame = pl.read_csv(path)
    frame = frame if records is None else frame.sample(records, seed=1)
    return frame, {"quasi": ADULT, "sensitive": ["salary-class"], "target": "salary-class"}


def diabetic() -> tuple[pl.DataFrame, dict[str, Any]] | None:
    """Return hospital stays of diabetics drawn at random, where the table is here."""
    path = find_data("diabetic")
    if path is None:
        return None
    frame = pl.read_csv(path, infer_schema_length=None).sample(RECORDS, seed=1)
    back = pl.when(pl.col("readmitted") == "NO").then(pl.lit("no")).otherwise(pl.lit("yes"))
    quasi = [*DIABETIC, "number_inpatient", "number_diagnoses"]
    return frame.with_columns(readmitted=back), {
        "quasi": quasi,
        "sensitive": ["readmitted"],
        "target": "readmitted",
    }


def additive() -> tuple[pl.DataFrame, dict[str, Any]]:
    """Return a table whose target adds up what three columns say, with noise."""
    rng = np.random.default_rng(1)
    age, school = rng.integers(18, 80, RECORDS), rng.integers(1, 17, RECORDS)
    sex, town = rng.choice(["f", "m"], RECORDS), rng.choice(list("abcdefgh"), RECORDS)
    says = 0.05 * (age - 45) + 0.4 * (school - 8) + (sex == "m") + rng.normal(0, 1, RECORDS)
    told = {"age": age, "school": school, "sex": sex, "town": town, "rich": says > 0}
    frame = pl.DataFrame(told).with_columns(pl.col("rich").cast(pl.String))
    return frame, {"quasi": ["age", "school", "sex", "town"], "other": ["rich"], "target": "rich"}


def nested() -> tuple[pl.DataFrame, dict[str, Any]]:
    """Return a table whose target is decided by one column within groups of another."""
    rng = np.random.default_rng(2)
    age, dose = rng.integers(18, 80, RECORDS), rng.integers(0, 100, RECORDS)
    group, ward = rng.choice(list("pqr"), RECORDS), rng.choice(list("uvwxyz"), RECORDS)
    limit = np.where(group == "p", 30, np.where(group == "q", 60, 80))
    ill = np.where(rng.random(RECORDS) < 0.1, dose < limit, dose >= limit)
    told = {"age": age, "dose": dose, "group": group, "ward": ward, "ill": ill}
    frame = pl.DataFrame(told).with_columns(pl.col("ill").cast(pl.String))
    return frame, {"quasi": ["age", "dose", "group", "ward"], "other": ["ill"], "target": "ill"}


def measure(
    made: Callable[[], tuple[pl.DataFrame, dict[str, Any]] | None], ks: tuple[int, ...]
) -> list[dict[str, object]]:
    """Return every candidate for each k, with the errors of the contest and of fresh folds."""
    found = made()
    if found is None:
        return []
    frame, words = found
    figures: list[dict[str, object]] = []
    for k in ks:
        options = {**words, "k": k, "rest": "drop", "seed": 1, "steps": STEPS}
        options["accept"] = [words["target"]]
        release = shoal.anonymize(frame, **options)
        assert release.figures is not None
        for one in release.figures.candidates:
            alone = {**options, "algorithm": one["algorithm"], "measure": one["measure"]}
            if one["algorithm"] != "auto":
                del alone["steps"]
            again = shoal.anonymize(frame, **alone)
            kept = _way(again) == _way(release)
            figures.append(
                {
                    "k": k,
                    "candidate": f"{one['algorithm']} under {one['measure']}",
                    "chosen by": round(one["error"], 4),
                    "fresh": round(_fresh_error(frame, again), 4),
                    "homogeneous": f"{one['homogeneous'][0]} of {one['homogeneous'][1]}",
                    "kept": "yes" if kept else "",
                }
            )
            print_table(tuple(figures[-1]), [tuple(figures[-1].values())])
    return figures


def _way(release: shoal.Release[pl.DataFrame]) -> tuple[str, str]:
    return release.facts.algorithm, release.facts.measure


def _fresh_error(frame: pl.DataFrame, release: shoal.Release[pl.DataFrame]) -> float:
    table = Table.of(frame, schema_of(frame, release.job))
    encoded = encode(table)
    recoding, domains = parse_release(release.frame, encoded.domains)
    codes = tuple(map(codes_in, domains, encoded.codes, encoded.domains))
    in_order = np.argsort(release.custody.rows)
    labels = encode_values(table.frame[str(release.job.target)])[0]
    folds = draw_folds(labels, 3, np.random.default_rng(FRESH))
    shown = Shown.recoded(domains, recoding).take(in_order)
    errors = errors_from_release(Shown.exact(domains, codes), shown, labels, folds)
    return float(np.mean(list(errors.values())))


PARTS = {
    **{f"adult-{k}": partial(measure, adult, (k,)) for k in (10, 50, 250)},
    **{f"whole-{k}": partial(measure, partial(adult, records=None), (k,)) for k in (10, 50, 250)},
    **{f"diabetic-{k}": partial(measure, diabetic, (k,)) for k in (10, 50, 250)},
    **{f"additive-{k}": partial(measure, additive, (k,)) for k in (10, 50)},
    **{f"nested-{k}": partial(measure, nested, (k,)) for k in (10, 50)},
}


NAMES = {
    "adult": "Adult",
    "whole": "Adult, all records",
    "diabetic": "diabetic",
    "additive": "generated, additive",
    "nested": "generated, nested",
}


def candidates(found: Mapping[str, Any]) -> PageTable:
    """Return all candidates of all tables, and the errors of each in fresh folds."""
    rows = []
    parts = [f"{table}-{k}" for table in NAMES for k in (10, 50, 250) if f"{table}-{k}" in found]
    for part in parts:
        table, _, k = part.partition("-")
        best = min(float(one["fresh"]) for one in found[part])
        rows += [
            (
                NAMES[table],
                k,
                str(one["candidate"]),
                f"{one['chosen by']:.4f}"[1:],
                f"{one['fresh']:.4f}"[1:] + (" (least)" if one["fresh"] == best else ""),
                str(one["homogeneous"]),
                str(one["kept"]),
            )
            for one in found[part]
        ]
    header = ("table", "k", "candidate", "chosen by", "fresh", "homogeneous", "kept")
    return PageTable(header, rows, parts)


TABLES = {"candidates": candidates}


def run() -> None:
    """Run every part."""
    for part in PARTS.values():
        part()
