"""The conditions of a gate, by hand: drops and floors, better when higher and when lower."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from tallystick.comparison.gates.checks import Terms, check_limit, collect_limits
from tallystick.errors import UsageError
from tallystick.metrics import WER, Accuracy, Support
from tallystick.results import Score

NAN = math.nan


def _score(value, *, group=None):
    return Score("new", group, None, "Accuracy()", "accuracy", "Accuracy", value, 50, "Accuracy()")


def _drop(bounds, *, metric=None, limit=0.01, value=0.80, old=0.81):
    terms = Terms(metric or Accuracy(), limit, 0.95)
    return check_limit("drop", _score(value), old, bounds, terms)


def _floor(bounds, *, metric=None, limit=0.8, value=0.82, group=None):
    terms = Terms(metric or Accuracy(), limit, 0.95)
    return check_limit("floor", _score(value, group=group), math.nan, bounds, terms)


def _equivalence(bounds, *, limit=0.01, value=0.80, old=0.81):
    terms = Terms(Accuracy(), limit, 0.95)
    return check_limit("equivalent", _score(value), old, bounds, terms)


@cases(
    "bounds verdict",
    ((-0.009, 0.03), "pass"),
    ((-0.01, 0.03), "pass"),
    ((-0.011, 0.03), "inconclusive"),
    ((-0.04, -0.011), "fail"),
    ((-0.04, -0.01), "inconclusive"),
    ((0.0, 0.0), "pass"),
    ((NAN, NAN), "fail"),
)
def test_a_drop_is_judged_by_its_bounds(bounds, verdict):
    assert verdict == _drop(bounds).verdict


@cases(
    "bounds verdict",
    ((-0.03, 0.009), "pass"),
    ((-0.03, 0.011), "inconclusive"),
    ((0.011, 0.04), "fail"),
)
def test_a_rise_is_a_drop_where_lower_is_better(bounds, verdict):
    assert verdict == _drop(bounds, metric=WER()).verdict


def test_an_identical_system_passes_without_any_slack():
    assert "pass" == _drop((0.0, 0.0), limit=0.0).verdict


@cases(
    "bounds verdict", ((0.81, 0.85), "pass"), ((0.79, 0.85), "inconclusive"), ((0.7, 0.79), "fail")
)
def test_a_floor_is_judged_by_the_bounds_of_the_score(bounds, verdict):
    assert verdict == _floor(bounds).verdict


@cases(
    "bounds verdict", ((0.7, 0.79), "pass"), ((0.79, 0.85), "inconclusive"), ((0.81, 0.85), "fail")
)
def test_a_floor_is_a_ceiling_where_lower_is_better(bounds, verdict):
    assert verdict == _floor(bounds, metric=WER()).verdict


@cases("bounds", (NAN, NAN), (0.9, NAN), (NAN, 0.9))
def test_an_undefined_score_does_not_pass(bounds):
    assert "fail" == _floor(bounds, value=NAN).verdict


@cases(
    "bounds sentence",
    (
        (-0.009, 0.03),
        "accuracy passed: 0.8000 against 0.8100 before, at worst 0.0090 lower (0.95 "
        "one-sided); a drop of 0.01 is allowed.",
    ),
    (
        (-0.04, -0.02),
        "accuracy failed: 0.8000 against 0.8100 before, at best 0.0200 lower (0.95 "
        "one-sided); a drop of 0.01 is allowed.",
    ),
    (
        (-0.04, 0.02),
        "accuracy is inconclusive: 0.8000 against 0.8100 before, between 0.0400 lower and "
        "0.0200 higher (0.95 on each side); a drop of 0.01 is allowed, and 50 examples "
        "do not decide it, because it is at the limit.",
    ),
    (
        (NAN, NAN),
        "accuracy failed: 0.8000 against 0.8100 before, which is undefined; a drop of 0.01 is "
        "allowed.",
    ),
)
def test_the_sentence_tells_what_decided(bounds, sentence):
    assert sentence == _drop(bounds).sentence


def test_no_change_is_the_same():
    assert ", at worst the same (0.95 one-sided);" in _drop((0.0, 0.0)).sentence


def test_the_sentence_of_a_loss_speaks_of_a_rise():
    assert (
        "accuracy failed: 0.8000 against 0.7000 before, at best 0.0500 higher (0.95 one-sided); "
        "a rise of 0.01 is allowed." == _drop((0.05, 0.1), metric=WER(), old=0.7).sentence
    )


def test_the_sentence_of_a_floor_names_group_and_floor():
    assert (
        "accuracy [es] failed: 0.7500, at best 0.7900 (0.95 one-sided); at least 0.8 is required."
        == _floor((0.7, 0.79), value=0.75, group="es").sentence
    )


@cases("limit", -0.1, NAN, math.inf)
def test_a_limit_that_makes_no_sense_is_refused(limit):
    with pytest.raises(UsageError, match="largest drop must be 0 or more"):
        collect_limits({"max_drop": limit})


@cases("limit", NAN, math.inf, -math.inf)
def test_a_floor_is_a_number(limit):
    with pytest.raises(UsageError, match="the floor must be a number"):
        collect_limits({"floor": limit})


def test_a_metric_without_a_direction_cannot_be_gated():
    with pytest.raises(UsageError, match="support cannot be gated"):
        _drop((0.0, 0.0), metric=Support())


@given(st.floats(-0.2, 0.2), st.floats(0, 0.2), st.floats(0, 0.1))
def test_a_larger_allowance_never_makes_it_worse(low, width, limit):
    verdicts = ["fail", "inconclusive", "pass"]
    bounds = (low, low + width)
    strict, mild = (_drop(bounds, limit=one).verdict for one in (limit, limit + 0.05))
    assert verdicts.index(strict) <= verdicts.index(mild)


@given(st.floats(-0.2, 0.2), st.floats(0, 0.2), st.floats(0, 0.1))
def test_a_loss_is_judged_as_its_mirror_image(low, width, limit):
    bounds = (low, low + width)
    mirrored = (-bounds[1], -bounds[0])
    assert _drop(bounds, limit=limit).verdict == _drop(mirrored, limit=limit, metric=WER()).verdict


@cases(
    "bounds verdict",
    ((-0.009, 0.009), "pass"),
    ((-0.011, 0.009), "inconclusive"),
    ((-0.009, 0.011), "inconclusive"),
    ((-0.03, -0.011), "fail"),
    ((0.011, 0.03), "fail"),
    ((NAN, NAN), "fail"),
)
def test_an_equivalence_is_two_one_sided_tests(bounds, verdict):
    assert verdict == _equivalence(bounds).verdict


def test_an_equivalence_says_that_either_direction_counts():
    sentence = _equivalence((0.011, 0.03), value=0.83).sentence
    assert "a difference of 0.01 either way is allowed." in sentence


def test_what_would_decide_grows_with_the_square_of_the_bound():
    check = _drop((-0.04, 0.04), limit=0.01, value=0.8, old=0.8)
    assert math.ceil(50 * 16 * ((1.6449 + 0.8416) / 1.6449) ** 2 / 100) * 100 == check.needed
    assert check.sentence.endswith("and 50 examples do not decide it; about 1,900 would.")


def test_at_the_limit_no_number_of_examples_decides():
    assert _drop((-0.04, 0.02)).needed is None


@cases("bounds", (-0.009, 0.03), (-0.04, -0.011))
def test_what_is_decided_needs_no_more_examples(bounds):
    assert _drop(bounds).needed is None


def test_what_would_decide_an_equivalence_is_what_both_sides_need():
    alike = _equivalence((-0.04, 0.04), value=0.8, old=0.8)
    assert _drop((-0.04, 0.04), value=0.8, old=0.8).needed == alike.needed
