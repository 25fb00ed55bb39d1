"""Greedy, k-member and Mondrian against oracles that work record by record."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from shoal._core import kernels
from shoal.errors import Cancelled
from tests.core.tables import TestTable, random_table, seed_blocks
from tests.interrupting import Interrupted
from tests.reference import clustering


def draw_k(seed: int, table: TestTable) -> int:
    return int(np.random.default_rng(seed + 10_000).integers(1, min(table.records.total, 9) + 1))


@pytest.mark.parametrize("seeds", seed_blocks(300), ids=str)
def test_greedy_places_records_as_the_oracle_does(seeds: range) -> None:
    for seed in seeds:
        table = random_table(seed)
        k = draw_k(seed, table)
        order = np.random.default_rng(seed).permutation(table.rows).astype(np.int32)
        expected = clustering.greedy(table.attributes, table.expand(order.tolist()), k)
        for path in kernels.available_paths():
            placed = kernels.greedy(table.records, order, k, False, kernels.Control(), path)
            assert table.classes_of(placed) == table.fold_classes(expected)


@pytest.mark.parametrize("seeds", seed_blocks(300), ids=str)
@pytest.mark.parametrize("centre", [False, True])
def test_k_member_places_records_as_the_oracle_does(seeds: range, centre: bool) -> None:
    for seed in seeds:
        table = random_table(seed)
        k = draw_k(seed, table)
        order = np.random.default_rng(seed).permutation(table.rows).astype(np.int32)
        start = seed % table.rows
        first = table.expand([start])[0]
        for rows in (None, order):
            records = table.expand(range(table.rows) if rows is None else rows.tolist())
            expected = clustering.k_member(table.attributes, records, first, k, centre=centre)
            for path in kernels.available_paths():
                placed = kernels.k_member(
                    table.records, start, k, False, centre, kernels.Control(), path, rows
                )
                assert table.classes_of(placed) == table.fold_classes(expected)


@pytest.mark.parametrize("seeds", seed_blocks(300), ids=str)
@pytest.mark.parametrize("strict", [True, False])
def test_mondrian_cuts_as_the_oracle_does(seeds: range, strict: bool) -> None:
    for seed in seeds:
        table = random_table(seed)
        k = draw_k(seed, table)
        order = table.expand(range(table.rows))
        expected = clustering.mondrian(table.attributes, order, k, strict=strict)
        placed = kernels.mondrian(table.records, k, strict, 1, kernels.Control())
        assert table.classes_of(placed) == table.fold_classes(expected)


@pytest.mark.parametrize("seed", range(40))
def test_wide_domains_give_the_same_classes(seed: int) -> None:
    table = random_table(seed, size=60, most_codes=700)
    k = draw_k(seed, table)
    order = np.arange(table.rows, dtype=np.int32)
    records = table.expand(range(table.rows))
    expected = table.fold_classes(clustering.greedy(table.attributes, records, k))
    for path in kernels.available_paths():
        placed = kernels.greedy(table.records, order, k, False, kernels.Control(), path)
        assert table.classes_of(placed) == expected
    cuts = clustering.mondrian(table.attributes, records, k, strict=False)
    placed = kernels.mondrian(table.records, k, False, 1, kernels.Control())
    assert table.classes_of(placed) == table.fold_classes(cuts)


@pytest.mark.parametrize("seeds", seed_blocks(100), ids=str)
@pytest.mark.parametrize("method", ["greedy", "k-member", "centre"])
def test_settled_rows_are_classes_of_their_own(seeds: range, method: str) -> None:
    for seed in seeds:
        table = random_table(seed)
        k = draw_k(seed, table)
        counts = np.bincount(table.row_of)
        order = np.arange(table.rows, dtype=np.int32)
        control = kernels.Control()
        if method == "greedy":
            placed = kernels.greedy(table.records, order, k, True, control)
        else:
            placed = kernels.k_member(table.records, 0, k, True, method == "centre", control)
        row, which, count = placed
        assert np.bincount(row, weights=count).tolist() == counts.tolist()
        assert min(np.bincount(which, weights=count)) >= k
        for settled in np.flatnonzero(counts >= k).tolist():
            home = which[row == settled]
            assert len(home) == 1
            assert count[row == settled].tolist() == [counts[settled]]
        assert control.progress == 1.0


def test_seven_patients_of_the_milp_paper() -> None:
    # Liang and Samavi, Table 1: age, sex and zip code of seven patients; k = 3.
    ages = np.array([37, 35, 36, 61, 63, 66, 63])
    female = np.array([0, 0, 0, 1, 1, 1, 1], dtype=np.uint8)
    zips = np.array([22071, 22098, 23061, 55107, 55099, 55324, 55229])
    age_values, age = np.unique(ages, return_inverse=True)
    zip_values, zip_code = np.unique(zips, return_inverse=True)
    records = kernels.Records(np.ones(7, dtype=np.int32))
    for values, codes in ((age_values, age), (zip_values, zip_code)):
        positions = (values - values[0]) / (values[-1] - values[0])
        records.add_interval(codes.astype(np.uint8), positions, 1 / 3)
    records.add_set(female, 2, 1.0, 1 / 3)
    # Attributes by ascending variance of the scaled values: zip code, age, sex.
    order = np.lexsort((female, age, zip_code)).astype(np.int32)
    row, which, count = kernels.greedy(records, order, 3, False, kernels.Control())
    classes = [set(row[which == each].tolist()) for each in range(2)]
    assert classes == [{0, 1, 2}, {3, 4, 5, 6}]
    assert count.tolist() == [1] * 7
    closures = [
        (ages[list(each)].min(), ages[list(each)].max(), zips[list(each)].min(),
         zips[list(each)].max(), set(female[list(each)].tolist()))
        for each in classes
    ]  # fmt: skip
    assert closures == [(35, 37, 22071, 23061, {0}), (61, 66, 55099, 55324, {1})]


@pytest.mark.parametrize("strict", [True, False])
def test_mondrian_does_not_depend_on_the_number_of_threads(strict: bool) -> None:
    draw = np.random.default_rng(5)
    records = kernels.Records(draw.integers(1, 4, 300_000).astype(np.int32))
    for code_count in (2, 72, 41, 7):
        codes = draw.integers(0, code_count, 300_000).astype(np.uint8)
        records.add_set(codes, code_count, 1 / (code_count - 1), 0.25)
    results = [
        kernels.mondrian(records, 5, strict, threads, kernels.Control()) for threads in (1, 2, 7)
    ]
    for other in results[1:]:
        for mine, theirs in zip(results[0], other, strict=True):
            assert np.array_equal(mine, theirs)


def test_relaxed_mondrian_halves_what_cannot_be_cut() -> None:
    records = kernels.Records(np.array([9, 7], dtype=np.int32))
    records.add_set(np.array([0, 1], dtype=np.uint8), 2, 1.0, 1.0)
    strict = kernels.mondrian(records, 8, True, 1, kernels.Control())
    assert strict[1].tolist() == [0, 0]
    row, which, count = kernels.mondrian(records, 8, False, 1, kernels.Control())
    assert list(zip(row.tolist(), which.tolist(), count.tolist(), strict=True)) == [
        (0, 0, 8),
        (0, 1, 1),
        (1, 1, 7),
    ]


def test_class_loss_is_that_of_the_closures() -> None:
    for seed in range(50):
        table = random_table(seed)
        k = draw_k(seed, table)
        row, which, count = kernels.mondrian(table.records, k, False, 1, kernels.Control())
        classes = table.classes_of((row, which, count))
        losses = kernels.class_loss(table.records, row, which, count, len(classes))
        first = {int(each): place for place, each in reversed(list(enumerate(table.row_of)))}
        expected = [
            clustering.class_loss(table.attributes, [first[row] for row in members])
            for members in classes
        ]
        assert losses.tolist() == expected


@pytest.mark.parametrize("method", ["greedy", "k-member", "mondrian"])
@pytest.mark.parametrize("k", [1, 12])
def test_one_row_and_all_records_as_one_class(method: str, k: int) -> None:
    records = kernels.Records(np.array([12], dtype=np.int32))
    records.add_set(np.zeros(1, dtype=np.uint8), 1, 0.0, 1.0)
    control = kernels.Control()
    if method == "greedy":
        placed = kernels.greedy(records, np.zeros(1, dtype=np.int32), k, False, control)
    elif method == "k-member":
        placed = kernels.k_member(records, 0, k, False, False, control)
    else:
        placed = kernels.mondrian(records, k, False, 1, control)
    assert Counter(placed[0].tolist()).keys() == {0}
    assert placed[2].sum() == 12
    assert min(np.bincount(placed[1], weights=placed[2])) >= k


@pytest.mark.parametrize("method", ["greedy", "k-member"])
def test_cancelling_stops_a_run_under_way(method: str) -> None:
    draw = np.random.default_rng(1)
    rows = 400_000
    records = kernels.Records(np.ones(rows, dtype=np.int32))
    for _ in range(8):
        records.add_set(draw.integers(0, 60, rows).astype(np.uint8), 60, 1 / 59, 1 / 8)
    control = kernels.Control()

    def grow() -> object:
        if method == "greedy":
            return kernels.greedy(records, np.arange(rows, dtype=np.int32), 5, False, control)
        return kernels.k_member(records, 0, 5, False, False, control)

    ended = Interrupted(grow, control)
    assert ended.cancelled
    assert ended.went_on < 0.01


def test_a_cancelled_control_stops_mondrian_at_once() -> None:
    records = kernels.Records(np.ones(50, dtype=np.int32))
    records.add_set(np.arange(50, dtype=np.uint8), 50, 1 / 49, 1.0)
    control = kernels.Control()
    control.cancel()
    with pytest.raises(Cancelled):
        kernels.mondrian(records, 5, True, 1, control)
