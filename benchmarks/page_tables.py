"""Tables of pages that show stored figures crosswise, or a part of them.

One entry per study; a page shows it as ``figures:STUDY.NAME``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.pages import PageTable, number, pivot, share

if TYPE_CHECKING:
    from collections.abc import Mapping

    from benchmarks.pages import Parts, TableOfFigures


def _seconds(cpu: float) -> str:
    return "under .01 s" if cpu < 0.01 else f"{number(float(f'{cpu:.2g}'))} s"


def _gcp(row: Mapping[str, Any]) -> str:
    return share(row["gcp"])


def _gcp_and_seconds(row: Mapping[str, Any]) -> str:
    return f"{share(row['gcp'], 3)}, {_seconds(row['cpu_s'])}"


def _loss_and_seconds(row: Mapping[str, Any]) -> str:
    return f"{number(row['loss'])}, {_seconds(row['CPU s'])}"


def _ratios(row: Mapping[str, Any]) -> str:
    return f"{row['loss']:.2f}, {row['CPU s']:.2g}"


def _seconds_and_proofs(row: Mapping[str, Any]) -> str:
    found = number(float(f"{row['cpu_s']:.2g}"))
    return f"{found}, {row['proved']} proved" if "proved" in row else found


def _nodes_judged(parts: Parts) -> PageTable:
    rows = [
        [row["algorithm"], number(row["nodes"]), _seconds(row["cpu_s"])]
        for row in parts["speed"]
        if row["threads"] == 1
    ]
    return PageTable(["algorithm", "nodes judged", "CPU time"], rows, ["speed"])


def _optima(parts: Parts) -> PageTable:
    allowed = {0.0: "none", 0.02: "2 %"}
    names = [key for key in parts["optima"][0] if key not in {"k", "suppression"}]
    rows = [
        [
            number(row["k"]),
            allowed.get(row["suppression"], "no limit"),
            *(share(row[name]) for name in names),
        ]
        for row in parts["optima"]
    ]
    return PageTable(["k", "suppression", *names], rows, ["optima"])


def _losses_by_size(found: Parts) -> PageTable:
    """Return Figure 6 of the MILP paper: the loss of each algorithm at every size measured."""
    parts = [part for part in found if part.startswith("figure_6_")]
    columns = sorted({(part[9:11], int(row["n"])) for part in parts for row in found[part]})
    losses = {
        (part[9:11], int(row["n"]), row["algorithm"]): row["loss"]
        for part in parts
        for row in found[part]
    }
    names = list(dict.fromkeys(row["algorithm"] for part in parts for row in found[part]))
    header = ("algorithm", *(f"{n:,}, k = {k[1:]}" for k, n in columns))
    rows = [(name, *(f"{losses[k, n, name]:.6f}"[1:] for k, n in columns)) for name in names]
    return PageTable(header, rows, parts)


TABLES: dict[str, dict[str, TableOfFigures]] = {
    "lattice": {"nodes_judged": _nodes_judged, "optima": _optima},
    "freeform_figures": {
        "figure_6": pivot("figure_6", ("n", "k"), "algorithm", _gcp),
        "figure_7b": pivot("figure_7b_*", ("algorithm",), "n", _seconds_and_proofs),
        "figure_8": pivot("figure_8_*", ("n", "k"), "algorithm", _gcp_and_seconds),
        "figure_9": pivot("figure_9_*", ("n", "k", "algorithm"), "d", _gcp),
        "figure_10": pivot("figure_10_*", ("n", "k"), "algorithm", _gcp_and_seconds),
        "figures_3_4_adult": pivot("milp_figures_3_4_adult_*", ("n", "k"), "algorithm", _gcp),
        "figures_3_4_census": pivot("milp_figures_3_4_census_*", ("n", "k"), "algorithm", _gcp),
    },
    "kgen": {
        name: pivot(f"{name}_*", ("k", "quasi"), "algorithm", lambda row: share(row["log"], 3))
        for name in ("c2k", "f2-like")
    },
    "milp_figures": {
        "figure_2": pivot("figure_2_*", ("n", "m"), "algorithm", _ratios),
        "figure_6": _losses_by_size,
        "figure_7": pivot("figure_7", ("k",), "algorithm", lambda row: share(row["loss"])),
        "figure_8": pivot("figure_8", ("algorithm",), "m", lambda row: share(row["loss"])),
        "figures_9_10": pivot("figures_9_10", ("algorithm",), "n", _loss_and_seconds),
        "figures_9_10_by_state": pivot(
            "figures_9_10_state", ("algorithm",), "n", _loss_and_seconds
        ),
    },
    "sequential_figures": {
        "figures_1_2": pivot(
            "figures_1_2",
            ("k",),
            "algorithm",
            lambda row: f"{share(row['LM'], 3)}, {_seconds(row['CPU s'])}",
        ),
        "figure_3": pivot("figure_3", ("n",), "algorithm", lambda row: _seconds(row["CPU s"])),
        "figure_4": pivot("figure_4", ("k",), "r", lambda row: _seconds(row["CPU s"])),
    },
}
