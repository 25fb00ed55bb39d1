"""What the verifier refuses to judge: numbers out of range, tables that do not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.errors import InputError, SchemaError
from shoal.table.guarantees import Guarantee

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from shoal.table.schema import Schema


def refuse_bad_form(
    form: str, schema: Schema, models: Sequence[str], aggregates: Mapping[str, str]
) -> None:
    """Refuse an unknown form, or one for which a requested check is not defined."""
    if form not in set(Guarantee):
        raise InputError(
            f"There is no form {form!r} of a release.",
            remedy=f"There are: {', '.join(Guarantee)}.",
        )
    if form == Guarantee.CLASSES:
        return
    if aggregates:
        raise InputError(
            f"A {form} release has no classes, and so no statistics of them.",
            remedy="Leave the aggregates out, or verify a release of classes.",
        )
    if models:
        raise InputError(
            f"{models[0]} is a condition on classes, and a {form} release has none.",
            remedy="Leave the model out, or verify a release of classes.",
        )
    if schema.personal_k and form == Guarantee.K_1:
        raise InputError(
            f"A personal k limits how many records an original hides among, for which {form} "
            "guarantees nothing.",
            remedy="Leave it out, or verify another form.",
        )
    if schema.person is not None:
        raise InputError(
            f"A {form} release counts records; counting persons is not defined for it.",
            remedy="Leave the person column out, or verify a release of classes.",
        )


def refuse_bad_input(
    original: pl.DataFrame,
    released: pl.DataFrame,
    schema: Schema,
    k: int,
    suppression: float,
    *,
    least: int,
) -> None:
    """Refuse bad arguments; k may be 1 where the release as a whole must meet a model."""
    if k < least:
        raise InputError(
            f"k is {k}, but hiding among fewer than 2 protects nobody.", remedy="Choose k >= 2."
        )
    if not 0 <= suppression <= 1:
        raise InputError(
            f"The suppression limit is {suppression}, not a share between 0 and 1.",
            remedy="Give 0.02 for two records in a hundred.",
        )
    if schema.personal_k and schema.person is not None:
        raise InputError(
            "A personal k counts records, but with a person column people have several.",
            remedy="Leave one of the two out.",
        )
    for frame, name in ((original, "original"), (released, "release")):
        if frame.is_empty():
            raise InputError(
                f"The {name} has no rows.", remedy="Give the two tables that belong together."
            )
    needed = [*schema.quasi_names, *schema.untouched]
    needed += [schema.person] if schema.person is not None else []
    absent = [name for name in needed if name not in original.columns]
    if absent:
        raise SchemaError(
            f"The original lacks the columns {', '.join(map(repr, absent))}.",
            remedy="Name the columns as its header does.",
        )
