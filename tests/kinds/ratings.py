"""Labels of two systems next to those of two annotators, one of whom left units out."""

from kinds import Kind
from tallystick import Columns

KIND = Kind(
    columns={
        "ann": [1, 2, 3, 1, 2, 3, 1, 2, 3, 3, 2, 1],
        "bob": [1, 2, 3, 2, 2, None, 1, 3, 3, None, 1, None],
        "a": [1, 2, 3, 1, 1, 3, 1, 2, 3, 2, 2, 1],
        "b": [1, 1, 3, 2, 2, 3, 2, 2, 3, 3, 1, 1],
    },
    metrics=("accuracy", "cohen_kappa"),
    called=("ratings", "annotators"),
    options=("--annotators", "ann", "bob"),
    layout={"systems": ["a", "b"], "columns": Columns(annotators=("ann", "bob"))},
    refuses=frozenset({"segments", "times", "missing", "files", "rounding"}),
    track=None,
    shares={"1": 1 / 3, "2": 1 / 3, "3": 1 / 3},
)
