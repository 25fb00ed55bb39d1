"""Projects of ARX (``.deid``): roles, hierarchies, privacy models and limits, as a job.

A project is a ZIP archive. ``input/definition.xml`` tells what each column is, ``input/config.xml``
the models and the suppression limit, ``input/hierarchies/`` holds a file for each hierarchy. The
data inside are left where they are.
"""

from __future__ import annotations

import math
import re
import zipfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from shoal.errors import FileError
from shoal.hierarchies import Hierarchy, split_rows, with_star_root
from shoal.hierarchies.names import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_AGGREGATES = {"arithmetic mean": "mean", "median": "median", "mode": "mode"}
_ROLES = {
    "QUASI_IDENTIFYING_ATTRIBUTE": "quasi",
    "SENSITIVE_ATTRIBUTE": "sensitive",
    "IDENTIFYING_ATTRIBUTE": "identifier",
    "INSENSITIVE_ATTRIBUTE": "other",
}
_K = re.compile(r"\(?(?:k=)?(\d+)\)?-anonymity")
_OF = r" for attribute '(?P<column>.*)'"
_MODELS = (
    (re.compile(r"distinct-(?P<l>\d+)-diversity" + _OF), "distinct-l-diversity:{l}@{column}"),
    (
        re.compile(r"(?:shannon-)?entropy-(?P<l>[\d.]+)-diversity(?: \(Shannon\))?" + _OF, re.I),
        "entropy-l-diversity:{l}@{column}",
    ),
    (
        re.compile(r"recursive-\((?P<c>[\d.]+),(?P<l>\d+)\)-diversity" + _OF),
        "recursive-l-diversity:{c},{l}@{column}",
    ),
    (
        re.compile(r"(?P<t>[\d.]+)-closeness(?: with equal(?: ground)?[- ]distance)?" + _OF),
        "t-closeness:{t}@{column}",
    ),
    (re.compile(r"basic-(?P<beta>[\d.]+)-likeness" + _OF), "beta-likeness:{beta}@{column}"),
    (
        re.compile(r"enhanced-(?P<beta>[\d.]+)-likeness" + _OF),
        "enhanced-beta-likeness:{beta}@{column}",
    ),
)
# What the letters of a Java date pattern are in strptime.
_DATE_LETTERS = {
    "yyyy": "%Y", "yy": "%y", "MMM": "%b", "MM": "%m", "dd": "%d", "HH": "%H", "mm": "%M",
    "ss": "%S",
}  # fmt: skip
_DATE_PARTS = re.compile(r"'((?:[^']|'')*)'|(([A-Za-z])\3*)|([^A-Za-z'])")


@dataclass(frozen=True, slots=True)
class ArxProject:
    """What a project specifies, in Shoal's options.

    Parameters
    ----------
    options
        Options of a job, without hierarchies.
    hierarchies
        The trees of quasi-identifiers, by column.
    notes
        What could not be imported.
    """

    options: dict[str, Any]
    hierarchies: dict[str, Hierarchy] = field(repr=False)
    notes: tuple[str, ...]


def read_arx_project(path: str | Path) -> ArxProject:
    """Read a project.

    Raises
    ------
    FileError
        If the file is not an ARX project, or declares nothing about its columns.
    HierarchyError
        If a hierarchy is none; the offending values are named.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            return _read(archive, str(path))
    except OSError as error:
        raise FileError(
            f"{path} cannot be read: {error.strerror or error}.", remedy="Check the path."
        ) from error
    except (zipfile.BadZipFile, ElementTree.ParseError, KeyError) as error:
        raise FileError(
            f"{path} is not an ARX project.", remedy="Name the .deid file that ARX saved."
        ) from error


def _read(archive: zipfile.ZipFile, where: str) -> ArxProject:
    options: dict[str, Any] = {}
    notes: list[str] = []
    trees: dict[str, Hierarchy] = {}
    separator = _separator(archive)
    # ARX spells it so.
    for one in _elements(archive, "input/definition.xml", "assigment"):
        fields = {child.tag: (child.text or "").strip() for child in one}
        name, role = fields["name"], _ROLES.get(fields.get("type", ""), "identifier")
        options.setdefault(role, []).append(name)
        if role != "quasi":
            continue
        if "microaggregationFunction" in fields:
            _read_aggregate(fields["microaggregationFunction"], name, options, notes)
        if fields.get("datatype") == "Date/Time" and "format" in fields and "ref" not in fields:
            _read_date_format(fields["format"], name, options, notes)
        if "ref" in fields:
            place = f"{where}: {fields['ref']}"
            trees[name] = _tree(archive, f"input/{fields['ref']}", place, separator)
            for option, tag in (("min_level", "min"), ("max_level", "max")):
                if fields.get(tag, "").isdigit():  # otherwise "All"
                    options.setdefault(option, {})[name] = int(fields[tag])
    if "quasi" not in options:
        raise FileError(
            f"{where} declares no quasi-identifier.", remedy="Set attribute types in ARX and save."
        )
    _read_config(archive, options, notes)
    return ArxProject(options, trees, tuple(notes))


def _read_aggregate(label: str, name: str, options: dict[str, Any], notes: list[str]) -> None:
    """Take over the function with which ARX aggregates the values of a class."""
    if label.lower() in _AGGREGATES:
        options.setdefault("aggregate", {})[name] = _AGGREGATES[label.lower()]
    elif label.lower() not in ("interval", "set"):  # which Shoal shows anyway
        notes.append(f"Column {name!r}: the aggregate {label!r} has no counterpart.")


def _read_date_format(pattern: str, name: str, options: dict[str, Any], notes: list[str]) -> None:
    directives = _strptime(pattern)
    if directives is None:
        notes.append(
            f"Column {name!r}: the date format {pattern!r} was not imported; give date_format."
        )
    else:
        options.setdefault("date_format", {})[name] = directives


def _read_config(archive: zipfile.ZipFile, options: dict[str, Any], notes: list[str]) -> None:
    for limit in _elements(archive, "input/config.xml", "relativeMaxOutliers"):
        share = _number(limit.text)
        if share is None:
            notes.append("The suppression limit is not a number and was not imported.")
            continue
        if 0 < share < 1:
            options["suppression"] = share
        elif share >= 1:
            notes.append("ARX may suppress all records; no suppression limit was imported.")
    weights = {}
    for weight in _elements(archive, "input/config.xml", "attributeWeight"):
        fields = {child.tag: child.text or "" for child in weight}
        value = _number(fields.get("weight"))
        if fields.get("attribute") not in options["quasi"]:
            continue
        if value is None:
            notes.append(
                f"Column {fields['attribute']!r}: the weight is not a number and was not imported."
            )
        elif value > 0:
            weights[fields["attribute"]] = value
    if len(set(weights.values())) > 1:
        options["weight"] = weights
    _read_criteria(archive, options, notes)


def _number(text: str | None) -> float | None:
    """Return a finite number, 0 where there is none, ``None`` where something else stands."""
    try:
        number = float(text or 0)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _read_criteria(archive: zipfile.ZipFile, options: dict[str, Any], notes: list[str]) -> None:
    models = []
    for criterion in _elements(archive, "input/config.xml", "criterion"):
        criterion_text = (criterion.text or "").strip()
        found = _K.fullmatch(criterion_text)
        if found:
            options["k"] = int(found[1])
            continue
        for pattern, form in _MODELS:
            matched = pattern.fullmatch(criterion_text)
            if matched:
                models.append(form.format(**matched.groupdict()))
                break
        else:
            notes.append(f"The privacy model {criterion_text!r} was not imported.")
    if models:
        options["model"] = models
    if "k" not in options:
        notes.append("The project does not require k-anonymity: add k to the job.")


def _elements(archive: zipfile.ZipFile, part: str, name: str) -> Iterator[ElementTree.Element]:
    # The custodian's own project; expat bounds the growth of entities.
    root = ElementTree.fromstring(archive.read(part))  # noqa: S314
    yield from root.iter(name)


def _separator(archive: zipfile.ZipFile) -> str | None:
    """Return what stands between the cells of all files in a project, if it says so."""
    if "project.xml" not in archive.namelist():
        return None
    try:
        separators = [one.text or "" for one in _elements(archive, "project.xml", "separator")]
    except ElementTree.ParseError:
        return None
    return separators[0] if separators and len(separators[0]) == 1 else None


def _tree(archive: zipfile.ZipFile, part: str, where: str, separator: str | None) -> Hierarchy:
    """Return a hierarchy; ARX names the root as it likes, here it is ``*``."""
    try:
        text = archive.read(part).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(
            f"{where} is not UTF-8 text.",
            remedy="Save the project again in ARX, with the hierarchy imported as UTF-8.",
        ) from error
    rows = split_rows(text, separator)
    if not rows:
        raise FileError(
            f"{where} is empty.", remedy="Make the hierarchy again in ARX, or remove it, and save."
        )
    rooted = with_star_root(rows)
    if rooted is rows and rows[0][-1] != ROOT:
        rooted = [[*row, ROOT] for row in rows]
    return Hierarchy.from_rows(rooted, where=where)


def _strptime(pattern: str) -> str | None:
    """Return a Java date pattern in the directives of strptime, ``None`` if it has no counterpart.

    >>> _strptime("yyyy-MM-dd'T'HH:mm")
    '%Y-%m-%dT%H:%M'
    """
    directives, place = "", 0
    while place < len(pattern):
        part = _DATE_PARTS.match(pattern, place)
        if part is None or (part[2] is not None and part[2] not in _DATE_LETTERS):
            return None
        if part[2] is not None:
            directives += _DATE_LETTERS[part[2]]
        else:
            literal = part[4] if part[1] is None else part[1].replace("''", "'") or "'"
            directives += literal.replace("%", "%%")
        place = part.end()
    return directives
