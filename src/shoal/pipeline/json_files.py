"""Reading of the JSON files that Shoal writes: facts and custody."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from shoal.errors import FileError


def read_object(path: str | Path, noun: str) -> dict[str, Any]:
    """Return the object in a JSON file.

    Parameters
    ----------
    noun
        What the file is: facts or custody.

    Raises
    ------
    FileError
        If the file cannot be read, or does not hold an object.
    """
    remedy = f"Name the file that `{noun}` wrote."
    try:
        value = json.loads(Path(path).read_bytes())
    except OSError as error:
        raise FileError(
            f"Cannot read the {noun} {path}: {error.strerror or error}.", remedy="Check the path."
        ) from error
    except (ValueError, RecursionError) as error:
        raise FileError(f"The {noun} {path} is not JSON.", remedy=remedy) from error
    if not isinstance(value, dict):
        raise FileError(f"The {noun} {path} is not a JSON object.", remedy=remedy)
    return value
