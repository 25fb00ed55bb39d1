"""Tables and figures that are worked examples, drawings or descriptions: what holds them here."""

from __future__ import annotations

from benchmarks.reproduction_row import FREEFORM, KGEN, MILP, SEQUENTIAL, Row

KGEN_TESTS = "pytest tests/golden/test_kgen_paper.py"
NO_CELLS = (
    "Our copy of the paper lacks the cells of this table; the rule is tested on other records."
)

EXAMPLES: tuple[Row, ...] = (
    Row(
        MILP,
        "Table 1",
        "Greedy Search makes two classes of seven records, k = 3",
        test="pytest tests/golden/test_paper_figures.py",
        tested="the same classes",
    ),
    Row(
        MILP,
        "Table 2",
        "20 records of FARS sorted by attributes of ascending variance",
        test="pytest tests/algorithms/test_sorting_order.py",
        tested="`order=values` sorts so, weights considered",
        why=NO_CELLS,
    ),
    Row(
        MILP,
        "Table 3",
        "eight attributes of CENSUS: names, kinds, ranges",
        test="python -m benchmarks milp_figures",
        tested="Adult's eight attributes, and synthetic tables with such ranges",
        agrees="data",
        why="The extract is not public.",
    ),
    Row(
        MILP,
        "Figure 1, Tables 5 and 6",
        "sub-problems in a chain; classes that hold one of the last k records are carried on",
        test="pytest tests/algorithms/test_split_carry.py",
        tested="the same rule, and the sizes of Lemma 2",
        why=NO_CELLS,
    ),
    Row(
        MILP,
        "Table 7",
        "steps of Greedy Search: the first record left takes the two that cost least; two left "
        "over join the classes that suffer least",
        test="pytest tests/core/test_clustering.py",
        tested="the same steps, against an oracle",
        why="Our copy of the paper has these steps, but lacks the 20 records of Table 2 that they "
        "are about; the rule is tested on other records.",
    ),
    Row(
        MILP,
        "Table 9",
        "variances of CENSUS are alike from 20,000 to 100,000 records",
        test="python -m benchmarks milp_figures:figure_6_k3",
        tested="sizes of one table are its first records, drawn alike",
        agrees="data",
    ),
    Row(
        MILP,
        "Table 10",
        "ranges and variances of 35 attributes",
        test="python -m benchmarks milp_figures:figure_8",
        tested="the synthetic table of Figure 8 is drawn with them",
        agrees="data",
    ),
    Row(
        MILP,
        "Tables 11 and 12",
        "memory and processor of the paper's machine",
        test="python -m benchmarks milp_figures",
        tested="stored results name the machine they come from",
        agrees="data",
    ),
    Row(
        FREEFORM,
        "Table 1, Figure 2",
        "eight records in which each original matches three released ones and the other way round",
        test="pytest tests/algorithms/test_freeform.py",
        tested="every cover is k-regular, and its release is verified so",
        why=NO_CELLS,
    ),
    Row(
        FREEFORM,
        "Table 2",
        "eight attributes of CENSUS, two numeric and six categorical",
        test="python -m benchmarks freeform_figures",
        tested="census-like records with the same kinds",
        agrees="data",
        why="The extract is not public.",
    ),
    Row(
        FREEFORM,
        "Figure 1",
        "graphs of classes, rings, reciprocal and freeform generalization",
        test="pytest tests/algorithms/test_freeform.py",
        tested="`mondrian`, `ring`, `symmetric=true` and the others make them",
    ),
    Row(
        FREEFORM,
        "Figure 3",
        "2-concealment without two disjoint matchings; odds 3 : 1",
        test="pytest tests/verifier -k covers",
        tested="the verifier tells both apart",
    ),
    Row(
        FREEFORM,
        "Figure 4",
        "matrix of Lemma 5.1: a dead end is left by one exchange for k < (n + 3) / 2",
        test="pytest tests/algorithms/test_freeform.py -k dead_ends",
        tested="dead ends are left up to k = n, by chains of exchanges beyond the lemma",
    ),
    Row(
        FREEFORM,
        "Figure 5",
        "the Hungarian algorithm finds the best assignment",
        test="pytest tests/algorithms/test_freeform.py -k assignment",
        tested="every round is optimal, as SciPy says",
    ),
    Row(
        SEQUENTIAL,
        "Table 1",
        "Hilbert values of the toy; cost 6k unscaled, 2k rescaled",
        test="pytest tests/golden/test_hilbert_toy.py",
        tested="the same",
    ),
    Row(
        KGEN,
        "Tables 1 and 2",
        "(2,1,1) makes Table 1 2-anonymous",
        test=KGEN_TESTS,
        tested="(2,1,1), also with `stars:every`",
    ),
    Row(
        KGEN,
        "Table 3",
        "reduction to (2,1,0) of heights (3,4,1)",
        test=KGEN_TESTS,
        tested="the same",
    ),
    Row(
        KGEN,
        "Table 4",
        "support maps of heights 4 and 5",
        test=KGEN_TESTS,
        tested="the same",
    ),
    Row(
        KGEN,
        "Table 5",
        "horizontal mutation: (2,2,2,2,2) may become (2,2,3,0,2)",
        test=KGEN_TESTS,
        tested="the same node is reached, and no node by other moves",
        why="Our copy of the paper has no caption of Table 5; this example is the only one between "
        "Tables 4 and 6.",
    ),
    Row(
        KGEN,
        "Table 6",
        "numbers by ranges, strings by stars, dates by month and year, places by region",
        test="pytest tests/hierarchies",
        tested="`ranges`, `stars`, `dates` and tables of places",
    ),
    Row(
        KGEN,
        "Table 7",
        "5,000 evaluations, population 100, crossover .9, mutation .2, horizontal .4",
        test=KGEN_TESTS,
        tested="the defaults of `kgen`",
    ),
    Row(
        KGEN,
        "Table 8",
        "the reduction under suppression of 35 % ends at (2,1,0), though (0,0,0) is k-anonymous: "
        "it may pass over nodes",
        test=KGEN_TESTS,
        tested="(2,1,0), and every k-anonymous node lies above it",
        agrees="partly",
        why="At (0,0,0) the three records differ: even with two suppressed (67 %), the third "
        "stands alone. "
        "The reduction passes over no node, here or elsewhere: the records that a node suppresses "
        "include those that each of its attributes alone would, so where the node keeps the limit, "
        "each of them does.",
    ),
    Row(
        KGEN,
        "Figures 1, 2 and 4",
        "lattice, hierarchies and encoding of nodes of heights (3,4,1)",
        test=KGEN_TESTS,
        tested="the same heights, levels and nodes",
    ),
    Row(
        KGEN,
        "Figure 3",
        "pipeline: reduction, search, release",
        test=KGEN_TESTS,
        tested="the same steps",
    ),
    Row(
        KGEN,
        "Figure 5",
        "selection probabilities .51, .19 and .30",
        test=KGEN_TESTS,
        tested="the same",
    ),
    Row(
        KGEN,
        "Figure 6",
        "crossover where one parent is k-anonymous",
        test=KGEN_TESTS,
        tested="offspring lie between the minimum and that parent",
    ),
)
