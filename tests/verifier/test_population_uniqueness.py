"""The verifier's estimate of population uniqueness beside the one of `shoal risk`."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from shoal.risks.population import SizeCounts, estimated_uniqueness
from shoal.verifier.judges.population_uniqueness import estimate


def sizes_of(seed: int, categories: int, records: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    chances = rng.pareto(1.2, categories) + 0.05
    drawn = rng.choice(categories, records, p=chances / chances.sum())
    return np.bincount(drawn)[np.unique(drawn)]


@pytest.mark.parametrize("fraction", [0.01, 0.05, 0.1, 0.2, 0.5, 1.0])
@pytest.mark.parametrize(("seed", "categories"), [(1, 300), (2, 2_000), (3, 20_000)])
def test_both_estimates_agree(fraction: float, seed: int, categories: int) -> None:
    sizes = sizes_of(seed, categories, 1_500)
    held, number = np.unique(sizes, return_counts=True)
    counts = SizeCounts(held, number, fraction)
    theirs = estimated_uniqueness(counts).dankar
    assert theirs is not None
    ours = estimate(Counter(sizes.tolist()), counts.sample, counts.population, fraction)
    # Releases are made to stay 1 % below what is asked for.
    assert ours / counts.population == pytest.approx(theirs, rel=5e-3, abs=1e-9)


def test_no_unique_record_means_no_unique_person() -> None:
    assert estimate(Counter({2: 10, 3: 4}), 32, 320, 0.1) == 0


def test_zayatz_by_hand() -> None:
    # Two classes of one and one of two: 4 of 8 people. A class of one leaves one in the sample
    # with chance 1/2, a class of two with 2 · C(6, 3) / C(8, 4) = 4/7. Of both kinds 2/2 and 4/7:
    # a unique record is a unique person with chance 1 / (1 + 4/7) = 7/11, two of them 14/11, and
    # twice as many in the population. SNB finds no fit for so few.
    found = estimate(Counter({1: 2, 2: 1}), 4, 8, 0.5)
    assert found <= 28 / 11 + 1e-9
