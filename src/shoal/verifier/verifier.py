"""The verifier: whether a release keeps its guarantee."""

from __future__ import annotations

from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec

import numpy as np

from shoal.table.guarantees import Guarantee
from shoal.table.schema import MissingPolicy, Schema
from shoal.verifier.bad_input import refuse_bad_form, refuse_bad_input
from shoal.verifier.classes import (
    Classes,
    check_accounting,
    check_class_sizes,
    group_classes,
    starred_groups,
)
from shoal.verifier.coverage import Coverage, coverage_of
from shoal.verifier.levels import check_levels
from shoal.verifier.matching import Match, check_match, find_match
from shoal.verifier.released import (
    TEXT_NOTATION,
    columns_of,
    missing_flag,
    notation_of,
    read_column,
)
from shoal.verifier.verdict import Check, Question, Verdict, counted, name_rows
from shoal.verifier.witness import Tables

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from shoal.verifier.aggregates import AggregatedColumn
    from shoal.verifier.anonymity_set import AnonymitySet
    from shoal.verifier.grouping import Groups
    from shoal.verifier.models import Claim, ReleaseClaim
    from shoal.verifier.transport import Watch

_P = ParamSpec("_P")


def verify_and_match(  # noqa: PLR0915 (all checks meet here)
    original: pl.DataFrame,
    released: pl.DataFrame,
    schema: Schema,
    k: int,
    *,
    models: Sequence[str] = (),
    suppression: float = 0.0,
    witness: NDArray[np.int64] | None = None,
    form: str = Guarantee.CLASSES,
    matches: NDArray[np.int64] | None = None,
    notation: str = TEXT_NOTATION,
    aggregates: Mapping[str, str] | None = None,
    watch: Watch | None = None,
    population: pl.DataFrame | None = None,
    sampling_fraction: float | None = None,
) -> tuple[Verdict, NDArray[np.int64] | None]:
    """Decide whether a release is k-anonymous and true to its original.

    Nothing that made the release is trusted: cells are parsed again, classes are counted again, and
    every released record is matched with an original of its own that its cells cover and whose
    sensitive and other values it carries. With a row map that match is checked, in time linear in
    the rows; without one it is searched for as a maximum flow between folded rows, and what is
    found is then checked like a row map. A failed search names rows that provably cannot be
    matched.

    Parameters
    ----------
    original
        The source table; identifier columns may still be there.
    released
        The release; rows in any order.
    schema
        Roles and kinds of the columns, the policy for missing cells, and the person column if k
        counts persons.
    k
        The smallest class allowed.
    models
        Further privacy models that every class must meet, as ``NAME:VALUE[@column]``.
    suppression
        The largest share of records that may be withheld or starred.
    witness
        For each released row the position of its original.
    form
        What the release guarantees: ``classes`` of records that look the same; ``freeform``, k
        equally likely counterparts of each record though no two need look the same; or less than
        that, ``concealment``, ``(k,k)``, ``(k,1)``, ``(1,k)``.
    matches
        For a freeform release, for each released row the positions of the k originals that it is
        matched with; it needs a witness too.
    notation
        How cells are written: ``label`` and ``json`` must be named, ``text`` and ``min_max`` are
        told apart by their columns.
    aggregates
        Quasi-identifiers that show a statistic of each class, and which one: mean, median, mode or
        midpoint. They need a witness.
    watch
        Called with the current stage and the share of it that is done.
    population
        A table of all people of whom the original is a part, for models that need it.
    sampling_fraction
        The share of the population that the original is, for models that need it.

    Returns
    -------
    Verdict
        True when every check passed. A release that cannot be read fails; it raises nothing.
    row map
        One that was found and checked, of those that the tables allow. It is no part of the
        verdict, which may be handed out.

    Raises
    ------
    InputError
        If k or the suppression is out of range, a model cannot be read, a frame is empty, or the
        original itself does not fit the schema.
    """
    claims: list[Claim] = []
    whole: list[ReleaseClaim] = []
    if models:
        from shoal.verifier.models import split_claims

        claims, whole = split_claims(models, schema)
    aggregates = aggregates or {}
    if whole:
        from shoal.verifier.whole_release import require_given

        require_given(whole, population, sampling_fraction, aggregates)
    refuse_bad_input(original, released, schema, k, suppression, least=1 if whole else 2)
    refuse_bad_form(form, schema, models, aggregates)
    columns = _check_columns(released, schema, aggregates)
    beyond = [*claims, *whole, *(f"personal k by {rule}" for rule in schema.personal_k)]
    question = Question(k, schema.quasi_names, schema.sensitive, tuple(map(str, beyond)), str(form))
    if any(not check.passed for check in columns[:1]):
        return _unread(original, released, columns, question), None
    notation = notation_of(schema, released, notation)
    declared = {*schema.quasi_names, *schema.untouched, *schema.identifiers}
    statistics: dict[str, AggregatedColumn] = {}
    if aggregates:
        # Imported here, as below: few releases need it.
        from shoal.verifier.aggregates import check_aggregates, read_aggregate

        statistics = {
            one.name: read_aggregate(
                one, aggregates[one.name], original[one.name], released, declared
            )
            for one in schema.quasi
            if one.name in aggregates
        }
    read = [read_column(attribute, released, notation, declared) for attribute in schema.quasi]
    coverages = [
        statistics[one.name].coverage
        if one.name in statistics
        else coverage_of(one, original[one.name], column)
        for one, column in zip(schema.quasi, read, strict=True)
    ]
    tables = Tables(original, released, schema, coverages, _kept(coverages, schema))
    groups = group_classes(tables)
    starred = starred_groups(tables, groups)
    if form == Guarantee.CLASSES:
        match = (
            check_match(tables, witness) if witness is not None else find_match(tables, watch=watch)
        )
        trusted = witness if match.passed else None
        classes = Classes(groups, starred, _members(tables, groups, trusted, k))
        hiding = [_check_classes(tables, classes, k, exact=trusted is not None)]
        if schema.personal_k:
            from shoal.verifier.personal_k import check_personal_k

            hiding.append(check_personal_k(tables, classes, trusted, k))
        if claims:
            from shoal.verifier.models import check_models, examine

            hiding += check_models(examine(claims, tables, groups), classes)
        if statistics:
            hiding.append(check_aggregates(list(statistics.values()), groups, trusted))
        if whole:
            from shoal.verifier.whole_release import check_release

            hiding += check_release(
                whole, tables, groups, read, population=population, fraction=sampling_fraction
            )
        smallest, proof = classes.smallest, match.proof
        exact = schema.person is None or trusted is not None
    else:
        match, crowd = _counterparts(tables, k, form, witness, matches, watch)
        hiding, smallest, exact = list(crowd.checks), crowd.least, False
        proof = f"{match.proof}; {crowd.proof}" if crowd.proof else match.proof
    shown = int(groups.sizes[starred].sum())
    blank = starred[groups.of_row()]
    accounting = check_accounting(tables, shown, suppression)
    cells = [_check_cells(coverages, notation), *check_levels(schema.quasi, read, blank)]
    checks = [*columns, *cells, *hiding, accounting, *match.checks]
    verdict = Verdict(
        passed=all(check.passed for check in checks),
        checks=tuple(checks),
        n=len(original),
        released=len(released),
        classes=len(groups),
        smallest_class=smallest,
        starred=shown,
        withheld=max(0, len(original) - len(released)),
        proof=proof,
        question=question,
        set_aside=int(np.count_nonzero(~tables.kept)),
        exact=exact,
    )
    return verdict, match.witness


def _without_row_map(
    function: Callable[_P, tuple[Verdict, NDArray[np.int64] | None]],
) -> Callable[_P, Verdict]:
    @wraps(function)
    def verify(*args: _P.args, **kwargs: _P.kwargs) -> Verdict:
        return function(*args, **kwargs)[0]

    return verify


verify = _without_row_map(verify_and_match)
"""As :func:`verify_and_match`, without the row map."""


def _counterparts(  # noqa: PLR0917 (two ways to one answer)
    tables: Tables,
    k: int,
    guarantee: str,
    witness: NDArray[np.int64] | None,
    matches: NDArray[np.int64] | None,
    watch: Watch | None,
) -> tuple[Match, AnonymitySet]:
    """Return how records match originals, and among how many each hides.

    Originals that do not hide among k cannot be released ones, so that they are left out of the
    search for a match. What is found then holds for the very originals that the match uses.
    """
    # Loaded here because the solver is heavy, and releases of classes do not need it.
    from shoal.verifier.anonymity_set import AnonymitySet
    from shoal.verifier.covers import CoverGraph, count_counterparts, find_matchings
    from shoal.verifier.matches import check_matches

    freeform = guarantee == Guarantee.FREEFORM
    ks = np.full(len(tables.original), k, dtype=np.int64)
    if tables.schema.personal_k:
        from shoal.verifier.personal_k import own_ks

        ks = np.maximum(ks, own_ks(tables.original, tables.schema.personal_k))
    match = None if witness is None else check_match(tables, witness)
    if match is not None and (not match.passed or (freeform and matches is not None)):
        if not match.passed or matches is None or match.witness is None:
            return match, AnonymitySet((), 0, "")
        return match, check_matches(matches, match.witness, tables, ks)
    if not tables.kept.any() or len(tables.released) > np.count_nonzero(tables.kept):
        return match or find_match(tables), AnonymitySet((), 0, "")
    graph = CoverGraph(tables, ks, watch)
    counterparts = graph.counterparts(guarantee)
    if match is None:
        alone = graph.rows_of_originals(counterparts < graph.ks)
        match = find_match(tables, alone if len(alone) <= graph.withheld else (), watch=watch)
    if match.witness is None:
        return match, AnonymitySet((), 0, "")
    if freeform:
        return match, find_matchings(
            graph, match.witness, k, certain=witness is not None, watch=watch
        )
    return match, count_counterparts(graph, counterparts, match.witness, guarantee, k)


def _check_columns(
    released: pl.DataFrame, schema: Schema, aggregates: Collection[str]
) -> list[Check]:
    """Check that the release has every column it needs, and none that it must not have."""
    declared = {*schema.quasi_names, *schema.untouched, *schema.identifiers}
    held = {a.name: columns_of(a, released, declared) for a in schema.quasi}
    for attribute in schema.quasi:
        if attribute.name in aggregates and attribute.name in released.columns:
            held[attribute.name] += missing_flag(attribute, released, declared)
    absent = [name for name, columns in held.items() if not columns]
    absent += [name for name in schema.untouched if name not in released.columns]
    expected = {column for columns in held.values() for column in columns} | {*schema.untouched}
    hidden = {*schema.identifiers, schema.person}
    identifying = [name for name in released.columns if name in hidden]
    undeclared = [name for name in released.columns if name not in expected | hidden]
    faults = [
        f"{fault}: {', '.join(map(repr, names))}"
        for fault, names in (("identifiers", identifying), ("undeclared columns", undeclared))
        if names
    ]
    return [
        Check(
            "columns present",
            passed=not absent,
            detail=f"the release lacks {', '.join(map(repr, absent))}; nothing else was checked"
            if absent
            else counted(len(released.columns), "column"),
        ),
        Check(
            "identifiers absent",
            passed=not faults,
            detail=f"the release holds {'; '.join(faults)}"
            if faults
            else "the release holds declared columns only",
        ),
    ]


def _unread(
    original: pl.DataFrame, released: pl.DataFrame, checks: list[Check], question: Question
) -> Verdict:
    return Verdict(
        passed=False,
        checks=tuple(checks),
        n=len(original),
        released=len(released),
        classes=0,
        smallest_class=0,
        starred=0,
        withheld=max(0, len(original) - len(released)),
        proof="none: the columns do not fit the schema",
        question=question,
    )


def _kept(coverages: list[Coverage], schema: Schema) -> NDArray[np.bool_]:
    kept = np.ones(len(coverages[0].values), bool)
    if schema.missing is MissingPolicy.DROP:
        for coverage in coverages:
            kept &= coverage.values != coverage.missing
    return kept


def _check_cells(coverages: list[Coverage], notation: str) -> Check:
    faults = []
    for coverage in coverages:
        rows = coverage.unreadable_rows()
        if len(rows):
            reason = coverage.unreadable[int(coverage.cells[rows[0]])]
            faults.append(
                f"column {coverage.attribute.name!r}: release {name_rows(rows)} (first: {reason})"
            )
    detail = (
        f"cells that do not follow the {notation} notation: {'; '.join(faults)}"
        if faults
        else f"all cells follow the {notation} notation"
    )
    return Check("cells readable", passed=not faults, detail=detail)


def _members(
    tables: Tables, groups: Groups, witness: NDArray[np.int64] | None, k: int
) -> NDArray[np.int64]:
    """Return the size of each group in what k counts; of persons, as many as are certain."""
    if tables.schema.person is None:
        return groups.sizes
    from shoal.verifier.persons import fewest_persons, persons_by_witness

    if witness is None:
        return fewest_persons(tables, groups, k)
    return persons_by_witness(tables, groups, witness)


def _check_classes(tables: Tables, classes: Classes, k: int, *, exact: bool) -> Check:
    if tables.schema.person is None:
        return check_class_sizes(classes, k, "records")
    if exact:
        return check_class_sizes(classes, k, "persons")
    # The members are as many persons as are certain; a class of few records has no more persons.
    small = classes.groups.sizes < k
    unproved = (classes.members < k) & ~small
    if not unproved.any() and not small.any():
        return check_class_sizes(classes, k, "persons, whatever record came from whom")
    details = []
    if small.any():
        by_records = replace(classes, members=classes.groups.sizes)
        details.append(check_class_sizes(by_records, k, "records, and so fewer persons").detail)
    if unproved.any():
        details.append(
            f"that {'every other' if small.any() else 'every'} class holds at least {k} persons "
            f"cannot be shown from the two files alone; give the custody file "
            f"({unproved.sum():,} of {classes.count:,} classes could hold fewer, as few as "
            f"{classes.members[unproved].min():,}: release {name_rows(classes.rows(unproved))})"
        )
    return Check(f"classes of at least {k}", passed=False, detail="; ".join(details))
