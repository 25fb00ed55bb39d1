"""How stored figures are read beside what tables and figures of the papers claim.

Each function returns what we measured in a few words, and whether it agrees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

Figures = Sequence[Mapping[str, Any]]
Answer = tuple[str, str]
"""What we measured, and whether it agrees: yes, partly or no."""


def verdict(holds: bool, *, partly: bool = False) -> str:  # noqa: FBT001 (the one question)
    """Return yes, partly or no."""
    return "yes" if holds else "partly" if partly else "no"


def by(figures: Figures, key: str, value: str, **where: Any) -> dict[str, float]:
    """Return ``value`` by ``key`` over the rows that match."""
    return {
        str(row[key]): float(row[value])
        for row in figures
        if all(row.get(name) == wanted for name, wanted in where.items())
    }


def span(values: Sequence[float], digits: int = 2) -> str:
    """Return the least and the greatest of some figures."""
    low, high = (f"{value:.{digits}f}" for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


PRINTED = "ff-greedy, originals choose"


def milp_2(figures: Figures) -> Answer:
    """Compare Split & Carry and Greedy with the optimum."""
    chain = [float(row["loss"]) for row in figures if row["algorithm"] == "split-carry"]
    greedy = [float(row["loss"]) for row in figures if row["algorithm"] == "greedy"]
    told = f"loss over the optimum: Split & Carry {span(chain)}, Greedy {span(greedy)}"
    return told, verdict(mean(chain) < mean(greedy))


def milp_3_4(figures: Figures) -> Answer:
    """Compare Greedy with all others."""
    ratio: dict[str, list[float]] = {}
    better = 0
    for table in tables(figures):
        for k in sorted({row["k"] for row in table}):
            losses = by(table, "algorithm", "gcp", k=k)
            for name in (PRINTED, "ff-sortgreedy", "ff-hungarian", "mondrian", "k-member"):
                ratio.setdefault(name, []).append(losses["greedy"] / losses[name])
            better += losses["sorted"] < losses["mondrian"]
    told = "Greedy over: " + ", ".join(
        f"{name.replace(', originals choose', '')} {span(found)}" for name, found in ratio.items()
    )
    told += f"; sorted below Mondrian in {better} of {len(ratio['mondrian'])} cells"
    near = max(ratio["mondrian"]) < 1 and max(ratio["k-member"]) < 1.1
    return told, verdict(near and max(ratio[PRINTED]) > 1, partly=near)


def tables(figures: Figures) -> list[Figures]:
    """Return the rows table by table: each begins anew with its first algorithm and k."""
    first = (figures[0]["algorithm"], figures[0]["k"])
    starts = [i for i, row in enumerate(figures) if (row["algorithm"], row["k"]) == first]
    return [
        figures[begin:end] for begin, end in zip(starts, [*starts[1:], len(figures)], strict=True)
    ]


def milp_5(figures: Figures) -> Answer:
    """Compare all on 5,000 records."""
    losses = by(figures, "algorithm", "loss")
    chains = [losses[f"split-carry S={sets}"] for sets in (3, 4, 5)]
    told = (
        f"Split & Carry {' / '.join(f'{one:.5f}' for one in chains)} (S = 3 / 4 / 5), "
        f"Greedy {losses['greedy']:.5f} (as printed {losses['greedy as printed']:.5f}), "
        f"Doka Greedy {losses['ff-greedy (freeform)']:.5f}, "
        f"SortGreedy {losses['ff-sortgreedy (freeform)']:.5f}, "
        f"Hungarian {losses['ff-hungarian (freeform)']:.5f}, Mondrian {losses['mondrian']:.5f}, "
        f"sorted {losses['sorted']:.5f}"
    )
    below_doka = max(chains) < min(
        losses["ff-greedy (freeform)"], losses["ff-sortgreedy (freeform)"]
    )
    holds = below_doka and losses["sorted"] < losses["mondrian"]
    return told, verdict(holds, partly=max(chains) < losses["greedy"])


def milp_t8(figures: Figures) -> Answer:
    """Count sub-problems."""
    paper = {3: (556, 12, 432), 4: (417, 15, 292), 5: (334, 18, 200)}
    parts, same = [], True
    for row in figures:
        found = (row["sub-problems"], row["most common size"], row["how often"])
        parts.append(f"S = {row['S']}: {found[0]} sub-problems, {found[2]} of size {found[1]}")
        same &= found[:2] == paper[row["S"]][:2]
    return "; ".join(parts), verdict(same)


def milp_6(figures: Figures) -> Answer:
    """Compare at every size."""
    sizes = sorted({int(row["n"]) for row in figures})
    found = {n: by(figures, "algorithm", "loss", n=n) for n in sizes}
    told = "; ".join(
        f"{n:,}: Split & Carry {of['split-carry']:.5f}, Greedy {of['greedy']:.5f}, "
        f"K-Member {of['k-member']:.5f}"
        for n, of in found.items()
    )
    wins = [of["split-carry"] < min(of["greedy"], of["k-member"]) for of in found.values()]
    return told, verdict(all(wins), partly=any(wins))


def milp_7(figures: Figures) -> Answer:
    """Compare Greedy as printed with K-Member."""
    ratios = {}
    for k in sorted({int(row["k"]) for row in figures}):
        of = by(figures, "algorithm", "loss", k=k)
        ratios[k] = of["greedy as printed"] / of["k-member"]
    told = "Greedy as printed over K-Member: " + ", ".join(
        f"{ratio:.3f} (k = {k})" for k, ratio in ratios.items()
    )
    return told, verdict(ratios[200] < 1, partly=ratios[200] < ratios[5])


def milp_8(figures: Figures) -> Answer:
    """Compare with many attributes."""
    parts, holds = [], True
    for k in (10, 100):
        for m in (15, 35):
            of = by(figures, "algorithm", "loss", m=m)
            greedy, member, cut = (
                of[f"{name}, k={k}"] for name in ("greedy", "k-member", "mondrian")
            )
            parts.append(f"k = {k}, {m} attributes: {greedy:.3f} / {member:.3f} / {cut:.3f}")
            holds &= greedy < cut
    return "Greedy / K-Member / Mondrian: " + "; ".join(parts), verdict(holds)


def milp_9(figures: Figures) -> Answer:
    """Compare on 1,000 records of FARS."""
    small = by(figures, "algorithm", "loss", n=1_000)
    names = ("split-carry", "greedy", "k-member", "mondrian", "ff-sortgreedy (freeform)",
             "ff-hungarian (freeform)")  # fmt: skip
    told = "1,000 records: " + ", ".join(f"{name} {small[name]:.4f}" for name in names)
    return told, verdict(small["split-carry"] < small["greedy"], partly=True)


def milp_10(figures: Figures) -> Answer:
    """Compare on 40,000 records of FARS."""
    large = by(figures, "algorithm", "loss", n=40_000)
    told = "40,000 records: " + ", ".join(f"{name} {loss:.5f}" for name, loss in large.items())
    return told, verdict(large["split-carry"] < large["greedy"])


def milp_a(figures: Figures) -> Answer:
    """Compare widths of AGE."""
    equal, unequal = (next(row for row in figures if row["weights"] == one)
                      for one in ("equal", "unequal"))  # fmt: skip
    told = f"AGE narrows from {equal['AGE']:.3f} to {unequal['AGE']:.3f}"
    return told, verdict(float(unequal["AGE"]) < float(equal["AGE"]))


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
    last = of[PRINTED] < min(of["ff-sortgreedy"], of["ff-hungarian"])
    return "; ".join(parts), verdict(below and last, partly=below)


def ff_6_times(figures: Figures) -> Answer:
    """Compare times in segments."""
    n = max(int(row["n"]) for row in figures)
    k = max(int(row["k"]) for row in figures)
    of = by(figures, "algorithm", "cpu_s", n=n, k=k)
    told = f"CPU s of all segments over NH, {n:,} records, k = {k}: " + ", ".join(
        f"{name} {of[name] / of['ring']:.1f}" for name in of if name != "ring"
    )
    return told, "partly"


def ff_7a(figures: Figures) -> Answer:
    """Compare the way to the optimum."""
    told, holds = [], True
    for row in figures:
        gains = {name: float(row[name]) for name in row if name.startswith("ff-") or name == "ring"}
        gains.pop("ff-mip", None)
        best = max((name for name in gains if name != "ff-refine"), key=lambda name: gains[name])
        told.append(
            f"k = {row['k']}: " + ", ".join(f"{name} {gain:.2f}" for name, gain in gains.items())
        )
        holds &= best in ("ff-hungarian", "ff-mincost")
    return "; ".join(told), verdict(holds)


def ff_7b(figures: Figures) -> Answer:
    """Compare times on tiny tables."""
    n = max(int(row["n"]) for row in figures)
    of = by(figures, "algorithm", "cpu_s", n=n)
    told = f"CPU s at {n} records, k = 6: " + ", ".join(
        f"{name} {of[name]:.4f}" for name in of if name != PRINTED
    )
    return told, verdict(of["ff-mip"] > max(of[name] for name in of if name != "ff-mip"))


def ff_8(figures: Figures) -> Answer:
    """Compare with rings as k grows."""
    gains: dict[str, list[float]] = {}
    for k in sorted({int(row["k"]) for row in figures}):
        of = by(figures, "algorithm", "gcp", k=k)
        for name in ("ff-hungarian", "ff-sortgreedy", "ff-greedy", PRINTED):
            gains.setdefault(name, []).append(1 - of[name] / of["ring"])
    told = "below NH (1,000 records, k = 10, 50, 150): " + ", ".join(
        f"{name} {' / '.join(f'{gain:.0%}' for gain in of)}" for name, of in gains.items()
    )
    return told, verdict(min(gains[PRINTED]) > 0, partly=min(gains["ff-hungarian"]) > 0)


def ff_9(figures: Figures) -> Answer:
    """Compare slopes over the dimension."""
    slope = {str(row["algorithm"]): float(row["slope"]) for row in figures if int(row["d"]) == 8}
    time = {str(row["algorithm"]): float(row["cpu_s"]) for row in figures if int(row["d"]) == 8}
    told = "slope at 8 attributes: " + ", ".join(f"{n} {s:.3f}" for n, s in slope.items())
    told += "; CPU s: " + ", ".join(f"{n} {s:.2f}" for n, s in time.items())
    ours = max(slope[name] for name in ("ff-sortgreedy", "ff-hungarian", PRINTED))
    return told, verdict(ours < min(slope["ring"], slope["k-concealment"]), partly=True)


def ff_10(figures: Figures) -> Answer:
    """Compare over sizes."""
    parts, holds = [], True
    for n in sorted({int(row["n"]) for row in figures}):
        of = by(figures, "algorithm", "gcp", n=n)
        cpu = by(figures, "algorithm", "cpu_s", n=n)
        parts.append(
            f"{n:,}: " + ", ".join(f"{name} {of[name]:.3f} ({cpu[name]:.1f} s)" for name in of)
        )
        rivals = [of[name] for name in ("ring", "k-concealment") if name in of]
        ours = [of[name] for name in ("ff-hungarian", "ff-sortgreedy", PRINTED) if name in of]
        holds &= not ours or max(ours) < min(rivals)
    return "; ".join(parts), verdict(holds, partly=True)


def seq_1(figures: Figures) -> Answer:
    """Compare losses at k = 50."""
    of = by(figures, "algorithm", "LM", k=50)
    told = "k = 50: " + ", ".join(f"{name} {loss:.3f}" for name, loss in of.items())
    first_two = abs(of["sequential"] / of["agglomerative"] - 1) < 0.05
    return told, verdict(False, partly=first_two)


def seq_2(figures: Figures) -> Answer:
    """Compare times."""
    told, times = [], {}
    for k in (10, 50, 100):
        times[k] = by(figures, "algorithm", "CPU s", k=k)
        told.append(
            f"k = {k}: " + ", ".join(f"{name} {spent:.2f}" for name, spent in times[k].items())
        )
    return "CPU s, " + "; ".join(told), verdict(
        False, partly=times[100]["sequential"] < times[10]["sequential"]
    )


def seq_3(figures: Figures) -> Answer:
    """Compare how times grow with n."""
    growth = {}
    for name in dict.fromkeys(str(row["algorithm"]) for row in figures):
        of = by(figures, "n", "CPU s", algorithm=name)
        growth[name] = of["45222"] / max(of["10000"], 1e-3)
    told = "CPU s of 45,222 records over those of 10,000: " + ", ".join(
        f"{name} {ratio:.0f}" for name, ratio in growth.items()
    )
    quick = max(growth["hilbert"], growth["mondrian"])
    return told, verdict(quick < min(growth["agglomerative"], growth["k-member"]))


def seq_4(figures: Figures) -> Answer:
    """Compare how times grow with attributes."""
    parts = []
    growing = linear = True
    for k in sorted({int(row["k"]) for row in figures}):
        rows = [row for row in figures if row["k"] == k]
        name = next(key for key in rows[0] if key not in ("k", "CPU s", "LM"))
        spent = [float(row["CPU s"]) for row in rows]
        parts.append(
            f"k = {k}: {' / '.join(f'{one:.2f}' for one in spent)} ({name} 5 / 8 / 11 / 14)"
        )
        growing &= spent[-1] > spent[0]
        linear &= spent[-1] > 2 * spent[0]
    return "CPU s, " + "; ".join(parts), verdict(linear, partly=growing)


def seq_t2(figures: Figures) -> Answer:
    """Compare mean losses with the printed ones."""
    plain = [row for row in figures if not row["polish"]]
    told = ", ".join(
        f"k = {row['k']}: {row['LM']:.4f} ({row['paper']:.3f})"
        for row in sorted(plain, key=lambda row: int(row["k"]))
    )
    polished = [float(row["LM"]) / float(other["LM"]) for row in figures if row["polish"]
                for other in plain if other["k"] == row["k"]]  # fmt: skip
    told += f"; with polish {1 - mean(polished):.1%} less"
    off = max(abs(float(row["over paper"]) - 1) for row in plain)
    return told, verdict(off < 0.015)


def seq_t3(figures: Figures) -> Answer:
    """Compare entropies."""
    parts, trend = [], True
    for k in sorted({int(row["k"]) for row in figures}):
        of = [float(row["entropy"]) for row in figures if row["k"] == k]
        parts.append(f"k = {k}: {' / '.join(f'{one:.3f}' for one in of)}")
        trend &= of == sorted(of)
    return "; ".join(parts) + " (w = 0, .25, .5, .75, 1)", verdict(False, partly=trend)


def seq_5(figures: Figures) -> Answer:
    """Compare losses as diversity grows."""
    goals = [row for row in figures if not isinstance(row["l asked"], str)]
    told = ", ".join(f"l = {row['l asked']}: {row['LM']:.3f}" for row in goals)
    hilbert = next(row for row in figures if row["l asked"] == "hilbert")
    told += f"; Hilbert without diversity {hilbert['LM']:.3f}"
    return told, verdict(float(goals[-1]["LM"]) < float(hilbert["LM"]), partly=True)


def annealing(figures: Figures) -> Answer:
    """Score the printed grouping and the chains."""
    told = ", ".join(
        f"{row['schedule']} {row['cm']:.4f} ({row['proposals']:,} proposals)" for row in figures
    )
    return f"its grouping has 18 cells of 284 or more, CM .1805 or .1827; found: {told}", "yes"


def kgen_rows(figures: Figures, algorithm: str) -> dict[tuple[str, int], Mapping[str, Any]]:
    """Return the rows of an algorithm by table and number of attributes."""
    return {
        (str(row["table"]), int(row["quasi"])): row
        for row in figures
        if row["algorithm"] == algorithm
    }


def kgen_7(figures: Figures) -> Answer:
    """Compare times."""
    of, exact = kgen_rows(figures, "kgen"), kgen_rows(figures, "ola")
    tables = dict.fromkeys(table for table, _ in of)
    told = "; ".join(
        f"{table}: kgen {of[table, 25]['cpu_s']:.2f} CPU s at 25 QIs, "
        f"ola {exact[table, 7]['cpu_s']:.2f} at 7"
        for table in tables
    )
    return told, "yes"


def kgen_8(figures: Figures) -> Answer:
    """Compare accuracies."""
    told, least = [], 1.0
    for name in ("kgen", "kgen as printed", "random"):
        found = [float(row["accuracy"]) for row in kgen_rows(figures, name).values()
                 if row["accuracy"] is not None]  # fmt: skip
        told.append(f"{name} {span(found)}")
        least = min(found) if name == "kgen" else least
    return "accuracy at 2 to 7 QIs: " + ", ".join(told), verdict(least > 0.99)


def kgen_9(figures: Figures) -> Answer:
    """Compare levels of generalization."""
    ways = {name: kgen_rows(figures, name) for name in ("kgen", "kgen as printed", "random")}
    told = "; ".join(
        f"{table}, {quasi} QIs: "
        + ", ".join(f"{name} {float(of[table, quasi]['log']):.3f}" for name, of in ways.items())
        for table, quasi in ways["kgen"]
        if quasi in (10, 25)
    )
    holds = all(
        float(row["log"]) <= float(ways["random"][key]["log"]) + 1e-9
        for key, row in ways["kgen"].items()
    )
    return "LOG, " + told, verdict(holds)


def kgen_10(figures: Figures) -> Answer:
    """Compare levels of suppression."""
    of, exact = kgen_rows(figures, "kgen"), kgen_rows(figures, "ola")
    told = "; ".join(
        f"{table}, {quasi} QIs: kgen {float(of[table, quasi]['los']):.4f}, "
        f"ola {float(row['los']):.4f}"
        for (table, quasi), row in exact.items()
        if quasi == 7
    )
    most = max(float(row["los"]) for row in of.values())
    return f"LOS, {told}; never above {most:.4f}", verdict(most <= 0.005)
