"""Figures that the papers print, worked through end to end."""

from __future__ import annotations

import polars as pl

import shoal

# Table 1 of the optimization paper prints these seven records (age, sex, zip code).
SEVEN = pl.DataFrame(
    {
        "age": [37, 35, 36, 61, 63, 66, 63],
        "sex": ["F", "F", "F", "M", "M", "M", "M"],
        "zipcode": [22071, 22098, 23061, 55107, 55099, 55324, 55229],
        "disease": list("abcdefg"),
    }
)


def test_greedy_search_on_seven_records() -> None:
    release = shoal.anonymize(
        SEVEN, k=3, quasi=["age", "sex", "zipcode"], sensitive=["disease"], algorithm="greedy"
    )
    shown = {
        (age, sex, zipcode): "".join(sorted(group))
        for age, sex, zipcode, group in release.frame.group_by("age", "sex", "zipcode")
        .agg("disease")
        .iter_rows()
    }
    assert shown == {
        ("[35..37]", "F", "[22071..23061]"): "abc",
        ("[61..66]", "M", "[55099..55324]"): "defg",
    }
