"""What an option is beyond its type and default, and how it is described.

An option is a field of a pydantic model whose annotation holds an :class:`Option`. From these
fields alone come the signatures of the public functions, the flags, the job file, its JSON Schema,
the tables of the documentation and forms; :func:`describe` reads them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType, NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

Shape = Literal["boolean", "integer", "number", "text", "list", "mapping"]

UNCHANGED: Any = object()
"""Marks what a verb takes as the option defines it."""


class Group(StrEnum):
    """Options that belong together, in the order in which they are shown."""

    COLUMNS = "Columns: what each one is"
    KINDS = "Columns: how they are generalized"
    GOAL = "Goal"
    METHOD = "Method"
    COMPARISON = "Comparison"
    COLUMN = "About the column"
    RESULTS = "Results"
    FILES = "Reading files"


@dataclass(frozen=True, slots=True)
class Variant:
    """How a verb takes an option differently from others.

    Parameters
    ----------
    help
        What it means there.
    default
        Its default there.
    required
        Whether it must be given there.
    """

    help: str | None = None
    default: Any = UNCHANGED
    required: bool | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """What describes an option beyond its name, type, range and default.

    Parameters
    ----------
    help
        What it means, in one sentence; other options are in backticks.
    group
        The options it is shown with.
    verbs
        The verbs, or functions, that take it; none means all that take the model.
    metavar
        Placeholder for its value in the help of its flag, where the default is not suitable.
    flags
        Its flags, where they are not ``--name``.
    accepts
        Its type in signatures, where functions take more than a job holds.
    columns
        Whether its values, or the keys of a mapping, are names of columns.
    one_at_a_time
        Whether its flag is repeated for every item, since items may hold commas.
    in_python
        Whether functions take it; they do not take what concerns the reading of files.
    variants
        By verb, how that verb takes it differently.
    """

    help: str
    group: Group
    verbs: tuple[str, ...] = ()
    metavar: str = ""
    flags: tuple[str, ...] = ()
    accepts: str = ""
    columns: bool = False
    one_at_a_time: bool = False
    in_python: bool = True
    variants: Mapping[str, Variant] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class OptionDescription:
    """An option as a verb takes it, with all that a flag, a table or a form needs.

    Parameters
    ----------
    name
        Its name in Python.
    key
        Its name in job files and facts.
    flags
        Its flags on the command line.
    help, group, metavar, columns, one_at_a_time, in_python
        As :class:`Option` has them.
    shape
        What its value is; the values of a mapping are of ``value_shape``.
    required
        Whether it must be given.
    default
        What it is unless set.
    choices
        The texts it may be, if these are few.
    minimum, maximum
        The range of a number; ``above`` and ``below`` are limits that it may not reach.
    annotation
        Its type in signatures.
    """

    name: str
    key: str
    flags: tuple[str, ...]
    help: str
    group: Group
    metavar: str
    columns: bool
    one_at_a_time: bool
    in_python: bool
    shape: Shape
    value_shape: Shape
    required: bool
    default: Any
    choices: tuple[str, ...]
    minimum: float | None
    maximum: float | None
    above: float | None
    below: float | None
    annotation: str


def help_of(model: type[BaseModel]) -> dict[str, str]:
    """Return what each option of a model means."""
    return {
        name: next(part.help for part in info.metadata if isinstance(part, Option))
        for name, info in model.model_fields.items()
    }


def describe(model: type[BaseModel], verb: str) -> Iterator[OptionDescription]:
    """Yield the options of a model that a verb takes."""
    for name, info in model.model_fields.items():
        option = next(part for part in info.metadata if isinstance(part, Option))
        if not option.verbs or verb in option.verbs:
            yield _described(name, info, option, option.variants.get(verb, Variant()))


def _described(name: str, info: FieldInfo, option: Option, variant: Variant) -> OptionDescription:
    required = info.is_required() if variant.required is None else variant.required
    default = None
    if not info.is_required():
        default = info.get_default(call_default_factory=True, validated_data={})
    if variant.default is not UNCHANGED:
        default = variant.default
    inner = _without_none(info.annotation)
    arguments = get_args(inner)
    key = info.alias or name
    shape = _shape(inner)
    value_shape = _shape(arguments[1]) if shape == "mapping" else "text"
    choices = tuple(map(str, arguments)) if get_origin(inner) is Literal else ()
    return OptionDescription(
        name=name,
        key=key,
        flags=option.flags or (f"--{key.replace('_', '-')}",),
        help=variant.help or option.help,
        group=option.group,
        metavar=option.metavar or _metavar(shape, columns=option.columns),
        columns=option.columns,
        one_at_a_time=option.one_at_a_time,
        in_python=option.in_python,
        shape=shape,
        value_shape=value_shape,
        required=required,
        default=None if required else default,
        choices=choices,
        minimum=_limit(info, "ge"),
        maximum=_limit(info, "le"),
        above=_limit(info, "gt"),
        below=_limit(info, "lt"),
        annotation=option.accepts or _source(inner, shape),
    )


def _without_none(annotation: Any) -> Any:
    """Return the type of an option that is set."""
    if get_origin(annotation) in (Union, UnionType):
        (annotation,) = (part for part in get_args(annotation) if part is not NoneType)
    return annotation


def _shape(annotation: Any) -> Shape:
    origin = get_origin(annotation) or annotation
    if origin is Annotated:
        return _shape(get_args(annotation)[0])
    shapes: dict[Any, Shape] = {
        bool: "boolean",
        int: "integer",
        float: "number",
        tuple: "list",
        dict: "mapping",
    }
    return shapes.get(origin, "text")


def _metavar(shape: Shape, *, columns: bool) -> str:
    if shape == "text":
        return "COLUMN" if columns else ""
    return {"list": "A,B,…", "integer": "N", "number": "NUMBER"}.get(shape, "")


def _source(annotation: Any, shape: Shape) -> str:
    """Return a type as functions take it, as source text."""
    if get_origin(annotation) is Annotated:
        return _source(get_args(annotation)[0], shape)
    if get_origin(annotation) is Literal:
        choices = ", ".join(f'"{choice}"' for choice in get_args(annotation))
        return f"Literal[{choices}]"
    if shape == "list":
        return "Sequence[str]"
    if shape == "mapping":
        value = get_args(annotation)[1]
        return f"Mapping[str, {_source(value, _shape(value))}]"
    return str(annotation.__name__)


def _limit(info: FieldInfo, name: str) -> float | None:
    limits = (getattr(part, name) for part in info.metadata if hasattr(part, name))
    return next(limits, None)
