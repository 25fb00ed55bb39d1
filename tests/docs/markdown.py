"""Reading of the project's Markdown: its pages, code blocks, headings and links."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])

_FENCE = re.compile(
    r"(?:^<!-- (fails with \d+) -->\n\n)?^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE
)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_LOADED = re.compile(r'(?:src|srcset)="([^"]+)"')
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, the comment before it, its code and its line."""

    language: str
    note: str
    code: str
    line: int


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(found[2], found[1] or "", found[3], text.count("\n", 0, found.start(2)) + 2)
        for found in _FENCE.finditer(text)
    ]


def run_python(block: Block, page: str, session: dict[str, object]) -> None:
    """Run a block in a session; a traceback names the page and its own line."""
    exec(compile("\n" * (block.line - 1) + block.code, page, "exec"), session)


def without_code(page: Path) -> str:
    return _FENCE.sub("", page.read_text(encoding="utf-8"))


def links(page: Path) -> list[str]:
    text = without_code(page)
    return _LINK.findall(text) + _LOADED.findall(text)


def anchors(page: Path) -> set[str]:
    """Return the anchors that a page's headings get, as common viewers form them."""
    made = set()
    for heading in _HEADING.findall(without_code(page)):
        plain = re.sub(r"[^\w\- ]", "", heading.lower())
        made.add(plain.replace(" ", "-"))
    return made
