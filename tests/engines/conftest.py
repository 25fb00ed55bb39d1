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

    # Small tables: what a better compiler and generated code would save, they cost many times over.
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        with session("local[2]") as started:
            started.conf.set("spark.sql.shuffle.partitions", "2")
            started.conf.set("spark.sql.codegen.wholeStage", "false")
            yield started
