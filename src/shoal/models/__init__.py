"""Privacy models: conditions that every class of a release must meet, one file per model.

``shoal.anonymize(…, models=[shoal.models.DistinctDiversity("diagnosis", 3)])`` means the same as
``models=["distinct-l-diversity:3@diagnosis"]``: the text of a model is how it is written.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shoal.models.closeness import Closeness
    from shoal.models.delta_disclosure import DeltaDisclosure
    from shoal.models.distinct import DistinctDiversity
    from shoal.models.enhanced_likeness import EnhancedLikeness
    from shoal.models.entropy import EntropyDiversity
    from shoal.models.frequency import FrequencyDiversity
    from shoal.models.hierarchical_closeness import HierarchicalCloseness
    from shoal.models.likeness import Likeness
    from shoal.models.model import ClassHistograms, Model, PrivacyModel
    from shoal.models.ordered_closeness import OrderedCloseness
    from shoal.models.persons import DistinctPersons
    from shoal.models.protection import Protection, protect
    from shoal.models.recursive import RecursiveDiversity
    from shoal.models.registry import Definition, definitions
    from shoal.models.specification import parse_models

# Names load their modules when they are first used.
_HOME = {
    "ClassHistograms": "model",
    "Closeness": "closeness",
    "Definition": "registry",
    "DeltaDisclosure": "delta_disclosure",
    "DistinctDiversity": "distinct",
    "DistinctPersons": "persons",
    "EnhancedLikeness": "enhanced_likeness",
    "EntropyDiversity": "entropy",
    "FrequencyDiversity": "frequency",
    "HierarchicalCloseness": "hierarchical_closeness",
    "Likeness": "likeness",
    "Model": "model",
    "OrderedCloseness": "ordered_closeness",
    "PrivacyModel": "model",
    "Protection": "protection",
    "RecursiveDiversity": "recursive",
    "definitions": "registry",
    "parse_models": "specification",
    "protect": "protection",
}

__all__ = [
    "ClassHistograms",
    "Closeness",
    "Definition",
    "DeltaDisclosure",
    "DistinctDiversity",
    "DistinctPersons",
    "EnhancedLikeness",
    "EntropyDiversity",
    "FrequencyDiversity",
    "HierarchicalCloseness",
    "Likeness",
    "Model",
    "OrderedCloseness",
    "PrivacyModel",
    "Protection",
    "RecursiveDiversity",
    "definitions",
    "parse_models",
    "protect",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'shoal.models' has no attribute {name!r}")
    return getattr(import_module(f"shoal.models.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
