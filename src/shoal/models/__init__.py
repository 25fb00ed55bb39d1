"""Privacy models: conditions that every class of a release must meet, one file a model."""

from shoal.models.closeness import Closeness
from shoal.models.distinct import DistinctDiversity
from shoal.models.entropy import EntropyDiversity
from shoal.models.frequency import FrequencyDiversity
from shoal.models.hierarchical_closeness import HierarchicalCloseness
from shoal.models.model import ClassHistograms, Model
from shoal.models.ordered_closeness import OrderedCloseness
from shoal.models.persons import DistinctPersons
from shoal.models.protection import Protection, protect
from shoal.models.recursive import RecursiveDiversity
from shoal.models.specification import Specification, parse_models

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
