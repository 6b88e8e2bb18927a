"""Numbers that have gold numbers."""

from kinds import Kind

KIND = Kind(
    columns={
        "gold": [1.5, 2, 3.25, 4, 2.5, 3, 1, 4.5, 3.5, 2.25, 5, 1.75],
        "a": [1.25, 2.5, 3, 4.25, 2, 3.5, 1.5, 4, 3.25, 2.5, 4.5, 2],
        "b": [2, 1.5, 3.5, 3, 3, 2.5, 2, 3.75, 2.75, 3.25, 4, 2.5],
    },
    metrics=("pearson", "mae", "rmse"),
    called=("numbers",),
    refuses=frozenset({"segments", "times", "prevalence", "rounding", "missing"}),
)
