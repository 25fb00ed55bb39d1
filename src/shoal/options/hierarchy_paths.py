"""How job files and facts name the files of hierarchies, and where these files are found."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.hierarchies import file_of, is_file, is_recipe, with_file

if TYPE_CHECKING:
    from collections.abc import Mapping


def hierarchies_from(trees: Mapping[str, str], path: str | Path) -> dict[str, str]:
    """Return hierarchy files as they are named from the folder of another file.

    An absolute path stays one, unless it leads into that folder.
    """
    folder = Path(os.path.realpath(Path(path).parent))

    def named(tree: str) -> str:
        if not is_file(tree):
            return tree
        file = Path(file_of(tree))
        real = Path(os.path.realpath(file))
        if file.is_absolute() and not real.is_relative_to(folder):
            return tree
        return with_file(tree, os.path.relpath(real, folder))

    return {column: named(tree) for column, tree in trees.items()}


def published_hierarchies(trees: Mapping[str, str], folder: str | Path = ".") -> dict[str, str]:
    """Return hierarchies as facts in a folder name them.

    A path may reveal whose machine it is on. It is published only as far as it leads through the
    folder of the facts or the working folder; otherwise only the name of the file is. A hierarchy
    that the job lists in full is left out: it may hold values of withheld records.
    """
    return {
        column: tree if is_recipe(tree) else with_file(tree, _published(file_of(tree), folder))
        for column, tree in trees.items()
        if is_recipe(tree) or is_file(tree)
    }


def listed_hierarchies(trees: Mapping[str, str]) -> dict[str, str]:
    """Return the hierarchies that a job lists in full, row by row."""
    return {
        column: tree for column, tree in trees.items() if not is_recipe(tree) and not is_file(tree)
    }


def found_hierarchy(tree: str, folder: Path) -> str:
    """Return the file that a hierarchy of facts or of a job in a folder means.

    Facts may hold the name alone of a file that was elsewhere; then it is sought in the folder of
    the facts and in the working folder.
    """
    if not is_file(tree):
        return tree
    places = _places(file_of(tree), folder)
    return with_file(tree, next((place for place in places if place.exists()), places[0]))


def with_found_files(options: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return options from a file, with hierarchies and population found from its folder."""
    found = dict(options)
    trees = options.get("hierarchy")
    if isinstance(trees, dict):
        found["hierarchy"] = {
            column: found_hierarchy(tree, folder) if isinstance(tree, str) else tree
            for column, tree in trees.items()
        }
    population = options.get("population")
    if isinstance(population, str) and "://" not in population:
        places = _places(population, folder)
        found["population"] = str(next((one for one in places if one.exists()), population))
    return found


def _places(file: str, folder: Path) -> tuple[Path, Path, Path]:
    """Return where a file may be that another file in a folder names."""
    named = Path(file)
    return folder / named, folder / named.name, Path(named.name)


def _published(file: str, folder: str | Path) -> str:
    target, base, here = (Path(os.path.realpath(place)) for place in (file, folder, "."))
    if target.is_relative_to(base):
        return str(target.relative_to(base))
    above_home = here in Path.home().parents
    if not above_home and target.is_relative_to(here) and base.is_relative_to(here):
        return os.path.relpath(target, base)
    return target.name
