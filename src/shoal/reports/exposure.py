"""What remains exposed in a release that keeps its guarantee."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.reports.wording import joined, limits, plural
from shoal.risks import percent

if TYPE_CHECKING:
    from shoal.reports.report import Audience
    from shoal.reports.subject import Subject
    from shoal.risks import Risk


def exposed(subject: Subject, audience: Audience, after: Risk) -> tuple[str, ...]:
    """Return what a data-protection officer should still look at, the most pressing first.

    The public form says only what holds for every such release: what is special about this one
    would help those who attack it.
    """
    if audience == "public":
        return limits(audience)
    lines: list[str] = []
    if subject.in_classes:
        lines += _disclosed(after)
    lines += [
        f"{one.name[:1].upper()}{one.name[1:]} (HIPAA Safe Harbor, number {one.number}): "
        f"{joined([f'{column} ({reason})' for column, reason in one.columns])}."
        for one in after.identifiers_present
    ]
    lines += subject.notes
    return (*(line for line in dict.fromkeys(lines) if line), *limits(audience))


def _disclosed(after: Risk) -> list[str]:
    lines = []
    for one in after.sensitive:
        if one.given_away:
            lines.append(
                f"In {plural(one.giving_away, 'class')} ({plural(one.given_away, 'record')}) all "
                f"records have the same value of {one.column}: whoever finds a person's class "
                f"learns it without telling the records apart. l-diversity prevents this."
            )
        gain = one.guess - one.guess_without
        if gain > 0.01:
            lines.append(
                f"The most frequent value of {one.column} in a person's class is right for "
                f"{percent(one.guess)} of the records, instead of {percent(one.guess_without)} "
                f"without the class."
            )
    return lines
