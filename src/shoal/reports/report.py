"""A report: all that is stated about a release, before it is written in any format."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from shoal.reports.distributions import Distribution
    from shoal.reports.subject import NamedFile, Search

Audience = Literal["internal", "public"]


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """A figure that stands on the first page."""

    label: str
    value: str
    meaning: str


@dataclass(frozen=True, slots=True)
class CheckLine:
    """A question of the verifier; the detail stays inside."""

    name: str
    passed: bool
    detail: str


@dataclass(frozen=True, slots=True)
class ColumnDetail:
    """How much detail is left in one column.

    Parameters
    ----------
    exact, missing, generalized, hidden
        Shares of the released records whose cell shows one value, none, several, or ``*``.
    typical
        What a generalized cell looks like, as text: a median width or a mean number of values.
    loss
        Share of detail lost against the original, 0 to 1; ``None`` where it is not shown.
    """

    column: str
    kind: str
    exact: float
    missing: float
    generalized: float
    hidden: float
    typical: str
    loss: float | None


@dataclass(frozen=True, slots=True)
class SizeBucket:
    """Classes of about the same size: the share of all records that are in one."""

    label: str
    before: float | None
    after: float


@dataclass(frozen=True, slots=True)
class AssociationMap:
    """Cramér's V of all pairs of columns."""

    columns: tuple[str, ...]
    before: tuple[tuple[float, ...], ...] | None
    after: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class RiskLine:
    """A risk figure, before and after, as numbers and as people read them."""

    name: str
    label: str
    before: float | None
    after: float | None
    before_shown: str
    after_shown: str
    meaning: str
    definition: str
    unit: str


@dataclass(frozen=True, slots=True)
class SensitiveLine:
    """What classes say about a sensitive attribute."""

    column: str
    guess_without: float
    guess_before: float | None
    guess_after: float
    largest_share: float
    least_entropy: float
    giving_away: int
    given_away: int


@dataclass(frozen=True, slots=True)
class SinglingColumn:
    """What one column of the original does to single people out.

    Parameters
    ----------
    contribution
        Share of all SUDA scores that comes from minimal unique combinations with the column.
    unique_alone, unique_without
        Records that are unique on the column alone, and on all others together.
    """

    column: str
    contribution: float
    unique_alone: int
    unique_without: int


@dataclass(frozen=True, slots=True)
class SinglingOut:
    """Which columns single people out in the original.

    Parameters
    ----------
    columns
        The quasi-identifiers, the worst first.
    combinations
        The minimal unique combinations that single out most records, and how many each.
    searched
        The largest number of columns in a combination that was searched.
    """

    columns: tuple[SinglingColumn, ...]
    combinations: tuple[tuple[str, int], ...]
    searched: int


@dataclass(frozen=True, slots=True)
class SampleRows:
    """Some released records: quasi-identifiers alone."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Report:
    """All that is stated about a release.

    Parameters
    ----------
    audience
        ``internal``: before and after, for the custodian and the data-protection officer.
        ``public``: from the release alone, to be handed out with it.
    headline, meaning
        The verdict in one sentence, and what it means for a person in the table.
    stamp
        Who may see it, in a sentence.
    risk_notes
        What to know about the risk figures, such as that some are estimates.
    singling_out
        Which columns single people out in the original; ``None`` in public, and where nobody is
        unique.
    left_out
        Why parts of the report are missing, where they are.
    """

    audience: Audience
    title: str
    made: str
    version: str
    passed: bool
    k: int
    hiding: int
    headline: str
    meaning: str
    guarantee: str
    stamp: str
    proof: str
    checks: tuple[CheckLine, ...]
    key_figures: tuple[KeyFigure, ...]
    options: tuple[tuple[str, str], ...]
    files: tuple[tuple[str, NamedFile], ...]
    search: Search | None
    details: tuple[ColumnDetail, ...]
    class_sizes: tuple[SizeBucket, ...]
    distributions: tuple[Distribution, ...]
    associations: AssociationMap | None
    risk: tuple[RiskLine, ...]
    risk_notes: tuple[str, ...]
    singling_out: SinglingOut | None
    sensitive: tuple[SensitiveLine, ...]
    exposed: tuple[str, ...]
    sample: SampleRows | None
    commands: tuple[tuple[str, str], ...]
    job_file: str = ""
    left_out: tuple[str, ...] = ()

    @property
    def internal(self) -> bool:
        """Whether the report must stay with the custodian."""
        return self.audience == "internal"

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain dictionaries and lists, ready for JSON."""
        return asdict(self)

    def to_html(self) -> str:
        """Return the report as one HTML file that loads nothing from elsewhere."""
        from shoal.reports.writing import report_html

        return report_html(self)

    def to_markdown(self) -> str:
        """Return the report as Markdown."""
        from shoal.reports.writing import report_markdown

        return report_markdown(self)

    def to_json(self) -> str:
        """Return the report as JSON."""
        from shoal.reports.writing import report_json

        return report_json(self)

    def to_certificate(self) -> str:
        """Return the one-page form to sign, as HTML."""
        from shoal.reports.writing import certificate_html

        return certificate_html(self)
