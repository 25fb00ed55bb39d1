"""Hierarchy files: separators, marks, quotes, and what cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.errors import FileError, HierarchyError
from shoal.hierarchies import Hierarchy, format_hierarchy, read_hierarchy
from shoal.io import write_hierarchy

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


def test_the_separator_that_leaves_stars_at_the_end_is_taken(tmp_path: Path) -> None:
    tree = read_hierarchy(written(tmp_path, "Smith, A, B;*\nJones;*\n"))
    assert set(tree.leaves) == {"Smith, A, B", "Jones"}
    tree = read_hierarchy(written(tmp_path, "a;b,c;d,*\ne,c;d,*\n"))
    assert set(tree.leaves) == {"a;b", "e"}
    tree = read_hierarchy(written(tmp_path, "a\tg\t*\nb\tg\t*\n"))
    assert tree.height == 2


def test_a_file_as_arx_writes_it(tmp_path: Path) -> None:
    content = "34;30-39;<50;*\r\n45;40-49;<50;*\r\n66;60-69;>=50;*\r\n70;70-79;>=50;*\r\n"
    tree = read_hierarchy(written(tmp_path, content))
    assert {row[0]: row[1:] for row in tree.rows()} == {
        "34": ("30-39", "<50", "*"),
        "45": ("40-49", "<50", "*"),
        "66": ("60-69", ">=50", "*"),
        "70": ("70-79", ">=50", "*"),
    }
    assert format_hierarchy(tree, ";") == content.replace("\r\n", "\n")


names = st.text(max_size=5).filter(lambda text: text != "*")


@settings(max_examples=40)
@given(
    st.dictionaries(names, st.tuples(st.sampled_from("gh;,"), st.booleans()), min_size=1),
    st.sampled_from(",;\t"),
)
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory,
    leaves: dict[str, tuple[str, bool]],
    separator: str,
) -> None:
    rows = [
        [leaf, f"1 {group}", f"2 {'x' if group in 'gh' else 'y'}", "*"]
        for leaf, (group, _) in leaves.items()
    ]
    tree = Hierarchy.from_rows(rows)
    path = tmp_path_factory.mktemp("round") / "tree.csv"
    write_hierarchy(tree, path, separator=separator)
    assert read_hierarchy(path).rows() == tree.rows()


def test_numbers_are_written_in_their_order(tmp_path: Path) -> None:
    tree = Hierarchy.from_rows([[str(n), "even" if n % 2 == 0 else "odd", "*"] for n in range(12)])
    lines = format_hierarchy(tree).splitlines()
    assert [line.partition(",")[0] for line in lines] == [str(n) for n in range(12)]


def test_a_file_that_exists_is_replaced_only_when_told(tmp_path: Path) -> None:
    path = written(tmp_path, "keep me")
    tree = Hierarchy.from_rows([["a", "*"]])
    with pytest.raises(FileError, match="exists"):
        write_hierarchy(tree, path)
    assert path.read_text() == "keep me"
    write_hierarchy(tree, path, force=True)
    assert path.read_text() == "a,*\n"
    assert [file.name for file in tmp_path.iterdir()] == ["tree.csv"]
