"""Sentences of a report: the verdict, what it means for a person, and what it does not."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal.reports.report import Audience
    from shoal.reports.subject import Subject


_UNCHANGED = "unchanged columns"  # the check of that name
_UNPROVED = "cannot be shown from the two files alone"  # what such a check says


def joined(names: Sequence[str], last: str = "and") -> str:
    """Return names as a list in a sentence.

    >>> joined(["age", "sex", "zip"])
    'age, sex and zip'
    """
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {last} {names[-1]}"


def plural(number: int, noun: str) -> str:
    """Return a count with its noun.

    >>> plural(1, "record"), plural(1200, "class")
    ('1 record', '1,200 classes')
    """
    ending = "" if number == 1 else "es" if noun.endswith("s") else "s"
    return f"{number:,} {noun}{ending}"


def headline(subject: Subject) -> str:
    """Return the verdict in one sentence."""
    verdict = subject.verdict
    if not verdict.passed:
        failed = [check.name for check in verdict.checks if not check.passed]
        if failed == [_UNCHANGED]:
            reason = "unchanged columns may give people away"
        elif _is_unproved(subject):
            reason = "its guarantee cannot be shown from the two files alone"
        else:
            reason = "it does not keep its guarantee"
        return f"This release failed verification: {reason}."
    return f"Verified: {_hiding(subject)}."


def _is_unproved(subject: Subject) -> bool:
    """Return whether a verdict lacks the custody file: without it, nobody knows whose records."""
    failed = [check for check in subject.verdict.checks if not check.passed]
    return all(_UNPROVED in check.detail for check in failed)


def _hiding(subject: Subject) -> str:
    verdict = subject.verdict
    least = f"{verdict.smallest_class:,}"
    if not verdict.classes:
        return "no record shows anything about its person"
    if subject.options.get("person"):
        return f"every record hides among those of at least {least} people"
    if verdict.form == "freeform":
        return f"every record has {least} equally likely counterparts"
    if not subject.in_classes:
        return f"every record has at least {least} possible counterparts"
    if verdict.smallest_class < 2:
        return "some records look like no other, and the conditions on the whole release hold"
    return f"every record hides among at least {least}"


def meaning(subject: Subject, audience: Audience = "internal") -> str:
    """Return what the verdict means for a person in the table."""
    verdict = subject.verdict
    if not verdict.passed:
        return _meaning_of_failure(subject, audience)
    known = joined(subject.schema.quasi_names, "and")
    least = verdict.smallest_class
    if not verdict.classes:
        return "Every quasi-identifier is suppressed, so nobody can be recognized by them."
    opening = (
        f"Somebody who knows {known} of a person, and even knows that the person is in the table, "
    )
    if not subject.in_classes and verdict.form != "freeform":
        return (
            f"{opening}is left with at least {least:,} records that may be the person's. They need "
            "not be equally likely, so this is less than k-anonymity."
        )
    if verdict.form == "freeform":
        return (
            f"{opening}finds {least:,} records that may be the person's, each equally likely: the "
            f"chance of picking the right one is 1 in {least:,}."
        )
    if least < 2:
        return (
            f"{opening}finds some people's records for certain: those that look like no other. "
            f"What was proved holds for the release as a whole, not for every person in it."
        )
    alike = (
        f"records of at least {least:,} people"
        if subject.options.get("person")
        else (f"at least {least:,} records")
    )
    return (
        f"{opening}finds {alike} that look exactly the same. The chance of picking the right one "
        f"is at most 1 in {least:,}."
    )


def _meaning_of_failure(subject: Subject, audience: Audience) -> str:
    where = (
        "The failed checks below show what is wrong and in which rows."
        if audience == "internal"
        else "The internal report shows what is wrong and in which rows."
    )
    if _is_unproved(subject):
        return (
            "Only the custody file shows whose the released records are: verify the release with "
            f"it before publication. {where}"
        )
    return f"People may be recognized in it. Do not publish it. {where}"


def guarantee(subject: Subject) -> str:
    """Return the name of what was verified, with the models beyond it."""
    k = subject.k
    named = {
        "classes": f"k-anonymity, k = {k:,}" if k > 1 else "conditions on the whole release",
        "freeform": f"freeform k-anonymity, k = {k:,}",
        "concealment": f"k-concealment, k = {k:,}",
    }.get(subject.verdict.form, f"{subject.verdict.form}-anonymity, k = {k:,}")
    if subject.options.get("person"):
        named += ", counted in people"
    models = subject.options.get("model") or ()
    return "; ".join([named, *([models] if isinstance(models, str) else models)])


def stamp(subject: Subject, audience: Audience) -> str:
    """Return who may see a report."""
    if audience == "internal":
        return "It holds figures of the original. Do not hand it out."
    if not subject.verdict.passed:
        return "The release failed verification. Hand out neither the release nor this report."
    return "Computed from the release alone. It may be handed out with it."


def commands(subject: Subject, audience: Audience) -> tuple[tuple[str, str], ...]:
    """Return what a reader can run to check the release."""
    release = "RELEASE" if subject.release_file is None else subject.release_file.name
    if audience == "public":
        quasi = ",".join(name.replace(",", r"\,") for name in subject.schema.quasi_names)
        line = ["shoal", "risk", release, f"--{'quasi'}", quasi]
        return (("See how likely people are to be picked out", shlex.join(line)),)
    original = "ORIGINAL" if subject.original_file is None else subject.original_file.name
    facts = subject.facts_file or "FACTS"
    line = ["shoal", "verify", original, release, f"--{'facts'}", facts]
    return (("Verify it from the files alone", shlex.join(line)),)


def limits(audience: Audience) -> tuple[str, ...]:
    """Return what no release of this kind protects against."""
    return _LIMITS if audience == "public" else (*_LIMITS, _CHOSEN)


_OTHER_KNOWLEDGE = (
    "The guarantee covers the quasi-identifiers named here. Somebody who knows something else "
    "about a person, such as a value of an unchanged column, may recognize the record by that."
)
_OTHER_RELEASES = (
    "It holds for this release alone. A second release of the same people, or another table about "
    "them, can be combined with it."
)
_CHOSEN = "Which columns are quasi-identifiers was decided by a person, not by a proof."
_LIMITS = (_OTHER_KNOWLEDGE, _OTHER_RELEASES)
