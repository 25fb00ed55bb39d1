"""Scripts of others are those their makers published, with their licences beside them."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path

import shoal.web

VENDOR = Path(shoal.web.__file__).parent / "static/vendor"


def test_vendored_scripts_have_their_hash_and_licence() -> None:
    listed = tomllib.loads((VENDOR / "vendored.toml").read_text(encoding="utf-8"))["file"]
    assert {one["name"] for one in listed} == {file.name for file in VENDOR.glob("*.js")}
    for one in listed:
        content = (VENDOR / one["name"]).read_bytes()
        assert hashlib.sha256(content).hexdigest() == one["sha256"]
        assert (VENDOR / one["name"].replace(".min.js", ".LICENSE")).is_file()
