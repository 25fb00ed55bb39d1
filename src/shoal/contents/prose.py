"""Written language: street addresses and free text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.contents.finding import Content, Finding, percent
from shoal.contents.values import DIGIT, LETTER

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shoal.contents.values import Values

_STREET_WORDS = (
    # Words of their own
    r"\b(?:street|road|avenue|ave|lane|drive|boulevard|blvd|crescent|terrace|highway|court|close"
    r"|rue|chemin|impasse|quai|allee|place|route|cours"
    r"|calle|avda|avenida|plaza|paseo|camino|carrera|carretera"
    r"|via|viale|piazza|corso|vicolo|largo|strada"
    r"|rua|travessa|praca|praça|alameda|estrada"
    r"|ulica|ulice|namesti|náměstí|trida|utca|sokak|sokağı|cadde|caddesi|mahallesi|strada|bulevardul"
    r"|улица|проспект|переулок|шоссе|бульвар)\b"
    # Abbreviations
    r"|\b(?:st|rd|ln|dr|bd|av|c/|ul|al|os|pl|str|ул|пр|пер)\."
    # Endings
    r"|(?:straße|strasse|str\.|gasse|allee|platz|damm|ufer|chaussee|weg|ring|straat|laan|plein|gracht"
    r"|kade|dijk|gatan|vägen|vej|gade|veien|gaten|katu|tie|kuja)\b"
)
_STREET = rf"(?i)(?:{_STREET_WORDS})"
_WORD = r"\p{L}{2,}"
_SENTENCE_END = r"[.!?…][\"'»)]*$"
_MANY_WORDS = 6
_LEAST_VALUES = 5
_LEAST_SHARE = 0.4
_SEVERAL_WORDS = 3
_LEAST_TEXTS = 10
_MOST_ARE_TEXTS = 0.3
_RARE = 2
_MANY_ARE_RARE = 0.3


def street_addresses(values: Values) -> Iterable[Finding]:
    """Find addresses: a word for a street in one of many languages, and a house number."""
    if len(values) < _LEAST_VALUES or values.numeric:
        return
    housed = values.matching(DIGIT)
    if values.share(housed) < _LEAST_SHARE or not values.matching(LETTER).any():
        return
    share = values.share(housed & values.matching(_STREET))
    if share >= _LEAST_SHARE:
        reason = f"{percent(share)} of its values are streets with a house number"
        yield Finding(Content.STREET_ADDRESS, share, reason)


def free_text(values: Values) -> Iterable[Finding]:
    """Find sentences: values of many words that hardly repeat, or end as sentences do.

    Labels of a code list can be as long, but they repeat and have no full stop. Shorter texts count
    if a good part of the cells holds one that hardly anybody else has.
    """
    if values.numeric or len(values) < _LEAST_VALUES or values.number < _LEAST_TEXTS:
        return
    words = values.distinct.str.count_matches(_WORD)
    long = (words >= _MANY_WORDS).to_numpy()
    written = int(long.sum())
    if written >= _LEAST_VALUES:
        once = float((values.counts[long] == 1).mean())
        ended = values.distinct.str.contains(_SENTENCE_END).to_numpy()
        sentences = float(ended[long].mean()) if written >= _LEAST_TEXTS else 0.0
        share = written / len(values)
        if max(once, sentences) >= 0.6 and (share >= 0.05 or written >= 20):
            reason = f"{percent(share)} of its values have {_MANY_WORDS} words or more"
            yield Finding(Content.FREE_TEXT, share, reason)
            return
    short = (words >= _SEVERAL_WORDS).to_numpy()
    share = float(short.mean())
    if short.sum() < _LEAST_TEXTS or share < _MOST_ARE_TEXTS:
        return
    counts = values.counts[short]
    rare = float(counts[counts <= _RARE].sum() / counts.sum())
    if rare >= _MANY_ARE_RARE:
        reason = (
            f"{percent(share)} of its values have {_SEVERAL_WORDS} words or more, and many of "
            "them occur in only one or two records"
        )
        yield Finding(Content.FREE_TEXT, share, reason, sure=False)
