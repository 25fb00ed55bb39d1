"""What a command imports and asks of polars: no more than it uses, and all columns together."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

THIRD_PARTIES = (
    *("highspy", "jinja2", "jsonschema", "matplotlib", "narwhals", "pandas", "phonenumbers"),
    *("pyarrow", "scipy", "sklearn", "stdnum"),
)
# Of libraries that are imported anyway, parts that would cost more than they give.
PARTS = ("ssl", "tomllib", "typer._adapters", "xml.sax")
OURS = (
    *("algorithms.auto", "algorithms.cluster.suppression", "algorithms.cut", "algorithms.exact"),
    *("algorithms.freeform", "algorithms.levels", "hierarchies.checks", "hierarchies.tree"),
    *("io.databases.address", "models.model", "models.protection", "models.registry"),
    *("options.further", "verifier.aggregates", "verifier.anonymity_set", "verifier.matches"),
    *("algorithms.kernel_model_kinds", "contents.numbers_in_texts", "contents.sentences"),
    *("cli.plan", "hierarchies.clusters", "hierarchies.scale", "pipeline.withheld_values"),
    *("table.hierarchy_building", "models.closeness", "models.persons", "rendering.notebook"),
    *("algorithms.lattice", "analysis", "io.databases.read", "io.excel_read", "io.excel_write"),
    *("io.statistical", "pipeline.dictionary", "reports", "risks"),
    *("table.inspection", "verifier.judges", "verifier.models", "verifier.transport", "web"),
)
MOST_MODULES = 195
MOST_QUERIES = 260
PROGRAM = """
import sys
from shoal.cli.main import run

queries = 0

def count(frame, event, called):
    global queries
    queries += event == "c_call" and called.__qualname__ == "PyLazyFrame.collect"

sys.setprofile(count)
code = run(sys.argv[1:])
sys.setprofile(None)
sys.stderr.write("\\n".join([str(queries), *sys.modules]))
sys.exit(code)
"""


def imported(folder: Path, *arguments: str) -> tuple[int, set[str]]:
    """Return how many queries of polars a command makes, and all modules that it imports."""
    # A measurement of coverage would import modules of its own.
    environment = {name: value for name, value in os.environ.items() if "COVERAGE" not in name}
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    queries, *modules = ended.stderr.splitlines()
    return int(queries), set(modules)


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    _, found = imported(tmp_path, "--help")
    assert not found & {*THIRD_PARTIES, "numpy", "polars", "pydantic", "shoal.options"}


@pytest.mark.parametrize("algorithm", ["mondrian", "k-member"])
def test_a_release_imports_what_it_uses(tmp_path: Path, algorithm: str) -> None:
    names = ["age", *(f"answer{number}" for number in range(7))]
    answers = ("never", "sometimes", "always")
    rows = [[str(age), *(answers[age % 3],) * 7, f"ill{age % 5}"] for age in range(20, 60)]
    lines = [",".join(row) for row in ([*names, "ill"], *rows)]
    (tmp_path / "t.csv").write_text("\n".join(lines), encoding="utf-8")
    queries, found = imported(
        tmp_path,
        *("anonymize", "t.csv", "-k", "3", "--quasi", ",".join(names), "--sensitive", "ill"),
        *("--algorithm", algorithm, "-o", "out.csv"),
    )
    assert not found & {*THIRD_PARTIES, *PARTS, *(f"shoal.{name}" for name in OURS)}
    assert f"shoal.algorithms.cluster.{algorithm.replace('-', '_')}" in found
    assert sum(name.startswith("shoal") for name in found) < MOST_MODULES
    # Columns are searched and counted together: a query for each of them and of its figures would
    # be half as many again.
    assert 0 < queries < MOST_QUERIES


def test_looking_at_a_table_loads_nothing_that_makes_a_release(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age,sex\n34,f\n35,m\n36,f\n", encoding="utf-8")
    _, found = imported(tmp_path, "inspect", "t.csv")
    assert not found & {*THIRD_PARTIES, *PARTS}
    assert not found & {f"shoal.{name}" for name in ("_core", "algorithms", "encoding", "verifier")}
