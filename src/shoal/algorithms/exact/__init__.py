"""Algorithms that solve the problem, or parts of it, to proven optimality."""
