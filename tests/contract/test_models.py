"""Every privacy model: anonymize, verify, and a planted fault that both sides see."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import InfeasibleError, ParameterError
from shoal.models import Protection, definitions
from shoal.models.registry import Parameter, privacy_model, settle, spell
from shoal.verifier.judges.judge import judge, judges
from tests.tables import PLACES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from shoal.models.model import ClassHistograms
    from shoal.models.protection import ProtectedValues
    from shoal.table import Table
    from shoal.verifier.judges.judge import Figures, Judged, JudgedColumn

LEAVES = list(PLACES.leaves)
# Neither trivial nor infeasible on the table below.
STRICT = {
    "frequency-l-diversity": "2",
    "distinct-l-diversity": "3",
    "entropy-l-diversity": "2",
    "recursive-l-diversity": "2,2",
    "t-closeness": "0.4",
    "ordered-t-closeness": "0.3",
    "hierarchical-t-closeness": "0.3",
    "delta-disclosure": "1.2",
    "beta-likeness": "1.5",
    "enhanced-beta-likeness": "1.5",
    "no-majority": "0.6",
}


def people(n: int = 160) -> pl.DataFrame:
    rng = np.random.default_rng(4)
    ages = np.sort(rng.integers(20, 70, n))
    # Neighbours in age share their value, so that classes without a model are homogeneous.
    ill = [LEAVES[(age // 7 + int(rng.random() < 0.15)) % len(LEAVES)] for age in ages]
    return pl.DataFrame({"age": ages, "sex": rng.choice(["f", "m"], n), "ill": ill})


def words(model: Any) -> dict[str, Any]:
    return {
        "k": 4,
        "quasi": ["age", "sex"],
        "sensitive": ["ill"],
        "models": [model],
        "hierarchy": {"ill": PLACES},
    }


@pytest.fixture(params=[*sorted(set(STRICT) - {"no-majority"}), "no-majority"])
def model(request: pytest.FixtureRequest) -> str:
    if request.param == "no-majority":
        request.getfixturevalue("toy")
    return f"{request.param}:{STRICT[request.param]}"


def test_both_sides_know_the_same_models() -> None:
    assert set(definitions()) == set(judges())
    of_classes = {name for name, one in definitions().items() if not one.whole_release}
    assert of_classes - {"no-majority"} == set(STRICT) - {"no-majority"}


def test_a_release_meets_its_model_and_a_planted_fault_is_refused(model: str) -> None:
    frame = people()
    release = shoal.anonymize(frame, algorithm="mondrian", seed=3, **words(model))
    assert release.verdict.passed
    assert release.verdict.question.models == (f"{model}@ill",)
    assert shoal.verify(frame, release.frame, **words(model)).passed
    # Without the model, the same table has classes of one value.
    plain = {**words(model), "models": []}
    bare = shoal.anonymize(frame, algorithm="mondrian", seed=3, **plain)
    verdict = shoal.verify(frame, bare.frame, **words(model))
    assert [check.name for check in verdict.checks if not check.passed] == [f"{model}@ill"]
    assert shoal.verify(frame, bare.frame, **plain).passed


def test_texts_and_objects_mean_the_same(model: str) -> None:
    frame = people()
    name, _, numbers = model.partition(":")
    made = definitions()[name].model("ill", *numbers.split(","))
    assert str(made) == f"{model}@ill"
    by_text, by_object = (
        shoal.anonymize(frame, algorithm="mondrian", seed=3, **words(one)) for one in (model, made)
    )
    assert by_text.frame.equals(by_object.frame)
    assert shoal.verify(frame, by_object.frame, **words(made)).passed


def test_numbers_out_of_range_are_refused(model: str) -> None:
    definition = definitions()[model.partition(":")[0]]
    wrong = [parameter.lowest - 1 for parameter in definition.parameters]
    with pytest.raises(ParameterError, match="must be"):
        definition.model("ill", *wrong)


@pytest.mark.parametrize("alias", ["p-sensitive", "alpha-k-anonymity"])
def test_names_of_the_literature_are_found(alias: str) -> None:
    with pytest.raises(ParameterError, match=r"is called .*-l-diversity here"):
        shoal.anonymize(people(), **words(f"{alias}:2"))


def test_a_model_that_the_verifier_does_not_know_is_refused() -> None:
    frame = people()
    from shoal.table import declare
    from shoal.verifier import verify

    schema = declare(frame, quasi=["age", "sex"], sensitive=["ill"])
    with pytest.raises(ParameterError, match="does not know the privacy model"):
        verify(frame, frame, schema, 2, models=["share-limit:0.6"])


def test_the_package_lists_what_it_exports() -> None:
    assert {"DistinctDiversity", "Closeness", "definitions"} <= set(dir(shoal.models))
    assert str(shoal.models.DistinctDiversity("diagnosis", 3)) == "distinct-l-diversity:3@diagnosis"


@pytest.fixture
def toy() -> None:
    """Register a model of our own: one class on this side of the verifier, one judge beyond it."""

    @privacy_model(
        "no-majority",
        parameters=(Parameter("share", Fraction(0), Fraction(1)),),
        example="0.5",
        meaning="No value has more than this share of a class.",
    )
    @dataclass(frozen=True, slots=True, init=False)
    class NoMajority:
        column: str | None
        share: Fraction

        def __init__(self, column: str | None, share: float) -> None:
            settle(self, column, share)

        def __str__(self) -> str:
            return spell(self)

        def fit(self, table: Table, values: ProtectedValues) -> Protection:
            return Protection(self, values.codes)

        @property
        def monotone(self) -> bool:
            return True

        def holds(self, histograms: ClassHistograms) -> NDArray[np.bool_]:
            return histograms.largest <= float(self.share) * histograms.sizes

        def shortfalls(self, histograms: ClassHistograms) -> NDArray[np.float64]:
            return np.maximum(histograms.largest - float(self.share) * histograms.sizes, 0.0)

        def require_feasible(self, histogram: NDArray[np.int64]) -> None:
            if histogram.max() > self.share * int(histogram.sum()):
                raise InfeasibleError("One value is too frequent.", remedy="", feasible=None)

    @judge("no-majority", figure="the largest share", lower_is_better=True)
    def no_majority(numbers: Sequence[Fraction], column: JudgedColumn) -> Figures:
        def figures(counts: NDArray[np.int64]) -> Judged:
            share = counts.max(axis=1) / counts.sum(axis=1)
            return share <= float(numbers[0]), share

        return figures
