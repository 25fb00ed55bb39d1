"""A disk without space: how it is recognized, and how pages explain it."""

from __future__ import annotations

import errno

NO_SPACE = (
    "There is no space left in the workspace; nothing was kept.",
    "Free some space, or start the server with --workspace on a larger disk.",
)
_NO_FOOTER = "Invalid thrift: transport error"
"""Message of polars if the end of a Parquet file cannot be written."""
_CODES = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)


def is_lack_of_space(error: BaseException) -> bool:
    """Return whether an error says that the disk is full, or a file larger than it may be."""
    if isinstance(error, OSError) and error.errno in _CODES:
        return True
    # Libraries that write files put the code into their message, or lose it.
    message = str(error)
    return _NO_FOOTER in message or any(f"os error {code}" in message for code in _CODES)
