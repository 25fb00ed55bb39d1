"""A report as one HTML file that loads nothing from elsewhere, as Markdown, or as JSON."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from shoal.reports.charts import charts_of
from shoal.reports.glossary import GLOSSARY
from shoal.reports.wording import limits
from shoal.risks import percent
from shoal.risks.figure import explained

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.reports.chart import Chart
    from shoal.reports.report import Report

UNTITLED = "Anonymization report"
PROGRAMS = ("vega.min.js", "vega-lite.min.js", "vega-embed.min.js")
FORMATS = ("html", "md", "json")
_MOST_PEOPLE = 24
_CERTIFIED = ("smallest_class", "unique", "prosecutor_average", "prosecutor_highest",
              "linkage_average", "linkage_highest")  # fmt: skip
_DISCLOSED = ("guess", "guess_without", "largest_share", "least_entropy", "giving_away",
              "given_away")  # fmt: skip
_SINGLING = ("contribution", "unique_alone", "unique_without")
_SOURCE_MAP = re.compile(r"//# sourceMappingURL=\S+\s*$")
_SECTIONS = {
    "verdict": "Verdict",
    "checks": "What the verifier found",
    "done": "What was done",
    "left": "What is left",
    "sizes": "How many look the same",
    "columns": "Distributions",
    "associations": "Associations",
    "risk": "Risk",
    "exposed": "What remains exposed",
    "sample": "Sample",
    "again": "Check and repeat",
    "glossary": "Glossary",
}


def report_html(report: Report) -> str:
    """Return a report as one HTML file: no outside request, light and dark, printable."""
    charts = charts_of(report)
    scripts = [*map(_program, PROGRAMS), _asset("report.js")] if charts else []
    page = _environment().get_template("report.html.j2")
    return page.render(
        report=report,
        sections=_sections(report, charts),
        charts=_Charts(charts),
        columns=[chart for name, chart in charts.items() if name.startswith("column-")],
        specs=_safe_json({name: chart.spec for name, chart in charts.items()}),
        people=_people(report) if report.passed and report.hiding > 1 else None,
        general=limits(report.audience),
        glossary=GLOSSARY.items(),
        disclosed=explained(_DISCLOSED),
        singling=explained(_SINGLING),
        style=Markup(_asset("report.css")),  # noqa: S704 - ours
        scripts=[Markup(script) for script in scripts],  # noqa: S704 - ours and vendored
        policy=_policy(scripts),
    )


def certificate_html(report: Report) -> str:
    """Return the one-page form to sign."""
    page = _environment().get_template("certificate.html.j2")
    return page.render(
        report=report,
        risk=[line for line in report.risk if line.name in _CERTIFIED],
        untitled=UNTITLED,
        style=Markup(_asset("report.css")),  # noqa: S704 - ours
        policy=_policy([]),
    )


def comparison_html(
    name: str,
    charts: Sequence[Chart],
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
) -> str:
    """Return a comparison of releases as one HTML file."""
    scripts = [*map(_program, PROGRAMS), _asset("report.js")] if charts else []
    return (
        _environment()
        .get_template("comparison.html.j2")
        .render(
            name=name,
            charts=charts,
            headers=headers,
            rows=rows,
            specs=_safe_json({chart.name: chart.spec for chart in charts}),
            style=Markup(_asset("report.css")),  # noqa: S704 - ours
            scripts=[Markup(script) for script in scripts],  # noqa: S704 - ours and vendored
            policy=_policy(scripts),
        )
    )


def report_markdown(report: Report) -> str:
    """Return a report as Markdown, for pipelines and pull requests."""
    page = _environment().get_template("report.md.j2")
    return page.render(
        report=report,
        disclosed=explained(_DISCLOSED),
        singling=explained(_SINGLING),
        glossary=GLOSSARY.items(),
    )


def report_json(report: Report) -> str:
    """Return a report as JSON, for programs."""
    return json.dumps(report.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("shoal.reports"),
        autoescape=select_autoescape(("html.j2",)),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        finalize=_unbroken,
    )
    environment.filters["percent"] = percent
    environment.filters["cell"] = _markdown_cell
    environment.filters["css_text"] = _css_text
    return environment


def _unbroken(value: object) -> object:
    """Return texts with their percentages on one line."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return value.replace(" %", "\u00a0%")
    return value


def _css_text(text: str) -> Markup:
    r"""Return a text that stands as it is between quotation marks in a style sheet.

    >>> str(_css_text('a "b"'))
    'a \\22 b\\22 '
    """
    plain = "".join(one if one.isalnum() or one in " .,:" else f"\\{ord(one):x} " for one in text)
    return Markup(plain)  # noqa: S704 - escaped above


def _markdown_cell(text: object) -> str:
    return str(text).replace("|", r"\|").replace("\n", " ")


class _Charts(dict[str, "Chart"]):
    """Charts by name; templates also look up those that are not there."""

    def __missing__(self, name: str) -> None:
        return None


@cache
def _asset(name: str) -> str:
    return (files("shoal.reports") / "templates" / name).read_text(encoding="utf-8")


@cache
def _program(name: str) -> str:
    """Return a vendored program without the address of its source map."""
    text = (files("shoal.reports") / "vendor" / name).read_text(encoding="utf-8")
    return _SOURCE_MAP.sub("", text)


def _safe_json(value: Any) -> Markup:
    """Return JSON that cannot end the script element it stands in."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return Markup(text)  # noqa: S704 - escaped above


def _policy(scripts: list[str]) -> str:
    """Return a policy under which the page runs its own scripts and loads nothing."""
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(one.encode()).digest()).decode()}'"
        for one in scripts
    )
    return (
        f"default-src 'none'; script-src {hashes or chr(39) + 'none' + chr(39)}; "
        f"style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    )


def _sections(report: Report, charts: dict[str, Chart]) -> list[tuple[str, str]]:
    present = {
        "checks": not report.passed,
        "left": bool(report.details),
        "sizes": "sizes" in charts,
        "columns": bool(report.distributions),
        "associations": report.associations is not None,
        "risk": bool(report.risk),
        "exposed": bool(report.exposed),
        "sample": report.sample is not None,
    }
    titles = {**_SECTIONS, **({} if report.passed else {"done": "What it was checked against"})}
    return [(name, title) for name, title in titles.items() if present.get(name, True)]


@dataclass(frozen=True, slots=True)
class _People:
    """Where the figures of people stand that show among how many a record hides."""

    places: tuple[tuple[int, int], ...]
    one: int
    width: int
    height: int
    more: int


def _people(report: Report) -> _People:
    drawn = min(report.hiding, _MOST_PEOPLE)
    across = min(drawn, 5 if drawn <= 10 else 6)
    places = tuple((26 * (place % across), 38 * (place // across)) for place in range(drawn))
    rows = -(-drawn // across)
    return _People(places, (2 * drawn) // 5, 26 * across - 6, 38 * rows - 7, report.hiding - drawn)
