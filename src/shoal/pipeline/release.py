"""What an anonymization returns: the frame, the facts about it, and the verdict."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from shoal.pipeline.writing import Outputs, write_release

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from shoal.io.databases.write import IfExists
    from shoal.options import Job
    from shoal.pipeline.custody import Custody
    from shoal.pipeline.detail import Detail
    from shoal.pipeline.facts import Facts
    from shoal.pipeline.figures import Figures
    from shoal.reports import Report
    from shoal.reports.plots import Plots
    from shoal.table import Schema
    from shoal.verifier import Verdict

FrameT = TypeVar("FrameT")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Release(Generic[FrameT]):
    """A verified release.

    Parameters
    ----------
    frame
        The released table, in the type of frame the caller gave.
    facts
        Options, loss and verdict, as far as they may be published.
    verdict
        The verifier's answer.
    table
        The released table as a polars frame.
    custody
        Secrets of this release, which never belong beside it.
    job
        The options that made it.
    original
        The table it was made from, for reports; never written.
    schema
        What the columns of the original are.
    """

    frame: FrameT
    facts: Facts
    verdict: Verdict
    table: pl.DataFrame = field(repr=False)
    custody: Custody = field(repr=False)
    job: Job = field(repr=False)
    original: pl.DataFrame = field(repr=False)
    schema: Schema = field(repr=False)

    @property
    def figures(self) -> Figures:
        """Exact figures against the original: part of the custody, not to be published."""
        assert self.custody.figures is not None
        return self.custody.figures

    @property
    def detail(self) -> dict[str, Detail]:
        """How much detail each quasi-identifier keeps, also behind statistics of classes."""
        every = {**self.facts.detail, **self.figures.detail}
        return {name: every[name] for name in self.schema.quasi_names if name in every}

    def __repr__(self) -> str:
        from shoal.pipeline.card import as_lines

        return as_lines(self)

    def _repr_html_(self) -> str:
        from shoal.pipeline.card import as_html

        return as_html(self)

    @property
    def plot(self) -> Plots:
        """Plots: ``loss()``, ``classes()`` and ``column(name)``, with figures of the original."""
        from shoal.reports.plots import Plots

        return Plots(self.report())

    def save(
        self,
        path: str | Path,
        *,
        facts: str | Path | None = None,
        custody: str | Path | None = None,
        job: str | Path | None = None,
        dictionary: str | Path | None = None,
        force: bool = False,
        if_exists: IfExists = "fail",
    ) -> None:
        """Write the release and its companion files, all of them or none.

        Parameters
        ----------
        path
            The release; its suffix names the format. ``postgresql://…#table`` is a table.
        facts
            Options, loss and verdict, as JSON; may be published.
        custody
            Row map, seed, exact figures and checksums, as JSON, readable by you alone. It may not
            be in the folder of the release, or below it.
        job
            The options as TOML, to make such a release again. Do not publish it: it may name
            queries, folders, and categories of ordered columns that no released record has.
        dictionary
            How to read every released column, as ``.csv`` or ``.md``; may be published.
        force
            Whether existing files may be replaced.
        if_exists
            What happens to a database table that exists: ``fail``, ``replace`` or ``append``.

        Raises
        ------
        FileError
            If a file exists, or cannot be written; then none was.
        """
        outputs = Outputs(
            release=str(path),
            facts=None if facts is None else str(facts),
            custody=None if custody is None else str(custody),
            job=None if job is None else str(job),
            dictionary=None if dictionary is None else str(dictionary),
            if_exists=if_exists,
        )
        outputs.check(self.job, force=force)
        write_release(self, outputs)

    def report(
        self,
        path: str | Path | None = None,
        *,
        public: bool = False,
        certificate: bool = False,
        report_format: str | None = None,
        title: str | None = None,
        force: bool = False,
    ) -> Report:
        """Return the report of this release, and write it if a path is given.

        Parameters
        ----------
        path
            Where it goes: ``.html``, ``.md`` or ``.json``.
        public
            Whether it is computed from the release alone, and may be handed out with it. The
            internal report, the default, holds figures of the original.
        certificate
            Whether it is the one-page form to sign.
        report_format
            ``html``, ``md`` or ``json``, if the suffix does not show it.
        title
            Title of the report.
        force
            Whether an existing file may be replaced.

        Raises
        ------
        FileError
            If the file exists or cannot be written.
        """
        from shoal.pipeline.reporting import report_of
        from shoal.reports import ReportForm

        form = ReportForm.of(
            str(path or ""), public=public, certificate=certificate, report_format=report_format
        )
        if path is not None:
            form.check(path, force=force)
        report = report_of(self, form, title=title)
        if path is not None:
            form.save(report, path, force=force)
        return report
