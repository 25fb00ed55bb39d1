"""What each column of a table is: its role, its kind, and how its cells are read."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from shoal.errors import SchemaError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from decimal import Decimal

    from shoal.hierarchies import Hierarchy


class Role(StrEnum):
    """What a column is to an adversary."""

    IDENTIFIER = "identifier"
    QUASI = "quasi"
    SENSITIVE = "sensitive"
    OTHER = "other"


class Kind(StrEnum):
    """How the values of a quasi-identifier are generalized."""

    NUMERIC = "numeric"
    CATEGORICAL = "categorical"
    HIERARCHICAL = "hierarchical"
    SUPPRESS_ONLY = "suppress-only"


class Reading(StrEnum):
    """How the cells of a column become numbers; everything but NUMBER needs a numeric kind."""

    TEXT = "text"
    NUMBER = "number"
    DATE = "date"
    DATETIME = "datetime"
    RANK = "rank"


class MissingPolicy(StrEnum):
    """What a missing cell of a quasi-identifier means, everywhere in a run."""

    VALUE = "value"
    DROP = "drop"


class SetLoss(StrEnum):
    """What a set of c of the A values of a categorical attribute loses.

    ``share``: (c - 1) / (A - 1). ``paper``: (c - 1) / A, as the MILP paper has it. ``binary``: each
    value is an attribute of its own with values 0 and 1 and weight 1 / A, so c / A, or 0 if c = 1.
    """

    SHARE = "share"
    PAPER = "paper"
    BINARY = "binary"


class HierarchyLoss(StrEnum):
    """What a node of a hierarchy loses.

    ``leaves``: (leaves below it - 1) / (all leaves - 1). ``levels``: level i of h loses i / h, as
    the sequential paper has it beside the other; the leaves are level 0.
    """

    LEAVES = "leaves"
    LEVELS = "levels"


@dataclass(frozen=True, slots=True)
class Attribute:
    """One quasi-identifier.

    Parameters
    ----------
    name
        The column.
    kind
        How its values are generalized.
    reading
        How its cells are read; ``Reading.TEXT`` for every kind but numeric.
    weight
        Its share of the loss, before all weights are scaled to sum to 1.
    value_range
        Permissible lowest and highest value (numbers, days or seconds since 1970-01-01, ranks);
        ``None`` takes what the table holds.
    hierarchy
        The tree of a hierarchical attribute.
    order
        The categories of an ordered attribute, lowest first (``Reading.RANK``).
    date_format
        ``strptime`` format of a date column, or several between bars, tried in this order;
        ``None`` is ISO 8601.
    set_loss
        What a set of values of a categorical attribute loses.
    hierarchy_loss
        What a node of the hierarchy loses.
    round_to
        Ends of intervals are rounded outward to multiples of this number.
    min_level, max_level
        Lowest and highest level of the hierarchy that a release may show; level 0 is the leaves,
        ``None`` the root.
    top, bottom
        Numbers at or above ``top`` are shown as ``90+``, those at or below ``bottom`` as ``<=18``.
    """

    name: str
    kind: Kind
    reading: Reading = Reading.TEXT
    weight: float = 1.0
    value_range: tuple[float, float] | None = None
    hierarchy: Hierarchy | None = field(default=None, repr=False)
    order: tuple[str, ...] = ()
    date_format: str | None = None
    set_loss: SetLoss = SetLoss.SHARE
    hierarchy_loss: HierarchyLoss = HierarchyLoss.LEAVES
    round_to: Decimal | None = None
    min_level: int = 0
    max_level: int | None = None
    top: Decimal | None = None
    bottom: Decimal | None = None

    def __post_init__(self) -> None:
        if (self.kind is Kind.NUMERIC) == (self.reading is Reading.TEXT):
            raise SchemaError(
                f"Column {self.name!r}: kind {self.kind} cannot be read as {self.reading}."
            )
        if (self.kind is Kind.HIERARCHICAL) != (self.hierarchy is not None):
            raise SchemaError(
                f"Column {self.name!r}: kind {self.kind} and its hierarchy do not agree.",
                remedy="Give the tree with `hierarchy`, or choose another kind.",
            )
        self._check_levels()
        coded = self.top is not None or self.bottom is not None
        if coded and self.reading is not Reading.NUMBER:
            raise SchemaError(
                f"Column {self.name!r} is not read as numbers: it has no top and no bottom code.",
                remedy="Leave it out of `top` and `bottom`.",
            )
        if self.top is not None and self.bottom is not None and self.top <= self.bottom:
            raise SchemaError(
                f"Column {self.name!r}: its top code is not above its bottom code.",
                remedy="Name the higher number with `top`, the lower one with `bottom`.",
            )
        if not 0 < self.weight < float("inf"):
            raise SchemaError(
                f"Column {self.name!r}: weight {self.weight} is not a positive number.",
                remedy="Leave a column that must not count out of the quasi-identifiers instead.",
            )
        if self.value_range is not None:
            if self.kind is not Kind.NUMERIC:
                raise SchemaError(
                    f"Column {self.name!r}: only numeric columns have a value range.",
                    remedy="Leave its `value_range` out.",
                )
            low, high = self.value_range
            if not float("-inf") < low <= high < float("inf"):
                raise SchemaError(
                    f"Column {self.name!r}: value range {low}:{high} is not a finite interval.",
                    remedy="Write the lowest value first, as in 0:100.",
                )

    def _check_levels(self) -> None:
        if self.min_level == 0 and self.max_level is None:
            return
        if self.hierarchy is None:
            raise SchemaError(
                f"Column {self.name!r} has no hierarchy, so its levels cannot be limited.",
                remedy="Give one with `hierarchy`, or leave `min_level` and `max_level` out.",
            )
        height = self.hierarchy.height
        highest = height if self.max_level is None else self.max_level
        if not 0 <= self.min_level <= highest <= height:
            raise SchemaError(
                f"Column {self.name!r}: levels {self.min_level} to {highest} are not in its "
                f"hierarchy, which has levels 0 to {height}.",
                remedy="Choose 0 ≤ `min_level` ≤ `max_level` ≤ the level of the root.",
            )

    @property
    def levels(self) -> tuple[int, int] | None:
        """Lowest and highest level that a release may show; ``None`` without a hierarchy."""
        if self.hierarchy is None:
            return None
        height = self.hierarchy.height
        return self.min_level, height if self.max_level is None else self.max_level


@dataclass(frozen=True, slots=True)
class Schema:
    """The roles of all columns of a table, and how its quasi-identifiers are read.

    Columns that stand nowhere here are not part of the release.

    Parameters
    ----------
    personal_k
        Columns that hold the k of each record, and rules ``COLUMN=VALUE:K``.
    sensitive_hierarchies, sensitive_orders
        Trees and orders (lowest first) of the values of sensitive columns, where privacy models
        are to know how far apart values are.
    """

    quasi: tuple[Attribute, ...]
    sensitive: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    person: str | None = None
    personal_k: tuple[str, ...] = ()
    missing: MissingPolicy = MissingPolicy.VALUE
    sensitive_hierarchies: Mapping[str, Hierarchy] = field(
        default_factory=dict, repr=False, hash=False
    )
    sensitive_orders: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict, repr=False, hash=False
    )

    def __post_init__(self) -> None:
        if not self.quasi:
            raise SchemaError(
                "There is no quasi-identifier: nothing would be protected.",
                remedy="Name the columns by which a person could be recognized with `quasi`.",
            )
        seen: dict[str, Role] = {}
        for role, name in self._declared():
            if name in seen:
                raise SchemaError(
                    f"Column {name!r} is declared twice: {seen[name]} and {role}.",
                    remedy="Give every column one role.",
                )
            seen[name] = role

    def _declared(self) -> Iterable[tuple[Role, str]]:
        yield from ((Role.IDENTIFIER, name) for name in self.identifiers)
        yield from ((Role.QUASI, attribute.name) for attribute in self.quasi)
        yield from ((Role.SENSITIVE, name) for name in self.sensitive)
        yield from ((Role.OTHER, name) for name in self.other)

    @property
    def quasi_names(self) -> tuple[str, ...]:
        """Names of the quasi-identifiers, in order."""
        return tuple(attribute.name for attribute in self.quasi)

    @property
    def untouched(self) -> tuple[str, ...]:
        """Columns that the release carries unchanged."""
        return self.sensitive + self.other

    @property
    def weights(self) -> tuple[float, ...]:
        """Weights of the quasi-identifiers, scaled to sum to 1."""
        total = sum(attribute.weight for attribute in self.quasi)
        return tuple(attribute.weight / total for attribute in self.quasi)
