"""Reports about a release: their content, and how it is written as HTML, Markdown or JSON."""

from shoal.reports.building import make_report
from shoal.reports.form import ReportForm
from shoal.reports.report import Report
from shoal.reports.subject import NamedFile, Search, SearchPoint, Subject

__all__ = ["NamedFile", "Report", "ReportForm", "Search", "SearchPoint", "Subject", "make_report"]
