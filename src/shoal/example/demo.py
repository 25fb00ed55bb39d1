"""The demonstration: example written, anonymized, verified from disk, summarized on one screen."""

from __future__ import annotations

import shlex
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl
from rich import box
from rich.table import Table
from rich.text import Text

from shoal.api.verify import verify
from shoal.errors import VerificationError
from shoal.example.hospital import write_example
from shoal.io import check_output, read_table
from shoal.options import Job
from shoal.pipeline.run import run_job

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from shoal.api.verify import Verdict
    from shoal.pipeline.figures import Figures
    from shoal.pipeline.release import Release

K = 5
QUASI = ("birth_date", "sex", "postcode", "admission_date")
PERSON = "patient_id"
_RECORDS_SHOWN = 3
_BAR = 30


@dataclass(frozen=True, slots=True)
class _Exposure:
    """How far a table gives its people away on the quasi-identifiers."""

    unique: int
    records: int
    persons: int

    @classmethod
    def of(cls, table: pl.DataFrame, persons: pl.Series) -> _Exposure:
        grouped = table.with_columns(persons.alias(PERSON)).group_by(QUASI)
        counts = grouped.agg(records=pl.len(), persons=pl.col(PERSON).n_unique())
        return cls(
            # As `shoal risk` counts them: records that look like those of no other patient.
            unique=int(counts.filter(pl.col("persons") == 1)["records"].sum()),
            records=int(counts["records"].to_numpy().min()),
            persons=int(counts["persons"].to_numpy().min()),
        )


@dataclass(frozen=True, slots=True)
class _Outcome:
    source: pl.DataFrame
    release: Release[pl.DataFrame]
    verdict: Verdict
    seconds: float


def demo_job(postcode: Path) -> Job:
    """Return the job of the demonstration, given the file with the postcode hierarchy."""
    return Job.from_dict(
        {
            "k": K,
            "quasi": QUASI,
            "sensitive": ["diagnosis", "ward"],
            "identifier": [PERSON, "name"],
            "other": ["length_of_stay", "cost", "insurance"],
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
        If the release, read back from disk, does not keep its guarantee.
    """
    outcome = _make(output, force, console)
    _show_verdict(outcome, console)
    _show_loss(outcome.release.figures, console)
    _show_records(outcome, console)
    _show_next(output, console)


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
        release.save(
            places["release.csv"],
            facts=places["facts.json"],
            job=places["job.toml"],
            force=force,
        )
        status.update("Verifying the written files …")
        options = job.model_dump(exclude_defaults=True)
        verdict = verify(read_table(example.table), read_table(places["release.csv"]), **options)
    if not verdict.passed:
        raise VerificationError(
            f"The release in {output} failed when it was read back:\n{verdict}",
            remedy="This is a bug in Shoal; please report it.",
        )
    return _Outcome(source, release, verdict, time.perf_counter() - start)


def _show_verdict(outcome: _Outcome, console: Console) -> None:
    source, verdict = outcome.source, outcome.verdict
    console.print(
        Text.assemble(
            ("PASSED", "bold green"),
            f"  Each of {source.height:,} records hides among those of at least "
            f"{verdict.smallest_class} patients.",
        )
    )
    aside = (
        f"The verifier proved it from the files alone; all took {outcome.seconds:.1f} s.",
        f"The {source[PERSON].n_unique():,} patients are invented.",
    )
    for line in aside:
        console.print(Text(f"        {line}", style="dim"))
    console.print()
    people = source[PERSON]
    before = _Exposure.of(source, people)
    after = _Exposure.of(outcome.release.table, people.gather(outcome.release.custody.rows))
    table = _table("", "before", "after", numbers=True)
    for label, figure in (
        ("records that are unique to one patient", "unique"),
        ("records that look alike, at least (k)", "records"),
        ("patients among them, at least", "persons"),
    ):
        table.add_row(label, *(f"{getattr(exposure, figure):,}" for exposure in (before, after)))
    console.print(table)


def _show_loss(figures: Figures, console: Console) -> None:
    note = " (0 % leaves every cell exact, 100 % leaves nothing)"
    console.print(Text.assemble(("\nDetail lost", "bold"), note))
    filled, empty = ("█", "░") if "utf" in console.encoding.lower() else ("#", ".")
    width = max(map(len, QUASI))
    losses = {**figures.per_attribute, "mean": figures.measures["gcp"]}
    for name, loss in losses.items():
        full = round(_BAR * loss)
        console.print(
            Text.assemble(
                f"  {name:<{width}}  ",
                (filled * full, "yellow"),
                (empty * (_BAR - full), "dim"),
                f"  {100 * loss:5.1f} %",
            )
        )


def _show_records(outcome: _Outcome, console: Console) -> None:
    """Show some records of one class before and after, side by side."""
    released = outcome.release.table
    classes = released.with_row_index("place").group_by(QUASI, maintain_order=True).agg("place")
    by_size = sorted(classes["place"].to_list(), key=len)
    members = by_size[len(by_size) // 2]
    rows = outcome.release.custody.rows[members].tolist()
    shown = rows[:_RECORDS_SHOWN]
    heading = f"\n{len(shown)} of {len(members)} records that now look alike"
    console.print(Text(heading, style="bold"))
    table = _table("", *("before" for _ in shown), "after")
    for name in ("name", *QUASI, "diagnosis"):
        # A name in two lines leaves room for the spans of dates in a terminal of 80 columns.
        cells = [(outcome.source[name][row] or "").replace(" ", "\n") for row in shown]
        if name in QUASI:
            after = released[name][members[0]] or ""
        else:
            after = "removed" if name == "name" else f"kept: {', '.join(cells)}"
        table.add_row(*map(Text, (name, *cells, after)))
    console.print(table)


def _show_next(output: Path, console: Console) -> None:
    console.print(Text("\nWhat to do next", style="bold"))
    table, release, facts, job, mondrian = (
        shlex.quote(str(output / name))
        for name in ("hospital.csv", "release.csv", "facts.json", "job.toml", "mondrian.csv")
    )
    for does, command in (
        ("See what Shoal makes of the table", f"shoal inspect {table}"),
        ("Verify the release yourself", f"shoal verify {table} {release} --facts {facts}"),
        (
            "Try another algorithm",
            f"shoal anonymize {table} --job {job} --algorithm mondrian -o {mondrian}",
        ),
        ("Do the same in the browser, on this machine alone", "shoal serve"),
        ("List the algorithms", "shoal algorithms"),
        ("Learn the rest in ten minutes", "docs/tutorial.md"),
    ):
        console.print(Text(f"  {does}:"))
        # Never wrapped, so that it can be copied.
        console.print(Text(f"    {command}", style="cyan"), soft_wrap=True)


def _table(*headers: str, numbers: bool = False) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for place, header in enumerate(headers):
        table.add_column(header, justify="right" if numbers and place else "left", no_wrap=True)
    return table
