"""Greedy and k-member against straightforward NumPy: 30,000 records, 8 attributes, k = 5."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks import plain_clustering
from benchmarks.tables import adult, census_like
from benchmarks.timing import print_table, timed
from shoal._core import kernels

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Placement = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]

K = 5


def run() -> list[dict[str, object]]:
    """Time both in one run, and check that they form the same classes."""
    table = adult() or census_like(30_000)
    distinct, counts = table.folded()
    records = distinct.records(counts)
    order = distinct.sort_order(counts)
    row_of, _ = kernels.fold(table.codes)
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    record_order = np.argsort(rank[row_of], kind="stable")

    def greedy(k: int) -> Placement:
        return kernels.greedy(records, order, k, False, kernels.Control())

    def k_member(k: int) -> Placement:
        start = int(order[0])
        return kernels.k_member(records, start, k, False, False, kernels.Control(), "auto", order)

    figures: list[dict[str, object]] = []
    kernel_of: dict[str, Callable[[int], Placement]] = {"greedy": greedy, "k-member": k_member}
    plain_of = {"greedy": plain_clustering.greedy, "k-member": plain_clustering.k_member}
    for name, kernel in kernel_of.items():
        ours = timed(lambda kernel=kernel: kernel(K), repeats=7)  # type: ignore[misc]
        plain = timed(lambda name=name: plain_of[name](table, record_order, K), repeats=1)  # type: ignore[misc]
        labels = plain.result
        expected = np.unique(np.stack([labels, row_of[record_order]]), axis=1, return_counts=True)
        row, which, count = ours.result
        merged = np.zeros((int(which.max()) + 1, len(counts)), dtype=np.int32)
        np.add.at(merged, (which, row), count)
        places = np.nonzero(merged)
        assert np.array_equal(np.stack(places), expected[0])
        assert np.array_equal(merged[places], expected[1])
        figures.append({"table": table.name, "algorithm": name, "kernel_cpu_s": ours.cpu,
                        "kernel_wall_s": ours.wall, "numpy_cpu_s": plain.cpu,
                        "times_numpy": plain.cpu / ours.cpu})  # fmt: skip
    print_table(
        ("table", "algorithm", "CPU s", "wall s", "NumPy CPU s", "× NumPy"),
        [tuple(row.values()) for row in figures],
    )
    losses: list[dict[str, object]] = []
    for name, kernel in kernel_of.items():
        for k in (2, 5, 10, 50):
            done = timed(lambda kernel=kernel, k=k: kernel(k), repeats=3)  # type: ignore[misc]
            row, which, count = done.result
            classes = int(which.max()) + 1
            loss = kernels.class_loss(records, row, which, count, classes)
            sizes = np.bincount(which, weights=count)
            losses.append({"table": table.name, "algorithm": name, "k": k, "cpu_s": done.cpu,
                           "loss": float((loss * sizes).sum() / counts.sum())})  # fmt: skip
    print_table(
        ("table", "algorithm", "k", "CPU s", "loss"), [tuple(row.values()) for row in losses]
    )
    return figures + losses
