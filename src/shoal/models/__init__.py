"""Privacy models: conditions on every class of a release, or on all of it, one file per model.

``shoal.anonymize(…, models=[shoal.models.DistinctDiversity("diagnosis", 3)])`` means the same as
``models=["distinct-l-diversity:3@diagnosis"]``: the text of a model is how it is written.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.models.average_risk import AverageRisk
    from shoal.models.closeness import Closeness
    from shoal.models.delta_disclosure import DeltaDisclosure
    from shoal.models.delta_presence import DeltaPresence
    from shoal.models.distinct import DistinctDiversity
    from shoal.models.enhanced_likeness import EnhancedLikeness
    from shoal.models.entropy import EntropyDiversity
    from shoal.models.frequency import FrequencyDiversity
    from shoal.models.hierarchical_closeness import HierarchicalCloseness
    from shoal.models.k_map import KMap
    from shoal.models.likeness import Likeness
    from shoal.models.model import ClassHistograms, Model, PrivacyModel
    from shoal.models.ordered_closeness import OrderedCloseness
    from shoal.models.personal_k import PersonalK, protect_personal_k
    from shoal.models.persons import DistinctPersons
    from shoal.models.population_uniqueness import PopulationUniqueness
    from shoal.models.protection import Protection, protect
    from shoal.models.recursive import RecursiveDiversity
    from shoal.models.registry import Definition, definitions
    from shoal.models.release_model import ReleasedClasses, ReleaseModel
    from shoal.models.sample_uniqueness import SampleUniqueness
    from shoal.models.specification import parse_models, split_models

# Names load their modules when they are first used.
_HOME = {
    "AverageRisk": "average_risk",
    "ClassHistograms": "model",
    "Closeness": "closeness",
    "Definition": "registry",
    "DeltaDisclosure": "delta_disclosure",
    "DeltaPresence": "delta_presence",
    "DistinctDiversity": "distinct",
    "DistinctPersons": "persons",
    "EnhancedLikeness": "enhanced_likeness",
    "EntropyDiversity": "entropy",
    "FrequencyDiversity": "frequency",
    "HierarchicalCloseness": "hierarchical_closeness",
    "KMap": "k_map",
    "Likeness": "likeness",
    "Model": "model",
    "OrderedCloseness": "ordered_closeness",
    "PersonalK": "personal_k",
    "PopulationUniqueness": "population_uniqueness",
    "PrivacyModel": "model",
    "Protection": "protection",
    "RecursiveDiversity": "recursive",
    "ReleaseModel": "release_model",
    "ReleasedClasses": "release_model",
    "SampleUniqueness": "sample_uniqueness",
    "definitions": "registry",
    "parse_models": "specification",
    "protect": "protection",
    "protect_personal_k": "personal_k",
    "split_models": "specification",
}

__all__ = [
    "AverageRisk",
    "ClassHistograms",
    "Closeness",
    "Definition",
    "DeltaDisclosure",
    "DeltaPresence",
    "DistinctDiversity",
    "DistinctPersons",
    "EnhancedLikeness",
    "EntropyDiversity",
    "FrequencyDiversity",
    "HierarchicalCloseness",
    "KMap",
    "Likeness",
    "Model",
    "OrderedCloseness",
    "PersonalK",
    "PopulationUniqueness",
    "PrivacyModel",
    "Protection",
    "RecursiveDiversity",
    "ReleaseModel",
    "ReleasedClasses",
    "SampleUniqueness",
    "definitions",
    "parse_models",
    "protect",
    "protect_personal_k",
    "split_models",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"shoal.models.{_HOME[name]}"), name)
    if name[:1].isupper():  # a model whose file was added, and that is not listed yet
        for one in import_module("shoal.models.registry").definitions().values():
            if one.model.__name__ == name:
                return one.model
    raise AttributeError(f"module 'shoal.models' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
