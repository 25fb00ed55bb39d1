"""``shoal utility``: what analysts get out of a release, compared with the original."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING, Any

from shoal.cli import options
from shoal.cli.screen import Screen, plain_table, print_json, printable, progress_bar
from shoal.cli.shell_lines import with_flags
from shoal.cli.summary import show_marginals, show_notes
from shoal.cli.tables import read_comparison
from shoal.io import STANDARD_STREAM

if TYPE_CHECKING:
    from collections.abc import Mapping


@options.takes("utility")
def utility(
    original: options.Original,
    release: options.Released,
    *,
    facts: options.FactsIn = None,
    custody: options.CustodyForFolds = None,
    output: options.ReportOut = None,
    force: options.Force = False,
    json: options.Json = False,
    **flags: Any,
) -> int:
    r"""Compare classifiers, rules and counts made from a release with those of the original.

    Classifiers learn the --target from the quasi-identifiers; they need scikit-learn:
    pip install 'shoal\[utility]'
    """
    source, released, described = read_comparison(original, release, facts, flags, "utility")
    from shoal.api.utility import utility as compare_frames
    from shoal.io import Staging, check_output
    from shoal.pipeline.custody import mismatched_files, read_row_map

    if output is not None:
        inputs = [path for path in (original, release, facts, custody) if path is not None]
        others = [STANDARD_STREAM] if json else []
        check_output(output, force, table=False, inputs=inputs, others=others)
    rows = None
    notes: list[str] = []
    if custody is not None:
        rows, content = read_row_map(custody)
        notes = mismatched_files(content, source=original, release=release)
    with progress_bar() as watch:
        found = compare_frames(
            source,
            released,
            rows=rows,
            watch=watch,
            **described,
        )
    found["notes"] = [*notes, *map(with_flags, found["notes"])]
    if output is not None:
        with Staging() as staging:
            staging.text(dumps(found, indent=2, ensure_ascii=False) + "\n", output)
            staging.commit()
    if json:
        print_json(found)
    else:
        _show(Screen(stderr=output == STANDARD_STREAM), found)
    return 0


def _show(screen: Screen, found: Mapping[str, Any]) -> None:
    if "learning" in found:
        _show_learning(screen, found["learning"])
        _show_rules(screen, found["rules"])
    queries = found["queries"]
    by_number = ", ".join(
        f"{number} attribute{'s' * (number != '1')} {100 * error:.1f} %"
        for number, error in queries["by_attributes"].items()
    )
    screen.print(
        f"relative error of {queries['queries']:,} counting queries: "
        f"{_error(queries['error'])}, median {100 * queries['median']:.1f} %; {by_number}"
    )
    if "marginals" in found:
        screen.say()
        show_marginals(screen, found["marginals"])
    show_notes(screen, found["notes"])


def _show_learning(screen: Screen, learning: Mapping[str, Any]) -> None:
    table = plain_table(
        "error of", "learned from original", "from release", "both recoded",
        right=("learned from original", "from release", "both recoded"),
    )  # fmt: skip
    for name, errors in learning["classifiers"].items():
        table.add_row(name, *(_error(errors[what]) for what in ("original", "release", "recoded")))
    table.add_row("majority rule", _error(learning["majority"]), "", "")
    screen.print(table)
    screen.print(
        f"tested on original records, the last column on released ones; {learning['folds']} "
        "folds, ± is a 95 % confidence interval",
        style="dim",
    )
    screen.say()


def _show_rules(screen: Screen, rules: Mapping[str, Any]) -> None:
    screen.print(
        f"rules with support ≥ {rules['support']:g} and confidence ≥ {rules['confidence']:g}: "
        f"{rules['original']:,} in the original, {rules['release']:,} in the release, "
        f"{rules['kept']:,} in both" + _shares(rules)
    )
    for rule in rules.get("strongest", ()):
        shown = rule["in_release"]
        condition = " and ".join(f"{column} = {value}" for column, value in rule["if"].items())
        screen.print(
            printable(f"  {condition} → {rule['then']}")
            + f": {100 * rule['confidence']:.0f} %, "
            + f"in the release {100 * shown['confidence']:.0f} %"
            + ("" if shown["kept"] else " (lost)")
        )
    screen.say()


def _error(found: Mapping[str, float]) -> str:
    return f"{100 * found['mean']:.1f} % ± {100 * (found['high'] - found['mean']):.1f}"


def _shares(rules: Mapping[str, Any]) -> str:
    if rules["share_kept"] is None:
        return ""
    return (
        f" ({100 * rules['share_kept']:.0f} % kept; confidence differs by "
        f"{rules['confidence_difference']:.3f} on average)"
    )
