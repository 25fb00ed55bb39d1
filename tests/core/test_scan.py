"""The scan on every instruction set against a plain scan in double precision."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from shoal._core import kernels
from tests.core.tables import random_table
from tests.reference import clustering


@pytest.mark.parametrize("most_codes", [4, 16, 40, 64, 100, 128, 200, 256, 900])
@pytest.mark.parametrize("furthest", [False, True])
def test_all_paths_find_the_row_of_the_plain_scan(most_codes: int, furthest: bool) -> None:
    for seed in range(20):
        table = random_table(1_000 * most_codes + seed, size=150, most_codes=most_codes)
        draw = np.random.default_rng(seed)
        first = {int(row): place for place, row in reversed(list(enumerate(table.row_of)))}
        member_count = int(draw.integers(1, min(table.rows, 6) + 1))
        members = draw.choice(table.rows, member_count, replace=False).astype(np.int32)
        others = sorted(set(range(table.rows)) - set(members.tolist()))
        if not others:
            continue
        held = [first[row] for row in members.tolist()]
        losses = [clustering.class_loss(table.attributes, [*held, first[row]]) for row in others]
        best = max(losses) if furthest else min(losses)
        for path in kernels.available_paths():
            found = kernels.scan(table.records, members, path, furthest)
            assert found == (others[losses.index(best)], best)


def test_paths_agree_on_many_attributes_and_tiny_weights() -> None:
    # More attributes than one group of planes holds, and growths far below a quantum.
    draw = np.random.default_rng(3)
    rows = 3_000
    records = kernels.Records(np.ones(rows, dtype=np.int32))
    weights = draw.random(21)
    weights[::4] *= 1e-7
    weights /= weights.sum()
    for weight, code_count in zip(
        weights.tolist(), draw.integers(2, 250, 21).tolist(), strict=True
    ):
        codes = draw.integers(0, code_count, rows).astype(np.uint8)
        if code_count % 2:
            records.add_interval(codes, np.sort(draw.random(code_count)), weight)
        else:
            records.add_set(codes, code_count, 1 / (code_count - 1), weight)
    for seed in range(200):
        members = np.random.default_rng(seed).choice(rows, 3, replace=False).astype(np.int32)
        for furthest in (False, True):
            found = {kernels.scan(records, members, path, furthest)
                     for path in kernels.available_paths()}  # fmt: skip
            assert len(found) == 1


def test_rounded_ties_are_decided_exactly() -> None:
    # Both rows round to the same score; the second is better by far less than a quantum.
    records = kernels.Records(np.ones(3, dtype=np.int32))
    positions = np.array([0.0, 0.5, 0.5 + 1e-9])
    records.add_interval(np.array([0, 2, 1], dtype=np.uint8), positions, 1.0)
    for path in kernels.available_paths():
        assert kernels.scan(records, np.array([0], dtype=np.int32), path) == (2, 0.5)
        assert kernels.scan(records, np.array([0], dtype=np.int32), path, True)[0] == 1


def test_the_plain_path_is_always_there() -> None:
    assert kernels.available_paths()[-1] == "scalar"


def test_scan_speed_times_every_scan() -> None:
    records = kernels.Records(np.ones(50, dtype=np.int32))
    records.add_set(np.arange(50, dtype=np.uint8), 50, 1 / 49, 1.0)
    seconds = kernels.scan_speed(records, np.array([0], dtype=np.int32), "auto", 4)
    assert seconds.shape == (4,)
    assert (seconds > 0).all()


@pytest.mark.parametrize("asked", ["scalar", "avx2", "avx512", "mmx"])
def test_the_environment_chooses_the_instruction_set(asked: str) -> None:
    """Nothing better than what is asked for; what is not there is refused by name."""
    here = kernels.available_paths()
    code = "from shoal._core import kernels; print(*kernels.available_paths())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "SHOAL_ISA": asked},
        capture_output=True,
        text=True,
        check=False,
    )
    if asked in here:
        assert done.stdout.split() == here[here.index(asked) :]
    else:
        assert "SHOAL_ISA must name an instruction set of this processor" in done.stderr
