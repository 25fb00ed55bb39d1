"""The summary of a release for its custodian: the verdict first, then what it cost."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from shoal.cli.screen import Screen, plain_table, printable, seconds
from shoal.cli.shell_lines import with_flags

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.api.verify import Verdict


def show_release(
    screen: Screen,
    facts: Mapping[str, Any],
    verdict: Verdict,
    written: Sequence[tuple[str, str]],
    next_command: str | None,
) -> None:
    """Print what a custodian wants to know about a release.

    Parameters
    ----------
    screen
        Where it is printed.
    facts, verdict
        What is known about the release.
    written
        What each written file is, and its path.
    next_command
        A command line to try next.
    """
    screen.say(
        Text.assemble(
            screen.mark(passed=verdict.passed), (f" verified: {_promise(facts, verdict)}", "bold")
        )
    )
    screen.print(f"  {verdict.proof}", style="dim")
    screen.say()
    _figures(screen, facts, verdict)
    screen.say()
    show_losses(screen, facts["per_attribute"])
    screen.say()
    times = facts["seconds"]
    screen.print(
        f"{seconds(sum(times.values()))} in all: "
        + ", ".join(f"{stage} {seconds(value)}" for stage, value in times.items())
    )
    show_notes(screen, facts["notes"])
    screen.say()
    files = _pairs()
    for noun, path in written:
        files.add_row(noun, "standard output" if path == "-" else printable(path))
    screen.print(files)
    if next_command is not None:
        screen.say()
        screen.say("Next, verify it from the files alone:")
        screen.say(Text(f"  {printable(next_command)}", style="bold"))


def told_bound(loss: float, bound: float) -> str:
    """Return what a lower bound says of a loss: by how much the loss exceeds it, at most."""
    told = f"no release of this kind can be below {floored(bound)}"
    if bound <= 0:
        return told if loss > 0 else "no loss at all: the best possible"
    above = max(0.0, 100 * (loss / bound - 1))
    return f"{told}: within {above:,.{1 if above < 9.95 else 0}f} % of the best possible"


def floored(bound: float) -> str:
    """Return a lower bound with four digits: rounded up it would say more than was proved.

    >>> floored(0.02088)
    '0.0208'
    """
    return str(Decimal(str(bound)).quantize(Decimal("0.0001"), ROUND_FLOOR))


def show_losses(screen: Screen, per_attribute: Mapping[str, float]) -> None:
    """Print the loss of each attribute as a bar."""
    table = plain_table("loss of each column", "", "share", right=("share",))
    for name, loss in per_attribute.items():
        table.add_row(printable(name), screen.bar(loss), f"{loss:.1%}")
    screen.print(table)


def show_notes(screen: Screen, notes: Sequence[str]) -> None:
    """Print what the user should know."""
    for note in notes:
        screen.print(Text.assemble(("note: ", "yellow"), printable(with_flags(note))))


def _promise(facts: Mapping[str, Any], verdict: Verdict) -> str:
    if not verdict.classes:
        return "no record shows anything"
    if facts["job"].get("person"):
        return f"every record hides among those of at least {verdict.smallest_class:,} persons"
    if facts["form"] == "freeform":
        return f"every record has {verdict.smallest_class:,} equally likely counterparts"
    if facts["form"] != "classes":
        return f"{facts['form']}: {verdict.smallest_class:,} counterparts, not equally likely"
    return f"every record hides among at least {verdict.smallest_class:,}"


def _pairs() -> Table:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    return table


def _figures(screen: Screen, facts: Mapping[str, Any], verdict: Verdict) -> None:
    n, suppressed, withheld = facts["n"], facts["suppressed"], facts["withheld"]
    table = _pairs()
    table.add_row("records", f"{n:,}")
    if facts["form"] == "classes":
        smallest = f"{verdict.smallest_class:,} in the smallest class"
        table.add_row("k", f"{facts['k']:,} wanted, {smallest}")
        table.add_row("classes", f"{facts['classes']:,}")
    else:
        table.add_row("k", f"{facts['k']:,} wanted, {verdict.smallest_class:,} proved")
        table.add_row("form", f"{facts['form']}, {facts['classes']:,} different records")
    told = f"{suppressed:,} ({suppressed / n:.2%})" if suppressed else "none"
    table.add_row("suppressed", told + (f"; {withheld:,} withheld" if withheld else ""))
    table.add_row("algorithm", facts["algorithm"])
    loss = f"{facts['measures']['gcp']:.4f} (gcp: 0 keeps all detail, 1 none)"
    if facts["optimal"]:
        loss += ", proved optimal"
    table.add_row("loss", loss)
    if facts["lower_bound"] is not None and not facts["optimal"]:
        table.add_row("bound", told_bound(facts["measures"]["gcp"], facts["lower_bound"]))
    screen.print(table)
