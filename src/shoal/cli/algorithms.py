"""``shoal algorithms``: the algorithms and their parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from rich.text import Text
from typer import Argument

from shoal.cli import options
from shoal.cli.screen import Screen, plain_table, print_json
from shoal.cli.shell_lines import with_flags

if TYPE_CHECKING:
    from shoal.algorithms import Algorithm


def algorithms(
    name: Annotated[
        str | None,
        Argument(
            metavar="NAME",
            help="One algorithm, with its parameters.",
            autocompletion=options.known_algorithms,
        ),
    ] = None,
    *,
    json: options.Json = False,
) -> int:
    """List the algorithms, or describe one of them."""
    from shoal.algorithms import algorithms as known
    from shoal.algorithms import find_algorithm

    if name is not None:
        chosen = find_algorithm(name)
        if json:
            print_json(_described(chosen))
        else:
            _show_one(Screen(), chosen)
        return 0
    if json:
        print_json({"algorithms": [_described(one) for one in known().values()]})
    else:
        _show_all(Screen(), list(known().values()))
    return 0


def _described(chosen: type[Algorithm]) -> dict[str, Any]:
    from shoal.algorithms import describe_parameters

    traits = chosen.traits
    return {
        "name": chosen.name,
        "family": str(chosen.family),
        "summary": traits.summary,
        "use_when": with_flags(traits.use_when),
        "cost": with_flags(traits.cost),
        "paper": traits.paper,
        "optimal": traits.optimal,
        "anytime": traits.anytime,
        "random": traits.random,
        "parameters": [
            {
                "name": parameter.name,
                "kind": parameter.kind,
                "limits": parameter.limits,
                "default": parameter.default,
                "description": with_flags(parameter.description),
            }
            for parameter in describe_parameters(chosen)
        ],
    }


def _show_all(screen: Screen, known: list[type[Algorithm]]) -> None:
    table = plain_table("algorithm", "family", "idea", "cost", "paper")
    for one in known:
        traits = one.traits
        table.add_row(
            one.name, str(one.family), traits.summary, with_flags(traits.cost), traits.paper
        )
    screen.print(table)
    screen.say()
    screen.say("For the parameters of one: shoal algorithms NAME")


def _show_one(screen: Screen, chosen: type[Algorithm]) -> None:
    from shoal.algorithms import describe_parameters

    traits = chosen.traits
    screen.say(Text.assemble((chosen.name, "bold"), f" ({chosen.family})"))
    screen.print(traits.summary)
    if traits.use_when:
        screen.print(f"Use it when {with_flags(traits.use_when)}.")
    screen.say()
    screen.print(f"cost:    {with_flags(traits.cost)}")
    screen.print(f"paper:   {traits.paper}")
    screen.print(f"budget:  {_budget(chosen)}")
    screen.print(f"seed:    {_role_of_seed(chosen)}")
    screen.say()
    parameters = describe_parameters(chosen)
    if not parameters:
        screen.say("It has no parameters.")
        return
    table = plain_table("--param", "type", "default", "meaning")
    for parameter in parameters:
        kind = f"{parameter.kind} {parameter.limits}".strip()
        table.add_row(
            parameter.name, kind, str(parameter.default), with_flags(parameter.description)
        )
    screen.print(table)


def _budget(chosen: type[Algorithm]) -> str:
    if chosen.traits.anytime:
        return "improves until --time or --steps is spent"
    return "runs once to completion"


def _role_of_seed(chosen: type[Algorithm]) -> str:
    if chosen.traits.random:
        return "decides the classes and the order of the rows"
    return "decides the order of the rows alone"
