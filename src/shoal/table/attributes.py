"""From what a user declares about quasi-identifiers, and from their cells, to attributes."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING

import polars as pl

from shoal.errors import SchemaError, ValueReadError, did_you_mean, option
from shoal.hierarchies import Recipe, is_recipe
from shoal.table.cells import present_numbers, texts
from shoal.table.column_hints import KIND_NAMES, read_hints
from shoal.table.kind_detection import detect, is_readable, numeric_reading
from shoal.table.leaf_values import match_spelling, values_of
from shoal.table.open_values import as_open_numbers
from shoal.table.schema import Attribute, HierarchyLoss, Kind, Reading, SetLoss
from shoal.table.sensitive_values import distinct_categories
from shoal.table.ungeneralizable import refuse_type
from shoal.table.value_range import ValueRange, with_value_range

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from shoal.hierarchies import Hierarchy
    from shoal.table.cooccurrence import CooccurrenceContext


@dataclass(frozen=True, slots=True)
class AttributeOptions:
    """What the user declares about single quasi-identifiers."""

    kind: Mapping[str, str] = field(default_factory=dict)
    hierarchy: Mapping[str, Hierarchy | Recipe | str | Path] = field(default_factory=dict)
    round_to: Mapping[str, float] = field(default_factory=dict)
    min_level: Mapping[str, int] = field(default_factory=dict)
    max_level: Mapping[str, int] = field(default_factory=dict)
    weight: Mapping[str, float] = field(default_factory=dict)
    value_range: Mapping[str, ValueRange] = field(default_factory=dict)
    order: Mapping[str, Sequence[str]] = field(default_factory=dict)
    date_format: Mapping[str, str] = field(default_factory=dict)
    suppress_only: Sequence[str] = ()
    set_loss: SetLoss = SetLoss.SHARE
    top: Mapping[str, float] = field(default_factory=dict)
    bottom: Mapping[str, float] = field(default_factory=dict)
    hierarchy_loss: HierarchyLoss = HierarchyLoss.LEAVES

    def recipe(self, column: str) -> Recipe | None:
        """Return the recipe for the hierarchy of a column, if the user gave one."""
        given = self.hierarchy.get(column)
        if isinstance(given, Recipe):
            return given
        return Recipe.parse(given) if isinstance(given, str) and is_recipe(given) else None

    def named(self) -> Iterable[tuple[str, str]]:
        """Yield each option with each column it names."""
        for name in (
            "kind",
            "hierarchy",
            "round_to",
            "min_level",
            "max_level",
            "weight",
            "value_range",
            "order",
            "date_format",
            "top",
            "bottom",
        ):
            for column in getattr(self, name):
                yield name, column
        for column in self.suppress_only:
            yield "suppress_only", column


def read_attributes(
    columns: Sequence[pl.Series], context: CooccurrenceContext, options: AttributeOptions
) -> tuple[Attribute, ...]:
    """Return the attributes of all columns, or raise about all that cannot be read at once."""
    attributes: list[Attribute] = []
    faults: list[ValueReadError] = []
    for column in columns:
        try:
            attributes.append(_attribute(column, context, options))
        except ValueReadError as fault:
            faults.append(fault)
    if faults:
        raise ValueReadError(
            "\n".join(fault.what for fault in faults),
            remedy="\n".join(fault.remedy for fault in faults),
        )
    return tuple(attributes)


def _attribute(
    series: pl.Series, context: CooccurrenceContext, options: AttributeOptions
) -> Attribute:
    name = series.name
    if not is_readable(series.dtype):
        raise refuse_type(name, series.dtype)
    kind, reading = _kind(series, options)
    if reading in (Reading.DATE, Reading.DATETIME) and series.dtype.is_numeric():
        raise SchemaError(
            f"Column {name!r} holds numbers, not dates.",
            remedy="Turn it into dates first, or read it as numeric.",
        )
    tree = _tree(series, kind, context, options)
    made = options.recipe(name) is not None
    attribute = Attribute(
        name=name,
        kind=kind,
        reading=reading,
        weight=_weight(name, options),
        round_to=_round_to(name, reading, options),
        min_level=options.min_level.get(name, 0),
        max_level=options.max_level.get(name),
        hierarchy=tree,
        order=_order(series, reading, options),
        date_format=None if made else options.date_format.get(name),
        set_loss=options.set_loss,
        top=_code(options.top.get(name)),
        bottom=_code(options.bottom.get(name)),
        hierarchy_loss=options.hierarchy_loss,
    )
    if attribute.date_format is not None and reading not in (Reading.DATE, Reading.DATETIME):
        raise SchemaError(
            f"Column {name!r} has a date format, but is not read as dates.",
            remedy=f"Add {option('kind', {name: 'date'})}.",
        )
    if name not in options.value_range:
        if kind is Kind.NUMERIC:
            # Cells that cannot be read are found now, not after the work.
            present_numbers(series, attribute)
        return attribute
    return with_value_range(series, attribute, options.value_range[name])


def _kind(series: pl.Series, options: AttributeOptions) -> tuple[Kind, Reading]:
    """Return kind and reading: as declared, else as other options imply, else as detected."""
    name = series.name
    if options.recipe(name) is not None and name not in options.suppress_only:
        return Kind.HIERARCHICAL, Reading.TEXT  # other options tell how the tree is made
    implied = [
        kind_name
        for kind_name, given in (
            ("hierarchical", name in options.hierarchy),
            ("suppress-only", name in options.suppress_only),
            ("ordered", name in options.order),
        )
        if given
    ]
    kind_name = options.kind.get(name, implied[0] if implied else None)
    if kind_name is not None and kind_name not in KIND_NAMES:
        raise SchemaError(
            f"Column {name!r}: the kind {kind_name!r} is unknown.",
            remedy=did_you_mean(kind_name, KIND_NAMES),
        )
    if kind_name == "numeric" and implied == ["ordered"]:
        kind_name = "ordered"
    contrary = [other for other in implied if other != kind_name]
    if contrary:
        raise SchemaError(
            f"Column {name!r} is declared {kind_name} and {contrary[0]} at once.",
            remedy="Keep one of them.",
        )
    if kind_name is not None:
        kind, reading = KIND_NAMES[kind_name]
        if reading is None:
            reading = Reading.DATE if name in options.date_format else numeric_reading(series)
        return kind, reading
    if name in options.date_format:
        has_time = any(part in options.date_format[name] for part in ("%H", "%I", "%T", "%s"))
        return Kind.NUMERIC, Reading.DATETIME if has_time else Reading.DATE
    if name in options.top or name in options.bottom:
        found = detect(series)
        readable = (
            found.reading is Reading.NUMBER or as_open_numbers(texts(series)).is_not_null().any()
        )
        return (Kind.NUMERIC, Reading.NUMBER) if readable else (found.kind, found.reading)
    # A mixed column is taken as what most of it is; reading it then names the rows that differ.
    found = detect(series)
    return found.kind, found.reading


def _code(limit: float | None) -> Decimal | None:
    return None if limit is None else Decimal(str(limit)).normalize()


def _round_to(name: str, reading: Reading, options: AttributeOptions) -> Decimal | None:
    if name not in options.round_to:
        return None
    if reading is not Reading.NUMBER:
        raise SchemaError(
            f"Column {name!r} is not read as numbers, so its intervals cannot be rounded.",
            remedy="Leave it out of `round_to`.",
        )
    return Decimal(str(options.round_to[name]))


def _weight(name: str, options: AttributeOptions) -> float:
    weight = options.weight.get(name, 1.0)
    try:
        return float(weight)
    except (TypeError, ValueError) as error:
        raise SchemaError(
            f"Column {name!r}: the weight {weight!r} is not a number.",
            remedy="Give a positive number.",
        ) from error


def _tree(
    series: pl.Series, kind: Kind, context: CooccurrenceContext, options: AttributeOptions
) -> Hierarchy | None:
    if kind is not Kind.HIERARCHICAL:
        return None
    name = series.name
    recipe = options.recipe(name)
    if recipe is not None:
        # Imported here, as below: many tables have no hierarchy.
        from shoal.table.hierarchy_building import make_hierarchy

        hints = read_hints(
            series,
            kind=options.kind.get(name),
            order=options.order.get(name, ()),
            date_format=options.date_format.get(name),
        )
        return make_hierarchy(series, recipe, context, hints)
    given = options.hierarchy.get(name)
    if given is None:
        raise SchemaError(
            f"Column {name!r} is hierarchical, but has no hierarchy.",
            remedy=f"Give its file with {option('hierarchy', {name: 'FILE'})}, or build one with "
            f"{option('hierarchy', {name: 'auto'})}.",
        )
    assert not isinstance(given, Recipe)
    from shoal.hierarchies import Hierarchy, read_hierarchy

    tree = given if isinstance(given, Hierarchy) else read_hierarchy(given)
    tree = match_spelling(tree, series)
    tree.require(values_of(series), name)
    return tree


def _order(series: pl.Series, reading: Reading, options: AttributeOptions) -> tuple[str, ...]:
    name = series.name
    if reading is not Reading.RANK:
        return ()
    if name in options.order:
        return distinct_categories(name, options.order[name])
    if isinstance(series.dtype, pl.Enum):
        return tuple(series.dtype.categories.to_list())
    raise SchemaError(
        f"Column {name!r} is ordered, but its order is not known.",
        remedy="Give its categories, lowest first, or a frame with ordered categories.",
    )
