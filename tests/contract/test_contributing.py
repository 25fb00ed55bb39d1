"""The code of CONTRIBUTING runs as written: an algorithm is one file, and so is a measure."""

from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import shoal
from shoal._core import kernels

ROOT = Path(__file__).resolve().parents[2]
MEASURE = '''
from shoal.measures.measure import measure


@measure("share_of_blanks", "The share of records that show nothing.")
def share_of_blanks(released):
    """Return suppressed records over all records."""
    return released.suppressed / released.n
'''
USE = """
import polars, shoal
people = polars.DataFrame({"age": list(range(40)), "ill": list("ab") * 20})
for parameters in ({}, {"length": 2}):
    made = shoal.anonymize(
        people, k=4, quasi=["age"], sensitive=["ill"], algorithm="mine", param=parameters
    )
    assert made.verdict.passed, made.verdict
    assert made.facts["classes"] == 10 // parameters.get("length", 1), made.facts["classes"]
    assert made.figures.measures["share_of_blanks"] == 0.0
try:
    shoal.anonymize(people, k=4, quasi=["age"], rest="drop", algorithm="mine", param={"length": 10})
except shoal.ParameterError:
    print("ran")
"""


def example() -> str:
    """Return the algorithm that CONTRIBUTING shows."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    block = text.split("```python\n", 1)[1].split("```", 1)[0]
    return textwrap.dedent(block)


def test_an_algorithm_and_a_measure_are_one_file_each(tmp_path: Path) -> None:
    package = tmp_path / "shoal"
    left_out = shutil.ignore_patterns("__pycache__", "*.cpp", "*.hpp")
    shutil.copytree(Path(shoal.__file__).parent, package, ignore=left_out)
    shutil.copy(kernels.__file__, package / "_core")
    (package / "algorithms/cluster/mine.py").write_text(example(), encoding="utf-8")
    (package / "measures/share_of_blanks.py").write_text(MEASURE, encoding="utf-8")
    # An editable installation leads every import to the sources themselves.
    begin = f"""
import sys
sys.meta_path[:] = [one for one in sys.meta_path if "Redirect" not in type(one).__name__]
sys.path.insert(0, {str(tmp_path)!r})
"""
    ended = subprocess.run(
        [sys.executable, "-c", begin + USE], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "ran\n"
