"""Which verbs take an option: those that many options share."""

from __future__ import annotations

from shoal.options.option import Variant

DESCRIBED = ("anonymize", "verify", "report", "compare", "plan", "measure", "bound", "utility")
WEIGHED = ("anonymize", "verify", "report", "measure", "bound")
WITH_ROLES = (*DESCRIBED, "anatomize")
SPELLED = (*DESCRIBED, "risk")
READERS = ("verify", "report", "measure", "utility", "risk")
SHOWN = ("anonymize", *READERS)
# A release made by Shoal records how it was made.
FROM_RELEASE = {
    verb: Variant(required=False) for verb in ("verify", "report", "measure", "utility")
}
