"""Names and sensitive values never show in what is printed or recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from shoal.cli.main import run

if TYPE_CHECKING:
    from pathlib import Path

NAME, ILLNESS = "Zaphod-Sentinel", "sentinel-fever"
ROLES = "--quasi age --identifier name --sensitive illness"
COMMANDS = [
    f"anonymize t.csv -k 2 {ROLES} -o out.csv --facts facts.json --force",
    f"anonymize t.csv -k 2 {ROLES} -o out.csv --json --force",
    f"anonymize t.csv -k 99 {ROLES} -o out.csv --force",
    f"anonymize t.csv -k 2 {ROLES} --kind illness=numeric -o out.csv --force",
    "anonymize t.csv -k 2 --quasi age -o out.csv --force",
    "anonymize t.csv -k 2 --quasi age --person illness --identifier name -o out.csv --force",
    f"anonymize ragged.csv -k 2 {ROLES} -o out.csv --force",
    f"anonymize latin.csv -k 2 {ROLES} -o out.csv --force",
    f"anonymize quotes.csv -k 2 {ROLES} -o out.csv --force",
    f"verify t.csv t.csv -k 2 {ROLES}",
    f"verify t.csv t.csv -k 2 {ROLES} --json",
    f"verify t.csv changed.csv -k 2 {ROLES}",
    f"measure t.csv t.csv -k 2 {ROLES}",
    "inspect t.csv",
    "inspect t.csv --json",
    "inspect ragged.csv",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_secret_is_told(
    command: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header = "name,age,illness\n"
    rows = [f"{NAME}-{number},{number},{ILLNESS}-{number % 2}\n" for number in range(6)]
    (folder / "t.csv").write_text(header + "".join(rows))
    (folder / "ragged.csv").write_text(header + "".join(rows) + f"{NAME},{ILLNESS}\n")
    (folder / "quotes.csv").write_text(header + "".join(rows) + f'"{NAME},3,{ILLNESS}\n')
    (folder / "latin.csv").write_bytes((header + f"{NAME}é,3,{ILLNESS}é\n").encode("latin-1"))
    changed = "".join(f"*,{ILLNESS}-changed\n" for _ in rows)
    (folder / "changed.csv").write_text("age,illness\n" + changed)

    run(command.split())

    told = capsys.readouterr()
    facts = folder / "facts.json"
    recorded = facts.read_text() if facts.exists() else ""
    for secret in (NAME, ILLNESS):
        assert secret not in told.out
        assert secret not in told.err
        assert secret not in recorded
