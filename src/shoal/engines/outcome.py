"""What came of a run cell by cell: figures, facts, and the release as a whole."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np

from shoal.algorithms import make_algorithm, parameters_of
from shoal.hierarchies import is_recipe
from shoal.pipeline.facts import Facts
from shoal.pipeline.figures import Figures
from shoal.pipeline.publication import published_job, published_verdict
from shoal.table import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shoal.engines.solving import Plan
    from shoal.exposure import Exposure
    from shoal.options import Job
    from shoal.pipeline.progress import Stages
    from shoal.verifier import Verdict


@dataclass(frozen=True, slots=True)
class Solved:
    """What is known of a solved unit beside its records."""

    unit: int
    records: int
    classes: int
    suppressed: int
    lost: tuple[float, ...]
    steps: int

    @classmethod
    def from_json(cls, text: str) -> Solved:
        """Return what was written as JSON."""
        fields = json.loads(text)
        return cls(**{**fields, "lost": tuple(fields["lost"])})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CellwiseRelease:
    """A verified release whose cells were solved one by one, wherever it is.

    Parameters
    ----------
    facts
        What was done and what it cost, as far as it may be published.
    verdict
        The verifier's answer.
    figures
        Exact figures against the original: not to be published.
    job
        The options that made it.
    cells
        Number of cells that were solved.
    notes
        What the custodian should know.
    """

    facts: Facts
    verdict: Verdict
    figures: Figures
    job: Job
    cells: int
    notes: tuple[str, ...]
    seed: int = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LargeRelease(CellwiseRelease):
    """A verified release that was written to disk.

    Parameters
    ----------
    output
        The file or folder that holds it.
    """

    output: Path


def figures_of(plan: Plan, solved: Sequence[Solved], exposure: Exposure, stages: Stages) -> Figures:
    """Return the exact figures of a release, from what each unit lost."""
    codebook = plan.codebook
    lost = np.sum([one.lost for one in solved], axis=0) / codebook.n
    names = codebook.schema.quasi_names
    return Figures(
        measure="gcp",
        optimal=False,
        lower_bound=None,
        measures={"gcp": float(lost @ np.array(codebook.weights))},
        per_attribute=dict(zip(names, lost.tolist(), strict=True)),
        steps=sum(one.steps for one in solved),
        seconds=dict(stages.seconds),
        exposure=exposure.to_dict(),
    )


def facts_of(  # noqa: PLR0917 (all that a run came to)
    plan: Plan,
    solved: Sequence[Solved],
    verdict: Verdict,
    exposure: Exposure,
    figures: Figures,
    digest: str | None,
) -> Facts:
    """Return what may be published: no figure that depends on values the release does not show."""
    codebook = plan.codebook
    job = codebook.job
    suppressed = sum(one.suppressed for one in solved)
    # The lowest and the highest number are shown by some class, unless they are hidden in a
    # rounded interval, behind * together with missing cells, or with suppressed records. Losses of
    # hierarchies that were made from the column count the values below a group.
    hidden = suppressed or verdict.withheld or job.round_to
    hidden = hidden or (
        job.hierarchy_loss == "leaves" and any(map(is_recipe, job.hierarchy.values()))
    )
    hidden = hidden or any(
        domain.attribute.kind is Kind.NUMERIC and domain.missing is not None
        for domain in codebook.domains
    )
    chosen = make_algorithm(job.algorithm, job.param)
    return Facts(
        shoal_version=version("shoal"),
        date=datetime.now(UTC).date().isoformat(),
        n=codebook.n,
        k=job.k,
        guarantee=job.guarantee,
        algorithm=job.algorithm,
        parameters=parameters_of(chosen),
        measure="gcp",
        classes=verdict.classes,
        suppressed=suppressed,
        starred=verdict.starred,
        withheld=verdict.withheld,
        stopped_early=False,
        verdict=published_verdict(verdict),
        measures={} if hidden else dict(figures.measures),
        per_attribute={} if hidden else dict(figures.per_attribute),
        detail={},
        levels={},
        exposure=(exposure.uncounted() if verdict.withheld else exposure).shown(),
        notes=[f"The table was divided into {len(plan.tree.cells):,} cells, solved one by one."],
        job=published_job(job),
        release_sha256=digest,
    )
