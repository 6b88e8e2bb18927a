"""What the tests that compare with scikit-learn share: how to ask it, and how close is equal."""

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import tallystick
from strategies import Sample
from tallystick import Task
from tallystick.metrics import Metric
from tallystick.model.codes import Label


def near(value: Any) -> Any:
    return pytest.approx(value, abs=1e-12, nan_ok=True)


def ask(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


def answer(
    metric: Metric,
    sample: Sample,
    kind: Any = "multiclass",
    *,
    predictions: Any = None,
    labels: tuple[Label, ...] | None = None,
) -> dict[str | None, float]:
    scores = tallystick.score(
        sample.gold,
        sample.predicted if predictions is None else predictions,
        metrics=metric,
        weights=sample.weights,
        task=Task(kind, labels, sample.labels[1] if kind == "binary" else None),
        intervals=False,
    ).scores
    return {score.label: score.value for score in scores}
