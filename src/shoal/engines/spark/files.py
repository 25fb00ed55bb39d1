"""Releases of what Spark reads, from stored files to a folder of files, staged and renamed."""

from __future__ import annotations

import glob
import json
import os
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
from pyspark.sql import functions as F  # noqa: N812 (as in every Spark program)
from pyspark.sql.types import ArrayType, BinaryType, StructType

from shoal.engines.ability import choose_for_cells
from shoal.engines.disk.stored import UTF8, StoredTable
from shoal.engines.outcome import LargeRelease
from shoal.engines.spark.errors import spark_errors_as_shoal_errors
from shoal.engines.spark.run import release_on_spark
from shoal.engines.spark.session import session
from shoal.engines.spark.source import cell
from shoal.engines.spark.work import batches_of, frames
from shoal.errors import FileError, ParameterError, VerificationError
from shoal.io import Staging, check_output
from shoal.io.address import shown
from shoal.io.datasets import checksum_of_files
from shoal.io.destination import refuse_input
from shoal.io.folder_staging import renamed_folder, settle_folder, staged_folder
from shoal.io.missing_codes import recoded_once, special_codes, special_column, without_codes
from shoal.io.opening import PRESENT, separator_named
from shoal.options import write_job
from shoal.pipeline.custody import require_separate_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructField

    from shoal.engines.disk.run import LargeOutputs
    from shoal.options import Job
    from shoal.pipeline.progress import Stages

_CSV = (".csv", ".tsv")
_PARQUET = (".parquet", "")


def release_files(
    data: str,
    outputs: LargeOutputs,
    job: Job,
    *,
    master: str | None,
    stages: Stages,
    force: bool = False,
) -> LargeRelease:
    """Return the verified release of stored files, written whole or not at all.

    Parameters
    ----------
    data
        A path or a pattern of Parquet or CSV files that every executor reads.
    outputs
        Where the release and its companions go: a folder that every executor can write to, of CSV
        files if its name ends in ``.csv``, and of Parquet files otherwise.
    job
        What to release and how.
    master
        The cluster; see :func:`shoal.engines.spark.session.session`.
    force
        Whether an existing release may be replaced.
    """
    choose_for_cells(job)
    _require_able(job)
    refuse_input(outputs.release, [data])
    _require_writable(outputs, force=force)
    with session(master) as spark:
        return release_stored(spark, data, outputs, job, stages=stages)


def release_stored(
    spark: SparkSession, data: str, outputs: LargeOutputs, job: Job, *, stages: Stages
) -> LargeRelease:
    """Return what :func:`release_files` returns, in a session that there is."""
    with spark_errors_as_shoal_errors():
        release = release_on_spark(_read(spark, data, job), job, stages=stages)
        with staged_folder(Path(os.path.realpath(outputs.release))) as held:
            temporary = held / "release"  # Spark writes to places that do not exist
            with stages.stage("write"):
                if Path(outputs.release).suffix in _CSV:
                    write_csv(release.frame, temporary, _separator(job, outputs.release))
                else:
                    _write_parquet(release.frame, temporary)
            digest = checksum_of_files(sorted(temporary.iterdir()))
            made = LargeRelease(
                output=Path(outputs.release),
                facts=replace(release.facts, release_sha256=digest),
                verdict=release.verdict,
                figures=replace(release.figures, seconds=dict(stages.seconds)),
                job=release.job,
                cells=release.cells,
                notes=release.notes,
                seed=release.seed,
            )
            _commit(made, outputs, temporary)
    return made


def _require_able(job: Job) -> None:
    for name, is_set in (
        ("decimal", job.decimal == ","),
        ("thousands", job.thousands is not None),
        ("encoding", (job.encoding or "utf-8").lower().replace("_", "-") not in UTF8),
        ("header", job.header not in (None, PRESENT)),
        ("sheet", job.sheet is not None),
        ("table", job.table is not None),
        ("query", job.query is not None),
        ("escape_formulas", job.escape_formulas),
    ):
        if is_set:
            raise ParameterError(
                f"`{name}` cannot be used on Spark.",
                remedy=f"Leave `{name}` out, or choose `engine='local'`.",
            )


def _require_writable(outputs: LargeOutputs, *, force: bool) -> None:
    """Raise before any work if an output could not be written in the end."""
    place = Path(outputs.release)
    if "://" in outputs.release or place.suffix not in (*_CSV, *_PARQUET):
        raise FileError(
            f"{shown(outputs.release)} cannot be staged and renamed.",
            remedy="Name a folder on a file system that the driver and every executor mount; or "
            "call `shoal.spark.anonymize` and write its frame.",
        )
    if not place.absolute().parent.is_dir() or not os.access(place.absolute().parent, os.W_OK):
        raise FileError(
            f"The folder of {outputs.release} does not exist, or may not be written to.",
            remedy="Make it, or choose another.",
        )
    settle_folder(Path(os.path.realpath(place)))
    if os.path.lexists(place):
        if not force:
            raise FileError(
                f"{outputs.release} exists.",
                remedy="Choose another name, or replace it with `force`.",
            )
        if not place.is_dir() or any(not one.name.startswith("part-") for one in place.iterdir()):
            raise FileError(
                f"{outputs.release} exists and is not a release that can be replaced.",
                remedy="Choose another name.",
            )
    for path in (outputs.facts, outputs.custody, outputs.job):
        if path is not None:
            check_output(path, force, table=False, inputs=[], others=[outputs.release])
    if outputs.custody is not None:
        require_separate_folder(outputs.custody, outputs.release)


def _read(spark: SparkSession, data: str, job: Job) -> DataFrame:
    """Return the stored table; every file must have the same columns.

    Raises
    ------
    FileError
        If files are missing, or differ in their columns.
    """
    files = _local_files(data)
    csv = any(Path(one).suffix in _CSV for one in files or [data])
    if csv:
        _require_same_headers([Path(one) for one in files or []], job)
        separator = separator_named(job.separator) if job.separator else None
        tabs = any(Path(one).suffix == ".tsv" for one in files or [data])
        frame = spark.read.csv(
            data,
            header=True,
            sep=separator or ("\t" if tabs else ","),
            quote='"',
            escape='"',
            multiLine=True,
            mode="FAILFAST",
            # The header of every file is compared with the columns.
            enforceSchema=False,
        )
    else:
        frame = spark.read.parquet(data)
        _require_same_columns(spark, frame, files)
    return recoded_frame(frame, job, empty=csv)


def recoded_frame(frame: DataFrame, job: Job, *, empty: bool = False) -> DataFrame:
    """Return a frame with codes for missing cells as null, special values apart.

    Parameters
    ----------
    frame
        The frame; a special column that it has already is taken as it is.
    job
        Its ``null_values`` and ``special_values``.
    empty
        Whether an empty text is a missing cell, as in a CSV file.
    """
    declared = special_codes(job.special_values)
    added = [special_column(name) for name in declared if special_column(name) not in frame.columns]
    if not job.null_values and not added:
        return frame

    def recode(batches: Any) -> Any:
        for read in frames(batches):
            recoded = recoded_once(read, job.null_values, job.special_values)
            yield from batches_of(without_codes(recoded, (), empty=empty))

    schema = deepcopy(frame.schema)  # that of a frame is kept, and must not grow
    for name in added:
        schema = schema.add(name, "string")
    return frame.mapInArrow(recode, schema)


def _local_files(data: str) -> list[str] | None:
    """Return the files of a path or pattern; nothing if the driver does not see them."""
    if "://" in data:
        return None
    place = Path(data)
    if place.is_dir():
        inside = (one for one in place.rglob("*") if one.is_file())
        return sorted(str(one) for one in inside if one.name[0] not in "._")
    found = sorted(glob.glob(data))  # noqa: PTH207 (a pattern as Spark takes it)
    if not found:
        raise FileError(f"{data} does not exist.", remedy="Check the path.")
    return found


def _require_same_headers(files: Sequence[Path], job: Job) -> None:
    """Refuse CSV files whose headers differ, before Spark raises an error that quotes cells."""
    table = StoredTable(tuple(files), None, job)
    headers = [table.layout(file)[0] for file in files]
    for file, header in zip(files, headers, strict=True):
        if header != headers[0]:
            differing = sorted({*header} ^ {*headers[0]}) or header
            raise _differs(str(file), differing[0])


def _differs(file: str, column: str) -> FileError:
    return FileError(
        f"{file} differs from other files in {column!r}: a column that one of them lacks, or of "
        f"another type or place.",
        remedy="Give files with the same columns and types.",
    )


def _require_same_columns(
    spark: SparkSession, frame: DataFrame, files: Sequence[str] | None
) -> None:
    """Refuse Parquet files that differ: Spark would fill the gaps with missing cells."""
    first: Any = None
    for file in files if files is not None else frame.inputFiles():
        if files is not None:
            held: Any = dict(pl.read_parquet_schema(file))
        else:
            held = {one.name: one.dataType for one in spark.read.parquet(file).schema.fields}
        first = first or held
        differing = [name for name in {**first, **held} if first.get(name) != held.get(name)]
        if differing:
            raise _differs(file, differing[0])


def _separator(job: Job, output: str) -> str:
    if job.separator:
        return separator_named(job.separator)
    return "\t" if Path(output).suffix == ".tsv" else ","


def write_csv(frame: DataFrame, folder: Path, separator: str) -> None:
    """Write a frame as CSV files, and compare every record of them with the frame.

    Raises
    ------
    FileError
        If a column holds what CSV cannot.
    VerificationError
        If the files hold other records.
    """
    texts = frame.select(*(_as_text(field).alias(field.name) for field in frame.schema.fields))
    _require_no_nul(texts)
    settings: dict[str, Any] = {
        "header": True,
        "sep": separator,
        "escape": '"',
        "lineSep": "\n",
        # Spark would trim cells.
        "ignoreLeadingWhiteSpace": False,
        "ignoreTrailingWhiteSpace": False,
    }
    texts.write.csv(str(folder), **settings)
    read = frame.sparkSession.read.csv(str(folder), multiLine=True, schema=texts.schema, **settings)
    # Spark reads an empty text as a missing cell, and so does Shoal.
    _require_equal(*(one.select(*(_shown(name) for name in one.columns)) for one in (read, texts)))
    _remove_marks(folder)


def _as_text(field: StructField) -> Column:
    """Return a column as CSV shows it: lists as JSON, all else as Spark writes it."""
    column = cell(field.name)
    if isinstance(field.dataType, ArrayType):
        return F.to_json(column)
    if isinstance(field.dataType, BinaryType | StructType):
        raise FileError(
            f"Column {field.name!r} holds bytes or records, which CSV cannot hold.",
            remedy="Write Parquet instead.",
        )
    return column.cast("string")


def _shown(name: str) -> Column:
    return F.when(cell(name) != "", cell(name)).alias(name)


def _require_no_nul(texts: DataFrame) -> None:
    counts = [F.count_if(cell(name).contains("\0")) for name in texts.columns]
    for name, held in zip(texts.columns, texts.agg(*counts).collect()[0], strict=True):
        if held:
            raise FileError(
                f"Column {name!r} holds NUL characters, which readers of CSV refuse.",
                remedy="Write Parquet instead, or remove them.",
            )


def _write_parquet(frame: DataFrame, folder: Path) -> None:
    """Write a frame as Parquet files, and compare every record of them with the frame."""
    frame.write.parquet(str(folder))
    _require_equal(frame.sparkSession.read.parquet(str(folder)), frame)
    _remove_marks(folder)


def _require_equal(read: DataFrame, frame: DataFrame) -> None:
    """Refuse files that lack a record of a frame, or hold one that it lacks; both ways counted."""
    if not read.exceptAll(frame).isEmpty() or not frame.exceptAll(read).isEmpty():
        raise VerificationError(
            "The files do not hold what was verified, so they were removed.",
            remedy="Check the file system, and run it again.",
        )


def _remove_marks(folder: Path) -> None:
    for one in folder.iterdir():
        if not one.name.startswith("part-"):  # marks and checksums of Spark
            one.unlink()


def _commit(release: LargeRelease, outputs: LargeOutputs, temporary: Path) -> None:
    """Give the release and its companions their names."""
    job = release.job
    place = Path(os.path.realpath(outputs.release))
    with Staging() as staging:
        if outputs.facts is not None:
            staging.text(release.facts.to_json(), outputs.facts)
        if outputs.job is not None:
            staging.text(write_job(job), outputs.job, private=job.seed is not None)
        if outputs.custody is not None:
            staging.text(_custody(release), outputs.custody, private=True)
        with renamed_folder(temporary, place):
            staging.commit()


def _custody(release: LargeRelease) -> str:
    """Return the secrets of a release; Spark reads records in no order, so there is no row map."""
    content = {
        "about": "Secrets of a release: keep this file apart from it and to yourself.",
        "seed": str(release.seed),
        "release_sha256": release.facts.release_sha256,
        "notes": list(release.notes),
        "figures": release.figures.to_dict(),
    }
    return json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n"
