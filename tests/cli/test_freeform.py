"""A freeform release through the command line: published, verified by facts, flags and custody."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.cli import command
from tests.tables import mixed_table

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ["-k", "4", "--quasi", "age,job", "--sensitive", "disease", "--rest", "drop"]


def test_facts_flags_and_custody_verify_a_freeform_release(tmp_path: Path) -> None:
    custody = tmp_path / "custody.json"
    tmp_path = tmp_path / "work"
    tmp_path.mkdir()
    mixed_table(60, 1).write_csv(tmp_path / "people.csv")

    def shoal(*arguments: str) -> int:
        return command.shoal(*arguments, folder=tmp_path).returncode

    made = ["-o", "release.csv", "--facts", "facts.json", "--custody", str(custody)]
    assert shoal("anonymize", "people.csv", *made, "--algorithm", "ff-greedy", *WORDS) == 0
    told = json.loads((tmp_path / "facts.json").read_text())
    assert told["guarantee"] == "freeform"
    assert "dm" not in told["measures"]
    verify = ["verify", "people.csv", "release.csv"]
    by_facts = [*verify, "--facts", "facts.json"]
    assert shoal(*by_facts) == 0
    assert shoal(*verify, *WORDS, "--form", "freeform") == 0
    assert shoal(*verify, *WORDS) == 1
    assert shoal(*by_facts, "--custody", str(custody)) == 0
    secrets = json.loads(custody.read_text())
    first, *others = secrets["matches"]
    secrets["matches"][0] = next(one for one in others if set(one) != set(first))
    custody.write_text(json.dumps(secrets))
    assert shoal(*by_facts, "--custody", str(custody)) == 1
