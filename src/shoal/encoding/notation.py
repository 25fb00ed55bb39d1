"""The text notation of released cells: ``35``, ``[35..37]``, ``{F|M}``, node names, ``*``."""

from __future__ import annotations

import re

STAR = "*"
# Brackets without two dots are not an interval, but could be read as a list of the bounds notation.
_READS_AS_CLOSURE = re.compile(r"\*|\[.*\]|\{.*\}|\\.*", re.DOTALL)
_SPECIAL_IN_SET = re.compile(r"[|{}\\]")
_SPECIAL_IN_INTERVAL = re.compile(r"[\\.\[\]]")


def exact(text: str) -> str:
    """Return an exact value as it is, escaped if it would read as a closure."""
    return "\\" + text if _READS_AS_CLOSURE.fullmatch(text) else text


def node(name: str) -> str:
    """Return the name of a hierarchy's node, where only the root itself is ``*``.

    Names of groups often look like intervals or sets; in a tree they are only names.
    """
    return "\\" + name if name == STAR or name.startswith("\\") else name


def member(text: str) -> str:
    """Return a value as a member of a set."""
    return _SPECIAL_IN_SET.sub(r"\\\g<0>", text)


def interval(low: str, high: str) -> str:
    """Return the interval from one value to another."""
    return f"[{_endpoint(low)}..{_endpoint(high)}]"


def _endpoint(text: str) -> str:
    # A single point is part of many numbers; only what could be taken for the notation is escaped.
    if ".." in text or text.startswith(".") or text.endswith(".") or _bracketed(text):
        return _SPECIAL_IN_INTERVAL.sub(r"\\\g<0>", text)
    return text


def _bracketed(text: str) -> bool:
    return any(mark in text for mark in "[]\\")
