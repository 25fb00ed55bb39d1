"""Settings of the property tests."""

from __future__ import annotations

import os

from hypothesis import settings

# Shared machines stall: time is measured by the benchmarks, never by a test. Continuous
# integration draws the same examples each time, so that a failure always belongs to its change.
settings.register_profile("shoal", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("shoal")
