"""Write DEPENDENCIES.md: the packages that Shoal needs, and their licences.

``python -m docs.dependencies`` reads the requirements of ``pyproject.toml`` and the metadata of the
installed packages.
"""

from __future__ import annotations

import tomllib
from importlib.metadata import metadata, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "DEPENDENCIES.md"
_CLASSIFIER = "License :: OSI Approved :: "
_INTRODUCTION = """# Dependencies and their licences

Written by `make licences` from the metadata of the packages. A package that only other packages
need stands with one of those. None of them is part of Shoal's wheel, but for
nanobind, whose code is linked into the kernels. doctest (MIT) is part of the repository, for the
kernel tests alone; the scripts of the web app are listed in `src/shoal/web/static/vendor/`.

| package | needed for | licence |
| --- | --- | --- |
"""


def licence_of(package: str) -> str:
    """Return the licence that the package's metadata name, as short as they do."""
    found = metadata(package)
    if "License-Expression" in found:
        return found["License-Expression"]
    classifiers = [str(each) for each in found.get_all("Classifier") or []]
    named = [each.removeprefix(_CLASSIFIER) for each in classifiers if each.startswith(_CLASSIFIER)]
    if named:
        return ", ".join(named)
    licence = str((found.get_all("License") or [""])[0])
    return licence.partition("\n")[0] or "not named"


def dependencies() -> dict[str, str]:
    """Return every package that a user may have to install, with what needs it."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = pyproject["project"]
    asked = {"Shoal": project["dependencies"]} | {
        f"`shoal[{extra}]`": needs
        for extra, needs in project["optional-dependencies"].items()
        if extra != "dev"
    }
    asked["building Shoal"] = pyproject["build-system"]["requires"]
    found: dict[str, str] = {}
    for purpose, needs in asked.items():
        for need in needs:
            found.setdefault(canonicalize_name(Requirement(need).name), purpose)
    waiting = list(found)
    while waiting:
        package = waiting.pop(0)
        for need in map(Requirement, requires(package) or ()):
            name = canonicalize_name(need.name)
            if name not in found and (need.marker is None or need.marker.evaluate({"extra": ""})):
                found[name] = package
                waiting.append(name)
    return found


def page() -> str:
    """Return the whole page."""
    lines = [
        f"| {package} | {purpose} | {licence_of(package)} |"
        for package, purpose in sorted(dependencies().items())
    ]
    return _INTRODUCTION + "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
