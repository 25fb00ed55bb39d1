"""Compare: finished runs side by side, what differs between their jobs, and what each costs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from shoal.errors import InputError
from shoal.web.runs import State, runs_of
from shoal.web.site import site_of

router = APIRouter(prefix="/p/{identifier}/compare")
SORTS = (
    ("number", "Run"),
    ("loss", "Loss"),
    ("classes", "Classes"),
    ("smallest_class", "Smallest class"),
    ("suppressed", "Suppressed"),
    ("risk_average", "Average risk"),
    ("risk_highest", "Highest risk"),
    ("seconds", "Seconds"),
)


_SIDE_BY_SIDE = 4
"""Runs whose charts are drawn; more do not fit beside each other."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which runs are shown.

    Parameters
    ----------
    algorithm, k
        Only runs with this algorithm and this k; empty for all.
    loss, risk
        Only runs that lose at most this share, and whose highest risk is at most this.
    """

    algorithm: str = ""
    k: str = ""
    loss: str = ""
    risk: str = ""

    def keeps(self, run: Mapping[str, Any]) -> bool:
        """Return whether a run is shown.

        >>> Filter(k="5", loss="0.3").keeps({"k": 5, "gcp": 0.2, "algorithm": "auto"})
        True
        """
        return (
            (not self.algorithm or run["algorithm"] == self.algorithm)
            and (not self.k or str(run["k"]) == self.k)
            and (not self.loss or run["gcp"] <= _share(self.loss))
            and (not self.risk or (run["risk_highest"] or 1.0) <= _share(self.risk))
        )

    @property
    def query(self) -> str:
        """The filter as part of an address."""
        return urlencode({name: value for name, value in asdict(self).items() if value})


@router.get("")
async def show(  # noqa: PLR0917 (each is a part of the address)
    request: Request,
    identifier: str,
    sort: str = "number",
    order: str = "up",
    algorithm: str = "",
    k: str = "",
    loss: str = "",
    risk: str = "",
    column: str = "",
) -> HTMLResponse:
    """Show the finished runs that a filter keeps, in the order of one of their figures."""
    site = site_of(request)
    project = site.workspace.project(identifier)
    done = {run.number: run for run in runs_of(project) if run.state is State.DONE}
    found = [{"number": number, **run.summary()} for number, run in done.items()]
    wanted = sort if sort in dict(SORTS) else "number"
    chosen = Filter(algorithm, k, loss.strip(), risk.strip())
    shown = [one for one in found if chosen.keeps(one)]
    # A form that bounds no risk has none to sort by: it counts as certainty.
    shown.sort(
        key=lambda one: (1.0 if one[wanted] is None else one[wanted], one["number"]),
        reverse=order == "down",
    )
    drawn = {one["number"]: done[one["number"]].charts() for one in shown[:_SIDE_BY_SIDE]}
    names = list(dict.fromkeys(name for one in shown for name in one["per_attribute"]))
    picked = column if column in names else next(iter(names), "")
    return site.page(
        "compare.html",
        here="compare",
        project=project,
        runs=shown,
        hidden=len(found) - len(shown),
        sorts=SORTS,
        sort=wanted,
        order="down" if order == "down" else "up",
        filter=chosen,
        algorithms=sorted({one["algorithm"] for one in found}),
        ks=sorted({one["k"] for one in found}),
        differing=differing_options([done[one["number"]].options() for one in shown]),
        columns=names,
        column=picked,
        charts=side_by_side(drawn, picked),
        measures=sorted({one["measure"] for one in shown}),
        classifiers=sorted({name for one in shown for name in one["utility"] or ()}),
        waiting=sum(not run.state.ended for run in runs_of(project)),
    )


def side_by_side(
    drawn: Mapping[int, Mapping[str, Any]], column: str
) -> list[tuple[str, list[tuple[int, Any]]]]:
    """Return class sizes, risk and the distribution of a column, each for all runs with it."""
    rows = []
    for title, name in (("Class sizes", "sizes"), ("Risk", "risk")):
        found = [(number, charts[name]) for number, charts in drawn.items() if name in charts]
        rows.append((title, found))
    distributions = [
        (number, chart)
        for number, charts in drawn.items()
        for name, chart in charts.items()
        if name.startswith("column-") and chart["title"] == column
    ]
    return [*rows, ("Distribution", distributions)]


def differing_options(jobs: list[dict[str, Any]]) -> list[tuple[str, list[str]]]:
    """Return each option that is not the same in all jobs, with its value in each of them.

    Seeds are secret, and say nothing about a release.

    >>> differing_options([{"k": 2, "seed": 1}, {"k": 3, "seed": 1}])
    [('k', ['2', '3'])]
    >>> differing_options([{"weight": {"age": 2}}, {}])
    [('weight.age', ['2', ''])]
    """
    flat = [_flat(job) for job in jobs]
    names = sorted({name for one in flat for name in one})
    values = {name: [one.get(name, "") for one in flat] for name in names}
    return [(name, each) for name, each in values.items() if len(set(each)) > 1]


def _flat(job: dict[str, Any]) -> dict[str, str]:
    flat: dict[str, str] = {}
    for name, value in job.items():
        if name == "seed":
            continue
        if isinstance(value, dict):
            flat.update({f"{name}.{key}": _written(one) for key, one in value.items()})
        else:
            flat[name] = _written(value)
    return flat


def _written(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_written, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _share(text: str) -> float:
    """Return a share, given as 0.2 or as 20%."""
    number, percent, _ = text.partition("%")
    try:
        return float(number) / (100 if percent else 1)
    except ValueError:
        raise InputError(
            f"{text} is not a share.", remedy="Give a number such as 0.2 or 20%."
        ) from None
