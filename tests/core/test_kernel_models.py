"""Models as kernels keep them say what the models themselves say."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from shoal._core import kernels
from shoal.algorithms.kernel_model_kinds import add_to_kernel
from shoal.models import ClassHistograms, Model
from shoal.models.closeness import Closeness
from shoal.models.delta_disclosure import DeltaDisclosure
from shoal.models.distinct import DistinctDiversity
from shoal.models.enhanced_likeness import EnhancedLikeness
from shoal.models.entropy import EntropyDiversity
from shoal.models.frequency import FrequencyDiversity
from shoal.models.hierarchical_closeness import HierarchicalCloseness
from shoal.models.likeness import Likeness
from shoal.models.ordered_closeness import OrderedCloseness
from shoal.models.personal_k import PersonalK
from shoal.models.persons import DistinctPersons
from shoal.models.recursive import RecursiveDiversity

VALUES = np.random.default_rng(1).choice(6, 400, p=[0.4, 0.2, 0.2, 0.1, 0.06, 0.04])
WHOLE = np.bincount(VALUES, minlength=6) / 400
NODES = np.array([[0, 1, 2, 3, 4, 5], [0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1]])
MODELS: list[Model] = [
    DistinctDiversity("d", 3),
    DistinctPersons("d", 4),
    PersonalK(np.array([2, 3, 5, 9, 10, 14])),
    FrequencyDiversity("d", Fraction("1.5")),
    FrequencyDiversity("d", Fraction(2)),
    EntropyDiversity("d", Fraction("2.5")),
    RecursiveDiversity("d", Fraction(2), 3),
    RecursiveDiversity("d", Fraction("0.5"), 2),
    Closeness("d", Fraction("0.3"), WHOLE),
    OrderedCloseness("d", Fraction("0.15"), WHOLE),
    HierarchicalCloseness("d", Fraction("0.2"), WHOLE, NODES),
    DeltaDisclosure("d", Fraction("1.5"), WHOLE),
    Likeness("d", Fraction("1.5"), WHOLE),
    EnhancedLikeness("d", Fraction("1.5"), WHOLE),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_kernels_and_models_agree(model: Model) -> None:
    codes = VALUES.astype(np.uint8)
    models = kernels.Models(400)
    add_to_kernel(model, models, codes)
    rng = np.random.default_rng(2)
    rows = np.arange(400, dtype=np.int32)
    # Under δ-disclosure a class must hold every value, so that it must be large.
    number = 15 if isinstance(model, DeltaDisclosure) else 60
    classes = rng.integers(0, number, 400).astype(np.int32)
    counts = rng.integers(1, 3, 400).astype(np.int32)
    found = models.holds(rows, classes, counts, number).astype(bool)
    expected = model.holds(ClassHistograms.of(classes, VALUES, counts, number))
    assert 0 < expected.sum() < number
    assert found.tolist() == expected.tolist()
