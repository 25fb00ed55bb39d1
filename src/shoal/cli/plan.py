"""``shoal plan``: what a release would cost, before it is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from rich.text import Text
from typer import Option

from shoal.cli import options
from shoal.cli.flag_values import options_of_flags, split_list
from shoal.cli.screen import Screen, plain_table, print_json, printable, seconds
from shoal.cli.shell_lines import with_flags
from shoal.cli.summary import show_notes
from shoal.errors import ParameterError
from shoal.options import Group

if TYPE_CHECKING:
    from shoal.pipeline.planning import Plan

_K = Annotated[
    list[str] | None,
    Option("-k", "--k", metavar="K,K,…", help="Values of k to forecast; 3,5,10,25 unless set.",
           rich_help_panel=Group.GOAL),
]  # fmt: skip


@options.takes("plan")
def plan(data: options.Data, *, k: _K = None, json: options.Json = False, **flags: Any) -> int:
    """Forecast a release before making it: feasible k, loss, time, and advice."""
    from shoal.api.plan import K as DEFAULT_K
    from shoal.api.plan import plan as plan_of
    from shoal.io import read_table
    from shoal.options.reading import ReadingOptions

    given = options_of_flags(flags, "plan")
    reads = options.names_of("inspect")
    reading = ReadingOptions(**{name: given[name] for name in reads if name in given})
    try:
        ks = [int(text) for text in split_list(k or [])] or list(DEFAULT_K)
    except ValueError:
        raise ParameterError(
            f"-k {','.join(k or [])} is not a list of numbers.",
            remedy="Separate numbers by commas, such as 3,5,10.",
        ) from None
    found = plan_of(read_table(data, **reading.model_dump()), k=ks, **given)
    if json:
        print_json(found.to_dict())
    else:
        _show(Screen(), found)
    return 0


def _show(screen: Screen, found: Plan) -> None:
    from shoal.risks import percent

    screen.say(
        Text(
            f"{found.n:,} records, {found.distinct:,} different ones; the smallest class has "
            f"{found.k_now:,} now.",
            "bold",
        )
    )
    for role, names in found.roles.items():
        if names:
            screen.print(f"{role}: {printable(', '.join(names))}")
    if found.undecided:
        listed = ", ".join(f"{name} ({role}?)" for name, role in found.undecided.items())
        screen.print(Text.assemble(("no role yet: ", "bold"), printable(listed)))
    screen.say()
    screen.print(f"largest feasible k: {found.largest_k:,}")
    for name, largest in found.largest_l.items():
        screen.print(
            f"largest feasible l of {printable(name)}: {largest:g} (frequency l-diversity), "
            f"{found.largest_distinct_l[name]:,} (distinct l-diversity)"
        )
    screen.print(
        f"a run takes about {seconds(found.seconds)} and {found.megabytes:,.0f} MB of memory"
    )
    if found.forecasts:
        _show_forecasts(screen, found)
    show_notes(screen, [with_flags(note) for note in found.notes])
    if not found.advice:
        return
    screen.say()
    advice = plain_table("effect", "what would lower the loss", right=("effect",))
    for hint in found.advice:
        advice.add_row(percent(hint.effect), printable(with_flags(hint.what)))
    screen.print(advice)
    screen.print(
        "effect: how much less the other columns lose, tried on a sample; of suppression: how "
        "much less the remaining records lose",
        style="dim",
    )


def _show_forecasts(screen: Screen, found: Plan) -> None:
    from shoal.risks import percent

    screen.say()
    headers = ["k", "expected loss", "with 1 %\nsuppressed", "mondrian\nreaches"]
    headers += ["under the\nmodels"] if found.models else []
    table = plain_table(*headers, right=tuple(headers))
    for one in found.forecasts:
        spared = one.with_suppression
        cells = [
            f"{one.k:,}",
            f"{percent(one.low)} to {percent(one.high)}",
            "–" if spared is None else f"about {percent(spared)}",
            percent(one.reached),
        ]
        if found.models:
            cells.append("none" if one.under_models is None else percent(one.under_models))
        table.add_row(*cells)
    screen.print(table)
    expected = [
        "expected: the loss of k-member without privacy models, from samples; more time loses less",
        "with 1 % suppressed: the loss of the remaining records",
        "mondrian reaches: the loss of the fastest algorithm on the whole table",
    ]
    if found.models:
        expected.append(f"under the models: what mondrian loses with {', '.join(found.models)}")
    for line in expected:
        screen.print(printable(line), style="dim")
