"""The work folder of a run: private, locked while the run lives, and kept only to be resumed.

It holds original cells. It is beside the release, hidden and closed to other users, so that what is
finished can be renamed into place.
"""

from __future__ import annotations

import json
import os
import pickle
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from shoal.errors import FileError

if TYPE_CHECKING:
    from shoal.engines.solving import Plan

_PRIVATE = 0o700
_STATE, _PLAN, _LOCK = "state.json", "plan.pickle", "lock"


@dataclass(slots=True)
class WorkFolder:
    """A folder that one run works in."""

    path: Path
    _lock: int | None = None

    @classmethod
    def beside(cls, output: str | Path) -> WorkFolder:
        """Return the work folder that belongs to an output; it need not exist."""
        place = Path(os.path.realpath(output))
        return cls(place.parent / f".{place.name[:200]}.shoal-work")

    def begin(self) -> Self:
        """Make a new folder; what a dead run left behind is removed.

        Raises
        ------
        FileError
            If another run works in it, or it cannot be made.
        """
        if self.path.exists():
            self._hold()
            self.remove()
        try:
            self.path.mkdir(mode=_PRIVATE)
        except OSError as error:
            raise FileError(
                f"The work folder {self.path} cannot be created: {error.strerror}.",
                remedy="Check the folder of the release and its permissions.",
            ) from error
        self._hold()
        return self

    def resume(self, expected: dict[str, Any]) -> Self:
        """Take up what an earlier run left.

        Raises
        ------
        FileError
            If there is nothing to take up, or it belongs to another job, source or user.
        """
        if not (self.path / _STATE).is_file() or not (self.path / _PLAN).is_file():
            raise FileError(
                "There is nothing to resume: no earlier run for this output got far enough.",
                remedy="Run it without `resume`.",
            )
        owner = self.path.stat()
        strange = hasattr(os, "getuid") and owner.st_uid != os.getuid()
        if strange or stat.S_IMODE(owner.st_mode) & 0o077:
            raise FileError(
                f"{self.path} is not private to this user, so nothing in it is trusted.",
                remedy="Remove it and run without `resume`.",
            )
        self._hold()
        state = json.loads((self.path / _STATE).read_text())
        changed = [name for name in expected if state.get(name) != expected[name]]
        if changed:
            self.let_go()
            raise FileError(
                f"The interrupted run had another {' and '.join(changed)}.",
                remedy="Repeat the command with the same source and options, or run it without "
                "`resume`.",
            )
        return self

    def _hold(self) -> None:
        """Lock the folder for as long as this process lives."""
        try:
            import fcntl
        except ImportError:  # outside POSIX nothing shows whether a run is alive
            return
        held = os.open(self.path / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(held)
            raise FileError(
                f"Another run is using {self.path}.",
                remedy="Wait until it has finished, or write elsewhere.",
            ) from None
        self._lock = held

    def let_go(self) -> None:
        """Give up the lock, and leave the folder."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def remove(self) -> None:
        """Remove the folder and all that is in it."""
        self.let_go()
        shutil.rmtree(self.path, ignore_errors=True)
        if self.path.exists():
            raise FileError(
                f"The work folder {self.path} cannot be removed; it holds original cells.",
                remedy="Remove it by hand.",
            )

    @property
    def is_resumable(self) -> bool:
        """Whether a later run can go on from here: everything but the solving is done."""
        return (self.path / _PLAN).is_file()

    def part(self, *names: str) -> Path:
        """Return a folder within, which is made if it does not exist."""
        place = self.path.joinpath(*names)
        place.mkdir(mode=_PRIVATE, parents=True, exist_ok=True)
        return place

    def save_plan(self, plan: Plan, state: dict[str, Any]) -> None:
        """Save what a resumed run needs; the plan comes last, and marks it as complete."""
        (self.path / _STATE).write_text(json.dumps(state))
        partial = self.path / (_PLAN + ".partial")
        with os.fdopen(os.open(partial, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "wb") as to:
            pickle.dump(plan, to)
        partial.rename(self.path / _PLAN)

    def state(self) -> dict[str, Any]:
        """Return what was saved beside the plan."""
        return dict(json.loads((self.path / _STATE).read_text()))

    def plan(self) -> Plan:
        """Return the plan; call it only on a folder that is private to this user."""
        with (self.path / _PLAN).open("rb") as file:
            return pickle.load(file)  # type: ignore[no-any-return]  # noqa: S301
