"""The terms of a report, each in a sentence."""

from __future__ import annotations

GLOSSARY = {
    "record": "One row of the table.",
    "quasi-identifier": (
        "A column by which an outsider could recognize a person, alone or with others: "
        "age, sex, postcode."
    ),
    "identifier": "A column that names a person; it is removed.",
    "sensitive attribute": "A column worth protecting, such as a diagnosis; released unchanged.",
    "generalization": (
        "Replacing a value by a less exact one that covers it: 36 by [35..37], F by {F|M}."
    ),
    "suppression": (
        "Showing nothing of a record: it is starred (* in every quasi-identifier) or withheld "
        "(left out of the release)."
    ),
    "equivalence class": "Records that look the same on all quasi-identifiers.",
    "k-anonymity": "Every record that shows anything looks the same as at least k - 1 others.",
    "l-diversity, t-closeness": (
        "Further conditions: the sensitive values of every class are mixed, or mixed as "
        "in the whole table."
    ),
    "detail lost (GCP)": "The mean over all cells of how much of its column's range a cell covers.",
    "prosecutor, journalist, marketer": (
        "Three attackers: one who knows that the person is in the table, one who does "
        "not, and one who links as many records as possible."
    ),
    "verifier": "The part of Shoal that checks a release and shares no code with what made it.",
}
