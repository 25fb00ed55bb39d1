"""Full-domain generalization: algorithms that search the lattice of levels."""
