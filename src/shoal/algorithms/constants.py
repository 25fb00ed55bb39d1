"""The constants of `auto` and of the algorithms it runs, each with the measurement behind it.

Seconds that a start takes are measured on the table at hand (:mod:`.calibration`); what is left
here are shares, sizes and limits. "Adult" is the 30,162 records of adult30k, eight
quasi-identifiers as intervals and sets; docs/studies/auto.md says how its figures were taken. Where
nothing was measured, the comment says "chosen". Exact search and the kernels keep theirs where they
use them.
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
# rows with a set of 13,000 categories it loses .0148, cell by cell .0177. Cells are made so large
# that they take the second share; after the first, those that are left are cut by `mondrian`.
WHOLE_SHARE = 0.4
CELLS_SHARE = 0.25
# With fewer than `SHALLOW_IN_LARGE` steps a row a search gains less than the start: 143,138 rows,
# k = 14 (seed 1,366), in ten CPU seconds: .5938 with `k-member`, which takes 4.1 s, .6172 in cells.
LARGE_SHARE = 0.6
# Where a search would have fewer than `SHALLOWEST` steps a row, the start is all there is: the
# hierarchies of Adult, k = 50, in .15 CPU seconds: .224 from `k-member`, which takes .07 of them,
# .259 from `sorted`, .274 from `mondrian`.
SHALLOW_SHARE = 0.75
MOST_SHALLOW_SHARE = 0.85
# Without models, `k-member` is begun where slices say that it takes no more than the first share,
# and that it loses less than the last of what `mondrian` loses on neighbouring classes: whole, it
# is then worth more than cells and a search. Slices said .5 to 2.3 times what it took, so it goes
# on after the second share only if it will be done before the third is over by the rows that it
# has reached; if not, cells divide the rest. On a table with 13,294 postcodes, k = 5 / 10, it takes
# 2.6 / 2.8 s. In 5 CPU seconds .0096 / .0168, with cells alone .0104 / .0182; in 3 s .0107 / .0173,
# with cells .0109 / .0192. It loses .0098 / .0171. 64,513 census-like rows, k = 50, .6 of 1.2
# seconds: .1087, with cells .1139.
LONG_SHARE = 3.0
LONG_LOOK = 0.25
MOST_LONG_SHARE = 0.97
# Where a search has fewer than `SHALLOW_IN_LARGE` steps a row, it must lose less than
# `WORTH_ITS_TIME` instead: 33,496 rows, k = 5 (seed 3,067), are at .390 in a second with
# `k-member`, which takes .73 s and promises .81; at .482 without it.
WORTH_MOST_TIME = 0.8
# Neighbouring classes also choose between `k-member` and `agglomerative` where losses jump: they
# lose .85 and .89 of it on 23,308 rows with 36 trees, k = 6 (seed 2073; whole .81, .89 in cells);
# on hierarchies of Adult .88 and .80 (k = 5), .81 and .70 (10), .80 and .66 (50).
# Of `agglomerative`, whole and cell by cell, in cells of so many rows at least and so many of them.
# Hierarchies of Adult in one CPU second in all, k = 5 / 50: whole (.42 and .67 s) .0423 / .1620, in
# cells of 2,048 (.16 and .18 s) .0414 / .1576, of 1,024 .0416 / .1566, of 8,192 .0441 / .1609;
# `k-member` .0424 / .1711.
STEPPED_SHARE = 0.25
STEPPED_CELLS_SHARE = 0.4
STEPPED_CELL_ROWS = 1_024
LEAST_STEPPED_CELLS = 4
# A whole start is stopped after this share, and `mondrian` divides the rest: see unfinished.py.
# `k-member` goes on if it will then be done after the second, or a little late (see LATE_BY):
# 23,308 rows with 36 trees (seed 2073), k = 6, .55 of .76 seconds, lose .631 whole, .686 if
# `mondrian` divides the rest after .46.
MOST_WHOLE_SHARE = 0.6
MOST_LATE_SHARE = 0.9
# A start that takes more than the first share must lose less than `WORTH_LITTLE` of what `mondrian`
# loses on neighbouring classes: 8,660 rows, k = 142 (seed 1,638), end at .334 after one CPU second,
# at .363 if `k-member` may take only a tenth. On two times 1,024 rows it loses .46 to .87 and
# `agglomerative` .53 to .80 of it on Adult, its hierarchies and diabetic (.46 to .76 and .52 to .71
# on the whole table), and .81 (.64) and 1.04 (.99) on the generated table of seed 1,779. Where they
# do not pay: 1.55 and 1.04 (seed 1,707, on the whole table 1.46 and .99), 1.30 and 1.10 (1,272),
# 1.00 (1,276), 1.03 and 1.12 (1,723), 1.06 and 1.04 (1,715). A random slice misleads, since it is
# less dense: .90 instead of .64 for 1,779.
CHEAP_SHARE = 0.25
# A part has borders, so that it tells less than there is to gain: .97 for 32,260 rows, k = 12 (seed
# 2085), .83 on the whole table, in .27 s; .96 for 82,246 rows, k = 173 (seed 1,496), .87 on the
# whole table, in 2.9 of ten CPU seconds, which end at .636 with `k-member` and at .677 without it.
WORTH_ITS_TIME = 0.93
WORTH_LITTLE = 0.98
# Neighbouring classes, in no more than so many slices; fewer tell nothing, and the start is tried.
# Four classes of a generated table (seed 1,723, k = 1,137) lost as much either way; three seconds
# with `k-member` end at .196, without it at .204.
TELLING_CLASSES = 8
MOST_SLICES = 4
# `sequential`, where that does not fit. It can take several times what its slices tell, but what it
# has by then is a good start if classes are large: k = 50, one second, .1548 if it ends after .3 s
# and .1644 after its .8 s. If they are small, it is a poor one: k = 10, .094. It needs no repair
# under models: on 38,670 rows, k = 48 (seed 1,696), ten CPU seconds end at .531 with it, at .601
# without it.
# Without `agglomerative` it may take the share at which it is stopped, also in place of
# `united-cells`: suppress-only Adult, k = 50, in a third of a CPU second .40 and .67.
SEQUENTIAL_SHARE = 0.25
MOST_SEQUENTIAL_SHARE = 0.35
# It is stopped with nothing to show after so many times its share: of 345,180 records in 1,399
# rows, k = 21 (seed 2,385), it has nothing in a second. Chosen.
OVERRUN = 1.25
# Where `k-member` does not fit, what fits and promises less than this share of its loss takes the
# place of cells: on 20,416 records with ten attributes, k = 4 (seed 2,212), a run that takes
# `sequential` ends at .0015 in one CPU second, one that begins `k-member` at .0018. Neighbouring
# classes foretell what follows on the whole table: .66 for .60, .88 for .82, .89 for .80. So does
# `agglomerative` where it takes next to no time (see `QUICK_SHARE`), unless `k-member` leads by as
# much: three CPU seconds on 31,970 rows, k = 4 (seed 1,746), end at .000157, with `k-member`, which
# takes 1.1 of them, at .000167. Chosen.
FAR_AHEAD = 0.8
PATIENCE = 30.0
# Seconds for a pair of rows and an attribute, as measured on Adult: of `agglomerative`, of
# `sequential`, whose work is divided by k, and of `k-member` under the two kinds of measures. Where
# time counts, slices of the table decide instead. Tables with many categories take several times as
# long; on larger tables `k-member` looks at fewer pairs.
AGGLOMERATIVE_PAIR_SECONDS = 2.1e-10
SEQUENTIAL_PAIR_SECONDS = 9e-10
K_MEMBER_PAIR_SECONDS = 2e-11
K_MEMBER_INFORMATION_PAIR_SECONDS = 4e-10
# From this k on `sequential` starts better than `agglomerative`: hierarchies of Adult, k = 5 / 10 /
# 50, .0448 / .0729 / .167 against .0485 / .0797 / .176. But a search ends no better, k = 50 in 1 /
# 3 / 10 CPU seconds in all: .1583 / .1440 / .1395 against .1541 / .1435 / .1393. So it is tried
# beside the other only where looks take next to no time.
LARGE_CLASS = 20
# Seconds of `hilbert`: for each row, row within two classes and attribute, and for each record and
# record of a class. 224,000 rows with two intervals and k = 151 take .97 s, 100,000 with three and
# k = 60 .19 s, 224,000 records of 20,000 rows .06 s. Trees and sets of more than 64 values count as
# so many: 54,452 rows of 101,101 records with two trees and a set, k = 276, take .93 s. Not even
# 9,770 rows are always few: with k = 2,350 and 26 attributes (seed 1,702) it took all of 3 s.
HILBERT_ROW_SECONDS = 6e-9
HILBERT_RECORD_SECONDS = 1.5e-9
HILBERT_SLOW = 3.0
# On a large table it is run piece by piece, in so many pieces of so many classes at least. The
# order takes a twentieth of the time, so that one piece costs little where the curve does not suit
# the table. With few attributes or dependent ones nothing else comes near: .000643 against .000670
# from `sorted` (224,000 records, two intervals, one a function of the other, k = 151); with Zipf
# values .000578 against .000653 after a second of search; two uniform intervals in 3 CPU seconds
# .0287 against .0309, three mixed ones (100,000 records, k = 60) .0848 against .0952. It takes .10
# CPU seconds for 73,511 records with 15 attributes (seed 1,348) and .165 for 90,017 with 22, and is
# left out if it would take more than that twentieth, unless a search has fewer than `FEWEST_STEPS`:
# 414,215 rows, k = 13 (seed 1,356), where the order takes .3 s, are at .135 then and .148 without.
CURVE_ORDER_SECONDS = 9e-8
CURVE_ORDER_SHARE = 0.05
CURVE_PIECES = 16
PIECE_CLASSES = 16
# The first pieces may mislead: one may lose so much more than is worth its time, two half as much.
# With two Zipf intervals the first lost as much as the classes of `k-member`, all of them .958.
CURVE_DOUBT = 0.1
# Of the time that is left, how much one start may take if another is to follow. Chosen.
MOST_STARTS_SHARE = 0.5
# With models: of the time, how much one start may take if another is to follow. Adult, k = 5,
# 2-diversity, three CPU seconds in all: .075 leaves out `k-member`, .0293 to .0297; .1 takes it,
# .0287 to .0290. Runs of `sorted` come last, since their repair takes longest: on 211,892 records
# of 274 rows, k = 6, 2-diversity (seed 1,731), it was stopped after .5 of one second, and a search
# from `mondrian` ended at .005 or .028, where `hilbert` loses .00004 after .02 s.
MODELS_SHARE = 0.1
# And how much before it is stopped: without time for the search after it, a repair is not worth
# its time, unless the search has fewer than `SHALLOW_IN_LARGE` steps a row; then it has as long as
# that of `sorted`. On 43,636 rows, k = 88 (seed 2,883), `k-member` and its repair take 1.4 of 2.8
# seconds, and lose .731; `sorted` loses .757, and a search from it gains nothing. Chosen.
MOST_REPAIR_SHARE = 0.5
# `sorted` is tried even then if a smaller share of its classes breaks a model. On 82,360 rows,
# k = 5, 2-diversity, it is 2 %, whose repair takes .2 CPU seconds: .00044 where `mondrian` loses
# .00085, and a search from that .00062 in one second and .00050 in three. On Adult it is 56 %, and
# the repair was stopped after .2 s with nothing to show.
FEW_BROKEN = 0.1
# It is then stopped later than other repairs. There it takes .21 to .4 of the .72 CPU seconds that
# are left of one: stopped at half of them, the run ends at .00083.
MOST_SHORT_REPAIR_SHARE = 0.8
# Where more of them break one, it is stopped sooner than others. Chosen.
MOST_LONG_REPAIR_SHARE = 0.15
# Rows of a cell at least: large enough that borders cost little (20 % of the loss of the start with
# a set of 13,000 categories, see above), small enough that a cell takes milliseconds.
CELL_ROWS = 4_096
# Classes of a cell at least; a table with fewer than that for each of the least number of cells is
# not divided in cells. Chosen: hierarchies of Adult, k = 500, have 60 classes.
LEAST_CLASSES = 40
# Nor is one with fewer classes than this in all: four of k = 3,876 (seed 1,830) gained nothing in a
# quarter of a second. Chosen.
FEWEST_DIVIDED = 16
# So many cells are also cut by `mondrian`; if that is better each time, it cuts the others. On
# 418,554 records of 232,596 rows, three attributes, k = 430 (seed 2059), cells lost .121 after 1.2
# of 3 CPU seconds, `mondrian` .056.
CELLS_COMPARED = 2
# Cells at least, where time counts: the clock is looked at between cells. Chosen.
LEAST_CELLS = 16
# Where slices say that more than this share of the time of `k-member` is in proportion to the
# rows, as on 73,511 rows with k = 2 (seed 1,348), cells save no time. In .85 of one CPU second
# cells, or part of the start and cells, ended at .170, a search from `mondrian` at .150 to .163;
# `k-member` would lose .114, after 1.4 s.
MOST_CELLS_SHARE = 0.6
# Nor do slices show how time grows then: there they said .54 s, on 90,017 rows (seed 2,325) .70 s
# instead of 2.1. The whole start is begun only if they say no more than this share of the time.
LINEAR_SHARE = 0.85
# On tables large enough for cells of more than `CELL_ROWS`, whose borders cost less, no more than
# the time there is: of 500,000 census-like records, k = 10, in ten seconds on two threads cells
# lose .0239 after one of them and .0224 in the end, a start that would have taken 13 s .0264. On
# 140,005 rows, k = 2 (seed 1,968), slices said 2.6 s, it takes 2.1 and loses .00099, cells .0016.
LONG_IN_LARGE_SHARE = 1.0
# By the square of the rows that are left, a start has done .20, .46 and .67 of its work after .2,
# .4 and .6 of its time on the first of these tables, .13, .34 and .61 on 33,496 rows with k = 5
# (seed 3,067). So it goes on if it would be late by so much: there, after .8 of its time, it is at
# .439, where a search from `sorted` ends at .489.
LATE_BY = 1.5
# Where a search would have fewer than `SHALLOW` steps a row, `agglomerative` takes the place of
# `k-member` if it fits this share of so many seconds at least, and leads by neighbouring classes:
# there, in ten seconds, it loses .1069 after 4.6 s, and .1065 after a search; `k-member` .1143
# after 1.4 s, and .1110.
UNITED_SHARE = 0.6
SHORTEST_UNITED = 2.0
# Either comes beside the other if it takes no more than this: 78,988 records, k = 963 (seed 1,436),
# end at .61 with `k-member` and .68 without it after three CPU seconds; sets of Adult, k = 500, at
# .23 with `agglomerative` and .25 without it after ten. For k = 50 it costs: .1135 instead of .1115
# on census-like records.
QUICK_SHARE = 0.15
# Where losses jump, `k-member` does not come beside `agglomerative` if that promises less than this
# share of its loss: .82 on hierarchies of Adult, k = 50, where one second ends at .158 with it and
# at .154 without it; .99 on 19,673 rows, k = 553 (seed 1,688). Chosen.
CLEARLY_AHEAD = 0.92

# ---- slices that tell what a start takes

# No slices for `k-member` where it fits even if the machine is so many times as slow as the one on
# which its seconds for a pair of rows were measured: with one second at a load of 16 on two cores
# slices took it for too slow now and then, though it took .4 s.
BUSY = 3.0
# Or, if it is more, so many times as slow as it was so far. Chosen.
BUSIER = 2.0
# Nor where a start would take so many times as long as there is, by its pairs of rows and by how
# slow the machine was so far. Where records are nearly equal it takes far less: .2 s instead of 2.2
# for `agglomerative` on 31,970 rows with k = 4 (seed 1,746). Chosen.
SURELY_LATE = 4.0
# Nor for `agglomerative` and `sequential` where there are fewer seconds of work than this: with a
# sixth of a processor, their slices took half of a second.
SHORTEST_SLICED = 0.4
# Nor where no set or tree has more values than this; the largest of Adult has 41. On 34,351 rows
# with five sets of thousands of values `k-member` took more than a second, by its pairs .12 s; on
# 38,661 with four trees of hundreds 2 s instead of .12 s.
USUAL_VALUES = 64

# Rows of the first slice; each further one has twice as many. A table of fewer than four times as
# many rows is divided in less time than slices would take.
SLICE_ROWS = 1_024
LEAST_SLICES = 4
# Of the time there is: no further slice is begun after the first share, and none runs beyond the
# second. The next slice takes up to four times as long as the last. Chosen.
SLICE_SHARE = 0.02
MOST_SLICE_SHARE = 0.1
# A further slice for `k-member` where those before it say that it takes between so many times the
# time there is: of ten seconds, 5.5 s without and 3.4 s with it on 82,246 rows, k = 173 (seed
# 1,496), where it takes 2.9 s. It is begun if, taking so many times as long as the last, it ends
# within the last share. Chosen.
DOUBTFUL_SHARES = (0.2, 2.0)
SLICE_GROWTH = 3.0
MOST_DOUBTFUL_SHARE = 0.08
# A slice has so many classes at least; where the table has fewer, as many as that. With classes of
# all the table's k, `k-member` on 421,481 rows with k = 24,760 seemed to take many times its .6 s.
SLICE_CLASSES = 16

# ---- local search

# Closures grow by jumps if trees and all-or-nothing attributes have more than this share of the
# weights. Chosen.
STEPPED_WEIGHT = 0.5

# Rows near each one that are candidates. More where losses jump, since what is far may be as cheap,
# and on small tables, which have steps enough: on a generated table of 3,829 records and k = 336 a
# million steps end at .382 with 32 for each of four seeds, and at .382 to .403 with 20.
NEIGHBOURS = 20
MANY_NEIGHBOURS = 32
# Below so many steps a row nearer ones pay more. From `mondrian` with 8 / 12 / 20 / 32, k = 5:
# diabetic in .5 CPU s (100 steps a row) .00690 / .00702 / .00713 / .00746; Adult in .5 s (90)
# .0198 / .0200 / .0204 / .0214, in 1 s (230) .0162 / .0164 / .0169 / .0173, in 3 s (570) .01556 /
# .01559 / .01579. k = 50 in 1 s: Adult .0992 / .0990 / .0986 / .1016, hierarchies .1688 / .1628 /
# .1624 / .1632, census-like .1400 / .1389 / .1388 / .1415. Rows count, not records, whose equals
# move together: 13,596 generated records of 6,214 rows, k = 33, in 1 s (620) .1188 / .1175 /
# .1151 / .1152; 66,811 of 6,073 rows, k = 7, .00505 / .00501 / .00500 / .00497.
# That is for a k of no more than the second. Large classes settle for less: of 7,880 rows, k = 83,
# in .85 s (430 steps a row) 12 / 20 / 32 from `k-member` end at .0378 / .0368 / .0360; of 46,860,
# k = 2,464 (seed 2,317), in .7 s (200) 8 / 20 at .360 / .309.
SHALLOW = 600.0
FEW_AT_ALL = 10
SHALLOW_IN_LARGE = 300.0
# Few below so many steps, whatever k. Chosen.
FEWEST_STEPS = 30.0
# A search of fewer steps a row changes little. Chosen.
SHALLOWEST = 100.0
FEW_NEIGHBOURS = 8
# Steps of the search in a second, where they are to be known beforehand: 3.5 to 5 million on Adult
# and diabetic.
STEPS_A_SECOND = 4e6

# With fewer classes than this, and on every small table, a short search from each start tells which
# one the long search begins with. On a generated table of 3,829 records, two trees and k = 336 a
# million steps from `sequential` end at .428, from `k-member` at .382 with each of four seeds.
FEW_CLASSES = 64
# The same against the clock where the search has so many steps a row: on seeds 1833, 1845, 1859,
# 1871 and 1915 -.3, 0, -.2, -1.3 and -.1 % in 3 or 10 CPU seconds.
LOOKED_FROM = 1_000.0
# Of the budget, what one such search takes; more if it would be over before so many steps a row,
# and then of fewer starts, so that looks take no more than the last share in all. On 14,434 rows,
# k = 313 (seed 1,344), searches from `mondrian` / `k-member` / `agglomerative` are at .159 / .175 /
# .159 after .05 CPU seconds (20 steps a row), at .131 / .130 / .139 after .2 and end at .125 / .121
# / .123 after one. What a start finds must be judged so many times as fast. Chosen.
START_LOOK_SHARE = 0.02
LOOK_STEPS = 50.0
MOST_LOOKS_SHARE = 0.25
LOOK_JUDGES = 2.0
# What `refine` starts with is always looked at. Of the others, those that lose more than so many
# times as much as the best of all are left out.
USUAL_START = "k-member"
HOPELESS = 1.3
# Short searches tell little: the long search begins with one of these starts only where it leads by
# a tenth. On 60 generated tables (odd seeds below 120, up to 3,000 records) a million steps then
# end above those from `k-member` once, by .1 %; without that 7 times, 3 of them by more than 2 %.
# Nor is a start begun that promises so much more than one found since it was chosen, if classes are
# small: suppress-only Adult, k = 10, in one CPU second .307 without `k-member`, .317 with it. For
# k = 50 that would be wrong: .437 without, .370 with it.
HANDICAPS = {"hilbert": 1.1, "mondrian": 1.1, "sequential": 1.1, "sorted": 1.1}
# Where that decides against the start that leads, and one search has all the time, a longer look
# from either decides, each of so much of the time. On 12,892 generated records, k = 349, 2.6 CPU
# seconds end at .716 and .723 from `k-member`, at .642 and .643 from `mondrian`, which led by .1 %.
LONG_LOOK_SHARE = 0.1

# Where no looks are taken, classes are large and `sorted` leads, so much of the time goes to a
# search from the next best start first, or all of it where that is hardly behind: the runs of
# `sorted` have k records each, so that none can leave a class. On hierarchies of Adult, k = 500, a
# CPU second ends at .465 from `sorted` and .397 from `k-member`, which starts 2 % behind. On 54,452
# rows, k = 276, `sorted` starts at .0091 and ends at .0079 after a CPU second; `mondrian` starts at
# .0195, and is at .0057 after .3 and at .0053 after .8. With k = 4 (seed 1,299) `mondrian` stays
# behind: .0023 against .0011.
RIGID_LOOK_SHARE = 0.3

# A search with far more steps than it needs settles in a state of its own, and further steps change
# nothing. From so many steps a row two searches share them, from so many four; of a table of so
# many classes or more, from so many times as many. On 15 generated tables with 10 to 350 classes
# (seeds 1,318 to 2,361, 131 to 6,262 rows), with 2,700 to 540,000 steps a row, two searches end
# .4 % above one on average, four .5 %, at worst 3.3 %; five classes of k = 250 end 3.0 and 4.1 %
# below. Equal records are one row: counted by record, a table of 31,017 records had 1,723 rows.
TWICE_FROM = 5_000.0
OFTEN_FROM = 10_000.0
MANY_CLASSES = 8
MANY_CLASSES_FACTOR = 10.0
SEARCHES = 4
# Beyond that, one for so many steps a row each, and so many at most. In 3 CPU seconds, two seeds,
# 4 / 8 / 16 / 32 searches: 2,840 records of 149 rows, k = 130, .5620 and .5648 / .5629 and .5675 /
# .5598 and .5614 / .5583 and .5674; 556 of 44 rows, k = 52, .2016 twice / .1988 and .1948 / .2016
# and .1948 / .2016 and .1964.
SETTLED_FROM = 5_000.0
MOST_SEARCHES = 16
# Where a start other than the usual one leads, a look may mislead: from so many steps on half of
# them go to the usual start. On the generated table of seed 1,254 (2,694 records, k = 19) searches
# end at .0433, .0440 or .0459, whatever the heat and whether they have one million steps or three;
# those from `hilbert`, which led, at .0459 most often, and none of those from `k-member`. Not if
# `agglomerative` leads: on generated tables with 1,500 steps a row it was the best start, or within
# 2 %, but once; half of the steps would cost census-like records, k = 50, .8 %.
DOUBTED_FROM = 1_000.0

# ---- exact search and bounds

# Exact search grows with the rows and steeply with k. Up to so many rows x (k - 1)² in a second it
# solves the whole table (300 rows at k = 2); for neighbourhoods of a larger one there must be time,
# and k must be small: twelve seconds of them took .04 % off Adult with k = 5, and nothing off the
# 3,942 records of c2k with k = 10.
WHOLE_A_SECOND = 300
MOST_ROWS = 2_000
LARGEST_K = 8
SHORTEST_IMPROVED = 1.0
# Of the time or of the steps, what is left to exact search where it pays: at k = 2 and 300 rows
# `refine` stays 2 % above the proved optimum however long it runs.
EXACT_SHARES = {"optimal": 0.6, "improve": 0.3, "": 0.0}
# Of the time, for a bound where there is no exact search; if that is so many seconds at least, and
# the table has no more rows than that. Chosen.
BOUND_SHARE = 0.05
MOST_BOUND_SHARE = 0.1
SHORTEST_BOUND = 0.5
MOST_BOUNDED = 100_000

# ---- suppression

# Of what is left, for the records that are not suppressed; the rest is for judging the result, at
# least so many times what one takes.
REST_SHARE = 0.95
REST_JUDGES = 6.0
# Of the time, for a search of all records, and for one without the outliers: only if that ends
# lower does suppression get the rest. With k = 100 on census-like records the start gains 3.9 % by
# suppression, after a tenth of the search 2.2 %, at its end .7 %; half of the time for either
# division lost 2 to 4 % against none suppressed. Judged by the first search alone, 30,470 records
# of a generated table (seed 2,222, k = 2) ended 11.7 % above `refine` in three CPU seconds.
LOOK_SHARE = 0.1
# To tell whether suppression is worth its time takes as long as to judge so many solutions: .39 s
# and .085 s on 74,947 records with 32 sets.
SUPPRESSION_JUDGES = 5.0
# Where a table is so large that a look is too dear, suppression is judged by the classes of
# `mondrian`. To choose the records and to cut the rest takes as long as to judge so many solutions
# (.18 s and .022 s on 154,455 records with six attributes), which may be so much of the time.
EARLY_JUDGES = 8.0
EARLY_SHARE = 0.3
# Entries by which to tell whether suppression is worth its time; of more, whole classes are left
# out. All 154,348 rows of a table took .08 s of one second.
JUDGED_ENTRIES = 32_768

# ---- full domains

# Of the budget, what `flash` may take of it and what it must promise to need no more than; of all
# nodes, how many it judges: 616 of 12,960 on the nine hierarchies of adult30k with 2 % suppressed.
FLASH_SHARE = 0.5
FLASH_JUDGES = 0.05
# Nodes that are judged to tell what one takes.
TRIAL_NODES = 16

# ---- freeform

# The proof of a cover grows with the rows and steeply with k. Up to so many rows x (k - 1)³ in a
# second it is worth a share of the time; where there is no limit of time, as much as a second has.
# Samples of Adult and census-like records of that size take .03 to 1.1 CPU seconds, k = 2 to 5.
PROVED_A_SECOND = 2_000
PROOF_SHARE = 0.5
# Steps of the proof that take as long as a block of the search on covers; and where there is no
# budget at all.
PROOF_STEPS_A_BLOCK = 1_000
# Steps of the search for classes that take as long as a block.
CLASS_STEPS = 800
PROOF_STEPS = 2_000_000

# ---- `refine` by itself

# Seconds without a budget. A small table is searched through long before that; then the default is
# a number of steps a record, and the result the same on every machine. Chosen.
REFINE_SECONDS = 5.0
REFINE_SMALL = 1_000
REFINE_STEPS_A_RECORD = 1_000
# Of the time, for the start: the search needs the rest. Chosen.
REFINE_START_SHARE = 0.2
# A start is stopped after so many times that. Chosen.
REFINE_START_OVERRUN = 2.0

# ---- which records to suppress

# What a record seems to cost the others is more than what they gain without it, since they find
# other records: only a record that costs so many times its own loss is worth a second division.
# Chosen.
WORTH_SUPPRESSING = 1.5
# A search that stops by the clock divides a second time only if that probably gains such a share:
# see LOOK_SHARE for how much of a gain is left at the end. Either division then has half of the
# time.
WORTH_HALF_THE_TIME = 0.03
FIRST_DIVISION_SHARE = 0.5
# Outliers hide each other: without the first, the next one shows. So many rounds find most. Chosen.
OUTLIER_ROUNDS = 8

# ---- repair of classes that break a model

# How many of the cheapest partners are tried first, and how many if none of those fits. Chosen.
PARTNERS_TRIED = (32, 512)
# Up to so many values of a column, a table of counts is faster than lists. Chosen.
FEW_VALUES = 64
