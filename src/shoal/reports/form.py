"""In which form a report is written: for whom, how long, and in which format."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal

from shoal.errors import ParameterError
from shoal.io import Staging, check_output
from shoal.reports.writing import (
    FORMATS,
    certificate_html,
    report_html,
    report_json,
    report_markdown,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from shoal.reports.report import Audience, Report

ReportFormat = Literal["html", "md", "json"]
_SUFFIXES = {".html": "html", ".htm": "html", ".md": "md", ".markdown": "md", ".json": "json"}


@dataclass(frozen=True, slots=True)
class ReportForm:
    """How a report is written.

    Parameters
    ----------
    public
        Whether it is computed from the release alone, and may be handed out with it.
    certificate
        Whether it is the one-page form to sign.
    format
        ``html``, ``md`` or ``json``.
    """

    public: bool = False
    certificate: bool = False
    format: str = "html"

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise ParameterError(
                f"Unknown report format {self.format!r}.",
                remedy=f"There are: {', '.join(FORMATS)}.",
            )
        if self.certificate and self.format != "html":
            raise ParameterError(
                f"A certificate is a page to print, not {self.format}.",
                remedy="Leave the format out.",
            )

    @classmethod
    def of(
        cls,
        path: str,
        *,
        public: bool = False,
        certificate: bool = False,
        report_format: str | None = None,
    ) -> ReportForm:
        """Return the form of a report in a file: its suffix names the format unless that is given.

        Raises
        ------
        ParameterError
            If the file looks like a PDF, which only a browser makes.

        >>> ReportForm.of("report.md").format
        'md'
        """
        suffix = PurePath(path).suffix.lower()
        if suffix == ".pdf":
            raise ParameterError(
                f"Reports are not written as PDF: {PurePath(path).name}.",
                remedy="Write .html, open it in a browser, and print it to PDF.",
            )
        found = report_format or _SUFFIXES.get(suffix, "html")
        return cls(public, certificate, found)

    @property
    def audience(self) -> Audience:
        """For whom it is."""
        return "public" if self.public else "internal"

    def check(
        self, path: str | PathLike[str], *, force: bool = False, inputs: Sequence[str] = ()
    ) -> None:
        """Raise ``FileError`` if a report cannot be written there, before it is made."""
        check_output(str(path), force, table=False, inputs=inputs)

    def save(
        self,
        report: Report,
        path: str | PathLike[str],
        *,
        force: bool = False,
        inputs: Sequence[str] = (),
    ) -> None:
        """Write a report to a file; an internal one is readable by its owner alone.

        Raises
        ------
        FileError
            If the file exists, or cannot be written.
        """
        place = str(path)
        self.check(place, force=force, inputs=inputs)
        with Staging() as staging:
            staging.text(self.write(report), place, private=not self.public)
            staging.commit()

    def write(self, report: Report) -> str:
        """Return the text of the file."""
        if self.certificate:
            return certificate_html(report)
        if self.format == "md":
            return report_markdown(report)
        return report_json(report) if self.format == "json" else report_html(report)
