"""Limits on memory: found in what the system tells, and heeded before it kills."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from shoal.limits.memory import Room, require_memory, rooms

if TYPE_CHECKING:
    from pathlib import Path

MIB = 2**20
SYSTEM = {"proc/meminfo": "MemTotal: 8388608 kB\nMemAvailable: 4194304 kB\nSwapTotal: 0 kB"}
MACHINE = Room(8192 * MIB, 4096 * MIB)


def system(folder: Path, **files: object) -> Path:
    """Return a root under which a system tells about its memory."""
    for name, content in {**SYSTEM, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{content}\n")
    return folder


def unified(limit: object, used: int, cache: int = 0) -> dict[str, object]:
    group = "sys/fs/cgroup/job"
    return {
        "proc/self/cgroup": "0::/job",
        f"{group}/memory.max": limit,
        f"{group}/memory.current": used,
        f"{group}/memory.stat": f"anon 1\ninactive_file {cache}",
    }


def test_the_machine_alone(tmp_path: Path) -> None:
    assert rooms(system(tmp_path)) == [MACHINE]
    assert rooms(tmp_path / "elsewhere") == []


def test_a_container_under_either_version(tmp_path: Path) -> None:
    second = system(tmp_path / "2", **unified(512 * MIB, 300 * MIB, 100 * MIB))
    assert rooms(second) == [MACHINE, Room(512 * MIB, 312 * MIB)]
    group = "sys/fs/cgroup/memory"
    first = {
        "proc/self/cgroup": "4:memory:/host/path\n1:cpu:/",
        f"{group}/memory.limit_in_bytes": 256 * MIB,
        f"{group}/memory.usage_in_bytes": 200 * MIB,
        f"{group}/memory.stat": "total_inactive_file 0",
    }
    assert rooms(system(tmp_path / "1", **first)) == [MACHINE, Room(256 * MIB, 56 * MIB)]


def test_limits_of_groups_above_count_and_none_is_none(tmp_path: Path) -> None:
    above = {"sys/fs/cgroup/memory.max": 400 * MIB, "sys/fs/cgroup/memory.current": 100 * MIB}
    root = system(tmp_path, **unified("max", 50 * MIB), **above)
    assert rooms(root) == [MACHINE, Room(400 * MIB, 300 * MIB)]


def test_a_file_that_never_fits_is_refused_at_once(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_bytes(b"a\n" * MIB)
    tight = system(tmp_path / "tight", **unified(64 * MIB, 61 * MIB))
    roomy = system(tmp_path / "roomy", **unified(64 * MIB, 59 * MIB))
    with pytest.raises(MemoryError):
        require_memory(["inspect", str(table)], tight)
    require_memory(["inspect", str(table)], roomy)
    require_memory(["inspect"], tight)


# A command that takes memory forever, or is deep in a library and heeds nothing meanwhile.
GUARDED = """
import signal, sys, time
from pathlib import Path
from shoal.cli.failure import explain
from shoal.cli.main import _cause, _install_signal_handlers
from shoal.limits.memory import MemoryGuard
_install_signal_handlers()
root, heeds = Path(sys.argv[1]), sys.argv[2] == "heeds"
if not heeds:
    signal.signal(signal.SIGTERM, lambda *_: None)
used = root / "sys/fs/cgroup/job/memory.current"
with MemoryGuard(lambda: explain(MemoryError(), as_json=False), root=root) as guard:
    try:
        taken = 400
        while True:
            taken = min(taken + 1, 511)
            used.write_text(str(taken * 2**20))
            time.sleep(0.02)
    except BaseException as error:
        print("unwound", flush=True)
        sys.exit(explain(_cause(error, guard), as_json=False))
"""


@pytest.mark.parametrize("heeds", [True, False])
def test_a_shortage_ends_in_one_line_and_unwinds_where_it_can(tmp_path: Path, heeds: bool) -> None:
    root = system(tmp_path, **unified(512 * MIB, 400 * MIB))
    done = subprocess.run(
        [sys.executable, "-c", GUARDED, str(root), "heeds" if heeds else "does not"],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert done.stderr.startswith("error: There is not enough memory for this table.\n")
    assert done.stdout == ("unwound\n" if heeds else "")
