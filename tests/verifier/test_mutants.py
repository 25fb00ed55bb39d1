"""Corrupted releases of every form, notation, model and type, beside an exact oracle.

What the verifier accepts, the oracle must accept. The other way round, the verifier may only ask
for the custody file, where two files are not enough.
"""

from __future__ import annotations

import io
import json
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import polars as pl
import pytest

from shoal.hierarchies import Hierarchy
from shoal.table import Attribute, Kind, Reading, Schema
from shoal.verifier import verify
from tests.reference.release_oracle import Asked, Column, Row, accepts, number
from tests.verifier.writer import exact, member

TREE_ROWS = [["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["d", "cd", "*"]]
TREE = Hierarchy.from_rows(TREE_ROWS)
NODES = {
    **{leaf: frozenset({leaf}) for leaf in "abcd"},
    "ab": frozenset("ab"),
    "cd": frozenset("cd"),
}
LEVELS = ({leaf: leaf for leaf in "abcd"}, {row[0]: row[1] for row in TREE_ROWS})
NUMBERS = ["1", "2", "3", "2.0", "0.1", "0.10000000000000001", "1e0", "-4", "0.30", "10"]
WHOLE = ["1", "2", "3", "4", "7", "-2", "10"]
TEXTS = ["x", "y", "*", "{x|y}", "a|b", "\\z", "[1]", "[1..2]"]
QUASI = {
    "num": (Column("num", "numeric"), Attribute("num", Kind.NUMERIC, Reading.NUMBER)),
    "cat": (Column("cat", "categorical"), Attribute("cat", Kind.CATEGORICAL)),
    "tre": (
        Column("tre", "hierarchical", NODES),
        Attribute("tre", Kind.HIERARCHICAL, hierarchy=TREE),
    ),
    "sup": (Column("sup", "suppress-only"), Attribute("sup", Kind.SUPPRESS_ONLY)),
}
MODELS = [
    "frequency-l-diversity:{:.2f}",
    "distinct-l-diversity:2",
    "entropy-l-diversity:{:.2f}",
    "recursive-l-diversity:{:.2f},2",
    "t-closeness:0.{:.0f}",
    "ordered-t-closeness:0.{:.0f}",
    "hierarchical-t-closeness:0.{:.0f}",
]


class Case:
    """A random table, a release of it that was right once, and what it is held to."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        pick = self.random.choice
        self.form = pick(["classes", "classes", "classes", "freeform"])
        self.notation = pick(["text", "text", "min_max"])
        self.whole = self.random.random() < 0.5
        names = self.random.sample(list(QUASI), self.random.randint(1, 3))
        if self.notation == "min_max" and not {"num"} & set(names):
            names.append("num")
        self.names = names
        self.sensitive_type = pick(["text", "int", "decimal", "float", "time"])
        n = self.random.randint(2, 7)
        self.k = self.random.randint(2, 3)
        self.original: list[Row] = [self._original_row() for _ in range(n)]
        models = []
        if self.form == "classes" and self.random.random() < 0.6:
            word = pick(MODELS[:-1] if self.sensitive_type != "text" else MODELS)
            if "0.{" in word:
                models.append(word.format(self.random.randint(1, 9)))
            else:
                models.append(word.format(1 + self.random.random() * 1.5))
        self.asked = Asked(
            tuple(QUASI[name][0] for name in names),
            "s",
            self.k,
            Fraction(pick([0, 0, 1, 2]), n) if n > 2 else Fraction(0),
            tuple(models),
            self.form,
            self.notation,
            tree=LEVELS,
        )
        self.released = self._release()

    def _original_row(self) -> Row:
        pick = self.random.choice
        kinds = {
            "num": WHOLE if self.whole else NUMBERS,
            "cat": TEXTS,
            "tre": list("abcd"),
            "sup": TEXTS,
        }
        row: Row = {
            name: None if self.random.random() < 0.08 else pick(kinds[name]) for name in self.names
        }
        values = {
            "text": [*"abcd"],
            "int": ["1", "2", "30"],
            "decimal": ["1.20", "1.23", "2.00"],
            "float": ["0.1", "0.3", "12.5"],
            "time": [f"2024-01-0{day} 00:00:00" for day in (1, 2, 3)],
        }
        row["s"] = None if self.random.random() < 0.05 else pick(values[self.sensitive_type])
        return row

    def _release(self) -> list[Row]:
        order = self.random.sample(range(len(self.original)), len(self.original))
        order = order[int(self.asked.suppression * len(order)) :] if self._coin() else order
        groups = [order]
        if len(order) >= 2 * self.k and self._coin():
            cut = self.random.randint(self.k, len(order) - self.k)
            groups = [order[:cut], order[cut:]]
        released = []
        for group in groups:
            if self.form == "freeform" and len(group) >= self.k:
                for place, at in enumerate(group):
                    covered = [group[(place + step) % len(group)] for step in range(self.k)]
                    released.append({**self._close(covered), "s": self.original[at]["s"]})
            else:
                cells = self._close(group)
                released += [{**cells, "s": self.original[at]["s"]} for at in group]
        return released

    def _coin(self) -> bool:
        return self.random.random() < 0.5

    def _close(self, rows: list[int]) -> Row:
        cells: Row = {}
        for name in self.names:
            values = [self.original[at][name] for at in rows]
            present = sorted({value for value in values if value is not None})
            if name == "num":
                cells |= self._numbers(values, present)
            elif name == "cat" and self.notation == "min_max":
                cells[name] = json.dumps(sorted(set(values), key=str))
            elif len(set(values)) == 1:
                value = values[0]
                cells[name] = value if value is None or name == "tre" else exact(value)
            elif name == "cat":
                cells[name] = (
                    "{" + "|".join(member(one) for one in sorted(set(values), key=str)) + "}"
                )
            elif name == "tre" and None not in values:
                cells[name] = next((n for n in ("ab", "cd") if NODES[n] >= set(present)), "*")
            else:
                cells[name] = "*"
        return cells

    def _numbers(self, values: list[str | None], present: list[str]) -> Row:
        by_size = sorted(present, key=lambda text: (number(text), text))
        if self.notation == "min_max":
            mixed = None in values
            ends = (None, None) if mixed else (by_size[0], by_size[-1])
            return {"num_min": ends[0], "num_max": ends[1]}
        if None in values:
            return {"num": None if not present else "*"}
        equal = number(by_size[0]) == number(by_size[-1])
        return {"num": by_size[0] if equal else f"[{by_size[0]}..{by_size[-1]}]"}

    def corrupt(self) -> None:
        """Change one thing."""
        rows, pick = self.released, self.random.choice
        if not rows:
            return
        row, other = pick(rows), pick(rows)
        column = pick(list(row))
        kind = self.random.randrange(9)
        if kind == 0:
            row[column], other[column] = other[column], row[column]
        elif kind == 1:
            row["s"], other["s"] = other["s"], row["s"]
        elif kind == 2 and len(rows) > 1:
            rows.remove(row)
        elif kind == 3:
            rows.append(dict(other))
        else:
            self._corrupt_cells(row, column, kind)

    def _corrupt_cells(self, row: Row, column: str, kind: int) -> None:
        pick = self.random.choice
        if kind == 4:
            row[column] = None if column != "s" else pick(self.original)["s"]
        elif kind == 5:
            for name in set(row) - {"s"}:
                empty = self.notation == "min_max" and name in ("num_min", "num_max", "cat")
                row[name] = None if empty else "*"
        elif kind == 6 and row[column]:
            row[column] = self._nudged(str(row[column]))
        elif kind == 7:
            at = pick(self.original)
            for name in set(self.names) & set(row):
                value = at[name]
                if value is not None and (self.notation == "text" or name != "cat"):
                    row[name] = value if name in ("num", "tre") else exact(value)
        elif kind == 8:
            row[column] = pick(self.released)[column]

    def _nudged(self, text: str) -> str:
        """Change a digit or a letter somewhere, or add one."""
        at = self.random.randrange(len(text))
        if text[at].isdigit():
            changed = str((int(text[at]) + 1) % 10)
            return (
                text[:at]
                + self.random.choice([changed, text[at] + "1", text[at] + "0"])
                + text[at + 1 :]
            )
        return text[:at] + self.random.choice(["", text[at], "x", "|", "\\"]) + text[at + 1 :]

    def frames(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Return both tables, typed where values allow it, sometimes through a typed file."""
        original = pl.DataFrame(self.original, schema=dict.fromkeys(self.original[0], pl.String))
        released = pl.DataFrame(self.released, schema=dict.fromkeys(self.released[0], pl.String))
        if self._coin():
            original = self._typed(original, "s")
            released = self._typed(released, "s") if self._coin() else released
        if self.whole and "num" in self.names and self._coin():
            original = original.with_columns(pl.col("num").cast(pl.Int64))
            if self.notation == "min_max" and self._coin():
                released = self._cast(released, ["num_min", "num_max"], pl.Int64)
        if self.notation == "min_max" and "cat" in self.names and self._coin():
            released = self._lists(released)
        # A type has one spelling for a value: what the release then shows is that.
        for name in set(released.columns) & {"num_min", "num_max", "cat"}:
            if released[name].dtype != pl.String:
                for row, value in zip(self.released, released[name].to_list(), strict=True):
                    row[name] = None if value is None else json.dumps(value)
        return self._stored(original), self._stored(released)

    def _typed(self, frame: pl.DataFrame, name: str) -> pl.DataFrame:
        kinds: dict[str, Any] = {"int": pl.Int64, "decimal": pl.Decimal(10, 2), "float": pl.Float64}
        if self.sensitive_type == "time":
            read = frame[name].str.to_datetime("%Y-%m-%d %H:%M:%S", strict=False, time_unit="ms")
            same = read.null_count() == frame[name].null_count()
            return frame.with_columns(read) if same else frame
        if self.sensitive_type not in kinds:
            return frame
        return self._cast(frame, [name], kinds[self.sensitive_type])

    def _cast(self, frame: pl.DataFrame, names: list[str], dtype: Any) -> pl.DataFrame:
        """Give columns a type where every cell says exactly what it then is."""
        for name in names:
            read = frame[name].cast(dtype, strict=False)
            pairs = zip(frame[name].to_list(), read.to_list(), strict=True)
            if all(
                (text is None and value is None)
                or (
                    text is not None
                    and value is not None
                    and number(text) is not None
                    and number(text) == Fraction(repr(value) if dtype == pl.Float64 else str(value))
                )
                for text, value in pairs
            ):
                frame = frame.with_columns(read)
        return frame

    def _lists(self, frame: pl.DataFrame) -> pl.DataFrame:
        try:
            listed = [None if text is None else json.loads(text) for text in frame["cat"]]
            made = pl.Series("cat", listed, dtype=pl.List(pl.String))
        except (ValueError, TypeError, pl.exceptions.PolarsError):
            return frame
        ordered = all(one is None or isinstance(one, list) for one in listed)
        return frame.with_columns(made) if ordered else frame

    def _stored(self, frame: pl.DataFrame) -> pl.DataFrame:
        kind = self.random.randrange(4)
        file = io.BytesIO()
        if kind == 0:
            frame.write_parquet(file)
            file.seek(0)
            return pl.read_parquet(file)
        if kind == 1:
            frame.write_ipc(file)
            file.seek(0)
            return pl.read_ipc(file)
        return frame

    def schema(self) -> Schema:
        return Schema(
            tuple(QUASI[name][1] for name in self.names),
            sensitive=("s",),
            sensitive_hierarchies={"s": TREE},
        )


def judge(seed: int) -> tuple[bool, bool, str]:
    """Return what the verifier and the oracle say of one release, and the verdict in full."""
    case = Case(seed)
    for _ in range(case.random.choice([0, 1, 1, 1, 2, 3])):
        case.corrupt()
    original, released = case.frames()
    verdict = verify(
        original,
        released,
        case.schema(),
        case.k,
        models=list(case.asked.models),
        suppression=float(case.asked.suppression),
        form=case.form,
    )
    asked = replace(case.asked, numeric_sensitive=original["s"].dtype.is_numeric())
    return verdict.passed, accepts(case.original, case.released, asked), str(verdict)


def check(seeds: range) -> Counter[tuple[bool, bool]]:
    answers: Counter[tuple[bool, bool]] = Counter()
    for seed in seeds:
        passed, true, said = judge(seed)
        answers[passed, true] += 1
        assert not passed or true, f"seed {seed}: a wrong acceptance\n{said}"
        assert passed or not true or "custody" in said, f"seed {seed}: a wrong refusal\n{said}"
    return answers


def test_a_few_hundred_releases() -> None:
    answers = check(range(400))
    assert answers[True, True] > 50
    assert answers[False, False] > 100


@pytest.mark.slow
@pytest.mark.parametrize("part", range(16))
def test_thirty_thousand_releases(part: int) -> None:
    first = 1000 + 2000 * part
    answers = check(range(first, first + 2000))
    assert answers[True, True] > 200
    assert answers[False, False] > 500
