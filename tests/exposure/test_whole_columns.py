"""What one cell of a column tells is found although only a sample of its values is judged."""

from __future__ import annotations

import polars as pl
import pytest

from shoal.contents.recognition import recognize
from shoal.contents.values import Values


def test_every_text_of_a_column_is_read() -> None:
    texts = [f"visit {number} done" for number in range(5_000)] + ["seen by Anna Smith today"]
    assert "seen by Anna Smith today" in Values.of(pl.Series("note", texts)).phrases


def test_values_are_read_in_the_same_order_each_time() -> None:
    cells = [f"code {number}" for number in range(1_500)]
    orders = {
        tuple(Values.of(pl.Series("note", cells[at:] + cells[:at])).distinct) for at in (0, 7)
    }
    assert len(orders) == 1


@pytest.mark.parametrize("header", ["who", "spouse", "mother"])
def test_unlisted_names_are_found_under_the_headers_of_family_members(header: str) -> None:
    syllables = ["mel", "dor", "vin", "tar", "quo", "zef", "lun", "bro"]
    names = [
        f"{(one + two + three).title()} {(three + two + one).title()}"
        for one in syllables
        for two in syllables
        for three in syllables
    ]
    frame = pl.Series(header, names[::3])
    assert any("name" in str(finding.content) for finding in recognize(Values.of(frame)))
