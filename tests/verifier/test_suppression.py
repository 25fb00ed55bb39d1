from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from shoal.errors import InputError
from shoal.table import MissingPolicy
from shoal.verifier import verify
from tests.verifier.test_faults import CLASSES, ORIGINAL, both_doors, failed
from tests.verifier.writer import SCHEMA, Made, write_release


@pytest.mark.parametrize("suppression", [0.0, 1.0])
def test_starred_rows_are_a_class_of_their_own(suppression: float) -> None:
    made = write_release(ORIGINAL, SCHEMA, [CLASSES[0], CLASSES[1], [8, 9]], starred=[10, 11])
    for verdict in both_doors(made, k=2, suppression=suppression):
        assert verdict
        assert (verdict.starred, verdict.classes, verdict.smallest_class) == (2, 4, 2)
    made = write_release(ORIGINAL, SCHEMA, [CLASSES[0], [4, 5, 6, 7, 8, 9]], starred=[10, 11])
    for verdict in both_doors(made, k=4, suppression=suppression):
        # Whoever fits no other class is one of the two.
        assert failed(verdict) == {"classes of at least 4"}
        assert (verdict.starred, verdict.classes, verdict.withheld) == (2, 3, 0)
        assert "the class of starred records" in str(verdict)


@pytest.mark.parametrize(("suppression", "passes"), [(0.0, False), (0.16, False), (2 / 12, True)])
def test_withheld_rows_count_against_the_limit(suppression: float, passes: bool) -> None:
    made = write_release(ORIGINAL, SCHEMA, [CLASSES[0], [4, 5, 6, 7, 8, 9]])
    for verdict in both_doors(made, k=4, suppression=suppression):
        assert bool(verdict) is passes
        assert (verdict.starred, verdict.withheld, verdict.n) == (0, 2, 12)
        assert failed(verdict) <= {"every record accounted for"}


def test_rows_starred_in_all_but_one_cell_are_no_suppressed_rows() -> None:
    made = write_release(ORIGINAL, SCHEMA, [CLASSES[0], [4, 5, 6, 7, 8, 9]], starred=[10, 11])
    place = np.isin(made.witness, [10, 11])
    frame = made.frame.with_columns(
        pl.when(pl.Series(place)).then(pl.lit("y")).otherwise("code").alias("code")
    )
    for verdict in both_doors(Made(frame, made.witness), k=4, suppression=1.0):
        assert failed(verdict) == {"classes of at least 4"}


def test_starred_rows_in_min_max_notation() -> None:
    made = write_release(ORIGINAL, SCHEMA, [CLASSES[0], [4, 5, 6, 7, 8, 9]], bounds=True)
    star = dict.fromkeys(made.frame.columns) | {"ill": "*", "code": "*"}
    stars = [star | {"pay": "11", "note": "n"}, star | {"pay": "12", "note": "m"}]
    frame = pl.concat([made.frame, pl.DataFrame(stars, schema=made.frame.schema)])
    for k, passes in ((2, True), (3, False)):
        for verdict in both_doors(Made(frame, np.append(made.witness, [10, 11])), k=k):
            assert bool(verdict) is passes, str(verdict)
            assert verdict.starred == 2


def test_dropped_rows_are_set_aside_and_must_not_be_used() -> None:
    schema = replace(SCHEMA, missing=MissingPolicy.DROP)
    made = write_release(ORIGINAL, schema, [CLASSES[0], [4, 5, 6, 7, 8]])
    for witness in (made.witness, None):
        verdict = verify(ORIGINAL, made.frame, schema, 4, witness=witness)
        assert verdict, str(verdict)
        assert (verdict.set_aside, verdict.withheld, verdict.released) == (3, 3, 9)
    used = write_release(ORIGINAL, schema, [CLASSES[0], [4, 5, 6, 7, 9]])
    by_witness, by_files = (
        verify(ORIGINAL, used.frame, schema, 4, witness=witness) for witness in (used.witness, None)
    )
    assert failed(by_witness) == {"row map is one-to-one"}
    assert failed(by_files) == {"records match originals"}


@pytest.mark.parametrize(
    ("k", "suppression"), [(1, 0.0), (0, 0.0), (2, -0.1), (2, 1.1), (2, float("nan"))]
)
def test_numbers_out_of_range_are_refused(k: int, suppression: float) -> None:
    made = write_release(ORIGINAL, SCHEMA, CLASSES)
    with pytest.raises(InputError):
        verify(ORIGINAL, made.frame, SCHEMA, k, suppression=suppression)


def test_empty_frames_and_absent_columns_are_refused() -> None:
    made = write_release(ORIGINAL, SCHEMA, CLASSES)
    with pytest.raises(InputError, match="original has no rows"):
        verify(ORIGINAL.clear(), made.frame, SCHEMA, 4)
    with pytest.raises(InputError, match="release has no rows"):
        verify(ORIGINAL, made.frame.clear(), SCHEMA, 4)
    with pytest.raises(InputError, match="'pay'"):
        verify(ORIGINAL.drop("pay"), made.frame, SCHEMA, 4)
    with pytest.raises(InputError, match="'badge'"):
        verify(ORIGINAL, made.frame, replace(SCHEMA, person="badge"), 4)
