"""``shoal bound``: how much any release of a table, in classes or freeform, must lose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shoal.cli import options
from shoal.cli.flag_values import options_of_flags
from shoal.cli.screen import Screen, print_json, progress_bar, seconds
from shoal.cli.summary import bound_text, show_notes
from shoal.errors import Cancelled
from shoal.rendering.bounds import shown_bound

if TYPE_CHECKING:
    from shoal.pipeline.progress import Progress


@options.takes("bound")
def bound(
    data: options.Data,
    *,
    json: options.Json = False,
    **flags: Any,
) -> int:
    """Prove how much detail (gcp) any release in classes, or any freeform one, must lose.

    Part of the time (--bound-seconds SECONDS, 60 unless set) is spent on a good release to compare
    with; nothing is written.
    """
    from shoal.api.bound import bound as bound_frame
    from shoal.io import read_table
    from shoal.options import Job

    given = options_of_flags(flags, "bound")
    job = Job.from_dict(given)
    proved = 0.0

    def keep(progress: Progress) -> None:
        nonlocal proved
        proved = max(proved, progress.bound or 0.0)
        if show is not None:
            show(progress)

    try:
        with progress_bar() as show:
            source = read_table(data, **job.reading())
            found = bound_frame(source, watch=keep, **given)
    except KeyboardInterrupt:
        shown = shown_bound(proved)
        so_far = f"no release of this form can be below {shown}" if shown else "nothing was proved"
        raise Cancelled(f"Interrupted: {so_far}.") from None
    if json:
        print_json(found)
        return 0
    screen = Screen()
    screen.say(f"loss {found['loss']:.4f}, {bound_text(found['loss'], found['lower_bound'])}")
    freeform = found["form"] == "freeform"
    among = "freeform, each among" if freeform else "in classes of at least"
    kind = "cover" if freeform else "division"
    screen.print(
        f"{found['measure']} of {found['n']:,} records {among} {found['k']:,}; the loss is that of "
        f"the best {kind} found here.",
        style="dim",
    )
    screen.print(
        "More time would not raise the bound."
        if found["converged"]
        else "More time (--bound-seconds SECONDS) may raise the bound.",
        style="dim",
    )
    screen.print(f"{seconds(sum(found['seconds'].values()))} in all", style="dim")
    show_notes(screen, found["notes"])
    return 0
