"""``shoal verify``: an independent verdict on a release, from the two files alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from shoal.cli import options
from shoal.cli.screen import Screen, plain_table, print_json, printable, progress_bar
from shoal.cli.summary import show_notes
from shoal.cli.tables import read_comparison
from shoal.errors import FileError, ParameterError
from shoal.io import STANDARD_STREAM

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from shoal.api.verify import Verdict

# Of a release in two tables, roles are all there is to say.
ROLES = ("quasi", "sensitive", "identifier", "other", "rest", "accept")


@options.takes("verify")
def verify(
    original: options.Original,
    release: options.Released,
    *,
    facts: options.FactsIn = None,
    custody: options.CustodyIn = None,
    values: options.ValuesIn = None,
    l: options.LeastValues = None,  # noqa: E741 (the literature's letter)
    json: options.Json = False,
    **flags: Any,
) -> int:
    r"""Decide from the files alone whether a release keeps its guarantee.

    Exit code 0: every check passed. 1: one failed, also when cells cannot be read as a release.
    2: bad input. Nothing that made the release is trusted; row order is not assumed. With --values
    and --l the release is one of two tables, as shoal anatomize makes them.
    """
    if values is not None or l is not None:
        if values is None or l is None or facts is not None:
            raise ParameterError(
                "A release in two tables is verified with --values and --l together, and without "
                "--facts.",
                remedy="Give the table of values and its l; the roles of columns come from flags.",
            )
        notes = _recovered([path for path in (release, values, custody) if path is not None])
        rows = None
        if custody is not None:
            from shoal.pipeline.custody import mismatched_files, read_row_map

            rows, content = read_row_map(custody)
            notes += mismatched_files(content, source=original, release=release)
        verdict = _verify_anatomy((original, release, values), l, flags, rows)
        if json:
            print_json({**verdict.to_dict(), "notes": notes})
        else:
            _show(Screen(), verdict, f"are in groups of {l:,} values or more", notes)
        return 0 if verdict.passed else 1
    notes = _recovered([path for path in (release, facts, custody) if path is not None])
    source, released, described = read_comparison(original, release, facts, flags, "verify")
    from shoal.api.verify import verify as verify_frames
    from shoal.pipeline.custody import matches_of, mismatched_files, read_row_map
    from shoal.pipeline.file_contents import with_file_contents
    from shoal.pipeline.json_files import read_object

    rows, matches = None, None
    if facts is not None:
        recorded = read_object(facts, "facts")
        notes += mismatched_files(
            recorded, source=original, release=release, companion="facts were"
        )
    if custody is not None:
        rows, content = read_row_map(custody)
        matches = matches_of(content, custody)
        notes += mismatched_files(content, source=original, release=release)
    with progress_bar() as watch:
        verdict = verify_frames(
            source, released, rows=rows, matches=matches, watch=watch, **described
        )
    verdict = with_file_contents(verdict, [release])
    if json:
        print_json({**verdict.to_dict(), "notes": notes})
    else:
        _show(Screen(), verdict, f"{verdict.hiding} (k = {int(described['k']):,})", notes)
    return 0 if verdict.passed else 1


def _recovered(paths: list[str]) -> list[str]:
    """Complete or undo what killed runs left beside these files, and return notes on it."""
    from shoal.io import recover

    try:
        return [f"{found.what} {found.remedy}".strip() for found in recover(paths)]
    except OSError:
        note = (
            "A run was killed while it wrote these files, and this user may not put them in order. "
            "Whoever started it should run `shoal verify` or the job again."
        )
        return [note]


def _verify_anatomy(
    paths: tuple[str, str, str],
    least: int,
    flags: dict[str, Any],
    rows: NDArray[np.int64] | None,
) -> Verdict:
    """Return the verdict on an original and the two tables of its release."""
    from shoal.io import read_release
    from shoal.pipeline.anatomy import verify_anatomized
    from shoal.pipeline.file_contents import with_file_contents

    if paths.count(STANDARD_STREAM) > 1:
        raise FileError("Two tables cannot come from standard input.", remedy="Name files.")
    # There is no k; any will do where a job must have one.
    source, people, described = read_comparison(*paths[:2], None, {**flags, "k": 2}, "verify")
    values = read_release(paths[2], described.get("separator"))
    roles = {role: described[role] for role in ROLES if role in described}
    verdict = verify_anatomized(source, people, values, l=least, rows=rows, **roles)
    return with_file_contents(verdict, paths[1:])


def _show(screen: Screen, verdict: Verdict, hiding: str, notes: list[str]) -> None:
    screen.say(
        Text.assemble(
            screen.mark(passed=verdict.passed),
            (f" {'PASSED' if verdict.passed else 'FAILED'}", "bold"),
            f": {verdict.released:,} of {verdict.n:,} records {hiding}; "
            f"{verdict.starred:,} starred, {verdict.withheld:,} withheld",
        )
    )
    screen.say()
    table = plain_table("", "check", "finding")
    for check in verdict.checks:
        table.add_row(screen.mark(passed=check.passed), check.name, printable(check.detail))
    screen.print(table)
    screen.say()
    screen.print(Text.assemble(("checked: ", "bold"), printable(str(verdict.question))))
    screen.print(Text.assemble(("proof: ", "bold"), printable(verdict.proof)))
    show_notes(screen, notes)
