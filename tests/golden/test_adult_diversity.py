"""How diverse Adult's private columns are: figures that the sequential paper prints."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from benchmarks.data import find_data
from shoal.errors import InfeasibleError

ADULT = find_data("adult")


@pytest.mark.shared_data
@pytest.mark.skipif(ADULT is None, reason="the table Adult is not here")
@pytest.mark.parametrize(("column", "printed"), [("income", 1.3295), ("education", 3.06)])
def test_largest_feasible_diversity_of_adult(column: str, printed: float) -> None:
    assert ADULT is not None
    frame = pl.read_csv(ADULT)
    assert frame.height == 45_222
    with pytest.raises(InfeasibleError) as caught:
        shoal.anonymize(
            frame,
            k=10,
            quasi=["age"],
            sensitive=[column],
            rest="drop",
            models=f"frequency-l-diversity:{printed + 0.01}",
        )
    assert caught.value.feasible == pytest.approx(printed, abs=0.5 * 10 ** -len(str(printed)[2:]))
