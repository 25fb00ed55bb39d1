"""From any table to a file and back: what was written is what was promised.

Classes are counted by the csv module of Python on the bytes of the file, so that no reading of
Shoal's own can hide a difference between what was verified and what was written.
"""

from __future__ import annotations

import csv
import io
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import shoal
from shoal.errors import InfeasibleError, InputError
from shoal.hierarchies import Hierarchy
from shoal.io import Staging, read_release

LEAVES = ["a", "b", " a", "*x", r"\a", "{a|b}", "[1..2]"]
TREE = Hierarchy.from_rows(
    [[leaf, "{few}" if place < 3 else "[3..]", "*"] for place, leaf in enumerate(LEAVES)]
)
# Texts that try every mark of the notations and of CSV, spaces, forms of one letter, and BOM.
TRICKY = st.text(alphabet="a \"',;|\t\r\n\\*{}[].é\u0301\ufeff\u00a01-", max_size=5)
TEXT = st.one_of(TRICKY, st.sampled_from(["a", "b", "*", "..", "[1..2]", '["a"]', "{}", r"\*"]))
NUMBER = st.one_of(
    st.integers(-(2**53) + 1, 2**53 - 1).map(str),
    st.floats(-1e15, 1e15).map(repr),
    st.sampled_from(["1", "1.0", "01", "+1", " 1", "1e0", "-0", "0", "0.0", "5e-324", ".5", "5."]),
)
DATE = st.dates().map(str)
TIME = st.datetimes().map(lambda moment: moment.isoformat(sep=" "))
LEAF = st.sampled_from(LEAVES)
COLUMNS = {
    "text": (TEXT, "categorical"),
    "code": (TEXT, "suppress-only"),
    "number": (NUMBER, "numeric"),
    "date": (DATE, "date"),
    "time": (TIME, "datetime"),
    "place": (LEAF, "hierarchical"),
}
MODELS = ["", "distinct-l-diversity:2", "frequency-l-diversity:1.4", "t-closeness:0.4"]


@st.composite
def tables(draw: st.DrawFn) -> tuple[pl.DataFrame, dict[str, Any]]:
    names = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=3, unique=True))
    n = draw(st.integers(2, 9))
    columns: dict[str, Any] = {}
    for name in names:
        # Few values, so that classes of one value are common.
        values = draw(st.lists(COLUMNS[name][0], min_size=1, max_size=4))
        cell = st.one_of(st.sampled_from(values), st.none())
        columns[name] = pl.Series(draw(st.lists(cell, min_size=n, max_size=n)), dtype=pl.String)
    columns["illness"] = pl.Series(draw(st.lists(TEXT, min_size=n, max_size=n)), dtype=pl.String)
    model = draw(st.sampled_from(MODELS))
    words: dict[str, Any] = {
        "k": draw(st.integers(2, 3)),
        "quasi": names,
        "sensitive": ["illness"],
        "kind": {name: COLUMNS[name][1] for name in names},
        "hierarchy": {"place": TREE} if "place" in names else {},
        "model": [model] if model else [],
        "notation": draw(st.sampled_from(["text", "min_max", "label", "json"])),
        "missing": draw(st.sampled_from(["value", "drop"])),
        "suppression": draw(st.sampled_from([0.0, 0.2, 0.5])),
        "suppressed": draw(st.sampled_from(["star", "withhold"])),
        "algorithm": draw(st.sampled_from(["k-member", "mondrian", "sorted"])),
    }
    return pl.DataFrame(columns), words


def small_classes(content: bytes, words: dict[str, Any]) -> list[tuple[str, ...]]:
    """Return the rows of classes below k, as the quasi-identifiers that the file shows."""
    text = io.StringIO(content.decode("utf-8"), newline="")
    header, *rows = csv.reader(text, delimiter="\t")
    shown = [place for place, name in enumerate(header) if name != "illness"]
    classes = Counter(tuple(row[place] for place in shown) for row in rows)
    return [cells for cells, size in classes.items() if size < words["k"] for _ in range(size)]


@settings(
    max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)
@given(tables(), st.sampled_from([".tsv", ".tsv.gz", ".parquet"]))
@example(
    (
        pl.DataFrame({"text": ["\ufeffa", "\ufeffa"], "illness": ["x", "y"]}).select(
            "text", "illness"
        ),
        {"k": 2, "quasi": ["text"], "sensitive": ["illness"]},
    ),
    ".tsv",
)
def test_what_is_written_is_k_anonymous_and_true(
    table: tuple[pl.DataFrame, dict[str, Any]], suffix: str
) -> None:
    frame, words = table
    try:
        release = shoal.anonymize(frame, **words)
    except InfeasibleError:
        return
    except InputError as error:
        ambiguous = words["notation"] == "label" and "read in two ways" in str(error)
        assert ambiguous or words["missing"] == "drop", "complete records are not refused"
        return
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / f"release{suffix}"
        plain = Path(folder) / "plain.tsv"
        with Staging() as staging:
            staging.table(release.table, place)
            staging.table(release.table, plain)
            staging.commit()
        written = read_release(place)
        content = plain.read_bytes()

    for rows in (None, release.custody.rows):
        verdict = shoal.verify(frame, written, rows=rows, **words)
        assert verdict.passed, verdict
    below = small_classes(content, words)
    assert len(below) <= words.get("suppression", 0) * frame.height
    silent = {"*", "", "any", '"*"', "false"}
    assert all(cell in silent for cells in below for cell in cells)
    told = shoal.measure(frame, written, **words)
    assert abs(told["measures"]["gcp"] - release.figures.measures["gcp"]) < 1e-9
