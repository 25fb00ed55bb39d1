"""What analysts get out of a release: classifiers, association rules and counts, compared."""

from shoal.analysis.classifiers import require_scikit_learn
from shoal.analysis.shown import Shown
from shoal.analysis.study import Pair, Settings, study, study_counts

__all__ = ["Pair", "Settings", "Shown", "require_scikit_learn", "study", "study_counts"]
