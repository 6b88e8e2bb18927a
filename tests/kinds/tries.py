"""Two or three tries at each problem, a row each."""

from kinds import Kind

_TRIES = {
    "a": ["110", "111", "010", "000", "111", "101", "011", "110", "001", "111", "100", "110"],
    "b": ["10", "011", "010", "001", "110", "101", "000", "010", "001", "11", "100", "000"],
}
_ROWS = [
    (f"e{place:02}", name, str(place), str(place) if right == "1" else "?")
    for place in range(12)
    for name, tries in _TRIES.items()
    for right in tries[place]
]

KIND = Kind(
    columns=dict(zip(("id", "model", "gold", "prediction"), zip(*_ROWS, strict=True), strict=True)),
    metrics=("pass@1", "pass@2", "pass^2"),
    called=("tries",),
    options=("--system-column", "model"),
    both=(),
    gated=("--against", "b", "--max-drop", "0.1"),
    layout={"system_column": "model"},
    refuses=frozenset({"segments", "weight", "times", "prevalence", "rounding", "missing"}),
)
