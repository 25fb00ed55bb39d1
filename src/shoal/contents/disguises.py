"""Names, e-mail addresses and telephone numbers that are written so as not to be seen at once.

Base64 and hexadecimal digits hide nothing, and neither does a text that is written backwards.
"""

from __future__ import annotations

import base64
import binascii
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
_MOST = 0.8
_FULL_NAMES = 0.5


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
    if values.phrases:
        backwards = Values.of(values.distinct.str.reverse())
        for finding in person_names(backwards):
            if finding.sure and finding.share >= _FULL_NAMES:
                yield _disguised(finding, "written backwards")


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
