"""Anonymize a pandas frame: a frame goes in, a frame of the same type comes out."""

from __future__ import annotations

import shoal
from shoal.example import hospital, postcode_hierarchy

patients = hospital(rows=2_000).to_pandas()

release = shoal.anonymize(
    patients,
    k=5,
    quasi=["birth_date", "sex", "postcode", "admission_date"],
    sensitive=["diagnosis", "ward"],
    identifier=["patient_id", "name"],
    rest="other",
    hierarchy={"postcode": postcode_hierarchy()},
    person="patient_id",
)

print(type(release.frame).__module__.partition(".")[0], release.frame.shape)
print(release.frame[["birth_date", "sex", "postcode", "diagnosis"]].head())
print(f"verified: {release.verdict.passed}, detail lost: {release.facts['measures']['gcp']:.1%}")
