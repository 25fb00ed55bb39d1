"""A driver in a process of its own: a release on a cluster, written beside its row numbers.

python -m tests.engines.spark_driver MASTER PEOPLE.parquet FOLDER [mark]
"""

from __future__ import annotations

import sys
from pathlib import Path

import shoal
from shoal.engines.spark.run import release_on_spark
from shoal.engines.spark.session import session
from shoal.pipeline.progress import Progress, Stages
from tests.engines.census import QUASI


def job(cell_records: int, steps: int) -> shoal.Job:
    return shoal.Job(
        k=5, quasi=QUASI, sensitive=["ill"], identifier=["name"], seed=11, engine="spark",
        cell_records=cell_records, steps=steps, models=["distinct-l-diversity:2"],
    )  # fmt: skip


def main() -> None:
    master, people, folder = sys.argv[1:4]
    cell_records, steps = (int(one) for one in sys.argv[4:6])

    def watch(progress: Progress) -> None:
        if progress.stage == "solve":
            (Path(folder) / "solving").touch()

    with session(master) as spark:
        release = release_on_spark(
            spark.read.parquet(people),
            job(cell_records, steps),
            stages=Stages(watch),
            row="name",
        )
        assert release.verdict.passed
        release.frame.write.parquet(f"{folder}/release")
        release.rows.write.parquet(f"{folder}/rows")


if __name__ == "__main__":
    main()
