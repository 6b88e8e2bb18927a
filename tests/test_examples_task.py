"""What kind of task it is, which labels it has, and which of them is the positive one."""

from typing import Any

import numpy as np
import pytest

from tallystick.errors import InputError, UsageError
from tallystick.kinds.labels.label_columns import LabelColumn, LabelRows, from_lists
from tallystick.kinds.labels.label_encoding import Answer, align
from tallystick.model.codes import Labels, encode, row_of
from tallystick.model.facts import Task

GOLD, MINE = row_of("gold"), row_of("mine")


@pytest.mark.parametrize(
    ("seen", "labels"),
    [
        ([0, 1], (0, 1)),
        ([1], (0, 1)),
        ([0], (0, 1)),
        (["1", "0"], ("0", "1")),
        (["1"], ("0", "1")),
        (["True", "False"], ("False", "True")),
        (["yes", "no"], ("no", "yes")),
        (["YES"], ("no", "YES")),
        (["neg", "pos"], ("neg", "pos")),
        (["Positive", "Negative"], ("Negative", "Positive")),
    ],
)
def test_usual_pairs_are_binary(seen, labels):
    settled = Task().settle(seen, scores=False)
    assert Task("binary", labels, labels[1]) == settled


@pytest.mark.parametrize(
    ("seen", "labels"),
    [
        (["a", "b"], ("a", "b")),
        (["1", "2"], ("1", "2")),
        ([0, 2], (0, 2)),
        (["b", "a", "c"], ("a", "b", "c")),
        (["0", "1", "2"], ("0", "1", "2")),
        (["only"], ("only",)),
        (["no", "1"], ("1", "no")),
        (["True", "true"], ("True", "true")),
        (["yes", "Yes", "no"], ("Yes", "no", "yes")),
    ],
)
def test_other_labels_are_multiclass(seen, labels):
    assert Task("multiclass", labels) == Task().settle(seen, scores=False)


@pytest.mark.parametrize(
    ("task", "seen", "labels"),
    [
        (Task(positive="a"), ["a", "b"], ("b", "a")),
        (Task(positive="0"), ["0", "1"], ("1", "0")),
        (Task("binary", positive="b"), ["a", "b"], ("a", "b")),
        (Task(positive="b"), ["b"], ("not b", "b")),
        (Task(positive="b"), ["a"], ("a", "b")),
        (Task("binary", ("b", "a"), "b"), ["a"], ("a", "b")),
        (Task("binary"), ["0", "1"], ("0", "1")),
    ],
)
def test_named_positive_label_is_taken(task, seen, labels):
    settled = task.settle(seen, scores=False)
    assert ("binary", labels, labels[1]) == (settled.kind, settled.labels, settled.positive)


def test_probabilities_make_a_task_binary():
    assert "binary" == Task(positive="b").settle(["a", "b"], scores=True).kind


@pytest.mark.parametrize(
    ("task", "seen", "scores", "kind", "message"),
    [
        (Task("binary"), "ab", False, UsageError, "which label is the positive one? Name it:"),
        (Task(), "ab", True, UsageError, "which label is the positive one? Name it: `positive"),
        (Task(), [0, 2], True, UsageError, "Name it: `positive=2`"),
        (Task("binary"), "abc", False, InputError, "a binary task has two labels, but these"),
        (
            Task(),
            "abc",
            True,
            InputError,
            "a binary task has two labels, but these occur: 'a', 'b', 'c'",
        ),
        (Task(positive="a"), "abc", False, InputError, "a binary task has two labels, but these"),
        (
            Task(positive="x"),
            "ab",
            False,
            UsageError,
            "the positive label 'x' is not one of 'a', 'b'",
        ),
        (
            Task(positive="x"),
            "01",
            True,
            UsageError,
            "the positive label 'x' is not one of '0', '1'",
        ),
        (Task(threshold=0.3), "ab", False, UsageError, "a threshold is for binary tasks"),
    ],
)
def test_what_cannot_be_settled_is_told(task, seen, scores, kind, message):
    with pytest.raises(kind) as caught:
        task.settle(list(seen), scores=scores)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"kind": "regression"},
            "task must be one of binary, multiclass, multilabel, not 'regression'",
        ),
        ({"threshold": 1.5}, "the threshold must be between 0 and 1, not 1.5"),
        ({"threshold": float("nan")}, "the threshold must be between 0 and 1, not nan"),
        ({"labels": ("a", "b", "a")}, "labels contains a label twice"),
    ],
)
def test_bad_option_is_told(options, message):
    with pytest.raises(UsageError) as caught:
        Task(**options)
    assert message == str(caught.value)[: len(message)]


def settle(
    gold: list[Any],
    predicted: list[Any] | None,
    probabilities: Any = None,
    task: Task | None = None,
) -> tuple[list[Any], Task]:
    scores = None if probabilities is None else np.array(probabilities)
    own = None if predicted is None else encode(predicted, MINE)
    column, settled = align_one(encode(gold, GOLD), Answer(own, scores, MINE), task)
    (output,) = column.outputs
    return [column.gold.names[code] for code in output.labels.codes], settled


def align_one(
    gold: Labels | LabelRows, answer: Answer, task: Task | None = None
) -> tuple[LabelColumn, Task]:
    return align(gold, {"mine": answer}, task or Task(), GOLD)


def test_labels_that_are_given_keep_their_order():
    predicted, settled = settle(["a", "b"], ["b", "b"], task=Task(labels=("c", "b", "a")))
    assert ["b", "b"] == predicted
    assert Task("multiclass", ("c", "b", "a")) == settled


@pytest.mark.parametrize(("threshold", "expected"), [(None, [0, 1, 1]), (0.7, [0, 0, 1])])
def test_probabilities_stand_for_labels(threshold, expected):
    predicted, settled = settle([0, 1, 1], None, [0.49, 0.5, 0.7], Task(threshold=threshold))
    assert expected == predicted
    assert (threshold or 0.5) == settled.threshold


def test_predicted_labels_go_before_probabilities():
    given, settled = settle([0, 1], [1, 1], [0.2, 0.4])
    asked, _ = settle([0, 1], [1, 1], [0.2, 0.4], Task(threshold=0.3))
    assert ([1, 1], None) == (given, settled.threshold)
    assert [0, 1] == asked


@pytest.mark.parametrize(
    ("gold", "predicted", "probabilities", "task", "message"),
    [
        ([0, 1], ["0", "1"], None, None, "mixed types: gold and predicted labels are text on one"),
        ([0, 1], [1], None, None, "there are 2 gold examples but 1 predictions"),
        ([0, 1], None, [0.5], None, "there are 2 gold examples but 1 probabilities"),
        ([], [], None, None, "there are no examples to score"),
        ([0, 1], None, None, None, "there are neither predicted labels nor probabilities"),
        ([0, 1], None, [0.5, 1.5], None, "mine, row 2: 1.5 is not a probability between 0 and 1"),
        (
            ["a", "x"],
            ["a", "a"],
            None,
            Task(labels=("a", "b")),
            "gold, row 2: label 'x' is not one",
        ),
        (
            ["a", "b"],
            ["a", "x"],
            None,
            Task(labels=("a", "b")),
            "mine, row 2: label 'x' is not one",
        ),
        (list("abc"), None, [[0.5, 0.5]] * 3, None, "there are 2 probabilities per example but"),
        ([0, 1], None, [[0.5, 0.5]] * 2, None, "there are 2 probabilities per example but the"),
        (list("abc"), None, [0.5] * 3, Task("multiclass"), "one probability per example is for"),
        ([0, 1], [0, 1], None, Task("multilabel"), "a multilabel task needs label sets"),
    ],
)
def test_what_does_not_fit_is_told(gold, predicted, probabilities, task, message):
    with pytest.raises(InputError) as caught:
        settle(gold, predicted, probabilities, task)
    assert message in str(caught.value)


def test_threshold_never_replaces_the_labels_of_a_multiclass_task():
    with pytest.raises(UsageError, match="a threshold is for binary tasks, and this one is multi"):
        settle(list("abc"), list("aaa"), np.eye(3), Task(threshold=0.3))


def test_label_sets_beside_single_labels_are_told():
    rows = from_lists([["a"]], GOLD)
    with pytest.raises(InputError, match=r"^one side has label sets and the other single"):
        align_one(rows, Answer(encode(["a"], MINE), None, MINE))


@pytest.mark.parametrize("kind", ["binary", "multiclass"])
def test_label_sets_are_a_multilabel_task(kind):
    rows = from_lists([["a"]], GOLD)
    column, task = align_one(rows, Answer(rows, None, MINE))
    assert Task("multilabel", ("a",)) == task
    assert [1, 1] == [len(column.gold), len(column.outputs[0].labels)]
    with pytest.raises(
        UsageError, match=f"these examples have label sets, which do not fit a {kind}"
    ):
        align_one(rows, Answer(rows, None, MINE), Task(kind))


def test_systems_settle_the_task_together():
    answers = {
        name: Answer(encode(labels, row_of(name)), None, row_of(name))
        for name, labels in {"one": ["0", "1"], "two": ["2", "1"]}.items()
    }
    _, task = align(encode(["0", "1"], GOLD), answers, Task(), GOLD)

    assert Task("multiclass", ("0", "1", "2")) == task
    with pytest.raises(InputError, match="two, row 1: a binary task has two labels, but these"):
        align(encode(["0", "1"], GOLD), answers, Task("binary"), GOLD)


def test_each_system_keeps_its_own_threshold():
    scores = np.array([0.4, 0.6])
    answers = {
        name: Answer(None, scores, row_of(name), threshold)
        for name, threshold in {"one": 0.5, "two": 0.3}.items()
    }
    column, task = align(encode([0, 1], GOLD), answers, Task(), GOLD)
    asked, overruled = align(encode([0, 1], GOLD), answers, Task(threshold=0.7), GOLD)

    assert [[0, 1], [1, 1]] == [own.labels.codes.tolist() for own in column.outputs]
    assert ([0.5, 0.3], None) == ([own.threshold for own in column.outputs], task.threshold)
    assert [[0, 0], [0, 0]] == [own.labels.codes.tolist() for own in asked.outputs]
    assert 0.7 == overruled.threshold


def test_columns_of_probabilities_are_put_into_one_order():
    def answer(columns: str, row: list[float]) -> Answer:
        return Answer(None, np.array([row] * 2), MINE, columns=tuple(columns))

    gold = encode(["a", "b"], GOLD)
    same = {"one": answer("bca", [0.5, 0.3, 0.2]), "two": answer("abc", [0.2, 0.5, 0.3])}
    column, task = align(gold, same, Task(), GOLD)

    assert ("b", "c", "a") == task.labels
    assert [[[0.5, 0.3, 0.2]] * 2] * 2 == [own.probabilities.tolist() for own in column.outputs]
    with pytest.raises(InputError, match="two has probabilities of the labels a, b, but one has"):
        align(gold, same | {"two": answer("ab", [0.5, 0.5])}, Task(), GOLD)


@pytest.mark.parametrize("odd", ["gold", "one"])
def test_the_label_too_many_of_a_binary_task_is_told_where_it_stands(odd):
    columns = {"gold": ["b", "b", "c"], "one": ["b", "c", "b"]}
    columns[odd][1] = "a"
    answer = Answer(encode(columns["one"], row_of("one")), None, row_of("one"))
    message = f"{odd}, row 2: a binary task has two labels, but these occur: 'a', 'b', 'c'"
    rows = encode(columns["gold"], GOLD)
    if odd == "gold":
        message = message.replace("row 2", "row 3")  # its third label in their order

    with pytest.raises(InputError) as caught:
        align(rows, {"one": answer}, Task("binary", positive="b"), GOLD)

    assert message == str(caught.value)
