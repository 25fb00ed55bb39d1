"""Facts: what may be published beside a release.

No figure here depends on records that are not in the release, or on values beyond what the release
shows, but for their number. Everything else, such as bounds, steps and seconds, is in
:class:`~shoal.pipeline.figures.Figures`, and stays in custody.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, cast

from pydantic import Field, TypeAdapter, ValidationError

from shoal.errors import FileError
from shoal.pipeline.detail import Detail  # noqa: TC001 (read at run time)
from shoal.pipeline.json_files import read_object

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

SCHEMA_VERSION = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What may be published beside a release: options, loss, verdict.

    ``facts["classes"]`` is the same as ``facts.classes``.
    """

    schema_version: Annotated[int, Field(description="version of this format")] = SCHEMA_VERSION
    shoal_version: Annotated[str, Field(description="version of Shoal that made the release")]
    date: Annotated[str, Field(description="day on which the release was made, in UTC")]
    n: Annotated[int, Field(description="records of the table")]
    k: Annotated[int, Field(description="requested minimum size of an equivalence class")]
    guarantee: Annotated[
        str, Field(description="what the release guarantees: classes, freeform, …")
    ]
    algorithm: Annotated[str, Field(description="how the release was found")]
    parameters: Annotated[dict[str, Any], Field(description="parameters of the algorithm")]
    measure: Annotated[str, Field(description="measure that was minimized")]
    classes: Annotated[int, Field(description="different combinations of quasi-identifier cells")]
    suppressed: Annotated[int, Field(description="suppressed records, starred and withheld")]
    starred: Annotated[int, Field(description="records that show `*` in every quasi-identifier")]
    withheld: Annotated[int, Field(description="records of the original that are not released")]
    stopped_early: Annotated[bool, Field(description="whether the search was interrupted")]
    verdict: Annotated[dict[str, Any], Field(description="the verifier's answer, check by check")]
    measures: Annotated[
        dict[str, float],
        Field(
            description="measures that the release alone determines, over the domains it shows or "
            "the value range that was declared"
        ),
    ]
    per_attribute: Annotated[
        dict[str, float], Field(description="mean loss of each quasi-identifier, likewise")
    ]
    detail: Annotated[
        dict[str, Detail], Field(description="how much detail each quasi-identifier keeps")
    ]
    levels: Annotated[
        dict[str, dict[str, int]],
        Field(description="of a full-domain release: level of each quasi-identifier, of how many"),
    ]
    exposure: Annotated[
        dict[str, Any],
        Field(description="what unchanged columns show, and which of them were accepted"),
    ]
    notes: Annotated[list[str], Field(description="what readers of the release should know")]
    job: Annotated[dict[str, Any], Field(description="options that made the release")]
    groupings: Annotated[
        dict[str, list[str]],
        Field(
            description="of a global recoding: the groups of values that each quasi-identifier "
            "shows, as cells of the release write them"
        ),
    ] = field(default_factory=dict)
    release_sha256: Annotated[
        str | None, Field(description="checksum of the file that these facts belong to")
    ] = None

    def __getitem__(self, key: str) -> Any:
        if key not in _names():
            raise KeyError(key)
        return getattr(self, key)

    def to_dict(self) -> dict[str, Any]:
        """Return the facts as plain dictionaries, lists, texts and numbers."""
        return cast("dict[str, Any]", _adapter().dump_python(self, mode="json"))

    def to_json(self) -> str:
        """Return the facts as the text of a facts file."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Return the facts of a facts file.

        Raises
        ------
        FileError
            If the file cannot be read, or holds no facts that this version can read.
        """
        content = read_object(path, "facts")
        version = content.get("schema_version")
        if isinstance(version, int) and version > SCHEMA_VERSION:
            raise FileError(
                f"The facts {path} have version {version}; this Shoal reads versions up to "
                f"{SCHEMA_VERSION}.",
                remedy="Use a newer version of Shoal.",
            )
        try:
            return cast("Self", _adapter().validate_python(content))
        except ValidationError as error:
            where = ".".join(map(str, error.errors()[0]["loc"])) or "the whole file"
            raise FileError(
                f"The facts {path} are not complete: {where}.",
                remedy="Name a file that facts were saved to.",
            ) from None


def schema_of_facts() -> dict[str, Any]:
    """Return the JSON Schema of a facts file."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **_adapter().json_schema(mode="serialization"),
    }


@cache
def _adapter() -> TypeAdapter[Facts]:
    return TypeAdapter(Facts)


@cache
def _names() -> frozenset[str]:
    return frozenset(field.name for field in fields(Facts))
