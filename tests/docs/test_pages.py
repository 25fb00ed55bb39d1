"""The documentation is true: links lead somewhere, generated parts are up to date, names exist."""

from __future__ import annotations

import ast
import importlib.util
import re
import shlex
from functools import cache
from typing import TYPE_CHECKING

import pytest

from shoal.algorithms import algorithms, describe_parameters
from shoal.cli.verbs import load
from shoal.measures import measures
from shoal.options import Job
from tests.docs.markdown import PAGES, ROOT, anchors, blocks, links, run_python, without_code

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


@cache
def generator() -> ModuleType:
    specification = importlib.util.spec_from_file_location("generate", ROOT / "docs/generate.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_there_are_pages() -> None:
    names = {str(page.relative_to(ROOT)) for page in PAGES}
    assert names >= {"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/tutorial.md"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_internal_links_resolve(page: Path) -> None:
    for link in links(page):
        if link.startswith(("http://", "https://")):
            continue
        place, _, anchor = link.partition("#")
        target = (page.parent / place).resolve() if place else page
        assert target.exists(), f"{page.name}: {link}"
        assert target.is_relative_to(ROOT), f"{page.name}: {link} leads out of the project"
        if anchor and target.suffix == ".md":  # pictures name the palette they are for
            assert anchor in anchors(target), f"{page.name}: {link}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_fence_is_read(page: Path) -> None:
    """The site shows a fence with more than a language as text, and what follows as code."""
    assert not re.search("^```", without_code(page), re.MULTILINE)


@pytest.mark.parametrize("page", generator().PAGES)
def test_generated_parts_are_up_to_date(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert "<!-- begin " in text or "<!-- figure:" in text
    # A comment at the start of a line would end the paragraph.
    assert "\n<!-- figure:" not in text
    assert generator().refreshed(text) == text, "run: .venv/bin/python -m docs.generate"


def test_every_algorithm_has_a_page_with_its_parameters() -> None:
    listed = (ROOT / "docs/algorithms.md").read_text(encoding="utf-8")
    for name, cls in algorithms().items():
        if not cls.__module__.startswith("shoal."):
            continue
        page = (ROOT / f"docs/algorithms/{name}.md").read_text(encoding="utf-8")
        for parameter in describe_parameters(cls):
            assert f"| `{parameter.name}` |" in page
        assert cls.traits.paper in page
        assert cls.traits.use_when
        assert f"Use `{name}` when " in page
        assert f"[`{name}`](algorithms/{name}.md)" in listed


def test_every_measure_and_every_option_is_listed() -> None:
    listed = (ROOT / "docs/measures.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in listed for name in measures())
    options = (ROOT / "docs/reference/options.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` " in options for name in Job.model_fields)


@pytest.mark.parametrize("place", generator().SCHEMAS)
def test_schemas_are_up_to_date(place: str) -> None:
    text = (ROOT / place).read_text(encoding="utf-8")
    assert text == generator().SCHEMAS[place](), "run: .venv/bin/python -m docs.generate"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_make_targets_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^|`)make ([a-z0-9-]+)", text, re.MULTILINE))
    if page.name == "README.md":
        assert named >= {"demo", "test"}
    for target in named:
        assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE), f"make {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_flags_exist(page: Path) -> None:
    """Flags that a page names are flags of Shoal; those of other programs are not called so."""
    import typer

    from shoal.cli.main import app
    from shoal.cli.verbs import SUMMARIES, load

    verbs = [typer.main.get_command(app), *map(load, SUMMARIES)]
    verbs += [part for one in verbs[1:] for part in getattr(one, "commands", {}).values()]
    known = {option for verb in verbs for parameter in verb.params for option in parameter.opts} | {
        "--help"
    }
    shown = without_code(page) + "".join(
        block.code for block in blocks(page) if "shoal " in block.code
    )
    for flag in set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", shown)):
        assert flag in known, f"{page.name} names {flag}"


@pytest.mark.parametrize(
    "name", ["README.md", "docs/python.md", "docs/measures.md", "docs/risk.md", "docs/report.md"]
)
def test_python_on_a_page_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    session: dict[str, object] = {"__name__": "page"}
    found = [block for block in blocks(ROOT / name) if block.language == "python"]
    assert found
    for block in found:
        run_python(block, name, session)
    capsys.readouterr()


def test_version_is_in_the_changelog() -> None:
    import shoal

    assert f"## [{shoal.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_page_on_spark_uses_options_that_exist() -> None:
    """Its commands need a cluster, so their options alone are checked."""
    code = {block.language: block.code for block in blocks(ROOT / "docs/spark.md")}
    (call,) = (
        node
        for node in ast.walk(ast.parse(code["python"]))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "shoal.spark.anonymize"
    )
    Job.from_dict({one.arg: ast.literal_eval(one.value) for one in call.keywords if one.arg})
    program, verb, *arguments = shlex.split(code["sh"].replace("\\\n", " "))
    assert (program, verb) == ("shoal", "anonymize")
    given = load(verb).make_context(verb, arguments).params
    assert (given["engine"], given["master"]) == ("spark", "spark://10.0.0.1:7077")
