"""Scores of metrics next to those of people: three rated systems for four segments."""

from kinds import Kind

KIND = Kind(
    columns={
        "id": [f"e{place:02}" for place in (0, 1, 2, 3) * 3],
        "translator": ["x"] * 4 + ["y"] * 4 + ["z"] * 4,
        "gold": [-1, -5, 0, -2, -1, -6, -1, 0, -4, -9, -2, -2],
        "a": [0.71, 0.42, 0.93, 0.55, 0.64, 0.51, 0.88, 0.79, 0.42, 0.2, 0.64, 0.6],
        "b": [31.5, 28.1, 44.2, 30.3, 36.2, 22.7, 28.6, 36.1, 30.4, 24.4, 36.5, 29.1],
    },
    metrics=("soft_pairwise_accuracy", "acc_eq", "pairwise_accuracy", "pearson_by_item"),
    called=("numbers", "rated"),
    options=("--rated-column", "translator"),
    layout={"systems": ["a", "b"], "rated": "translator"},
    track=None,
    refuses=frozenset(
        {"segments", "weight", "times", "prevalence", "rounding", "missing", "files"}
    ),
)
