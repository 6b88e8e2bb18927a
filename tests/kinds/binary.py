"""Labels, one of which is positive."""

from kinds import COLUMNS, Kind
from tallystick import Task

KIND = Kind(
    columns={
        "gold": ["yes", "no", "yes", "yes", "no", "no", "yes", "no", "no", "yes", "no", "yes"],
        "a": ["yes", "no", "no", "yes", "no", "yes", "yes", "no", "no", "yes", "no", "yes"],
        "b": ["yes", "yes", "no", "yes", "no", "yes", "no", "no", "yes", "yes", "no", "no"],
    },
    metrics=("accuracy", "f1", "mcc"),
    called=("labels",),
    options=("--positive", "yes"),
    layout={"systems": ["a", "b"], "task": Task(positive="yes")},
    refuses=frozenset({"segments", "rounding"}),
    wrong="no",
    shares={"yes": 0.5},
    track={"task": "binary", "positive": "yes", "columns": COLUMNS},
)
