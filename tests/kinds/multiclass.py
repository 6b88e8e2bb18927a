"""Labels, of which an example has one of three."""

from kinds import COLUMNS, Kind

KIND = Kind(
    columns={"gold": list("xyzxyzxxyxzy"), "a": list("xyzxyxxyyxzz"), "b": list("xxzyyxxzyxyz")},
    metrics=("accuracy", "macro_f1", "cohen_kappa"),
    called=("labels",),
    refuses=frozenset({"segments", "rounding"}),
    wrong="z",
    shares={"x": 5 / 12, "y": 4 / 12, "z": 3 / 12},
    track={"task": "multiclass", "columns": COLUMNS},
)
