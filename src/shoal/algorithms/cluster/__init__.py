"""Clustering: classes of at least k records, local recoding."""
