"""Facts about scores of examples in clusters, which are what intervals count."""

import math

import numpy as np
import pytest

import tallystick


@pytest.mark.parametrize("metric", ["macro_f1", "mcc", "kappa", "balanced_accuracy"])
def test_clusters_without_an_error_are_as_few_for_every_metric(metric):
    gold, clusters = np.tile([1, 0, 0, 0, 0, 0, 0, 0], 8), np.repeat(range(8), 8)
    metrics = ["accuracy", metric]
    plain, found = tallystick.score(gold, gold, metrics, task="binary", clusters=clusters).scores
    low = -1 if metric in ("mcc", "kappa") else 0

    assert found.low == pytest.approx(low + (1 - low) * plain.low)


@pytest.mark.parametrize("by", [None, ["x", "x"]])
def test_examples_of_one_cluster_have_no_interval_and_warn_nobody(by):
    result = tallystick.score(["c", "c"], ["a", "a"], "macro_f1", clusters=["2", "2"], by=by)

    assert all(math.isnan(score.low) for score in result.scores)
