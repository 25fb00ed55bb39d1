"""Figures inside sentences of pages, from stored results.

A page shows one between ``<!-- figure:STUDY.NAME -->`` and ``<!-- end figure -->``, on one line but
not at its start; ``python -m docs.generate`` fills it in. One entry per study, as for tables.
"""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING, Any

from benchmarks import generated, store
from benchmarks.large_lattices import SEARCHES, long_losses
from benchmarks.milp_figures import SAMPLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

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


def _kept_errs_least(parts: Parts) -> str:
    """Return in how many parts no candidate errs less in fresh folds than the one kept."""
    least = [
        min(row["fresh"] for row in rows if row["kept"]) <= min(row["fresh"] for row in rows)
        for rows in parts.values()
    ]
    return f"{sum(least)} of {len(least)}"


def _cost_of_sim1(parts: Parts) -> str:
    """Return how much more the paper's chain costs at the largest number of proposals."""
    most = max(row["proposals"] for row in parts["sim1"])
    spent = {row["schedule"]: row["CPU s"] for row in parts["sim1"] if row["proposals"] == most}
    return f"{spent['paper'] / spent['pool']:.0f}"


def _errors(column: str, part: str) -> Callable[[Parts], str]:
    """Return the least and the greatest error of the groupings of parts that begin so."""

    def write_spread(parts: Parts) -> str:
        found = [
            100 * row[column]
            for name, rows in parts.items()
            if name.startswith(f"errors_{part}")
            for row in rows
        ]
        return f"{min(found):.1f} to {max(found):.1f} %"

    return write_spread


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


def _cost_of_symmetry(*tables: str) -> Callable[[Parts], str]:
    """Return by how much more the symmetric forms of the best algorithms lose, least and most."""

    def write_costs(parts: Parts) -> str:
        ratios = [
            row["symmetric / freeform"]
            for row in parts["symmetric"]
            if row["algorithm"] in {"ff-hungarian", "ff-refine"} and row["table"] in tables
        ]
        return spread((100 * (ratio - 1) for ratio in ratios), " %")

    return write_costs


def _optimal_beside_split_carry(parts: Parts) -> str:
    """Return how many times as long `optimal` takes as Split & Carry, least and most."""
    ratios = [
        1 / row["CPU s"]
        for part in ("figure_2_attributes", "figure_2_records")
        for row in parts[part]
        if row["algorithm"] == "split-carry"
    ]
    return f"{min(ratios):.1f} to {max(ratios):.1f}"


def _gain_of_the_boundary(sets: int) -> Callable[[Parts], str]:
    """Return by how much a boundary of 3k loses less than one of k, for both k."""

    def write_gains(parts: Parts) -> str:
        gains = []
        for k in (3, 5):
            losses = {row["l"]: row["loss"] for row in parts[f"boundary_k{k}"] if row["S"] == sets}
            gains.append(f"{100 * (1 - losses[3 * k] / losses[k]):.0f} %")
        return " and ".join(gains)

    return write_gains


def _samples_that_gain(algorithms: tuple[str, ...], better: str) -> Callable[[Parts], str]:
    """Return in how many samples one order of records loses less than the other."""

    def count(parts: Parts) -> str:
        rows = [
            row
            for part in ("orders_adult", "orders_fars")
            for row in parts[part]
            if row["algorithm"].partition(",")[0] in algorithms
        ]
        return f"{sum(row[f'{better} lose less in'] for row in rows)} of {SAMPLES * len(rows)}"

    return count


def _orders_of_greedy(parts: Parts) -> str:
    """Return how far apart both orders of Greedy are at most."""
    apart = [
        abs(row["values"] / row["ranks"] - 1)
        for part in ("orders_adult", "orders_fars")
        for row in parts[part]
        if row["algorithm"].startswith("greedy")
    ]
    return f"{100 * max(apart):.0f} %"


def _gain_of_split_carry_on_fars(parts: Parts) -> str:
    losses = {(row["algorithm"], row["n"]): row["loss"] for row in parts["figures_9_10"]}
    gains = (
        100 * (1 - losses["split-carry", n] / losses["greedy as printed", n])
        for n in (1_000, 40_000)
    )
    return " and ".join(f"{gain:.0f} %" for gain in gains)


def _above_sequential(algorithm: str) -> Callable[[Parts], str]:
    """Return by how much an algorithm loses more than sequential clustering as printed."""

    def write_spread(parts: Parts) -> str:
        losses = {(row["algorithm"], row["k"]): row["LM"] for row in parts["figures_1_2"]}
        return spread(
            (
                100 * (loss / losses["sequential as printed", k] - 1)
                for (name, k), loss in losses.items()
                if name == algorithm
            ),
            " %",
        )

    return write_spread


def _diverse_beside_hilbert(parts: Parts) -> str:
    losses = {row["l asked"]: row["LM"] for row in parts["figure_5"]}
    return f"{100 * (losses[1.3] / losses['hilbert'] - 1):.0f} %"


def _above_rings(parts: Parts) -> str:
    """Return by how much originals that choose lose more than rings inside Mondrian's classes."""
    (row,) = (one for one in parts["rings_and_ties"] if one["table"] == "census" and one["k"] == 10)
    most = row["ff-greedy, originals choose, most of 5"] / row["NH, mondrian"]
    least = row["ff-greedy, originals choose, least of 5"] / row["NH, mondrian"]
    return spread((100 * (least - 1), 100 * (most - 1)), " %")


def _ties_move(parts: Parts) -> str:
    way = "ff-greedy, originals choose"
    moved = (
        row[f"{way}, most of 5"] / row[f"{way}, least of 5"] - 1 for row in parts["rings_and_ties"]
    )
    return f"{100 * max(moved):.1f} %"


def _of_auto(*columns: str) -> Callable[[Parts], str]:
    """Return in how many of the judged cases `auto` is as columns of the summary say."""

    def count(parts: Parts) -> str:
        told = generated.summary(generated.judged_rows(parts))
        return str(sum(told[one] for one in columns))

    return count


def _worst_of_auto(parts: Parts) -> str:
    return f"{100 * generated.summary(generated.judged_rows(parts))['worst']:.1f} %"


def _settled_lattices(seconds: int) -> Callable[[Parts], str]:
    """Return in how many tables with long runs a short search is no worse than their medians."""

    def count(parts: Parts) -> str:
        settled = []
        for row in parts.values():
            long = [
                statistics.median(losses)
                for search in SEARCHES
                if (losses := long_losses(parts, row["table"], search))
            ]
            if "search" not in row and long:
                settled.append(row[f"auto {seconds} s"] <= min(long) + 1e-9)
        return f"{sum(settled)} of {len(settled)}"

    return count


def _nodes_of_flash(parts: Parts) -> str:
    judged = {row["algorithm"]: row["nodes"] for row in parts["speed"] if row["threads"] == 1}
    return f"{100 * judged['flash'] / judged['exhaustive']:.0f} %"


def _gain_at_large_k(parts: Parts) -> str:
    return spread((100 * (1 - row["auto"] / row["mondrian"]) for row in _all_rows(parts)), " %")


def _all_rows(parts: Parts) -> Iterator[Mapping[str, Any]]:
    for figures in parts.values():
        yield from figures if isinstance(figures, list) else [figures]


def _least_gain_of_threads(parts: Parts) -> str:
    least = min(row["times"] for row in parts["all"])
    return f"{math.floor(10 * least) / 10:.1f}"


def _slower_with_categories(parts: Parts) -> str:
    most = max(row[f"{name}_slower"] for row in parts["all"] for name in ("k_member", "refine"))
    return f"{math.ceil(10 * most) / 10:.1f}"


def _tables_of_logarithms(parts: Parts) -> str:
    return spread(
        row["times"] for row in parts["capped logarithms"] if row["work"].startswith("tables of")
    )


def _smaller_file(parts: Parts) -> str:
    row = parts["hidden visibility"][0]
    return f"{100 * (1 - row['bytes'] / row['bytes_without']):.0f} %"


def _columns_missed(parts: Parts) -> str:
    missed = sum(len(row["missed"]) for row in parts["tables"])
    return f"{missed} of {missed + sum(len(row['found']) for row in parts['tables'])}"


def _columns_stopped_wrongly(parts: Parts) -> str:
    alarms = sum(len(row["false_alarms"]) for row in parts["tables"])
    return f"{alarms or 'none'} of {sum(row['ordinary'] for row in parts['tables'])}"


FIGURES: dict[str, dict[str, Callable[[Parts], str]]] = {
    "categories": {"slower": _slower_with_categories},
    "compiled_choices": {"logarithms": _tables_of_logarithms, "smaller": _smaller_file},
    "engines": {
        "disk_loses": _disk_beside_local,
        "disk_holds": _memory_of_disk,
        "disk_space": _space,
        "spark_beside_disk": _spark_beside_disk,
    },
    "exposure": {"missed": _columns_missed, "false_alarms": _columns_stopped_wrongly},
    "freeform_figures": {
        "above_rings": _above_rings,
        "originals_choose_census": _originals_choose("census"),
        "originals_choose_adult": _originals_choose("adult"),
        "symmetry": _cost_of_symmetry("census", "adult"),
        "symmetry_hospital": _cost_of_symmetry("hospital"),
        "ties_move": _ties_move,
    },
    "generated": {
        "above": _of_auto("2 to 5 % above", "more"),
        "at_or_below": _of_auto("at or below"),
        "cases": _of_auto("cases"),
        "furthest": _of_auto("more"),
        "tables": _of_auto("tables"),
        "worst": _worst_of_auto,
    },
    "large_k": {"gain": _gain_at_large_k},
    "large_lattices": {
        "settled_10": _settled_lattices(10),
        "settled_30": _settled_lattices(30),
    },
    "lattice": {"flash_judges": _nodes_of_flash},
    "milp_figures": {
        "greedy_beside_k_member": _greedy_beside_k_member,
        "boundary_gain_3": _gain_of_the_boundary(3),
        "boundary_gain_6": _gain_of_the_boundary(6),
        "greedy_by_values": _samples_that_gain(("greedy",), "values"),
        "greedy_orders_apart": _orders_of_greedy,
        "sorted_by_ranks": _samples_that_gain(("sorted", "split-carry"), "ranks"),
        "optimal_beside_split_carry": _optimal_beside_split_carry,
        "split_carry_gain": _gain_of_split_carry(20_000),
        "split_carry_gain_at_most": _gain_of_split_carry(100_000),
        "split_carry_gain_fars": _gain_of_split_carry_on_fars,
        "split_carry_seconds": _seconds_of_split_carry,
    },
    "target": {"kept_errs_least": _kept_errs_least},
    "recoding": {
        "errors_found": _errors("error", "found"),
        "errors_original": _errors("error on the original", "printed"),
        "errors_printed": _errors("error", "printed"),
        "sim1_costs": _cost_of_sim1,
    },
    "sequential_figures": {
        "diverse_beside_hilbert": _diverse_beside_hilbert,
        "k_member_above": _above_sequential("k-member"),
        "k_member_rarest_above": _above_sequential("k-member, ties to the rarest"),
    },
    "threads": {"least": _least_gain_of_threads},
}
