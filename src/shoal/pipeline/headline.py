"""What was proved about a release, in the sentences that every surface repeats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.pipeline.release import Release


def headline(release: Release[Any]) -> str:
    """Return what was proved about the records of a release."""
    verdict = release.verdict
    if not verdict.classes:
        return "no record shows anything"
    if release.job.person is not None:
        return f"every record hides among those of at least {verdict.smallest_class:,} persons"
    if release.facts.guarantee == "freeform":
        least = f"every record has {verdict.smallest_class:,} equally likely counterparts"
        return f"{least}, or as many as its personal k" if release.job.personal_k else least
    if release.facts.guarantee != "classes":
        guarantee = release.facts.guarantee
        return f"{guarantee}: {verdict.smallest_class:,} counterparts, not equally likely"
    if verdict.smallest_class < 2:
        return (
            f"some records look like no other; as a whole the release meets "
            f"{', '.join(release.job.models)}"
        )
    starred = release.facts.starred
    among = f" ({starred:,} starred ones among each other)" if starred else ""
    own = ", and among its personal k" if release.job.personal_k else ""
    return f"every record hides among at least {verdict.smallest_class:,}{own}{among}"


def scope(release: Release[Any]) -> str:
    """Return against whom the proof holds, and what was found about columns left unchanged."""
    from shoal.pipeline.unchanged import CHECK  # loads numpy: not at the start of a command

    known = ", ".join(release.job.quasi)
    proof = f"proved for attackers who know the quasi-identifiers {known}"
    examined = [check.detail for check in release.verdict.checks if check.name == CHECK]
    return "; ".join([proof, *examined])


def stopped(release: Release[Any]) -> str:
    """Return that a search was stopped, and what that means for the release."""
    passed = release.figures.seconds.get("solve", 0.0)
    return (
        f"Stopped by hand after {passed:.1f} s of search: this is the best release found until "
        "then, verified like any other."
    )
