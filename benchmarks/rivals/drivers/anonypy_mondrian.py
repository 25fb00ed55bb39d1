"""Run anonypy's Mondrian: ``python anonypy_mondrian.py TABLE K RELEASE NUMERIC PRIVATE``."""

from __future__ import annotations

import json
import sys
import time

import anonypy
import pandas as pd
from notation import interval, members

table, k, release, numeric, private = sys.argv[1:6]
frame = pd.read_csv(table, dtype=str)
numbers = numeric.split(",")
quasi = [name for name in frame.columns if name != private]
for name in quasi:
    frame[name] = frame[name].astype(int) if name in numbers else frame[name].astype("category")

wall, cpu = time.perf_counter(), time.process_time()
preserver = anonypy.Preserver(frame, quasi, private)
groups = pd.DataFrame(preserver.anonymize_k_anonymity(k=int(k)))
spent = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}

for name in quasi:
    cells = groups[name].map(lambda cell: cell[0] if isinstance(cell, list) else cell)
    groups[name] = cells.map(interval if name in numbers else members)
# One row tells how many records it stands for.
records = groups.loc[groups.index.repeat(groups["count"])]
records[[*quasi, private]].to_csv(release, index=False)
print(json.dumps(spent))
