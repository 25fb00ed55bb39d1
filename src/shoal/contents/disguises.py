"""Names, e-mail addresses and telephone numbers that are written so as not to be seen at once.

Base64 and hexadecimal digits hide nothing, and neither does a text that is written backwards or
without the blank, or a user name such as ``anna.smith7``.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING

import polars as pl

from shoal.contents.finding import Finding, percent
from shoal.contents.patterns import addresses
from shoal.contents.person_names import person_names
from shoal.contents.registered_numbers import phones
from shoal.contents.values import Values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

HEXADECIMAL = r"^(?:[0-9A-Fa-f]{2}){4,}$"
BASE64 = r"^[A-Za-z0-9+/_-]{6,}={0,2}$"
OTHER_MARKS = r"^\+?\d[\d ]*[=_~|*#][\d =_~|*#]+\d$"
_USER_NAME = re.compile(r"@?[^\W\d_]{2,}[._-][^\W\d_]{2,}[._-]?\d*")
_CAMEL_CASE = re.compile(r"(?:[A-ZÀ-Þ][a-zß-ÿ]+){2,3}")
_MARKS = re.compile(r"[\W\d_]+")
_NEXT_WORD = re.compile(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ])")
_GLANCE = 20
_MOST = 0.8
# By chance, words written backwards are names now and then.
_FULL_NAMES = 0.3


def disguises(values: Values) -> Iterable[Finding]:
    """Find columns whose values, written plainly, name people or how to reach them."""
    if values.numeric or len(values) == 0:
        return
    for pattern, plain, how in (
        (HEXADECIMAL, bytes.fromhex, "written in hexadecimal digits"),
        (BASE64, _from_base64, "written in base64"),
    ):
        found = _decoded(values, pattern, plain)
        if found is not None:
            for detector in (addresses, person_names, phones):
                for finding in detector(found):
                    yield _disguised(finding, how)
    if values.has_digits and values.share(values.matching(OTHER_MARKS)) >= _MOST:
        digits = Values.of(values.distinct.str.replace_all(r"[^\d+]", ""))
        for finding in phones(digits):
            yield _disguised(finding, "with other marks between digits")
    yield from _run_together(values)
    if values.phrases:
        backwards = Values.of(values.distinct.str.reverse())
        for finding in person_names(backwards):
            if finding.sure and finding.share >= _FULL_NAMES:
                yield _disguised(finding, "written backwards")


def _run_together(values: Values) -> Iterable[Finding]:
    """Find full names that stand together: ``anna.smith7`` and ``AnnaSmith``."""
    first = values.distinct.head(_GLANCE).to_list()
    for form, between, how in (
        (_USER_NAME, _MARKS, "in user names"),
        (_CAMEL_CASE, _NEXT_WORD, "without a blank"),
    ):
        if sum(map(bool, map(form.fullmatch, first))) < _MOST * len(first):
            continue
        parted = [between.sub(" ", text).strip() for text in values.distinct.to_list()]
        for finding in person_names(Values.of(pl.Series(values.name, parted))):
            if finding.sure:
                yield _disguised(finding, how)


def _disguised(finding: Finding, how: str) -> Finding:
    reason = f"{percent(finding.share)} of its values are {finding.content} {how}"
    return Finding(finding.content, finding.share, reason, finding.sure)


def _decoded(values: Values, pattern: str, plain: Callable[[str], bytes]) -> Values | None:
    """Return the texts behind the values, or None unless nearly all hold one."""
    matching = values.distinct.filter(values.matching(pattern)).to_list()
    if len(matching) < _MOST * len(values):
        return None
    texts = [text for text in (_text(plain, value) for value in matching) if text]
    if len(texts) < _MOST * len(values):
        return None
    return Values.of(pl.Series(values.name, texts, dtype=pl.String))


def _text(plain: Callable[[str], bytes], value: str) -> str | None:
    """Return the text that a value encodes, or None where it encodes none with letters."""
    try:
        text = plain(value).decode("utf-8")
    except (ValueError, binascii.Error):
        return None
    return text if text.isprintable() and any(map(str.isalpha, text)) else None


def _from_base64(value: str) -> bytes:
    padded = value.rstrip("=") + "=" * (-len(value.rstrip("=")) % 4)
    return base64.b64decode(padded, altchars=b"-_" if set("-_") & set(value) else None)
