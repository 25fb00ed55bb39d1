"""``shoal verify``: an independent word on a release, from the two files alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from shoal.cli import options
from shoal.cli.custody import checksum, matches_of, read_row_map
from shoal.cli.screen import Screen, plain_table, print_json, printable
from shoal.cli.summary import show_notes
from shoal.cli.tables import read_comparison

if TYPE_CHECKING:
    from shoal.verifier import Verdict

_STANDARD_STREAM = "-"


@options.takes(options.VERIFYING)
def verify(
    original: options.Original,
    release: options.Released,
    *,
    facts: options.FactsIn = None,
    custody: options.CustodyIn = None,
    json: options.Json = False,
    **words: Any,
) -> int:
    r"""Decide from the files alone whether a release keeps what it promises.

    Exit code 0: every check passed. 1: one failed, also when cells cannot be read as a release.
    2: bad input. Nothing that made the release is trusted; row order is not assumed.
    """
    source, released, described = read_comparison(original, release, facts, words)
    from shoal.questions import verify as verify_frames

    rows, matches, notes = None, None, []
    if custody is not None:
        rows, content = read_row_map(custody)
        matches = matches_of(content, custody)
        for noun, path in (("source", original), ("release", release)):
            if path != _STANDARD_STREAM and content.get(f"{noun}_sha256") != checksum(path):
                notes.append(f"{path} is not the {noun} that the custody file was written for.")
    verdict = verify_frames(source, released, rows=rows, matches=matches, **described)
    if json:
        print_json({**verdict.to_dict(), "notes": notes})
    else:
        _show(Screen(), verdict, int(described["k"]), notes)
    return 0 if verdict.passed else 1


def _show(screen: Screen, verdict: Verdict, k: int, notes: list[str]) -> None:
    screen.say(
        Text.assemble(
            screen.mark(passed=verdict.passed),
            (f" {'PASSED' if verdict.passed else 'FAILED'}", "bold"),
            f": {verdict.released:,} of {verdict.n:,} records {verdict.hiding} (k = {k:,}); "
            f"{verdict.suppressed:,} suppressed, {verdict.withheld:,} withheld",
        )
    )
    screen.say()
    table = plain_table("", "check", "finding")
    for check in verdict.checks:
        table.add_row(screen.mark(passed=check.passed), check.name, printable(check.detail))
    screen.print(table)
    screen.say()
    screen.print(Text.assemble(("proof: ", "bold"), printable(verdict.proof)))
    show_notes(screen, notes)
