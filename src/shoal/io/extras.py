"""Packages that only some formats need; without one, the error says how to install it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from shoal.errors import FileError

if TYPE_CHECKING:
    from types import ModuleType


def extra_module(name: str, extra: str, where: str) -> ModuleType:
    """Return a module of an optional package.

    Parameters
    ----------
    name
        The module.
    extra
        The extra of Shoal that installs it.
    where
        The file or database that needs it.

    Raises
    ------
    FileError
        If it is not installed.
    """
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise FileError(
            f"{where} needs the package {package}, which is not installed.",
            remedy=f"Install it with: pip install 'shoal[{extra}]'",
        ) from error
