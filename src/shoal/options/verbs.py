"""Which options each verb takes: the command of that name, and the function."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from shoal.options.job import Job
from shoal.options.option import Group, OptionDescription, describe
from shoal.options.reading import ReadingOptions

if TYPE_CHECKING:
    from shoal.options.checked import CheckedOptions

_GROUPS = list(Group)
_OF_JOBS = ("anonymize", "verify", "report", "compare", "plan", "measure", "bound")
VERBS = (*_OF_JOBS, "utility", "anatomize", "risk", "inspect", "hierarchy")


def models_of(verb: str) -> tuple[type[CheckedOptions], ...]:
    """Return the models whose fields are the options of a verb."""
    if verb in _OF_JOBS:
        return (Job,)
    # Imported here: most commands take the options of a job alone.
    from shoal.options.further import AnatomyOptions, ColumnOptions, RiskOptions, UtilityOptions

    others: dict[str, tuple[type[CheckedOptions], ...]] = {
        "utility": (Job, UtilityOptions),
        "anatomize": (AnatomyOptions, Job),
        "risk": (Job, RiskOptions),
        "inspect": (ReadingOptions,),
        "hierarchy": (ColumnOptions, ReadingOptions),
    }
    return others[verb]


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
    found = [option for model in models_of(verb) for option in describe(model, verb)]
    return tuple(sorted(found, key=lambda option: _GROUPS.index(option.group)))
