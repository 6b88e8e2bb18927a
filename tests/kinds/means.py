"""Numbers that have no gold, such as those of a metric that was computed elsewhere."""

from kinds import Kind

KIND = Kind(
    columns={
        "a": [0.5, 0.75, 0.25, 1, 0.5, 0.75, 0.875, 0.25, 0.5, 0.625, 0.75, 0.5],
        "b": [0.25, 0.5, 0.5, 0.75, 0.625, 0.5, 0.75, 0.375, 0.25, 0.5, 0.625, 0.5],
    },
    metrics=("mean",),
    called=("numbers",),
    refuses=frozenset(
        {"segments", "times", "prevalence", "rounding", "missing", "files", "task run"}
    ),
)
