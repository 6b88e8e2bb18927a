"""What the counters count, by hand, and how tallies and facts of examples add up."""

from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from drawn import take
from strategies import STEADY
from systems import label, pair, pair_scores, pair_sets, pair_texts, tabulate
from tallystick.errors import UsageError
from tallystick.kinds.labels.label_columns import Confusion, LabelSets
from tallystick.kinds.labels.label_reader import Predictions
from tallystick.kinds.probabilities.areas import Curve
from tallystick.limits import LIMITS
from tallystick.metrics import BLEU
from tallystick.model.codes import Labels, order, union
from tallystick.model.facts import Facts, Task
from tallystick.model.reading import Reading
from tallystick.model.tallies.clusters import draw_units
from tallystick.model.tallies.groups import find_distinct, place, sum_by
from tallystick.model.tallies.per_label import sum_others
from tallystick.reading.arrays import add_columns, read_arrays
from tallystick.results import Refusal
from tallystick.scoring import counting

SCORES = np.array([0.5, 0.25, 0.5, 1.0])


def list_steps(tally, group=0, column=0):
    scores, counts = tally.steps(group, column)
    return list(zip(scores.tolist(), counts.tolist(), strict=True))


def test_confusion_has_gold_in_rows():
    tally = Confusion().count(pair(["10", "9", "9"], ["9", "9", "10"]))
    assert ("9", "10") == tally.labels
    assert [[[1, 1], [1, 0]]] == tally.tabulate().tolist()
    assert np.int64 == tally.tabulate().dtype


def test_confusion_counts_by_group():
    groups = label(["y", "x", "y"])
    tally = Confusion().count(pair([0, 0, 1], [0, 1, 1], groups=groups))
    assert ("x", "y") == tally.groups
    assert [[[0, 1], [0, 0]], [[1, 0], [0, 1]]] == tally.tabulate().tolist()
    assert [1, 2] == tally.n.tolist()


def test_confusion_adds_up_weights():
    tally = Confusion().count(pair([0, 0, 1], [0, 0, 1], weights=np.array([0.5, 0, 3])))
    assert [[[0.5, 0], [0, 3]]] == tally.tabulate().tolist()
    assert [2] == tally.n.tolist()


def test_tallies_of_other_labels_and_groups_are_added_by_name():
    one = Confusion().count(pair(["b"], ["c"], groups=label(["y"])))
    summed = one + Confusion().count(pair(["a", "c"], ["b", "c"], groups=label(["x", "y"])))
    assert (("x", "y"), ("a", "b", "c")) == (summed.groups, summed.labels)
    assert [[0, 1, 0], [0, 0, 0], [0, 0, 0]] == summed.tabulate()[0].tolist()
    assert [[0, 0, 0], [0, 0, 1], [0, 0, 1]] == summed.tabulate()[1].tolist()
    assert [1, 2] == summed.n.tolist()


def test_counts_and_weights_are_added_as_weights():
    weighted = Confusion().count(pair([0], [0], weights=np.array([0.25])))
    assert [[[1.25]]] == (weighted + Confusion().count(pair([0], [0]))).tabulate().tolist()


def test_curves_with_and_without_weights_are_added_as_weights():
    weighted = Curve().count(pair_scores([1], np.array([0.5]), weights=np.array([0.25])))
    summed = weighted + Curve().count(pair_scores([1], np.array([0.5])))
    assert [(0.5, [0, 1.25])] == list_steps(summed)


def test_many_labels_need_no_table():
    ids = Labels(np.arange(20_000, dtype=np.uint16), tuple(map(str, range(20_000))))
    tally = Confusion().count(pair(ids, ids))
    assert [20_000] == tally.n.tolist()
    assert (20_000,) == tally.counts.shape


def test_cells_are_patterns_of_all_systems():
    systems = pair([1, 0, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], weights=np.array([1, 2, 3, 0.5]))
    tally = Confusion().count(systems)
    assert ([0, 0, 1], [[0, 1, 1], [1, 1, 0]]) == (tally.gold.tolist(), tally.outputs.tolist())
    assert [1, 2, 1] == tally.counts.tolist()
    assert [[0.5, 5, 1], [0.25, 13, 1]] == tally.weights.tolist()


def test_output_that_is_no_label_is_never_right():
    systems = pair([0, 1, 1], [0, 1, 0])
    own: Any = systems.columns["labels"]
    (output,) = own.outputs
    wrong = replace(output, invalid=np.array([True, True, False]))
    tally = Confusion().count(systems.beside("labels", replace(own, outputs=(wrong,))))
    counts = tally.per_label()

    assert [2] == tally.invalid.tolist()
    assert [[[0, 0], [1, 0]]] == tally.tabulate().tolist()
    assert ([[1, 2]], [[1, 0]], [[0, 0]]) == (
        counts.gold.tolist(),
        counts.predicted.tolist(),
        counts.hits.tolist(),
    )


def test_set_that_is_none_is_never_right():
    systems = pair_sets([["a"], []], [["a"], []])
    own: Any = systems.columns["labels"]
    (output,) = own.outputs
    wrong = replace(output, invalid=np.array([True, True]))
    tally = LabelSets().count(systems.beside("labels", replace(own, outputs=(wrong,))))
    assert [False, False] == tally.right.tolist()
    assert [[0]] == tally.per_label().predicted.tolist()


def test_clusters_are_counted_cell_by_cell():
    tally = Confusion().count(pair([0, 0, 0, 1], [0, 0, 1, 1], clusters=label([5, 5, 7, 7])))
    clusters = tally.clusters

    assert clusters is not None
    assert (5, 7) == clusters.names
    assert [(0, 0, 2), (1, 1, 1), (2, 1, 1)] == list(
        zip(
            clusters.cells.tolist(), clusters.owners.tolist(), clusters.counts.tolist(), strict=True
        )
    )


@pytest.mark.parametrize(("clusters", "due"), [(None, False), (label(range(50)), True)])
def test_blocks_with_many_clusters_do_not_wait(monkeypatch, clusters, due):
    monkeypatch.setattr(LIMITS, "waiting_cells", 40)
    block, tallies = pair([0] * 50, [0, 1] * 25, clusters=clusters), {}
    for _ in range(2):
        counting._add(tallies, block, [Confusion()])
    assert len(tallies[Confusion()]) == (1 if due else 2)


@pytest.mark.parametrize(("counter", "examples", "message"), [
    (Confusion(), pair_sets([["a"]], [["a"]]), "label sets are counted by LabelSets"),
    (LabelSets(), pair([0], [0]), "single labels are counted by Confusion"),
    (Curve(), pair([0], [0]), "curves need probabilities"),
    (BLEU().counter, pair([0], [0]), "texts were expected"),
    (BLEU().counter, pair_texts(["a"], ["a"], weights=np.ones(1)),
     "metrics of texts do not support weights"),
], ids=["confusion", "label-sets", "curve", "texts", "weighted-texts"])  # fmt: skip
def test_counter_refuses_what_it_cannot_count(counter, examples, message):
    with pytest.raises(UsageError, match=f"^{message}"):
        counter.count(examples)


@pytest.mark.parametrize(("counter", "examples"), [
    (Confusion(), pair([0], [1])),
    (LabelSets(), pair_sets([["a"]], [[]])),
    (Curve(), pair_scores([1], np.array([0.5]))),
    (Curve(), pair_scores([1], np.array([0.5]), np.array([0.5]))),
], ids=["confusion", "label-sets", "curve", "curves"])  # fmt: skip
def test_groups_without_examples_are_kept(counter, examples):
    groups = Labels(np.zeros(0, np.uint8), ("x", "y"))
    nobody = replace(take(replace(examples, groups=None), []), groups=groups)
    assert ("x", "y") == counter.count(nobody).groups
    assert [0, 0] == counter.count(nobody).n.tolist()


def test_curve_merges_equal_scores():
    tally = Curve().count(pair_scores([1, 0, 0, 1], SCORES))
    assert [(0.25, [1, 0]), (0.5, [1, 1]), (1.0, [0, 1])] == list_steps(tally)
    assert (1,) == tally.columns
    assert [2, 2] == tally.masses(0, 0).tolist()


@pytest.mark.parametrize("weights", [None, np.ones(4)], ids=["counted", "weighted"])
def test_minus_zero_is_zero(weights):
    scores = np.array([0.0, -0.0, 0.0, -0.0])
    tally = Curve().count(pair_scores([1, 0, 0, 1], scores, weights=weights))
    assert [(0.0, [2, 2])] == list_steps(tally)


@pytest.mark.parametrize("weights", [None, np.ones(4)], ids=["counted", "weighted"])
def test_curves_keep_groups_apart(weights):
    groups = label(["x", "y", "y", "x"])
    tally = Curve().count(pair_scores([1, 0, 0, 1], SCORES, groups=groups, weights=weights))
    assert [(0.5, [0, 1]), (1.0, [0, 1])] == list_steps(tally, 0)
    assert [(0.25, [1, 0]), (0.5, [1, 0])] == list_steps(tally, 1)
    assert [(0.25, [1, 0]), (0.5, [1, 1]), (1.0, [0, 1])] == list_steps(tally.total())


@pytest.mark.parametrize("n_labels", [15, 16, 17, 255, 256, 257])
@pytest.mark.parametrize("n_groups", [1, 16])
def test_curves_hold_as_many_labels_and_groups_as_there_are(n_labels, n_groups):
    rows = np.arange(n_labels)
    gold = Labels(rows.astype(np.uint16), tuple(range(n_labels)))
    groups = Labels((rows % n_groups).astype(np.uint8), tuple(range(n_groups)))
    tally = Curve().count(pair_scores(gold, np.eye(n_labels), groups=groups))
    last, group = n_labels - 1, (n_labels - 1) % n_groups
    expected = [1 if row % n_groups == group else 0 for row in range(n_labels)]

    assert expected == tally.masses(group, 0).tolist()
    assert (1.0, [0] * last + [1]) == list_steps(tally, group, last)[-1]


def test_label_sets_are_counted_as_pairs():
    tally = LabelSets().count(pair_sets([["a", "b"], [], ["b", "a"]], [["b"], ["b"], ["b"]]))
    sides = (tally.sets.take(side) for side in (tally.gold, tally.predicted))
    gold, predicted = (
        [own.take(slice(at, at + 1)).codes.tolist() for at in (0, 1)] for own in sides
    )

    assert [[], [0, 1]] == gold
    assert [[1], [1]] == predicted
    assert [1, 2] == tally.counts.tolist()


def test_label_sets_of_other_labels_are_added_by_name():
    one = LabelSets().count(pair_sets([["b"]], [["c"]]))
    counts = (one + LabelSets().count(pair_sets([["a"], ["c"]], [["a", "c"], ["c"]]))).per_label()
    assert ("a", "b", "c") == counts.labels
    assert [[1, 1, 1]] == counts.gold.tolist()
    assert [[1, 0, 3]] == counts.predicted.tolist()
    assert [[1, 0, 1]] == counts.hits.tolist()


def test_per_label_counts_are_those_of_one_against_the_rest():
    tally = tabulate(np.array([[[5, 1, 0], [2, 7, 1], [0, 0, 4]]]), ("a", "b", "c"))
    label_counts = tally.per_label()
    assert [[5, 7, 4]] == label_counts.hits.tolist()
    assert [[2, 1, 1]] == label_counts.false_positives.tolist()
    assert [[1, 3, 0]] == label_counts.false_negatives.tolist()
    assert [[12, 9, 15]] == label_counts.true_negatives.tolist()
    assert [[14, 10, 16]] == label_counts.negatives.tolist()


def test_picked_labels_come_in_the_order_asked():
    picked = tabulate(np.array([[[5, 1], [2, 7]]]), ("a", "b")).per_label().pick(["b", "nie", "a"])
    assert [[7, 0, 5]] == picked.hits.tolist()
    assert [[8, 0, 7]] == picked.predicted.tolist()
    assert [[9, 0, 6]] == picked.gold.tolist()
    assert [[5, 15, 7]] == picked.true_negatives.tolist()


@pytest.mark.parametrize(
    ("counts", "others"),
    [([], []), ([3], [0]), ([1, 2, 4], [6, 5, 3]), ([0, 0.1, 0], [0.1, 0, 0.1])],
)
def test_sum_of_others_leaves_out_the_entry(counts, others):
    assert others == sum_others(np.array(counts)).tolist()


@pytest.mark.parametrize(("names", "expected"), [
    ([("b", "a"), ("b", "a")], ("b", "a")),
    ([("b", "a"), ()], ("b", "a")),
    ([("b", "a"), ("c",)], ("a", "b", "c")),
    ([("10", "9"), ("8",)], ("8", "9", "10")),
    ([(), ()], ()),
])  # fmt: skip
def test_union_keeps_an_order_that_all_share(names, expected):
    assert expected == union(*names)


def test_axis_is_widened_by_name():
    widened = place(np.array([[1, 2], [3, 4]]), 1, ("b", "a"), ("a", "x", "b"))
    assert [[2, 0, 1], [4, 0, 3]] == widened.tolist()


TYPES = (np.int32, np.int64, np.float64)


def sum_slowly(values, places, size):
    sums = np.zeros((*values.shape[:-1], size), values.dtype)
    for item, at in enumerate(places.tolist()):
        if at >= 0:
            sums[..., at] += values[..., item]
    return sums


@STEADY
@given(
    st.integers(0, 999),
    st.sampled_from([(), (1,), (3,), (40,), (2, 40)]),
    st.integers(0, 90),
    st.integers(1, 12),
    st.sampled_from(TYPES),
    st.sampled_from("CF"),
)
def test_sums_are_those_of_single_numbers(seed, leading, items, size, kind, layout):
    rng = np.random.default_rng(seed)
    values = np.asarray(rng.integers(0, 9, (*leading, items)), kind, layout)
    places = rng.integers(-1, size, items)
    expected, found = sum_slowly(values, places, size), sum_by(values, places, size)
    assert expected.dtype == found.dtype
    assert np.array_equal(expected, found)


@STEADY
@given(st.integers(0, 999), st.sampled_from([(), (50,)]), st.integers(0, 60))
def test_items_can_have_several_places(seed, leading, places):
    rng = np.random.default_rng(seed)
    values, items = rng.integers(0, 9, (*leading, 7)), rng.integers(0, 7, places)
    where = rng.integers(0, 4, places)
    assert np.array_equal(sum_slowly(values[..., items], where, 4), sum_by(values, where, 4, items))


def test_resamples_of_sums_stand_side_by_side():
    assert (4, 160) == sum_by(np.ones((40, 6), np.int32), np.arange(6) // 2, 3).strides


@pytest.mark.parametrize("units", [1, 7, 300])
def test_owners_come_up_as_often_as_their_units(units):
    owners = np.arange(units) // 3
    plain = draw_units(units, 500, np.random.default_rng(1))
    owned = draw_units(units, 500, np.random.default_rng(1), owners)
    assert {units} == set(plain.sum(1).tolist())
    assert np.array_equal(sum_by(plain, owners, int(owners[-1]) + 1), owned)


@STEADY
@given(st.integers(0, 999), st.integers(0, 40), st.lists(st.integers(1, 9), min_size=1, max_size=4))
def test_distinct_keys_ascend_byte_by_byte(seed, rows, widths):
    rng = np.random.default_rng(seed)
    keys = [rng.choice(np.uint8([0, 7, 255]), (rows, width)) for width in widths]
    for key in keys:
        key[:, rng.random(key.shape[1]) < 0.6] = 9
    expected, places = np.unique(np.hstack(keys), axis=0, return_inverse=True)
    first, found = find_distinct(keys)

    assert np.array_equal(expected, np.hstack(keys)[first])
    assert np.array_equal(places.ravel(), found)


NOTES = ("texts were guessed.", "missing outputs of a count as wrong: {}.", "see the docs.")


def draw_sizes(draw, groups):
    return {None: int(draw.integers(9)), **{name: int(draw.integers(9)) for name in groups}}


def draw_facts(draw):
    def some(*names):
        return [name for name in names if draw.random() < 0.6]

    def one(*values):
        return values[draw.integers(len(values))]

    groups, labels = some("de", "en"), order(some("a", "b", "10", "9"))
    return Facts(
        task=Task("multiclass", labels or None),
        kinds=tuple(some("labels", "probabilities")),
        labels=labels,
        n=draw_sizes(draw, groups),
        left_out=one({}, draw_sizes(draw, groups)),
        invalid={name: draw_sizes(draw, groups) for name in some("a", "b")},
        scored=tuple(some("a", "b")),
        thresholds={"a": one(None, 0.25, 0.5), "b": 0.5},
        tokenizers=one({}, {None: ("", "zh"), **dict.fromkeys(groups, ("zh",))}),
        script=one(None, "zh", "char"),
        has_lines=one(True, False),
        weighted=one(True, False),
        notes=tuple(one(*NOTES).format(draw.integers(1, 5)) for _ in range(2)),
        rejected=tuple(Refusal(name, None, "is wrong") for name in some("c", "d")),
    )


@pytest.mark.parametrize("seed", range(40))
def test_adding_facts_is_associative_and_they_survive_being_saved(seed):
    draw = np.random.default_rng(seed)
    a, b, c = (draw_facts(draw) for _ in range(3))
    whole = Facts.join([a, b, c])
    assert (a + b) + c == a + (b + c) == whole
    assert whole.n[None] == a.n[None] + b.n[None] + c.n[None]
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(whole), type=Facts) == whole


OUTPUTS = {"a": [0.9, 0.2, 0.6, 0.1, 0.7, 0.8], "b": [0.4, 0.3, 0.6, 0.9, 0.1, 0.8]}
GROUPS = ["x", "x", "x", "y", "y", "y"]


def _count(metric, digits):
    given = {name: Predictions(probabilities=own) for name, own in OUTPUTS.items()}
    reading = Reading(task=Task("binary", threshold=0.5))
    systems = add_columns(read_arrays([1, 0, 1, 1, 0, 1], given, reading), by=GROUPS)
    return (Confusion() if metric == "f1" else Curve(digits)).count(systems)


@pytest.mark.parametrize(("metric", "digits"), [("f1", None), ("roc_auc", None), ("roc_auc", 2)])
def test_gold_masses_count_each_gold_label_by_group(metric, digits):
    assert [[1, 2], [1, 2]] == np.asarray(_count(metric, digits).gold_masses()).tolist()


def test_tallies_called_otherwise_hold_the_same_systems():
    assert ("c", "d") == _count("roc_auc", 2).rename_systems("c", "d").systems


def test_clusters_of_weight_0_are_not_listed():
    systems = pair(["a", "b", "a"], ["a", "a", "b"])
    clusters = Labels(np.array([0, 1, 1], np.uint8), ("x", "y"))
    tally = Confusion().count(
        replace(systems, clusters=clusters, weights=np.array([0.0, 1.0, 1.0]))
    )
    assert {1} == {*tally.list_clusters()[1].tolist()}
