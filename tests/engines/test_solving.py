"""Cells solved one by one: what comes out, and on what it depends."""

from __future__ import annotations

import pickle

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from shoal.encoding import encode
from shoal.engines.local import plan_in_memory, solve_in_memory
from shoal.engines.solving import CLASS, ROW, SolvedUnit, solve_unit
from shoal.errors import FileError, ParameterError
from shoal.models import Closeness
from shoal.options import Job
from shoal.pipeline.run import schema_of
from shoal.table import Table

QUASI = ["age", "job", "town"]


def _people(n: int = 6000, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "name": [f"person {i}" for i in range(n)],
            "age": np.clip(rng.normal(40, 15, n), 16, 90).astype(int),
            "job": np.array(["cook", "nurse", "smith", "clerk", None])[rng.integers(0, 5, n)],
            "town": rng.choice([f"town {i}" for i in range(30)], n),
            "ill": rng.choice(["flu", "gout", "cold", "none"], n, p=[0.1, 0.2, 0.3, 0.4]),
        }
    )


def _job(**options: object) -> Job:
    given = {"k": 5, "quasi": QUASI, "sensitive": ["ill"], "identifier": ["name"],
             "cell_records": 1000} | options  # fmt: skip
    return Job(**given)  # type: ignore[arg-type]


def _solved(frame: pl.DataFrame, job: Job, seed: int = 4) -> list[SolvedUnit]:
    return list(solve_in_memory(*plan_in_memory(frame, job, seed=seed)))


def _class_table(solved: list[SolvedUnit]) -> pl.DataFrame:
    return pl.concat([one.table for one in solved]).sort(ROW)


def test_every_record_is_in_a_class_of_k_and_covered() -> None:
    frame = _people()
    solved = _solved(frame, _job())
    released = _class_table(solved)
    assert len(solved) > 2
    assert released[ROW].to_list() == list(range(6000))
    assert released.columns == ["age", "job", "town", "ill", ROW, CLASS]
    assert released["ill"].to_list() == frame["ill"].to_list()
    assert int(released.group_by(QUASI).len()["len"].min()) >= 5  # type: ignore[arg-type]
    towns = zip(frame["town"].to_list(), released["town"].to_list(), strict=True)
    assert all(town in cell.strip("{}").split("|") for town, cell in towns)


def test_domains_are_those_of_the_whole_table() -> None:
    frame = _people()
    job = _job()
    plan, _ = plan_in_memory(frame, job, seed=1)
    whole = encode(Table.of(frame, schema_of(frame, job)))
    for one, other, codes in zip(
        plan.codebook.domains, whole.domains, plan.codebook.encode(frame), strict=True
    ):
        assert list(one.texts) == list(other.texts)
        assert one.missing == other.missing
        assert one.present.tolist() == other.present.tolist()
        held = codes.tolist()
        assert [one.texts[code] for code in held] == [
            cell or "" for cell in frame[one.attribute.name].cast(pl.String).to_list()
        ]


def test_the_result_does_not_depend_on_the_order_of_arrival() -> None:
    frame = _people()
    plan, numbered = plan_in_memory(frame, _job(), seed=4)
    plan = pickle.loads(pickle.dumps(plan))
    unit = plan.tree.unit_of_cell[plan.tree.assign(plan.codebook.encode(numbered))]
    part = numbered.filter(pl.Series(unit == 1))
    mixed = part.sample(fraction=1.0, shuffle=True, seed=8)
    assert_frame_equal(solve_unit(part, plan, 1).table, solve_unit(mixed, plan, 1).table)


def test_equal_seeds_give_equal_classes_and_other_seeds_others() -> None:
    frame = _people()
    once, again, other = (_class_table(_solved(frame, _job(), seed)) for seed in (4, 4, 5))
    assert_frame_equal(once, again)
    assert not once.equals(other)


def test_models_are_fitted_to_the_whole_table_and_kept_in_every_class() -> None:
    frame = _people()
    job = _job(models=["t-closeness:0.25", "distinct-l-diversity:3"])
    plan, numbered = plan_in_memory(frame, job, seed=2)
    closeness = plan.codebook.models[0]
    assert isinstance(closeness, Closeness)
    shares = frame["ill"].value_counts().sort("ill")["count"].to_numpy() / 6000
    assert closeness.whole.tolist() == shares.tolist()
    released = _class_table(list(solve_in_memory(plan, numbered)))
    for held in released.group_by(QUASI).agg("ill")["ill"]:
        count = np.array([(held == value).sum() for value in ("cold", "flu", "gout", "none")])
        assert (count > 0).sum() >= 3
        assert 0.5 * np.abs(count / len(held) - shares).sum() <= 0.25 + 1e-9


def test_no_more_records_are_suppressed_than_allowed() -> None:
    frame = _people()
    # Ages far from everybody's: whoever shares a class with one loses more than its record.
    number = np.arange(6000)
    ages = pl.Series(np.where(number % 500 == 0, 200 + number // 10, frame["age"].to_numpy()))
    solved = _solved(frame.with_columns(age=ages), _job(suppression=0.02, k=20))
    suppressed = np.concatenate([one.suppressed for one in solved])
    assert 0 < suppressed.sum() <= 120
    shown = pl.concat([one.table for one in solved]).filter(pl.Series(suppressed))
    assert set(shown.select(QUASI).rows()) == {("*", "*", "*")}
    kept = pl.concat([one.table for one in solved]).filter(pl.Series(~suppressed))
    assert int(kept.group_by(QUASI).len()["len"].min()) >= 20  # type: ignore[arg-type]


def test_loss_is_little_above_that_of_one_search() -> None:
    frame = _people()
    losses = []
    for cell in (1000, 10_000):
        plan, numbered = plan_in_memory(frame, _job(cell_records=cell), seed=3)
        lost = np.sum([one.lost for one in solve_in_memory(plan, numbered)], axis=0)
        losses.append(float(lost @ np.array(plan.codebook.weights)))
    assert losses[0] <= 1.1 * losses[1]


def test_persons_are_counted_within_classes() -> None:
    frame = _people().with_columns(pl.Series("name", [f"p{i // 3}" for i in range(6000)]))
    released = _class_table(_solved(frame, _job(person="name", k=4)))
    with_names = released.with_columns(frame["name"][released[ROW]])
    persons = with_names.group_by(QUASI).agg(pl.col("name").n_unique())["name"]
    assert int(persons.min()) >= 4  # type: ignore[arg-type]


def test_records_without_a_value_are_left_out_where_asked() -> None:
    frame = _people()
    released = _class_table(_solved(frame, _job(missing="drop")))
    assert released.height == frame["job"].is_not_null().sum()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"algorithm": "flash"}, "one recoding for the whole table"),
        ({"form": "freeform"}, "one recoding for the whole table"),
        ({"time": 3.0}, "`time` cannot be divided"),
        ({"measure": "mi"}, "mi is measured against the whole table"),
        ({"keep_order": True}, "`keep_order` needs the whole table"),
        ({"notation": "midpoint"}, "one value in place of a range"),
        ({"hierarchy": {"town": "auto"}}, "depends on how often values occur"),
        ({"hierarchy": {"age": "ranges:5,10"}, "suppression": 0.1}, "its groups could reveal"),
    ],
)
def test_what_no_cell_can_do_is_refused_with_the_reason(
    options: dict[str, object], reason: str
) -> None:
    with pytest.raises(ParameterError, match=reason):
        plan_in_memory(_people(100), _job(**options), seed=1)


def test_a_part_that_differs_from_what_was_counted_is_refused() -> None:
    frame = _people()
    plan, numbered = plan_in_memory(frame, _job(), seed=1)
    with pytest.raises(FileError, match="'town' has changed"):
        plan.codebook.encode(numbered.with_columns(town=pl.lit("elsewhere")))
    with pytest.raises(FileError, match="'age' is String in one part"):
        plan.codebook.encode(numbered.with_columns(pl.col("age").cast(pl.String)))
