"""Numbers of which medians and ratios of sums are taken, without gold."""

from kinds import Kind

KIND = Kind(
    columns={
        "id": [f"e{place:02}" for _ in "ab" for place in range(12)],
        "model": [name for name in "ab" for _ in range(12)],
        "latency": [
            *(0.15, 0.2, 0.325, 1.4, 0.25, 0.3, 0.1, 0.45, 0.35, 0.225, 0.5, 0.175),
            *(0.2, 0.15, 0.35, 0.3, 0.3, 0.25, 1.2, 0.375, 0.275, 0.325, 1.4, 0.25),
        ],
        "right": [1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0, 1],
    },
    metrics=("median(latency)", "ratio(latency, right)"),
    called=("numbers",),
    options=("--system-column", "model"),
    both=(),
    gated=("--systems", "a", "--against", "b", "--max-drop", "0.1"),
    track=None,
    layout={"system_column": "model"},
    refuses=frozenset(
        {"segments", "times", "weight", "prevalence", "rounding", "missing", "files"}
    ),
)
