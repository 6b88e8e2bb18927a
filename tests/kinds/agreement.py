"""Ratings of three annotators, who agree more or less, and no system."""

from kinds import Kind

KIND = Kind(
    columns={
        "ann": [1, 2, 3, 1, 2, 3, 1, 2, 3, 3, 2, 1],
        "bob": [1, 2, 3, 2, 2, None, 1, 3, 3, 3, 1, 1],
        "cyd": [1, 3, 3, 1, 2, 3, 1, None, 3, 2, 2, 1],
    },
    metrics=("krippendorff_alpha", "gwet_ac1"),
    called=("ratings", "annotators"),
    options=("--annotators", "ann", "bob", "cyd"),
    both=(),
    gated=("--floor", "0.2"),
    layout={"annotators": ["ann", "bob", "cyd"]},
    refuses=frozenset(
        {"compare", "rank", "gate", "plan", "seeds", "files", "figure", "task"}
        | {"segments", "weight", "times", "prevalence", "rounding", "missing"}
    ),
)
