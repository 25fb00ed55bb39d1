"""Tables in databases: read in one query, written in one transaction."""
