"""What a command imports: heavy modules only where they are used."""

from __future__ import annotations

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
PARTS = ("ssl", "tomllib", "xml.sax")
OURS = (
    *("algorithms.auto", "algorithms.exact", "algorithms.freeform"),
    *("algorithms.kernel_model_kinds", "contents.numbers_in_texts", "contents.sentences"),
    *("cli.plan", "hierarchies.clusters", "hierarchies.scale", "pipeline.withheld_values"),
    *("table.hierarchy_building", "models.closeness", "models.persons", "rendering.notebook"),
    *("algorithms.lattice", "analysis", "io.databases.read", "io.excel_read", "io.excel_write"),
    *("io.statistical", "pipeline.dictionary", "reports", "risks"),
    *("table.inspection", "verifier.judges", "verifier.models", "verifier.transport", "web"),
)
PROGRAM = """
import sys
from shoal.cli.main import run
code = run(sys.argv[1:])
sys.stderr.write("\\n".join(sys.modules))
sys.exit(code)
"""


def imported(folder: Path, *arguments: str) -> set[str]:
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return set(ended.stderr.splitlines())


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    found = imported(tmp_path, "--help")
    assert not found & {*THIRD_PARTIES, "numpy", "polars", "pydantic", "shoal.options"}


@pytest.mark.parametrize("algorithm", ["mondrian", "k-member"])
def test_a_release_imports_what_it_uses(tmp_path: Path, algorithm: str) -> None:
    rows = "".join(f"{age},{'FM'[age % 2]},ill{age % 5}\n" for age in range(20, 60))
    (tmp_path / "t.csv").write_text(f"age,sex,ill\n{rows}", encoding="utf-8")
    found = imported(
        tmp_path,
        *f"anonymize t.csv -k 3 --quasi age,sex --sensitive ill --algorithm {algorithm}".split(),
        *("-o", "out.csv"),
    )
    assert not found & {*THIRD_PARTIES, *PARTS, *(f"shoal.{name}" for name in OURS)}
    assert f"shoal.algorithms.cluster.{algorithm.replace('-', '_')}" in found
