"""Run anjana's k-anonymity: ``python anjana_levels.py TABLE K RELEASE HIERARCHIES SHARE``.

``SHARE`` is the percentage of records that may be suppressed. Every column is a quasi-identifier;
a suppressed record is written as stars.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pandas as pd
from anjana.anonymity import k_anonymity

table, k, release, trees, share = sys.argv[1:6]
frame = pd.read_csv(table, dtype=str)
quasi = list(frame.columns)
levels = {
    name: dict(pd.read_csv(Path(trees) / f"{name}.csv", header=None, dtype=str)) for name in quasi
}

wall, cpu = time.perf_counter(), time.process_time()
kept = k_anonymity(frame, [], quasi, int(k), float(share), levels)
spent = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}

stars = pd.DataFrame("*", index=range(len(frame) - len(kept)), columns=quasi)
pd.concat([kept[quasi], stars]).to_csv(release, index=False)
print(json.dumps(spent))
