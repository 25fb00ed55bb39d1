"""Exact optimization: classes of proved least loss, and bounds on how far others are from it."""
