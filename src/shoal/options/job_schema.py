"""The JSON Schema of job files."""

from __future__ import annotations

import json
from typing import Any

from shoal.options.job import Job
from shoal.options.verbs import describe_options


def job_schema() -> str:
    """Return the JSON Schema of job files, so that editors can complete and check them."""
    schema = Job.model_json_schema()
    help_of = {option.key: option.help for option in describe_options()}
    properties = {
        key: {"description": help_of[key], **_plain(described)}
        for key, described in schema["properties"].items()
    }
    described = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Shoal job",
        "description": "All options of a release, as a job file in TOML holds them.",
        "type": "object",
        "properties": properties,
        "required": schema["required"],
        "additionalProperties": False,
    }
    return json.dumps(described, indent=2, ensure_ascii=False) + "\n"


def _plain(described: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a key without titles, and without null, which TOML cannot hold."""
    plain = {key: value for key, value in described.items() if key != "title"}
    (choice,) = [one for one in plain.pop("anyOf", [{}]) if one.get("type") != "null"]
    if plain.get("default", ...) is None:
        del plain["default"]
    return {**plain, **choice}
