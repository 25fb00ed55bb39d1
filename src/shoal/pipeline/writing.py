"""Writing of a release and its companions: all of them or none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import ParameterError
from shoal.hierarchies import file_of, is_file
from shoal.io import STANDARD_STREAM, Staging, check_output
from shoal.io.databases import is_database
from shoal.io.formulas import is_csv, with_marks
from shoal.options import write_job
from shoal.options.hierarchy_paths import hierarchies_from, published_hierarchies
from shoal.pipeline.custody import require_separate_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.io.databases.write import IfExists
    from shoal.options import Job
    from shoal.pipeline.facts import Facts
    from shoal.pipeline.release import Release


@dataclass(frozen=True, slots=True, kw_only=True)
class Outputs:
    """Where a release and its companions go; ``-`` is standard output, ``None`` nowhere.

    ``if_exists`` says what becomes of a table of a database that exists, ``source`` is the name of
    the file that was read, for the internal report.
    """

    release: str
    facts: str | None = None
    custody: str | None = None
    job: str | None = None
    report: str | None = None
    public_report: str | None = None
    report_format: str | None = None
    dictionary: str | None = None
    if_exists: IfExists = "fail"
    source: str | None = None

    @property
    def named(self) -> dict[str, str]:
        """What is written, and where; the release is the first."""
        every = {
            "release": self.release,
            "facts": self.facts,
            "custody": self.custody,
            "job": self.job,
            "report": self.report,
            "public report": self.public_report,
            "dictionary": self.dictionary,
        }
        return {noun: path for noun, path in every.items() if path is not None}

    def check(
        self,
        job: Job,
        *,
        inputs: Sequence[str | Path] = (),
        force: bool = False,
        standard_output_taken: bool = False,
    ) -> None:
        """Raise if an output could not be written in the end.

        Parameters
        ----------
        job
            Its hierarchy files are inputs.
        inputs
            Files that are read; none of them is replaced, ``force`` or not.
        force
            Whether existing files may be replaced.
        standard_output_taken
            Whether standard output has another use.

        Raises
        ------
        FileError
            If a file exists, cannot be written, or would be two things at once.
        """
        if self.if_exists != "fail" and not is_database(self.release):
            raise ParameterError(
                f"`if_exists` is for a table of a database, which {self.release} is not.",
                remedy="Leave it out; a file that exists is replaced with `force`.",
            )
        trees = (file_of(tree) for tree in job.hierarchy.values() if is_file(tree))
        read = [*inputs, *trees]
        for noun, path in self.named.items():
            others = [other for named, other in self.named.items() if named != noun]
            if standard_output_taken:
                others.append(STANDARD_STREAM)
            check_output(
                path,
                force,
                table=noun == "release",
                inputs=read,
                others=others,
                if_exists=self.if_exists,
            )
        if self.dictionary is not None:
            from shoal.pipeline.dictionary import dictionary_text

            dictionary_text((), self.dictionary)  # its suffix
        for report in (self.report, self.public_report):
            if report is not None:
                from shoal.reports import ReportForm

                ReportForm.of(report, report_format=self.report_format)  # its suffix
        if self.public_report is not None:
            from shoal.pipeline.presentation import require_readable_alone

            require_readable_alone(job)
        if self.custody is not None:
            require_separate_folder(self.custody, self.release)


def write_release(release: Release[Any], outputs: Outputs) -> Facts:
    """Write a release and its companions; they get their names together, or none does.

    Returns
    -------
    Facts
        As they are written: with the checksum of the release.
    """
    job = release.job
    with Staging() as staging:
        table = release.table
        if job.escape_formulas and is_csv(outputs.release):
            table = with_marks(table)
        staging.table(
            table,
            outputs.release,
            separator=job.separator,
            facts=release.facts.to_dict,
            if_exists=outputs.if_exists,
        )
        digest = staging.checksum(outputs.release)
        facts = replace(release.facts, release_sha256=digest)
        if outputs.facts is not None:
            facts = _named_from(facts, job, outputs.facts)
            staging.text(facts.to_json(), outputs.facts)
        if outputs.custody is not None:
            # A database gives rows in an order of its own, and the row map must follow it.
            custody = release.custody.in_order(staging.reading_order(outputs.release))
            staging.text(custody.to_json(digest), outputs.custody, private=True)
        if outputs.job is not None:
            moved = {"hierarchy": hierarchies_from(job.hierarchy, outputs.job)}
            # A seed that was given must stay secret, wherever it is written.
            staging.text(
                write_job(job.model_copy(update=moved)),
                outputs.job,
                private=job.seed is not None,
            )
        if outputs.dictionary is not None:
            from shoal.pipeline.dictionary import dictionary_of, dictionary_text

            text = dictionary_text(dictionary_of(release), outputs.dictionary)
            staging.text(text, outputs.dictionary)
        _stage_reports(release, outputs, digest, staging)
        staging.commit()
    return facts


def _stage_reports(release: Release[Any], outputs: Outputs, digest: str, staging: Staging) -> None:
    for path, public in ((outputs.report, False), (outputs.public_report, True)):
        if path is None:
            continue
        # Reports bring templates and charts along, which nothing else needs.
        from shoal.pipeline.reporting import report_of
        from shoal.reports import NamedFile, ReportForm

        form = ReportForm.of(path, public=public, report_format=outputs.report_format)
        named = NamedFile(Path(outputs.release).name, digest)
        original = None
        if outputs.source is not None:
            original = NamedFile(outputs.source, release.custody.source_sha256)
        facts = None if outputs.facts is None else Path(outputs.facts).name
        made = report_of(
            release, form, release_file=named, original_file=original, facts_file=facts
        )
        text = form.write(made)
        staging.text(text, path, private=not public)


def _named_from(facts: Facts, job: Job, path: str) -> Facts:
    """Return facts whose hierarchy files are named as seen from the folder of the facts."""
    if "hierarchy" not in facts.job or path == STANDARD_STREAM:
        return facts
    trees = published_hierarchies(job.hierarchy, Path(path).parent)
    return replace(facts, job={**facts.job, "hierarchy": trees})
