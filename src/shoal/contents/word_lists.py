"""Lists of words that come with Shoal, read when they are first needed.

They are text files in ``words/``: words between blanks, sections in brackets, comments after ``#``.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent / "words"


@cache
def read_words(name: str) -> frozenset[str]:
    """Return the words of a file without sections."""
    return frozenset(word for words in read_sections(name).values() for word in words)


@cache
def read_sections(name: str) -> dict[str, tuple[str, ...]]:
    """Return the words of each section of a file, in order."""
    sections: dict[str, list[str]] = {}
    current = sections.setdefault("", [])
    for line in (_FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            current = sections.setdefault(line.strip("[]"), [])
        elif not line.startswith("#"):
            current += line.split()
    return {section: tuple(words) for section, words in sections.items() if words}
