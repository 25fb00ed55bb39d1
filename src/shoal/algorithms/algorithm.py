"""The protocol every algorithm follows, and the registry that knows them all.

A new algorithm is one file: a class with typed, ranged and documented fields, decorated with
:func:`algorithm`. Those fields alone feed validation, the job file, ``--param``, the documentation
and the contract tests.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cache, wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar, cast, dataclass_transform

from pydantic import ConfigDict, Field, ValidationError
from pydantic.dataclasses import dataclass as validated_dataclass

from shoal.algorithms.index import place_of, places
from shoal.algorithms.partition import Partition
from shoal.errors import ParameterError, did_you_mean, raise_together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from shoal.algorithms.budget import Budget
    from shoal.algorithms.problem import Problem
    from shoal.algorithms.run import Run
    from shoal.algorithms.solution import Solution

ENTRY_POINT_GROUP = "shoal.algorithms"


class Family(StrEnum):
    """Families of algorithms; one folder each."""

    AUTO = "auto"
    CLUSTER = "cluster"
    EXACT = "exact"
    FREEFORM = "freeform"
    LATTICE = "lattice"
    RECODING = "recoding"


class Form(StrEnum):
    """What a release of an algorithm looks like; losses compare best within one form."""

    CLASSES = "classes"
    FREEFORM = "freeform"
    FULL_DOMAIN = "full-domain"
    GLOBAL = "global"


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What a user may expect of an algorithm before running it.

    Parameters
    ----------
    summary
        The idea in one sentence.
    cost
        How time grows with the number of distinct rows n.
    paper
        Where it comes from.
    use_when
        When to choose it: the end of the sentence "Use it when …".
    optimal
        Whether it proves its result optimal.
    anytime
        Whether it improves until its budget is spent; a one-shot algorithm ignores the budget.
    random
        Whether the seed changes its result.
    measures
        The measures it can minimize.
    form
        What its releases look like.
    without_models
        Why it cannot enforce privacy models beside k; empty if it can.
    personal_k
        Whether it gives each record as many counterparts as its own k requires, though it enforces
        no other model; algorithms that enforce models keep a personal k as one of them.
    without_bound
        Why there is no lower bound for its releases; empty if there is one.
    whole_lattice
        Whether it stores every combination of levels, so that a table of many quasi-identifiers is
        refused.
    default_budget
        What it may spend on a problem where the run has no limit; ``None`` if it needs none.
    """

    summary: str
    cost: str
    paper: str
    use_when: str = ""
    optimal: bool = False
    anytime: bool = False
    random: bool = False
    measures: tuple[str, ...] = ("gcp",)
    form: Form = Form.CLASSES
    without_models: str = ""
    personal_k: bool = False
    without_bound: str = ""
    whole_lattice: bool = False
    default_budget: Callable[[Problem], Budget] | None = None

    @property
    def models(self) -> bool:
        """Whether it enforces privacy models beside k; if not, a job with models is refused."""
        return not self.without_models

    @property
    def keeps_personal_k(self) -> bool:
        """Whether it keeps a personal k; if not, a job with one is refused."""
        return self.models or self.personal_k


class TraitsOfInstance(Protocol):
    """Traits that depend on the parameters of an algorithm: a descriptor."""

    def __get__(self, chosen: Any, cls: Any) -> Traits:
        """Return the traits of an instance, or those of the class where there is none."""


class Algorithm(Protocol):
    """Something that solves problems."""

    name: ClassVar[str]
    family: ClassVar[Family]
    traits: ClassVar[Traits]

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Return a solution that meets every model, or raise ``InfeasibleError``."""


class AlgorithmLike(Protocol):
    """What functions accept in place of an algorithm's name: ``Mondrian(cuts="relaxed")``.

    A type checker sees the class as it is written, without what the decorator adds.
    """

    def solve(self, problem: Problem, run: Run) -> Solution:
        """Return a solution that meets every model, or raise ``InfeasibleError``."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an algorithm, as users see it."""

    name: str
    kind: str
    default: Any
    description: str
    limits: str


_registry: dict[str, type[Algorithm]] = {}
_Class = TypeVar("_Class")


@dataclass_transform(frozen_default=True, field_specifiers=(Field,))
def algorithm(
    name: str, *, family: Family, traits: Traits | TraitsOfInstance
) -> Callable[[type[_Class]], type[_Class]]:
    """Register a class as an algorithm and make its fields validated parameters.

    A run without a limit reaches its ``solve`` with the default budget of its traits.
    """

    def register(cls: type[_Class]) -> type[_Class]:
        cls.solve = _within_default_budget(cls.solve)  # type: ignore[attr-defined]
        made: Any = validated_dataclass(
            frozen=True, config=ConfigDict(extra="forbid", allow_inf_nan=False)
        )(cls)
        made.name, made.family, made.traits = name, family, traits
        made.__init__ = _with_clear_refusals(made)
        known = _registry.setdefault(name, made)
        if known is not made and known.__module__ != made.__module__:
            raise ParameterError(f"Two algorithms are called {name!r}.")
        return cast("type[_Class]", made)

    return register


def _with_clear_refusals(cls: Any) -> Callable[..., None]:
    """Return a constructor that names every parameter it rejects, and what it accepts."""
    initialize = cls.__init__

    @wraps(initialize)
    def checked(self: object, *values: Any, **parameters: Any) -> None:
        try:
            initialize(self, *values, **parameters)
        except ValidationError as error:
            raise_together(list(_refusals(cls, error)), "parameters")

    return checked


def _refusals(cls: type[Algorithm], error: ValidationError) -> Iterator[ParameterError]:
    known = {parameter.name: parameter for parameter in describe_parameters(cls)}
    for found in error.errors():
        name = str(found["loc"][0]) if found["loc"] else ""
        if name not in known:
            yield ParameterError(
                f"Algorithm {cls.name!r} has no parameter {name!r}.",
                remedy=did_you_mean(name, known) if known else "It has no parameters.",
            )
        else:
            takes = f"{known[name].kind} {known[name].limits}".strip()
            what = found["msg"].removeprefix("Value error, ")
            yield ParameterError(
                f"Parameter {name!r} of {cls.name!r}: {what}.", remedy=f"It takes {takes}."
            )


def _within_default_budget(
    solve: Callable[[Any, Problem, Run], Solution],
) -> Callable[[Any, Problem, Run], Solution]:
    @wraps(solve)
    def solve_within_budget(chosen: Algorithm, problem: Problem, run: Run) -> Solution:
        return solve(chosen, problem, with_default_budget(chosen, problem, run))

    return solve_within_budget


def algorithms() -> dict[str, type[Algorithm]]:
    """Return all algorithms by name: our own, and those of third parties by entry point."""
    _load_all()
    return dict(sorted(_registry.items()))


@cache
def _load_all() -> None:
    for place in places().values():
        import_module(place.module)
    _load_third_parties()


@cache
def _load_third_parties() -> None:
    # Imported here: who names an algorithm of this package need not look for others.
    from importlib.metadata import entry_points

    for entry in entry_points(group=ENTRY_POINT_GROUP):
        entry.load()


def find_algorithm(name: str) -> type[Algorithm]:
    """Return the algorithm of that name.

    Raises
    ------
    ParameterError
        If there is none; the nearest names are suggested.
    """
    place = place_of(name)
    if place is not None:
        import_module(place.module)
    if name not in _registry:
        _load_third_parties()
    if name not in _registry:
        known = sorted({*places(), *_registry})
        raise ParameterError(f"There is no algorithm {name!r}.", remedy=did_you_mean(name, known))
    return _registry[name]


def make_algorithm(name: str, parameters: Mapping[str, Any] | None = None) -> Algorithm:
    """Return the algorithm with these parameters; texts are read as the parameter's type.

    Raises
    ------
    ParameterError
        If the algorithm or a parameter is unknown, or a value is out of range.
    """
    return find_algorithm(name)(**(parameters or {}))


def solve_partition(
    name: str, problem: Problem, run: Run, parameters: Mapping[str, Any] | None = None
) -> Partition:
    """Solve with an algorithm that publishes classes; others start from its result.

    Raises
    ------
    ParameterError
        If the algorithm publishes in another form.
    """
    solution = make_algorithm(name, parameters).solve(problem, run)
    if not isinstance(solution, Partition):
        raise ParameterError(f"{name} does not divide records into classes.")
    return solution


def with_default_budget(chosen: Algorithm, problem: Problem, run: Run) -> Run:
    """Return the run with the algorithm's default budget, if it has no limit of its own."""
    default = chosen.traits.default_budget
    if default is None or run.budget.is_limited:
        return run
    budget = replace(default(problem), began=run.budget.began, clock=run.budget.clock)
    if budget.seconds is not None:
        run.note(
            f"{chosen.name} searched for at most {budget.seconds:.0f} seconds, its default; "
            f"`time` or `steps` sets another budget."
        )
    return run.within(budget)


def describe_parameters(cls: type[Algorithm]) -> list[Parameter]:
    """Return the parameters of an algorithm, from its fields alone."""
    described = []
    for name, info in cls.__pydantic_fields__.items():  # type: ignore[attr-defined]
        bounds = [
            f"{sign} {getattr(constraint, attribute)}"
            for constraint in info.metadata
            for attribute, sign in (("ge", "≥"), ("gt", ">"), ("le", "≤"), ("lt", "<"))
            if hasattr(constraint, attribute)
        ]
        annotation = info.annotation
        choices = getattr(annotation, "__args__", ()) if "Literal" in str(annotation) else ()
        described.append(
            Parameter(
                name=name,
                kind="one of" if choices else getattr(annotation, "__name__", str(annotation)),
                default=info.default,
                description=info.description or "",
                limits=", ".join(map(str, choices)) if choices else " and ".join(bounds),
            )
        )
    return described


def parameters_of(chosen: Algorithm) -> dict[str, Any]:
    """Return the parameter values of an algorithm."""
    return {item.name: getattr(chosen, item.name) for item in fields(chosen)}  # type: ignore[arg-type]
