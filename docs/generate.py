"""Write the parts of the documentation that the code itself knows.

``python -m docs.generate`` refreshes them; a test fails when they are out of date. A part stands
between ``<!-- begin NAME -->`` and ``<!-- end NAME -->``, a figure inside a sentence between
``<!-- figure:STUDY.NAME -->`` and ``<!-- end figure -->``; the rest of a page is written by hand.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import page_figures
from benchmarks.pages import render
from shoal import errors
from shoal.algorithms import algorithms, describe_parameters
from shoal.cli.shell_lines import with_flags
from shoal.measures import measures
from shoal.models import definitions
from shoal.options import Group, describe_options, job_schema
from shoal.pipeline.facts import schema_of_facts
from shoal.risks.figure import DEFINITIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shoal.algorithms import Algorithm
    from shoal.options import OptionDescription

ROOT = Path(__file__).resolve().parent.parent
PAGES = tuple(
    str(page.relative_to(ROOT))
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if re.search("<!-- (begin |figure:)", page.read_text(encoding="utf-8"))
)
_PART = re.compile(r"(<!-- begin ([\w:.*-]+) -->\n).*?(<!-- end \2 -->)", re.DOTALL)
_FIGURE = re.compile(r"(<!-- figure:(\w+)\.(\w+) -->).*?(<!-- end figure -->)")
"""A figure inside a sentence."""
_FIGURES = "figures:"
"""Prefix of parts that show stored results: ``figures:STUDY.TABLE``."""
_OPTIONS = "options:"
"""Prefix of parts that list the flags of a verb: ``options:VERB.GROUP``."""
_ALGORITHM = "algorithm:"
"""Prefix of the part that describes an algorithm on its own page: ``algorithm:NAME``."""
_OPTION = re.compile(r"`[a-z_]+`")
_ALGORITHMS_IN_NAVIGATION = re.compile(
    r'(    "algorithms\.md",\n)(?:    "algorithms/[\w-]+\.md",\n)+'
)
SCHEMAS: dict[str, Callable[[], str]] = {
    "docs/job.schema.json": job_schema,
    "docs/facts.schema.json": lambda: _json(schema_of_facts()),
}


def _json(content: object) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def table_of_algorithms() -> str:
    """Return one line per algorithm."""
    return _table(
        ("algorithm", "idea", "cost", "paper"),
        [
            (f"`{name}`", cls.traits.summary, cls.traits.cost, cls.traits.paper)
            for name, cls in _our_algorithms().items()
        ],
    )


def _our_algorithms() -> dict[str, type[Algorithm]]:
    # Those of third parties are theirs to document.
    return {name: cls for name, cls in algorithms().items() if cls.__module__.startswith("shoal.")}


def links_to_algorithms() -> str:
    """Return the families with links to the pages of their algorithms."""
    families: dict[str, list[str]] = {}
    for name, cls in _our_algorithms().items():
        families.setdefault(cls.family, []).append(f"[`{name}`](algorithms/{name}.md)")
    return _table(
        ("family", "algorithms"), [(name, ", ".join(each)) for name, each in families.items()]
    )


def page_of_algorithm(name: str) -> str:
    """Return what an algorithm does, what to expect of it, and its parameters."""
    cls = algorithms()[name]
    traits = cls.traits
    expected = [
        f"Family: {cls.family}.",
        f"Cost: {traits.cost}.",
        "Proves its result optimal." if traits.optimal else "Its result need not be optimal.",
        "Improves until its budget (`--time`, `--steps`) is spent."
        if traits.anytime
        else "Runs once to completion; `--time` and `--steps` do not apply.",
        "The seed changes its classes."
        if traits.random
        else "The seed changes the order of rows, not the classes.",
        f"Paper: {traits.paper}.",
    ]
    rows = [
        (f"`{one.name}`", f"{one.kind} {one.limits}".strip(), f"`{one.default}`", one.description)
        for one in describe_parameters(cls)
    ]
    parameters = (
        _table(("parameter", "takes", "default", "meaning"), rows) if rows else "No parameters.\n"
    )
    return (
        f"Use `{name}` when {_linked(traits.use_when)}.\n\n"
        f"{_picture(f'algorithms/{name}', f'The toy table as {name} releases it')}\n"
        f"{traits.summary}\n\n## How it works\n\n{inspect.getdoc(cls)}\n\n## What to expect\n\n"
        + "\n".join(f"- {line}" for line in expected)
        + f"\n\n## Parameters\n\n{parameters}"
    )


def _linked(text: str) -> str:
    """Return a text with options as flags, whose algorithms link to their pages beside its own."""
    text = re.sub(r"`[a-z_]+=[^`]+`", lambda found: f"`{with_flags(found[0])}`", text)
    known = "|".join(_our_algorithms())
    return re.sub(rf"`({known})`", r"[`\1`](\1.md)", text)


def _picture(name: str, alternative: str) -> str:
    """Return a picture in the palette of the reader's choice, for a page one folder down."""
    return "".join(
        f"![{alternative}](../images/{name}-{palette}.svg#only-{palette})\n"
        for palette in ("light", "dark")
    )


def tree_of_packages() -> str:
    """Return every package with its purpose and its modules."""
    source = ROOT / "src/shoal"
    folders = sorted(file.parent for file in source.rglob("__init__.py") if file.parent != source)
    rows = []
    for folder in folders:
        modules = sorted(file.stem for file in folder.glob("*.py") if file.stem != "__init__")
        rows.append(
            (
                f"`{folder.relative_to(source)}/`",
                _purpose(folder / "__init__.py"),
                ", ".join(f"`{name}`" for name in modules),
            )
        )
    return _table(("package", "purpose", "modules"), rows)


def _purpose(file: Path) -> str:
    """Return the first sentence of a module's docstring, without its full stop."""
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return text.partition("\n\n")[0].replace("\n", " ").rstrip(".").replace("``", "`")


def table_of_measures() -> str:
    """Return one line per measure."""
    rows = [(f"`{one.name}`", one.meaning) for one in sorted(measures().values(), key=_name)]
    return _table(("measure", "meaning"), rows)


def table_of_models() -> str:
    """Return one line per privacy model, and under which names the literature knows it."""
    rows = []
    for name, one in definitions().items():
        if not one.model.__module__.startswith("shoal."):
            continue  # those of third parties are theirs to document
        letters = ",".join(parameter.letter for parameter in one.parameters)
        known = "; ".join(
            f"{alias} ({meaning})" if meaning else alias for alias, meaning in one.aliases.items()
        )
        rows.append(
            (
                f"`{name}:{letters}`",
                f"`shoal.models.{one.model.__name__}`",
                one.meaning,
                f"`{one.example}`",
                known,
            )
        )
    return _table(("model", "in Python", "meaning", "example", "also known as"), rows)


def _name(one: object) -> str:
    return str(getattr(one, "name", ""))


def table_of_risk_figures() -> str:
    """Return one line per risk figure."""
    rows = [
        (f"`{name}`", one.label, one.meaning, one.definition) for name, one in DEFINITIONS.items()
    ]
    return _table(("figure", "called", "meaning", "definition"), rows)


def table_of_errors() -> str:
    """Return one line per class of errors: what it means, and the exit code of the command line."""
    rows = [
        (f"`shoal.{name}`", _first_paragraph(cls), str(cls.exit_code))
        for name, cls in vars(errors).items()
        if inspect.isclass(cls) and issubclass(cls, errors.ShoalError)
    ]
    return _table(("error", "meaning", "exit code"), rows)


def _first_paragraph(cls: type) -> str:
    text = (inspect.getdoc(cls) or "").partition("\n\n")[0].replace("\n", " ")
    return re.sub(r" \(exit code \d+\)", "", text)


def table_of_facts() -> str:
    """Return one line per key of the facts, as the JSON Schema describes it."""
    properties = schema_of_facts()["properties"]
    rows = [(f"`{key}`", str(one.get("description", ""))) for key, one in properties.items()]
    return _table(("key", "meaning"), rows)


def table_of_options() -> str:
    """Return one line per option, as Python and job files name it."""
    rows = []
    for option in describe_options():
        name = f"`{option.name}`"
        if option.key != option.name:
            name += f" (key `{option.key}`)"
        choices = f" One of {', '.join(map(_code, option.choices))}." if option.choices else ""
        rows.append((name, option.help + choices, _default(option)))
    return _table(("option", "meaning", "default"), rows)


def table_of_flags(verb: str, group: str) -> str:
    """Return one line per option of a verb in a group, as the command line names it."""
    rows = []
    for option in describe_options(verb):
        if option.group is not Group[group.upper()]:
            continue
        value = option.metavar or "|".join(option.choices)
        flags = ", ".join(_code(f"{flag} {value}".strip()) for flag in option.flags)
        meaning = _OPTION.sub(lambda found: _code(with_flags(found[0])), option.help)
        rows.append((flags, meaning, _default(option)))
    return _table(("flag", "meaning", "default"), rows)


def _code(text: str) -> str:
    return f"`{text}`"


def _default(option: OptionDescription) -> str:
    if option.required:
        return "required"
    if option.default in ((), {}, None) or option.default is False:
        return ""
    return _code(f"{option.default:g}" if isinstance(option.default, float) else option.default)


def _table(headers: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [headers, tuple("---" for _ in headers), *rows]
    escaped = (" | ".join(cell.replace("|", r"\|") for cell in line) for line in lines)
    return "".join(f"| {line} |\n" for line in escaped)


def table_of_formats() -> str:
    """Return one line per format, by trial."""
    # Imported here: it writes files and reads them.
    from docs.format_trials import rows_of_formats

    headers = ("format", "read", "written", "types kept", "bad input", "tests")
    return _table(headers, rows_of_formats())


_PARTS: dict[str, Callable[[], str]] = {
    "table_of_formats": table_of_formats,
    "table_of_algorithms": table_of_algorithms,
    "table_of_errors": table_of_errors,
    "table_of_facts": table_of_facts,
    "links_to_algorithms": links_to_algorithms,
    "table_of_measures": table_of_measures,
    "tree_of_packages": tree_of_packages,
    "table_of_models": table_of_models,
    "table_of_options": table_of_options,
    "table_of_risk_figures": table_of_risk_figures,
}


def refreshed(page: str) -> str:
    """Return the text of a page with all its generated parts up to date."""
    filled = _PART.sub(lambda part: f"{part[1]}\n{_content(part[2])}\n{part[3]}", page)
    return _FIGURE.sub(lambda one: f"{one[1]}{page_figures.write(one[2], one[3])}{one[4]}", filled)


def _content(name: str) -> str:
    if name.startswith(_FIGURES):
        study, _, table = name.removeprefix(_FIGURES).partition(".")
        return render(study, table)
    if name.startswith(_OPTIONS):
        return table_of_flags(*name.removeprefix(_OPTIONS).split("."))
    if name.startswith(_ALGORITHM):
        return page_of_algorithm(name.removeprefix(_ALGORITHM))
    return _PARTS[name]()


def _add_pages_of_algorithms() -> list[str]:
    """Add a page for every algorithm that has none, and return those pages."""
    added = []
    for name in _our_algorithms():
        place = f"docs/algorithms/{name}.md"
        if not (ROOT / place).exists():
            mark = f"{_ALGORITHM}{name}"
            empty = f"# {name}\n\n<!-- begin {mark} -->\n<!-- end {mark} -->\n"
            (ROOT / place).write_text(empty, encoding="utf-8")
            added.append(place)
    return added


def with_pages_of_algorithms(settings: str) -> str:
    """Return the settings of the site with the pages of all algorithms in its navigation."""
    pages = "".join(f'    "algorithms/{name}.md",\n' for name in _our_algorithms())
    return _ALGORITHMS_IN_NAVIGATION.sub(lambda found: found[1] + pages, settings)


if __name__ == "__main__":
    for place, schema in SCHEMAS.items():
        (ROOT / place).write_text(schema(), encoding="utf-8")
    for place in (*PAGES, *_add_pages_of_algorithms()):
        path = ROOT / place
        path.write_text(refreshed(path.read_text(encoding="utf-8")), encoding="utf-8")
    site = ROOT / "zensical.toml"
    site.write_text(with_pages_of_algorithms(site.read_text(encoding="utf-8")), encoding="utf-8")
