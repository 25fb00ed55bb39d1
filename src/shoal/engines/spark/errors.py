"""Errors of Spark, without the cells that its own messages quote."""

from __future__ import annotations

import re
import warnings
from contextlib import contextmanager, suppress
from importlib.metadata import version
from typing import TYPE_CHECKING

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from shoal.errors import (
    FileError,
    HierarchyError,
    InfeasibleError,
    InputError,
    ParameterError,
    SchemaError,
    ShoalError,
    ValueReadError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# How a Python worker reports an error that Shoal raised on purpose.
_RAISED = re.compile(r"shoal\.errors\.(\w+): ([^\n]+)")
_CONDITION = re.compile(r"\[([A-Z][A-Z0-9_.]+)\]")
_KINDS = {
    one.__name__: one
    for one in (
        FileError,
        HierarchyError,
        InfeasibleError,
        ParameterError,
        SchemaError,
        ValueReadError,
    )
}
_CHANGED = "the unit does not hold the records that were counted"


@contextmanager
def spark_errors_as_shoal_errors() -> Iterator[None]:
    """Raise what went wrong on Spark as an error of Shoal."""
    try:
        with warnings.catch_warnings():
            # It concerns conversions through pandas; everything here goes through Arrow.
            warnings.filterwarnings("ignore", "PySpark does not yet fully support", FutureWarning)
            yield
    except (PySparkException, Py4JError) as error:
        raise _plain(str(error)) from None


def let_go(free: Callable[[], object]) -> None:
    """Free what Spark holds; a session that has died holds nothing, and hides no other error.

    After Ctrl-C or SIGTERM the answers of Spark may belong to questions that were given up, so that
    errors here are ignored.
    """
    with suppress(Exception):
        free()


def lacks_package(found: str) -> InputError:
    """Return the error for executors without this version of Shoal."""
    held = f"have Shoal {found}" if found else "lack the package shoal"
    return InputError(
        f"Executors {held}, and the driver has {version('shoal')}.",
        remedy=f"Install shoal[spark]=={version('shoal')} for the Python of every worker, and name "
        f"that Python with PYSPARK_PYTHON.",
    )


def _plain(message: str) -> ShoalError:
    if "No module named 'shoal" in message:
        return lacks_package("")
    raised = _RAISED.findall(message)
    if raised:
        kind, what = raised[-1]
        return _KINDS.get(kind, InputError)(what.strip())
    if _CHANGED in message:
        return FileError(
            "The source returned other records when it was read again.",
            remedy="Store the frame first, and anonymize what was stored.",
        )
    if "FAILED_READ_FILE" in message:
        return FileError(
            "A file cannot be read: a record has more or fewer fields than the header, the "
            "header differs from that of other files, or the file is damaged.",
            remedy="Correct it; the log of the driver names the file, and may quote cells.",
        )
    condition = _CONDITION.search(message)
    reason = f" ({condition[1]})" if condition else ""
    return FileError(
        f"Spark failed{reason}.",
        remedy="See the log of the driver, which may quote cells.",
    )
