"""One Spark on two local cores for all tests of this folder: starting it takes seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    from shoal.engines.spark.session import session

    with session("local[2]") as started:
        started.conf.set("spark.sql.shuffle.partitions", "4")
        yield started
