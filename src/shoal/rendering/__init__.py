"""Fragments of HTML that objects show themselves with in notebooks."""
