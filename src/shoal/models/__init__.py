"""Privacy models: conditions on every class of a release, or on all of it, one file per model.

``shoal.anonymize(…, models=[shoal.models.DistinctDiversity("diagnosis", 3)])`` means the same as
``models=["distinct-l-diversity:3@diagnosis"]``: the text of a model is how it is written. Every
model is an attribute, by the name of its class; its module is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.models.model import ClassHistograms, Model, PrivacyModel
    from shoal.models.personal_k import PersonalK, protect_personal_k
    from shoal.models.persons import DistinctPersons
    from shoal.models.protection import Protection, protect
    from shoal.models.registry import Definition, definitions
    from shoal.models.release_model import ReleasedClasses, ReleaseModel
    from shoal.models.specification import parse_models, split_models

if TYPE_CHECKING:
    # Written by python -m shoal.options.generate.
    from shoal.models.average_risk import AverageRisk as AverageRisk
    from shoal.models.closeness import Closeness as Closeness
    from shoal.models.delta_disclosure import DeltaDisclosure as DeltaDisclosure
    from shoal.models.delta_presence import DeltaPresence as DeltaPresence
    from shoal.models.distinct import DistinctDiversity as DistinctDiversity
    from shoal.models.enhanced_likeness import EnhancedLikeness as EnhancedLikeness
    from shoal.models.entropy import EntropyDiversity as EntropyDiversity
    from shoal.models.frequency import FrequencyDiversity as FrequencyDiversity
    from shoal.models.hierarchical_closeness import HierarchicalCloseness as HierarchicalCloseness
    from shoal.models.k_map import KMap as KMap
    from shoal.models.likeness import Likeness as Likeness
    from shoal.models.ordered_closeness import OrderedCloseness as OrderedCloseness
    from shoal.models.population_uniqueness import PopulationUniqueness as PopulationUniqueness
    from shoal.models.recursive import RecursiveDiversity as RecursiveDiversity
    from shoal.models.sample_uniqueness import SampleUniqueness as SampleUniqueness

# Names load their modules when they are first used.
_HOME = {
    "ClassHistograms": "model",
    "Definition": "registry",
    "DistinctPersons": "persons",
    "Model": "model",
    "PersonalK": "personal_k",
    "PrivacyModel": "model",
    "Protection": "protection",
    "ReleaseModel": "release_model",
    "ReleasedClasses": "release_model",
    "definitions": "registry",
    "parse_models": "specification",
    "protect": "protection",
    "protect_personal_k": "personal_k",
    "split_models": "specification",
}

__all__ = [
    "ClassHistograms",
    "Definition",
    "DistinctPersons",
    "Model",
    "PersonalK",
    "PrivacyModel",
    "Protection",
    "ReleaseModel",
    "ReleasedClasses",
    "definitions",
    "parse_models",
    "protect",
    "protect_personal_k",
    "split_models",
]

if not TYPE_CHECKING:  # else a type checker would take any name for a model

    def __getattr__(name: str) -> Any:
        if name in _HOME:
            return getattr(import_module(f"shoal.models.{_HOME[name]}"), name)
        if name[:1].isupper():
            module = import_module("shoal.models.index").modules_of_models().get(name)
            if module is not None:
                return getattr(import_module(module), name)
        raise AttributeError(f"module 'shoal.models' has no attribute {name!r}")


def __dir__() -> list[str]:
    from shoal.models.index import modules_of_models

    return sorted([*__all__, *modules_of_models()])
