"""A release as its user sees and saves it."""

from __future__ import annotations

import copy
import json
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import shoal

if TYPE_CHECKING:
    from pathlib import Path

PEOPLE = pl.DataFrame(
    {
        "age": [35, 36, 37, 61, 62, 66],
        "<b>sex</b>": list("FFFMMM"),
        "disease": ["flu", "cold", "flu", "gout", "flu", "cold"],
    }
)


def made(**options: Any) -> shoal.Release[pl.DataFrame]:
    words: dict[str, Any] = {
        "k": 3,
        "quasi": ["age", "<b>sex</b>"],
        "sensitive": ["disease"],
        **options,
    }
    return shoal.anonymize(PEOPLE, **words)


def test_a_release_tells_itself_in_five_lines() -> None:
    lines = repr(made()).splitlines()
    assert len(lines) == 5
    assert "verified, every record hides among at least 3" in lines[0]
    assert "2 classes" in lines[1]
    assert all(len(line) < 100 for line in lines)


def test_a_card_is_self_contained_and_escaped() -> None:
    card = made()._repr_html_()
    seen: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
            seen.append(tag)
            assert not {"src", "href"} & {name for name, _ in attributes}

    Reader().feed(card)
    assert not {"b", "script", "link", "img"} & set(seen)
    assert "&lt;b&gt;sex&lt;/b&gt;" in card
    assert "url(" not in card
    assert "flu" not in card


def test_save_writes_everything_or_nothing(tmp_path: Path) -> None:
    release = made()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "facts.json").write_text("earlier")
    paths: dict[str, Any] = {
        "facts": tmp_path / "out" / "facts.json",
        "custody": tmp_path / "custody.json",
    }
    with pytest.raises(shoal.FileError, match="exists"):
        release.save(tmp_path / "out" / "r.csv", **paths)
    assert sorted(one.name for one in tmp_path.rglob("*")) == ["facts.json", "out"]
    release.save(tmp_path / "out" / "r.csv", **paths, force=True)
    facts, custody = (json.loads(path.read_text()) for path in paths.values())
    assert facts["release_sha256"] == custody["release_sha256"]
    assert custody["figures"]["measures"]["mi"] == release.figures.measures["mi"]
    assert custody["source_sha256"] is None


@pytest.mark.parametrize("place", ["out/custody.json", "out/deep/er/custody.json", "link/c.json"])
def test_custody_stays_out_of_the_folder_that_is_handed_out(tmp_path: Path, place: str) -> None:
    (tmp_path / "out" / "deep" / "er").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "out" / "deep")
    with pytest.raises(shoal.FileError, match="release, but it reveals"):
        made().save(tmp_path / "out" / "r.csv", custody=tmp_path / place)
    # A release that is a link stands in two folders.
    (tmp_path / "shown").mkdir()
    (tmp_path / "shown" / "r.csv").symlink_to(tmp_path / "out" / "r.csv")
    for folder in ("shown", "out"):
        with pytest.raises(shoal.FileError, match="beside the release"):
            made().save(
                tmp_path / "shown" / "r.csv", custody=tmp_path / folder / "c.json", force=True
            )
    made().save(tmp_path / "out" / "r.csv", custody=tmp_path / "custody.json")


def test_figures_hold_every_measure_and_copy_as_plain_dictionaries() -> None:
    release = made()
    measures = release.figures.measures
    assert "kl" in measures
    assert release.figures.loss == measures["gcp"]
    assert type(copy.deepcopy(measures)) is dict
    assert release.figures.to_dict()["measures"] == dict(measures)
    with pytest.raises(KeyError):
        measures["no measure"]
