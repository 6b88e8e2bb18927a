"""For scikit-learn: any metric as a scorer, and the best of several models by cross-validation."""

from tallystick.sklearn.scorers import Scorer, scorer
from tallystick.sklearn.selection import Candidate, Selection, best_model

__all__ = ["Candidate", "Scorer", "Selection", "best_model", "scorer"]
