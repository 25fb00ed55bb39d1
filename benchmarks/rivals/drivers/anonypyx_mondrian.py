"""Run anonypyx: ``python anonypyx_mondrian.py TABLE K RELEASE NUMERIC PRIVATE [ALGORITHM]``."""

from __future__ import annotations

import json
import sys
import time

import anonypyx
import pandas as pd
from notation import interval, members

table, k, release, numeric, private, *algorithm = sys.argv[1:7]
frame = pd.read_csv(table, dtype=str)
numbers = numeric.split(",")
quasi = [name for name in frame.columns if name != private]
for name in quasi:
    frame[name] = frame[name].astype(int) if name in numbers else frame[name].astype("category")

wall, cpu = time.perf_counter(), time.process_time()
made = anonypyx.Anonymiser(
    frame,
    k=int(k),
    feature_columns=quasi,
    sensitive_column=private,
    algorithm=algorithm[0] if algorithm else "Mondrian",
    generalisation_strategy="human-readable",
).anonymise()
spent = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}

groups = pd.DataFrame(made)
for name in quasi:
    groups[name] = groups[name].map(interval if name in numbers else members)
records = groups.loc[groups.index.repeat(groups["count"])]
records[[*quasi, private]].to_csv(release, index=False)
print(json.dumps(spent))
