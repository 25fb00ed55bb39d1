"""Personal k: a class is as large as the largest k among its records."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

import shoal
from shoal.algorithms.constants import CLASS_STEPS
from shoal.errors import InfeasibleError, ParameterError, SchemaError, ValueReadError
from shoal.pipeline.headline import headline
from tests.reference.optimum import divisions
from tests.reference.personal_covers import chances_exist, least_loss

if TYPE_CHECKING:
    from collections.abc import Sequence

QUASI = ["age", "sex"]
ASKED: dict[str, Any] = {
    "k": 3,
    "quasi": QUASI,
    "sensitive": ["ill"],
    "other": ["ward"],
    "personal_k": ["own", "ward=ICU:12"],
}


def people(n: int = 150) -> pl.DataFrame:
    rng = np.random.default_rng(8)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 80, n),
            "sex": rng.choice(["f", "m"], n),
            "ward": rng.choice(["A", "B", "ICU"], n, p=[0.6, 0.36, 0.04]),
            "own": [None if one == 0 else int(one) for one in rng.choice([0, 2, 5, 9], n)],
            "ill": rng.choice(["flu", "cold", "gout"], n),
        }
    )


def wanted(frame: pl.DataFrame, k: int) -> list[int]:
    return [
        max(k, own or 0, 12 if ward == "ICU" else 0)
        for own, ward in zip(frame["own"], frame["ward"], strict=True)
    ]


def assert_respected(frame: pl.DataFrame, release: shoal.Release[Any], ks: Sequence[int]) -> None:
    looks = list(release.frame.select(QUASI).iter_rows())
    sizes = Counter(looks)
    for look, row in zip(looks, release.custody.rows.tolist(), strict=True):
        assert sizes[look] >= ks[row]


@pytest.mark.parametrize(
    "algorithm",
    [
        "mondrian",
        "k-member",
        "sequential",
        "hilbert",
        "agglomerative",
        "greedy",
        "sorted",
        "refine",
        "split-carry",
        "ola",
        "datafly",
        "kgen",
        "samarati",
        "auto",
    ],
)
def test_algorithms_respect_it(algorithm: str) -> None:
    frame = people()
    steps: dict[str, Any] = {"steps": 20} if algorithm in {"refine", "auto"} else {}
    release = shoal.anonymize(frame, algorithm=algorithm, seed=1, **ASKED, **steps)
    assert_respected(frame, release, wanted(frame, 3))
    assert "own" not in release.frame.columns
    assert [check.passed for check in release.verdict.checks if check.name == "personal k"] == [
        True
    ]


def graph_of(frame: pl.DataFrame, release: shoal.Release[Any]) -> list[set[int]]:
    """Return the originals that each released record covers, read from its cells alone."""
    graph = []
    for age, sex in release.frame.select(QUASI).iter_rows():
        low, high = (age.strip("[]").split("..") * 2)[:2] if ".." in age else (age, age)
        graph.append(
            {
                row
                for row, (own_age, own_sex) in enumerate(frame.select(QUASI).iter_rows())
                if float(low) <= own_age <= float(high) and own_sex in sex.strip("{}").split("|")
            }
        )
    return graph


FREEFORM = [
    ("ff-greedy", {}),
    ("ff-greedy", {"param": {"symmetric": True}}),
    ("ff-greedy", {"param": {"chooser": "original", "partition": 10}}),
    ("ff-sortgreedy", {}),
    ("ff-hungarian", {}),
    ("ff-mincost", {}),
    ("ff-refine", {"steps": 10}),
    ("ff-mip", {"steps": 1}),
    ("ff-optimal", {"steps": 10}),
    ("ring", {}),
    ("auto", {"form": "freeform", "steps": 10}),
]


@pytest.mark.parametrize(("algorithm", "more"), FREEFORM)
def test_freeform_algorithms_give_each_record_its_own_chances(
    algorithm: str, more: dict[str, Any]
) -> None:
    frame = people(36)
    ks = wanted(frame, 3)
    assert len(set(ks)) > 2
    release = shoal.anonymize(frame, algorithm=algorithm, seed=1, **ASKED, **more)
    graph = graph_of(frame, release)
    assert all(row in covered for row, covered in zip(release.custody.rows, graph, strict=True))
    assert chances_exist(graph, ks)
    # Not only could chances be found: those of the draw are these.
    assert release.custody.matches is not None
    for matches in release.custody.matches.tolist():
        named = [row for row in matches if row >= 0]
        assert all(ks[row] <= len(named) for row in named)
    assert release.verdict.passed
    again = shoal.verify(
        frame,
        release.frame,
        form="freeform",
        **{key: value for key, value in ASKED.items() if key != "rest"},
    )
    assert again.passed
    # With a larger k for all than the draw gives, it is refused.
    assert not shoal.verify(frame, release.frame, form="freeform", **{**ASKED, "k": 36}).passed


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("algorithm", ["ff-refine", "auto"])
def test_a_freeform_search_loses_no_more_than_classes(algorithm: str, seed: int) -> None:
    """Classes that keep a personal k are a freeform release that keeps it."""
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "age": rng.integers(18, 90, 200),
            "town": rng.integers(0, 60, 200),
            "sex": rng.choice(["f", "m"], 200),
            "famous": rng.choice(["no", "yes"], 200, p=[0.85, 0.15]),
        }
    )
    asked: dict[str, Any] = {
        "quasi": ["age", "town", "sex"],
        "other": ["famous"],
        "personal_k": ["famous=yes:9"],
        "k": 3,
        "seed": 1,
    }
    cover = shoal.anonymize(frame, form="freeform", algorithm=algorithm, steps=400, **asked)
    classes = shoal.anonymize(frame, algorithm="refine", steps=400 * CLASS_STEPS, **asked)
    assert cover.facts.measures["gcp"] <= classes.facts.measures["gcp"]


def possible_counterparts(graph: list[set[int]]) -> list[int]:
    """Count for each original the released records that some perfect matching gives it."""
    n = len(graph)
    holds = np.array([[i in covered for i in range(n)] for covered in graph])
    counts = [0] * n
    for released, original in zip(*np.nonzero(holds), strict=True):
        others = np.delete(np.delete(holds, released, 0), original, 1)
        matched = maximum_bipartite_matching(csr_array(others))
        counts[original] += bool((matched >= 0).all())
    return counts


@pytest.mark.parametrize("model", ["concealment", "(1,k)", "(k,k)"])
def test_concealment_gives_each_record_as_many_counterparts_as_it_asks(model: Any) -> None:
    frame = people(24)
    ks = wanted(frame, 3)
    assert len(set(ks)) > 2
    release = shoal.anonymize(
        frame, algorithm="k-concealment", param={"model": model}, seed=1, **ASKED
    )
    graph = graph_of(frame, release)
    counts = [sum(row in covered for covered in graph) for row in range(24)]
    if model == "concealment":
        counts = possible_counterparts(graph)
    assert all(count >= k for count, k in zip(counts, ks, strict=True))
    assert release.verdict.passed
    assert shoal.verify(frame, release.frame, form=model, **ASKED).passed
    # A release that gives the common k to all is refused, and says who asks for more.
    common = {**ASKED, "personal_k": []}
    plain = shoal.anonymize(
        frame.drop("own"), algorithm="k-concealment", param={"model": model}, seed=1, **common
    )
    verdict = shoal.verify(frame, plain.frame, form=model, **ASKED)
    assert not verdict.passed
    assert "than they require" in str(verdict)


@pytest.mark.parametrize("suppressed", ["star", "withhold"])
def test_concealment_and_suppression_keep_it_together(suppressed: str) -> None:
    frame = people(40)
    asked = {**ASKED, "suppression": 0.3, "suppressed": suppressed, "suppress_for": "released"}
    release = shoal.anonymize(frame, algorithm="k-concealment", seed=1, **asked)
    assert release.verdict.passed
    assert not release.figures.optimal


@pytest.mark.parametrize("suppressed", ["star", "withhold"])
def test_freeform_releases_hold_suppressed_records_to_it(suppressed: str) -> None:
    frame = people(40)
    asked = {**ASKED, "suppression": 0.3, "suppressed": suppressed, "suppress_for": "released"}
    release = shoal.anonymize(frame, algorithm="ff-hungarian", seed=1, **asked)
    ks = wanted(frame, 3)
    silent = 0
    assert release.custody.matches is not None
    for row, matches in zip(release.custody.rows, release.custody.matches.tolist(), strict=True):
        named = [one for one in matches if one >= 0]
        silent += not named
        assert not named or (row in named and all(ks[one] <= len(named) for one in named))
    starred = [
        ks[row]
        for row, matches in zip(release.custody.rows, release.custody.matches, strict=True)
        if (matches < 0).all()
    ]
    assert silent >= max(starred, default=0)


@pytest.mark.parametrize("seed", range(3))
def test_a_freeform_bound_is_never_above_the_least_loss(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 5
    own = [2, 2, 2, 3 + seed % 2, 4] if seed else [2, 2, 2, 2, 5]
    frame = pl.DataFrame({"age": rng.integers(0, 12, n), "size": rng.integers(0, 9, n), "own": own})
    columns = [frame[name].to_numpy() / np.ptp(frame[name].to_numpy()) for name in ("age", "size")]
    least = least_loss(own, lambda rows: sum(float(np.ptp(one[list(rows)])) for one in columns) / 2)
    asked: dict[str, Any] = {"k": 2, "quasi": ["age", "size"], "personal_k": ["own"]}
    found = shoal.bound(frame, form="freeform", bound_seconds=30, **asked)
    assert found["lower_bound"] <= least + 1e-9
    assert found["loss"] >= least - 1e-9
    release = shoal.anonymize(frame, form="freeform", steps=20, seed=1, bound_seconds=30, **asked)
    assert release.figures.lower_bound is not None
    assert release.figures.lower_bound <= least + 1e-9


def test_demanding_records_raise_a_freeform_bound() -> None:
    # Pairs of equal records need no company at k = 2; one of each asks for all others, too.
    frame = pl.DataFrame({"age": [0, 0, 50, 50, 100, 100], "own": [6, 2, 6, 2, 6, 2]})
    asked: dict[str, Any] = {"k": 2, "quasi": ["age"], "form": "freeform", "bound_seconds": 30}
    assert shoal.bound(frame.drop("own"), **asked)["lower_bound"] == pytest.approx(0, abs=1e-9)
    found = shoal.bound(frame, personal_k=["own"], **asked)
    # Means of the distances to all six: (0 + .5 + 1) / 3 at the ends, (.5 + 0 + .5) / 3 between.
    assert found["lower_bound"] == pytest.approx((0.5 + 1 / 3 + 0.5) / 6, abs=1e-6)


@pytest.mark.parametrize("algorithm", ["mondrian", "ola", "optimal"])
@pytest.mark.parametrize("suppressed", ["star", "withhold"])
def test_suppressed_records_are_held_to_it(algorithm: str, suppressed: str) -> None:
    frame = people(60)
    asked = {**ASKED, "suppression": 0.4, "suppressed": suppressed, "suppress_for": "released"}
    steps: dict[str, Any] = {"steps": 20} if algorithm == "optimal" else {}
    release = shoal.anonymize(frame, algorithm=algorithm, seed=1, **asked, **steps)
    assert_respected(frame, release, wanted(frame, 3))


def test_the_optimum_is_that_of_all_partitions() -> None:
    rng = np.random.default_rng(0)
    for _ in range(3):
        own = rng.choice([0, 4, 5], 8, p=[0.6, 0.3, 0.1])
        frame = pl.DataFrame({"x": rng.integers(0, 30, 8), "y": rng.integers(0, 9, 8)})
        x, y = (frame[name].to_numpy() / np.ptp(frame[name].to_numpy()) for name in "xy")
        best = min(
            sum(len(one) * (np.ptp(x[one]) + np.ptp(y[one])) / 2 for one in classes) / 8
            for classes in divisions(list(range(8)), 2)
            if all(len(one) >= own[one].max() for one in classes)
        )
        asked: dict[str, Any] = {"k": 2, "quasi": ["x", "y"], "personal_k": "own"}
        frame = frame.with_columns(own=pl.Series([int(one) or None for one in own]))
        release = shoal.anonymize(frame, algorithm="optimal", seed=1, **asked)
        assert release.figures.optimal
        assert release.facts.measures["gcp"] == pytest.approx(best)
        found = shoal.bound(frame, bound_seconds=4, **asked)
        assert found["lower_bound"] <= best + 1e-9
        assert found["loss"] >= best - 1e-9


def test_a_rule_alone_leaves_the_column_to_its_role() -> None:
    frame = people().drop("own")
    asked = {**ASKED, "personal_k": "ward=ICU:12"}
    release = shoal.anonymize(frame, algorithm="mondrian", seed=1, **asked)
    assert "ward" in release.frame.columns
    ks = [12 if ward == "ICU" else 3 for ward in frame["ward"]]
    assert_respected(frame, release, ks)
    with pytest.raises(SchemaError, match="'ward'"):
        shoal.anonymize(frame, **{**asked, "other": []})


def test_a_column_of_ks_that_has_a_role_is_released() -> None:
    asked = {**ASKED, "other": ["ward", "own"], "accept": ["own"]}
    release = shoal.anonymize(people(), algorithm="mondrian", seed=1, **asked)
    assert "own" in release.frame.columns


def test_smaller_ks_and_idle_rules_are_noted() -> None:
    frame = people()
    asked = {**ASKED, "personal_k": ["own", "ward=Z:12", "ward=B:2"]}
    release = shoal.anonymize(frame, algorithm="mondrian", seed=1, **asked)
    below = sum(own == 2 for own in frame["own"])
    notes = " ".join(release.custody.notes)
    assert f"{below} records have a personal k below k = 3" in notes
    assert "No record shows the value of the rule 'ward=Z:12'" in notes
    assert "The rule 'ward=B:2' of `personal_k` requires less than k = 3" in notes
    assert "rule 'ward=Z:12' of `personal_k` requires less" not in notes


@pytest.mark.parametrize(
    ("form", "claim"),
    [
        ("classes", "hides among at least 3, and among its personal k"),
        ("freeform", "has 3 equally likely counterparts, or as many as its personal k"),
    ],
)
def test_the_claim_names_the_personal_k(form: str, claim: str) -> None:
    frame = people(60).drop("own")
    asked = {**ASKED, "personal_k": ["ward=ICU:5"], "form": form}
    release = shoal.anonymize(frame, seed=1, steps=100, **asked)
    assert claim in headline(release)
    common = shoal.anonymize(frame, seed=1, steps=100, **{**asked, "personal_k": []})
    assert "personal k" not in headline(common)


def test_other_spellings_of_a_value_stop_the_run_unless_a_rule_names_them() -> None:
    ward = ["ICU", " icu", "Icu ", "A"] * 12
    frame = pl.DataFrame({"age": list(range(48)), "sex": ["f"] * 48, "ward": ward})
    options: dict[str, Any] = {"k": 3, "quasi": QUASI, "rest": "drop", "algorithm": "mondrian"}
    with pytest.raises(ParameterError, match="24 records show the value of the rule 'ward=ICU:9'"):
        shoal.anonymize(frame, personal_k=["ward=ICU:9"], **options)
    with pytest.raises(ParameterError, match="12 records show the value of the rule 'ward=ICU:9'"):
        shoal.anonymize(frame, personal_k=["ward=ICU:9", "ward= icu:5"], **options)
    rules = ["ward=ICU:9", "ward= icu:5", "ward=Icu :3"]
    release = shoal.anonymize(frame, personal_k=rules, seed=1, **options)
    ks = {"ICU": 9, " icu": 5}
    assert_respected(frame, release, [ks.get(one, 3) for one in ward])
    again = shoal.verify(frame, release, rows=release.custody.rows)
    assert again.passed
    stricter = [*rules[:2], "ward=Icu :40"]
    assert not shoal.verify(frame, release, rows=release.custody.rows, personal_k=stricter).passed


@pytest.mark.parametrize(
    ("rule", "error", "message"),
    [
        ("nobody", ParameterError, "neither a column nor"),
        ("ward=ICU", ParameterError, "neither a column nor"),
        ("ward=ICU:1", ParameterError, "at least 2"),
        ("waard=ICU:9", SchemaError, "no such column"),
        ("ward=A:900", InfeasibleError, "only 150 records"),
        ("ill", ValueReadError, "row 1, 2, 3"),
    ],
)
def test_what_cannot_be_kept_is_refused(rule: str, error: type[Exception], message: str) -> None:
    asked = {**ASKED, "personal_k": [rule], "rest": "drop"}
    with pytest.raises(error, match=message) as raised:
        shoal.anonymize(people(), algorithm="mondrian", **asked)
    assert not any(value in str(raised.value) for value in ("flu", "cold", "gout"))


@pytest.mark.parametrize(
    "more",
    [
        {"algorithm": "k-concealment", "param": {"model": "(k,1)"}},
        {"algorithm": "iyengar"},
        {"person": "id"},
        {"person": "id", "form": "freeform"},
    ],
)
def test_where_it_is_not_defined_it_is_refused(more: dict[str, Any]) -> None:
    frame = people(40).with_columns(id=pl.int_range(40))
    with pytest.raises(ParameterError, match="personal"):
        shoal.anonymize(frame, **{**ASKED, "rest": "drop", **more})


def small_table(seed: int) -> tuple[pl.DataFrame, int, float]:
    """Return eight records, the least k they ask for, and the least loss of all divisions."""
    rng = np.random.default_rng(seed)
    n = 8
    own: list[int] = rng.integers(2 + seed % 2, 5, n).tolist()
    frame = pl.DataFrame(
        {"age": rng.integers(0, 12, n), "sex": rng.choice(["f", "m"], n), "own": own}
    )
    span = max(frame["age"].to_list()) - min(frame["age"].to_list())

    def loss(rows: Sequence[int]) -> float:
        part = frame[list(rows)]
        ages, sexes = part["age"].to_list(), part["sex"].n_unique()
        wide = (max(ages) - min(ages)) / span
        return float(len(rows) * (wide + (sexes - 1)) / 2)

    least = min(
        sum(map(loss, classes))
        for classes in divisions(list(range(n)), 2)
        if all(len(rows) >= max(own[row] for row in rows) for rows in classes)
    )
    return frame, min(own), least / n


@pytest.mark.parametrize("seed", range(12))
def test_a_bound_is_never_above_the_least_loss_under_a_personal_k(seed: int) -> None:
    frame, lowest, least = small_table(seed)
    words: dict[str, Any] = {"quasi": QUASI, "personal_k": ["own"], "bound_seconds": 60}
    found = shoal.bound(frame, k=2, **words)
    assert found["lower_bound"] <= least + 1e-12
    assert f"the smallest k that any record requires, {lowest}," in found["notes"][0]
    # It is that of the least k that any record asks for, or higher.
    common = shoal.bound(frame, k=lowest, quasi=QUASI, rest="drop", bound_seconds=60)
    assert found["lower_bound"] >= 0.99 * common["lower_bound"] - 1e-6
    assert not common["notes"]


@pytest.mark.parametrize("seed", range(4))
def test_optimal_proves_a_bound_in_too_few_steps_for_the_optimum(seed: int) -> None:
    frame, lowest, least = small_table(seed)
    release = shoal.anonymize(
        frame, k=2, quasi=QUASI, personal_k=["own"], algorithm="optimal", steps=20, seed=1
    )
    assert not release.figures.optimal
    assert release.figures.lower_bound is not None
    assert 0 < release.figures.lower_bound <= least
    notes = " ".join(release.custody.notes)
    assert f"the smallest k that any record requires, {lowest}," in notes
