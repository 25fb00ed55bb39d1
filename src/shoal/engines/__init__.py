"""Engines: one cut rule and one way to solve cells, whatever counts and moves the records."""
