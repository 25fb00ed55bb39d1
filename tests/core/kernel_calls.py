"""Every kernel that takes its time, called on one table of any size."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from shoal._core import kernels

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

Call: TypeAlias = "Callable[[kernels.Control, int], Any]"
K = 5


@dataclass(slots=True)
class Inputs:
    """One table with all kinds of attributes, and what kernels want besides."""

    n: int
    seed: int = 1
    records: kernels.Records = field(init=False)
    codes: list[NDArray[Any]] = field(init=False)
    objective: kernels.Objective = field(init=False)
    models: kernels.Models = field(init=False)
    order: NDArray[np.int32] = field(init=False)
    classes: int = field(init=False)
    class_of: NDArray[np.int32] = field(init=False)

    def __post_init__(self) -> None:
        n, draw = self.n, np.random.default_rng(self.seed)
        self.codes = [
            draw.integers(0, 90, n).astype(np.uint8),
            draw.integers(0, 16, n).astype(np.uint8),
            np.minimum(draw.integers(0, 13_000, n), draw.integers(0, 13_000, n)).astype(np.uint16),
            draw.integers(0, 64, n).astype(np.uint8),
            draw.integers(0, 5_000, n).astype(np.uint16),
        ]
        self.records = kernels.Records(np.ones(n, dtype=np.int32))
        self.records.add_interval(self.codes[0], np.linspace(0, 1, 90), 0.2)
        self.records.add_set(self.codes[1], 16, 1 / 15, 0.2)
        self.records.add_set(self.codes[2], 13_000, 1 / 12_999, 0.2)
        leaves = np.arange(64, dtype=np.int32)
        self.records.add_tree(
            self.codes[3],
            np.stack([leaves, np.full(64, 64, dtype=np.int32)]),
            np.append(leaves, 0).astype(np.int32),
            np.append(leaves, 63).astype(np.int32),
            np.append(np.zeros(64), 1.0),
            0.2,
        )
        self.records.add_interval(self.codes[4], np.linspace(0, 1, 5_000), 0.2)
        self.objective = kernels.Objective(self.records)
        self.models = kernels.Models(n)
        protected = draw.integers(0, 8, n).astype(np.uint8)
        self.models.add_distinct(protected, 2)
        self.models.add_ordered_closeness(protected, np.bincount(protected) / n, 0.35)
        self.order = np.arange(n, dtype=np.int32)
        self.classes = max(1, n // (2 * K))
        self.class_of = np.minimum(self.order // (2 * K), self.classes - 1).astype(np.int32)

    def information(self) -> kernels.Objective:
        secret = (self.codes[1] % 4).astype(np.uint8)
        return kernels.Objective.information(self.records, 0.5, secret, 4)

    def placed(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], int]:
        """Consecutive rows as classes of at least K records."""
        return self.order, self.class_of, np.ones(self.n, dtype=np.int32), self.classes

    def lattice(self) -> kernels.Lattice:
        counts = np.ones(self.n, dtype=np.int32)
        made = kernels.Lattice(counts, K, 0, "unmeasured", 0, kernels.Models(self.n), [])
        for codes, size in zip(self.codes, (90, 16, 13_000, 64, 5_000), strict=True):
            values = np.arange(size, dtype=np.int32)
            look = np.stack([values, values // 4, values // 64, np.zeros(size, dtype=np.int32)])
            cost = np.repeat(np.arange(4, dtype=np.int64)[:, None], size, axis=1)
            made.add(codes, look.astype(np.int32), cost, np.zeros((4, size), dtype=np.uint8))
        return made

    def cover(self) -> NDArray[np.int32]:
        """Each record with the next K - 1, those of the last with the first."""
        steps = np.arange(K, dtype=np.int32)
        return ((self.order[:, None] + steps) % self.n).astype(np.int32).ravel()


def _price(inputs: Inputs, control: kernels.Control, threads: int) -> Any:
    none, no_rows = np.empty(0), np.empty(0, dtype=np.int32)
    pricer = kernels.ClassPricer(inputs.records, K, 2 * K - 1)
    start = np.zeros(1, dtype=np.int64)
    prices = np.full(inputs.n, 0.25)
    together = np.empty(0, dtype=np.uint8)
    return pricer.price(
        prices, 0.0, none, start, no_rows, no_rows, no_rows, no_rows, no_rows, no_rows, together,
        below=0.0, all=False, nodes=1_000, total=-1, columns=0, seconds=-1.0, threads=threads,
        control=control,
    )  # fmt: skip


def _separate(inputs: Inputs, control: kernels.Control, threads: int) -> Any:
    del threads
    size = inputs.n // K * K
    start = np.arange(0, size + 1, K, dtype=np.int64)
    rows = np.concatenate([inputs.order[:size], np.roll(inputs.order[:size], 2)])
    return kernels.separate(
        np.ones(inputs.n, dtype=np.int64),
        np.concatenate([start, start[1:] + size]),
        rows,
        np.ones(2 * size, dtype=np.int32),
        np.full(2 * (len(start) - 1), 0.5),
        np.array([2, 3], dtype=np.int32),
        0.02, 100, 5, 40, control,
    )  # fmt: skip


def _walk(inputs: Inputs, control: kernels.Control, threads: int) -> Any:
    del threads
    search = kernels.RecodingSearch(
        inputs.records, np.empty(0, dtype=np.uint8), 1, goal="loss", share=1.0, k=K, limit=0,
        contiguous=True, seed=1, control=control,
    )  # fmt: skip
    ways: dict[str, Any] = {
        "temperature": 0.1,
        "uncollapse": 0.6,
        "pressure": 1.0,
        "hastings": False,
    }
    for place in range(5):
        search.walk(place, 200_000, **ways)
        search.sample(place, 1_000, uncollapse=0.5, pressure=1.0)
    return search.best_loss


def _refine_cover(inputs: Inputs, control: kernels.Control, threads: int) -> Any:
    return kernels.refine_cover(
        inputs.records, K, inputs.cover(), 1, 20 * inputs.n, -1.0, 64, 1.0, threads, control
    )


def _refine(inputs: Inputs, control: kernels.Control, threads: int) -> Any:
    models = kernels.Models(inputs.n)
    return kernels.refine(
        inputs.objective, models, *inputs.placed(), K, 1, threads, 100 * inputs.n, -1.0, 32, 0,
        1.0, control,
    )  # fmt: skip


def kernel_calls(inputs: Inputs) -> dict[str, Call]:
    """Name every kernel that takes a control, with a call of it on this table."""
    records, objective, models = inputs.records, inputs.objective, inputs.models
    order = inputs.order
    axes = [codes.astype(np.uint32) for codes in inputs.codes]

    def lattice(way: str, control: kernels.Control, threads: int) -> Any:
        return inputs.lattice().search(way, threads, 1e9, 2**62, control)

    def cover(method: str, control: kernels.Control, threads: int) -> Any:
        return kernels.cover(records, K, method, order, threads, control)

    calls: dict[str, Call] = {
        "fold": lambda control, _: kernels.fold(inputs.codes, control),
        "mondrian": lambda control, threads: kernels.mondrian(
            records, K, strict=False, threads=threads, control=control
        ),
        "mondrian with models": lambda control, threads: kernels.mondrian_with_models(
            objective, models, K, strict=True, keep=True, threads=threads, control=control
        ),
        "greedy": lambda control, _: kernels.greedy(records, order, K, True, control),
        "k-member": lambda control, _: kernels.k_member(records, 0, K, True, False, control),
        "greedy, information": lambda control, _: kernels.information_greedy(
            inputs.information(), order, K, True, control
        ),
        "k-member, information": lambda control, _: kernels.information_k_member(
            inputs.information(), order, 0, K, True, False, control
        ),
        "agglomerative": lambda control, _: kernels.agglomerative(objective, K, True, control),
        "agglomerative, information": lambda control, _: kernels.agglomerative(
            inputs.information(), K, True, control
        ),
        "hilbert keys": lambda control, _: kernels.hilbert_keys(axes, 14, control),
        "hilbert order": lambda control, _: kernels.hilbert_order(axes[:4], 14, control),
        "hilbert order, long keys": lambda control, _: kernels.hilbert_order(axes, 20, control),
        "optimal runs": lambda control, _: kernels.optimal_runs(objective, order, K, control),
        "sequential": lambda control, threads: kernels.sequential(
            objective, models, K, 3, 7, 4, True, 1, threads, -1, -1.0, control
        ),
        "refine": partial(_refine, inputs),
        "neighbours": lambda control, threads: kernels.neighbours(
            records, 16, 100_000, threads, control
        ),
        "repair": lambda control, _: kernels.repair(objective, models, *inputs.placed(), control),
        "repair of one class": lambda control, _: kernels.repair(
            objective, models, order, np.zeros(inputs.n, dtype=np.int32),
            np.ones(inputs.n, dtype=np.int32), 1, control,
        ),
        "lower bound": lambda control, threads: kernels.lower_bound(
            records, *inputs.placed(), k=K, suppression_limit=0, threads=threads, rounds=2,
            seconds=-1.0, control=control, different=1, values=order[:0],
        ),
        "pricing": partial(_price, inputs),
        "separation": partial(_separate, inputs),
        "conceal": lambda control, _: kernels.conceal(records, K, "concealment", control),
        "ring cover": lambda control, _: kernels.ring_cover(
            records, *inputs.placed(), K, order, True, control
        ),
        "refine cover": partial(_refine_cover, inputs),
        "cover outliers": lambda control, _: kernels.cover_outliers(
            records, K, inputs.cover(), inputs.n // 10, control
        ),
        "matchings": lambda control, _: kernels.random_matchings(
            inputs.cover(), K, np.arange(4, dtype=np.uint64), control
        ),
        "recoding": partial(_walk, inputs),
    }  # fmt: skip
    for method in ("greedy", "originals", "sorted", "assignments", "flow", "symmetric"):
        calls[f"cover, {method}"] = partial(cover, method)
    for way in ("exhaustive", "ola", "flash", "incognito", "samarati"):
        calls[f"lattice, {way}"] = partial(lattice, way)
    return calls
