"""Photograph the first screen of a report for the documentation.

``python -m docs.report_screenshots`` releases the bundled example, writes its report, and takes its
picture in light and in dark to ``docs/images``.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from docs.screenshots import SCHEMES, chromium_program, take_picture
from playwright.sync_api import sync_playwright

import shoal
from shoal.example import write_example
from shoal.example.demo import demo_job
from shoal.io import read_table
from shoal.pipeline.writing import Outputs, write_release

IMAGES = Path(__file__).resolve().parent / "images"
_WIDTH, _HEIGHT = 1200, 820
_STEPS = 20_000  # equal on every machine, as seconds would not be


def main() -> None:
    """Make the report and take both pictures."""
    with tempfile.TemporaryDirectory() as folder:
        page = make_report(Path(folder))
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=chromium_program(), args=["--no-sandbox", "--hide-scrollbars"]
            )
            for scheme in SCHEMES:
                shown = browser.new_page(
                    viewport={"width": _WIDTH, "height": _HEIGHT}, color_scheme=scheme
                )
                shown.goto(page.as_uri())
                shown.wait_for_selector("html[data-drawn]")
                take_picture(shown, IMAGES / f"report-{scheme}.png", _HEIGHT)
            browser.close()


def make_report(folder: Path) -> Path:
    """Release the example, and return where its report is."""
    example = write_example(folder)
    words = demo_job(example.postcode).model_dump(exclude_defaults=True)
    release = shoal.anonymize(read_table(example.table), steps=_STEPS, seed=1, **words)
    report = folder / "report.html"
    outputs = Outputs(
        release=str(folder / "release.csv"), report=str(report), source=example.table.name
    )
    write_release(release, outputs)
    return report


if __name__ == "__main__":
    main()
