"""What is told of a release: its measures, the loss of each attribute, and how it was made."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from shoal.algorithms import Guarantee, Levels, parameters_of
from shoal.encoding import encode_together, encode_values
from shoal.errors import SchemaError
from shoal.measures import PrivateColumn, Released, evaluate, losses, measures

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from shoal.algorithms import Algorithm, Run, Solution
    from shoal.encoding import EncodedTable, Recoding
    from shoal.options import Job
    from shoal.table import Schema, Table
    from shoal.verifier import Verdict


def private_name(schema: Schema, job: Job) -> str | None:
    """Return the column that measures take for private: the target, else the first sensitive."""
    if job.target is None:
        return schema.sensitive[0] if schema.sensitive else None
    if job.target not in schema.untouched:
        raise SchemaError(
            f"The target {job.target!r} is no column that is released unchanged.",
            remedy="Choose a sensitive or other column: "
            f"{', '.join(map(repr, schema.untouched)) or 'there is none'}.",
        )
    return job.target


def private_of_release(name: str, original: pl.DataFrame, released: pl.DataFrame) -> PrivateColumn:
    """Return the private column of an original and its release, in common codes."""
    before, after, _ = common_codes(name, original, released)
    return PrivateColumn(name, before, after)


def common_codes(
    name: str, original: pl.DataFrame, released: pl.DataFrame
) -> tuple[NDArray[np.unsignedinteger], NDArray[np.unsignedinteger], list[str]]:
    """Return a column that is released unchanged as codes of both tables, and their texts."""
    if name not in released.columns:
        raise SchemaError(f"The release has no column {name!r}.", remedy="Leave the target out.")
    return encode_together(original[name], released[name])


def in_classes(job: Job) -> bool:
    """Return whether the release of a job promises classes."""
    return job.guarantee == Guarantee.CLASSES


def measured(released: Released, job: Job) -> dict[str, Any]:
    """Return every measure of a release, and the loss of each attribute."""
    return {
        "measures": evaluate(released, [job.measure]),
        "per_attribute": {
            domain.attribute.name: loss
            for domain, loss in zip(released.domains, losses(released), strict=True)
        },
    }


def best_bound(*bounds: float | None) -> float | None:
    """Return the highest of the lower bounds that are known."""
    return max((bound for bound in bounds if bound is not None), default=None)


def gap_of(loss: float, bound: float) -> float:
    """Return the share of a loss that may be avoidable: 0 is the best possible."""
    return max(0.0, (loss - bound) / loss) if loss > 0 else 0.0


def _left_out(job: Job) -> list[str]:
    if in_classes(job):
        return []
    names = ", ".join(name for name, one in measures().items() if one.classes)
    return [f"Left out: {names}, which are sums over classes; a {job.form} release has none."]


def facts_of(  # noqa: PLR0917 (facts gather what every stage left behind)
    job: Job,
    chosen: Algorithm,
    solution: Solution,
    table: Table,
    encoded: EncodedTable,
    recoding: Recoding,
    run: Run,
    verdict: Verdict,
    seconds: Mapping[str, float],
    proved: float | None = None,
) -> dict[str, Any]:
    """Return the facts of a release, ready for JSON; ``proved`` is a lower bound of its loss."""
    private = None
    name = private_name(table.schema, job)
    if name is not None:
        codes, _ = encode_values(table.frame[name])
        private = PrivateColumn(name, codes, codes)
    released = Released(
        encoded.domains,
        encoded.weights,
        encoded.codes,
        recoding,
        encoded.n,
        job.k,
        private,
        in_classes(job),
    )
    told = measured(released, job)
    loss = told["measures"][job.measure]
    bound = best_bound(solution.lower_bound, proved)
    return {
        "n": encoded.n,
        "k": job.k,
        "form": job.guarantee,
        "algorithm": chosen.name,
        "parameters": parameters_of(chosen),
        "optimal": solution.optimal,
        "lower_bound": bound,
        "gap": None if bound is None else gap_of(loss, bound),
        "classes": len(recoding.sizes),
        "suppressed": recoding.suppressed,
        "withheld": verdict.withheld,
        "steps": run.control.steps,
        "stopped_early": run.control.stopping,
        "trace": [asdict(step) for step in run.trace],
        "seconds": dict(seconds),
        "verdict": verdict.to_dict(),
        **told,
        **_levels_of(solution, encoded),
        "notes": [*run.notes, *_left_out(job)],
        "job": {word: told for word, told in job.words().items() if word != "seed"},
    }


def _levels_of(solution: Solution, encoded: EncodedTable) -> dict[str, Any]:
    """Return the level of each attribute, where a release has one for all records."""
    if not isinstance(solution, Levels):
        return {}
    names = [domain.attribute.name for domain in encoded.domains]
    of_top = zip(names, solution.node, solution.heights, strict=True)
    return {"levels": {name: {"level": level, "of": top} for name, level, top in of_top}}
