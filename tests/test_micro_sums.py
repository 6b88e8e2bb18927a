"""Micro rows of numbers are the formula on the sum of all examples, as without groups."""

import random

import numpy as np
import pandas as pd
import pytest

import tallystick

SHIFTED = [1e9 + n % 7 + n % 3 / 9 for n in range(300)]
GROUPS = {
    "cancelling": [[5.0], [1e17], [-1e17]],
    "far apart": [[5.0, 7.0, 9.0], [1e17, 3e17], [-1e17, 2.0]],
    "shifted": [SHIFTED[:100], SHIFTED[100:110], SHIFTED[110:]],
    "tiny": [[1e-9, 3e-9], [2e-9], [4e-9, 5e9]],
    "many": [[0.1] * 10_000, [0.2, 1e12], [-1e12]],
}
METRICS = ["sum(value)", "mean(value)", "ratio(value, weight)"]


@pytest.mark.parametrize("case", GROUPS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("clustered", [False, True])
def test_micro_is_the_score_of_all_examples(case, weighted, clustered):
    rows = [
        {"value": value, "weight": 2.0 + n % 3, "by": f"g{at}", "doc": f"d{n % 4}"}
        for at, group in enumerate(GROUPS[case])
        for n, value in enumerate(group)
    ]
    options = {"weights": "weight"} if weighted else {}
    metrics = METRICS[:2] if weighted else METRICS
    options |= {"clusters": "doc"} if clustered else {}
    values = np.array([row["value"] for row in rows])
    weights = np.array([row["weight"] for row in rows]) if weighted else np.ones(len(rows))
    magnitude = np.abs(values * weights).sum()

    def score(**more):
        found = tallystick.score(pd.DataFrame(rows), metrics=metrics, **options, **more).scores
        return {one.name: one.value for one in found if one.group in ("micro", None)}

    apart, together = score(by="by"), score()
    exact = np.longdouble(values) * np.longdouble(weights)
    assert apart.keys() == together.keys()
    for name, value in together.items():
        size = {"s": 1, "m": weights.sum(), "r": sum(row["weight"] for row in rows)}[name[0]]
        expected = float(sum(sorted(exact.tolist(), key=abs))) / size
        assert apart[name] == pytest.approx(value, rel=0, abs=1e-12 * magnitude / size)
        assert value == pytest.approx(expected, rel=0, abs=1e-12 * magnitude / size)


def test_micro_of_tries_is_the_score_of_all_examples():
    draw = random.Random(1)
    rows = [
        {"id": f"x{n}", "by": by, "value": level + draw.random()}
        for n, (by, level) in enumerate([("a", 5.0), ("b", 1e12), ("c", -1e12)] * 5)
        for _ in range(3)
    ]
    values = [
        one.value
        for by in ({"by": "by"}, {})
        for one in tallystick.score(pd.DataFrame(rows), metrics=["try_mean(value)"], **by).scores
        if one.group in ("micro", None)
    ]

    assert len(values) == 2
    assert values[0] == pytest.approx(values[1], rel=0, abs=1e-12 * 1e12)
