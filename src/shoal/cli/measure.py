"""``shoal measure``: what a release cost, by every measure."""

from __future__ import annotations

from typing import Any

from shoal.cli import options
from shoal.cli.screen import Screen, plain_table, print_json
from shoal.cli.summary import show_losses, show_marginals
from shoal.cli.tables import read_comparison


@options.takes("measure")
def measure(
    original: options.Original,
    release: options.Released,
    *,
    facts: options.FactsIn = None,
    custody: options.CustodyForStatistics = None,
    json: options.Json = False,
    **flags: Any,
) -> int:
    """Measure how much detail a release has lost, whoever made it."""
    source, released, described = read_comparison(original, release, facts, flags, "measure")
    from shoal.api.measure import measure as measure_frames
    from shoal.measures import find_measure

    rows = None
    if custody is not None:
        from shoal.pipeline.custody import read_row_map

        rows, _ = read_row_map(custody)
    measured = measure_frames(source, released, rows=rows, **described)
    if json:
        print_json(measured)
        return 0
    screen = Screen()
    table = plain_table("measure", "value", "meaning", right=("value",))
    for name, value in measured["measures"].items():
        shown = f"{value:,.4g}" if abs(value) < 1e6 else f"{value:,.0f}"
        table.add_row(name, shown, find_measure(name).meaning)
    screen.print(table)
    screen.say()
    show_losses(screen, measured["per_attribute"])
    if "marginals" in measured:
        screen.say()
        show_marginals(screen, measured["marginals"])
    return 0
