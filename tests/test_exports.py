"""The public names of the package, and that nothing is promised which is not there."""

import inspect

import pytest

import tallystick
from tallystick.metrics import METRICS

PUBLIC = [
    "Columns",
    "Counter",
    "Data",
    "InputError",
    "Intervals",
    "Kind",
    "Metric",
    "Predictions",
    "Style",
    "Tally",
    "TallystickError",
    "Task",
    "Testing",
    "UsageError",
    "__version__",
    "baselines",
    "compare",
    "count",
    "gate",
    "load",
    "metrics",
    "plan",
    "rank",
    "read",
    "results",
    "score",
    "sklearn",
    "tune_threshold",
]
NAMES = [metric.__name__ for metric in METRICS]


def test_all_lists_the_public_names():
    assert PUBLIC == sorted(tallystick.__all__)


@pytest.mark.parametrize("name", tallystick.__all__)
def test_public_name_exists(name):
    assert hasattr(tallystick, name)


@pytest.mark.parametrize("metric", METRICS, ids=NAMES)
def test_metric_is_reachable(metric):
    assert metric is getattr(tallystick.metrics, metric.__name__)


@pytest.mark.parametrize("name", ["Sccore", "metric", "run"])
def test_other_names_do_not_exist(name):
    with pytest.raises(AttributeError, match=name):
        getattr(tallystick, name)


@pytest.mark.parametrize("name", [name for name in PUBLIC if name != "__version__"])
def test_public_name_is_documented(name):
    assert inspect.getdoc(getattr(tallystick, name))
