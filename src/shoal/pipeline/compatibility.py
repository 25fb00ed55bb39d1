"""Whether an algorithm can do what a job requires, and what its user should know before it runs."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from shoal.algorithms import Form, Guarantee, make_algorithm
from shoal.algorithms.problem import require_k
from shoal.errors import ParameterError, option, raise_together
from shoal.hierarchies import is_recipe
from shoal.measures import find_measure
from shoal.models import parse_models, split_models
from shoal.options import Job
from shoal.table import Kind
from shoal.table.cells import distinct_cells
from shoal.table.kind_detection import is_readable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import polars as pl

    from shoal.algorithms import Algorithm
    from shoal.encoding import Domain, EncodedTable

# The module of auto imports the algorithms that it runs; its name is enough here.
AUTO = "auto"
# Of more categories than this, sets that a measure finds small may still mean nothing to a reader.
MANY_CATEGORIES = 100
# Of a target with more values, classifiers take too long to compare releases.
MOST_TARGET_VALUES = 20
_BEYOND_AUTO = frozenset(Guarantee) - {Guarantee.CLASSES, Guarantee.FREEFORM}


def choose(job: Job) -> tuple[Job, Algorithm]:
    """Return the algorithm of a job, and the job as that understands it.

    ``auto`` publishes the requested form.

    Raises
    ------
    ParameterError
        If options are wrong, alone or together; all of them are named.
    """
    raise_together(find_mistakes(job))
    return _chosen(job)


def _chosen(job: Job) -> tuple[Job, Algorithm]:
    if job.algorithm != AUTO:
        return job, make_algorithm(job.algorithm, job.param)
    form_given = {} if job.form is None else {"form": job.form}
    chosen = make_algorithm(AUTO, {**form_given, **job.param})
    form = job.form or job.param.get("form")
    return job.model_copy(update={"form": form}), chosen


def find_mistakes(job: Job) -> list[ParameterError]:
    """Return what is wrong with the options of a job; its table is not needed for that."""
    unknown = [
        *_refusals(lambda: make_algorithm(job.algorithm, job.param)),
        *_form_beyond_auto(job),
        *_refusals(lambda: find_measure(job.measure)),
        *_refusals(lambda: parse_models(split_models(job.models)[0], job.sensitive)),
    ]
    if unknown:
        return [*_refusals(lambda: require_k(job.k)), *unknown]
    whole = split_models(job.models)[1]
    # The whole release may be protected by its models alone.
    small = [] if whole else list(_refusals(lambda: require_k(job.k)))
    understood, chosen = _chosen(job)
    mistakes = [*small, *_obstacles(understood, chosen)]
    if whole:
        # Imported here: such conditions are rare.
        from shoal.pipeline.whole_release import unmet_conditions

        mistakes += unmet_conditions(understood, whole, chosen)
    return mistakes


def _form_beyond_auto(job: Job) -> Iterator[ParameterError]:
    """Yield the mistake of a form that guarantees less than `auto` does."""
    if job.algorithm == AUTO and job.form in _BEYOND_AUTO:
        yield ParameterError(
            f"auto publishes classes, hierarchy, full-domain or freeform, not {job.form}.",
            remedy=f"Choose {option('algorithm', 'k-concealment')} with "
            f"{option('param', {'model': job.form})}, or another `form`.",
        )


def make_release_job(options: Mapping[str, Any]) -> Job:
    """Return the job that options describe, or raise about all of them that are wrong."""
    try:
        return Job(**options)
    except ParameterError as error:
        raise_together([*(error.mistakes or (error,)), *further_mistakes(options)])
        raise


def further_mistakes(options: Mapping[str, Any]) -> list[ParameterError]:
    """Return what is wrong with options beside those that are wrong by themselves."""
    filled: dict[str, Any] = {"k": 2, "quasi": ("",)}
    for name, value in options.items():
        try:
            Job(**{**filled, name: value})
        except ParameterError:
            continue
        filled[name] = value
    return find_mistakes(Job(**filled))


def _refusals(check: Callable[[], object]) -> Iterator[ParameterError]:
    """Yield the mistakes that a check raises."""
    try:
        check()
    except ParameterError as error:
        yield from error.mistakes or (error,)


def wants_contest(job: Job) -> bool:
    """Return whether several releases are to be tried, and the best for the target is kept.

    So it is with `auto` unless the job names a measure.
    """
    return (
        job.target is not None and job.algorithm == AUTO and "measure" not in job.model_fields_set
    )


def obstacle_to_contest(job: Job, source: pl.DataFrame) -> str | None:
    """Return why releases cannot be compared by how well they predict the target."""
    classes = job.form in {None, "classes", "hierarchy"}
    of_target = source[job.target] if job.target in source.columns else None
    many = of_target is not None and (
        not is_readable(of_target.dtype) or of_target.n_unique() > MOST_TARGET_VALUES
    )
    obstacles = {
        "a lower bound exists for gcp alone": job.bound_seconds is not None,
        f"this is done for releases in classes, not for {job.form}": not classes,
        f"this is not done with {option('set_loss', 'binary')}": job.set_loss == "binary",
        "this is not done under conditions on the whole release": split_models(job.models)[1],
        f"it has more than {MOST_TARGET_VALUES} values": many,
        "scikit-learn is not installed (pip install 'shoal[utility]')": not find_spec("sklearn"),
    }
    return next((why for why, applies in obstacles.items() if applies), None)


def _obstacles(job: Job, chosen: Algorithm) -> Iterator[ParameterError]:
    """Yield why an algorithm cannot do what a job requires."""
    freeform = chosen.traits.form == Form.FREEFORM
    if job.form is not None and freeform == (job.guarantee == Guarantee.CLASSES):
        shape = Form.FREEFORM if freeform else Guarantee.CLASSES
        yield from _refusals(lambda: with_guarantee(job, shape))
    needed = {"full-domain": Form.FULL_DOMAIN, "hierarchy": Form.CLASSES}
    if chosen.traits.form is not needed.get(job.form or "", chosen.traits.form):
        yield ParameterError(
            f"{job.algorithm} publishes {chosen.traits.form}, not {job.form}.",
            remedy="Leave the form out, or the algorithm: auto publishes any form.",
        )
    if job.person is not None and freeform:
        yield ParameterError(
            f"{job.algorithm} forms no classes, so k counts records and cannot count persons.",
            remedy="Choose an algorithm that forms classes; `shoal algorithms` lists them.",
        )
    if job.personal_k:
        yield from _refusals(lambda: _require_personal_k_defined(job))
    yield from _obstacles_of_measure(job, chosen)
    if job.keep_marginals:
        yield from _obstacles_of_marginals(job, chosen)
    if (job.min_level or job.max_level) and chosen.traits.form not in {
        Form.CLASSES,
        Form.FULL_DOMAIN,
    }:
        yield ParameterError(
            f"{job.algorithm} publishes {chosen.traits.form}, in which levels cannot be limited.",
            remedy="Leave `min_level` and `max_level` out, or choose another algorithm.",
        )
    if job.set_loss == "binary" and chosen.traits.form is not Form.CLASSES:
        yield ParameterError(
            f"{job.algorithm} cannot take categories as binary columns: only algorithms that "
            f"publish classes can.",
            remedy="Leave `set_loss` out, or choose share or paper.",
        )
    personal = bool(job.personal_k) and not chosen.traits.keeps_personal_k
    if personal or ((job.models or job.person) and not chosen.traits.models):
        others = "k persons in each class" if job.person else "a personal k"
        model = job.models[0] if job.models else others
        yield ParameterError(
            f"{job.algorithm} cannot keep {model}: {chosen.traits.without_models}.",
            remedy="Choose another algorithm; `shoal algorithms` lists them.",
        )


def _obstacles_of_measure(job: Job, chosen: Algorithm) -> Iterator[ParameterError]:
    """Yield why an algorithm cannot minimize the measure of a job."""
    able = chosen.traits.measures
    if find_measure(job.measure).higher_is_better:
        yield ParameterError(
            f"{job.measure} is not a loss: more of it is better, and algorithms minimize.",
            remedy="Minimize pmi instead; every measure is reported anyway.",
        )
    elif job.measure.partition(":")[0] not in able:
        yield ParameterError(
            f"{job.algorithm} minimizes {' or '.join(able)}, not {job.measure}.",
            remedy="Leave `measure` out; every measure is reported anyway.",
        )
    if job.set_loss == "binary" and job.measure != "gcp":
        yield ParameterError(
            f"{job.measure} is a measure of attributes as they are, not of binary columns.",
            remedy="Leave `measure` or `set_loss` out.",
        )
    if job.bound_seconds is not None:
        from shoal.algorithms.lower_bound import require_boundable

        yield from _refusals(lambda: require_boundable(job.measure, chosen.traits))


def _obstacles_of_marginals(job: Job, chosen: Algorithm) -> Iterator[ParameterError]:
    """Yield what a choice among releases by loss and marginal tables is not defined with."""
    if job.target is not None:
        yield ParameterError(
            "`keep_marginals` and `target` each decide which of several releases is kept.",
            remedy="Leave one of the two out; `shoal utility` reports both.",
        )
    elif job.measure != "gcp" or "gcp" not in chosen.traits.measures:
        yield ParameterError(
            f"`keep_marginals` weighs distances of tables against gcp, which {job.algorithm} does "
            f"not minimize here.",
            remedy="Leave `measure` out, and choose an algorithm that minimizes gcp.",
        )
    if split_models(job.models)[1]:
        yield ParameterError(
            "`keep_marginals` cannot be combined with a model of the whole release.",
            remedy="Leave one of the two out.",
        )


def _require_personal_k_defined(job: Job) -> None:
    """Refuse what a personal k is not defined with."""
    if job.person is not None:
        raise ParameterError(
            "`personal_k` counts records, but with `person` people have several.",
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


def columns_without_levels(source: pl.DataFrame, job: Job, chosen: Algorithm) -> list[str]:
    """Return the columns that need a hierarchy, since one level is chosen for all their values.

    They get automatic ones, as part of the job: verifying or measuring the release by it reads the
    same groups. What the user declares for a column takes precedence.
    """
    if chosen.traits.form is not Form.FULL_DOMAIN:
        return []
    described = {*job.hierarchy, *job.suppress_only, *job.value_range}
    described |= {
        name for name, kind in job.kind.items() if kind in {"suppress-only", "hierarchical"}
    }
    return [
        name
        for name in job.quasi
        if name not in described and name in source.columns and _has_values(source[name])
    ]


def _has_values(series: pl.Series) -> bool:
    return is_readable(series.dtype) and len(distinct_cells(series).cells) > 0


def require_small_lattice(source: pl.DataFrame, job: Job, chosen: Algorithm) -> None:
    """Refuse a search of a whole lattice for a wide table, before hierarchies are made for it."""
    if not chosen.traits.whole_lattice:
        return
    # Imported here: few jobs search a lattice.
    from shoal.algorithms.lattice.task import require_searchable

    limited = {*job.min_level, *job.max_level}
    levels = (
        name not in limited and name in source.columns and _has_levels(source[name])
        for name in dict.fromkeys(job.quasi)
    )
    require_searchable(chosen.name, sum(levels))


def _has_levels(series: pl.Series) -> bool:
    return is_readable(series.dtype) and series.drop_nulls().n_unique() > 1


def columns_in_many_categories(domains: Iterable[Domain]) -> list[Domain]:
    """Return the columns whose cells become sets of some of very many categories."""
    return [
        domain
        for domain in domains
        if domain.attribute.kind is Kind.CATEGORICAL and domain.size > MANY_CATEGORIES
    ]


def _target_is_protected(job: Job) -> bool:
    """Return whether a model limits what a class tells about the target."""
    of_classes, _ = split_models(job.models)
    return job.target in (None, *job.sensitive) and any(
        text.partition("@")[2] in ("", job.target) for text in of_classes
    )


def advice_on_pmi(job: Job) -> str | None:
    """Return what pmi does to a target that no model protects."""
    if job.measure.partition(":")[0] != "pmi" or _target_is_protected(job):
        return None
    return (
        "pmi groups records with the same target value, so that a class reveals it. If it must "
        "stay secret, require a privacy model beyond k too (`models`)."
    )


def advice(job: Job, chosen: Algorithm, encoded: EncodedTable) -> Iterator[str]:
    """Yield what the user should know about the options of the job on this table."""
    if not chosen.traits.anytime and (job.time is not None or job.steps is not None):
        yield f"{chosen.name} runs once to completion; `time` and `steps` do not apply to it."
    for column in (a for a, tree in job.hierarchy.items() if is_recipe(tree)):
        tree = next(d.attribute.hierarchy for d in encoded.domains if d.attribute.name == column)
        assert tree is not None
        groups = " → ".join(str(len(set(tree.names(level)))) for level in range(tree.height + 1))
        yield (
            f"Column {column!r}: its hierarchy was built ({job.hierarchy[column]}); from values "
            f"to * it has {groups} groups."
        )
    if job.keep_order:
        yield "Rows keep the order of the source, which may itself reveal whose record is whose."
