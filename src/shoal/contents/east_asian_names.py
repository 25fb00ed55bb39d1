"""Names of people in Chinese, Japanese and Korean: a family name of a short list stands first."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.contents.finding import Content, Finding, percent
from shoal.contents.word_lists import read_sections

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shoal.contents.values import Values

SCRIPTS = r"[\p{Han}\p{Hangul}\p{Hiragana}\p{Katakana}]"
_EXAMINED = 600
_LEAST_VALUES = 4
_HAN = r"[\u3005\u4e00-\u9fff]"
# Cities, districts and provinces may begin like names.
_PLACES = (
    "市",
    "县",
    "縣",
    "区",
    "區",
    "省",
    "镇",
    "鎮",
    "県",
    "府",
    "都",
    "町",
    "村",
    "郡",
    "駅",
    "州",
)
_BLANK = re.compile(r"[\s\u00b7\u30fb]+")


@dataclass(frozen=True, slots=True)
class _Writing:
    """How people of a country write their names.

    Parameters
    ----------
    family
        Section of the list of family names.
    name
        Pattern of a whole name without blanks; compiled when a column is in one of the scripts.
    share
        From which share of values that begin with a listed family name a column holds names: where
        few family names are enough for most people, words of other columns begin like them, too.
    """

    family: str
    name: str
    share: float


_WRITINGS = (
    _Writing("korean", r"[\uac00-\ud7a3]{2,4}", 0.8),
    _Writing("chinese", rf"{_HAN}{{2,4}}", 0.7),
    _Writing("japanese", rf"{_HAN}{{2,3}}[\u3005\u3040-\u30ff\u4e00-\u9fff]{{1,4}}", 0.3),
)


def east_asian_names(values: Values) -> Iterable[Finding]:
    """Find full names that begin with a known family name."""
    if values.numeric or len(values) < _LEAST_VALUES:
        return
    written = values.matching(SCRIPTS)
    if values.share(written) < 0.7:
        return
    texts = values.distinct.filter(written).head(_EXAMINED).to_list()
    plain = [_BLANK.sub("", unicodedata.normalize("NFC", text)) for text in texts]
    for writing in _WRITINGS:
        known = read_sections("east_asian_family_names")[writing.family]
        names = [text for text in plain if re.fullmatch(writing.name, text)]
        begun = [
            text
            for text in names
            if text.startswith(known) and text not in known and not text.endswith(_PLACES)
        ]
        share = len(begun) / max(len(plain), 1)
        if share >= writing.share:
            reason = f"{percent(share)} of its values begin with a known family name"
            yield Finding(Content.PERSON_NAME, share, reason, sure=True)
            return
