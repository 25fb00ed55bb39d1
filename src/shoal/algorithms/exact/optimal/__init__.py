"""`optimal`: column generation, cuts and branching to a proved optimum."""
