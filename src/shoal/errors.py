"""Every error Shoal raises on purpose, in one tree.

An error says what is wrong, where, and what to do about it. It never carries raw cells of
identifier or sensitive columns: rows are named by number, columns by name.

Messages name options in backticks, as `rest`, and with a value as Python writes it, as
`rest='drop'` (:func:`option` writes either). The command line shows them as flags.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_LISTED = 20


class ShoalError(Exception):
    """Root of all errors that Shoal raises on purpose.

    Parameters
    ----------
    what
        What is wrong, and where, in one sentence.
    remedy
        What the user can do about it.
    """

    exit_code = 2

    def __init__(self, what: str, *, remedy: str = "") -> None:
        super().__init__(f"{what} {remedy}".strip())
        self.what = what
        self.remedy = remedy


class InputError(ShoalError, ValueError):
    """Bad input or usage; nothing was written (exit code 2)."""


class FileError(InputError):
    """A file is missing, unreadable, not a table, or cannot be written."""


class SchemaError(InputError):
    """Columns and their roles, kinds, weights or bounds do not fit the table."""


class ValueReadError(InputError):
    """Cells of a column cannot be read as its kind demands; rows are named by number."""


class HierarchyError(InputError):
    """A hierarchy is malformed, or does not fit the column; the values are named."""


class ParameterError(InputError):
    """Options, or parameters of an algorithm, are unknown, missing or out of range.

    Parameters
    ----------
    mistakes
        The single errors, when several options are wrong.
    """

    def __init__(
        self, what: str, *, remedy: str = "", mistakes: tuple[ParameterError, ...] = ()
    ) -> None:
        super().__init__(what, remedy=remedy)
        self.mistakes = mistakes


class ExposureError(InputError):
    """A column that would be released unchanged may give people away; nothing was written.

    Parameters
    ----------
    columns
        The columns.
    """

    def __init__(self, what: str, *, remedy: str = "", columns: tuple[str, ...] = ()) -> None:
        super().__init__(what, remedy=remedy)
        self.columns = columns


class InfeasibleError(ShoalError):
    """No release can meet the goal (exit code 1).

    Parameters
    ----------
    feasible
        The largest value of the goal that the table admits, when it is known.
    """

    exit_code = 1

    def __init__(self, what: str, *, remedy: str = "", feasible: float | None = None) -> None:
        super().__init__(what, remedy=remedy)
        self.feasible = feasible


class VerificationError(ShoalError):
    """The verifier rejected a release; nothing was written (exit code 1)."""

    exit_code = 1


class Cancelled(ShoalError):  # noqa: N818 (requested by the user; not a fault)
    """The run was interrupted by its user (exit code 130)."""

    exit_code = 130


def option(name: str, value: object = None) -> str:
    """Return how messages name an option, alone or with a value.

    >>> option("kind", {"zip": "categorical"})
    "`kind={'zip': 'categorical'}`"
    """
    return f"`{name}`" if value is None else f"`{name}={value!r}`"


def raise_together(mistakes: Sequence[ParameterError], noun: str = "options") -> None:
    """Raise one error for all mistakes, if there are any."""
    if len(mistakes) == 1:
        raise mistakes[0]
    if mistakes:
        listed = "\n".join(f"- {mistake}" for mistake in mistakes)
        what = f"{len(mistakes)} mistakes in the {noun}:\n{listed}"
        raise ParameterError(what, mistakes=tuple(mistakes))


def counted(number: int, noun: str, verb: str = "") -> str:
    """Return a number with its noun, and a verb in the singular or plural.

    >>> counted(1, "class"), counted(1200, "record", "is/are")
    ('1 class', '1,200 records are')
    """
    ending = "" if number == 1 else "es" if noun.endswith("s") else "s"
    one, _, many = verb.partition("/")
    return f"{number:,} {noun}{ending} {one if number == 1 else many}".rstrip()


def nearest(word: str, known: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """Return the known name that a mistyped word probably means, if one is near.

    A name that the word begins with comes first: ``quasi_identifiers`` means ``quasi``, although
    ``identifier`` shares more letters with it.
    """
    # Imported here: a run without mistakes does not need it.
    from difflib import get_close_matches

    names = {_folded(name): name for name in known}
    begins = [name for name in names if len(name) > 2 and _folded(word).startswith(name)]
    close = [*sorted(begins, key=len)[-1:], *get_close_matches(_folded(word), names, 1, cutoff)]
    return names[close[0]] if close else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the remedy for an unknown name: the nearest known one, or a list of them."""
    names = list(known)
    near = nearest(word, names)
    if near is not None:
        return f"Did you mean {near!r}?"
    if not names:
        return "There is none."
    listed = ", ".join(map(repr, names[:_LISTED]))
    return f"Choose one of {listed}" + (
        f" and {len(names) - _LISTED} more." if len(names) > _LISTED else "."
    )


def _folded(name: str) -> str:
    return name.strip().lower().replace("-", "_")
