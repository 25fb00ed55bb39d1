"""Which options each verb takes: the command of that name, and the function."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from shoal.options.further import AnatomyOptions, ColumnOptions, RiskOptions, UtilityOptions
from shoal.options.job import Job
from shoal.options.option import Group, OptionDescription, describe
from shoal.options.reading import ReadingOptions

if TYPE_CHECKING:
    from shoal.options.checked import CheckedOptions

_GROUPS = list(Group)
_MODELS: dict[str, tuple[type[CheckedOptions], ...]] = {
    "anonymize": (Job,),
    "verify": (Job,),
    "report": (Job,),
    "compare": (Job,),
    "plan": (Job,),
    "measure": (Job,),
    "bound": (Job,),
    "utility": (Job, UtilityOptions),
    "anatomize": (AnatomyOptions, Job),
    "risk": (Job, RiskOptions),
    "inspect": (ReadingOptions,),
    "hierarchy": (ColumnOptions, ReadingOptions),
}
VERBS = tuple(_MODELS)


def models_of(verb: str) -> tuple[type[CheckedOptions], ...]:
    """Return the models whose fields are the options of a verb."""
    return _MODELS[verb]


@cache
def describe_options(verb: str = "anonymize") -> tuple[OptionDescription, ...]:
    """Return the options of a verb, group by group: what a flag, a table or a form needs.

    Examples
    --------
    >>> [option.name for option in describe_options("inspect")][:5]
    ['separator', 'encoding', 'null_values', 'special_values', 'header']
    >>> [one.choices for one in describe_options("anonymize") if one.name == "rest"]
    [('other', 'drop')]
    """
    found = [option for model in _MODELS[verb] for option in describe(model, verb)]
    return tuple(sorted(found, key=lambda option: _GROUPS.index(option.group)))
