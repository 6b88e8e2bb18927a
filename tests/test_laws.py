"""Laws of all counters and all metrics: tallies add, and metrics are formulas on the sums."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from drawn import column, forget, systems_for, take
from oracle import near
from strategies import STEADY
from systems import NAMES, list_contents, pair, pair_scores, pair_texts
from tallystick.errors import UsageError
from tallystick.kinds.labels.label_columns import Confusion, LabelSets
from tallystick.kinds.metrics.reference import describe
from tallystick.kinds.probabilities.areas import Curve, SetCurves
from tallystick.metrics import (
    BLEU,
    METRICS,
    ROUGE,
    TER,
    ChrF,
    FalseNegatives,
    FalsePositives,
    FleissKappa,
    Support,
    TrueNegatives,
    TruePositives,
)
from tallystick.model.codes import Labels
from variants import LABELS, VARIANTS

COUNTERS = (Confusion(), Curve(), SetCurves(), LabelSets())
TEXT_COUNTERS = tuple(metric.counter for metric in (BLEU(order=2), ChrF(), TER(), ROUGE("L")))
COUNTS = (Support, TruePositives, TrueNegatives, FalsePositives, FalseNegatives)
CASES = [(metric, counter()) for metric in VARIANTS for counter in metric.counters]
STACKED = [(metric, counter) for metric, counter in CASES if not isinstance(counter, Curve)]
SHARES = [(metric, counter) for metric, counter in CASES if not isinstance(metric, COUNTS)]
CURVES = [metric for metric, counter in CASES if counter == Curve()]

LAW = settings(STEADY, max_examples=8)
EACH_COUNTER = pytest.mark.parametrize("counter", [*COUNTERS, *TEXT_COUNTERS], ids=repr)
ONE_OR_THREE = pytest.mark.parametrize("systems", [1, 3])
EACH_CASE = pytest.mark.parametrize(("metric", "counter"), CASES, ids=repr)


@st.composite
def split(draw, counter, systems=1):
    examples = draw(systems_for(counter, systems, clustered=None))
    places = np.array(draw(column(st.integers(0, 3), len(examples))))
    parts = [take(examples, np.flatnonzero(places == part).tolist()) for part in range(4)]
    tallies = [counter.count(forget(part)) for part in draw(st.permutations(parts))]
    at_once = tallies[0].add_up(list(tallies))
    while len(tallies) > 1:
        place = draw(st.integers(0, len(tallies) - 2))
        tallies[place : place + 2] = [tallies[place] + tallies[place + 1]]
    return counter.count(forget(examples)), tallies[0], at_once


@pytest.mark.deep
@STEADY
@given(st.data())
@ONE_OR_THREE
@EACH_COUNTER
def test_parts_add_up_to_the_whole(counter, systems, data):
    whole, summed, at_once = map(list_contents, data.draw(split(counter, systems)))
    assert whole == summed == at_once


@pytest.mark.deep
@STEADY
@given(st.data())
@ONE_OR_THREE
@EACH_COUNTER
def test_no_examples_are_neutral(counter, systems, data):
    examples = forget(data.draw(systems_for(counter, systems, clustered=None)))
    tally, nobody = counter.count(examples), counter.count(forget(take(examples, [])))
    assert list_contents(tally) == list_contents(nobody + tally) == list_contents(tally + nobody)


@pytest.mark.deep
@STEADY
@given(st.data())
@ONE_OR_THREE
@EACH_COUNTER
def test_order_of_examples_does_not_matter(counter, systems, data):
    examples = data.draw(systems_for(counter, systems, clustered=None))
    rows = data.draw(st.permutations(range(len(examples))))
    expected = list_contents(counter.count(examples))
    assert expected == list_contents(counter.count(take(examples, rows)))


@pytest.mark.deep
@STEADY
@given(st.data())
@ONE_OR_THREE
@pytest.mark.parametrize("counter", COUNTERS, ids=repr)
def test_total_is_the_tally_without_groups(counter, systems, data):
    examples = data.draw(systems_for(counter, systems, clustered=None))
    expected = counter.count(replace(examples, groups=None))
    assert list_contents(expected) == list_contents(counter.count(examples).total())


@pytest.mark.deep
@STEADY
@given(st.data())
@ONE_OR_THREE
@pytest.mark.parametrize("counter", TEXT_COUNTERS, ids=repr)
def test_total_of_sums_is_that_without_groups(counter, systems, data):
    examples = data.draw(systems_for(counter, systems))
    expected = counter.count(replace(examples, groups=None))
    total = counter.count(examples).total()
    assert (expected.groups, expected.n.tolist()) == (total.groups, total.n.tolist())
    assert near(expected.sums) == total.sums


@pytest.mark.deep
@STEADY
@given(st.data(), st.permutations(NAMES[:3]), st.integers(1, 3))
@EACH_COUNTER
def test_some_systems_have_the_tally_that_they_have_alone(counter, data, names, size):
    examples = data.draw(systems_for(counter, 3, clustered=None))
    expected = counter.count(examples.of(*names[:size]))
    assert list_contents(expected) == list_contents(counter.count(examples).of(*names[:size]))


@pytest.mark.deep
@STEADY
@given(st.data(), st.sampled_from(NAMES[:3]))
@EACH_COUNTER
def test_a_system_may_be_taken_before_or_after(counter, data, name):
    examples = data.draw(systems_for(counter, 3, clustered=None))
    half = len(examples) // 2
    rows = range(len(examples))
    one, two = (counter.count(forget(take(examples, part))) for part in (rows[:half], rows[half:]))
    whole = counter.count(examples)

    assert list_contents(one.of(name) + two.of(name)) == list_contents((one + two).of(name))
    if counter in COUNTERS:
        before, after = whole.of(name).total(), whole.total().of(name)
        assert list_contents(before, rounding=True) == list_contents(after, rounding=True)


def test_tallies_of_other_counters_do_not_add():
    texts = pair_texts(["a b"], ["a c"])
    tallies = [BLEU(order=order).counter.count(texts) for order in (2, 3)]
    scores = Curve().count(pair_scores([0, 1], np.array([0.5, 0.25])))
    tallies += [Confusion().count(pair([0, 1], [1, 1])), scores]

    for other in tallies[1:]:
        with pytest.raises(UsageError, match=r"^tallies of different counters cannot be added: "):
            tallies[0].add_up([tallies[0], other])
    with pytest.raises(UsageError, match=r"^tallies of different counters cannot be added: "):
        tallies[2] + tallies[3]


@pytest.mark.deep
@STEADY
@given(st.data())
@EACH_COUNTER
def test_tallies_of_other_systems_do_not_add(counter, data):
    tally = counter.count(data.draw(systems_for(counter, 3)))
    for names in (("a", "c"), ("b", "a", "c")):
        with pytest.raises(
            UsageError, match=r"^tallies of different systems cannot be added: a, b, c "
        ):
            tally + tally.of(*names)


@pytest.mark.deep
@STEADY
@given(st.data())
@ONE_OR_THREE
@EACH_COUNTER
def test_tallies_with_and_without_clusters_do_not_add(counter, systems, data):
    examples = data.draw(systems_for(counter, systems, clustered=True))
    tallies = [counter.count(one) for one in (examples, replace(examples, clusters=None))]
    for one, other in (tallies, tallies[::-1]):
        with pytest.raises(
            UsageError, match="a tally with clusters cannot be added to one without"
        ):
            one.add_up([one, other])


@pytest.mark.deep
@LAW
@given(st.data())
@EACH_CASE
def test_score_of_summed_parts_is_that_of_the_whole(metric, counter, data):
    whole, summed, _ = data.draw(split(counter))
    assert near(metric.score(whole)) == metric.score(summed)
    assert near(metric.score(whole.total())) == metric.score(summed.total())


@pytest.mark.deep
@LAW
@given(st.data())
@EACH_CASE
def test_group_scores_as_if_it_were_alone(metric, counter, data):
    examples = data.draw(systems_for(counter, listed=LABELS))
    tally = counter.count(examples)
    codes = [tally.groups[code] for code in examples.groups.codes]
    alone = [
        counter.count(take(examples, [row for row, name in enumerate(codes) if name == group]))
        for group in tally.groups
    ]

    assert near(np.stack([metric.score(part.total())[0] for part in alone])) == metric.score(tally)


def multiply(tally, factors):
    weights = None
    if tally.weights is not None:
        weights = np.stack([own * factors for own in tally.weights[:2]])
    return replace(tally, counts=tally.counts * factors, weights=weights)


@settings(LAW, max_examples=2)
@given(st.data(), st.integers(0, 9999))
@pytest.mark.parametrize(("metric", "counter"), STACKED, ids=repr)
def test_leading_axes_are_kept(metric, counter, data, seed):
    tally = counter.count(data.draw(systems_for(counter, listed=LABELS)))
    factors = np.random.default_rng(seed).integers(0, 3, (6, *tally.counts.shape))
    parts = [multiply(tally, factor) for factor in factors]
    stacked = multiply(tally, factors.reshape(2, 3, *tally.counts.shape))
    values = np.stack([metric.score(part) for part in parts])
    totals = np.stack([metric.score(part.total()) for part in parts])

    assert near(values.reshape(2, 3, *values.shape[1:])) == metric.score(stacked)
    assert near(totals.reshape(2, 3, *totals.shape[1:])) == metric.score(stacked.total())


@pytest.mark.deep
@LAW
@given(st.data())
@EACH_CASE
def test_weight_is_a_number_of_repetitions(metric, counter, data):
    examples = data.draw(systems_for(counter, weighted=True, listed=LABELS))
    weights = np.floor(examples.weights)
    repeated = np.repeat(np.arange(len(examples)), weights.astype(int)).tolist()
    weighted = counter.count(replace(examples, weights=weights))
    plain = counter.count(replace(take(examples, repeated), weights=None))
    same = np.full(len(plain.groups), True)
    if not isinstance(counter, Curve):
        same = (plain.per_label().used == weighted.per_label().used).all(-1)

    assert near(metric.score(plain)[same]) == metric.score(weighted)[same]


@pytest.mark.deep
@LAW
@given(st.data())
@pytest.mark.parametrize(("metric", "counter"), SHARES, ids=repr)
def test_unit_of_weights_does_not_matter(metric, counter, data):
    examples = data.draw(systems_for(counter, weighted=True, listed=LABELS))
    tiny = replace(examples, weights=examples.weights * 2.0**-60)
    assert near(metric.score(counter.count(examples))) == metric.score(counter.count(tiny))


@pytest.mark.deep
@LAW
@given(st.data())
@EACH_CASE
def test_values_lie_within_bounds(metric, counter, data):
    values = metric.score(counter.count(data.draw(systems_for(counter, listed=LABELS))))
    low, high = metric.bounds
    # Units with one rating count for chance alone, as in irrCAC, so that kappa may be below -1.
    low = -math.inf if isinstance(metric, FleissKappa) else low
    assert [] == values[(values < low - 1e-12) | (values > high + 1e-12)].tolist()


@pytest.mark.deep
@LAW
@given(st.data())
@EACH_CASE
def test_all_weights_zero_are_no_examples(metric, counter, data):
    examples = data.draw(systems_for(counter, listed=LABELS))
    nothing = counter.count(replace(examples, weights=np.zeros(len(examples)))).total()
    nobody = counter.count(replace(take(examples, []), weights=None)).total()
    assert near(metric.score(nobody)) == metric.score(nothing)


@pytest.mark.parametrize("metric", CURVES, ids=repr)
def test_curves_without_examples_are_undefined(metric):
    nothing = Labels(np.zeros(0, np.uint8), LABELS)
    tally = Curve().count(pair_scores(nothing, np.zeros((0, len(LABELS)))))
    assert near([np.nan]) == metric.score(tally)


@pytest.mark.parametrize(
    "metric",
    [one for one in METRICS if {*one.counters} <= {Confusion, Curve, SetCurves, LabelSets}],
)
def test_metric_has_a_variant(metric):
    assert metric in {type(variant) for variant in VARIANTS}


@pytest.mark.parametrize("metric", METRICS)
def test_docstring_tells_formula_undefined_and_source(metric):
    words = [line.partition(":")[0].strip() for line in (metric.__doc__ or "").splitlines()]
    message = [word for word in words if word in ("Formula", "Undefined", "Source")]
    assert ["Formula", "Undefined", "Source"] == message


@pytest.mark.parametrize("metric", METRICS)
def test_every_option_is_explained(metric):
    options = [*metric.__struct_fields__]
    assert options == [name for name, _, words in describe(metric).options if words]
