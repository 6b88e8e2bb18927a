"""Probabilities in bins: values within a bound, sums of parts to the byte, and constant memory."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk

from drawn import column, forget, systems_for, take
from strategies import STEADY, Array
from systems import pair_scores
from tallystick.codes import Labels
from tallystick.errors import InputError, UsageError
from tallystick.kinds.labels import LABELS
from tallystick.kinds.probabilities.best_thresholds import find_best, predict_at
from tallystick.kinds.probabilities.score_counter import Curve
from tallystick.metrics import ECE, F1, ROCAUC, AveragePrecision, BrierScore, LogLoss, Metric
from tallystick.tallies.bins import Bins

ONE = (ROCAUC(), AveragePrecision(), BrierScore(), LogLoss(), ECE(), ECE(3))
SEVERAL = (
    *(ROCAUC("ovo"), ROCAUC("ovr", "weighted"), ROCAUC("ovo", "weighted")),
    AveragePrecision("weighted"),
)
ROUNDING = 1e-12


def tell(tally: Bins) -> Any:
    """All that a tally says, in bytes."""
    arrays = (tally.cells, tally.counts, tally.sums, tally.owners, tally.losses, tally.n)
    names = (tally.systems, tally.groups, tally.labels, tally.columns, tally.clusters)
    return (*names, *((array.dtype.str, array.shape, array.tobytes()) for array in arrays))


@st.composite
def scores(draw: st.DrawFn) -> tuple[Array, Array]:
    """Gold and probabilities of two labels or three, some of them tied, at edges, or 0 and 1."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    size, labels = draw(st.integers(1, 60)), draw(st.sampled_from([2, 2, 3]))
    gold = random.integers(labels, size=size)
    if draw(st.booleans()) and draw(st.booleans()):
        gold[:] = 1
    decimals = draw(st.sampled_from([0, 1, 2, 17]))
    if labels > 2:
        drawn = random.dirichlet(np.ones(labels), size)
        return gold, drawn if decimals else np.eye(labels)[gold - 1]
    rounded = np.round(random.random(size) ** draw(st.sampled_from([1, 6])), decimals)
    return gold, rounded.astype(draw(st.sampled_from([np.float32, np.float64])))


def score_both(metric: Metric, gold: Array, drawn: Array, bins: int) -> tuple[float, float, float]:
    """The value of a metric without and with bins, and the bound of the difference."""
    names = tuple(range(max(2, np.ndim(drawn) and drawn.shape[-1] if drawn.ndim > 1 else 2)))
    examples = pair_scores(gold, drawn, names=names)
    binned: Any = Curve(bins).count(examples)
    exact = metric.score(Curve().count_one(examples))[0]
    return exact, metric.score(binned)[0], metric.bin_error(binned)[0]  # type: ignore[attr-defined]


@STEADY
@given(scores(), st.sampled_from([1, 2, 3, 7, 10, 100, 1000]))
def test_the_exact_value_lies_within_the_bound(drawn, bins):
    """Whatever the scores and the number of bins; what is undefined stays undefined."""
    for metric in (*ONE, *(SEVERAL if drawn[1].ndim > 1 else ())):
        exact, value, error = score_both(metric, *drawn, bins)
        assert np.isnan(exact) == np.isnan(value)
        assert np.isnan(exact) or abs(exact - value) <= error + ROUNDING


@pytest.mark.parametrize("metric", ONE, ids=repr)
def test_probabilities_with_few_decimals_are_exact(metric):
    """Two decimals in 100 bins, or in 3000: nothing is lost."""
    random = np.random.default_rng(3)
    gold, drawn = random.integers(2, size=500), np.round(random.random(500), 2)
    for bins in (100, 3000):
        exact, value, error = score_both(metric, gold, drawn, bins)
        assert pytest.approx(exact, abs=1e-9) == value
        assert error < 1e-9


@pytest.mark.parametrize("bins", [1, 4, 10, 50])
def test_ranks_are_those_of_binned_scores(bins):
    """As scikit-learn has them for scores that are replaced by the middles of their bins."""
    random = np.random.default_rng(bins)
    gold, drawn = random.integers(2, size=300), random.random(300)
    middles = (np.floor(drawn * bins) + 0.5) / bins
    tally = Curve(bins).count(pair_scores(gold, drawn))
    expected = sk.roc_auc_score(gold, middles), sk.average_precision_score(gold, middles)

    assert pytest.approx(expected[0], abs=ROUNDING) == ROCAUC().score(tally)[0]
    assert pytest.approx(expected[1], abs=ROUNDING) == AveragePrecision().score(tally)[0]


def test_losses_are_those_of_unbinned_scores():
    """As scikit-learn has them, however few the bins."""
    random = np.random.default_rng(5)
    gold, drawn = random.integers(2, size=300), random.random(300)
    tally = Curve(1).count(pair_scores(gold, drawn))

    assert pytest.approx(sk.brier_score_loss(gold, drawn), abs=1e-9) == BrierScore().score(tally)[0]
    assert pytest.approx(sk.log_loss(gold, drawn), abs=1e-9) == LogLoss().score(tally)[0]


@STEADY
@given(st.data())
@pytest.mark.parametrize("systems", [1, 3])
def test_parts_add_up_to_the_same_bytes(systems, data):
    """However examples are split, and in whatever order parts are added."""
    counter = Curve(7)
    examples = data.draw(systems_for(Curve(), systems, weighted=False, clustered=None))
    places = np.array(data.draw(column(st.integers(0, 3), len(examples))))
    parts = [take(examples, np.flatnonzero(places == part).tolist()) for part in range(4)]
    first, *others = (counter.count(forget(part)) for part in data.draw(st.permutations(parts)))
    for other in others:
        first = other + first

    assert tell(counter.count(forget(examples))) == tell(first)


@STEADY
@given(st.data())
def test_each_system_and_group_is_counted_on_its_own(data):
    """One of several systems is as it is alone, and the sum over groups as without groups."""
    counter = Curve(5)
    examples = data.draw(systems_for(Curve(), 3, weighted=False, clustered=None))
    tally: Any = counter.count(examples)
    column = LABELS.of(examples)
    plain: Any = counter.count(pair_scores(column.gold, column.outputs[1].probabilities))

    assert tell(counter.count(examples.of("b"))) == tell(tally.of("b"))
    if examples.clusters is None:
        whole = tally.of("b").total()
        assert tell(plain)[5:] == tell(whole)[5:]


@STEADY
@given(scores(), st.sampled_from([1, 2, 3, 10, 100]))
def test_the_best_threshold_lies_within_the_bound(drawn, bins):
    """The edge has its value on the scores themselves, and so have all said to be as good."""
    gold, found = drawn
    if found.ndim > 1 or len(set(gold.tolist())) < 2:
        return
    found = found.astype(np.float64)
    examples = pair_scores(gold, found)
    whole = Curve().count_one(examples)
    exact = find_best(whole, 0, F1())
    best = find_best(Curve(bins).count(examples), 0, F1())  # type: ignore[arg-type]
    low = best.threshold if best.above is None else best.above
    tried = np.array([best.threshold, (best.threshold + best.up_to) / 2, best.up_to])
    tried = np.append(tried, (low + 2 * best.threshold) / 3)

    assert best.bin_error is not None
    assert best.value - ROUNDING <= exact.value <= best.value + best.bin_error + ROUNDING
    assert F1().score(predict_at(whole, 0, tried))[:, 0] == pytest.approx(best.value)


def test_memory_does_not_grow_with_examples():
    """A million examples take the bytes of ten thousand that fill the same bins."""
    found = []
    for size in (10_000, 1_000_000):
        random = np.random.default_rng(1)
        drawn = random.random(size)
        tally: Any = Curve(50).count(pair_scores((drawn > random.random(size)) * 1, drawn))
        arrays = (tally.cells, tally.counts, tally.sums, tally.owners, tally.losses, tally.n)
        found.append(sum(array.nbytes for array in arrays))

    assert found[0] == found[1] < 8000


def test_edges_belong_to_no_interval():
    """0, 1 and every edge between have a bin of their own, even where a product is rounded."""
    edges = np.array([0, 0.29, 0.57, 0.58, 1.0])
    tally: Any = Curve(100).count(pair_scores([0, 1, 0, 1, 1], edges))

    assert [0, 58, 114, 116, 200] == sorted(tally.cells[:, 5].tolist())
    assert edges.tolist() == tally.steps(0, 0)[0].tolist()


def test_other_bins_do_not_add():
    """Nor do bins add to scores, or clusters to none."""
    examples = pair_scores([0, 1], np.array([0.2, 0.7]))
    clustered = pair_scores(
        [0, 1], np.array([0.2, 0.7]), clusters=Labels(np.array([0, 1], np.uint8), ("a", "b"))
    )
    tally: Any = Curve(10).count(examples)

    for other in (Curve(20).count(examples), Curve().count(examples)):
        with pytest.raises(UsageError, match="tallies of different counters cannot be added"):
            tally + other
    with pytest.raises(UsageError, match="a tally with clusters cannot be added to one without"):
        tally + Curve(10).count(clustered)


def test_other_labels_do_not_add():
    """A probability for each label says which labels there are."""
    drawn = np.full((2, 2), 0.5)
    one, other = (
        Curve(10).count(pair_scores(Labels(np.array([0, 1], np.uint8), names), drawn))
        for names in (("a", "b"), ("a", "c"))
    )
    with pytest.raises(InputError, match="of different labels cannot be added"):
        one + other


@pytest.mark.parametrize("bins", [0, -1, 2**20 + 1, 10.0, True])
def test_a_number_of_bins_is_checked(bins):
    """From 1 to a million or so."""
    with pytest.raises(UsageError, match="bins is a whole number from 1 to 1,048,576, not"):
        Curve(bins)


def test_weights_have_no_bins():
    """Weighted sums would not be whole numbers."""
    examples = pair_scores([0, 1], np.array([0.2, 0.7]), weights=np.ones(2))
    with pytest.raises(UsageError, match="bins count examples, and do not weigh them"):
        Curve(10).count(examples)


def test_bins_of_single_examples_leave_nothing_open():
    """With enough bins the order is known."""
    random = np.random.default_rng(8)
    drawn = np.sort(random.random(40))
    examples = pair_scores(random.integers(2, size=40), drawn)
    tally: Any = Curve(2**20).count(examples)

    assert [0, 0] == [metric.bin_error(tally)[0] for metric in (ROCAUC(), AveragePrecision())]
