"""From what a user says about a table to its schema, checked against the table at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

import polars as pl

from shoal.errors import SchemaError, ValueReadError, did_you_mean, option
from shoal.hierarchies import Hierarchy, Recipe, is_recipe, read_hierarchy
from shoal.table.cells import texts
from shoal.table.column_hints import KIND_WORDS, read_hints
from shoal.table.column_roles import suggest_roles
from shoal.table.cooccurrence import CooccurrenceContext
from shoal.table.date_formats import require_date_format
from shoal.table.hierarchy_building import make_hierarchy
from shoal.table.kind_detection import detect, is_readable, numeric_reading
from shoal.table.leaf_values import match_spelling, values_of
from shoal.table.open_values import as_open_numbers
from shoal.table.schema import (
    Attribute,
    HierarchyLoss,
    Kind,
    MissingPolicy,
    Reading,
    Role,
    Schema,
    SetLoss,
)
from shoal.table.sensitive_values import distinct_categories, sensitive_order, sensitive_tree
from shoal.table.ungeneralizable import refuse_type
from shoal.table.value_range import ValueRange, present_numbers, with_value_range

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class _Options:
    """What the user says about single quasi-identifiers."""

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
        """Return how the hierarchy of a column is to be made, if that is what the user says."""
        given = self.hierarchy.get(column)
        if isinstance(given, Recipe):
            return given
        return Recipe.parse(given) if isinstance(given, str) and is_recipe(given) else None

    def named(self) -> Iterable[tuple[str, str]]:
        """Yield each option with each column it speaks about."""
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


def declare(
    frame: pl.DataFrame,
    *,
    quasi: Sequence[str],
    sensitive: Sequence[str] = (),
    identifier: Sequence[str] = (),
    other: Sequence[str] = (),
    rest: Literal["other", "drop"] | None = None,
    kind: Mapping[str, str] | None = None,
    hierarchy: Mapping[str, Hierarchy | Recipe | str | Path] | None = None,
    round_to: Mapping[str, float] | None = None,
    min_level: Mapping[str, int] | None = None,
    max_level: Mapping[str, int] | None = None,
    weight: Mapping[str, float] | None = None,
    value_range: Mapping[str, ValueRange] | None = None,
    order: Mapping[str, Sequence[str]] | None = None,
    date_format: Mapping[str, str] | None = None,
    suppress_only: Sequence[str] = (),
    set_loss: str = "share",
    hierarchy_loss: str = "leaves",
    missing: str = "value",
    person: str | None = None,
    personal_k: Sequence[str] = (),
    top: Mapping[str, float] | None = None,
    bottom: Mapping[str, float] | None = None,
) -> Schema:
    """Return the schema of a table, checked against its columns and values.

    Parameters
    ----------
    frame
        The table; it is read, not changed.
    quasi, sensitive, identifier, other
        The columns of each role.
    rest
        What becomes of all other columns: ``other`` releases them unchanged, ``drop`` leaves them
        out, ``None`` refuses them.
    kind
        Kinds that differ from what the values suggest: ``numeric``, ``categorical``,
        ``hierarchical``, ``suppress-only``; ``date``, ``datetime`` and ``ordered`` are numeric
        kinds read so.
    hierarchy
        Trees, files that hold them, or for quasi-identifiers recipes such as ``auto`` and
        ``ranges:5,10,20``; they make a quasi-identifier hierarchical, and tell privacy models how
        near the values of a sensitive column are.
    round_to
        Multiples to which the ends of a numeric column's intervals are rounded outward.
    min_level, max_level
        Lowest and highest levels of hierarchies that a release may show.
    weight
        Shares of the loss, 1 where not given.
    value_range
        Permissible lowest and highest values, as a pair or as ``low:high``, dates as dates.
    order
        Categories of ordered columns, quasi-identifying or sensitive, lowest first.
    date_format
        ``strptime`` formats of date columns that are not written as ISO 8601.
    suppress_only
        Columns whose values are kept or suppressed, never merged.
    set_loss
        What a set of categories loses, a :class:`SetLoss`.
    hierarchy_loss
        What a node of a hierarchy loses, a :class:`HierarchyLoss`.
    missing
        ``value`` or ``drop``.
    person
        The column that tells persons apart, when a person may have several records; it is an
        identifier.
    personal_k
        Columns that hold the k of each record, and rules ``COLUMN=VALUE:K``. A column of ks that
        has no role is not part of the release, whatever ``rest`` says.
    top, bottom
        Numbers at and beyond which the values of a column are shown as one.

    Raises
    ------
    SchemaError
        If columns are unknown, undeclared or declared twice, or options do not fit them.
    ValueReadError
        If the values of a quasi-identifier cannot be read; rows are named by number.
    HierarchyError
        If a tree is malformed or lacks values of its column; they are named.
    """
    options = _Options(
        kind or {},
        hierarchy or {},
        round_to or {},
        min_level or {},
        max_level or {},
        weight or {},
        value_range or {},
        order or {},
        date_format or {},
        _listed(suppress_only),
        _set_loss(set_loss),
        top or {},
        bottom or {},
        _hierarchy_loss(hierarchy_loss),
    )
    for column, written in options.date_format.items():
        require_date_format(column, written)
    identifiers = _listed(identifier)
    if person is not None and person not in identifiers:
        identifiers.append(person)
    roles = {
        Role.QUASI: _listed(quasi),
        Role.SENSITIVE: _listed(sensitive),
        Role.IDENTIFIER: identifiers,
        Role.OTHER: _listed(other),
    }
    _check_known(frame, roles)
    _check_roles(roles, person)
    _check_options(frame, roles, options)
    rules = tuple(_listed(personal_k))
    roles[Role.OTHER] += _rest(frame.drop(rules, strict=False), roles, rest)
    columns = [frame[name] for name in roles[Role.QUASI]]
    # Sensitive columns are not among those: groups that follow them would tell about them.
    context = CooccurrenceContext(tuple(column for column in columns if is_readable(column.dtype)))
    return Schema(
        quasi=_attributes(columns, context, options),
        sensitive=tuple(roles[Role.SENSITIVE]),
        other=tuple(roles[Role.OTHER]),
        identifiers=tuple(identifiers),
        person=person,
        personal_k=rules,
        missing=_missing_policy(missing),
        sensitive_hierarchies={
            name: sensitive_tree(frame[name], options.hierarchy[name])
            for name in sensitive
            if name in options.hierarchy
        },
        sensitive_orders={
            name: sensitive_order(frame[name], options.order[name])
            for name in sensitive
            if name in options.order
        },
    )


def _listed(names: Sequence[str]) -> list[str]:
    """Return the names as a list; a single text is one name, not its letters."""
    return [names] if isinstance(names, str) else list(names)


def _check_known(frame: pl.DataFrame, roles: Mapping[Role, Sequence[str]]) -> None:
    unknown = [
        (name, role) for role, names in roles.items() for name in names if name not in frame.columns
    ]
    if unknown:
        raise SchemaError(
            "\n".join(
                f"There is no column {name!r}, which is declared {role}." for name, role in unknown
            ),
            remedy="\n".join(
                dict.fromkeys(did_you_mean(name, frame.columns) for name, _ in unknown)
            ),
        )


def _check_roles(roles: Mapping[Role, Sequence[str]], person: str | None) -> None:
    if not roles[Role.QUASI]:
        raise SchemaError(
            "There is no quasi-identifier: nothing would be protected.",
            remedy="Name the columns by which a person could be recognised with `quasi`.",
        )
    first: dict[str, Role] = {}
    for role, names in roles.items():
        for name in names:
            if name in first:
                twice = f"twice: {first[name]} and {role}" if first[name] != role else "twice"
                raise SchemaError(
                    f"Column {name!r} is declared {twice}.",
                    remedy=(
                        "The column of persons is an identifier: give it no other role."
                        if name == person
                        else "Give every column one role."
                    ),
                )
            first[name] = role


def _check_options(
    frame: pl.DataFrame, roles: Mapping[Role, Sequence[str]], options: _Options
) -> None:
    quasi = roles[Role.QUASI]
    for name, column in options.named():
        if column in quasi:
            continue
        if name in ("hierarchy", "order") and column in roles[Role.SENSITIVE]:
            continue
        if column not in frame.columns:
            raise SchemaError(
                f"`{name}` names {column!r}, but there is no such column.",
                remedy=did_you_mean(column, quasi),
            )
        raise SchemaError(
            f"`{name}` names {column!r}, which is not a quasi-identifier.",
            remedy="Name it with `quasi` too, or leave the option out.",
        )


def _rest(frame: pl.DataFrame, roles: Mapping[Role, Sequence[str]], rest: str | None) -> list[str]:
    declared = {name for names in roles.values() for name in names}
    undeclared = [name for name in frame.columns if name not in declared]
    if rest not in (None, "other", "drop"):
        raise SchemaError(
            f"{option('rest', rest)} is unknown.", remedy="Choose `rest='other'` or `rest='drop'`."
        )
    if rest is None and undeclared:
        suggested = suggest_roles(frame, undeclared)
        listed = ", ".join(f"{name!r} ({suggested[name]}?)" for name in undeclared)
        raise SchemaError(
            f"{len(undeclared)} column{'s have' if len(undeclared) > 1 else ' has'} no role: "
            f"{listed}.",
            remedy=(
                "Declare each with `quasi`, `sensitive`, `identifier` or `other` (the roles in "
                "brackets are guesses), or decide all with `rest='other'` or `rest='drop'`."
            ),
        )
    return undeclared if rest == "other" else []


def _missing_policy(word: str) -> MissingPolicy:
    try:
        return MissingPolicy(word)
    except ValueError as error:
        raise SchemaError(
            f"The policy for missing cells {word!r} is unknown.",
            remedy="Choose `missing='value'` or `missing='drop'`.",
        ) from error


def _set_loss(word: str) -> SetLoss:
    try:
        return SetLoss(word)
    except ValueError as error:
        raise SchemaError(
            f"The loss of sets {word!r} is unknown.",
            remedy=f"Choose `set_loss` from {', '.join(SetLoss)}.",
        ) from error


def _hierarchy_loss(word: str) -> HierarchyLoss:
    try:
        return HierarchyLoss(word)
    except ValueError as error:
        raise SchemaError(
            f"The loss of hierarchies {word!r} is unknown.",
            remedy=f"Choose `hierarchy_loss` from {', '.join(HierarchyLoss)}.",
        ) from error


def _attributes(
    columns: Sequence[pl.Series], context: CooccurrenceContext, options: _Options
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


def _attribute(series: pl.Series, context: CooccurrenceContext, options: _Options) -> Attribute:
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


def _kind(series: pl.Series, options: _Options) -> tuple[Kind, Reading]:
    """Return kind and reading: as declared, else as other options imply, else as detected."""
    name = series.name
    if options.recipe(name) is not None and name not in options.suppress_only:
        return Kind.HIERARCHICAL, Reading.TEXT  # other options tell how the tree is made
    implied = [
        word
        for word, given in (
            ("hierarchical", name in options.hierarchy),
            ("suppress-only", name in options.suppress_only),
            ("ordered", name in options.order),
        )
        if given
    ]
    word = options.kind.get(name, implied[0] if implied else None)
    if word is not None and word not in KIND_WORDS:
        raise SchemaError(
            f"Column {name!r}: the kind {word!r} is unknown.", remedy=did_you_mean(word, KIND_WORDS)
        )
    if word == "numeric" and implied == ["ordered"]:
        word = "ordered"
    contrary = [other for other in implied if other != word]
    if contrary:
        raise SchemaError(
            f"Column {name!r} is declared {word} and {contrary[0]} at once.",
            remedy="Keep one of the two.",
        )
    if word is not None:
        kind, reading = KIND_WORDS[word]
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


def _round_to(name: str, reading: Reading, options: _Options) -> Decimal | None:
    if name not in options.round_to:
        return None
    if reading is not Reading.NUMBER:
        raise SchemaError(
            f"Column {name!r} is not read as numbers, so its intervals cannot be rounded.",
            remedy="Leave it out of `round_to`.",
        )
    return Decimal(str(options.round_to[name]))


def _weight(name: str, options: _Options) -> float:
    weight = options.weight.get(name, 1.0)
    try:
        return float(weight)
    except (TypeError, ValueError) as error:
        raise SchemaError(
            f"Column {name!r}: the weight {weight!r} is not a number.",
            remedy="Give a positive number.",
        ) from error


def _tree(
    series: pl.Series, kind: Kind, context: CooccurrenceContext, options: _Options
) -> Hierarchy | None:
    if kind is not Kind.HIERARCHICAL:
        return None
    name = series.name
    recipe = options.recipe(name)
    if recipe is not None:
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
    tree = given if isinstance(given, Hierarchy) else read_hierarchy(given)
    tree = match_spelling(tree, series)
    tree.require(values_of(series), name)
    return tree


def _order(series: pl.Series, reading: Reading, options: _Options) -> tuple[str, ...]:
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
