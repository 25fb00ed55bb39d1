"""Every measure straight from its definition, in plain Python.

A release is a list of what each record shows: for each attribute the set of table values that its
closure covers, or ``None`` for a record that is suppressed. Record i of the release was made from
row i of the table.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import product
from math import log2, prod, sqrt

Row = tuple[str, ...]
Shown = tuple[frozenset[str], ...] | None


@dataclass(frozen=True)
class Case:
    """A table, its private values, and what is released of it."""

    rows: list[Row]
    private: list[str]
    shown: list[Shown]

    @property
    def n(self) -> int:
        return len(self.rows)

    @property
    def attributes(self) -> range:
        return range(len(self.rows[0]))

    def domain(self, j: int) -> set[str]:
        return {row[j] for row in self.rows}

    def closure(self, i: int, j: int) -> set[str]:
        shown = self.shown[i]
        return self.domain(j) if shown is None else set(shown[j])

    def classes(self) -> list[list[int]]:
        found: dict[tuple[frozenset[str], ...], list[int]] = {}
        for i, shown in enumerate(self.shown):
            if shown is not None:
                found.setdefault(shown, []).append(i)
        return list(found.values())


def cm(case: Case) -> float:
    """Suppressed records and those outside the majority of their class, as a share."""
    penalty = sum(shown is None for shown in case.shown)
    for members in case.classes():
        labels = Counter(case.private[i] for i in members)
        penalty += len(members) - max(labels.values())
    return penalty / case.n


def entropy_diversity(case: Case) -> float:
    """Mean entropy of the private values of a class."""
    entropies = []
    for members in case.classes():
        labels = Counter(case.private[i] for i in members)
        entropies.append(-sum(c / len(members) * log2(c / len(members)) for c in labels.values()))
    return sum(entropies) / len(entropies)


def kl(case: Case) -> float:
    """Divergence, with the whole product of domains spelt out."""
    p = {row: count / case.n for row, count in Counter(case.rows).items()}
    q = dict.fromkeys(product(*(sorted(case.domain(j)) for j in case.attributes)), 0.0)
    for i in range(case.n):
        closures = [case.closure(i, j) for j in case.attributes]
        for cell in product(*closures):
            q[cell] += 1 / case.n / prod(map(len, closures))
    assert abs(sum(q.values()) - 1) < 1e-9
    return sum(share * log2(share / q[row]) for row, share in p.items())


def mi(case: Case) -> float:
    """Mean of -log2 Pr(X_j = R_i(j) | X_j in closure)."""
    total = 0.0
    for i in range(case.n):
        for j in case.attributes:
            closure = case.closure(i, j)
            exact = sum(row[j] == case.rows[i][j] for row in case.rows)
            inside = sum(row[j] in closure for row in case.rows)
            total -= log2(exact / inside)
    return total / case.n / len(case.attributes)


def _private_share(case: Case, i: int, j: int) -> float:
    closure = case.closure(i, j)
    inside = [s for row, s in zip(case.rows, case.private, strict=True) if row[j] in closure]
    return sum(s == case.private[i] for s in inside) / len(inside)


def pmi(case: Case) -> float:
    """Mean of -log2 Pr(Y = S_i | X_j in closure)."""
    total = sum(-log2(_private_share(case, i, j)) for i in range(case.n) for j in case.attributes)
    return total / case.n / len(case.attributes)


def utilities(case: Case) -> list[float]:
    """U_j of each attribute."""
    return [
        sum(
            log2(_private_share(case, i, j) / (case.private.count(case.private[i]) / case.n))
            for i in range(case.n)
        )
        / case.n
        for j in case.attributes
    ]


def every(case: Case) -> dict[str, float]:
    """All of them by the names users know."""
    told = utilities(case)
    return {
        "cm": cm(case),
        "entropy_diversity": entropy_diversity(case),
        "kl": kl(case),
        "mi": mi(case),
        "pmi": pmi(case),
        "pmi_mean": sum(told) / len(told),
        "pmi_max": max(told),
        "pmi_l2": sqrt(sum(u * u for u in told)) / len(told),
        "wmi": 0.5 * mi(case) + 0.5 * pmi(case),
        "wmi:0.25": 0.25 * mi(case) + 0.75 * pmi(case),
    }
