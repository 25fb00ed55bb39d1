"""The demonstration: example written, anonymized, verified from disk, told in one screen."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl
from rich import box
from rich.markup import escape
from rich.table import Table

from shoal.config import make_job
from shoal.config.job import write_job
from shoal.errors import VerificationError
from shoal.example.hospital import write_example
from shoal.io import Staging, check_output, read_table
from shoal.pipeline import run_job, verify

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from shoal.config import Job
    from shoal.release import Release
    from shoal.verifier import Verdict

K = 5
QUASI = ("birth_date", "sex", "postcode", "admission_date")
PERSON = "patient_id"
_RECORDS_SHOWN = 3
_BAR = 30


@dataclass(frozen=True, slots=True)
class _Exposure:
    """How far a table gives its people away on the quasi-identifiers."""

    unique: int
    smallest: int

    @classmethod
    def of(cls, table: pl.DataFrame) -> _Exposure:
        sizes = table.group_by(QUASI).len()["len"]
        return cls(unique=int((sizes == 1).sum()), smallest=int(sizes.to_numpy().min()))


@dataclass(frozen=True, slots=True)
class _Outcome:
    source: pl.DataFrame
    written: pl.DataFrame
    release: Release
    verdict: Verdict
    seconds: float


def demo_job(postcode: Path) -> Job:
    """Return the job of the demonstration, given the file with the postcode hierarchy."""
    return make_job(
        {
            "k": K,
            "quasi": QUASI,
            "sensitive": ["diagnosis"],
            "identifier": [PERSON, "name"],
            "other": ["ward", "length_of_stay", "cost", "insurance"],
            "hierarchy": {"postcode": str(postcode)},
            "person": PERSON,
        }
    )


def run(output: Path, force: bool, console: Console) -> None:  # noqa: FBT001 (the verb's flag)
    """Write, anonymize and verify the example, and print what happened.

    Parameters
    ----------
    output
        Folder for ``hospital.csv``, ``postcode.csv``, ``release.csv``, ``facts.json`` and
        ``job.toml``; made if need be.
    force
        Whether files of an earlier demonstration may be replaced.
    console
        Where the summary goes.

    Raises
    ------
    FileError
        If a file is there already and ``force`` is not set, or cannot be written.
    VerificationError
        If the release, read back from disk, does not keep its promise.
    """
    outcome = _make(output, force, console)
    _tell_verdict(outcome, console)
    _tell_loss(outcome.release.facts, console)
    _tell_records(outcome, console)
    _tell_next(output, console)


def _make(output: Path, force: bool, console: Console) -> _Outcome:  # noqa: FBT001
    start = time.perf_counter()
    places = {name: output / name for name in ("release.csv", "facts.json", "job.toml")}
    with console.status("Making a hospital table …") as status:
        example = write_example(output, force=force)
        for name, path in places.items():
            check_output(path, force, table=name == "release.csv")
        source = read_table(example.table)
        job = demo_job(example.postcode)
        status.update("Anonymizing it …")
        release = run_job(source, job)
        with Staging() as staging:
            facts = json.dumps(release.facts, indent=2, ensure_ascii=False)
            staging.text(facts + "\n", places["facts.json"])
            staging.text(write_job(job), places["job.toml"])
            staging.table(release.table, places["release.csv"])
            staging.commit()
        status.update("Verifying the written files …")
        written = read_table(places["release.csv"])
        words = job.model_dump(exclude_defaults=True)
        verdict = verify(read_table(example.table), written, **words)
    if not verdict.passed:
        raise VerificationError(
            f"The release in {output} failed when it was read back:\n{verdict}",
            remedy="This is a bug in Shoal; please report it.",
        )
    return _Outcome(source, written, release, verdict, time.perf_counter() - start)


def _tell_verdict(outcome: _Outcome, console: Console) -> None:
    source, verdict = outcome.source, outcome.verdict
    console.print(
        f"[bold green]PASSED[/]  Each of {source.height:,} hospital records hides among records "
        f"of at least {verdict.smallest_class} patients.",
        highlight=False,
    )
    console.print(
        f"        The verifier found this from the two files alone; {outcome.seconds:.1f} s in all."
        f"\n        The {source[PERSON].n_unique():,} patients are invented.",
        highlight=False,
        style="dim",
    )
    before, after = _Exposure.of(source), _Exposure.of(outcome.written)
    table = _table("", "before", "after", numbers=True)
    table.add_row("records that are unique", f"{before.unique:,}", f"{after.unique:,}")
    table.add_row("records that look alike, at least (k)", f"{before.smallest}", f"{after.smallest}")
    table.add_row("patients among them, at least", "1", f"{verdict.smallest_class}")
    console.print(table)


def _tell_loss(facts: dict[str, Any], console: Console) -> None:
    console.print("[bold]Detail lost[/] (0 % leaves every cell exact, 100 % says nothing)")
    filled, empty = ("█", "░") if "utf" in console.encoding.lower() else ("#", ".")
    width = max(map(len, QUASI))
    losses = {**facts["per_attribute"], "mean": facts["measures"]["gcp"]}
    for name, loss in losses.items():
        bar = filled * round(_BAR * loss)
        console.print(
            f"  {name:<{width}}  {bar}[dim]{empty * (_BAR - len(bar))}[/]  {100 * loss:5.1f} %",
            highlight=False,
        )


def _tell_records(outcome: _Outcome, console: Console) -> None:
    """Show some records of one class before and after, side by side."""
    released = outcome.release.table
    sizes = released.with_row_index("place").group_by(QUASI, maintain_order=True).agg("place")
    places = next(iter(sizes.filter(pl.col("place").list.len() >= _RECORDS_SHOWN)["place"]))
    members = places.to_list()
    rows = outcome.release.custody.rows[members].tolist()
    shown = rows[:_RECORDS_SHOWN]
    console.print(f"\n[bold]{_RECORDS_SHOWN} of {len(members)} records that now look alike[/]")
    table = _table("", *("before" for _ in shown), "after")
    for name in ("name", *QUASI, "diagnosis"):
        cells = [outcome.source[name][row] or "" for row in shown]
        if name in QUASI:
            after = released[name][members[0]] or ""
        else:
            after = "removed" if name == "name" else f"kept: {', '.join(cells)}"
        table.add_row(name, *map(escape, cells), escape(after))
    console.print(table)


def _tell_next(output: Path, console: Console) -> None:
    console.print("[bold]What to do next[/]")
    for does, command in (
        ("See what Shoal makes of a table", f"shoal inspect {output / 'hospital.csv'}"),
        ("Look at the release", f"head {output / 'release.csv'}"),
        (
            "Try another algorithm",
            f"shoal anonymize {output / 'hospital.csv'} --job {output / 'job.toml'} "
            f"--algorithm mondrian -o {output / 'mondrian.csv'}",
        ),
        ("List the algorithms", "shoal algorithms"),
        ("Learn the rest in ten minutes", "docs/tutorial.md"),
    ):
        console.print(f"  {does}:", highlight=False)
        console.print(f"    {command}", style="cyan", highlight=False, markup=False, soft_wrap=True)


def _table(*headers: str, numbers: bool = False) -> Table:
    table = Table(box=box.SIMPLE, show_edge=False, pad_edge=True)
    for place, header in enumerate(headers):
        table.add_column(header, justify="right" if numbers and place else "left")
    return table
