"""Facts of a release, from what the release shows.

Figures are worked out after :func:`release_alone` has cut off the codes of the original and the
values of suppressed records, so that none can depend on them.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal import __version__
from shoal.algorithms import Partition, parameters_of
from shoal.encoding import SUPPRESSED
from shoal.encoding.as_shown import as_shown, in_levels
from shoal.encoding.domain import TreeDomain
from shoal.hierarchies import is_recipe
from shoal.measures import Released, TargetColumn, measures
from shoal.options.hierarchy_paths import published_hierarchies
from shoal.pipeline.detail import details
from shoal.pipeline.facts import Facts
from shoal.pipeline.figures import in_classes, measured
from shoal.table import HierarchyLoss

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from shoal.algorithms import Algorithm, Run, Solution
    from shoal.encoding import Domain
    from shoal.options import Job
    from shoal.verifier import Verdict


# The seed undoes the shuffling; tables and queries tell how the custodian keeps the original.
_SECRET_OPTIONS = ("seed", "table", "query")


def release_alone(exact: Released, made: Collection[str] = ()) -> Released:
    """Return a release as its readers can measure it, without the original.

    Parameters
    ----------
    made
        Columns whose hierarchies were made from their values: losses there are counted in levels.
    """
    shown = exact.recoding.unit != SUPPRESSED
    known = [
        in_levels(domain)
        if isinstance(domain, TreeDomain) and domain.attribute.name in made
        else domain
        for domain in exact.domains
    ]
    domains, recoding = as_shown(known, exact.recoding)
    target = exact.target
    if target is not None:
        values = np.where(shown, target.released, 0)
        target = TargetColumn(target.name, values, values)
    return Released(
        domains, exact.weights, (), recoding, exact.n, exact.k, target, exact.in_classes
    )


def facts_of(
    job: Job,
    *,
    chosen: Algorithm,
    solution: Solution,
    exact: Released,
    run: Run,
    verdict: Verdict,
    exposure: dict[str, Any],
    aggregated: Collection[str] = (),
) -> Facts:
    """Return what may be published about a release.

    Parameters
    ----------
    aggregated
        Columns that show a statistic of their class. The width of the interval behind it would
        tell values that it hides: with a mean of two, both of them.
    """
    made = [column for column, tree in job.hierarchy.items() if is_recipe(tree)]
    alone = release_alone(exact, made)
    public = measured(alone, job, of_release_alone=True)
    if aggregated:
        public = _without_closures(public, aggregated)
    shown = [domain.attribute.name for domain in exact.domains]
    suppressed = exact.recoding.suppressed
    starred = verdict.released - int(alone.sizes.sum())
    return Facts(
        shoal_version=__version__,
        date=datetime.now(UTC).date().isoformat(),
        n=exact.n,
        k=job.k,
        guarantee=job.guarantee,
        algorithm=chosen.name,
        parameters=parameters_of(chosen),
        measure=job.measure,
        # Classes that show the same statistics are one to the reader.
        classes=verdict.classes if aggregated else len(alone.recoding.sizes),
        suppressed=suppressed,
        starred=starred,
        withheld=verdict.withheld,
        stopped_early=run.control.stopping,
        verdict=published_verdict(verdict),
        measures=dict(public["measures"]),
        per_attribute=dict(public["per_attribute"]),
        detail=details(alone, [name for name in shown if name not in aggregated]),
        levels=_levels(solution, exact.domains, made if suppressed else ()),
        groupings=_groupings(solution, alone),
        exposure=exposure,
        notes=_notes(job, in_levels=_in_other_units(exact, made)),
        job=published_job(job),
    )


def _without_closures(
    public: Mapping[str, Mapping[str, float]], aggregated: Collection[str]
) -> dict[str, Mapping[str, float]]:
    """Return the figures that need none of the intervals and sets behind statistics."""
    losses = public["per_attribute"].items()
    return {
        "measures": {"los": public["measures"]["los"]},
        "per_attribute": {name: loss for name, loss in losses if name not in aggregated},
    }


def published_job(job: Job) -> dict[str, Any]:
    """Return the options of a job without its secrets."""
    options = {name: value for name, value in job.to_dict().items() if name not in _SECRET_OPTIONS}
    if "hierarchy" in options:
        options["hierarchy"] = published_hierarchies(job.hierarchy)
    if job.population is not None:
        options["population"] = Path(job.population).name
    for name in [name for name, kind in job.kind.items() if kind == "ordered"]:
        if job.columns.get(name) == "ordered":
            # The order is that of the column's type, which may list values of withheld records.
            del options["kind"][name]
            options.get("order", {}).pop(name, None)
    return {name: value for name, value in options.items() if value != {}}


def published_verdict(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict without its details: some of them compare classes with the original."""
    plain = verdict.to_dict()
    checks = [{"name": check["name"], "passed": check["passed"]} for check in plain["checks"]]
    return {**plain, "checks": checks}


def _in_other_units(exact: Released, made: Collection[str]) -> bool:
    """Return whether published losses are counted in levels, and the search's in leaves."""
    return any(
        isinstance(domain, TreeDomain)
        and domain.attribute.name in made
        and domain.attribute.hierarchy_loss is HierarchyLoss.LEAVES
        for domain in exact.domains
    )


def _levels(
    solution: Solution, domains: Sequence[Domain], made: Collection[str]
) -> dict[str, dict[str, int]]:
    """Return the level of each attribute, where a release has one for all records.

    How many levels a hierarchy has that was built from the column, including suppressed records,
    is not published.
    """
    if isinstance(solution, Partition):
        return {}
    # Imported here, as below: most solutions are partitions.
    from shoal.algorithms import Levels

    if not isinstance(solution, Levels):
        return {}
    names = [domain.attribute.name for domain in domains]
    return {
        name: {"level": ladder.bottom + int(level), "of": ladder.top}
        for name, level, ladder in zip(names, solution.node, solution.ladders, strict=True)
        if name not in made
    }


def _groupings(solution: Solution, alone: Released) -> dict[str, list[str]]:
    """Return the groups that a global recoding shows of each attribute, as its cells write them."""
    if isinstance(solution, Partition):
        return {}
    from shoal.algorithms import Cut

    if not isinstance(solution, Cut):
        return {}
    return {
        domain.attribute.name: domain.write(column.closures)
        for domain, column in zip(alone.domains, alone.recoding.columns, strict=True)
    }


def _notes(job: Job, *, in_levels: bool) -> list[str]:
    """Return what readers of the release should know."""
    notes = []
    if in_levels:
        notes.append(
            "Losses of columns whose hierarchy was made from their values are counted in levels; "
            "the number of values below a group would tell what the group hides."
        )
    if not in_classes(job):
        names = ", ".join(name for name, one in measures().items() if one.classes)
        notes.append(
            f"Left out: {names}, which are sums over classes; a {job.form} release has none."
        )
    if job.top or job.bottom:
        notes.append("Losses do not include what top and bottom coding removed before.")
    if job.aggregate or job.notation == "midpoint":
        notes.append(
            "Left out: losses of columns that show a statistic of each class, and measures that "
            "count them; together with the statistic they would disclose values."
        )
    if job.keep_order:
        notes.append("Rows are in the order of the source.")
    return notes
