"""The summary of a release for its custodian: the verdict first, then what it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from shoal.cli.screen import Screen, plain_table, printable, seconds
from shoal.cli.shell_lines import with_flags
from shoal.rendering.bounds import shown_bound

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.pipeline.detail import Detail
    from shoal.pipeline.release import Release


MOST_GROUPS = 12  # of a column on the screen


def show_release(
    screen: Screen,
    release: Release[Any],
    written: Sequence[tuple[str, str]],
    next_command: str | None,
    *,
    needs_custody: bool = False,
) -> None:
    """Print what a custodian wants to know about a release.

    The figures are exact, against the original: this screen is not for publication.

    Parameters
    ----------
    screen
        Where it is printed.
    written
        What each written file is, and its path.
    next_command
        A command line to try next.
    needs_custody
        Whether it takes a custody file that has not been written.
    """
    # Imported here, as below: other verbs use parts of this, and make no release.
    from shoal.pipeline.headline import headline, scope, stopped

    facts, verdict = release.facts, release.verdict
    screen.say(
        Text.assemble(
            screen.mark(passed=verdict.passed), (f" verified: {headline(release)}", "bold")
        )
    )
    screen.print(f"  {verdict.proof}", style="dim")
    screen.print(f"  {printable(scope(release))}", style="dim")
    if facts.stopped_early:
        screen.print(Text(f"  {stopped(release)}", "yellow"))
    screen.say()
    # What readers can see of each column precedes any measure of it.
    _show_detail(screen, release.detail, release.figures.per_attribute)
    screen.say()
    if facts.groupings:
        _show_groupings(screen, facts.groupings)
        screen.say()
    _show_figures(screen, release)
    screen.say()
    if release.figures.marginals:
        show_marginals(screen, release.figures.marginals)
        screen.say()
    times = release.figures.seconds
    screen.print(
        f"{seconds(sum(times.values()))} in all: "
        + ", ".join(f"{stage} {seconds(value)}" for stage, value in times.items())
    )
    show_notes(screen, list(dict.fromkeys((*release.custody.notes, *facts.notes))))
    screen.say()
    files = _pairs()
    for noun, path in written:
        files.add_row(noun, "standard output" if path == "-" else printable(path))
    screen.print(files)
    if next_command is not None:
        screen.say()
        screen.say(
            "Verifying it from the files may take a custody file: make the release again with "
            "--custody FILE, then run:"
            if needs_custody
            else "Next, verify it from the files alone:"
        )
        screen.say(Text(f"  {printable(next_command)}", style="bold"))


def bound_text(loss: float, bound: float) -> str:
    """Return what a lower bound shows about a loss: how much of it can be avoided, at most.

    >>> bound_text(0.04, 0.03)
    'no release of this form can be below 0.0300: at most 25.0 % of this loss can be avoided'
    """
    from shoal.pipeline.figures import gap_of

    if loss <= 0:
        return "no loss at all: the best possible"
    shown = shown_bound(bound)
    if shown is None:
        return "no lower bound above 0 was proved"
    percent = f"{100 * gap_of(loss, bound):.1f}"
    avoidable = "less than 0.1" if percent == "0.0" else f"at most {percent}"
    return (
        f"no release of this form can be below {shown}: {avoidable} % of this loss can be avoided"
    )


def show_losses(screen: Screen, per_attribute: Mapping[str, float]) -> None:
    """Print the loss of each attribute as a bar."""
    table = plain_table("loss of each column", "", "share", right=("share",))
    for name, loss in per_attribute.items():
        table.add_row(printable(name), screen.bar(loss), f"{100 * loss:.1f} %")
    screen.print(table)


def show_marginals(screen: Screen, marginals: Mapping[str, Mapping[str, float]]) -> None:
    """Print how far each marginal table is from that of the original."""
    shown = ("cells", "total variation", "hellinger")
    table = plain_table("marginal table", *shown, right=shown)
    for name, far in marginals.items():
        table.add_row(
            printable(name),
            f"{far['cells']:,.0f}",
            f"{far['total_variation']:.4f}",
            f"{far['hellinger']:.4f}",
        )
    screen.print(table)


def show_notes(screen: Screen, notes: Sequence[str]) -> None:
    """Print what the user should know."""
    for note in notes:
        screen.print(Text.assemble(("note: ", "yellow"), printable(with_flags(note))))


def _pairs() -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    return table


def _show_figures(screen: Screen, release: Release[Any]) -> None:
    facts, verdict, figures = release.facts, release.verdict, release.figures
    table = _pairs()
    table.add_row("records", f"{facts.n:,}")
    if facts.guarantee == "classes":
        smallest = f"{verdict.smallest_class:,} in the smallest class"
        table.add_row("k", f"{facts.k:,} requested, {smallest}")
        table.add_row("classes", f"{facts.classes:,}")
    else:
        table.add_row("k", f"{facts.k:,} requested, {verdict.smallest_class:,} proved")
        table.add_row("form", f"{facts.guarantee}, {facts.classes:,} different records")
    suppressed = "none"
    if facts.suppressed:
        suppressed = f"{facts.suppressed:,} ({100 * facts.suppressed / facts.n:.2f} %)"
    shown = [
        f"{count:,} {what}"
        for count, what in ((facts.starred, "starred"), (facts.withheld, "withheld"))
        if count
    ]
    table.add_row("suppressed", "; ".join([suppressed, *shown]))
    table.add_row("algorithm", facts.algorithm)
    proved = ", proved optimal" if figures.optimal else ""
    if figures.measure == "gcp":
        loss = f"{figures.loss:.4f} (gcp: 0 keeps all detail, 1 none){proved}"
        table.add_row("loss", loss)
    else:
        table.add_row("loss", f"{figures.loss:.4f} ({figures.measure}){proved}")
        table.add_row("gcp", f"{figures.measures['gcp']:.4f} (0 keeps all detail, 1 none)")
    if shown_bound(figures.lower_bound or 0.0) is not None and not figures.optimal:
        assert figures.lower_bound is not None
        table.add_row("bound", bound_text(figures.loss, figures.lower_bound))
    screen.print(table)


def _show_groupings(screen: Screen, groupings: Mapping[str, Sequence[str]]) -> None:
    """Print the groups of values of each column, where a release has one grouping for all."""
    table = plain_table("column", "groups", "", right=("groups",))
    for name, groups in groupings.items():
        listed = "  ".join(groups[:MOST_GROUPS]) + ("  …" if len(groups) > MOST_GROUPS else "")
        table.add_row(printable(name), f"{len(groups):,}", printable(listed))
    screen.print(table)


def _show_detail(screen: Screen, detail: Mapping[str, Detail], losses: Mapping[str, float]) -> None:
    """Print how much detail the cells of each column keep, and its loss as a bar."""
    # Where cells are missing in the original, that they still are is no detail kept.
    some_missing = any(kept.missing for kept in detail.values())
    shares = ("exact", "missing", "nothing") if some_missing else ("exact", "nothing")
    table = plain_table("column", *shares, "otherwise", "", "loss", right=(*shares, "loss"))
    for name, kept in detail.items():
        table.add_row(
            printable(name),
            *(f"{100 * getattr(kept, share):.1f} %" for share in shares),
            otherwise(kept),
            screen.bar(losses[name]),
            f"{100 * losses[name]:.1f} %",
        )
    screen.print(table)


def otherwise(kept: Detail) -> str:
    """Return what the generalized cells of a column are like.

    >>> from shoal.pipeline.detail import Detail
    >>> otherwise(Detail(exact=0.5, generalized=0.5, nothing=0.0, unit="values", typical_width=6.0,
    ...                  largest_width=14.0))
    'mostly 6 values, up to 14'
    """
    if kept.levels is not None:
        shares = list(enumerate(kept.levels))[1:-1]
        shown = [f"level {level} {100 * share:.0f} %" for level, share in shares if share > 0]
        return ", ".join(shown)
    if kept.typical_width is None or kept.largest_width is None:
        return ""
    noun = "wide" if kept.unit == "numbers" else kept.unit
    widest = f", up to {kept.largest_width:,.6g}"
    return f"mostly {kept.typical_width:,.6g} {noun}" + (
        widest if kept.largest_width > kept.typical_width else ""
    )
