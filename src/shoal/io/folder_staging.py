"""Folders that get their names whole, and what killed processes left of them."""

from __future__ import annotations

import os
import re
import secrets
import shutil
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from shoal.io.leftovers import HAS_LOCKS, hold

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def staged_folder(place: Path) -> Iterator[Path]:
    """Yield an empty folder beside a place, which is removed in the end.

    It is locked as long as this process lives, so that :func:`settle_folder` can distinguish
    it from one that a killed process left.
    """
    temporary = _beside(place, "partial")
    temporary.mkdir()
    held = hold(temporary)
    try:
        yield temporary
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        _release(held)


@contextmanager
def renamed_folder(made: Path, place: Path) -> Iterator[None]:
    """Give a folder its name, and take it back if the block fails.

    The folder that stood there is moved aside, and removed when the block is done.
    """
    previous = _beside(place, "previous") if place.is_dir() else None
    held = hold(place) if previous else None
    try:
        try:
            if previous:
                place.rename(previous)
            made.rename(place)
            yield
        except BaseException:
            if not made.exists():
                place.rename(made)
            if previous and previous.is_dir():
                previous.rename(place)
            raise
        if previous:
            shutil.rmtree(previous, ignore_errors=True)
    finally:
        _release(held)


def settle_folder(place: Path) -> None:
    """Remove what killed processes left beside a place.

    A folder that one had moved aside, and not yet replaced, gets its name back. A link under such a
    name is left alone: nothing that this module makes is one.
    """
    if not HAS_LOCKS:
        return
    import fcntl

    named = re.compile(re.escape(f".{place.name[:200]}.") + r"[0-9a-f]{16}\.(partial|previous)")
    with suppress(OSError):
        for left in [one for one in place.parent.iterdir() if named.fullmatch(one.name)]:
            with suppress(OSError):
                held = os.open(left, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
                try:
                    fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    if left.suffix == ".previous" and not os.path.lexists(place):
                        left.rename(place)
                    else:
                        shutil.rmtree(left)
                finally:
                    os.close(held)


def _beside(place: Path, state: str) -> Path:
    return place.with_name(f".{place.name[:200]}.{secrets.token_hex(8)}.{state}")


def _release(held: int | None) -> None:
    if held is not None:
        os.close(held)
