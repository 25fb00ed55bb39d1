"""``shoal compare``: several releases of one table side by side."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rich.text import Text
from typer import Option

from shoal.cli import options
from shoal.cli.failure import INFEASIBLE
from shoal.cli.flag_values import options_of_flags, split_list
from shoal.cli.screen import Screen, plain_table, print_json, printable, seconds
from shoal.cli.shell_lines import with_flags
from shoal.cli.summary import show_notes
from shoal.errors import Cancelled, ParameterError
from shoal.options import Group

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shoal.pipeline.comparison import Comparison, Row, Setting

_K = Annotated[
    list[str] | None,
    Option("-k", "--k", metavar="K,K,…", help="Values of k; 3,5,10 unless set.",
           rich_help_panel=Group.GOAL),
]  # fmt: skip
_Algorithms = Annotated[
    list[str] | None,
    Option("--algorithm", metavar="A,B,…", help="Algorithms; auto,mondrian unless set.",
           rich_help_panel=Group.METHOD),
]  # fmt: skip
_Suppression = Annotated[
    list[str] | None,
    Option("--suppression", metavar="SHARE,…", help="Limits of suppression; 0,0.02 unless set.",
           rich_help_panel=Group.GOAL),
]  # fmt: skip
_Models = Annotated[
    list[str] | None,
    Option("--model", metavar="NAME:VALUE[@COLUMN]",
           help="A privacy model to compare with none; may be repeated.",
           rich_help_panel=Group.GOAL),
]  # fmt: skip
_Store = Annotated[
    str,
    Option("--store", metavar="FOLDER",
           help="Folder for results, so that an interrupted comparison can continue.",
           rich_help_panel=Group.RESULTS),
]  # fmt: skip
_Write = Annotated[
    int | None,
    Option("--write", metavar="N", help="Make the release in line N and write it to --output.",
           rich_help_panel=Group.RESULTS),
]  # fmt: skip
_Out = Annotated[
    str | None,
    Option("-o", "--output", metavar="OUT", help="Output file for --write.",
           rich_help_panel=Group.RESULTS),
]  # fmt: skip
_Html = Annotated[
    str | None,
    Option("--report", metavar="FILE.html", help="Write table and charts as one HTML file.",
           rich_help_panel=Group.RESULTS),
]  # fmt: skip
_NAMED = ("", "k", "algorithm", "limit", "models")
# Headers in two lines, so that a table with all of them fits a terminal of 80 columns.
_FIGURES = ("loss", "classes", "sup-\npressed", "avg\nrisk", "max\nrisk", "s")


@options.takes("compare")
def compare(
    data: options.Data,
    *,
    k: _K = None,
    algorithm: _Algorithms = None,
    suppression: _Suppression = None,
    model: _Models = None,
    store: _Store = ".shoal-compare",
    write: _Write = None,
    output: _Out = None,
    report: _Html = None,
    force: options.Force = False,
    json: options.Json = False,
    **flags: Any,
) -> int:
    """Compare releases of a table under several options: loss, risk, utility and time.

    Every release is verified. Results are kept in a folder, so that an interrupted comparison
    continues where it stopped.
    """
    from shoal.api.compare import ALGORITHMS, SUPPRESSION, comparison_of
    from shoal.api.compare import K as DEFAULT_K
    from shoal.io import check_output, read_table
    from shoal.options.call import read_options
    from shoal.options.reading import ReadingOptions
    from shoal.pipeline.comparison import frame_of, settings_of

    if (write is None) != (output is None):
        raise ParameterError(
            "--write and --output belong together.",
            remedy="Give both the line and the file: --write 3 -o release.csv.",
        )
    for path, table in ((output, True), (report, False)):
        if path is not None:
            check_output(path, force, table=table, inputs=[data])
    given = options_of_flags(flags, "compare")
    reads = options.names_of("inspect")
    reading = ReadingOptions(**{name: given[name] for name in reads if name in given})
    source = read_table(data, **reading.model_dump())
    read_options("compare", given, beneath={"k": 2})  # what is wrong for all is reported at once
    comparison = comparison_of(source, store, given)
    settings = settings_of(
        _numbers(k, int, "-k") or DEFAULT_K,
        split_list(algorithm or []) or ALGORITHMS,
        _numbers(suppression, float, "--suppression") or SUPPRESSION,
        [[], *([one] for one in model)] if model else [[]],
    )
    if write is not None and output is not None:
        _write(comparison, settings, write, output)
        return 0
    rows = _run(comparison, settings, given)
    if json:
        print_json({"rows": frame_of(rows).to_dicts()})
    else:
        _show(Screen(), rows)
        if any(not row.problem for row in rows):
            show_notes(Screen(), comparison.notes(settings[0]))
    if report is not None:
        from shoal.reports.comparing import save_comparison

        save_comparison(frame_of(rows).to_dicts(), report, Path(data).name)
    return 0 if any(not row.problem for row in rows) else INFEASIBLE


def _numbers(texts: list[str] | None, kind: Callable[[str], Any], flag: str) -> list[Any]:
    try:
        return [kind(text) for text in split_list(texts or [])]
    except ValueError:
        raise ParameterError(
            f"{flag} {','.join(texts or [])} is not a list of numbers.",
            remedy="Separate numbers by commas, such as 3,5,10.",
        ) from None


def _run(comparison: Comparison, settings: Sequence[Setting], given: dict[str, Any]) -> list[Row]:
    from shoal.pipeline.comparison import estimated_seconds

    screen = Screen(stderr=True)
    left = comparison.to_run(settings)
    several = "s" if len(settings) > 1 else ""
    kept = len(settings) - len(left)
    expected = seconds(estimated_seconds(left, given, comparison.source.height))
    screen.say(
        f"{len(settings)} release{several}"
        + (f", {kept} of them kept from before" if kept else "")
        + (f"; about {expected}" if left else "")
        + f"; results are kept in {comparison.store}."
    )
    started = time.monotonic()
    done = 0

    def show(setting: Setting) -> None:
        nonlocal done
        if screen.is_terminal:
            passed = time.monotonic() - started
            remaining = passed / max(done, 1) * (len(left) - done)
            screen.print(
                f"{setting.number} of {len(settings)}: k {setting.k}, {setting.algorithm}"
                + (f"; about {seconds(remaining)} left" if done else ""),
                style="dim",
            )
        done += 1

    try:
        return list(comparison.rows(settings, show))
    except KeyboardInterrupt:
        raise Cancelled(
            "Interrupted: results so far are kept; run the same command to continue."
        ) from None


def _write(comparison: Comparison, settings: Sequence[Setting], number: int, output: str) -> None:
    from shoal.pipeline.writing import Outputs, write_release

    chosen = next((one for one in settings if one.number == number), None)
    if chosen is None:
        raise ParameterError(
            f"There is no line {number}.", remedy=f"Lines go from 1 to {len(settings)}."
        )
    release = comparison.release(chosen)
    write_release(release, Outputs(release=output))
    screen = Screen()
    screen.say(
        Text.assemble(
            screen.mark(passed=release.verdict.passed),
            f" k {chosen.k}, {chosen.algorithm}: loss {release.figures.measures['gcp']:.4f}, "
            f"written to {printable(output)}",
        )
    )


def _show(screen: Screen, rows: Sequence[Row]) -> None:
    from shoal.risks import percent

    learned = any(row.error_release is not None for row in rows)
    modelled = any(row.models for row in rows)
    named = _NAMED if modelled else _NAMED[:-1]
    figures = (*_FIGURES, *(("error",) if learned else ()))
    table = plain_table(*named, *figures, right=("", "k", "limit", *figures))
    for row in rows:
        cells = [str(row.number), str(row.k), row.algorithm, percent(row.suppression)]
        cells += [row.models] if modelled else []
        if row.problem:
            table.add_row(*cells, "none")  # the reason is below, where it has room
            continue
        cells += [
            f"{row.loss:.4f}",
            f"{row.classes:,}",
            f"{row.suppressed:,}",
            *(
                "–" if risk is None else percent(risk)
                for risk in (row.risk_average, row.risk_highest)
            ),
            f"{row.seconds:.1f}",
        ]
        if learned:
            cells.append(f"{100 * (row.error_release or 0):.1f} %")
        table.add_row(*cells)
    screen.print(table)
    for row in rows:
        if row.problem:
            screen.print(f"{row.number}: {printable(with_flags(row.problem))}")
    if learned:
        of_original = [row.error_original for row in rows if row.error_original is not None]
        screen.print(
            f"error: share of wrong predictions; classifiers that learn from the original reach "
            f"{100 * min(of_original):.1f} %.",
            style="dim",
        )
    if all(row.problem for row in rows):
        return
    screen.print(
        "limit: share of records that may be suppressed. Every release was verified. Write one "
        "with --write N -o FILE; it is made again.",
        style="dim",
    )
