"""Cores that a process may use."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from shoal.limits.cores import threads_or_cores, usable_cores

if TYPE_CHECKING:
    from pathlib import Path

AFFINE = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n")
    return root


@pytest.mark.parametrize(
    ("files", "cores"),
    [
        ({}, AFFINE),
        ({"proc/self/cgroup": "0::/"}, AFFINE),
        ({"proc/self/cgroup": "0::/", "sys/fs/cgroup/cpu.max": "max 100000"}, AFFINE),
        ({"proc/self/cgroup": "0::/", "sys/fs/cgroup/cpu.max": "50000 100000"}, 1),
        ({"proc/self/cgroup": "0::/", "sys/fs/cgroup/cpu.max": "100000 100000"}, 1),
        (
            {  # the group above has less than the group itself
                "proc/self/cgroup": "0::/jobs/one",
                "sys/fs/cgroup/jobs/one/cpu.max": "6400000 100000",
                "sys/fs/cgroup/jobs/cpu.max": "90000 100000",
            },
            1,
        ),
        (
            {  # in a container that shows the host's path
                "proc/self/cgroup": "0::/host/pod",
                "sys/fs/cgroup/cpu.max": "20000 100000",
            },
            1,
        ),
        (
            {  # version 1
                "proc/self/cgroup": "4:cpu,cpuacct:/a\n3:memory:/a",
                "sys/fs/cgroup/cpu/a/cpu.cfs_quota_us": "30000",
                "sys/fs/cgroup/cpu/a/cpu.cfs_period_us": "100000",
            },
            1,
        ),
        (
            {
                "proc/self/cgroup": "4:cpu,cpuacct:/",
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
            },
            AFFINE,
        ),
    ],
)
def test_quotas_of_control_groups_count(tmp_path: Path, files: dict[str, str], cores: int) -> None:
    assert usable_cores(_tree(tmp_path, files)) == cores


@pytest.mark.skipif(AFFINE < 2, reason="one core allows no fraction above one")
def test_a_started_core_counts_as_one(tmp_path: Path) -> None:
    files = {"proc/self/cgroup": "0::/", "sys/fs/cgroup/cpu.max": "150000 100000"}
    assert usable_cores(_tree(tmp_path, files)) == 2


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity here")
def test_affinity_counts() -> None:
    code = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))});"
        "from shoal.limits.cores import usable_cores; print(usable_cores())"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "1\n"


def test_what_is_asked_for_prevails() -> None:
    assert threads_or_cores(7) == 7
    assert threads_or_cores(None) == usable_cores()


def test_a_strange_list_of_groups_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_bytes(b"nonsense\n0::/\xff\n")
    assert usable_cores(tmp_path) >= 1
