"""The one definition of the options of a release: a new option is a new field, in one of the files.

The job, its TOML file and JSON Schema, the flags, the signatures of the public functions and the
tables of the documentation follow from the fields. Annotations are no texts in these files, which
pydantic would have to compile one by one.
"""

from shoal.options.definition.method import ReleaseOptions

__all__ = ["ReleaseOptions"]
