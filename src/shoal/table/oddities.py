"""What in a table looks like a slip of data entry: nothing is changed, everything is reported.

A code for "missing" that is read as an age widens intervals for everyone; ``m`` and ``m `` are two
categories; a total is not a person. Messages name columns, counts and rows, and codes that stand
for nobody, but no other cell.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from shoal.errors import ValueReadError, option
from shoal.table.cells import DistinctCells, numbers, reads_as, texts
from shoal.table.date_formats import ISO, STYLES, counted_styles, formats_of_style, usual_format
from shoal.table.kind_detection import detect, is_readable
from shoal.table.open_values import as_open_numbers, is_open
from shoal.table.schema import Attribute, Kind, Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

_NUMBER_CODES = frozenset((
    -1, -2, -3, -7, -8, -9, -77, -88, -97, -98, -99, -777, -888, -999, -9999,
    77, 88, 97, 98, 99, 777, 888, 997, 998, 999, 7777, 8888, 9997, 9998, 9999, 99999, 999999,
))  # fmt: skip
_TEXT_CODES = (
    "?", "??", "-", "--", ".", "..", "na", "n/a", "n.a.", "nan", "nil", "null", "none", "nd", "n/d",
    "#n/a", "missing", "unknown", "unk", "unspecified", "not known", "not available", "no answer",
    "not applicable", "not stated", "unbekannt", "k.a.", "k. a.", "keine angabe", "inconnu", "nc",
    "non renseigné", "desconocido", "sconosciuto", "onbekend", "okänd", "tuntematon", "nieznany",
    "brak", "неизвестно", "不明", "未知",
)  # fmt: skip
# Any text that stands for one of the numbers above, and some more.
_LIKE_A_NUMBER_CODE = r"^\s*-?(?:[123]|[789]+)(?:\.0*)?\s*$"
_DATE_CODES = r"^(0000-00-00|9999-(99-99|12-31)|1111-11-11|00[./]00[./]0000|99[./]99[./]9999)"
_EARLIEST = -25567.0  # 1900-01-01 in days since 1970-01-01, the zero of spreadsheets
_TOTALS = (
    "total", "totals", "grand total", "subtotal", "sum", "overall", "gesamt", "insgesamt", "summe",
    "gesamtsumme", "gesamtergebnis", "totale", "somme", "ensemble", "suma", "totaal", "totalt",
    "summa", "yhteensä", "razem", "łącznie", "итого", "всего", "合計", "总计",
)  # fmt: skip
_LAST_ROWS = 3
_MOST_COUNTED = 100_000
_ROWS_NAMED = 5
# How far beyond all other numbers a code must lie, as a share of their range.
_GAP = 0.2
_DATES_AT_LEAST = 0.8
_DECIMAL_COMMA = r"^[+-]?\d{1,3}(\.\d{3})*,\d+$|^[+-]?\d+,\d+$"
_THOUSANDS = r"^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$"
_PLAIN = r"^[+-]?\d{1,3}(\.\d+)?$"
_NUMBER = r"^\s*[+-]?\d+(?:\.\d*)?\s*$"
_WHOLE = r"^[+-]?\d+$"
_CURRENCY = r"^\s*([$€£¥]|[A-Z]{3})\s*[\d.,]+$|^\s*[\d.,]+\s*([$€£¥]|[A-Z]{3})\s*$"


def column_oddities(
    series: pl.Series, attribute: Attribute, distinct: DistinctCells | None = None
) -> list[str]:
    """Return what looks odd in a column, given how it is read.

    Parameters
    ----------
    series
        The column.
    attribute
        Kind and reading that a run takes it in.
    distinct
        Its distinct cells, if the caller has them.
    """
    if distinct is None or series.dtype != pl.String:
        counted = _counted(series)
    else:
        cells, counts = distinct.counted()
        counted = pl.DataFrame({"cell": cells, "text": cells, "count": counts})
    if counted.height == 0:
        return []
    notes = _about_codes(series.name, counted, attribute)
    if attribute.kind is not Kind.NUMERIC and series.dtype == pl.String:
        notes += _spelling_variants(series.name, counted)
        if attribute.kind is Kind.CATEGORICAL:
            notes += _other_readings(series, counted)
    return notes


def _about_codes(name: str, counted: pl.DataFrame, attribute: Attribute) -> list[str]:
    """Return a sentence about cells that look like codes for a missing value."""
    codes = _missing_codes(counted, attribute)
    if not codes:
        return []
    held = counted.filter(pl.col("text").is_in(codes))["count"].sum()
    listed = " and ".join(codes[:4]) + (f" and {len(codes) - 4} more" if codes[4:] else "")
    advice = option("null_values", [f"{name}={'|'.join(codes)}"])
    one = len(codes) == 1
    note = (
        f"Column {name!r}: {held:,} cell{'s hold' if held != 1 else ' holds'} {listed}, which "
        f"{'looks like a code' if one else 'look like codes'} for a missing value. If "
        f"{'it is one' if one else 'they are'}, set {advice}."
    )
    return [note]


def missing_codes(series: pl.Series, attribute: Attribute) -> list[str]:
    """Return the values of a column that look like codes for a missing one."""
    counted = _counted(series)
    return _missing_codes(counted, attribute) if counted.height else []


def total_rows(frame: pl.DataFrame) -> list[str]:
    """Return a sentence about rows at the end that are totals, not persons."""
    last = frame.tail(_LAST_ROWS)
    if pl.String not in last.dtypes:
        return []
    named = pl.col(pl.String).str.strip_chars(" :.").str.to_lowercase().is_in(_TOTALS)
    found = last.select(pl.any_horizontal(named.fill_null(value=False))).to_series().arg_true()
    if not len(found):
        return []
    rows = [frame.height - last.height + row + 1 for row in found]
    plural = "s" if len(rows) > 1 else ""
    note = (
        f"Data row{plural} {', '.join(map(str, rows))} look{'' if plural else 's'} like a total, "
        "not like a person: remove it if it is one."
    )
    return [note]


def _counted(series: pl.Series) -> pl.DataFrame:
    """Return the distinct present cells with their texts and how many rows hold each."""
    counts = series.drop_nulls().value_counts(name="count")
    cells = counts[series.name].alias("cell")
    shown = texts(cells).alias("text")
    counted = pl.DataFrame([cells, shown, counts["count"]])
    return counted.filter(pl.col("text").is_not_null()) if shown.null_count() else counted


def _may_hold_codes(series: pl.Series) -> bool:
    """Return whether a column holds any cell that could be a code, without counting cells."""
    if series.dtype.is_integer() or series.dtype.is_float():
        codes = pl.Series(sorted(_NUMBER_CODES), dtype=pl.Float64)
        return bool(series.cast(pl.Float64).is_in(codes.implode()).any())
    if series.dtype != pl.String:
        return True
    if len(series) <= _MOST_COUNTED:
        series = series.unique()
    text = pl.col("text")
    return bool(
        series.to_frame("text")
        .select(
            (
                text.str.strip_chars().str.to_lowercase().is_in(_TEXT_CODES)
                | text.str.contains(_LIKE_A_NUMBER_CODE)
                | text.str.contains(_DATE_CODES)
            ).any()
        )
        .item()
    )


def _missing_codes(counted: pl.DataFrame, attribute: Attribute) -> list[str]:
    if attribute.reading is Reading.NUMBER:
        return _number_codes(counted, attribute)
    if attribute.reading in (Reading.DATE, Reading.DATETIME):
        return _date_codes(counted, attribute)
    text = pl.col("text")
    words = text.str.strip_chars().str.to_lowercase().is_in(_TEXT_CODES)
    suspect = counted.select(
        code=words | text.str.contains(_DATE_CODES), number=text.str.contains(_NUMBER)
    )
    found = counted["text"].filter(suspect["code"])
    others = counted["text"].filter(~suspect["number"])
    # A -9 among words is not a category; among codes with digits it may be one.
    if len(others) > 1 and len(others) < counted.height and not others.str.contains(r"\d").any():
        read = counted["text"].str.strip_chars().cast(pl.Float64, strict=False)
        coded = np.isin(read.to_numpy(), list(_NUMBER_CODES))
        found = found.append(counted["text"].filter(pl.Series(coded)))
    return sorted(set(found))


def _number_codes(counted: pl.DataFrame, attribute: Attribute) -> list[str]:
    """Return the usual codes that lie apart from all other numbers of a column."""
    values = _numbers(counted, attribute)
    codes = np.isin(values, list(_NUMBER_CODES))
    others = values[~codes]
    if not codes.any() or len(others) < 3:
        return []
    low, high = others.min(), others.max()
    gap = max(1.0, _GAP * (high - low))
    apart = (values >= high + gap) | (values <= low - gap) | ((values < 0) & (low >= 0))
    found = counted["text"].filter(pl.Series(codes & apart)).to_list()
    return sorted((text.strip() for text in found if not is_open(text)), key=float)


def _date_codes(counted: pl.DataFrame, attribute: Attribute) -> list[str]:
    """Return the zero of spreadsheets and the ends of calendars, where other dates are far off."""
    days = _numbers(counted, attribute)
    if attribute.reading is Reading.DATETIME:
        days = days / 86_400
    codes = (days == _EARLIEST) | (days >= 2_900_000)
    others = days[~codes]
    far = len(others) > 2 and (others.min() > _EARLIEST + 3_653)
    found = counted["text"].filter(pl.Series(codes & (far | (days > 0)))).to_list()
    return sorted(found)


def _numbers(counted: pl.DataFrame, attribute: Attribute) -> NDArray[np.float64]:
    codes = np.arange(counted.height, dtype=np.uint32)
    return numbers(
        DistinctCells(counted["cell"], codes, has_missing=False), attribute, open_values=True
    )


def _spelling_variants(name: str, counted: pl.DataFrame) -> list[str]:
    """Return a sentence about categories that differ in blanks or capitals alone."""
    folded = pl.col("text").str.strip_chars().str.replace_all(r"\s+", " ").str.to_lowercase()
    if counted.select(folded.n_unique()).item() == counted.height:
        return []
    groups = counted.group_by(folded.alias("folded")).agg(
        spellings=pl.len(), cells=pl.col("count").sum() - pl.col("count").max()
    )
    several = groups.filter(pl.col("spellings") > 1)
    spellings, cells = several["spellings"].sum(), several["cells"].sum()
    hold = "1 cell holds" if cells == 1 else f"{cells:,} cells hold"
    note = (
        f"Column {name!r}: {spellings:,} of its {counted.height:,} categories differ from another "
        f"one only in spaces or capitals, as x, X and 'x ' would; {hold} the rarer spellings. They "
        "count as different values."
    )
    return [note]


def _other_readings(series: pl.Series, counted: pl.DataFrame) -> list[str]:
    """Return a sentence about texts that are dates, amounts or numbers in another style."""
    if not counted["text"].str.contains(r"\d").any():
        return []
    name, shown = series.name, counted["text"].str.strip_chars()
    styles = counted_styles(shown)
    if set(styles) - {ISO} and sum(styles.values()) >= _DATES_AT_LEAST * len(shown):
        return [_about_dates(series, styles)]
    commas = shown.str.contains(_DECIMAL_COMMA)
    thousands = shown.str.contains(_THOUSANDS)
    if thousands.any() and bool((thousands | shown.str.contains(_PLAIN)).all()):
        likeness = (
            f"numbers with thousands separators. Set {option('thousands', ',')} if it is, or "
            f"{option('decimal', ',')} if these are decimal commas"
        )
    elif commas.any() and bool((commas | shown.str.contains(_WHOLE)).all()):
        likeness = f"numbers with a decimal comma. Set {option('decimal', ',')} if it is"
    elif bool(shown.str.contains(_CURRENCY).all()):
        likeness = "amounts with a currency sign. Remove the sign to have it read as numbers"
    else:
        return []
    return [f"Column {name!r} is read as texts, which become sets, but looks like {likeness}."]


def likely_date_format(series: pl.Series) -> str | None:
    """Return the format of a column of texts if all its cells are dates, not all of them ISO's.

    Cells in several styles have several formats, the commonest first. None if day and month may be
    meant either way round.
    """
    if series.dtype != pl.String:
        return None
    shown = series.drop_nulls().str.strip_chars().unique()
    shown = shown.filter(shown != "")
    used = counted_styles(shown)
    if not set(used) - {ISO} or sum(used.values()) < len(shown):
        return None
    formats = [formats_of_style(shown, style) for style in used]
    if any(len(one) != 1 for one in formats):
        return None
    tried = [pl.lit(shown).str.to_date(one, strict=False) for (one,) in formats]
    readable = pl.select(pl.coalesce(tried).is_not_null().all()).item()
    return "|".join(one for (one,) in formats) if readable else None


def _about_dates(series: pl.Series, styles: dict[str, int]) -> str:
    name, usual = series.name, next(iter(styles))
    opening = f"Column {name!r} looks like dates, but is read as texts, which become sets"
    if len(styles) == 1:
        return f"{opening}. Set {_how_to_read(series, styles)}."
    rest = {style: styles[style] for style in styles if style != usual}
    return (
        f"{opening}: most are written as {usual}, others as {_rows_of_styles(series, rest)}. "
        f"{_in_order(series, styles)}."
    )


def about_other_dates(series: pl.Series) -> str | None:
    """Return a clause about the rows of a column of dates that write them in other styles.

    None if there are none. Cells that are not dates in any style are named, too.
    """
    if series.dtype != pl.String:
        return None
    shown = texts(series).str.strip_chars()
    fits = reads_as(shown, Reading.DATE) | reads_as(shown, Reading.DATETIME)
    others = shown.set(fits.fill_null(value=True), None)
    styles = counted_styles(others)
    if not styles:
        return None
    clause = f"others are written as {_rows_of_styles(others, styles)}"
    strange = others.is_not_null()
    for style in styles:
        strange &= ~others.str.contains(STYLES[style]).fill_null(value=False)
    if strange.any():
        clause += f", and {_rows(strange)} {'are' if strange.sum() > 1 else 'is'} no date"
    return f"{clause}. {_in_order(series, counted_styles(shown))}"


def _rows_of_styles(series: pl.Series, styles: Iterable[str]) -> str:
    cells = series.str.strip_chars()
    return " and as ".join(
        f"{style} ({_rows(cells.str.contains(STYLES[style]))})" for style in styles
    )


def _in_order(series: pl.Series, styles: Iterable[str]) -> str:
    return (
        "Write all in one style, or give the styles in the order in which they are to be tried: "
        f"{_how_to_read(series, styles)}"
    )


def _how_to_read(series: pl.Series, styles: Iterable[str]) -> str:
    """Return the option that names the formats, and what else they may be."""
    shown = series.drop_nulls().str.strip_chars()
    usual = "|".join(usual_format(shown, style) for style in styles)
    advice = option("date_format", {series.name: usual})
    unclear = [other for style in styles for other in formats_of_style(shown, style)[1:]]
    return f"{advice} (or {' or '.join(unclear)}: only you know which)" if unclear else advice


def rows_that_are_no(series: pl.Series, reading: Reading) -> str:
    """Return the rows of a column whose cells cannot be read so, named by number."""
    shown = texts(series)
    fits = reads_as(shown, reading)
    if reading is Reading.NUMBER:
        fits = fits | as_open_numbers(shown).is_not_null()
    return _rows(~fits & shown.is_not_null())


def _rows(found: pl.Series) -> str:
    rows = found.fill_null(value=False).arg_true() + 1
    named = ", ".join(map(str, rows.head(_ROWS_NAMED)))
    more = f" and {len(rows) - _ROWS_NAMED:,} more" if len(rows) > _ROWS_NAMED else ""
    return f"data row{'s' if len(rows) > 1 else ''} {named}{more}"


def all_oddities(
    frame: pl.DataFrame,
    attributes: Sequence[Attribute],
    unchanged: Sequence[str] = (),
    distinct: Callable[[str], DistinctCells] | None = None,
) -> list[str]:
    """Return what looks odd in quasi-identifiers, in columns released unchanged and the last rows.

    A sensitive ``?`` counts as a value of its own for every privacy model, and readers of the
    release would take a 999 in any column for a number.

    Parameters
    ----------
    frame
        The table.
    attributes
        Its quasi-identifiers.
    unchanged
        Its columns that are released unchanged.
    distinct
        Returns the distinct cells of a quasi-identifier, if the caller has them.
    """
    notes = []
    for attribute in attributes:
        name = attribute.name
        cells = None if distinct is None else distinct(name)
        notes += column_oddities(frame[name], attribute, cells)
    for name in unchanged:
        series = frame[name]
        if is_readable(series.dtype) and _may_hold_codes(series):
            counted = _counted(series)
            found = detect(series, counted["cell"])
            kind, reading = (Kind.CATEGORICAL, None) if found.mixed else (found.kind, found.reading)
            as_read = Attribute(name, kind) if reading is None else Attribute(name, kind, reading)
            # It is released unchanged, so a cell that cannot be read, such as NaN, is not an error.
            with suppress(ValueReadError):
                notes += _about_codes(name, counted, as_read) if counted.height else []
    return notes + total_rows(frame)
