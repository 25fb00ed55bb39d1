"""Figures inside sentences of pages, from stored results.

A page shows one between ``<!-- figure:STUDY.NAME -->`` and ``<!-- end figure -->``, on one line but
not at its start; ``python -m docs.generate`` fills it in. One entry per study, as for tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks import store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from benchmarks.pages import Parts


def write(study: str, name: str) -> str:
    """Return a figure of a study as a sentence shows it.

    Raises
    ------
    KeyError
        If the study has no such figure, or its parts have not been run.
    """
    found = {part: entry["figures"] for part, entry in store.load(study).items()}
    return FIGURES[study][name](found)


def spread(values: Iterable[float], unit: str = "") -> str:
    """Return the least and the greatest of some values, as whole numbers.

    >>> spread([19.7, 45.2]), spread([0.4, 0.3]), spread([16.4, 57.6], " %")
    ('20 to 45', '0', '16 to 58 %')
    """
    known = list(values)
    ends = dict.fromkeys((f"{min(known):.0f}", f"{max(known):.0f}"))
    return " to ".join(ends) + unit


def _disk_beside_local(parts: Parts) -> str:
    disk, local = (_of_ten_million(parts[part]) for part in ("disk", "local"))
    return f"{100 * (disk['GCP'] / local['GCP'] - 1):.1f} % more"


def _memory_of_disk(parts: Parts) -> str:
    disk, local = (_of_ten_million(parts[part]) for part in ("disk", "local"))
    return f"{100 * disk['peak_MB'] / local['peak_MB']:.0f} %"


def _space(parts: Parts) -> str:
    return f"{max(run['disk_MB'] for run in parts['disk_largest']) / 1000:.0f}"


def _of_ten_million(runs: Iterable[Mapping[str, Any]]) -> Mapping[str, Any]:
    (run,) = (one for one in runs if one["n"] == 10_000_000)
    return run


def _spark_beside_disk(parts: Parts) -> str:
    spark, disk = (_of_ten_million(parts[part]) for part in ("spark", "disk"))
    return f"{spark['CPU_s'] / disk['CPU_s']:.1f}"


def _cost_of_sim1(parts: Parts) -> str:
    """Return how much more the paper's chain costs at the largest number of proposals."""
    most = max(row["proposals"] for row in parts["sim1"])
    spent = {row["schedule"]: row["CPU s"] for row in parts["sim1"] if row["proposals"] == most}
    return f"{spent['paper'] / spent['pool']:.0f}"


def _seconds_of_split_carry(parts: Parts) -> str:
    return spread(
        row["CPU s"]
        for part, rows in parts.items()
        if part.startswith("figure_6_")
        for row in rows
        if row["algorithm"] == "split-carry"
    )


def _gain_of_split_carry(records: int) -> Callable[[Parts], str]:
    """Return by how much it loses less than Greedy and K-Member as printed, for both k."""

    def write_gains(parts: Parts) -> str:
        gains = []
        for part in ("figure_6_k3", "figure_6_k5"):
            losses = {row["algorithm"]: row["loss"] for row in parts[part] if row["n"] == records}
            others = min(losses["greedy as printed"], losses["k-member as printed"])
            gains.append(f"{100 * (1 - losses['split-carry'] / others):.0f} %")
        return " and ".join(gains)

    return write_gains


def _greedy_beside_k_member(parts: Parts) -> str:
    losses = {(row["algorithm"], row["m"]): row["loss"] for row in parts["figure_8"]}
    apart = [
        abs(losses[name.replace("greedy", "k-member"), m] / loss - 1)
        for (name, m), loss in losses.items()
        if name.startswith("greedy")
    ]
    return f"{100 * max(apart):.1f} %"


def _originals_choose(table: str) -> Callable[[Parts], str]:
    """Return what it costs, in percent, if originals choose; negative where it gains."""

    def write_spread(parts: Parts) -> str:
        rows = [row for row in parts["who_chooses"] if row["table"] == table]
        costs = (100 * (row["original / released"] - 1) for row in rows)
        return spread(costs, " %").replace("-", "−")

    return write_spread


def _cost_of_symmetry(parts: Parts) -> str:
    optimal = {"ff-hungarian", "ff-refine"}
    ratios = [
        row["symmetric / freeform"] for row in parts["symmetric"] if row["algorithm"] in optimal
    ]
    return spread((100 * (ratio - 1) for ratio in ratios), " %")


FIGURES: dict[str, dict[str, Callable[[Parts], str]]] = {
    "engines": {
        "disk_loses": _disk_beside_local,
        "disk_holds": _memory_of_disk,
        "disk_space": _space,
        "spark_beside_disk": _spark_beside_disk,
    },
    "recoding": {"sim1_costs": _cost_of_sim1},
    "milp_figures": {
        "split_carry_seconds": _seconds_of_split_carry,
        "split_carry_gain": _gain_of_split_carry(20_000),
        "split_carry_gain_at_most": _gain_of_split_carry(100_000),
        "greedy_beside_k_member": _greedy_beside_k_member,
    },
    "freeform_figures": {
        "originals_choose_census": _originals_choose("census"),
        "originals_choose_adult": _originals_choose("adult"),
        "symmetry": _cost_of_symmetry,
    },
}
