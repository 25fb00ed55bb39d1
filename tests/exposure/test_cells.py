"""No identifier of invented people passes the exposure check unnoticed."""

from __future__ import annotations

import pytest

from tests.exposure.cells import released_unnoticed


def test_no_identifier_is_released_unnoticed() -> None:
    found = released_unnoticed(50_000)
    assert found["cells"] >= 50_000
    assert found["which"] == []


@pytest.mark.slow
def test_no_identifier_is_released_unnoticed_in_two_hundred_thousand_cells() -> None:
    found = released_unnoticed(200_000)
    assert found["cells"] >= 200_000
    assert found["which"] == []
