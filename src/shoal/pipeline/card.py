"""A release at a glance: a few lines of text, or a card in a notebook.

Both show exact figures against the original, as the summary of the command line does: they are for
the custodian.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from shoal.errors import counted
from shoal.pipeline.figures import gap_of
from shoal.pipeline.headline import headline, stopped
from shoal.rendering.bounds import shown_bound

if TYPE_CHECKING:
    from shoal.pipeline.release import Release

# Colours of the page around it, so that it reads on light and dark grounds alike.
_STYLE = (
    ".shoal-card{font:13px/1.5 system-ui,sans-serif;max-width:40em;padding:.8em 1em;"
    "border:1px solid rgba(128,128,128,.4);border-radius:6px}"
    ".shoal-card table{border-collapse:collapse;margin:.6em 0;width:100%}"
    ".shoal-card td{padding:1px .8em 1px 0;border:0;text-align:left;background:none;color:inherit}"
    ".shoal-card td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
    ".shoal-card .t{display:block;height:.7em;min-width:8em;border-radius:3px;"
    "background:rgba(128,128,128,.25)}"
    ".shoal-card .b{display:block;height:100%;border-radius:3px;background:#c98500}"
    ".shoal-card .h{font-weight:600}.shoal-card .d{opacity:.75}"
    ".shoal-card code{background:rgba(128,128,128,.15);padding:0 .3em;border-radius:3px}"
)


def as_lines(release: Release[Any]) -> str:
    """Return a release in five lines."""
    losses = release.figures.per_attribute
    most = sorted(losses, key=lambda name: losses[name], reverse=True)[:3]
    return "\n".join(
        [
            f"Release of {_shape(release)}: {_verdict(release)}",
            f"  guarantee: {_guarantee(release)}",
            f"  loss: {_loss(release)}",
            *([f"  {stopped(release)}"] if release.facts.stopped_early else []),
            "  most loss: " + ", ".join(f"{name} {100 * losses[name]:.1f} %" for name in most),
            "  next: release.frame, release.facts, release.save(path), release.report(path)",
        ]
    )


def as_html(release: Release[Any]) -> str:
    """Return a release as a self-contained card."""
    losses = release.figures.per_attribute
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td class='n'>{100 * detail.exact:.0f} % exact</td>"
        f"<td><span class='t'><span class='b' style='width:{100 * losses[name]:.1f}%'></span>"
        f"</span></td><td class='n'>{100 * losses[name]:.1f} %</td></tr>"
        for name, detail in release.detail.items()
    )
    steps = " · ".join(
        f"<code>release.{step}</code>" for step in ("frame", "save(path)", "report(path)")
    )
    return (
        f"<div class='shoal-card'><style>{_STYLE}</style>"
        f"<div class='h'>{escape(_verdict(release))}</div>"
        f"<div class='d'>{_shape(release)}; {escape(_guarantee(release))}</div>"
        f"<table><tbody>{rows}</tbody></table>"
        f"<div>loss {escape(_loss(release))}</div>"
        f"{_stopped(release)}"
        f"<div class='d'>next: {steps}</div></div>"
    )


def _shape(release: Release[Any]) -> str:
    return ", ".join(map(counted, release.table.shape, ("record", "column")))


def _stopped(release: Release[Any]) -> str:
    return f"<div>{escape(stopped(release))}</div>" if release.facts.stopped_early else ""


def _verdict(release: Release[Any]) -> str:
    passed, verdict = release.verdict.passed, release.verdict
    smallest = f"every record hides among at least {verdict.smallest_class:,}"
    if verdict.smallest_class < 2:
        smallest = headline(release)
    return f"✓ verified, {smallest}" if passed else "✗ not verified"


def _guarantee(release: Release[Any]) -> str:
    facts = release.facts
    parts = [f"{facts.guarantee}, k = {facts.k:,}, {counted(facts.classes, 'class')}"]
    parts += [str(model) for model in release.job.models]
    parts += [
        f"{count:,} {what}"
        for count, what in ((facts.starred, "starred"), (facts.withheld, "withheld"))
        if count
    ]
    return "; ".join(parts)


def _loss(release: Release[Any]) -> str:
    figures = release.figures
    loss = f"{figures.loss:.4f} ({figures.measure}) by {release.facts.algorithm}"
    if figures.optimal:
        return f"{loss}, proved optimal"
    if figures.lower_bound is None or shown_bound(figures.lower_bound) is None:
        return loss
    avoidable = 100 * gap_of(figures.loss, figures.lower_bound)
    return f"{loss}, at most {avoidable:.1f} % of it avoidable"
