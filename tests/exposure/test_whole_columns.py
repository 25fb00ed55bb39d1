"""What one cell of a column tells is found although only a sample of its values is judged."""

from __future__ import annotations

import polars as pl

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
