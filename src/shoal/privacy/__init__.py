"""Privacy models: conditions that every class of a release must meet, one file a model."""

from shoal.privacy.closeness import Closeness
from shoal.privacy.distinct import DistinctDiversity
from shoal.privacy.entropy import EntropyDiversity
from shoal.privacy.frequency import FrequencyDiversity
from shoal.privacy.hierarchical_closeness import HierarchicalCloseness
from shoal.privacy.model import ClassHistograms, Model
from shoal.privacy.ordered_closeness import OrderedCloseness
from shoal.privacy.persons import DistinctPersons
from shoal.privacy.protection import Protection, protect
from shoal.privacy.recursive import RecursiveDiversity
from shoal.privacy.specification import Specification, parse_models

__all__ = [
    "ClassHistograms",
    "Closeness",
    "DistinctDiversity",
    "DistinctPersons",
    "EntropyDiversity",
    "FrequencyDiversity",
    "HierarchicalCloseness",
    "Model",
    "OrderedCloseness",
    "Protection",
    "RecursiveDiversity",
    "Specification",
    "parse_models",
    "protect",
]
