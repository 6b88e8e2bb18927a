"""Numbers of repeated tries, which are averaged by example."""

from kinds import Kind

KIND = Kind(
    columns={
        "id": [f"e{place:02}" for _ in "ab" for place in range(12) for _ in range(2)],
        "model": [name for name in "ab" for _ in range(24)],
        "score": [(place * 7 + place // 5 * 3) % 10 / 16 + 0.25 for place in range(48)],
    },
    metrics=("try_mean(score)",),
    called=("numbers", "repeated tries", "numbers of repeated tries"),
    options=("--system-column", "model"),
    both=(),
    gated=("--against", "b", "--max-drop", "0.1"),
    layout={"system_column": "model"},
    track=None,
    refuses=frozenset(
        {"segments", "weight", "times", "prevalence", "rounding", "missing", "files"}
    ),
)
