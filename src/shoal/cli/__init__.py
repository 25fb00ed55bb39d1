"""The command line: one file a verb, and nothing heavy imported before a verb runs."""
