"""The cut tree: how a table is divided into cells, and where each record belongs.

A cut divides the records of a cell by one attribute: codes up to a threshold go to the side ``0``,
the others to the side ``1``. The path of a cell is the sequence of sides from the root, whose path
is the empty text.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut of a cell.

    Parameters
    ----------
    attribute
        Place of the attribute among the quasi-identifiers.
    code
        The last code of side ``0``.
    """

    attribute: int
    code: int


@dataclass(frozen=True)
class CutTree:
    """Cuts and cells of a table.

    Cells are numbered in the order of their paths. Two cells that are the two sides of one cut are
    neighbours: they form one unit of work, whose path is that of the cut. Any other cell is a unit
    by itself. Units are numbered in the order of their paths, too.

    Parameters
    ----------
    cuts
        The cut at each path that is divided.
    records
        Records of each cell, by path.
    """

    cuts: Mapping[str, Cut]
    records: Mapping[str, int]

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """Paths of the cells, in order."""
        return tuple(sorted(self.records))

    @cached_property
    def units(self) -> tuple[str, ...]:
        """Paths of the units of work, in order."""
        return tuple(sorted({self._unit(cell) for cell in self.cells}))

    @cached_property
    def unit_of_cell(self) -> NDArray[np.int32]:
        """For each cell the number of its unit."""
        place = {unit: number for number, unit in enumerate(self.units)}
        return np.array([place[self._unit(cell)] for cell in self.cells], dtype=np.int32)

    def cells_of_unit(self, unit: int) -> list[int]:
        """Return the numbers of the cells of a unit: one cell, or two neighbours."""
        return np.flatnonzero(self.unit_of_cell == unit).tolist()

    def records_of_unit(self, unit: int) -> int:
        """Return how many records a unit holds."""
        return sum(self.records[self.cells[cell]] for cell in self.cells_of_unit(unit))

    @property
    def n(self) -> int:
        """Records of the table."""
        return sum(self.records.values())

    def assign(self, codes: Sequence[NDArray[np.integer]]) -> NDArray[np.int32]:
        """Return for each record the number of its cell, given its codes of each attribute."""
        number = {path: place for place, path in enumerate(self.cells)}
        found = np.empty(len(codes[0]), dtype=np.int32)
        pending = [("", np.arange(len(found)))]
        while pending:
            path, members = pending.pop()
            cut = self.cuts.get(path)
            if cut is None:
                found[members] = number[path]
                continue
            first = codes[cut.attribute][members] <= cut.code
            pending += [(path + "0", members[first]), (path + "1", members[~first])]
        return found

    def sql(self, columns: Sequence[str], numbers: Mapping[str, int] | None = None) -> str:
        """Return an SQL expression of a record's cell, given the column of each code.

        It is the number of the cell, or what ``numbers`` has for its path.
        """
        number = numbers or {path: place for place, path in enumerate(self.cells)}

        def expression(path: str) -> str:
            cut = self.cuts.get(path)
            if cut is None:
                return str(number[path])
            first, second = expression(path + "0"), expression(path + "1")
            return (
                f"CASE WHEN {columns[cut.attribute]} <= {cut.code} THEN {first} ELSE {second} END"
            )

        return expression("")

    def joined(self, path: str) -> CutTree:
        """Return the tree in which everything below a path is one cell."""
        below = [cell for cell in self.records if cell.startswith(path)]
        records = {cell: count for cell, count in self.records.items() if cell not in below}
        records[path] = sum(self.records[cell] for cell in below)
        cuts = {at: cut for at, cut in self.cuts.items() if not at.startswith(path)}
        return CutTree(cuts, records)

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as plain dictionaries and numbers."""
        return {
            "cuts": {path: [cut.attribute, cut.code] for path, cut in sorted(self.cuts.items())},
            "records": {path: self.records[path] for path in self.cells},
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> CutTree:
        """Return the tree that :meth:`to_dict` wrote."""
        return cls({path: Cut(*cut) for path, cut in plain["cuts"].items()}, dict(plain["records"]))

    def _unit(self, cell: str) -> str:
        if not cell:
            return cell
        sibling = cell[:-1] + ("1" if cell[-1] == "0" else "0")
        return cell[:-1] if sibling in self.records else cell
