"""Minimality: how often the way a class came about excludes sensitive values, by model.

Tables of six invented records with two numeric quasi-identifiers and a sensitive attribute of three
values, k = 2. The attacker knows the algorithm with its seed, everybody's quasi-identifiers and
class, and the sensitive values of each class, but not whose they are. All ways to hand them out are
tried, and those for which the algorithm would have made other classes are excluded. ``right`` is
the chance of guessing a person's value from what remains, ``by_class`` from the class alone;
``excluded`` is the share of pairs of a person and a value of the class that are ruled out,
``certain`` of people with one value left, where the class has several.
"""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from benchmarks.timing import print_table
from shoal.algorithms import Problem, Run, make_algorithm
from shoal.encoding import encode
from shoal.errors import InfeasibleError
from shoal.models import parse_models, protect
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MODELS = (
    "frequency-l-diversity:2",
    "distinct-l-diversity:2",
    "entropy-l-diversity:1.8",
    "t-closeness:0.4",
)
ALGORITHMS = ("mondrian", "k-member")
RECORDS = 6
TABLES_ATTACKED = 150
_VALUES = ("a", "b", "c")
_SHARES = (0.5, 0.3, 0.2)

Classes = frozenset[tuple[int, ...]]


def classes_of(quasi: pl.DataFrame, values: Sequence[str], model: str, name: str) -> Classes | None:
    """Return the classes that an algorithm makes, or None if the model cannot be met."""
    frame = quasi.with_columns(s=pl.Series(values))
    job = Job.from_dict({"k": 2, "quasi": quasi.columns, "sensitive": ["s"], "models": [model]})
    table = Table.of(frame, schema_of(frame, job))
    protections = [protect(one, table) for one in parse_models(job.models, job.sensitive)]
    given = Run(seed=1)
    try:
        problem = Problem.of(
            encode(table),
            2,
            models=tuple(one.model for one in protections),
            protected=tuple(one.codes for one in protections),
        )
        recoding = make_algorithm(name).solve(problem, given).recode(problem, given.generator())
    except InfeasibleError:
        return None
    units = recoding.unit.tolist()
    return frozenset(
        tuple(row for row, unit in enumerate(units) if unit == one) for one in set(units)
    )


def worlds(classes: Classes, values: Sequence[str]) -> Iterator[list[str]]:
    """Yield every way to hand out the values of each class among its records."""
    ordered = sorted(classes)
    ways = [sorted(set(permutations([values[row] for row in rows]))) for rows in ordered]
    for chosen in product(*ways):
        world = list(values)
        for rows, handed in zip(ordered, chosen, strict=True):
            for row, value in zip(rows, handed, strict=True):
                world[row] = value
        yield world


def study(model: str, name: str) -> dict[str, object]:
    """Attack invented tables, and return how the attacker fares on average."""
    rng = np.random.default_rng(1)
    right, by_class, certain, mixed, excluded, pairs, attacked = 0.0, 0.0, 0, 0, 0, 0, 0
    while attacked < TABLES_ATTACKED:
        places = rng.choice(100, RECORDS, replace=False)  # no two people look the same
        quasi = pl.DataFrame({"x": places // 10, "y": places % 10})
        values = rng.choice(_VALUES, RECORDS, p=_SHARES).tolist()
        classes = classes_of(quasi, values, model, name)
        if classes is None:
            continue
        attacked += 1
        left = [Counter[str]() for _ in range(RECORDS)]
        for world in worlds(classes, values):
            if classes_of(quasi, world, model, name) == classes:
                for row, value in enumerate(world):
                    left[row][value] += 1
        for rows in classes:
            there = Counter(values[row] for row in rows)
            for row in rows:
                right += max(left[row].values()) / left[row].total()
                by_class += max(there.values()) / len(rows)
                pairs += len(there)
                excluded += len(there) - len(left[row])
                mixed += len(there) > 1
                certain += len(there) > 1 and len(left[row]) == 1
    people = attacked * RECORDS
    return {
        "model": model,
        "algorithm": name,
        "tables": attacked,
        "by_class": by_class / people,
        "right": right / people,
        "excluded": excluded / pairs,
        "certain": certain / max(mixed, 1),
    }


def run() -> list[dict[str, object]]:
    """Attack every model and algorithm."""
    figures = [study(model, name) for model in MODELS for name in ALGORITHMS]
    print_table(tuple(figures[0]), [tuple(figure.values()) for figure in figures])
    return figures
