"""Attribute disclosure: by hand, by pycanon, and what is told about Adult."""

from __future__ import annotations

from collections import Counter
from typing import Any

import polars as pl
import pytest

import shoal
from benchmarks.data import find_data
from shoal.verifier.judges.population_uniqueness import estimate
from tests.reference import risk as reference
from tests.tables import MIXED, mixed_table

anonymity = pytest.importorskip("pycanon.anonymity")


def test_by_hand() -> None:
    """Classes {flu, flu, gout} and {flu, flu}: 4 of 5 guessed right, one class gives flu away."""
    table = pl.DataFrame({"sex": [*"FFFMM"], "ill": ["flu", "flu", "gout", "flu", "flu"]})
    (found,) = shoal.risk(table, quasi="sex", sensitive="ill").sensitive
    assert found.guess == pytest.approx(4 / 5)
    assert found.guess_without == pytest.approx(4 / 5)
    assert found.largest_share == 1.0
    assert (found.least_values, found.giving_away, found.given_away) == (1, 1, 2)
    assert found.least_entropy == 1.0
    # Shares of the first class are 2/3 and 1/3, of the table 4/5 and 1/5; of the second 1 and 0.
    assert found.largest_distance == pytest.approx(1 / 5)


def test_suppressed_records_are_a_class() -> None:
    table = pl.DataFrame({"sex": ["F", "F", "*"], "ill": ["flu", "gout", "mumps"]})
    (found,) = shoal.risk(table, quasi="sex", sensitive="ill").sensitive
    assert found.giving_away == 1
    assert found.guess == pytest.approx(2 / 3)


@pytest.fixture(scope="module")
def release() -> tuple[pl.DataFrame, Any]:
    made = shoal.anonymize(mixed_table(160, 21), k=4, algorithm="mondrian", seed=5, **MIXED)
    return made.table, made.table.to_pandas()


def test_pycanon_agrees(release: tuple[pl.DataFrame, Any]) -> None:
    table, pandas = release
    quasi = MIXED["quasi"]
    found = shoal.risk(table, quasi=quasi, sensitive=["disease"])
    (told,) = found.sensitive
    assert found["smallest_class"] == anonymity.k_anonymity(pandas, quasi)
    assert told.least_values == anonymity.l_diversity(pandas, quasi, ["disease"])
    alpha, _ = anonymity.alpha_k_anonymity(pandas, quasi, ["disease"])
    assert told.largest_share == pytest.approx(alpha)
    closeness = anonymity.t_closeness(pandas, quasi, ["disease"])
    assert told.largest_distance == pytest.approx(closeness, rel=1e-4)
    entropy = anonymity.entropy_l_diversity(pandas, quasi, ["disease"])
    assert entropy <= told.least_entropy <= entropy + 1


@pytest.mark.shared_data
@pytest.mark.skipif(find_data("adult30k") is None, reason="the real tables are not here")
def test_figures_of_adult_by_an_independent_computation() -> None:
    path = find_data("adult30k")
    assert path is not None
    table = pl.read_csv(path)
    quasi = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass",
             "occupation"]  # fmt: skip
    sizes = table.select(*quasi, "salary-class", f=pl.len().over(quasi))
    found = shoal.risk(table, quasi=quasi, sensitive="salary-class", combinations=1)
    n = table.height
    assert found["prosecutor_average"] == pytest.approx(
        sizes.select((1 / pl.col("f")).mean()).item()
    )
    assert found["unique"] == sizes.filter(pl.col("f") == 1).height
    assert found["prosecutor_above"] == sizes.filter(pl.col("f") < 5).height / n
    assert found["classes"] == table.select(quasi).n_unique()
    most = (
        table.group_by(*quasi, "salary-class")
        .len()
        .group_by(quasi)
        .agg(most=pl.col("len").max(), values=pl.len(), total=pl.col("len").sum())
    )
    (told,) = found.sensitive
    assert told.guess == pytest.approx(most["most"].sum() / n)
    assert told.given_away == most.filter(pl.col("values") == 1)["total"].sum()
    # As ARX has it: the mean size of a class, the most exposed record, the average as 1 / mean.
    assert found["prosecutor_average"] == pytest.approx(1 / (n / found["classes"]))
    assert found["prosecutor_highest"] == 1 / min(sizes["f"].to_list())
    assert found["sample_uniqueness"] == pytest.approx(found["unique"] / n)
    pandas = table.select(quasi).to_pandas()
    assert found["smallest_class"] == anonymity.k_anonymity(pandas, quasi)


@pytest.mark.shared_data
@pytest.mark.skipif(find_data("adult30k") is None, reason="the real tables are not here")
@pytest.mark.parametrize("fraction", [0.01, 0.3])
def test_population_figures_of_adult_by_independent_computations(fraction: float) -> None:
    path = find_data("adult30k")
    assert path is not None
    quasi = ["sex", "age", "race", "marital-status", "education"]
    table = pl.read_csv(path).select(quasi)
    found = shoal.risk(table, quasi=quasi, sampling_fraction=fraction, combinations=1)
    sizes = Counter(table.group_by(quasi).len()["len"].to_list())
    # The individual risk of sdcMicro, E(1/F | f), term by term; rare large classes hardly count.
    terms = {f: reference.expected_inverse(f, fraction, 40_000) for f in sizes if f <= 40}
    low = sum(c * f * terms[f] for f, c in sizes.items() if f in terms) / table.height
    rest = sum(c * f for f, c in sizes.items() if f not in terms) / table.height
    assert low <= found["journalist_average"] <= low + rest * fraction / 40 * 1.01
    # The verifier works the rule of Dankar et al. out by sums and searches of its own.
    population = round(table.height / fraction)
    uniques = estimate(sizes, table.height, population, fraction)
    assert found["population_dankar"] == pytest.approx(uniques / population, rel=5e-3)
