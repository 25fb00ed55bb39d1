"""Real tables with every algorithm, k = 2, 5, 10, 50, each release verified from its files."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.data import find_data
from benchmarks.timing import print_table
from shoal.algorithms import algorithms

SHOAL = str(Path(sys.executable).with_name("shoal"))
EIGHT = "sex,age,race,marital-status,education,native-country,workclass,occupation"
TABLES = {
    "adult30k": ["--quasi", EIGHT, "--sensitive", "salary-class"],
    "adult": ["--quasi", EIGHT, "--sensitive", "income", "--rest", "drop"],
}
KS = (2, 5, 10, 50)


def run() -> list[dict[str, object]]:
    """Anonymize and verify by the command line; loss and verdict of each."""
    figures: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as name:
        release, facts = Path(name) / "release.csv", Path(name) / "facts.json"
        for table, words in TABLES.items():
            path = find_data(table)
            if path is None:
                print(f"{table} is not here; left out")
                continue
            for algorithm in algorithms():
                for k in KS:
                    task = [str(path), "-k", str(k), *words]
                    outputs = ["-o", str(release), "--facts", str(facts), "--force"]
                    made = _shoal("anonymize", *task, "--algorithm", algorithm, *outputs)
                    assert made == 0, (table, algorithm, k)
                    checked = _shoal("verify", task[0], str(release), "--facts", str(facts))
                    told = json.loads(facts.read_text())
                    figures.append(
                        {
                            "table": table,
                            "algorithm": algorithm,
                            "k": k,
                            "gcp": told["measures"]["gcp"],
                            "solve_s": told["seconds"]["solve"],
                            "verified": checked == 0,
                        }
                    )
    print_table(
        ("table", "algorithm", "k", "GCP", "solve s", "verified from files"),
        [tuple(figure.values()) for figure in figures],
    )
    return figures


def _shoal(*words: str) -> int:
    return subprocess.run([SHOAL, *words], check=False, capture_output=True).returncode
