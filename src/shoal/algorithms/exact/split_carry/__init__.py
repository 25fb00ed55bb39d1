"""`split-carry`: a chain of small problems, each solved exactly."""
