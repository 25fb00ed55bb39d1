"""The constants of `auto`, each with the measurement behind it.

Seconds that a start takes are measured on the table at hand (:mod:`.calibration`); what is left
here are shares, sizes and limits. "Adult" is the 30,162 records of adult30k, eight
quasi-identifiers as intervals and sets; docs/studies/auto.md says how its figures were taken. Where
nothing was measured, the comment says "chosen".
"""

from __future__ import annotations

# ---- what a run may spend without a budget

# Seconds up to so many records, and more in proportion beyond. At a million census-like records
# the ten seconds halve the loss of `mondrian` (.0425 to .0207), at ten million a hundred do.
DEFAULT_SECONDS = 5.0
DEFAULT_RECORDS = 500_000
# Tables up to this size get a number of steps instead, so that the result is the same on every
# machine: so many a record for the first thousand, an eighth of that for each further one. That
# takes two seconds at most. Lists of near records take no steps but time, for each pair of records
# and attribute; so many pairs are a second or two.
SMALL = 10_000
SMALL_PAIRS = 10**10
STEPS_A_RECORD = 4_000
FIRST = 1_000

# ---- starts

# Of the time, what a start may take by what its slices tell; without a limit of time, so many
# seconds. Whole, `k-member` is worth more than the search that it leaves less time for: on 60,000
# rows with a set of 13,000 categories it loses .0148, cell by cell .0177.
WHOLE_SHARE = 0.4
CELLS_SHARE = 0.25
# A start of closures that grow by jumps is worth more, since the search does not make up for it:
# on the hierarchies of Adult, k = 5, .0404 from `agglomerative` and .0410 from `k-member`.
STEPPED_SHARE = 0.25
PATIENCE = 30.0
# Seconds for a pair of rows and an attribute, as measured on Adult: of `agglomerative`, and of
# `sequential`, whose work is divided by k. They decide only where no clock may; those of
# `k-member` are tried beside it, since `refine` uses them too.
AGGLOMERATIVE_PAIR_SECONDS = 2.1e-10
SEQUENTIAL_PAIR_SECONDS = 9e-10
# From this k on `sequential` starts better than `agglomerative`: hierarchies of Adult, k = 5 / 10 /
# 50, .0448 / .0729 / .167 against .0485 / .0797 / .176.
LARGE_CLASS = 20
# With models: of the time, how much one start may take if another is to follow. Chosen.
MODELS_SHARE = 0.075
# Rows of a cell at least: large enough that borders cost little (20 % of the loss of the start with
# a set of 13,000 categories, see above), small enough that a cell takes milliseconds.
CELL_ROWS = 4_096
# Classes of a cell at least. Chosen.
LEAST_CLASSES = 40
# Cells at least, where time counts: the clock is looked at between cells. Chosen.
LEAST_CELLS = 16

# ---- slices that tell what a start takes

# No slices for `k-member` where it fits even if the machine is so many times as slow as the one on
# which its seconds for a pair of rows were measured: with one second at a load of 16 on two cores
# slices took it for too slow now and then, though it took .4 s.
BUSY = 3.0

# Rows of the first slice; each further one has twice as many. A table of fewer than four times as
# many rows is divided in less time than slices would take.
SLICE_ROWS = 1_024
# Of the time there is: no further slice is begun after the first share, and none runs beyond the
# second. The next slice takes up to four times as long as the last. Chosen.
SLICE_SHARE = 0.02
MOST_SLICE_SHARE = 0.1

# ---- local search

# Rows near each one that are candidates. More where losses jump, since what is far may be as cheap,
# and on small tables, which have steps enough: on a generated table of 3,829 records and k = 336 a
# million steps end at .382 with 32 for each of four seeds, and at .382 to .403 with 20.
NEIGHBOURS = 20
MANY_NEIGHBOURS = 32

# With fewer classes than this, and on every small table, a short search from each start tells which
# one the long search begins with. On a generated table of 3,829 records, two trees and k = 336 a
# million steps from `sequential` end at .428, from `k-member` at .382 with each of four seeds.
FEW_CLASSES = 64
# Of the budget, what one such search takes.
START_LOOK_SHARE = 0.02
# What `refine` starts with is always looked at. Of the others, those that lose more than so many
# times as much as the best of all are left out.
USUAL_START = "k-member"
HOPELESS = 1.3
# Short searches tell little: the long search begins with one of these starts only where it leads by
# a tenth. On 60 generated tables (odd seeds below 120, up to 3,000 records) a million steps then
# end above those from `k-member` once, by .1 %; without that 7 times, 3 of them by more than 2 %.
HANDICAPS = {"hilbert": 1.1, "mondrian": 1.1, "sequential": 1.1, "sorted": 1.1}

# ---- exact search and bounds

# Exact search grows with the rows and steeply with k. Up to so many rows x (k - 1)² in a second it
# solves the whole table (300 rows at k = 2); for neighbourhoods of a larger one there must be time,
# and k must be small: twelve seconds of them took .04 % off Adult with k = 5, and nothing off the
# 3,942 records of c2k with k = 10.
WHOLE_A_SECOND = 300
MOST_ROWS = 2_000
LARGEST_K = 8
# Of the time or of the steps, what is left to exact search where it pays: at k = 2 and 300 rows
# `refine` stays 2 % above the proved optimum however long it runs.
EXACT_SHARES = {"optimal": 0.6, "improve": 0.3, "": 0.0}
# Of the time, for a bound where there is no exact search; if that is so many seconds at least, and
# the table has no more rows than that. Chosen.
BOUND_SHARE = 0.05
SHORTEST_BOUND = 0.5
MOST_BOUNDED = 100_000

# ---- suppression

# Of what is left, for the records that are not suppressed; the rest is for judging the result.
REST_SHARE = 0.95
# Of the time, for a search that shows whether the gain of the start lasts. With k = 100 on
# census-like records the start gains 3.9 % by suppression, after a tenth of the search 2.2 %, at
# its end .7 %; half of the time for either division lost 2 to 4 % against none suppressed.
LOOK_SHARE = 0.1

# ---- full domains

# Of the budget, what `flash` may take of it and what it must promise to need no more than; of all
# nodes, how many it judges: 616 of 12,960 on the nine hierarchies of adult30k with 2 % suppressed.
FLASH_SHARE = 0.5
FLASH_JUDGES = 0.05
# Nodes that are judged to tell what one takes.
TRIAL_NODES = 16

# ---- freeform

# The proof of a cover grows with the rows and steeply with k. Up to so many rows x (k - 1)² in a
# second it is worth a share of the time; where there is no limit of time, as much as a second has.
PROVED_A_SECOND = 300
PROOF_SHARE = 0.5
# Steps of the proof that take as long as a block of the search on covers; and where there is no
# budget at all.
PROOF_STEPS_A_BLOCK = 1_000
PROOF_STEPS = 2_000_000
