"""From released cells back to closures, so that any release can be measured.

The verifier has a reader of its own; this one serves the measures and refuses what it cannot
place in the domains of the original table.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from shoal.encoding import notation
from shoal.encoding.closures import Closures, Sets, Spans
from shoal.encoding.domain import IntervalDomain, SetDomain, TreeDomain
from shoal.encoding.encode import FoldedRows
from shoal.encoding.recoding import SUPPRESSED, ColumnRecoding, Recoding
from shoal.errors import InputError, ShoalError
from shoal.table.cells import DistinctCells, distinct_cells, numbers, texts
from shoal.table.open_values import is_open

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.encoding.domain import Domain

# Taken for exact values, such cells would match nobody, and seem to lose and to risk nothing.
_OTHER_NOTATION = r'^\{"min": |^[<>=]*-?\d\S* to -?\d\S*$'
_PIECE = re.compile(r"\\(.)|([^\\]+)", re.DOTALL)


def parse_release(
    released: pl.DataFrame, domains: Sequence[Domain]
) -> tuple[Recoding, tuple[Domain, ...]]:
    """Return what each released record shows, and the domains widened by ends it introduces.

    Raises
    ------
    InputError
        If a column is absent or holds a cell that does not generalize values of its attribute.
    """
    columns: list[ColumnRecoding] = []
    widened: list[Domain] = []
    starred = np.ones(released.height, dtype=np.bool_)
    places: list[NDArray[np.uint32]] = []
    for domain in domains:
        closures: Closures
        cells, place = read_cells(released, domain.attribute.name, _shape(domain))
        starred &= np.array([cell is None for cell in cells], dtype=np.bool_)[place]
        if isinstance(domain, IntervalDomain):
            wider, closures = _intervals(domain, cells)
            widened.append(wider)
        else:
            widened.append(domain)
            closures = _named(domain, cells)
        places.append(place)
        columns.append(ColumnRecoding(closures, place.astype(np.int32)))
    rows = FoldedRows.of(places)
    unit = np.where(starred, SUPPRESSED, rows.row_of).astype(np.int32)
    at_rows = [ColumnRecoding(c.closures, c.index[rows.first]) for c in columns]
    return Recoding.of(unit, at_rows), tuple(widened)


def codes_in(
    wider: Domain, codes: NDArray[np.unsignedinteger], domain: Domain
) -> NDArray[np.integer]:
    """Return codes of a domain as codes of the same domain widened by :func:`parse_release`."""
    if not isinstance(domain, IntervalDomain) or not isinstance(wider, IntervalDomain):
        return codes
    places = np.searchsorted(wider.numbers, domain.numbers)
    if domain.missing is not None:
        places = np.append(places, wider.size - 1)
    return np.asarray(places[codes], np.int64)


# A cell is None for `*`, a list of member texts for a set, a pair of texts for an interval; an
# exact value is a set of one.
Cell = list[str] | tuple[str, str] | None


def read_cells(
    released: pl.DataFrame, name: str, shape: Literal["interval", "set", "node", "value"]
) -> tuple[list[Cell], NDArray[np.uint32]]:
    """Return the distinct cells of a released attribute, and for each row the place of its cell.

    Parameters
    ----------
    shape
        What generalized cells of the attribute are: intervals may stand in two columns of bounds,
        sets in lists, and names of nodes are never taken for either.

    Raises
    ------
    InputError
        If the release lacks the attribute.
    """
    if name in released.columns:
        series = released[name]
        if isinstance(series.dtype, pl.List):
            listed = distinct_cells(_as_json(series))
            return [*(_from_json(text) for text in listed.cells), None], listed.codes
        distinct = distinct_cells(texts(series))
        if shape != "node" and distinct.cells.str.contains(_OTHER_NOTATION).any():
            raise InputError(
                f"The release's column {name!r} is written as labels or as JSON.",
                remedy="Name its `notation`, or give the release in text or min_max notation.",
            )
        read = _read
        if shape == "node":
            read = _read_node
        elif shape == "set" and _is_json(distinct.cells):
            read = _from_json
        return [*map(read, distinct.cells), [""]], distinct.codes
    if shape == "interval" and {f"{name}_min", f"{name}_max"} <= set(released.columns):
        low, high = (texts(released[f"{name}_{end}"]).fill_null("") for end in ("min", "max"))
        missing = pl.Series("missing", ["false"]).new_from_index(0, released.height)
        if f"{name}_missing" in released.columns:
            missing = texts(released[f"{name}_missing"]).fill_null("false").alias("missing")
        ends = distinct_cells(
            pl.DataFrame({"low": low, "high": high})
            .with_columns(missing)
            .select(pl.struct("low", "high", "missing"))["low"]
        )
        return [*map(_bounds, ends.cells), None], ends.codes
    raise InputError(
        f"The release has no column {name!r}.", remedy="Name the quasi-identifiers it does have."
    )


def _bounds(cell: dict[str, str]) -> Cell:
    if cell["low"] or cell["high"]:
        return cell["low"], cell["high"]
    return [""] if cell["missing"] in ("true", "1") else None


def _shape(domain: Domain) -> Literal["interval", "set", "node", "value"]:
    if isinstance(domain, IntervalDomain):
        return "interval"
    if isinstance(domain, TreeDomain):
        return "node"
    return "set" if isinstance(domain, SetDomain) else "value"


def _as_json(series: pl.Series) -> pl.Series:
    return pl.Series(
        series.name,
        [None if cell is None else json.dumps(cell.to_list()) for cell in series],
        dtype=pl.String,
    )


def _is_json(cells: pl.Series) -> bool:
    return len(cells) > 0 and bool((cells.str.starts_with("[") & cells.str.ends_with("]")).all())


def _from_json(text: str) -> Cell:
    return [member or "" for member in json.loads(text)]


def _read_node(text: str) -> Cell:
    if text == notation.STAR:
        return None
    return [text[1:] if text.startswith("\\") else text]


def _read(text: str) -> Cell:
    if text == notation.STAR:
        return None
    if text.startswith("{") and text.endswith("}"):
        return _split(text[1:-1], "|")
    if text.startswith("[") and text.endswith("]") and ".." in text:
        ends = _split(text[1:-1], "..")
        if len(ends) == 2:
            return ends[0], ends[1]
    return [text[1:] if text.startswith("\\") else text]


def _split(text: str, separator: str) -> list[str]:
    parts = [""]
    for escaped, plain in _PIECE.findall(text):
        if escaped:
            parts[-1] += escaped
            continue
        head, *tail = plain.split(separator)
        parts[-1] += head
        parts.extend(tail)
    return parts


def _refusal(domain: Domain) -> InputError:
    return InputError(
        f"Column {domain.attribute.name!r} of the release holds cells that do not generalize the "
        f"values the original has there.",
        remedy="Check that both files belong together and that kinds and hierarchies are the same.",
    )


def _intervals(domain: IntervalDomain, cells: list[Cell]) -> tuple[IntervalDomain, Spans]:
    ends: list[tuple[str, str] | None] = []
    for cell in cells:
        if isinstance(cell, list):
            if len(cell) != 1:
                raise _refusal(domain)
            ends.append((cell[0], cell[0]))
        elif cell is not None and any(cell) and not all(cell) and len(domain.numbers):
            # A bound that is missing is that of an open value, the first or last of its column.
            lowest, highest = domain.texts[0], domain.texts[len(domain.numbers) - 1]
            if not is_open(highest if cell[0] else lowest):
                raise _refusal(domain)
            ends.append((cell[0] or lowest, cell[1] or highest))
        else:
            ends.append(cell)
    shown = sorted({text for pair in ends if pair for text in pair if text})
    series = pl.Series(domain.attribute.name, shown, dtype=pl.String)
    codes = np.arange(len(shown), dtype=np.uint32)
    try:
        read = numbers(
            DistinctCells(series, codes, has_missing=False), domain.attribute, open_values=True
        )
    except ShoalError:
        raise _refusal(domain) from None
    # The spelling of a value stands for the value, also that of a short float.
    known = dict(zip(domain.texts, domain.numbers.tolist(), strict=False))
    value_of = {text: known.get(text, value) for text, value in zip(shown, read, strict=True)}
    wider = _widened(domain, np.array(list(value_of.values())))
    code_of = {value: code for code, value in enumerate(wider.numbers.tolist())}
    first: list[int] = []
    last: list[int] = []
    for pair in ends:
        if pair is None:
            first.append(0)
            last.append(wider.size)
        elif pair == ("", ""):
            # The encoder gives missing cells the last code; a release may show them only there.
            first.append(wider.size - 1 if wider.missing is not None else 0)
            last.append(wider.size - 1 if wider.missing is not None else wider.size)
        else:
            low, high = (code_of[value_of[text]] if text else -1 for text in pair)
            if not 0 <= low <= high:
                raise _refusal(domain)
            first.append(low)
            last.append(high)
    return wider, Spans(np.array(first, dtype=np.int32), np.array(last, dtype=np.int32))


def _widened(domain: IntervalDomain, more: NDArray[np.float64]) -> IntervalDomain:
    every = np.union1d(domain.numbers, more)
    if np.array_equal(every, domain.numbers):
        return domain
    known = domain.positions[: len(domain.numbers)]
    low, high = domain.attribute.value_range or (domain.numbers[0], domain.numbers[-1])
    positions = (every - low) / (high - low) if high > low else np.zeros(len(every))
    places = np.searchsorted(every, domain.numbers)
    positions[places] = known
    present = np.zeros(len(every), dtype=np.bool_)
    present[places] = True
    missing = None
    if domain.missing is not None:
        missing = len(every)
        positions = np.append(positions, domain.positions[domain.missing])
        present = np.append(present, True)
    labels = [str(value) for value in every.tolist()] + [""] * (missing is not None)
    return replace(
        domain, texts=labels, numbers=every, positions=positions, missing=missing, present=present
    )


def _named(domain: Domain, cells: list[Cell]) -> Closures:
    code_of = {text: code for code, text in enumerate(domain.texts)}
    if isinstance(domain, SetDomain):
        return _sets(domain, cells, code_of)
    nodes: dict[str, tuple[int, int]] = {}
    if isinstance(domain, TreeDomain):
        nodes = {
            name: (int(first), int(last))
            for name, first, last in zip(
                domain.node_names, domain.node_first, domain.node_last, strict=True
            )
        }
    spans: list[tuple[int, int]] = []
    for cell in cells:
        if cell is None:
            spans.append((0, domain.size - 1))
        elif isinstance(cell, list) and len(cell) == 1 and cell[0] in code_of:
            spans.append((code_of[cell[0]], code_of[cell[0]]))
        elif isinstance(cell, list) and len(cell) == 1 and cell[0] in nodes:
            spans.append(nodes[cell[0]])
        elif cell == [""]:
            spans.append((0, domain.size - 1))
        else:
            raise _refusal(domain)
    ends = np.array(spans, dtype=np.int32)
    return Spans(ends[:, 0].copy(), ends[:, 1].copy())


def _sets(domain: SetDomain, cells: list[Cell], code_of: dict[str, int]) -> Sets:
    members: list[int] = []
    offsets = [0]
    for cell in cells:
        if cell is None or (cell == [""] and "" not in code_of):
            members.extend(range(domain.size))
        elif isinstance(cell, list) and cell and all(text in code_of for text in cell):
            members.extend(sorted({code_of[text] for text in cell}))
        else:
            raise _refusal(domain)
        offsets.append(len(members))
    return Sets(np.array(offsets, dtype=np.int64), np.array(members, dtype=np.int32))
