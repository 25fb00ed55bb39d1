"""From what a user declares about a table to its schema, checked against the table at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from shoal.errors import SchemaError, did_you_mean, option
from shoal.table.attributes import AttributeOptions, read_attributes
from shoal.table.column_roles import suggest_roles
from shoal.table.cooccurrence import CooccurrenceContext
from shoal.table.date_formats import require_date_format
from shoal.table.kind_detection import is_readable
from shoal.table.schema import HierarchyLoss, MissingPolicy, Role, Schema, SetLoss
from shoal.table.sensitive_values import sensitive_order, sensitive_tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import polars as pl

    from shoal.hierarchies import Hierarchy, Recipe
    from shoal.table.value_range import ValueRange


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
        What happens to all other columns: ``other`` releases them unchanged, ``drop`` leaves them
        out, ``None`` refuses them.
    kind
        Kinds that differ from what the values suggest: ``numeric``, ``categorical``,
        ``hierarchical``, ``suppress-only``; ``date``, ``datetime`` and ``ordered`` are numeric
        kinds read so.
    hierarchy
        Trees, files that hold them, or for quasi-identifiers recipes such as ``auto`` and
        ``ranges:5,10,20``; they make a quasi-identifier hierarchical, and give privacy models the
        distances between the values of a sensitive column.
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
        The column that identifies persons, when a person may have several records; it is an
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
    options = AttributeOptions(
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
    _raise_together(
        [
            *_unknown_columns(frame, roles),
            *_doubtful_roles(roles, person),
            *_idle_options(frame, roles, options),
        ]
    )
    rules = tuple(_listed(personal_k))
    roles[Role.OTHER] += _rest(frame.drop(rules, strict=False), roles, rest)
    columns = [frame[name] for name in roles[Role.QUASI]]
    # Sensitive columns are not among those: groups that follow them would tell about them.
    context = CooccurrenceContext(tuple(column for column in columns if is_readable(column.dtype)))
    return Schema(
        quasi=read_attributes(columns, context, options),
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


def _raise_together(faults: Sequence[SchemaError]) -> None:
    """Raise one error for everything that is wrong with columns, if anything is."""
    if faults:
        raise SchemaError(
            "\n".join(fault.what for fault in faults),
            remedy="\n".join(dict.fromkeys(fault.remedy for fault in faults)),
        )


def _unknown_columns(
    frame: pl.DataFrame, roles: Mapping[Role, Sequence[str]]
) -> Iterator[SchemaError]:
    for role, names in roles.items():
        for name in names:
            if name not in frame.columns:
                yield SchemaError(
                    f"There is no column {name!r}, which is declared {role}.",
                    remedy=did_you_mean(name, frame.columns),
                )


def _doubtful_roles(
    roles: Mapping[Role, Sequence[str]], person: str | None
) -> Iterator[SchemaError]:
    if not roles[Role.QUASI]:
        yield SchemaError(
            "There is no quasi-identifier: nothing would be protected.",
            remedy="Name the columns by which a person could be recognized with `quasi`.",
        )
    first: dict[str, Role] = {}
    for role, names in roles.items():
        for name in names:
            if name in first:
                twice = f"twice: {first[name]} and {role}" if first[name] != role else "twice"
                yield SchemaError(
                    f"Column {name!r} is declared {twice}.",
                    remedy=(
                        "The column of persons is an identifier: give it no other role."
                        if name == person
                        else "Give every column one role."
                    ),
                )
            first.setdefault(name, role)


def _idle_options(
    frame: pl.DataFrame, roles: Mapping[Role, Sequence[str]], options: AttributeOptions
) -> Iterator[SchemaError]:
    quasi = roles[Role.QUASI]
    for name, column in options.named():
        if column in quasi:
            continue
        if name in ("hierarchy", "order") and column in roles[Role.SENSITIVE]:
            continue
        if column not in frame.columns:
            yield SchemaError(
                f"`{name}` names {column!r}, but there is no such column.",
                remedy=did_you_mean(column, quasi),
            )
        else:
            yield SchemaError(
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


def _missing_policy(text: str) -> MissingPolicy:
    try:
        return MissingPolicy(text)
    except ValueError as error:
        raise SchemaError(
            f"The policy for missing cells {text!r} is unknown.",
            remedy="Choose `missing='value'` or `missing='drop'`.",
        ) from error


def _set_loss(text: str) -> SetLoss:
    try:
        return SetLoss(text)
    except ValueError as error:
        raise SchemaError(
            f"The loss of sets {text!r} is unknown.",
            remedy=f"Choose `set_loss` from {', '.join(SetLoss)}.",
        ) from error


def _hierarchy_loss(text: str) -> HierarchyLoss:
    try:
        return HierarchyLoss(text)
    except ValueError as error:
        raise SchemaError(
            f"The loss of hierarchies {text!r} is unknown.",
            remedy=f"Choose `hierarchy_loss` from {', '.join(HierarchyLoss)}.",
        ) from error
