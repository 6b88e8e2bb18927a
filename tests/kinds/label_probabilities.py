"""Probabilities of each of three labels, a row for each system and example."""

from kinds import Kind

KIND = Kind(
    columns={
        "id": [f"e{place // 2:02}" for place in range(24)],
        "model": ["a", "b"] * 12,
        "gold": [label for label in "xyzxyzxxyxzy" for _ in "ab"],
        "prob_x": [(1 + place * 5 % 8) / 16 for place in range(24)],
        "prob_y": [(1 + place * 3 % 7) / 32 for place in range(24)],
        "prob_z": [1 - (1 + place * 5 % 8) / 16 - (1 + place * 3 % 7) / 32 for place in range(24)],
    },
    metrics=("roc_auc",),
    called=("probabilities", "labels"),
    options=("--system-column", "model"),
    layout={"system_column": "model"},
    refuses=frozenset({"segments", "times", "missing"}),
    track={
        "task": "multiclass",
        "labels": ["x", "y", "z"],
        "columns": {"id": "id", "gold": "gold"},
    },
    shares={"x": 5 / 12, "y": 4 / 12, "z": 3 / 12},
    deep=True,
)
