"""Laws of all counters and all metrics: tallies add, and metrics are formulas on the sums."""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle import near
from strategies import STEADY, WEIGHTS, Array
from tallystick.examples.examples import Examples
from tallystick.examples.labels import Label, Labels, encode, row_of, unify
from tallystick.examples.sets import LabelRows, from_lists, unify_rows
from tallystick.metrics import (
    F1,
    METRICS,
    FalseNegatives,
    FalsePositives,
    FBeta,
    Metric,
    Support,
    TrueNegatives,
    TruePositives,
)
from tallystick.metrics.reference import describe
from tallystick.tallies import Confusion, Curve, LabelSets
from variants import LABELS, VARIANTS

GROUPS = ("10", "9", "中文")
COUNTERS = (Confusion, Curve, LabelSets)
COUNTS = (Support, TruePositives, TrueNegatives, FalsePositives, FalseNegatives)
CASES = [(metric, counter) for metric in VARIANTS for counter in metric.counters]
STACKED = [(metric, counter) for metric, counter in CASES if counter is not Curve]
SHARES = [(metric, counter) for metric, counter in CASES if not isinstance(metric, COUNTS)]
CURVES = [metric for metric, counter in CASES if counter is Curve]

LAW = settings(STEADY, max_examples=8)


def name_case(value: Any) -> str:
    """A metric or a counter in the name of a test."""
    return value.__name__ if isinstance(value, type) else repr(value)


@st.composite
def examples_for(draw: st.DrawFn, counter: type, *, weighted: bool | None = None) -> Examples:
    """Examples that a counter can count, in groups; weighted or not, or None for either."""
    size = draw(st.integers(1, 16))
    gold, predicted = draw(sides_for(counter, size))
    groups = encode(draw(column(st.sampled_from(GROUPS), size)), row_of("by"))
    probabilities = draw(probabilities_for(size)) if counter is Curve else None
    weights = None
    if draw(st.booleans()) if weighted is None else weighted:
        weights = np.array(draw(column(st.sampled_from(WEIGHTS), size)))
    if probabilities is not None and probabilities.ndim == 1:
        gold, predicted = (Labels(side.codes % 2, LABELS[:2]) for side in (gold, predicted))
    return Examples(gold, predicted, probabilities, groups, weights)


def column(values: st.SearchStrategy[Any], size: int) -> st.SearchStrategy[list[Any]]:
    """A list of `size` values."""
    return st.lists(values, min_size=size, max_size=size)


def sides_for(counter: type, size: int) -> st.SearchStrategy[tuple[Any, Any]]:
    """Gold and predictions over all labels."""
    if counter is LabelSets:
        sets = column(st.lists(st.sampled_from(LABELS), unique=True), size)
        side: st.SearchStrategy[Any] = sets.map(
            lambda rows: from_lists(rows, row_of("sets"), LABELS)
        )
    else:
        codes = column(st.integers(0, len(LABELS) - 1), size)
        side = codes.map(lambda drawn: Labels(np.array(drawn, np.uint8), LABELS))
    return st.tuples(side, side)


@st.composite
def probabilities_for(draw: st.DrawFn, size: int) -> Array:
    """Probabilities of the positive label, or of all labels, in single or double precision."""
    parts = np.array(draw(column(st.lists(st.integers(0, 3), min_size=3, max_size=3), size)), float)
    parts[parts.sum(1) == 0] = 1
    shares = parts / parts.sum(1, keepdims=True)
    kind = draw(st.sampled_from([np.float32, np.float64]))
    return (shares[:, 0] if draw(st.booleans()) else shares).astype(kind)


def take(examples: Examples, rows: Sequence[int]) -> Examples:
    """The examples at `rows`, which know all the labels and groups."""
    places = np.array(rows, np.int64)
    return Examples(
        examples.gold.take(places),
        examples.predicted.take(places),
        None if examples.probabilities is None else examples.probabilities[places],
        None if examples.groups is None else examples.groups.take(places),
        None if examples.weights is None else examples.weights[places],
    )


def forget(examples: Examples) -> Examples:
    """The examples with no other groups than theirs and, but for curves, no other labels."""
    groups = examples.groups
    gold, predicted = examples.gold, examples.predicted
    if examples.probabilities is None:
        gold, predicted = forget_labels(gold, predicted)
    return replace(examples, gold=gold, predicted=predicted, groups=groups and reread(groups))


def forget_labels(gold: Any, predicted: Any) -> tuple[Any, Any]:
    """Both sides over the labels that they hold."""
    if isinstance(gold, Labels):
        return unify(reread(gold), reread(predicted))
    lists = [[list_names(side, row) for row in range(len(side))] for side in (gold, predicted)]
    seen = tuple(sorted({name for side in lists for names in side for name in names}))
    return unify_rows(*(from_lists(side, row_of("sets"), seen) for side in lists))


def reread(labels: Labels) -> Labels:
    """A column of labels as it would be read from its values."""
    return encode([labels.names[code] for code in labels.codes], row_of("column"))


def list_names(rows: LabelRows, row: int) -> list[Label]:
    """The labels of one set."""
    bits = np.unpackbits(rows.bits[row], count=len(rows.names), bitorder="little")
    return [name for name, bit in zip(rows.names, bits, strict=True) if bit]


def list_contents(tally: Any) -> Any:
    """All that a tally says, comparable by ==; a curve by its merged steps."""
    names = (tally.groups, tally.labels, tally.n.tolist())
    if hasattr(tally, "steps"):
        curves = [
            [array.tolist() for array in tally.steps(group, place)]
            for group in range(len(tally.groups))
            for place in range(len(tally.columns))
        ]
        return (*names, tally.columns, curves)
    if hasattr(tally, "cells"):
        cells = (tally.cells, tally.gold, tally.predicted, tally.counts)
        return (*names, [array.tolist() for array in cells])
    return (*names, tally.counts.tolist())


@st.composite
def split(draw: st.DrawFn, counter: type) -> tuple[Any, Any]:
    """The tally of some examples, and the sum of the tallies of their parts in any order."""
    examples = draw(examples_for(counter))
    places = np.array(draw(column(st.integers(0, 3), len(examples))))
    parts = [take(examples, np.flatnonzero(places == part).tolist()) for part in range(4)]
    tallies = [
        counter().count(forget(part)) if len(part) else counter().empty()
        for part in draw(st.permutations(parts))
    ]
    while len(tallies) > 1:
        place = draw(st.integers(0, len(tallies) - 2))
        tallies[place : place + 2] = [tallies[place] + tallies[place + 1]]
    return counter().count(forget(examples)), tallies[0]


@STEADY
@given(st.data())
@pytest.mark.parametrize("counter", COUNTERS)
def test_parts_add_up_to_the_whole(counter: type, data: st.DataObject) -> None:
    """However examples are split, and in whatever order and grouping parts are added."""
    whole, summed = data.draw(split(counter))

    assert list_contents(whole) == list_contents(summed)
    assert list_contents(whole.total()) == list_contents(summed.total())


@STEADY
@given(st.data())
@pytest.mark.parametrize("counter", COUNTERS)
def test_empty_tally_is_neutral(counter: type, data: st.DataObject) -> None:
    """Adding no examples, before or after, changes nothing."""
    tally = counter().count(data.draw(examples_for(counter)))

    assert list_contents(tally) == list_contents(counter().empty() + tally)
    assert list_contents(tally) == list_contents(tally + counter().empty())


@STEADY
@given(st.data())
@pytest.mark.parametrize("counter", COUNTERS)
def test_total_is_the_tally_without_groups(counter: type, data: st.DataObject) -> None:
    """Adding up the groups is the same as never having had them."""
    examples = data.draw(examples_for(counter))
    expected = counter().count(replace(examples, groups=None))

    assert list_contents(expected) == list_contents(counter().count(examples).total())


@STEADY
@given(st.data())
@pytest.mark.parametrize("counter", COUNTERS)
def test_order_of_examples_does_not_matter(counter: type, data: st.DataObject) -> None:
    """The same examples in another order make the same tally."""
    examples = data.draw(examples_for(counter))
    rows = data.draw(st.permutations(range(len(examples))))
    expected = list_contents(counter().count(examples))

    assert expected == list_contents(counter().count(take(examples, rows)))


@LAW
@given(st.data())
@pytest.mark.parametrize(("metric", "counter"), CASES, ids=name_case)
def test_score_of_summed_parts_is_that_of_the_whole(
    metric: Metric, counter: type, data: st.DataObject
) -> None:
    """By group and in total, a metric sees the sums only."""
    whole, summed = data.draw(split(counter))

    assert near(metric.score(whole)) == metric.score(summed)
    assert near(metric.score(whole.total())) == metric.score(summed.total())


@LAW
@given(st.data())
@pytest.mark.parametrize(("metric", "counter"), CASES, ids=name_case)
def test_group_scores_as_if_it_were_alone(
    metric: Metric, counter: type, data: st.DataObject
) -> None:
    """The value of each group is the total of its own examples."""
    examples = data.draw(examples_for(counter))
    tally = counter().count(examples)
    codes = [tally.groups[code] for code in examples.groups.codes]
    alone = [
        counter().count(take(examples, [row for row, name in enumerate(codes) if name == group]))
        for group in tally.groups
    ]
    expected = np.stack([metric.score(part.total())[0] for part in alone])

    assert near(expected) == metric.score(tally)


@LAW
@given(st.data(), st.integers(0, 9999))
@pytest.mark.parametrize(("metric", "counter"), STACKED, ids=name_case)
def test_leading_axes_are_kept(
    metric: Metric, counter: type, data: st.DataObject, seed: int
) -> None:
    """Replicates of a tally are scored in one call, each as if it were alone."""
    tally = counter().count(data.draw(examples_for(counter)))
    factors = np.random.default_rng(seed).integers(0, 3, (6, *tally.counts.shape))
    draws = [replace(tally, counts=tally.counts * factor) for factor in factors]
    counts = np.stack([draw.counts for draw in draws])
    stacked = replace(tally, counts=counts.reshape(2, 3, *tally.counts.shape))
    values = np.stack([metric.score(draw) for draw in draws])
    totals = np.stack([metric.score(draw.total()) for draw in draws])

    assert near(values.reshape(2, 3, *values.shape[1:])) == metric.score(stacked)
    assert near(totals.reshape(2, 3, *totals.shape[1:])) == metric.score(stacked.total())


@LAW
@given(st.data())
@pytest.mark.parametrize(("metric", "counter"), CASES, ids=name_case)
def test_weight_is_a_number_of_repetitions(
    metric: Metric, counter: type, data: st.DataObject
) -> None:
    """An example of weight 3 counts as three examples, and one of weight 0 as none."""
    examples = data.draw(examples_for(counter, weighted=True))
    weights = np.floor(examples.weights)
    repeated = np.repeat(np.arange(len(examples)), weights.astype(int)).tolist()
    weighted = counter().count(replace(examples, weights=weights))
    plain = counter().count(replace(take(examples, repeated), weights=None))

    assert near(metric.score(plain)) == metric.score(weighted)


@LAW
@given(st.data())
@pytest.mark.parametrize(("metric", "counter"), SHARES, ids=name_case)
def test_unit_of_weights_does_not_matter(
    metric: Metric, counter: type, data: st.DataObject
) -> None:
    """Weights count in relation to each other, however small they all are."""
    examples = data.draw(examples_for(counter, weighted=True))
    tiny = replace(examples, weights=examples.weights * 2.0**-60)

    assert near(metric.score(counter().count(examples))) == metric.score(counter().count(tiny))


@LAW
@given(st.data())
@pytest.mark.parametrize(("metric", "counter"), CASES, ids=name_case)
def test_values_lie_within_bounds(metric: Metric, counter: type, data: st.DataObject) -> None:
    """A value that is defined is neither below nor above what the metric promises."""
    values = metric.score(counter().count(data.draw(examples_for(counter))))
    low, high = metric.bounds
    outside = values[(values < low - 1e-12) | (values > high + 1e-12)]

    assert [] == outside.tolist()


@LAW
@given(st.data())
@pytest.mark.parametrize(("metric", "counter"), CASES, ids=name_case)
def test_all_weights_zero_are_no_examples(
    metric: Metric, counter: type, data: st.DataObject
) -> None:
    """A group of which nothing weighs anything scores as one that holds no examples."""
    examples = data.draw(examples_for(counter))
    nothing = counter().count(replace(examples, weights=np.zeros(len(examples)))).total()
    nobody = counter().count(replace(take(examples, []), weights=None)).total()

    assert near(metric.score(nobody)) == metric.score(nothing)


@pytest.mark.parametrize("metric", CURVES, ids=repr)
def test_curves_without_examples_are_undefined(metric: Metric) -> None:
    """No probability metric makes up a value."""
    nothing = Labels(np.zeros(0, np.uint8), LABELS)
    tally = Curve().count(Examples(nothing, nothing, np.zeros((0, len(LABELS)))))

    assert near([np.nan]) == metric.score(tally)


@pytest.mark.parametrize("metric", [one for one in METRICS if {*one.counters} <= {*COUNTERS}])
def test_metric_has_a_variant(metric: type[Metric]) -> None:
    """The laws above are put to every metric that there is."""
    assert metric in {type(variant) for variant in VARIANTS}


@pytest.mark.parametrize("metric", METRICS)
def test_docstring_tells_formula_undefined_and_source(metric: type[Metric]) -> None:
    """Each begins a line of its own, in this order."""
    words = [line.partition(":")[0].strip() for line in (metric.__doc__ or "").splitlines()]
    told = [word for word in words if word in ("Formula", "Undefined", "Source")]

    assert ["Formula", "Undefined", "Source"] == told


@pytest.mark.parametrize("metric", METRICS)
def test_every_option_is_explained(metric: type[Metric]) -> None:
    """Help texts have words for each option of each metric."""
    options = [field.name for field in fields(metric)]

    assert options == [name for name, _, words in describe(metric).options if words]


def test_f1_is_f_beta_of_one() -> None:
    """Recall weighs as much as precision."""
    codes = np.array([0, 1, 1, 2, 0, 1], np.uint8)
    labels = Labels(codes, LABELS)
    tally = Confusion().count(Examples(labels, Labels(codes[::-1].copy(), LABELS)))

    assert near(F1("macro").score(tally)) == FBeta(1, "macro").score(tally)
