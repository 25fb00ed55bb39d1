"""From bytes to UTF-8: the encoding as the user names it, else as marks and bytes suggest."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from shoal.errors import FileError
from shoal.io.formats import Format, format_of_content, reject_non_table

UTF8_MARK = b"\xef\xbb\xbf"
_MARKS = (
    (UTF8_MARK, "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
# In the order in which one is preferred when several fit equally well.
_CANDIDATES = (
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1257", "mac_roman", "cp850",
    "shift_jis", "gb18030", "big5", "euc_kr",
)  # fmt: skip
_SAMPLE_BYTES = 1 << 16
_BEYOND_ASCII = re.compile(rb"[^\n]*[\x80-\xff][^\n]*\n?")
# Signs that stand beside letters in ordinary texts.
_PUNCTUATION = frozenset("–—‘’‚“”„†‡•…‰‹›«»·°ºª€§´¨\u00a0¿¡№")


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text in UTF-8 without a byte order mark, its lines ended by newlines.

    Parameters
    ----------
    data
        The text.
    guessed
        The encoding it was read in, where that is a guess.
    encoding
        The encoding it was read in.
    """

    data: bytes
    guessed: str | None = None
    encoding: str = "utf-8"


def as_utf8(data: bytes, where: str, encoding: str | None = None) -> Decoded:
    """Return a text in UTF-8.

    Parameters
    ----------
    data
        The bytes of a file.
    where
        What errors call it.
    encoding
        Its encoding; ``None`` takes a byte order mark at its word, else UTF-8, else guesses.

    Raises
    ------
    FileError
        If the encoding is unknown or does not fit, or the bytes are not text.
    """
    _require_known(encoding)
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    plain = marked in (None, "utf-8") and (encoding is None or _is_utf8(encoding))
    if marked is not None and (encoding is None or _is_utf8(encoding)):
        encoding = marked
    _refuse_binary(data, where, text_expected=plain)
    guessed = None
    if plain:
        data = data.removeprefix(UTF8_MARK)
    try:
        if not plain:
            assert encoding is not None
            data = data.decode(encoding).removeprefix("\ufeff").encode("utf-8")
        elif not _fits(data):
            if encoding is not None and marked is None:
                data.decode("utf-8")
            guessed = _guess(data)
            data = data.decode(guessed).encode("utf-8")
    except UnicodeDecodeError as error:
        raise _wrong_encoding(data, where, encoding or "utf-8", error) from error
    except UnicodeError as error:
        raise FileError(
            f"{where} is not {encoding} text.", remedy="Give its encoding with `encoding`."
        ) from error
    if b"\0" in data:
        raise _not_text(where)
    if b"\r" in data and b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    return Decoded(data, guessed, guessed or encoding or "utf-8")


def _require_known(encoding: str | None) -> None:
    try:
        "".encode(encoding or "utf-8")
    except (LookupError, UnicodeError) as error:  # the latter of the codec named undefined
        raise FileError(
            f"The encoding {encoding!r} is unknown.",
            remedy="Common ones are utf-8, latin-1, cp1252 and utf-16.",
        ) from error


def _is_utf8(encoding: str) -> bool:
    return encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig", "ascii")


def _fits(data: bytes) -> bool:
    if data.isascii():  # which is found sooner
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _guess(data: bytes) -> str:
    """Return the encoding in which the lines beyond ASCII look most like words."""
    sample = bytearray()
    for line in _BEYOND_ASCII.finditer(data):
        sample += line[0]
        if len(sample) >= _SAMPLE_BYTES:
            break
    best, least = "latin-1", float("inf")
    for name in _CANDIDATES:
        try:
            data.decode(name)
            strangeness = _strangeness(bytes(sample).decode(name))
        except UnicodeDecodeError:
            continue
        if strangeness < least:
            best, least = name, strangeness
    return best


def _strangeness(text: str) -> int:
    """Return how often a letter beyond ASCII stands where words do not have it."""
    strange = 0
    before = " "
    for letter in text:
        if letter.isascii():
            # A sign within a word is as strange before a letter as after one.
            strange += letter.isalpha() and _is_sign(before)
        elif letter.isalpha():
            strange += _is_sign(before)
            if before.isalpha():
                strange += letter.isupper() and before.islower()
                # Latin words have accents on single letters, not on several in a row.
                accents = not before.isascii() and _script(letter) == "LATIN"
                strange += accents or _script(letter) != _script(before)
        else:
            strange += before.isalpha() and _is_sign(letter)
            strange += unicodedata.category(letter) in ("Cc", "Co", "Cn")
        before = letter
    return strange


def _is_sign(letter: str) -> bool:
    return not (letter.isascii() or letter.isalpha() or letter in _PUNCTUATION)


@lru_cache(maxsize=4096)
def _script(letter: str) -> str:
    return unicodedata.name(letter, "UNKNOWN").split()[0]


def _refuse_binary(data: bytes, where: str, *, text_expected: bool) -> None:
    reject_non_table(data[:64], where)
    form = format_of_content(data)
    if form is not None and text_expected:
        suffix = ".parquet" if form is Format.PARQUET else ".arrow"
        raise FileError(
            f"{where} is not CSV: it is a file in the {form} format.",
            remedy=f"Rename it to end in {suffix}.",
        )
    if text_expected and b"\0" in data:
        raise _not_text(where)


def _not_text(where: str) -> FileError:
    return FileError(
        f"{where} is not a table: it holds NUL bytes, so it is binary or UTF-16 text.",
        remedy="Give CSV, Parquet or Arrow; for UTF-16 text add `encoding='utf-16'`.",
    )


def _wrong_encoding(data: bytes, where: str, encoding: str, error: UnicodeDecodeError) -> FileError:
    line = data.count(b"\n", 0, error.start) + 1
    byte = data[error.start]
    return FileError(
        f"{where} is not {encoding} text: byte 0x{byte:02x} in line {line} (byte "
        f"{error.start + 1} of the file) does not fit.",
        remedy="Give its encoding, most likely `encoding='cp1252'` or `encoding='latin-1'`."
        if encoding.lower().replace("-", "") == "utf8"
        else "Give the encoding it was written in; without `encoding` it is read as utf-8.",
    )
