"""The guarantees that a release can give: names on which its maker and its verifier agree."""

from __future__ import annotations

from enum import StrEnum


class Guarantee(StrEnum):
    """What a release guarantees every record, and what the verifier therefore checks.

    ``classes``: equivalence classes of at least k records. ``freeform``: k equally likely
    counterparts of each record. The rest count counterparts without weighing them, which is less.
    """

    CLASSES = "classes"
    FREEFORM = "freeform"
    CONCEALMENT = "concealment"
    K_K = "(k,k)"
    K_1 = "(k,1)"
    ONE_K = "(1,k)"
