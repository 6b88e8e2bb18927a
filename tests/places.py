"""Places of a ranking, made up for tests."""

import math

from tallystick.kinds.metrics.names import parse
from tallystick.results import Place


def place(system, value, rank=None, *, track=None, group=None, metric="Accuracy()", **others):
    scale = parse(metric)
    message = {
        "baseline": False,
        "low": value - 0.1,
        "high": value + 0.1,
        "confidence": 0.95,
        "method": "Wilson",
        "best_rank": rank,
        "worst_rank": rank,
        "cluster": rank,
        "letters": "",
        "best_share": math.nan,
        "mean_rank": math.nan,
        "resolution": 0.08,
        "n": 50,
        "better": scale.better,
        "lowest": scale.bounds[0],
        "highest": scale.bounds[1],
        "signature": metric,
    }
    return Place(
        track, group, metric, scale.name, system, rank=rank, value=value, **(message | others)
    )
