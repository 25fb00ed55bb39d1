"""The disk engine: tables beyond memory on one machine, with DuckDB and a pool of processes."""
