"""Flags as typer reads them, and mistakes of a command line, all reported at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import typer
from typer.core import TyperArgument, TyperCommand, TyperOption

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from shoal.errors import ParameterError

_OF_TEXTS = (str, list[str])
# Commands below a verb, and the verb whose options they take.
_VERBS_OF_PARTS = {"build": "hierarchy", "show": "hierarchy", "check": "inspect"}


class Flag(TyperOption):
    """A flag that typer builds no reader for where none is needed."""

    def display_type_rich(self, ctx: Any) -> str | None:
        """Return what the help shows after the flag: nothing where it takes no value."""
        return None if self.is_flag else super().display_type_rich(ctx)

    def process_value(self, ctx: Any, value: Any) -> Any:
        """Return the value of the flag."""
        return _value_of(self, ctx, value, super().process_value)


class Place(TyperArgument):
    """An argument that typer builds no reader for where none is needed."""

    def process_value(self, ctx: Any, value: Any) -> Any:
        """Return the value of the argument."""
        return _value_of(self, ctx, value, super().process_value)


def _value_of(
    parameter: TyperOption | TyperArgument,
    ctx: Any,
    value: Any,
    read_by_typer: Callable[[Any, Any], Any],
) -> Any:
    if value is None and not parameter.required:
        value = () if parameter.multiple or parameter.nargs == -1 else None
    elif value is None or not _is_read(parameter.type_descriptor.annotation, value):
        return read_by_typer(ctx, value)
    return value if parameter.callback is None else parameter.callback(ctx, parameter, value)


def _is_read(annotation: Any, value: Any) -> bool:
    """Return whether a value on the command line is of its type as it stands there."""
    if get_origin(annotation) is Literal:
        return value in get_args(annotation)
    return annotation in _OF_TEXTS or (annotation is bool and isinstance(value, bool))


def as_flags(parameters: list[Any]) -> list[Any]:
    """Make options and arguments of typer those of Shoal."""
    for one in parameters:
        if isinstance(one, TyperOption):
            one.__class__ = Flag
        elif isinstance(one, TyperArgument):
            one.__class__ = Place
    return parameters


class Command(TyperCommand):
    """A command that reports all mistakes of its command line at once; typer stops at the first."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the flags and arguments."""
        return as_flags(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the command line into the context.

        Raises
        ------
        ParameterError
            If there are several mistakes. A single one is reported as typer does.
        """
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except typer.TyperException:
            if not ctx.resilient_parsing:  # as it is while a shell completes a command line
                from shoal.errors import raise_together

                mistakes = list(self._mistakes(ctx, given))
                if len(mistakes) > 1:
                    raise_together(mistakes)
            raise

    def _mistakes(self, ctx: Any, args: list[str]) -> Iterator[ParameterError]:
        from shoal.errors import ParameterError, did_you_mean

        ctx.ignore_unknown_options = True
        try:
            found, rest, _ = self.make_parser(ctx).parse_args(args)
        except typer.TyperException:
            return  # a flag lacks its value, so that nothing else can be read for certain
        parameters = self.get_params(ctx)
        flags = [one for one in parameters if isinstance(one, TyperOption)]
        arguments = [one for one in parameters if not isinstance(one, TyperOption)]
        # Unknown flags are taken for arguments, and so are their values.
        taken = [found[one.name] for one in arguments if found.get(one.name) is not None]
        plain = [one for one in (*taken, *rest) if not _is_flag(one)]
        known = [name for one in flags for name in one.opts if name.startswith("--")]
        for unknown in (one.partition("=")[0] for one in (*taken, *rest) if _is_flag(one)):
            yield ParameterError(f"There is no {unknown}.", remedy=did_you_mean(unknown, known))
        needed = [one for one in arguments if one.required]
        for argument in needed[len(plain) :]:
            meaning = getattr(argument, "help", None) or ""
            yield ParameterError(f"{argument.metavar} is missing.", remedy=meaning)
        for flag in flags:
            if flag.required and found.get(flag.name) is None:
                yield ParameterError(f"{flag.opts[0]} is missing.", remedy=flag.help or "")
        yield from _wrong_values(_VERBS_OF_PARTS.get(str(self.name), str(self.name)), found)


def _is_flag(text: str) -> bool:
    return text.startswith("-") and len(text) > 1


def _wrong_values(verb: str, found: Mapping[str, Any]) -> list[ParameterError]:
    """Return what is wrong with the options that a command line sets."""
    from shoal.cli.flag_values import options_of_flags
    from shoal.errors import ParameterError
    from shoal.options.call import wrong_values
    from shoal.options.verbs import VERBS, describe_options
    from shoal.pipeline.compatibility import find_mistakes, make_release_job

    if verb not in VERBS:
        return []
    names = [one.key for one in describe_options(verb)]
    try:
        given = options_of_flags({name: found[name] for name in names if name in found}, verb)
        if verb == "anonymize" and "job" not in found:
            return find_mistakes(make_release_job(given))
        return wrong_values(verb, given)
    except ParameterError as error:
        return list(error.mistakes or (error,))
