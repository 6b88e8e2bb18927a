"""One order out of several metrics or tracks: means, Borda's count, what is missing, tau."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.comparison.ranking.orders import Scale, check_zero, fill, find_counting, to_quality
from tallystick.comparison.ranking.ranks import count_borda
from tallystick.errors import UsageError
from tallystick.metrics import BLEU, WER, Accuracy, HammingLoss, Support

NAN = np.nan
GAPS = np.array([[0.9, 0.5, NAN], [0.8, NAN, 0.6], [0.3, 0.2, 0.1]])


def _scale(metric):
    return Scale(metric.name, metric.better, *metric.bounds)


def test_a_loss_with_a_bound_is_taken_from_it():
    assert pytest.approx([0.9, 0.6]) == to_quality(np.array([0.1, 0.4]), _scale(HammingLoss()))


def _complete(values, missing):
    return fill(values[find_counting(values, missing)], missing)


def test_a_loss_without_a_bound_is_negated():
    assert [-0.1, -1.4] == to_quality(np.array([0.1, 1.4]), _scale(WER())).tolist()


@pytest.mark.parametrize("metric", [Accuracy(), BLEU()], ids=repr)
def test_what_is_better_when_higher_stays(metric):
    assert [0.25, 0.5] == to_quality(np.array([0.25, 0.5]), _scale(metric)).tolist()


def test_a_metric_without_a_direction_ranks_nobody():
    with pytest.raises(UsageError, match="support cannot rank systems"):
        to_quality(np.array([1.0]), _scale(Support()))


def test_zero_is_no_poor_value_of_an_unbounded_loss():
    with pytest.raises(UsageError, match="wer is best at 0"):
        check_zero(_scale(WER()))


@pytest.mark.parametrize(
    ("missing", "expected"),
    [
        ("exclude", [[0.9, NAN, NAN], [0.8, NAN, NAN], [0.3, NAN, NAN]]),
        ("zero", [[0.9, 0.5, 0.0], [0.8, 0.0, 0.6], [0.3, 0.2, 0.1]]),
        ("worst", [[0.9, 0.5, 0.5], [0.8, 0.6, 0.6], [0.3, 0.2, 0.1]]),
        ("common", [[0.3, 0.2, 0.1]]),
    ],
)
def test_what_is_missing_follows_the_policy(missing, expected):
    assert np.array_equal(np.array(expected), _complete(GAPS, missing), equal_nan=True)


@pytest.mark.parametrize("missing", ["exclude", "zero", "worst", "common"])
def test_a_system_without_anything_is_left_out(missing):
    values = np.array([[0.9, NAN, 0.3], [0.8, NAN, 0.6]])

    assert [0.85, None, 0.45] == [
        None if np.isnan(one) else pytest.approx(one) for one in _complete(values, missing).mean(0)
    ]


@pytest.mark.parametrize("missing", ["exclude", "zero", "worst", "common"])
def test_a_criterion_that_nobody_has_is_dropped(missing):
    values = np.array([[0.9, 0.3], [NAN, NAN]])

    assert [[0.9, 0.3]] == _complete(values, missing).tolist()


def test_nothing_in_common_is_an_error():
    with pytest.raises(UsageError, match="common to all systems"):
        find_counting(np.array([[0.9, NAN], [NAN, 0.2]]), "common")


def test_an_unknown_policy_is_an_error():
    with pytest.raises(UsageError, match="exclude, zero, worst, common"):
        find_counting(GAPS, "ignore")


def test_borda_by_hand():
    values = np.array([[3.0, 2.0, 1.0], [3.0, 1.0, 2.0], [1.0, 3.0, 2.0]])

    assert [4, 3, 2] == count_borda(values).tolist()


def test_equal_systems_halve_the_point():
    assert [1.5, 1.5, 0] == count_borda(np.array([[2.0, 2.0, 1.0]])).tolist()


def test_borda_and_mean_can_disagree():
    values = np.array([[0.9, 0.5], [0.5, 0.51], [0.5, 0.51]])

    assert 0 == values.mean(0).argmax()
    assert 1 == count_borda(values).argmax()


@given(st.integers(1, 5), st.integers(1, 5), st.randoms(use_true_random=False))
def test_borda_gives_out_every_point(criteria, systems, random):
    values = np.array(
        [[random.randrange(4) for _ in range(systems)] for _ in range(criteria)], float
    )

    assert criteria * systems * (systems - 1) / 2 == count_borda(values).sum()


def test_a_system_that_is_left_out_gives_no_points():
    points = count_borda(np.array([[3.0, NAN, 1.0]]))

    assert [1, 0] == points[[0, 2]].tolist()
    assert np.isnan(points[1])
