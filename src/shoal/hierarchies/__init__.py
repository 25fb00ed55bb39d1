"""Generalization hierarchies: trees over the values of an attribute, their builders and files."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.hierarchies.checks import Fault, find_faults, find_missing
    from shoal.hierarchies.clusters import cluster_levels
    from shoal.hierarchies.dates import date_levels
    from shoal.hierarchies.files import (
        format_hierarchy,
        read_hierarchy,
        read_rows,
        split_rows,
        tree_text,
        with_star_root,
    )
    from shoal.hierarchies.groups import group_levels
    from shoal.hierarchies.intervals import (
        alphabetical_halves,
        cut_levels,
        halved_levels,
        quantile_levels,
        range_levels,
    )
    from shoal.hierarchies.level_preview import Level, preview
    from shoal.hierarchies.listed import set_levels, text_levels
    from shoal.hierarchies.names import ROOT
    from shoal.hierarchies.recipe import (
        EVERY,
        WHOLE,
        Recipe,
        Way,
        as_file,
        file_of,
        is_file,
        is_recipe,
        with_file,
    )
    from shoal.hierarchies.recipes import Auto, Cuts, Dates, Groups, Quantiles, Ranges, Stars
    from shoal.hierarchies.scale import DayScale, NumberScale, RankScale, Scale
    from shoal.hierarchies.stars import star_levels
    from shoal.hierarchies.tree import Hierarchy

# Names load their modules when they are first used: most runs need none of the builders.
_HOME = {
    "EVERY": "recipe",
    "ROOT": "names",
    "WHOLE": "recipe",
    "Auto": "recipes",
    "Cuts": "recipes",
    "Dates": "recipes",
    "DayScale": "scale",
    "Fault": "checks",
    "Groups": "recipes",
    "Hierarchy": "tree",
    "Level": "level_preview",
    "NumberScale": "scale",
    "Quantiles": "recipes",
    "Ranges": "recipes",
    "RankScale": "scale",
    "Recipe": "recipe",
    "Scale": "scale",
    "Stars": "recipes",
    "Way": "recipe",
    "alphabetical_halves": "intervals",
    "as_file": "recipe",
    "cluster_levels": "clusters",
    "cut_levels": "intervals",
    "date_levels": "dates",
    "file_of": "recipe",
    "find_faults": "checks",
    "find_missing": "checks",
    "format_hierarchy": "files",
    "group_levels": "groups",
    "halved_levels": "intervals",
    "is_file": "recipe",
    "is_recipe": "recipe",
    "preview": "level_preview",
    "quantile_levels": "intervals",
    "range_levels": "intervals",
    "read_hierarchy": "files",
    "read_rows": "files",
    "split_rows": "files",
    "set_levels": "listed",
    "star_levels": "stars",
    "text_levels": "listed",
    "tree_text": "files",
    "with_file": "recipe",
    "with_star_root": "files",
}

__all__ = [
    "EVERY",
    "ROOT",
    "WHOLE",
    "Auto",
    "Cuts",
    "Dates",
    "DayScale",
    "Fault",
    "Groups",
    "Hierarchy",
    "Level",
    "NumberScale",
    "Quantiles",
    "Ranges",
    "RankScale",
    "Recipe",
    "Scale",
    "Stars",
    "Way",
    "alphabetical_halves",
    "as_file",
    "cluster_levels",
    "cut_levels",
    "date_levels",
    "file_of",
    "find_faults",
    "find_missing",
    "format_hierarchy",
    "group_levels",
    "halved_levels",
    "is_file",
    "is_recipe",
    "preview",
    "quantile_levels",
    "range_levels",
    "read_hierarchy",
    "read_rows",
    "set_levels",
    "split_rows",
    "star_levels",
    "text_levels",
    "tree_text",
    "with_file",
    "with_star_root",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'shoal.hierarchies' has no attribute {name!r}")
    return getattr(import_module(f"shoal.hierarchies.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
