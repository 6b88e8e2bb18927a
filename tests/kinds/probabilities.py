"""Probabilities of the positive label, with ties."""

from kinds import Kind

KIND = Kind(
    columns={
        "gold": [1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 1],
        "a": [0.9, 0.2, 0.6, 0.8, 0.1, 0.5, 0.7, 0.3, 0.4, 0.8, 0.2, 0.55],
        "b": [0.7, 0.4, 0.5, 0.9, 0.3, 0.6, 0.45, 0.1, 0.6, 0.7, 0.2, 0.35],
    },
    metrics=("roc_auc", "brier_score"),
    called=("probabilities",),
    refuses=frozenset({"segments", "times", "missing"}),
    shares={"1": 0.5},
    track={"task": "binary", "columns": {"id": "id", "gold": "gold", "probability": "prediction"}},
)
