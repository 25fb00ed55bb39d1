"""Options: their one definition, and the job that holds them, as an object and as a TOML file."""

from shoal.options.job import Job, write_job
from shoal.options.job_file import read_job
from shoal.options.job_schema import job_schema
from shoal.options.option import Group, OptionDescription
from shoal.options.verbs import VERBS, describe_options

__all__ = [
    "VERBS",
    "Group",
    "Job",
    "OptionDescription",
    "describe_options",
    "job_schema",
    "read_job",
    "write_job",
]
