"""`auto`: the algorithm that runs the others."""
