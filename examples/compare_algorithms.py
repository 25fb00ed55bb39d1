"""Compare algorithms that divide records into classes: same measures, same verifier."""

from __future__ import annotations

import shoal
from shoal.algorithms import Family, algorithms
from shoal.example import hospital, postcode_hierarchy

table = hospital(rows=800)

print(f"{'algorithm':<12} {'k':>3} {'gcp':>7} {'classes':>8} {'solve s':>8}")
for k in (5, 20):
    for name, one in algorithms().items():
        if one.family != Family.CLUSTER:
            continue
        release = shoal.anonymize(
            table,
            k=k,
            algorithm=name,
            quasi=["birth_date", "sex", "postcode", "admission_date"],
            sensitive=["diagnosis"],
            identifier=["patient_id", "name"],
            rest="drop",
            hierarchy={"postcode": postcode_hierarchy()},
        )
        facts = release.facts
        assert release.verdict.passed
        print(
            f"{name:<12} {k:>3} {facts['measures']['gcp']:>7.4f} {facts['classes']:>8} "
            f"{release.figures.seconds['solve']:>8.3f}"
        )
