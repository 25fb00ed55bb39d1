"""Threads that the system refuses: kernels do the work with those they get."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

from shoal._core import kernels
from tests.core.kernel_calls import Inputs, kernel_calls

THREADED = (
    "mondrian",
    "mondrian with models",
    "refine",
    "neighbours",
    "sequential",
    "lower bound",
    "pricing",
    "refine cover",
    "cover, sorted",
    "cover, assignments",
    "lattice, exhaustive",
    "lattice, ola",
)
NOBODY = 65534


def run_without_further_threads() -> None:
    """Run every threaded kernel in this process, which may start no thread."""
    small, large = Inputs(120), Inputs(40_000)
    expected = {name: kernel_calls(small)[name](kernels.Control(), 1) for name in THREADED}
    expected["mondrian"] = kernel_calls(large)["mondrian"](kernels.Control(), 1)
    if os.geteuid() == 0:
        os.setuid(NOBODY)  # limits do not hold for root
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    try:
        threading.Thread(target=print).start()
    except RuntimeError:
        pass
    else:
        sys.exit("the limit of processes does not hold here")
    for name in THREADED:
        table = large if name == "mondrian" else small
        found = kernel_calls(table)[name](kernels.Control(), 8)
        same = all(
            np.array_equal(a, b) for a, b in zip(_flat(found), _flat(expected[name]), strict=True)
        )
        if not same:
            sys.exit(f"{name} differs")


def _flat(found: Any) -> list[Any]:
    if isinstance(found, tuple):
        return [part for each in found for part in _flat(each)]
    return [found]


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="needs a limit of processes")
def test_kernels_do_their_work_where_no_thread_can_be_started() -> None:
    code = "from tests.core.test_threads import run_without_further_threads as run; run()"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
