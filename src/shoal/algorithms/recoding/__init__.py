"""Global recoding: one division of each attribute's values into groups, for all records alike."""
