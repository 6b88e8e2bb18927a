"""Sets of labels, among them empty ones."""

from kinds import COLUMNS, Kind


def _split(sets: str) -> list[list[str]]:
    return [[label for label in labels if label != "-"] for labels in sets.split()]


KIND = Kind(
    columns={
        "gold": _split("x xy - z yz x xyz y - xz y z"),
        "a": _split("x x - z yz xy xyz y z xz y -"),
        "b": _split("xy x z z y xy xz - z xz xy -"),
    },
    metrics=("exact_match_ratio", "macro_f1", "hamming_loss"),
    called=("label sets", "labels"),
    options=("--task", "multilabel"),
    layout={"systems": ["a", "b"], "task": "multilabel"},
    refuses=frozenset({"segments", "prevalence", "rounding"}),
    wrong=[],
    track={"task": "multilabel", "columns": COLUMNS},
)
