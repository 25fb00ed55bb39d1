"""The public functions, one per file."""
