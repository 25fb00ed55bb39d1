"""Settings of the property tests."""

from __future__ import annotations

import os

from hypothesis import settings

# Shared machines stall: time is measured by the benchmarks, never by a test. The same examples are
# drawn each time, so that a failure always belongs to its change. SHOAL_NEW_EXAMPLES=1 draws new.
settings.register_profile(
    "shoal", deadline=None, derandomize=not os.environ.get("SHOAL_NEW_EXAMPLES")
)
settings.load_profile("shoal")
