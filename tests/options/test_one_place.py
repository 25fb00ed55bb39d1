"""An option that is added to the definition reaches everything that shows options."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import shoal
from shoal._core import kernels

# The finder of an editable install would go before any path.
_IMPORT_COPY = """
import sys
sys.path[:0] = [{!r}]
sys.meta_path[:] = [one for one in sys.meta_path if "editable" not in type(one).__module__]
"""
FIELD = """
    colour: Annotated[
        Literal["red", "green"],
        Option("Colour of the cover.", Group.RESULTS, ("anonymize", "verify")),
    ] = "red"
"""


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """Return a copy of the package whose definition has one option more, brought up to date."""
    package = Path(shoal.__file__).parent
    copy = tmp_path / "src/shoal"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__", "*.cpp", "static"))
    shutil.copy(kernels.__file__, copy / "_core")  # an editable install keeps them elsewhere
    definition = copy / "options/definition/method.py"
    definition.write_text(definition.read_text(encoding="utf-8") + FIELD, encoding="utf-8")
    _run(tmp_path / "src", "from shoal.options.generate import main; main()")
    return tmp_path / "src"


def _run(sources: Path, code: str) -> str:
    root = Path(__file__).parent.parent.parent
    ended = subprocess.run(
        [sys.executable, "-c", f"{_IMPORT_COPY.format(str(sources))}\n{code}"],
        cwd=root,
        env={"PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_an_option_is_added_in_one_place(sources: Path, tmp_path: Path) -> None:
    signature = (sources / "shoal/api/verify.py").read_text(encoding="utf-8")
    assert '    colour: Literal["red", "green"] | None = None,\n' in signature
    job = tmp_path / "job.toml"
    job.write_text('k = 2\nquasi = ["age"]\ncolour = "green"\n', encoding="utf-8")
    shown = _run(
        sources,
        f"""
import inspect, json, shoal
from docs.generate import table_of_flags, table_of_options
from shoal.cli.verbs import load
from shoal.options import Job, job_schema, read_job
assert shoal.__file__.startswith({str(sources)!r})
parameter = inspect.signature(shoal.anonymize).parameters["colour"]
print(json.dumps({{
    "signature": str(parameter),
    "docstring": inspect.getdoc(shoal.anonymize),
    "job": Job(**read_job({str(job)!r})).colour,
    "schema": json.loads(job_schema())["properties"]["colour"],
    "flags": [flag for one in load("anonymize").params for flag in one.opts],
    "options": table_of_options(),
    "page": table_of_flags("anonymize", "results"),
}}))
""",
    )
    reached = json.loads(shown)
    assert reached["signature"] == """colour: "Literal['red', 'green']" = 'red'"""
    assert "\ncolour\n    Colour of the cover.\n" in reached["docstring"]
    assert reached["job"] == "green"
    assert reached["schema"]["enum"] == ["red", "green"]
    assert reached["schema"]["description"] == "Colour of the cover."
    assert "--colour" in reached["flags"]
    assert (
        "| `colour` | Colour of the cover. One of `red`, `green`. | `red` |" in reached["options"]
    )
    assert "| `--colour red\\|green` | Colour of the cover. | `red` |" in reached["page"]


def test_a_wrong_value_of_it_is_refused(sources: Path) -> None:
    shown = _run(
        sources,
        """
import shoal
try:
    shoal.Job(k=2, quasi=["age"], colour="blue", rest="keep")
except shoal.ParameterError as error:
    print(error)
""",
    )
    assert "2 mistakes in the options" in shown
    assert "`colour` should be 'red' or 'green'" in shown
