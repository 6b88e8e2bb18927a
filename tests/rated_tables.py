"""Random tables of the scores of people and of a metric about rated systems."""

import numpy as np
import pyarrow
from numpy.typing import NDArray

Table = NDArray[np.float64]
SYSTEMS, ITEMS = 7, 24


def draw_table(seed: int, missing: str) -> tuple[Table, Table]:
    random = np.random.default_rng(seed).random((4, SYSTEMS, ITEMS))
    people = np.floor(6 * (random[0] + (np.arange(SYSTEMS)[:, None] / SYSTEMS))) - 8
    metric = np.round(people / 4 + 2 * random[1] + random[2], 1)
    lost = random[3] < 0.2
    if missing == "items":
        lost[:] = lost[0]
    return np.where(lost, np.nan, people) if missing != "none" else people, metric


def as_table(people: Table, **metrics: Table) -> pyarrow.Table:
    systems, items = np.indices(people.shape)
    columns = {
        "system": [f"s{code}" for code in systems.ravel()],
        "item": items.ravel().tolist(),
        "human": [None if np.isnan(one) else float(one) for one in people.ravel()],
    }
    return pyarrow.table(columns | {name: own.ravel().tolist() for name, own in metrics.items()})
