"""Privacy models: conditions that every class of a release must meet, one file a model."""

from shoal.privacy.model import ClassHistograms, Model
from shoal.privacy.persons import DistinctPersons

__all__ = ["ClassHistograms", "DistinctPersons", "Model"]
