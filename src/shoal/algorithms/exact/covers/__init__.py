"""`ff-optimal`: column generation over sets of k records to a proved optimum of covers."""
