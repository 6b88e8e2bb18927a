"""Chooses among models: precision alone picks one that hardly ever says yes, s_score does not."""

from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.naive_bayes import GaussianNB

import tallystick

# One in ten is positive, and one in two hundred has the wrong label.
X, y = make_classification(20_000, weights=[0.9], flip_y=0.01, class_sep=0.8, random_state=7)
models = {
    "shy": FixedThresholdClassifier(LogisticRegression(), threshold=0.999999),
    "linear": LogisticRegression(),
    "bayes": GaussianNB(),
}

for scoring in ("Precision()", "Recall()"):
    print(tallystick.sklearn.best_model(models, X, y, scoring=scoring), end="\n\n")

# Precision of class 1 matters most, but every class and both metrics count.
with tallystick.scoring_defaults(
    scoring="s_score", secondary_scoring="precision", pos_label=1, strength=4
):
    selection = tallystick.sklearn.best_model(models, X, y)
print(selection)
print("best:", selection.best.name)
