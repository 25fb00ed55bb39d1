"""Every condition on a whole release: made, verified, and refused where it does not hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import InfeasibleError, InputError, ParameterError
from shoal.hierarchies import Hierarchy
from shoal.models import definitions, parse_models, split_models

if TYPE_CHECKING:
    from pathlib import Path

# The table as it is breaks each of them, with k = 1 or 2.
STRICT: dict[str, tuple[str, dict[str, Any]]] = {
    "average-risk": ("0.1", {}),
    "sample-uniqueness": ("0.05", {}),
    "population-uniqueness": ("0.001", {"sampling_fraction": 0.2}),
    "k-map": ("12", {"population": "population.csv"}),
    "delta-presence": ("0.1,0.4", {"population": "population.csv"}),
}
# A hierarchy of the population's values, not of the table's alone.
AGES = Hierarchy.from_rows(
    [[str(age), f"{age // 5 * 5}+", f"{age // 25}", "*"] for age in range(20, 70)]
)
TOWNS = Hierarchy.from_rows([[town, "*"] for town in ("Bern", "Chur", "Zug")])


def population(n: int = 900) -> pl.DataFrame:
    rng = np.random.default_rng(6)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 70, n),
            "town": rng.choice(["Bern", "Chur", "Zug"], n, p=[0.6, 0.3, 0.1]),
            "ill": rng.choice(["flu", "gout"], n),
        }
    )


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pl.DataFrame:
    everybody = population()
    monkeypatch.chdir(tmp_path)
    everybody.write_csv("population.csv")
    return everybody.sample(180, seed=2)


def words(model: str, k: int = 1) -> dict[str, Any]:
    _, more = STRICT[model.partition(":")[0]]
    return {
        "k": k,
        "quasi": ["age", "town"],
        "sensitive": ["ill"],
        "models": [model],
        "hierarchy": {"age": AGES, "town": TOWNS},
        **more,
    }


@pytest.fixture(params=sorted(STRICT))
def model(request: pytest.FixtureRequest) -> str:
    return f"{request.param}:{STRICT[request.param][0]}"


def algorithms_for(model: str) -> list[str]:
    return ["flash"] if model.startswith("delta") else ["mondrian", "flash"]


def test_all_are_tried() -> None:
    assert {name for name, one in definitions().items() if one.whole_release} == set(STRICT)


def test_releases_meet_it_and_the_table_as_it_is_does_not(model: str, table: pl.DataFrame) -> None:
    for algorithm in algorithms_for(model):
        release = shoal.anonymize(table, algorithm=algorithm, seed=3, **words(model))
        assert release.verdict.passed
        assert model in release.verdict.question.models
        assert model in [check.name for check in release.verdict.checks]
        assert shoal.verify(table, release).passed
        assert any(f"so that {model} holds" in note for note in release.custody.notes)
    verdict = shoal.verify(table, table, **words(model))
    assert [check.name for check in verdict.checks if not check.passed] == [model]


def test_texts_and_objects_mean_the_same(model: str, table: pl.DataFrame) -> None:
    name, _, numbers = model.partition(":")
    made = definitions()[name].model(*numbers.split(","))
    assert str(made) == model
    asked = words(model)
    algorithm = algorithms_for(model)[-1]
    by_text = shoal.anonymize(table, algorithm=algorithm, seed=3, **asked)
    by_object = shoal.anonymize(table, algorithm=algorithm, seed=3, **{**asked, "models": [made]})
    assert by_text.frame.equals(by_object.frame)


def test_what_it_needs_must_be_given(model: str, table: pl.DataFrame) -> None:
    needed = STRICT[model.partition(":")[0]][1]
    bare = {name: value for name, value in words(model).items() if name not in needed}
    for name in needed:
        with pytest.raises(ParameterError, match=f"needs `{name}`"):
            shoal.anonymize(table, algorithm=algorithms_for(model)[0], **bare)
        with pytest.raises(InputError, match=f"needs `{name}`"):
            shoal.verify(table, table, **bare)


def test_it_has_no_column(model: str, table: pl.DataFrame) -> None:
    for call in (
        lambda: shoal.anonymize(table, algorithm="flash", **words(f"{model}@ill")),
        lambda: shoal.verify(table, table, **words(f"{model}@ill")),
    ):
        with pytest.raises(ParameterError, match="as a whole"):
            call()


def test_code_that_knows_models_of_classes_alone_refuses_it(model: str) -> None:
    with pytest.raises(ParameterError, match="as a whole"):
        parse_models([model], ["ill"])
    assert split_models([model, "distinct-l-diversity:2"])[0] == ["distinct-l-diversity:2"]


def test_models_of_classes_hold_too(table: pl.DataFrame) -> None:
    asked = words("average-risk:0.1")
    asked["models"] = ["average-risk:0.1", "distinct-l-diversity:2"]
    release = shoal.anonymize(table, algorithm="mondrian", seed=3, suppression=0.05, **asked)
    assert release.verdict.passed
    assert release.verdict.smallest_class >= 2


def test_a_table_that_meets_it_is_released_as_it_is(table: pl.DataFrame) -> None:
    release = shoal.anonymize(table, algorithm="mondrian", **words("sample-uniqueness:0.9"))
    assert release.figures.measures["gcp"] == 0
    assert release.verdict.smallest_class == 1
    # Nobody reads that everyone hides.
    for told in (str(release), release.report().headline):
        assert "hides among" not in told
        assert "look like no other" in told


def test_without_such_a_condition_k_is_at_least_2(table: pl.DataFrame) -> None:
    plain: dict[str, Any] = {"k": 1, "quasi": ["age", "town"], "sensitive": ["ill"]}
    with pytest.raises(ParameterError, match="at least 2"):
        shoal.anonymize(table, **plain)
    with pytest.raises(InputError, match="protects nobody"):
        shoal.verify(table, table, **plain)


def test_goals_out_of_reach_are_refused(table: pl.DataFrame) -> None:
    # 180 of 900 people are in the table, so nobody's chance can be 0.9 at least.
    with pytest.raises(InfeasibleError, match="delta-presence"):
        shoal.anonymize(table, algorithm="flash", **words("delta-presence:0.9,1"))
    with pytest.raises(ParameterError, match="full-domain"):
        shoal.anonymize(table, algorithm="mondrian", **words("delta-presence:0,0.4"))
    with pytest.raises(ParameterError, match="low is above high"):
        shoal.models.DeltaPresence(0.5, 0.1)


def by_hand(model: str, **more: Any) -> tuple[bool, str]:
    """Return what the verifier says of four records: two in [20..30], one of 40, one of 50."""
    ages = ["[20..30]", "[20..30]", "40", "50"]
    original = pl.DataFrame({"age": [20, 30, 40, 50], "town": ["Bern"] * 4})
    released = pl.DataFrame({"age": ages, "town": ["Bern"] * 4})
    verdict = shoal.verify(original, released, k=1, quasi=["age", "town"], models=[model], **more)
    check = next(one for one in verdict.checks if one.name == model)
    return check.passed, check.detail


def test_figures_by_hand(tmp_path: Path) -> None:
    # Three classes of four records; two records are alone.
    assert by_hand("average-risk:0.75") == (True, "the average risk is 0.75: 3 of 4")
    assert not by_hand("average-risk:0.74")[0]
    assert by_hand("sample-uniqueness:0.5") == (True, "2 of 4 records are unique")
    assert not by_hand("sample-uniqueness:0.49")[0]
    # Of the population, five are in [20..30], two are 40, four 50, one is 60 and in no class.
    people = pl.DataFrame(
        {"age": [20, 22, 25, 29, 30, 40, 40, 50, 50, 50, 50, 60], "town": ["Bern"] * 12}
    )
    path = tmp_path / "people.csv"
    people.write_csv(path)
    given: dict[str, Any] = {"population": str(path)}
    assert by_hand("k-map:2", **given) == (True, "every record covers at least 2 people")
    assert not by_hand("k-map:3", **given)[0]
    # Chances: 2/5, 1/2, 1/4, and 0 of the one who is covered by none.
    passed, told = by_hand("delta-presence:0,0.5", **given)
    assert passed
    assert told.endswith("from 0 to 0.5")
    assert not by_hand("delta-presence:0,0.49", **given)[0]
    assert not by_hand("delta-presence:0.01,0.5", **given)[0]
    people[:11].write_csv(path)
    assert by_hand("delta-presence:0.25,0.5", **given)[0]
    assert not by_hand("delta-presence:0.26,0.5", **given)[0]


def test_classes_that_overlap_give_no_chance(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [20, 30, 25, 35], "town": ["Bern"] * 4})
    released = frame.with_columns(age=pl.Series(["[20..30]", "[20..30]", "[25..35]", "[25..35]"]))
    path = tmp_path / "people.csv"
    frame.write_csv(path)
    verdict = shoal.verify(
        frame,
        released,
        k=2,
        quasi=["age", "town"],
        models=["delta-presence:0,1"],
        population=str(path),
    )
    assert not verdict.passed
    assert "several classes" in str(verdict)


def test_the_population_must_have_the_columns(table: pl.DataFrame, tmp_path: Path) -> None:
    table.select("age").write_csv(tmp_path / "bare.csv")
    asked = {**words("k-map:5"), "population": str(tmp_path / "bare.csv")}
    with pytest.raises(InputError, match="town"):
        shoal.verify(table, table, **asked)
    with pytest.raises(InputError, match="town"):
        shoal.anonymize(table, algorithm="mondrian", **asked)


def test_people_whom_a_hierarchy_does_not_list_are_covered_by_nobody(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [20, 20], "town": ["Zug", "Zug"]})
    path = tmp_path / "people.csv"
    pl.DataFrame({"age": [20, 20, 90], "town": ["Zug"] * 3}).write_csv(path)
    released = frame.with_columns(age=pl.lit("*"))
    asked: dict[str, Any] = {
        "k": 2,
        "quasi": ["age", "town"],
        "hierarchy": {"age": AGES},
        "population": str(path),
    }
    assert shoal.verify(frame, released, models=["k-map:2"], **asked).passed
    assert not shoal.verify(frame, released, models=["k-map:3"], **asked).passed
    assert not shoal.verify(frame, released, models=["delta-presence:0.1,1"], **asked).passed


def test_people_whom_no_class_can_cover_are_told(tmp_path: Path) -> None:
    """A hierarchy that lacks values of the population leaves people whom no class covers."""
    people = pl.DataFrame({"town": ["a1", "a2", "a1", "a2"]})
    everybody = tmp_path / "everybody.csv"
    pl.DataFrame({"town": ["a1", "a2"] * 4 + ["elsewhere"] * 2}).write_csv(everybody)
    tree = Hierarchy.from_rows([["a1", "a", "*"], ["a2", "a", "*"]])
    asked: dict[str, Any] = {"k": 2, "quasi": ["town"], "hierarchy": {"town": tree}}
    asked |= {"population": str(everybody), "form": "full-domain"}
    with pytest.raises(InfeasibleError, match="2 of 10 people of the population"):
        shoal.anonymize(people, models=["delta-presence:0.1,1"], **asked)
    assert shoal.anonymize(people, models=["delta-presence:0,1"], **asked).verdict.passed
