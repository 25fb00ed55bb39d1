"""How stored figures are read beside the figures of the freeform paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.freeform_figures import FAMILY, SEGMENTS
from benchmarks.reproduction_reading import PRINTED, Answer, Figures, apart, by, span, verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

PROGRAM = "ff-mip, program=paper"
OURS = ("ff-hungarian", "ff-sortgreedy", PRINTED)
"""The algorithms of the paper, as printed."""


def ff_6(figures: Figures) -> Answer:
    """Compare losses in segments."""
    parts, below = [], True
    for k in sorted({int(row["k"]) for row in figures}):
        n = max(int(row["n"]) for row in figures if row["k"] == k)
        of = by(figures, "algorithm", "gcp", n=n, k=k)
        parts.append(
            f"k = {k}, {n:,}: NH {of['ring']:.3f}, Greedy {of[PRINTED]:.3f} as printed and "
            f"{of['ff-greedy']:.3f}, SortGreedy {of['ff-sortgreedy']:.3f}, "
            f"Hungarian {of['ff-hungarian']:.3f}"
        )
        below &= of[PRINTED] < of["ring"]
    order = of[PRINTED] < of["ff-sortgreedy"] < of["ff-hungarian"]  # at the largest k
    return "; ".join(parts), verdict(below and order, partly=below)


def ff_6_times(figures: Figures) -> Answer:
    """Compare the time of one segment with that of NH, which divides the whole table."""
    n, k = (max(int(row[name]) for row in figures) for name in ("n", "k"))
    told, slowest = [], []
    for size in (1_000, 4_000, n):
        of = by(figures, "algorithm", "cpu_s", n=size, k=k)
        ratios = {name: of[name] * SEGMENTS[name] / size / of["ring"] for name in SEGMENTS}
        told.append(
            f"{size:,}: " + ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items())
        )
        slowest.append(max(ratios.values()))
    return (
        f"CPU s of one segment over NH, k = {k}; " + "; ".join(told),
        verdict(slowest[-1] < 1, partly=slowest[-1] < slowest[0]),
    )


def ff_7a(figures: Figures) -> Answer:
    """Compare the way to the optimum."""
    told, best, close = [], True, True
    for row in figures:
        gains = {name: float(row[name]) for name in row if name.startswith("ff-") or name == "ring"}
        adult = "Adult, " if row.get("table") == "adult" else ""
        told.append(
            f"{adult}k = {row['k']}: "
            + ", ".join(f"{name} {gain:.2f}" for name, gain in gains.items())
        )
        papers = ("ring", PRINTED, "ff-sortgreedy", "ff-mincost")
        best &= gains["ff-hungarian"] >= max(gains[name] for name in papers)
        close &= gains["ff-sortgreedy"] > gains["ff-hungarian"] - 0.1
    return "; ".join(told), verdict(best and close, partly=best)


def ff_7b(figures: Figures) -> Answer:
    """Compare how times grow on tiny tables."""
    names = tuple(dict.fromkeys(str(row["algorithm"]) for row in figures))
    times = {
        name: {int(n): one for n, one in by(figures, "n", "cpu_s", algorithm=name).items()}
        for name in names
    }
    told = []
    for name in names:
        of = times[name]
        proved = {int(row["n"]): row for row in figures
                  if row["algorithm"] == name and "proved" in row}  # fmt: skip
        told.append(
            f"{name} "
            + " / ".join(
                f"{of[n]:.4f}"
                + (
                    f" ({proved[n]['proved']} of {proved[n]['samples']} proved)"
                    if n in proved and proved[n]["proved"] < proved[n]["samples"]
                    else ""
                )
                for n in sorted(of)
            )
            + ("" if name != PROGRAM else f" at {', '.join(map(str, sorted(of)))} records")
        )
    growth = {name: of[max(of)] / of[min(of)] for name, of in times.items()}
    told.append(
        f"growth from {min(times[PROGRAM])} records to the largest: "
        + ", ".join(f"{name} {one:.1f}" for name, one in growth.items())
    )
    others = [name for name in names if not name.startswith("ff-mip")]
    grows = growth[PROGRAM] > 10 * max(growth[name] for name in others) and all(
        times[PROGRAM][n] > max(times[name][n] for name in others if n in times[name])
        for n in times[PROGRAM]
    )
    between = all(
        min(times["ring"][n], times["k-concealment"][n])
        <= times[name][n]
        <= max(times["ring"][n], times["k-concealment"][n])
        for name in OURS
        for n in times[name]
    )
    sizes = ", ".join(map(str, sorted(times["ring"])))
    return f"CPU s at {sizes} records, k = 6, means of {figures[0]['samples']} samples: " + (
        "; ".join(told)
    ), verdict(grows and between, partly=grows)


def ff_8(figures: Figures) -> Answer:
    """Compare with rings and concealment as k grows."""
    figures, ties = apart(figures, f"{PRINTED}, most of 5")
    figures, rings = apart(figures, "saved, mondrian")
    told, below = [], []
    for n in sorted({int(row["n"]) for row in figures}):
        gains: dict[str, list[float]] = {}
        gaps: list[float] = []
        above: list[float] = []
        degrees = sorted({int(row["k"]) for row in figures if row["n"] == n})
        for k in degrees:
            of = by(figures, "algorithm", "gcp", n=n, k=k)
            for name in (*OURS, "ff-greedy"):
                gains.setdefault(name, []).append(1 - of[name] / of["ring"])
            gains.setdefault("k-c", []).append(1 - of["k-concealment"] / of["ring"])
            less = 1 - of["ff-hungarian"] / of["k-concealment"]
            gains.setdefault("ff-hungarian below k-c", []).append(less)
            gaps.append(of["ring"] - of["ff-hungarian"])
            above.append(of["ff-sortgreedy"] / of["ff-hungarian"] - 1)
            below += [of[name] < min(of["ring"], of["k-concealment"]) for name in OURS]
        told.append(
            f"{n:,} records, k = {', '.join(map(str, degrees))}: "
            + ", ".join(
                f"{name} {' / '.join(f'{g:.0%}' for g in of)}" for name, of in gains.items()
            )
            + f", ff-hungarian in GCP {' / '.join(f'{gap:.3f}' for gap in gaps)}, "
            + f"ff-sortgreedy above ff-hungarian {' / '.join(f'{one:.0%}' for one in above)}"
        )
    if rings:
        saved = [float(one) for row in rings for key, one in row.items() if key.startswith("saved")]
        told.append(
            f"Adult, whichever classes NH begins with: ff-hungarian at most {max(saved):.0%}"
        )
    if ties:
        moved = max(row[f"{PRINTED}, most of 5"] / row[f"{PRINTED}, least of 5"] for row in ties)
        told.append(f"ties move Greedy as printed by at most {moved - 1:.1%}")
    times = _times(figures)
    left = sum(
        100 * spent
        for (name, k, n), spent in times.items()
        if n == 1_000 and name in FAMILY and (name, k, 10_000) not in times
    )
    if left:
        told.append(f"the rest of 10,000 records was not run, about {left / 60:.0f} CPU min by n²")
    return "below NH: " + "; ".join(told), verdict(all(below), partly=any(below))


def ff_9(figures: Figures) -> Answer:
    """Compare slopes over the dimension, losses and times."""
    figures, spread = apart(figures, "without loss")
    told, holds, hungarian = [], True, True
    rivals = ("ring", "k-concealment")
    for n, k in sorted({(int(row["n"]), int(row["k"])) for row in figures}):
        slopes: dict[str, list[float]] = {}
        for d in range(2, 9):
            gcp = by(figures, "algorithm", "gcp", d=d, n=n, k=k)
            cpu = by(figures, "algorithm", "cpu_s", d=d, n=n, k=k)
            holds &= all(gcp[name] <= min(gcp[one] for one in rivals) for name in OURS)
            holds &= all(cpu["ring"] <= cpu[name] <= cpu["k-concealment"] for name in OURS)
            if d == 2:
                continue
            slope = by(figures, "algorithm", "slope", d=d, n=n, k=k)
            for name in FAMILY:
                slopes.setdefault(name, []).append(slope[name])
            least = min(slope[one] for one in rivals)
            holds &= all(slope[name] < least for name in OURS)
            hungarian &= slope["ff-hungarian"] < least
        told.append(
            f"{n:,} records, k = {k}, slopes at 3 to 8 attributes: "
            + ", ".join(
                f"{name} {' / '.join(f'{one:.3f}' for one in of)}" for name, of in slopes.items()
            )
        )
        # What the last dimension left behind.
        told.append(
            "GCP at 8: "
            + ", ".join(f"{name} {gcp[name]:.3f} ({cpu[name]:.1f} CPU s)" for name in FAMILY)
        )
    told += [
        f"SortGreedy, 4,000 records, 2 attributes: GCP {row['gcp']:.3f}, "
        f"{row['without loss']:.0%} of the records lose nothing, "
        f"5 % have {row['share of the twentieth']:.0%} of the loss"
        for row in spread
        if (row["d"], row["algorithm"]) == (2, "ff-sortgreedy")
    ]
    return "; ".join(told), verdict(holds, partly=hungarian)


def ff_10(figures: Figures) -> Answer:
    """Compare over sizes."""
    figures, rings = apart(figures, "over NH, mondrian")
    parts, above, holds, optimal = [], [], True, True
    for k in sorted({int(row["k"]) for row in figures}):
        for n in sorted({int(row["n"]) for row in figures if row["k"] == k}):
            of = by(figures, "algorithm", "gcp", n=n, k=k)
            cpu = by(figures, "algorithm", "cpu_s", n=n, k=k)
            parts.append(
                f"k = {k}, {n:,}: "
                + ", ".join(f"{name} {of[name]:.3f} ({cpu[name]:.1f} s)" for name in of)
            )
            rivals = [of[name] for name in ("ring", "k-concealment") if name in of]
            holds &= max([of[name] for name in OURS if name in of], default=0.0) < min(rivals)
            optimal &= of.get("ff-hungarian", 0.0) < of["ring"]
            if "ff-hungarian" in of and "ff-sortgreedy" in of:
                above.append(100 * (of["ff-sortgreedy"] / of["ff-hungarian"] - 1))
    parts.append(f"SortGreedy above Hungarian by {span(above, 0)} %")
    over = ", ".join(
        f"{row['n']:,} of {row['table']} "
        + " / ".join(
            f"{row[f'over NH, {start}']:.2f}" for start in ("mondrian", "hilbert", "sorted")
        )
        for row in rings
    )
    if rings:
        parts.append(
            "Greedy as printed over NH that begins with classes of Mondrian / Hilbert's curve / "
            f"the sorted order, k = 15: {over}"
        )
    left = _left_out(_times(figures))
    parts += ["not run, CPU min by n²: " + "; ".join(left)] if left else []
    return "; ".join(parts), verdict(holds, partly=optimal)


def _times(figures: Figures) -> dict[tuple[str, int, int], float]:
    """Return CPU seconds by algorithm, k and records."""
    return {
        (str(row["algorithm"]), int(row["k"]), int(row["n"])): float(row["cpu_s"])
        for row in figures
    }


def _left_out(times: Mapping[tuple[str, int, int], float]) -> list[str]:
    """Return the runs of Figure 10 that were not made, and what each would take."""
    told = []
    for k in (15, 50):
        for n in (4_000, 16_000, 64_000):
            costs = {}
            for name in FAMILY:
                known = [size for one, degree, size in times if (one, degree) == (name, k)]
                if n not in known:
                    costs[name] = times[name, k, max(known)] * (n / max(known)) ** 2
            listed = ", ".join(f"{name} {spent / 60:.1f}" for name, spent in costs.items())
            told += [f"k = {k}, {n:,}: {listed}"] if costs else []
    return told
