"""Whether an algorithm can do what a job asks, and what its user should know before it runs."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from shoal.algorithms import Form, Guarantee, make_algorithm
from shoal.errors import ParameterError, raise_together
from shoal.hierarchies import is_recipe
from shoal.measures import find_measure
from shoal.models import parse_models, split_models
from shoal.table import Kind
from shoal.table.cells import distinct_cells
from shoal.table.kind_detection import is_readable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    import polars as pl

    from shoal.algorithms import Algorithm
    from shoal.encoding import Domain, EncodedTable
    from shoal.options import Job

# The module of auto imports the algorithms that it runs; its name is enough here.
AUTO = "auto"
# Of more categories than this, sets that a measure finds small may still mean nothing to a reader.
MANY_CATEGORIES = 100
# Of a target with more values, classifiers take too long to compare releases.
MOST_TARGET_VALUES = 20


def choose(job: Job) -> tuple[Job, Algorithm]:
    """Return the algorithm of a job, and the job as that understands it.

    ``auto`` publishes the form that is asked for, and where analysts are to predict a target it
    minimises what they lose, unless the job names a measure.
    """
    _require_known(job)
    if job.algorithm != AUTO:
        return job, make_algorithm(job.algorithm, job.param)
    asked = {} if job.form is None else {"form": job.form}
    chosen = make_algorithm(AUTO, {**asked, **job.param})
    form = job.form or job.param.get("form")
    predicts = job.target is not None and "measure" not in job.model_fields_set
    measure = "pmi" if predicts and "pmi" in chosen.traits.measures else job.measure
    return job.model_copy(update={"form": form, "measure": measure}), chosen


def is_contest(job: Job, source: pl.DataFrame) -> bool:
    """Return whether several releases are tried, and the one that predicts the target best is kept.

    So it is with `auto` in classes, unless the job names a measure or wants a bound. Classifiers
    need scikit-learn, and a target of few values.
    """
    if job.algorithm != AUTO or job.target not in source.columns:
        return False
    if "measure" in job.model_fields_set or job.bound_seconds is not None:
        return False
    if job.form not in {None, "classes", "hierarchy"} or job.set_loss == "binary":
        return False
    series = source[job.target]
    few = is_readable(series.dtype) and series.n_unique() <= MOST_TARGET_VALUES
    return few and find_spec("sklearn") is not None


def _require_known(job: Job) -> None:
    """Raise what is wrong with the names of algorithm, measure and models, all of it at once."""
    mistakes: list[ParameterError] = []
    for check in (
        lambda: make_algorithm(job.algorithm, job.param),
        lambda: find_measure(job.measure),
        lambda: parse_models(split_models(job.models)[0], job.sensitive),
    ):
        try:
            check()
        except ParameterError as error:
            mistakes += error.mistakes or (error,)
    raise_together(mistakes)


def require_able(job: Job, chosen: Algorithm) -> None:
    """Refuse a job that its algorithm cannot do, with the reason, before any work is done."""
    find_measure(job.measure)
    freeform = chosen.traits.form == Form.FREEFORM
    if job.form is not None and freeform == (job.guarantee == Guarantee.CLASSES):
        with_guarantee(job, Form.FREEFORM if freeform else Guarantee.CLASSES)
    needed = {"full-domain": Form.FULL_DOMAIN, "hierarchy": Form.CLASSES}
    if chosen.traits.form is not needed.get(job.form or "", chosen.traits.form):
        raise ParameterError(
            f"{job.algorithm} publishes {chosen.traits.form}, not {job.form}.",
            remedy="Leave the form out, or the algorithm: auto publishes any form.",
        )
    if job.person is not None and freeform:
        raise ParameterError(
            f"{job.algorithm} counts records: that k counts persons is not defined where records "
            f"form no classes.",
            remedy="Choose an algorithm that forms classes; `shoal algorithms` lists them.",
        )
    if job.personal_k:
        _require_personal_k_defined(job, chosen)
    if find_measure(job.measure).higher_is_better:
        raise ParameterError(
            f"{job.measure} is no loss: more of it is better, and algorithms minimise.",
            remedy="Minimise pmi instead; every measure is reported anyway.",
        )
    able = chosen.traits.measures
    if job.measure.partition(":")[0] not in able:
        raise ParameterError(
            f"{job.algorithm} minimises {' or '.join(able)}, not {job.measure}.",
            remedy="Leave `measure` out; every measure is reported anyway.",
        )
    if job.bound_seconds is not None:
        from shoal.algorithms.lower_bound import require_boundable

        require_boundable(job.measure, chosen.traits)
    if (job.min_level or job.max_level) and chosen.traits.form not in {
        Form.CLASSES,
        Form.FULL_DOMAIN,
    }:
        raise ParameterError(
            f"{job.algorithm} publishes {chosen.traits.form}, in which levels cannot be limited.",
            remedy="Leave `min_level` and `max_level` out, or choose another algorithm.",
        )
    if job.set_loss == "binary" and chosen.traits.form is not Form.CLASSES:
        raise ParameterError(
            f"{job.algorithm} cannot take categories as binary columns: only algorithms that "
            f"publish classes can.",
            remedy="Leave `set_loss` out, or choose share or paper.",
        )
    if job.set_loss == "binary" and job.measure != "gcp":
        raise ParameterError(
            f"{job.measure} is a measure of attributes as they are, not of binary columns.",
            remedy="Leave `measure` or `set_loss` out.",
        )
    if (job.models or job.person or job.personal_k) and not chosen.traits.models:
        others = "k persons in each class" if job.person else "a personal k"
        asked = job.models[0] if job.models else others
        raise ParameterError(
            f"{job.algorithm} cannot keep {asked}: {chosen.traits.without_models}.",
            remedy="Choose another algorithm; `shoal algorithms` lists them.",
        )


def _require_personal_k_defined(job: Job, chosen: Algorithm) -> None:
    """Refuse what a personal k, a smallest size of classes, is not defined with."""
    if chosen.traits.form == Form.FREEFORM or job.guarantee != Guarantee.CLASSES:
        raise ParameterError(
            f"{job.algorithm} gives every record k counterparts; a personal k is defined for "
            f"classes alone.",
            remedy="Choose an algorithm that forms classes; `shoal algorithms` lists them.",
        )
    if job.person is not None:
        raise ParameterError(
            "`personal_k` counts records, and `person` says that people have several.",
            remedy="Leave one of the two out.",
        )


def with_guarantee(job: Job, guarantee: str) -> Job:
    """Return the job with what the release guarantees, where that is not classes."""
    if job.form is not None and job.guarantee != guarantee:
        raise ParameterError(
            f"{job.algorithm} publishes {guarantee}, not {job.form}.",
            remedy="Leave the form out: the algorithm decides it.",
        )
    return job if guarantee == Guarantee.CLASSES else job.model_copy(update={"form": guarantee})


def columns_without_levels(
    source: pl.DataFrame, job: Job, chosen: Algorithm, hierarchy: Collection[str] | None
) -> list[str]:
    """Return the columns that need a hierarchy, since one level is chosen for all their values.

    They get automatic ones, as part of the job: whoever verifies or measures the release by it
    reads the same groups. What the user declares for a column takes precedence.
    """
    if chosen.traits.form is not Form.FULL_DOMAIN:
        return []
    said = {*job.hierarchy, *(hierarchy or {}), *job.suppress_only, *job.value_range}
    said |= {name for name, kind in job.kind.items() if kind in {"suppress-only", "hierarchical"}}
    return [
        name
        for name in job.quasi
        if name not in said and name in source.columns and _has_values(source[name])
    ]


def _has_values(series: pl.Series) -> bool:
    return is_readable(series.dtype) and len(distinct_cells(series).cells) > 0


def columns_in_many_categories(domains: Iterable[Domain]) -> list[Domain]:
    """Return the columns whose cells become sets of some of very many categories."""
    return [
        domain
        for domain in domains
        if domain.attribute.kind is Kind.CATEGORICAL and domain.size > MANY_CATEGORIES
    ]


def advice(job: Job, chosen: Algorithm, encoded: EncodedTable) -> Iterator[str]:
    """Yield what the user should know about the options of the job on this table."""
    if not chosen.traits.anytime and (job.time is not None or job.steps is not None):
        yield f"{chosen.name} runs once and to its end; time and steps do not apply to it."
    if job.measure.partition(":")[0] == "pmi":
        yield (
            "pmi puts records together whose private value is the same, so that a class tells it. "
            "Where it must stay private, ask for a model beyond k (`models`), too."
        )
    for column in (a for a, tree in job.hierarchy.items() if is_recipe(tree)):
        tree = next(d.attribute.hierarchy for d in encoded.domains if d.attribute.name == column)
        assert tree is not None
        groups = " → ".join(str(len(set(tree.names(level)))) for level in range(tree.height + 1))
        yield (
            f"Column {column!r}: its hierarchy was made ({job.hierarchy[column]}); from values to "
            f"* it has {groups} groups."
        )
    if job.keep_order:
        yield "Rows keep the order of the source, which may itself tell whose record is whose."
