"""Tables beyond memory: from stored files to a verified release on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.engines.disk.run import LargeOutputs, release_on_disk
from shoal.errors import ParameterError
from shoal.pipeline.progress import Stages

if TYPE_CHECKING:
    from os import PathLike

    from shoal.engines.outcome import LargeRelease
    from shoal.options import Job
    from shoal.pipeline.progress import Watcher


def anonymize_files(
    source: str | PathLike[str],
    output: str | PathLike[str],
    job: Job,
    *,
    facts: str | PathLike[str] | None = None,
    custody: str | PathLike[str] | None = None,
    save_job: str | PathLike[str] | None = None,
    resume: bool = False,
    force: bool = False,
    watch: Watcher | None = None,
) -> LargeRelease:
    """Release a table that is stored in files and may be larger than memory.

    The table is cut into cells of near records, each cell is solved on its own, and the release is
    verified as a whole before it gets its name. Memory is bounded by the job's ``memory`` and by
    what its ``threads`` need for a cell each; the disk must hold the table about four times.

    Parameters
    ----------
    source
        A Parquet or CSV file, a pattern such as ``2024-*.csv``, or a folder of Parquet files.
    output
        A ``.csv`` or ``.parquet`` file; without a suffix, a folder of Parquet files.
    job
        What to release and how; its ``engine`` is ``disk``.
    facts, custody, save_job
        Files for the facts, the custody of the release, and the job.
    resume
        Whether to continue a run that was killed or interrupted.
    force
        Whether existing files may be replaced.
    watch
        Called with a :class:`shoal.Progress` from time to time.

    Returns
    -------
    LargeRelease
        Facts, verdict and exact figures; the records are in the files.

    Raises
    ------
    InputError
        If files or options cannot be used.
    InfeasibleError
        If no release can meet the goal, or a cell cannot be cut.
    VerificationError
        If the verifier rejects the release; that is a bug, and nothing is written.

    Examples
    --------
    >>> import polars as pl, shoal, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> ages = [20 + number % 50 for number in range(600)]
    >>> pl.DataFrame({"age": ages, "sex": list("FFM") * 200}).write_csv(folder / "people.csv")
    >>> job = shoal.Job(k=5, quasi=["age", "sex"], engine="disk", seed=1)
    >>> release = shoal.anonymize_files(folder / "people.csv", folder / "release.csv", job)
    >>> release.verdict.passed, release.verdict.released
    (True, 600)
    """
    if job.engine != "disk":
        raise ParameterError(
            f"Files are released with `engine='disk'`, but the job has `engine='{job.engine}'`.",
            remedy="Set the `engine` of the job, or read the table and call `shoal.anonymize`.",
        )

    def text(path: str | PathLike[str] | None) -> str | None:
        return None if path is None else str(path)

    return release_on_disk(
        str(source),
        LargeOutputs(
            release=str(output), facts=text(facts), custody=text(custody), job=text(save_job)
        ),
        job,
        stages=Stages(watch),
        resume=resume,
        force=force,
    )
