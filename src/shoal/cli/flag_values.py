r"""Values of options from flags, from a job file and from a facts file.

Lists are separated by commas, and a flag may be repeated. A comma that belongs to a name is
written ``\,`` and an equals sign in a column's name ``\=``; any other backslash stands for itself.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import FileError, ParameterError, raise_together

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shoal.options import OptionDescription

_COMMA = re.compile(r"(?<!\\),")
_EQUALS = re.compile(r"(?<!\\)=")


def split_list(texts: Sequence[str]) -> list[str]:
    r"""Return the items of a list flag.

    >>> split_list(["age,sex", "city\\, state"])
    ['age', 'sex', 'city, state']
    """
    return [
        item.strip().replace(r"\,", ",")
        for text in texts
        if text.strip()
        for item in _COMMA.split(text)
    ]


def split_pair(text: str, flag: str) -> tuple[str, str]:
    r"""Return name and value of one ``NAME=VALUE``.

    >>> split_pair("a\\=b=numeric", "--kind")
    ('a=b', 'numeric')
    """
    name, *value = _EQUALS.split(text, maxsplit=1)
    if not value or not name.strip():
        raise ParameterError(
            f"{flag} {text!r} is not NAME=VALUE.",
            remedy="Put the name first, and write \\= for an equals sign within it.",
        )
    return name.strip().replace(r"\=", "=").replace(r"\,", ","), value[0].strip()


# Options whose flag has another name.
_FLAGS = {"k": "-k", "l": "-l", "models": "--model", "round_to": "--round", "rows": "--custody"}


def flag_of(name: str) -> str:
    """Return the flag that gives an option."""
    return _FLAGS.get(name, f"--{name.replace('_', '-')}")


def options_of_flags(flags: Mapping[str, Any], verb: str = "anonymize") -> dict[str, Any]:
    """Return the options that the given flags of a verb set.

    Raises
    ------
    ParameterError
        If flags cannot be read; all wrong values are named with them.
    """
    from shoal.options import describe_options
    from shoal.options.values import with_special_columns

    described = {option.key: option for option in describe_options(verb)}
    read: dict[str, Any] = {}
    mistakes: list[ParameterError] = []
    for key, given in flags.items():
        if given is None or given is False:
            continue
        try:
            read[key] = _read(described[key], given)
        except ParameterError as error:
            mistakes.append(error)
    if mistakes:
        from shoal.options.call import wrong_values
        from shoal.pipeline.compatibility import further_mistakes

        mistakes += wrong_values(verb, read)
        raise_together([*mistakes, *(further_mistakes(read) if verb == "anonymize" else ())])
    return with_special_columns(read)


def _read(option: OptionDescription, given: Any) -> Any:
    if option.shape == "list" and not option.one_at_a_time:
        return split_list(given)
    if option.shape in ("integer", "number"):
        return _number(given, int if option.shape == "integer" else float)
    if option.shape != "mapping":
        return given
    if option.one_at_a_time:
        table = _table(option.key, [(pair, False) for pair in given])
        if option.value_shape == "list":
            return {column: split_list([listed]) for column, listed in table.items()}
        return table
    pairs = [item for text in given if text.strip() for item in _COMMA.split(text)]
    if option.key == "hierarchy":
        pairs = _with_numbers(pairs)
    return _table(option.key, [(pair, True) for pair in pairs])


def _number(text: str, kind: type[int | float]) -> float | str:
    """Return a number, or the text if it is not one: it is refused with all other wrong options."""
    try:
        return kind(text)
    except ValueError:
        return text


def _with_numbers(pairs: Sequence[str]) -> list[str]:
    """Return pairs such that ``age=ranges:5,10`` is one: numbers belong to the pair before them.

    >>> _with_numbers(["age=ranges:5", "10", "zip=stars"])
    ['age=ranges:5,10', 'zip=stars']
    """
    from shoal.hierarchies import is_recipe

    joined: list[str] = []
    for pair in pairs:
        before = _EQUALS.split(joined[-1], maxsplit=1)[-1] if joined else ""
        if _EQUALS.search(pair) is None and ":" in before and is_recipe(before.strip()):
            joined[-1] += f",{pair.strip()}"
        else:
            joined.append(pair)
    return joined


def _table(key: str, pairs: Sequence[tuple[str, bool]]) -> dict[str, str]:
    table: dict[str, str] = {}
    for text, unescape in pairs:
        name, value = split_pair(text, flag_of(key))
        if name in table:
            raise ParameterError(
                f"{flag_of(key)} names {name!r} twice.", remedy="Give it one value."
            )
        table[name] = value.replace(r"\,", ",") if unescape else value
    return table


def override(options: Mapping[str, Any], flags: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a file, overridden by those of the flags.

    A table such as ``kind`` is overridden column by column, everything else as a whole. Another
    algorithm does not inherit the parameters of the one in the file.
    """
    merged = dict(options)
    if flags.get("algorithm", merged.get("algorithm")) != merged.get("algorithm"):
        merged.pop("param", None)
    for name, value in flags.items():
        if isinstance(value, dict) and isinstance(merged.get(name), dict):
            merged[name] = {**merged[name], **value}
        else:
            merged[name] = value
    return _without_stale_kinds(merged, flags) if "columns" in options else merged


def _without_stale_kinds(merged: dict[str, Any], flags: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options without kinds that a saved job pinned and flags override."""
    kept = dict(merged.get("kind", {}))
    implied = {"hierarchy", "suppress_only", "order", "date_format"} & flags.keys()
    overridden = {column for name in implied for column in flags[name]}
    if "quasi" in flags:
        overridden |= kept.keys() - set(flags["quasi"])
    overridden -= flags.get("kind", {}).keys()
    return {**merged, "kind": {one: kept[one] for one in kept if one not in overridden}}


def options_of_job_file(path: str) -> dict[str, Any]:
    """Return the options of a job file; the files it names are found from its own folder."""
    from shoal.options import read_job
    from shoal.options.hierarchy_paths import with_found_files

    return with_found_files(read_job(path), Path(path).parent)


def options_of_facts_file(path: str) -> dict[str, Any]:
    """Return the options of the job recorded in a facts file.

    Raises
    ------
    FileError
        If the file cannot be read, or holds no job.
    """
    from shoal.options.hierarchy_paths import with_found_files

    facts = read_json(path, "facts")
    job = facts.get("job")
    if not isinstance(job, dict):
        raise FileError(
            f"The facts {path} record no job.", remedy="Give the options as flags instead."
        )
    return with_found_files(job, Path(path).parent)


def read_json(path: str, noun: str) -> dict[str, Any]:
    """Return the object in a JSON file."""
    from shoal.pipeline.json_files import read_object

    return read_object(path, noun)
