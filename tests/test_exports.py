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
    """The names of `__all__` are these, so that none comes or goes unnoticed."""
    assert PUBLIC == sorted(tallystick.__all__)


@pytest.mark.parametrize("name", tallystick.__all__)
def test_public_name_exists(name):
    """Every name of `__all__` can be had from the package."""
    assert hasattr(tallystick, name)


@pytest.mark.parametrize("metric", METRICS, ids=NAMES)
def test_metric_is_reachable(metric):
    """Every metric class can be had from `tallystick.metrics` by its name."""
    assert metric is getattr(tallystick.metrics, metric.__name__)


@pytest.mark.parametrize("name", ["Sccore", "metric", "run"])
def test_other_names_do_not_exist(name):
    """A name that the package does not have is an ordinary attribute error."""
    with pytest.raises(AttributeError, match=name):
        getattr(tallystick, name)


@pytest.mark.parametrize("name", [name for name in PUBLIC if name != "__version__"])
def test_public_name_is_documented(name):
    """Every public class, function and module says what it is."""
    assert inspect.getdoc(getattr(tallystick, name))
