"""Estimates of population uniqueness against their definitions and against known populations."""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.risks.population import SizeCounts, pitman, shlosser, snb, zayatz
from tests.reference import risk as reference


def counted(sizes: dict[int, int], fraction: float) -> SizeCounts:
    return SizeCounts(
        np.array(list(sizes), dtype=np.int64), np.array(list(sizes.values())), fraction
    )


SIZES = {1: 40, 2: 15, 3: 8, 5: 3, 11: 1}


@pytest.mark.parametrize("fraction", [0.05, 0.25, 0.8])
def test_zayatz_by_definition(fraction: float) -> None:
    counts = counted(SIZES, fraction)
    expected = reference.zayatz(Counter(SIZES), counts.sample, counts.population)
    assert zayatz(counts) / counts.population == pytest.approx(expected, rel=0.01)


def test_zayatz_by_hand() -> None:
    """Two classes of one and one of two, half of a population of 8.

    P(1 | 1) = 4/8; P(1 | 2) = 2 · C(6, 3)/C(8, 4) = 40/70. The likely share is (2/3 · 1/2) over
    (2/3 · 1/2 + 1/3 · 4/7) = 7/11, so 2 · 7/11 / 0.5 uniques are expected among the 8.
    """
    assert zayatz(counted({1: 2, 2: 1}, 0.5)) == pytest.approx(2 * 7 / 11 / 0.5)


@pytest.mark.parametrize("fraction", [0.02, 0.3, 0.7])
def test_shlosser_by_definition(fraction: float) -> None:
    expected = reference.shlosser(Counter(SIZES), fraction)
    assert shlosser(counted(SIZES, fraction)) == pytest.approx(expected)


@pytest.mark.parametrize(("alpha", "beta"), [(0.7, 0.2), (2.0, 0.4)])
def test_snb_finds_the_model_that_the_counts_came_from(alpha: float, beta: float) -> None:
    """Counts of one and of two are made from a model whose K is the one that is estimated."""
    fraction, larger = 0.4, {3: 900, 5: 400, 9: 50}
    total = 10_000.0
    for _ in range(200):  # K depends on the counts, and the counts on K
        ones, twos = reference.snb_counts(total, alpha, beta, fraction)
        total = reference.shlosser(Counter({1: ones, 2: twos, **larger}), fraction)
    scale = 10**6  # so that rounding to whole classes changes nothing
    sizes = {size: round(scale * count) for size, count in {1: ones, 2: twos, **larger}.items()}
    found = snb(counted(sizes, fraction))
    assert found == pytest.approx(scale * total * beta**alpha, rel=1e-4)


def test_pitman_is_the_maximum_of_its_likelihood() -> None:
    counts = counted(SIZES, 0.1)
    best, place = -np.inf, (0.0, 0.0)
    low, high = (1.0, -0.9), (200.0, 0.95)
    for _ in range(6):  # ever finer grids around the best place
        for theta in np.linspace(low[0], high[0], 25):
            for alpha in np.linspace(low[1], high[1], 25):
                if theta + alpha * 66 > 0 and theta > -alpha:
                    found = reference.pitman_likelihood(Counter(SIZES), theta, alpha)
                    if found > best:
                        best, place = found, (float(theta), float(alpha))
        step = ((high[0] - low[0]) / 12, (high[1] - low[1]) / 12)
        low = (max(place[0] - step[0], 0.01), place[1] - step[1])
        high = (place[0] + step[0], min(place[1] + step[1], 0.999))
    expected = reference.pitman_uniques(*place, counts.population)
    assert pitman(counts) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(("model", "fraction"), [("pitman", 0.1), ("snb", 0.7), ("zayatz", 0.9)])
def test_estimates_are_near_the_truth_of_a_made_up_population(model: str, fraction: float) -> None:
    rng = np.random.default_rng(7)
    weights = rng.gamma(0.5, size=20_000)
    people = rng.choice(20_000, size=100_000, p=weights / weights.sum())
    truth = np.count_nonzero(np.bincount(people) == 1) / len(people)
    sample = rng.choice(people, size=round(fraction * len(people)), replace=False)
    found = shoal.risk(
        pl.DataFrame({"cell": sample}), quasi="cell", sampling_fraction=fraction, combinations=1
    )
    assert found[f"population_{model}"] == pytest.approx(truth, rel=0.25)
    assert found["population_dankar"] == pytest.approx(truth, rel=0.25)


def test_dankar_takes_the_model_that_suits_the_fraction() -> None:
    table = pl.DataFrame({"a": [*range(40), *[i // 2 for i in range(200, 260)], *[1000] * 5]})
    small = shoal.risk(table, quasi="a", sampling_fraction=0.05)
    assert small["population_dankar"] == small["population_pitman"]
    large = shoal.risk(table, quasi="a", sampling_fraction=0.6)
    lower = min(large["population_snb"] or 1, large["population_zayatz"] or 1)
    assert large["population_dankar"] == lower


def test_estimates_that_disagree_are_named() -> None:
    """Nearly all are unique: by the negative binomial 1/F is 0.26, by Pitman most stay unique."""
    table = pl.DataFrame({"a": [*range(95), 95, 95, 96, 96, 97]})
    apart = shoal.risk(table, quasi="a", sampling_fraction=0.1)
    assert (apart["population_dankar"] or 0) > (apart["journalist_average"] or 1)
    assert sum("go by the higher" in note for note in apart.notes) == 1
    crowded = shoal.risk(pl.DataFrame({"a": [1] * 50 + [2] * 49 + [3]}), quasi="a",
                         sampling_fraction=0.1)  # fmt: skip
    assert (crowded["population_dankar"] or 0) <= (crowded["journalist_average"] or 0)
    assert not any("go by the higher" in note for note in crowded.notes)


def test_without_sample_uniques_nobody_is_unique() -> None:
    found = shoal.risk(pl.DataFrame({"a": [1, 1, 2, 2]}), quasi="a", sampling_fraction=0.01)
    assert found["population_dankar"] == 0


def test_a_sample_of_everybody_is_no_estimate() -> None:
    found = shoal.risk(pl.DataFrame({"a": [1, 1, 2]}), quasi="a", sampling_fraction=1.0)
    assert found["population_dankar"] == pytest.approx(1 / 3)
    assert found["journalist_average"] == pytest.approx(found["prosecutor_average"] or 0)


def test_all_unique_is_no_fit_for_pitman_but_no_crash() -> None:
    found = shoal.risk(pl.DataFrame({"a": range(50)}), quasi="a", sampling_fraction=0.1)
    assert found["population_pitman"] is None
    assert found["population_dankar"] == found["population_zayatz"] == 1.0
    assert any("does not fit" in note for note in found.notes)
