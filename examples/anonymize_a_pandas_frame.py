"""Anonymize a pandas frame: a frame goes in, a frame of the same type comes out."""

from __future__ import annotations

import tempfile

import pandas as pd

import shoal
from shoal.example import write_example

files = write_example(tempfile.mkdtemp(), rows=2_000)
# Postcodes are texts: read as numbers they would lose their leading zeros.
patients = pd.read_csv(files.table, dtype={"postcode": str})

release = shoal.anonymize(
    patients,
    k=5,
    quasi=["birth_date", "sex", "postcode", "admission_date"],
    sensitive=["diagnosis", "ward"],
    identifier=["patient_id", "name"],
    rest="other",
    hierarchy={"postcode": files.postcode},
    person="patient_id",
)

print(type(release.frame).__module__.partition(".")[0], release.frame.shape)
print(release.frame[["birth_date", "sex", "postcode", "diagnosis"]].head())
print(f"verified: {release.verdict.passed}, detail lost: {release.facts['measures']['gcp']:.1%}")
