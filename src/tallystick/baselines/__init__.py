"""Baselines to beat: majority label, random labels, TF-IDF with logistic regression, Detoxify."""

from tallystick.baselines.detoxify import Model, predict_detoxify
from tallystick.baselines.labels import predict_majority, predict_random
from tallystick.baselines.splits import (
    LogisticRegression,
    Predicted,
    Preprocess,
    Recipe,
    Splits,
    Tfidf,
)
from tallystick.baselines.tfidf import predict_tfidf

__all__ = [
    "LogisticRegression",
    "Model",
    "Predicted",
    "Preprocess",
    "Recipe",
    "Splits",
    "Tfidf",
    "predict_detoxify",
    "predict_majority",
    "predict_random",
    "predict_tfidf",
]
