"""Numbers that are compared with gold numbers by their order alone, with ties."""

from kinds import Kind

KIND = Kind(
    columns={
        "gold": [1, 2, 3, 4, 2.5, 3, 1, 4.5, 3.5, 2, 5, 1.5],
        "a": [1.5, 2.5, 3, 4, 2, 3.5, 1.5, 4, 3.5, 2.5, 4.5, 2],
        "b": [2, 1.5, 3.5, 3, 3, 2.5, 2, 4, 2.5, 3.5, 4, 2.5],
    },
    metrics=("spearman", "kendall_tau_b"),
    called=("numbers",),
    refuses=frozenset({"segments", "weight", "times", "prevalence", "rounding", "missing"}),
)
