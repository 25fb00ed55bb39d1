"""The code of CONTRIBUTING runs as written: one file for an algorithm, a measure, a model."""

from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import shoal
from shoal._core import kernels
from tests.options.test_one_place import FIELD

ROOT = Path(__file__).resolve().parents[2]
FILES = (
    "algorithms/cluster/mine.py",
    "measures/share_of_blanks.py",
    "models/share_limit.py",
    "verifier/judges/share_limit.py",
)
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
limit = shoal.models.ShareLimit("ill", 0.5)
made = shoal.anonymize(people, k=3, quasi=["age"], sensitive=["ill"], models=[limit], seed=1,
                       algorithm="mondrian")
assert made.verdict.passed and made.facts["classes"] > 2, made.verdict
assert str(limit) in made.verdict.question.models
refused = shoal.verify(people[:3], people[:3].with_columns(age=polars.lit("[0..2]")), k=3,
                       quasi=["age"], sensitive=["ill"], models=["share-limit:0.5"])
assert not refused.passed and "share-limit" in str(refused)
try:
    shoal.anonymize(people, k=3, quasi=["age"], sensitive=["ill"], models=["share-limit:0.4"])
except shoal.InfeasibleError as error:
    assert "share-limit:2/5@ill" in str(error) or "share-limit:0.4@ill" in str(error), error
try:
    shoal.anonymize(people, k=4, quasi=["age"], rest="drop", algorithm="mine", param={"length": 10})
except shoal.ParameterError:
    print("ran")
"""


def examples() -> list[str]:
    """Return the files that CONTRIBUTING shows."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    blocks = [block.split("```", 1)[0] for block in text.split("```python\n")[1:]]
    return [textwrap.dedent(block) for block in blocks]


def test_an_algorithm_a_measure_and_a_model_are_one_file_each(tmp_path: Path) -> None:
    package = tmp_path / "shoal"
    left_out = shutil.ignore_patterns("__pycache__", "*.cpp", "*.hpp")
    shutil.copytree(Path(shoal.__file__).parent, package, ignore=left_out)
    shutil.copy(kernels.__file__, package / "_core")
    *files, option = examples()
    # An option is added as tests/options/test_one_place.py adds it.
    assert textwrap.dedent(FIELD).strip() == option.strip()
    for place, text in zip(FILES, files, strict=True):
        (package / place).write_text(text, encoding="utf-8")
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
