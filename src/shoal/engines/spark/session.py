"""Sessions of Spark: found, or started for a command; and whether executors can do the work."""

from __future__ import annotations

import logging
import os
import shutil
import sys
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession

from shoal.engines.spark.errors import lacks_package, let_go, spark_errors_as_shoal_errors
from shoal.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOOPBACK = "127.0.0.1"
_HERE = ("local", f"spark://{_LOOPBACK}", "spark://localhost")
_PROBES = 16


def require_package(spark: SparkSession) -> int:
    """Refuse a cluster whose executors lack this version of Shoal, before any work.

    Returns
    -------
    int
        How many Python workers were seen at the same time, up to 16.

    Raises
    ------
    InputError
        If an executor lacks it.
    """

    # Pickled by value, for it refers to nothing of this module: it runs where Shoal is missing.
    def look(batches: Any) -> Any:
        import os
        import socket

        import pyarrow

        for _ in batches:
            pass
        try:
            from importlib.metadata import version

            from shoal._core import kernels  # noqa: F401 (the kernels must be there, too)

            found = version("shoal")
        except ImportError:
            found = ""
        worker = f"{socket.gethostname()}:{os.getpid()}"
        yield pyarrow.RecordBatch.from_pydict({"found": [found], "worker": [worker]})

    with spark_errors_as_shoal_errors():
        probes = spark.range(0, _PROBES, 1, _PROBES)
        probed = probes.mapInArrow(look, "found string, worker string").collect()
    for found in {row["found"] for row in probed} - {version("shoal")}:
        raise lacks_package(found)
    return len({row["worker"] for row in probed})


@contextmanager
def session(master: str | None) -> Iterator[SparkSession]:
    """Yield a session on a cluster, and stop it in the end.

    Parameters
    ----------
    master
        ``local[4]``, ``spark://HOST:PORT``, ``yarn``, ``k8s://…``, or ``sc://HOST:PORT`` for Spark
        Connect; taken from the environment unless given.

    Raises
    ------
    InputError
        If there is no Java, or the cluster does not answer.
    """
    builder = _connect(master) if (master or "").startswith("sc://") else _classic(master)
    with spark_errors_as_shoal_errors():
        spark = builder.getOrCreate()
    logging.getLogger().addFilter(_is_not_of_the_bridge)
    try:
        yield spark
    finally:
        let_go(spark.stop)
        logging.getLogger().removeFilter(_is_not_of_the_bridge)


def _is_not_of_the_bridge(record: logging.LogRecord) -> bool:
    """Keep tracebacks of Py4J from the screen, which Ctrl-C makes: what matters is raised."""
    return "py4j" not in Path(record.pathname).parts


def _connect(address: str | None) -> Any:
    assert address is not None
    return SparkSession.Builder().remote(address)


def _classic(master: str | None) -> Any:
    require_java()
    builder: Any = SparkSession.Builder().appName("shoal")
    if master is not None:
        builder = builder.master(master)
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # Messages of Spark may quote cells.
        "spark.log.level": "OFF",
        "spark.executorEnv.POLARS_MAX_THREADS": "1",
        "spark.sql.session.timeZone": "UTC",
    }
    if (master or "local").startswith(_HERE):
        # Nothing listens on an address that other machines reach.
        os.environ.setdefault("SPARK_LOCAL_IP", _LOOPBACK)
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        settings |= {
            "spark.driver.host": _LOOPBACK,
            "spark.driver.bindAddress": _LOOPBACK,
            # Spark takes 200 for any cluster; on one machine most of them are idle tasks.
            "spark.sql.shuffle.partitions": "32",
        }
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder


def require_java() -> None:
    """Refuse to start Spark without Java.

    Raises
    ------
    InputError
        If neither ``JAVA_HOME`` nor ``PATH`` leads to it.
    """
    home = os.environ.get("JAVA_HOME")
    if not (home and (Path(home) / "bin" / "java").exists()) and shutil.which("java") is None:
        raise InputError(
            "Spark needs Java 17 or later, which is not found.",
            remedy="Install it (on Debian: openjdk-17-jre-headless), or set JAVA_HOME.",
        )
