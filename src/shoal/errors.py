"""Every error Shoal raises on purpose, in one tree.

An error says what is wrong, where, and what to do about it. It never carries raw cells of
identifier or sensitive columns: rows are named by number, columns by name.
"""

from __future__ import annotations


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


class InputError(ShoalError):
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
    """A parameter of a run or of an algorithm is unknown or out of range."""


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
    """The verifier refused a release; nothing was written (exit code 1)."""

    exit_code = 1


class Cancelled(ShoalError):  # noqa: N818 (a user's wish, not a fault)
    """The run was interrupted by its user (exit code 130)."""

    exit_code = 130
