"""Jobs: what to release and how, as a validated object and a TOML file."""

from shoal.options.job import Job, make_job, read_job, write_job

__all__ = ["Job", "make_job", "read_job", "write_job"]
