"""Algorithms that give every record a closure of its own: freeform generalization."""
