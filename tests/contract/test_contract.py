"""What every registered algorithm must keep, whatever it does inside."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.algorithms import (
    Form,
    Partition,
    Problem,
    Run,
    algorithms,
    describe_parameters,
    make_algorithm,
)
from shoal.algorithms.algorithm import Family
from shoal.algorithms.budget import Budget
from shoal.algorithms.concealment import Concealment
from shoal.algorithms.cover import Cover
from shoal.encoding import encode
from shoal.errors import Cancelled, InfeasibleError, ParameterError
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table
from tests.interrupting import Interrupted
from tests.reference.covers import least_cover_loss, least_loss_of_covering
from tests.reference.lattice import sound_nodes, trees_of_schema
from tests.reference.optimum import least_loss
from tests.tables import MIXED, mixed_table

if TYPE_CHECKING:
    from shoal.algorithms import Solution
    from shoal.pipeline.release import Release
    from shoal.table import Schema

NAMES = list(algorithms())
# Their records form no classes: what is asked of classes is asked of covers, or refused.
FREEFORM = {name for name in NAMES if algorithms()[name].traits.form == Form.FREEFORM}
# They prove what they find, with suppressed records counted as lost in any case.
WEIGH_SUPPRESSION = {name for name in NAMES if algorithms()[name].traits.optimal}
WEIGH_SUPPRESSION -= {"milp", "ff-mip"}  # beyond tiny tables others find their classes and covers
DISEASES = shoal.Hierarchy.from_rows(
    [["flu", "infection", "*"], ["mumps", "infection", "*"], ["gout", "joint", "*"]]
)
pytestmark = pytest.mark.parametrize("name", NAMES)
# Exact search would go on for long; the contract must hold however little it may do.
EXACT_STEPS = 10_000
# One sort, with nothing to report before its end.
AT_ONCE = {"sorted"}
# Its progress leaps over heights without open nodes, so it does not tell how much was done.
UNEVEN = {"ola"}
# They solve a program if the table is tiny, and report how far their initial solution is.
PROGRAMS = {"milp", "ff-mip"}


def release(name: str, frame: pl.DataFrame, k: int, **words: Any) -> Release[Any]:
    if algorithms()[name].family is Family.EXACT:
        words = {"steps": EXACT_STEPS, **words}
    return shoal.anonymize(frame, k=k, algorithm=name, **{**MIXED, "seed": 7, **words})


def budgeted(name: str, seed: int) -> Run:
    """Return a run; one with few steps for exact search."""
    exact = algorithms()[name].family is Family.EXACT
    return Run(seed=seed, budget=Budget(steps=EXACT_STEPS if exact else None))


def told(made: Release[Any]) -> dict[str, Any]:
    """Return the words that declare the table, with the hierarchies that were made for it."""
    made_too = made.facts["job"].get("hierarchy", {})
    return {**MIXED, "hierarchy": {**MIXED["hierarchy"], **made_too}}


def problem(frame: pl.DataFrame, k: int, **words: Any) -> Problem:
    given = {key: value for key, value in MIXED.items() if key != "hierarchy"}
    job = Job.from_dict({**given, "k": k, **words})
    table = Table.of(frame, schema_of(frame, job, MIXED["hierarchy"]))
    _, target = np.unique(frame["disease"].to_numpy(), return_inverse=True)
    return Problem.of(encode(table), k, measure=job.measure, target=target.astype(np.uint32))


def form_of(name: str) -> Form:
    return algorithms()[name].traits.form


def least_loss_of_form(made: Release[Any], frame: pl.DataFrame, schema: Schema, k: int) -> float:
    """Return the least loss that a release of such a form can have, by brute force."""
    if made.facts["guarantee"] == "freeform":
        return least_cover_loss(frame, schema, k)
    if made.facts["guarantee"] != "classes":
        return least_loss_of_covering(frame, schema, k)
    if form_of(made.facts["algorithm"]) is not Form.FULL_DOMAIN:
        return least_loss(frame, schema, k)
    # Leaves of a hierarchy are texts.
    as_text = [a.name for a in schema.quasi if a.hierarchy is not None]
    frame = frame.with_columns(pl.col(as_text).cast(pl.String))
    table = frame.select(schema.quasi_names).rows()
    trees = trees_of_schema(frame, schema)
    sound = sound_nodes(table, trees, lambda rows: len(rows) >= k, 0, schema.weights)
    return min(one.gcp for one in sound)


def verify_again(frame: pl.DataFrame, made: Release[Any], **words: Any) -> bool:
    """Verify a release from the two tables alone, held to what its facts say it promises."""
    promised = made.facts["guarantee"]
    assert (promised == "classes") == (made.facts["algorithm"] not in FREEFORM)
    return shoal.verify(frame, made.frame, form=promised, **words).passed


def refuses_models(name: str, frame: pl.DataFrame, k: int, **words: Any) -> bool:
    """Return whether an algorithm keeps no models; then it must say so before it starts."""
    traits = algorithms()[name].traits
    if traits.models:
        return False
    assert traits.without_models
    reason = "counting persons is not defined|" if "person" in words else ""
    with pytest.raises(ParameterError, match=reason + traits.without_models):
        release(name, frame, k, **words)
    return True


def test_solution_places_every_record_once_in_a_class_of_at_least_k(name: str) -> None:
    asked = problem(mixed_table(300, 1), 7)
    solution = make_algorithm(name).solve(asked, budgeted(name, 3))
    if name in FREEFORM:
        check_that_records_cover_k(solution, 300, 7)
        return
    recoding = solution.recode(asked, np.random.default_rng(1))
    assert len(recoding.unit) == 300
    assert recoding.suppressed == 0
    assert recoding.sizes.sum() == 300
    assert recoding.sizes.min() >= 7
    if form_of(name) is not Form.CLASSES:
        return
    assert isinstance(solution, Partition)
    placed = [0] * asked.rows
    for row, count in zip(solution.rows.tolist(), solution.counts.tolist(), strict=True):
        assert count > 0
        placed[row] += count
    assert placed == asked.counts.tolist()
    assert solution.sizes.min() >= 7


def check_that_records_cover_k(solution: Solution, n: int, k: int) -> None:
    """Check that every record is released once, and covers k originals, itself among them."""
    assert isinstance(solution, Cover | Concealment)
    assert sorted(solution.records.tolist()) == list(range(n))
    if isinstance(solution, Concealment):
        ends = [*solution.starts.tolist(), len(solution.members)]
        assert len(ends) == n + 1
        for place in range(n):
            assert place in solution.members[ends[place] : ends[place + 1]].tolist()
        return
    assert solution.matches.shape == (n, k)
    times = [0] * n
    for place, covered in enumerate(solution.matches.tolist()):
        assert covered[0] == place
        assert len(set(covered)) == k
        for original in covered:
            times[original] += 1
    assert times == [k] * n


# Every two values of different parameters meet once.
@pytest.mark.parametrize(
    ("k", "missing", "spread"),
    [(2, 0.0, 3), (2, 0.2, 12), (5, 0.0, 12), (5, 0.2, 3), (30, 0.0, 3), (30, 0.2, 12)],
)
def test_verifier_accepts_through_both_doors(
    name: str, k: int, missing: float, spread: int
) -> None:
    frame = mixed_table(200, k, missing=missing, spread=spread)
    made = release(name, frame, k)
    assert made.verdict.passed
    assert verify_again(frame, made, k=k, **told(made))


@pytest.mark.parametrize("seed", range(5))
def test_never_below_the_optimum_of_a_tiny_table(name: str, seed: int) -> None:
    frame = mixed_table(7, seed, missing=0.1, spread=6)
    made = release(name, frame, 2)
    job = Job.from_dict({"k": 2, **{key: MIXED[key] for key in MIXED if key != "hierarchy"}})
    best = least_loss_of_form(made, frame, schema_of(frame, job, told(made)["hierarchy"]), 2)
    loss = made.figures.measures["gcp"]
    assert loss >= best - 1e-9
    if made.figures.optimal:
        assert loss == pytest.approx(best)


def test_same_seed_same_bytes_whatever_the_thread_count(name: str) -> None:
    frame = mixed_table(500, 4, missing=0.05)
    one = release(name, frame, 5, threads=1)
    two = release(name, frame, 5, threads=2)
    assert one.frame.equals(two.frame)


def test_input_is_untouched_and_nothing_is_printed(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    frame = mixed_table(60, 5)
    before = frame.clone()
    release(name, frame, 5)
    assert frame.equals(before)
    printed = capfd.readouterr()
    assert printed.out == ""
    assert printed.err == ""


def test_one_class_when_n_is_k(name: str) -> None:
    made = release(name, mixed_table(9, 6), 9)
    assert made.facts["classes"] == 1


def test_fewer_records_than_k_is_infeasible_and_names_the_largest_k(name: str) -> None:
    with pytest.raises(InfeasibleError) as caught:
        release(name, mixed_table(9, 6), 10)
    assert caught.value.feasible == 9


def test_equal_rows_lose_nothing(name: str) -> None:
    row = mixed_table(1, 8)
    made = release(name, pl.concat([row] * 23), 5)
    assert made.figures.measures["gcp"] == 0.0
    assert made.frame["age"].unique().to_list() == [str(row["age"][0])]


def test_duplicate_rows_beyond_k_lose_nothing(name: str) -> None:
    frame = pl.concat([mixed_table(4, 9)] * 6)
    made = release(name, frame, 6)
    assert made.verdict.smallest_class >= 6
    if name != "iyengar":  # four rows give it forty groupings by default, too few to find them
        assert made.figures.measures["gcp"] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("column", ["age", "job", "place", "code", "born"])
def test_one_attribute(name: str, column: str) -> None:
    words: dict[str, Any] = {
        "quasi": [column],
        "rest": "drop",
        "weight": {},
        "other": [],
        "suppress_only": [column] if column == "code" else [],
        "hierarchy": MIXED["hierarchy"] if column == "place" else {},
    }
    made = release(name, mixed_table(50, 10), 4, **words)
    assert made.verdict.passed
    assert made.verdict.smallest_class >= 4


def test_constant_and_all_missing_columns(name: str) -> None:
    frame = mixed_table(40, 11).with_columns(
        age=pl.lit(33), job=pl.lit(None, pl.String), born=pl.lit(None, pl.String)
    )
    made = release(name, frame, 4, kind={"born": "categorical"})
    assert made.verdict.passed
    assert made.figures.per_attribute["age"] == 0.0
    assert made.figures.per_attribute["job"] == 0.0


@pytest.mark.parametrize("k", [5, 30])
def test_a_suppression_limit_never_raises_the_total_loss(name: str, k: int) -> None:
    frame = mixed_table(200, 12, spread=6)
    everyone = release(name, frame, k)
    for share in (0.1, 1.0):
        fewer = release(name, frame, k, suppression=share, suppressed="withhold")
        assert fewer.facts["suppressed"] <= share * 200
        assert fewer.frame.height == 200 - fewer.facts["suppressed"]
        # A suppressed record counts as lost in it.
        assert fewer.figures.measures["gcp"] <= everyone.figures.measures["gcp"] + 1e-9


def test_suppression_for_the_released_lowers_their_loss(name: str) -> None:
    # Levels are few: fewer values leave a full-domain search room for a better node.
    full_domain = form_of(name) is Form.FULL_DOMAIN
    frame = mixed_table(300, 12, spread=4 if full_domain else 12)
    everyone = release(name, frame, 5)
    wanted: dict[str, Any] = {"suppression": 0.1, "suppress_for": "released"}
    fewer = release(name, frame, 5, suppressed="withhold", **wanted)
    assert fewer.facts["suppressed"] <= 30
    assert fewer.frame.height == 300 - fewer.facts["suppressed"]
    losses = fewer.figures.measures, everyone.figures.measures
    if name in WEIGH_SUPPRESSION:
        assert losses[0]["gcp"] <= losses[1]["gcp"] + 1e-9
    else:
        assert fewer.facts["suppressed"] > 0
        assert losses[0]["gcp_released"] < losses[1]["gcp_released"]
        if form_of(name) in {Form.CLASSES, Form.FREEFORM}:
            # What that costs is said.
            assert any(f"the total is {losses[0]['gcp']:.4f}" in n for n in fewer.custody.notes)
    starred = release(name, frame, 5, suppressed="star", **wanted)
    # Fewer than k starred records would not hide each other: they are withheld.
    alone = 0 < starred.facts["suppressed"] < 5
    assert starred.frame.height == 300 - alone * starred.facts["suppressed"]
    assert verify_again(frame, starred, k=5, suppression=0.1, **told(starred))


MODELS = [
    ["frequency-l-diversity:1.8"],
    ["distinct-l-diversity:3"],
    ["entropy-l-diversity:2.2"],
    ["recursive-l-diversity:1.5,2"],
    ["t-closeness:0.2"],
    ["ordered-t-closeness:0.2"],
    ["hierarchical-t-closeness:0.2"],
    ["delta-disclosure:1.5"],
    ["enhanced-beta-likeness:2"],
    ["distinct-l-diversity:2", "t-closeness:0.25@disease", "entropy-l-diversity:1.5@ward"],
]


@pytest.mark.parametrize("model", MODELS, ids="+".join)
def test_models_hold_and_are_verified_through_both_doors(name: str, model: list[str]) -> None:
    # Every algorithm and every model meets both limits.
    suppression = [0.0, 0.1][(NAMES.index(name) + MODELS.index(model)) % 2]
    frame = mixed_table(150, 17, missing=0.05).with_columns(
        ward=pl.Series([f"w{i % 4}" for i in range(150)])
    )
    words: dict[str, Any] = {
        **MIXED,
        "sensitive": ["disease", "ward"] if len(model) > 1 else ["disease"],
        "other": ["note"] if len(model) > 1 else ["note", "ward"],
        "hierarchy": {**MIXED["hierarchy"], "disease": DISEASES},
        "model": model,
        "suppression": suppression,
    }
    if refuses_models(name, frame, 4, **words):
        return
    made = release(name, frame, 4, **words)
    assert made.verdict.passed
    assert made.facts["classes"] > 1
    asked = [check for check in made.verdict.checks if "@" in check.name]
    assert len(asked) == (4 if len(model) > 1 else 1)
    words["hierarchy"] = {**words["hierarchy"], **told(made)["hierarchy"]}
    assert shoal.verify(frame, made.frame, k=4, **words).passed


@pytest.mark.parametrize("measure", ["gcp", "mi", "pmi", "wmi", "wmi:0.25"])
def test_each_measure_it_lists_is_an_objective(name: str, measure: str) -> None:
    frame = mixed_table(300, 19, missing=0.05)
    if measure.partition(":")[0] not in algorithms()[name].traits.measures:
        with pytest.raises(ParameterError, match=measure):
            release(name, frame, 5, measure=measure)
        return
    made = release(name, frame, 5, measure=measure)
    assert made.verdict.passed
    assert verify_again(frame, made, k=5, **told(made))
    asked = problem(frame, 5, measure=measure)
    objective = asked.objective()
    if form_of(name) is not Form.CLASSES:
        # Better than one class of all, which optimizes nothing.
        alone = np.arange(asked.rows, dtype=np.int32)
        everyone = objective.totals(alone, np.zeros_like(alone), asked.counts, 1)
        assert made.figures.measures[measure] < everyone.sum() / asked.n
        return
    # Better than runs of the records as they stand, which optimize nothing.
    records = np.arange(asked.n, dtype=np.int32)
    runs = objective.totals(asked.folded.row_of, records // 5, np.ones_like(records), 60)
    assert made.figures.measures[measure] < runs.sum() / asked.n


@pytest.mark.parametrize("measure", ["mi", "pmi"])
def test_models_hold_under_every_measure(name: str, measure: str) -> None:
    if measure not in algorithms()[name].traits.measures:
        pytest.skip("not one of its measures")
    frame = mixed_table(150, 20, missing=0.05)
    words = {**MIXED, "model": ["frequency-l-diversity:1.8"], "suppression": 0.05}
    if refuses_models(name, frame, 4, measure=measure, **words):
        return
    made = release(name, frame, 4, measure=measure, **words)
    assert made.verdict.passed
    words["hierarchy"] = told(made)["hierarchy"]
    assert shoal.verify(frame, made.frame, k=4, **words).passed


def test_a_model_that_no_class_can_meet_is_infeasible(name: str) -> None:
    if refuses_models(name, mixed_table(60, 18), 4, model="distinct-l-diversity:4"):
        return
    with pytest.raises(InfeasibleError) as caught:
        release(name, mixed_table(60, 18), 4, model="distinct-l-diversity:4")
    assert caught.value.feasible == 3


def test_persons_are_counted_when_asked(name: str) -> None:
    frame = mixed_table(120, 13, spread=3).with_columns(
        patient=pl.Series([f"p{i // 3}" for i in range(120)])
    )
    if refuses_models(name, frame, 4, identifier=["patient"], person="patient"):
        return
    made = release(name, frame, 4, identifier=["patient"], person="patient")
    assert made.verdict.passed
    assert "patient" not in made.frame.columns
    patient = frame["patient"].to_list()
    persons: dict[tuple[str, ...], set[str]] = {}
    cells = made.frame.select(MIXED["quasi"]).rows()
    for row, cell in zip(made.custody.rows.tolist(), cells, strict=True):
        persons.setdefault(cell, set()).add(patient[row])
    assert min(len(group) for group in persons.values()) >= 4


def test_progress_runs_from_0_to_1(name: str) -> None:
    run = budgeted(name, 1)
    assert run.control.progress == 0.0
    make_algorithm(name).solve(problem(mixed_table(100, 14), 5), run)
    assert run.control.progress == 1.0


@cache
def large_problem(n: int) -> Problem:
    return problem(mixed_table(n, 15, spread=28), 2)


def test_a_run_cancelled_before_it_begins_does_nothing(name: str) -> None:
    run = Run(seed=1)
    run.control.cancel()
    with pytest.raises(Cancelled):
        make_algorithm(name).solve(large_problem(20_000), run)
    assert run.control.progress == 0.0
    assert run.control.steps == 0


def test_a_run_under_way_ends_where_it_is_cancelled(name: str) -> None:
    if name in AT_ONCE:
        pytest.skip("it is over before anybody sees it under way")
    # On a busy machine a kernel may be through with the smaller table before it is looked at.
    for n in [40] if name in PROGRAMS else [20_000, 200_000, 1_000_000]:
        run = Run(seed=1, budget=Budget(seconds=600.0 if name in PROGRAMS else None))
        solve = partial(make_algorithm(name).solve, large_problem(n), run)
        ended = Interrupted(solve, run.control)
        if ended.cancelled:
            break
    assert ended.cancelled
    assert ended.reached > 0.0
    if name not in UNEVEN:
        # It does not go on to some later point where it happens to look.
        assert ended.went_on < 0.25


def test_a_deadline_that_has_passed_leaves_only_what_a_release_needs(name: str) -> None:
    if not algorithms()[name].traits.anytime:
        notes = release(name, mixed_table(60, 15), 3, time=1.0).custody.notes
        assert any("`time` and `steps` do not apply" in note for note in notes)
        return
    asked = problem(mixed_table(8, 15), 3) if name in PROGRAMS else problem(mixed_table(500, 15), 5)
    hasty = Run(seed=1, budget=Budget(seconds=0.0))
    counted = Run(seed=1, budget=Budget(steps=2 if name in PROGRAMS else 5_000))
    found = make_algorithm(name).solve(asked, hasty)
    make_algorithm(name).solve(asked, counted)
    # An algorithm that overlooks its deadline does all that it has to do, or its default.
    assert hasty.control.steps <= 1
    assert counted.control.steps > hasty.control.steps or name in PROGRAMS
    assert not found.optimal
    assert hasty.control.progress == 1.0


def test_a_deadline_ends_a_search_that_would_go_on(name: str) -> None:
    if algorithms()[name].traits.default_budget is None or form_of(name) is Form.FULL_DOMAIN:
        pytest.skip("it ends by itself")
    run = Run(seed=1, budget=Budget(seconds=0.3))
    make_algorithm(name).solve(problem(mixed_table(2_000, 15, spread=28), 5), run)
    # It used its time (a busy machine only adds to what is spent) and then ended.
    assert 0.5 * 0.3 < run.budget.seconds_spent < 60
    assert run.control.progress == 1.0


def test_out_of_range_parameters_are_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="no parameter"):
        make_algorithm(name, {"no_such_parameter": 1})
    for parameter in describe_parameters(algorithms()[name]):
        assert parameter.description, f"{name}.{parameter.name} is not documented"
        beyond: list[Any] = ["no such value"]
        for limit in parameter.limits.split(" and ") if parameter.kind in {"int", "float"} else ():
            sign, number = limit.split(" ")
            step = -1 if sign in {"≥", ">"} else 1
            beyond += [float(number) + step if parameter.kind == "float" else int(number) + step]
        for value in beyond:
            with pytest.raises(ParameterError):
                make_algorithm(name, {parameter.name: value})
