"""The list of dependencies is complete, and every one has a licence."""

from __future__ import annotations

from docs.dependencies import PAGE, dependencies


def listed() -> dict[str, str]:
    rows = [line.split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines()]
    return {row[0].removeprefix("| "): row[2].removesuffix(" |") for row in rows if len(row) == 3}


def test_every_direct_dependency_is_listed() -> None:
    purposes = dependencies()
    direct = {name for name, purpose in purposes.items() if purpose not in purposes}
    assert {"numpy", "polars", "nanobind"} <= direct
    assert direct <= listed().keys()


def test_every_listed_package_names_its_licence() -> None:
    assert {name for name, licence in listed().items() if licence in ("", "not named")} == set()
