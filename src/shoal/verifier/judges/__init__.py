"""Judges of privacy models, one file per model; none of it is shared with what keeps models."""
