"""Hierarchy files: separators, marks, quotes, and what cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from shoal.errors import FileError, HierarchyError
from shoal.hierarchy import read_hierarchy

if TYPE_CHECKING:
    from pathlib import Path


def written(tmp_path: Path, content: bytes | str) -> Path:
    path = tmp_path / "tree.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    "content",
    [
        "a,g,*\nb,g,*\nc,h,*\n",
        "a;g;*\nb;g;*\nc;h;*",
        "\ufeffa,g,*\r\nb,g,*\r\nc,h,*\r\n",
        "a,g,*\n\nb,g,*\nc,h,*\n\n",
        '"a","g","*"\n"b","g","*"\n"c","h","*"\n',
    ],
)
def test_usual_shapes(tmp_path: Path, content: str) -> None:
    tree = read_hierarchy(written(tmp_path, content))
    assert set(tree.leaves) == {"a", "b", "c"}
    assert set(tree.node_names) == {"a", "b", "c", "g", "h", "*"}


def test_values_with_separators_and_newlines(tmp_path: Path) -> None:
    content = '"x, y","g\nh",*\n"z\u2028w","g\nh",*\n'
    tree = read_hierarchy(written(tmp_path, content))
    assert set(tree.leaves) == {"x, y", "z\u2028w"}
    assert "g\nh" in tree.node_names


def test_semicolons_may_hold_commas(tmp_path: Path) -> None:
    tree = read_hierarchy(written(tmp_path, "1,5;low;*\n2,5;low;*\n"))
    assert set(tree.leaves) == {"1,5", "2,5"}


def test_errors_name_the_file(tmp_path: Path) -> None:
    with pytest.raises(HierarchyError, match=r"tree\.csv.*'a'"):
        read_hierarchy(written(tmp_path, "a,*\na,*\n"))
    with pytest.raises(HierarchyError, match="empty"):
        read_hierarchy(written(tmp_path, "\n"))


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="Cannot read the hierarchy"):
        read_hierarchy(tmp_path / "absent.csv")
    with pytest.raises(FileError, match="Cannot read the hierarchy"):
        read_hierarchy(tmp_path)
    with pytest.raises(FileError, match="UTF-8"):
        read_hierarchy(written(tmp_path, b"K\xf6ln,*\n"))
