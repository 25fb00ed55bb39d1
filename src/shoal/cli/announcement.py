"""What a terminal shows before long work.

Apart from ``shoal plan``, whose flags take time to build.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.cli.screen import Screen, seconds

if TYPE_CHECKING:
    import polars as pl

    from shoal.options import Job

LONG_SECONDS = 10.0
"""A run of more seconds than this is announced on a terminal."""
_LONG_RECORDS = 500_000


def announce(frame: pl.DataFrame, job: Job) -> None:
    """Show on a terminal, before long work, what the table is like and how long it will take."""
    screen = Screen(stderr=True)
    long = (job.time or 0.0) >= LONG_SECONDS or frame.height > _LONG_RECORDS
    named = {*job.quasi, *([job.person] if job.person is not None else [])}
    if not (screen.is_terminal and long and named <= set(frame.columns)):
        return
    import polars as pl

    from shoal.pipeline.comparison import search_seconds
    from shoal.pipeline.planning import estimated_megabytes

    members = pl.len() if job.person is None else pl.col(job.person).n_unique()
    sizes = frame.group_by(job.quasi).agg(members=members)["members"]
    smallest = int(sizes.to_numpy().min()) if sizes.len() else 0
    search = search_seconds(job.algorithm, frame.height, job.time)
    screen.print(
        f"{frame.height:,} records, {sizes.len():,} different ones; k is {smallest:,} now"
        + (f"; up to {seconds(search)} of search" if search else "")
        + f", about {estimated_megabytes(frame.height, frame.width):,.0f} MB of memory. `shoal "
        "plan` shows what to expect.",
        style="dim",
    )
