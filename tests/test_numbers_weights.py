"""Weights of examples in metrics of numbers and of soft labels."""

import json

import numpy as np
import pandas
import pytest
import sklearn.metrics as sk
from numpy.typing import NDArray

import tallystick
from oracle import near
from tallystick.cli import main
from tallystick.errors import UsageError

METRICS = ["pearson", "ccc", "r2", "mae", "rmse", "mean"]
SOFT = ["manhattan", "wasserstein", "js_distance", "soft_cross_entropy", "soft_f1", "macro_soft_f1"]


def draw(size: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    random = np.random.default_rng(seed)
    gold = random.normal(3, 1, size)
    return gold, gold + random.normal(0, 0.7, size)


def list_values(result: tallystick.results.Evaluation) -> list[float]:
    return [one.value for one in result.scores]


@pytest.mark.parametrize("seed", range(30))
def test_whole_weights_are_repetitions(seed):
    gold, outputs = draw(25, seed)
    weights = np.random.default_rng(seed).integers(0, 4, 25)
    rows = np.repeat(np.arange(25), weights)
    weighted = tallystick.score(gold, outputs, METRICS, weights=weights, intervals=False)
    repeated = tallystick.score(gold[rows], outputs[rows], METRICS, intervals=False)

    assert pytest.approx(list_values(repeated), abs=1e-9) == list_values(weighted)


@pytest.mark.parametrize("seed", range(10))
def test_weights_of_soft_labels_are_repetitions(seed):
    random = np.random.default_rng(seed)
    gold, outputs = random.dirichlet([1, 1, 1], (2, 25))
    weights = random.integers(0, 4, 25)
    rows = np.repeat(np.arange(25), weights)
    weighted = tallystick.score(gold, outputs, SOFT, weights=weights, intervals=False)
    repeated = tallystick.score(gold[rows], outputs[rows], SOFT, intervals=False)
    votes = random.integers(0, 3, (2, 25, 4)).astype(str).tolist()
    own = tallystick.score(*votes, "annotator_error", weights=weights, intervals=False)
    wrong = (np.array(votes[0]) != np.array(votes[1])).mean(1)

    assert pytest.approx(list_values(repeated), abs=1e-12) == list_values(weighted)
    assert [near(np.average(wrong, weights=weights))] == list_values(own)


def test_weighted_errors_equal_scikit_learn():
    for scale in (1e-6, 1, 1e6):
        gold, outputs = draw(200, 4)
        weights = scale * np.random.default_rng(4).exponential(1, 200)
        result = tallystick.score(
            gold, outputs, ["mae", "rmse", "r2", "pearson"], weights=weights, intervals=False
        )
        covariance = np.cov(gold, outputs, aweights=weights)
        expected = [
            sk.mean_absolute_error(gold, outputs, sample_weight=weights),
            sk.root_mean_squared_error(gold, outputs, sample_weight=weights),
            sk.r2_score(gold, outputs, sample_weight=weights),
            covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]),
        ]

        assert pytest.approx(expected, rel=1e-9) == list_values(result)


def test_intervals_of_weighted_means_are_those_of_linearisation():
    _, values = draw(400, 5)
    weights = np.random.default_rng(5).exponential(1, 400)
    score = tallystick.score(values, values, "mean", weights=weights).scores[0]
    mean = np.average(values, weights=weights)
    error = np.sqrt((weights**2 * (values - mean) ** 2).sum()) / weights.sum()

    assert near(mean) == score.value
    assert (score.low, score.high) == pytest.approx(
        (mean - 1.96 * error, mean + 1.96 * error), abs=0.15 * error
    )


def test_a_column_of_weights_is_named(tmp_path, capsys):
    gold, outputs = draw(60, 6)
    weights = np.random.default_rng(6).uniform(0, 2, 60)
    path = tmp_path / "all.csv"
    table = pandas.DataFrame({"gold": gold, "a": outputs, "b": gold, "w": weights})
    table.to_csv(path, index=False)
    options = ["--systems", "a", "b", "--weight-column", "w", "-m", "mae", "--format", "json"]
    assert main(["score", str(path), *options]) == 0
    scores = json.loads(capsys.readouterr().out)["scores"]
    assert main(["compare", str(path), *options]) == 0
    (difference,) = json.loads(capsys.readouterr().out)["differences"]
    expected = np.average(np.abs(outputs - gold), weights=weights)

    assert [near(expected), near(0)] == [one["value"] for one in scores]
    assert "weighted:yes" in scores[0]["signature"]
    assert near(-expected) == difference["difference"]


@pytest.mark.parametrize("metric", ["spearman", "accuracy_within_sd"])
def test_ranks_have_no_weights(metric):
    table = pandas.DataFrame(
        {"gold": [1.5, 2.0], "prediction": [1.0, 2.0], "stdev": [1.0, 1.0], "w": [1.0, 2.0]}
    )
    with pytest.raises(UsageError, match="do not support weights"):
        tallystick.score(table, metrics=metric, weights="w")
