"""Generalization hierarchies: trees over the values of an attribute, their builders and files."""

from shoal.hierarchies.checks import Fault, find_faults, find_missing
from shoal.hierarchies.clusters import cluster_levels
from shoal.hierarchies.dates import date_levels
from shoal.hierarchies.files import (
    format_hierarchy,
    read_hierarchy,
    read_rows,
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
from shoal.hierarchies.listed import set_levels, text_levels
from shoal.hierarchies.names import ROOT
from shoal.hierarchies.preview import Level, preview
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
    "star_levels",
    "text_levels",
    "tree_text",
    "with_file",
    "with_star_root",
]
