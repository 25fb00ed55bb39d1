"""Write what editors and type checkers must find in the source.

``python -m shoal.options.generate`` writes the options into the public functions: their parameters,
and their descriptions in the docstrings; and the classes of all algorithms and privacy models into
their packages. The same lines are in several functions for that reason: editors and type checkers
read the source, not what a decorator makes of it. A test fails when the source is out of date.
Parameters that are not options are written by hand and stay as they are.
"""

from __future__ import annotations

import ast
import re
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.algorithms.index import places
from shoal.models.index import modules_of_models
from shoal.options.verbs import describe_options

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from shoal.options.option import OptionDescription

_PACKAGE = Path(__file__).resolve().parent.parent
_WIDTH = 100
_FIRST = ("k", "l", "quasi")
_IMPORTS = re.compile(
    r"(    # Written by python -m shoal\.options\.generate\.\n)(?:    [^\n]+\n)+", re.MULTILINE
)
ALGORITHMS = _PACKAGE / "algorithms/__init__.py"
MODELS = _PACKAGE / "models/__init__.py"
_SECTION = re.compile(r"^( *)(\w[\w ]*)\n\1-{3,}$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Target:
    """A function whose options are written for it.

    Parameters
    ----------
    verb
        The verb whose options it takes.
    file
        Its module.
    name
        Its name.
    own
        Its parameters after the options, written by hand.
    all_optional
        Whether no option must be set, since the release may hold it; then ``None`` is the
        default of all, which shows what is set.
    files
        Whether it is for a job, which has options for the reading of files too.
    without
        Options of the verb that mean nothing to it.
    """

    verb: str
    file: str
    name: str
    own: tuple[str, ...] = ()
    all_optional: bool = False
    files: bool = False
    without: tuple[str, ...] = ()


TARGETS = (
    Target("anonymize", "api/anonymize.py", "anonymize", ("watch",)),
    Target("verify", "api/verify.py", "verify", ("rows", "matches", "watch"), all_optional=True),
    Target(
        "report",
        "api/report.py",
        "report",
        (
            "path",
            "public",
            "certificate",
            "report_format",
            "title",
            "facts",
            "rows",
            "matches",
            "figures",
            "files",
            "commands",
            "force",
        ),
        all_optional=True,
    ),
    Target(
        "compare",
        "api/compare.py",
        "compare",
        ("k", "algorithm", "suppression", "models", "store", "watch"),
    ),
    Target("plan", "api/plan.py", "plan", ("k",)),
    Target("measure", "api/measure.py", "measure", ("rows",), all_optional=True),
    Target("bound", "api/bound.py", "bound", ("watch",)),
    Target("utility", "api/utility.py", "utility", ("rows", "watch"), all_optional=True),
    Target("risk", "api/risk.py", "risk", ("population", "original", "rows")),
    Target("anatomize", "api/anatomize.py", "anatomize"),
    Target("hierarchy", "api/hierarchy.py", "build_hierarchy"),
    Target("anonymize", "options/job.py", "__init__", files=True),
    Target("anonymize", "spark/__init__.py", "anonymize", ("row",), without=("engine", "memory")),
)


def files() -> list[Path]:
    """Return the modules that are written in part."""
    return sorted({ALGORITHMS, MODELS, *(_PACKAGE / target.file for target in TARGETS)})


def refreshed(file: Path, source: str) -> str:
    """Return the source of a module, brought up to date."""
    classes = _classes_of(file)
    if classes:
        return _IMPORTS.sub(lambda found: f"{found[1]}{_imports(classes)}", source)
    for target in TARGETS:
        if _PACKAGE / target.file == file:
            source = _rewritten(source, target, describe_options(target.verb))
    return source


def _classes_of(file: Path) -> dict[str, str]:
    """Return the classes that a package imports for editors, each with its module."""
    if file == ALGORITHMS:
        return {place.cls: place.module for place in places().values()}
    return modules_of_models() if file == MODELS else {}


def _imports(classes: Mapping[str, str]) -> str:
    """Return the imports of classes."""
    lines = (f"    from {module} import {cls} as {cls}\n" for cls, module in classes.items())
    return "".join(sorted(lines))


def _rewritten(source: str, target: Target, options: Sequence[OptionDescription]) -> str:
    function = next(
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and node.name == target.name
    )
    taken = sorted(
        (
            one
            for one in options
            if (one.in_python or target.files) and one.name not in target.without
        ),
        key=lambda one: (not one.required, *(one.name != first for first in _FIRST)),
    )
    lines = source.splitlines(keepends=True)
    docstring = function.body[0]
    body = docstring.lineno - 1
    if ast.get_docstring(function) is not None:
        assert docstring.end_lineno is not None
        docstring_text = "".join(lines[body : docstring.end_lineno])
        lines[body : docstring.end_lineno] = [_documented(docstring_text, function, target, taken)]
    stub = body == function.end_lineno - 1 and not ast.get_docstring(function)  # type: ignore[operator]
    header = "".join(_header(function, target, taken)) + (" ...\n" if stub else "\n")
    lines[function.lineno - 1 : body + stub] = [header]
    return "".join(lines)


def _header(
    function: ast.FunctionDef, target: Target, options: Sequence[OptionDescription]
) -> Iterator[str]:
    """Yield the lines from ``def`` to the colon; the last one has no end."""
    indent = " " * function.col_offset
    inner = indent + " " * 4
    yield f"{indent}def {function.name}(\n"
    for argument in function.args.args:
        yield f"{inner}{ast.unparse(argument)},\n"
    yield f"{inner}*,\n"
    for option in options:
        yield f"{inner}{_parameter(option, target)}\n"
    given = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    by_hand = {argument.arg: (argument, default) for argument, default in given}
    for name in target.own:
        argument, default = by_hand[name]
        value = "" if default is None else f" = {ast.unparse(default)}"
        yield f"{inner}{ast.unparse(argument)}{value},\n"
    assert function.returns is not None
    yield f"{indent}) -> {ast.unparse(function.returns)}:"


def _parameter(option: OptionDescription, target: Target) -> str:
    # The literature's letter l, which linters take for the digit 1.
    remark = "  # noqa: E741" if option.name == "l" else ""
    annotation = option.annotation
    if option.required:
        return f"{option.name}: {annotation},{remark}"
    if option.default is None or option.shape == "mapping" or target.all_optional:
        return f"{option.name}: {annotation} | None = None,{remark}"
    value = f'"{option.default}"' if isinstance(option.default, str) else repr(option.default)
    return f"{option.name}: {annotation} = {value},{remark}"


def _documented(
    docstring_text: str,
    function: ast.FunctionDef,
    target: Target,
    options: Sequence[OptionDescription],
) -> str:
    """Return a docstring whose section on parameters describes all options."""
    sections = list(_SECTION.finditer(docstring_text))
    place = next(n for n, section in enumerate(sections) if section[2] == "Parameters")
    begin = sections[place].end()
    following = sections[place + 1 :]
    end = following[0].start() if following else docstring_text.rindex('"""')
    indent = sections[place][1]
    by_hand = dict(_entries(docstring_text[begin:end], indent))
    entries = []
    positional = [argument.arg for argument in function.args.args]
    entries += _grouped(by_hand, positional)
    for option in options:
        width = _WIDTH - len(indent) - 4
        meaning = textwrap.fill(option.help, width, break_on_hyphens=False, break_long_words=False)
        entries.append(f"{option.name}\n{textwrap.indent(meaning, '    ')}\n")
    entries += _grouped(by_hand, target.own)
    section = textwrap.indent("".join(entries), indent)
    return (
        f"{docstring_text[:begin]}\n{section}\n{docstring_text[end:]}"
        if following
        else (f"{docstring_text[:begin]}\n{section}{indent}{docstring_text[end:]}")
    )


def _grouped(entries: dict[str, str], names: Sequence[str]) -> list[str]:
    """Return the entries that describe these parameters; several may share one."""
    found = dict.fromkeys(
        heading for name in names for heading in entries if name in heading.split(", ")
    )
    return [f"{heading}\n{entries[heading]}" for heading in found]


def _entries(section: str, indent: str) -> Iterator[tuple[str, str]]:
    """Yield the entries of a section: parameters, and their meaning without the common indent."""
    heading = ""
    lines: list[str] = []
    for line in textwrap.dedent(section.replace("\n" + indent, "\n")).strip("\n").splitlines():
        if line and not line.startswith(" "):
            if heading:
                yield heading, "".join(lines)
            heading, lines = line, []
        else:
            lines.append(line + "\n")
    if heading:
        yield heading, "".join(lines).rstrip("\n") + "\n"


def main() -> None:
    """Bring the source of the public functions up to date."""
    for path in files():
        path.write_text(refreshed(path, path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
