"""How stored figures are read beside the tables and figures of the sequential paper."""

from __future__ import annotations

from statistics import linear_regression, mean
from typing import TYPE_CHECKING

from benchmarks.reproduction_reading import Answer, Figures, apart, by, verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

ADULT_RECORDS = 45_222


SLIGHTLY = 1.1
"""At most so much is "slightly worse"."""


def seq_1(figures: Figures) -> Answer:
    """Compare losses at every k."""
    told, order, near, slightly = [], True, True, True
    for k in (10, 50, 100):
        of = by(figures, "algorithm", "LM", k=k)
        told.append(f"k = {k}: " + ", ".join(f"{name} {loss:.3f}" for name, loss in of.items()))
        first, member = of["sequential as printed"], of["k-member"]
        near &= abs(first / of["agglomerative"] - 1) < 0.05
        order &= first < member < of["hilbert"] < of["mondrian"]
        slightly &= member < SLIGHTLY * first
    return "; ".join(told), verdict(near and order and slightly, partly=near and order)


def seq_ties(figures: Figures) -> Answer:
    """Compare k-member under several ways to break ties with sequential."""
    told, printed, rarest = [], [], []
    for k in sorted({int(row["k"]) for row in figures}):
        of = by(figures, "way", "over sequential", k=k)
        told.append(f"k = {k}: " + ", ".join(f"{way} {ratio:.2f}" for way, ratio in of.items()))
        printed.append(of["k-member, ties to the first in sorted order"] < SLIGHTLY)
        rarest.append(of["k-member, ties to the rarest"] < SLIGHTLY)
    return "LM over that of sequential as printed, " + "; ".join(told), verdict(
        all(printed), partly=any(rarest)
    )


def seq_2(figures: Figures) -> Answer:
    """Compare times; a scan also without vector instructions."""
    figures, scans = apart(figures, "scan ns")
    told, times = [], {}
    names = ("sequential as printed", "agglomerative", "k-member", "hilbert", "mondrian")
    for k in (10, 50, 100):
        times[k] = by(figures, "algorithm", "CPU s", k=k)
        told.append(f"k = {k}: " + ", ".join(f"{name} {times[k][name]:.2f}" for name in names))
    falls = times[100][names[0]] < times[10][names[0]]
    quick = all(
        max(of["hilbert"], of["mondrian"]) < min(of[name] for name in names[:3])
        for of in times.values()
    )
    widest = max(scans, key=lambda row: (row["r"], row["k"]))
    plain, fast = (float(widest[name]) for name in ("scan ns, scalar", "scan ns"))
    k = int(widest["k"])
    # As printed: every record left for each one that joins; every class for each visited record.
    comparisons = {
        "k-member, whatever k,": ADULT_RECORDS**2 / 2,
        f"sequential, k = {k},": float(widest["passes"]) * ADULT_RECORDS**2 / k,
    }
    told.append(
        f"a comparison takes {plain:.0f} ns, {fast:.0f} in vectors: those of the printed "
        + " and of ".join(
            f"{name} {number * plain / 1e9:.1f} s, {number * fast / 1e9:.1f} in vectors"
            for name, number in comparisons.items()
        )
    )
    return "CPU s, " + "; ".join(told), verdict(falls and quick, partly=falls)


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
    """Compare how times grow with attributes: in all, and of a visit to a record."""
    figures, passes = apart(figures, "passes")
    told = []
    growing = linear = True
    for k in sorted({int(row["k"]) for row in figures}):
        spent = list(by(figures, "r", "CPU s", k=k).values())
        number = list(by(passes, "r", "passes", k=k).values())
        visit = by(passes, "r", "CPU µs a visit", k=k)
        slope, fixed = linear_regression([float(r) for r in visit], list(visit.values()))
        told.append(
            f"k = {k}: {_listed(spent)} in {_listed(number, 0)} passes; a visit to a record takes "
            f"about {fixed:.2f} + {slope:.3f} r µs"
        )
        growing &= slope > 0
        linear &= spent[-1] > 2 * spent[0]
    return "CPU s for r = 5 / 8 / 11 / 14, " + "; ".join(told), verdict(linear, partly=growing)


def _listed(figures: Sequence[float], digits: int = 2) -> str:
    return " / ".join(f"{one:.{digits}f}" for one in figures)


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
    """Compare entropies, also in ways that the paper leaves open."""
    figures, tried = apart(figures, "way")
    shown, clusters = apart(figures, "mean of clusters")
    parts, trend = [], True
    off: dict[str, float] = {}
    for k in sorted({int(row["k"]) for row in shown}):
        one_by_one = by(clusters, "w", "mean of clusters", k=k)
        alike = by(shown, "w", "entropy", k=k)
        parts.append(
            f"k = {k}: {_listed(list(one_by_one.values()))}, "
            f"clusters that look alike as one {_listed(list(alike.values()))}"
        )
        trend &= list(one_by_one.values()) == sorted(one_by_one.values())
        for w, paper in by(clusters, "w", "paper", k=k).items():
            off[w] = max(off.get(w, 0.0), abs(one_by_one[w] - paper))
    told = "; ".join(parts) + " (w = 0, .25, .5, .75, 1); at most from the paper, by w: "
    told += " / ".join(f"{one:.2f}" for one in off.values())
    ways = {
        str(row["way"]): list(by(tried, "w", "mean of classes", way=row["way"]).values())
        for row in tried
    }
    ways["means of records"] = list(by(tried, "w", "mean of records", way="as printed").values())
    told += "; k = 100, w = 0, .5, 1, clusters that look alike as one: " + ", ".join(
        f"{way} {_listed(of)}" for way, of in ways.items()
    )
    return told, verdict(trend and max(off.values()) < 0.05, partly=trend)


def seq_5(figures: Figures) -> Answer:
    """Compare losses as diversity grows: as printed, and with even splits."""
    goals = [row for row in figures if not isinstance(row["l asked"], str)]
    told = ", ".join(
        f"l = {row['l asked']}: {row['LM']:.3f} (reached {row['l reached']:.3f}; "
        f"`split=even` {row['LM, split=even']:.3f})"
        for row in goals
    )
    of = {str(row["l asked"]): float(row["LM"]) for row in figures}
    told += f"; without diversity Hilbert {of['hilbert']:.3f}, Mondrian {of['mondrian']:.3f}"
    most = max(goals, key=lambda row: float(row["l asked"]))
    # Short of the greatest diversity that was asked for, or with our way to split.
    last = [float(row["LM"]) for row in goals if float(row["LM"]) < 0.95][-1]
    least = min(last, float(most["LM, split=even"]))
    return told, verdict(float(most["LM"]) < of["hilbert"], partly=least < of["mondrian"])
