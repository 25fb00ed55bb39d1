"""Closures as cells in each notation, and cells of other notations back in text notation."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import polars as pl

from shoal.encoding import notation
from shoal.encoding.closures import Sets, Spans
from shoal.encoding.domain import IntervalDomain, TreeDomain
from shoal.errors import InputError, SchemaError
from shoal.table import Kind, Reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.encoding.closures import Closures
    from shoal.encoding.domain import Domain
    from shoal.table import Attribute

Notation = Literal["text", "min_max", "midpoint", "label", "json"]

ANY = "any"
MISSING = "missing"
_TO, _OR = " to ", " or "
_JSON_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
# What a closure says: nothing, a value from low to high, or one of these values (or nodes).
Meaning = tuple[str, str] | list[str] | None


def write_cells(domain: Domain, closures: Closures, style: Notation) -> list[str | None]:
    """Return closures as labels or as JSON, and last the cell of ``*``.

    Raises
    ------
    SchemaError
        If a label could be read in two ways.
    """
    if style == "json":
        return [*(_json_cell(domain, one) for one in _meanings(domain, closures)), '"*"']
    return [*(_label(domain, one) for one in _meanings(domain, closures)), ANY]


def in_text_notation(
    released: pl.DataFrame, quasi: Sequence[Attribute], style: Notation
) -> pl.DataFrame:
    """Return a release in labels or JSON as it reads in text notation; others are not changed.

    Raises
    ------
    InputError
        If a cell does not follow the notation. Rows are named by number.
    """
    if style not in {"json", "label"}:
        return released
    columns = []
    for attribute in quasi:
        if attribute.name not in released.columns:
            continue
        series = released[attribute.name].cast(pl.String)
        meaning: dict[str | None, str | None] = {}
        for cell in series.unique():
            try:
                content = _read_json(cell) if style == "json" else _read_label(cell, attribute.kind)
            except (ValueError, TypeError, KeyError, RecursionError):
                row = int((series.eq_missing(cell)).arg_true()[0]) + 1
                raise InputError(
                    f"Column {attribute.name!r}, row {row}: the cell does not follow the {style} "
                    "notation.",
                    remedy="Name the notation of the release with `notation`.",
                ) from None
            meaning[cell] = _text(content, attribute.kind)
        shown = [meaning[cell] for cell in series.to_list()]
        columns.append(pl.Series(attribute.name, shown, dtype=pl.String))
    return released.with_columns(columns)


def _meanings(domain: Domain, closures: Closures) -> list[Meaning]:
    if isinstance(closures, Sets):
        codes, cuts = closures.members.tolist(), closures.offsets.tolist()
        return [[domain.texts[code] for code in codes[start:end]] for start, end in pairwise(cuts)]
    assert isinstance(closures, Spans)
    star = domain.star(closures).tolist()
    ends = list(zip(closures.first.tolist(), closures.last.tolist(), strict=True))
    if isinstance(domain, TreeDomain):
        nodes = domain.node(closures).tolist()
        return [
            None if nothing else [domain.texts[first] if first == last else domain.node_names[node]]
            for (first, last), nothing, node in zip(ends, star, nodes, strict=True)
        ]
    return [
        None
        if nothing
        else [domain.texts[first]]
        if first == last
        else (domain.texts[first], domain.texts[last])
        for (first, last), nothing in zip(ends, star, strict=True)
    ]


def _json_cell(domain: Domain, content: Meaning) -> str:
    if content is None:
        return '"*"'
    if content == [""]:
        return "null"
    if not isinstance(domain, IntervalDomain):
        return json.dumps([text or None for text in content], ensure_ascii=False)
    numeric = domain.attribute.reading is Reading.NUMBER
    # Numbers keep the digits with which the column spells them.
    low, high = (
        end if numeric and _JSON_NUMBER.fullmatch(end) else json.dumps(end, ensure_ascii=False)
        for end in (content[0], content[-1])
    )
    return f'{{"min": {low}, "max": {high}}}'


def _label(domain: Domain, content: Meaning) -> str | None:
    if content is None:
        return ANY
    between = _TO if isinstance(domain, IntervalDomain) else _OR
    several = len(content) > 1
    reserved = {ANY, MISSING} if several and between == _OR else {ANY}
    apart = not isinstance(domain, TreeDomain)
    if any(text in reserved or (apart and between in text) for text in content):
        raise SchemaError(
            f"Column {domain.attribute.name!r} has values that are {ANY!r} or {MISSING!r}, or hold "
            f"{between.strip()!r} as a word: its labels could be read in two ways.",
            remedy="Write the release with `notation='text'` or `notation='json'`.",
        )
    return between.join(text or MISSING for text in content) if several else content[0] or None


def _read_json(cell: str | None) -> Meaning:
    content = json.loads(cell or "null", parse_int=str, parse_float=str)
    if content is None:
        return [""]
    if content == notation.STAR:
        return None
    if isinstance(content, dict):
        return str(content["min"]), str(content["max"])
    if not isinstance(content, list) or not content:
        raise ValueError
    return [text or "" for text in content]


def _read_label(cell: str | None, kind: Kind) -> Meaning:
    if cell == ANY:
        return None
    if kind is Kind.NUMERIC and cell and _TO in cell:
        low, high = cell.split(_TO)
        return low, high
    if kind is Kind.CATEGORICAL and cell and _OR in cell:
        return ["" if text == MISSING else text for text in cell.split(_OR)]
    return [cell or ""]


def _text(content: Meaning, kind: Kind) -> str | None:
    if content is None:
        return notation.STAR
    if isinstance(content, tuple) and content[0] != content[1]:
        return notation.interval(*content)
    if len(content) > 1 and not isinstance(content, tuple):
        return "{" + "|".join(map(notation.member, content)) + "}"
    write = notation.node if kind is Kind.HIERARCHICAL else notation.exact
    return write(content[0]) or None
