"""The conditions of a gate, by hand: drops and floors, better when higher and when lower."""

import math
from functools import partial

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
    "judge low high verdict",
    (_drop, -0.009, 0.03, "pass"),
    (_drop, -0.01, 0.03, "pass"),
    (_drop, -0.011, 0.03, "inconclusive"),
    (_drop, -0.04, -0.011, "fail"),
    (_drop, -0.04, -0.01, "inconclusive"),
    (_drop, 0.0, 0.0, "pass"),
    (_drop, NAN, NAN, "fail"),
    (partial(_drop, metric=WER()), -0.03, 0.009, "pass"),
    (partial(_drop, metric=WER()), -0.03, 0.011, "inconclusive"),
    (partial(_drop, metric=WER()), 0.011, 0.04, "fail"),
    (partial(_drop, limit=0.0), 0.0, 0.0, "pass"),
    (_floor, 0.81, 0.85, "pass"),
    (_floor, 0.79, 0.85, "inconclusive"),
    (_floor, 0.7, 0.79, "fail"),
    (partial(_floor, metric=WER()), 0.7, 0.79, "pass"),
    (partial(_floor, metric=WER()), 0.79, 0.85, "inconclusive"),
    (partial(_floor, metric=WER()), 0.81, 0.85, "fail"),
    (partial(_floor, value=NAN), NAN, NAN, "fail"),
    (partial(_floor, value=NAN), 0.9, NAN, "fail"),
    (partial(_floor, value=NAN), NAN, 0.9, "fail"),
    (_equivalence, -0.009, 0.009, "pass"),
    (_equivalence, -0.011, 0.009, "inconclusive"),
    (_equivalence, -0.009, 0.011, "inconclusive"),
    (_equivalence, -0.03, -0.011, "fail"),
    (_equivalence, 0.011, 0.03, "fail"),
    (_equivalence, NAN, NAN, "fail"),
)
def test_a_limit_is_judged_by_the_bounds(judge, low, high, verdict):
    assert verdict == judge((low, high)).verdict


BEFORE = ": 0.800 against 0.810 before,"


@cases(
    "check sentence",
    (
        _drop((-0.009, 0.03)),
        f"accuracy passed{BEFORE} at worst 0.009 lower (0.95 one-sided); a drop of 0.01 is "
        "allowed.",
    ),
    (
        _drop((-0.04, -0.02)),
        f"accuracy failed{BEFORE} at best 0.020 lower (0.95 one-sided); a drop of 0.01 is allowed.",
    ),
    (
        _drop((-0.04, 0.02)),
        f"accuracy is inconclusive{BEFORE} between 0.040 lower and 0.020 higher (0.95 on each "
        "side); a drop of 0.01 is allowed, and 50 examples do not decide it, because it is at the "
        "limit.",
    ),
    (_drop((NAN, NAN)), f"accuracy failed{BEFORE} which is undefined; a drop of 0.01 is allowed."),
    (
        _drop((0.05, 0.1), metric=WER(), old=0.7),
        "accuracy failed: 0.800 against 0.700 before, at best 0.050 higher (0.95 one-sided); "
        "a rise of 0.01 is allowed.",
    ),
    (
        _floor((0.7, 0.79), value=0.75, group="es"),
        "accuracy [es] failed: 0.750, at best 0.790 (0.95 one-sided); at least 0.8 is required.",
    ),
)
def test_the_sentence_tells_what_decided(check, sentence):
    assert sentence == check.sentence


@cases(
    "check part",
    (_drop((0.0, 0.0)), ", at worst the same (0.95 one-sided);"),
    (_equivalence((0.011, 0.03), value=0.83), "a difference of 0.01 either way is allowed."),
)
def test_the_sentence_tells_of_no_change_and_of_either_direction(check, part):
    assert part in check.sentence


@cases(
    "kind limit message",
    *[("max_drop", limit, "largest drop must be 0 or more") for limit in (-0.1, NAN, math.inf)],
    *[("floor", limit, "the floor must be a number") for limit in (NAN, math.inf, -math.inf)],
)
def test_a_limit_that_makes_no_sense_is_rejected(kind, limit, message):
    with pytest.raises(UsageError, match=message):
        collect_limits({kind: limit})


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


def test_what_would_decide_grows_with_the_square_of_the_bound():
    check = _drop((-0.04, 0.04), limit=0.01, value=0.8, old=0.8)
    assert math.ceil(50 * 16 * ((1.6449 + 0.8416) / 1.6449) ** 2 / 100) * 100 == check.needed
    assert check.sentence.endswith("and 50 examples do not decide it; about 1,900 would.")


@cases("bounds", (-0.009, 0.03), (-0.04, -0.011), (-0.04, 0.02))
def test_what_is_decided_or_at_the_limit_needs_no_more_examples(bounds):
    assert _drop(bounds).needed is None


def test_what_would_decide_an_equivalence_is_what_both_sides_need():
    alike = _equivalence((-0.04, 0.04), value=0.8, old=0.8)
    assert _drop((-0.04, 0.04), value=0.8, old=0.8).needed == alike.needed
