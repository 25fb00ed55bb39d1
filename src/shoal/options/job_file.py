"""Job files: options in TOML."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike


def read_job(path: str | PathLike[str]) -> dict[str, Any]:
    """Return the options of a job file, unchecked, so that flags can override them.

    Raises
    ------
    FileError
        If the file cannot be read or is not TOML.
    """
    # Imported here: most runs read no job.
    import tomllib

    path = Path(path)
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise FileError(
            f"Cannot read the job {path}: {error.strerror or error}.", remedy="Check the path."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileError(
            f"The job {path} is not TOML: {error}.", remedy="Correct it there."
        ) from error


def job_text(options: Mapping[str, Any]) -> str:
    """Return options as TOML, as :func:`read_job` reads them."""
    # Imported here: most runs write no job.
    import tomli_w

    return tomli_w.dumps(options)
