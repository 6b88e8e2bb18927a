"""Tables are read as examples, and the task is settled by their labels and probabilities."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from cases import cases
from tallystick.errors import InputError, UsageError
from tallystick.io.tables.table import from_arrow
from tallystick.kinds.labels import LABELS
from tallystick.kinds.labels.label_columns import from_lists
from tallystick.kinds.labels.label_encoding import Answer, align
from tallystick.kinds.metrics.requirements import find_numbers
from tallystick.kinds.numbers import NUMBERS
from tallystick.kinds.spans import SPANS
from tallystick.kinds.texts import TEXTS
from tallystick.model.codes import Labels, encode, row_of
from tallystick.model.columns import Columns
from tallystick.model.facts import Task
from tallystick.model.reading import Reading
from tallystick.model.sides import Side
from tallystick.reading.tables import read_systems


def read(gold, predictions=None, columns=None, task=None):
    table, own = (
        None if cells is None else from_arrow(pa.table(cells), source)
        for cells, source in ((gold, "gold.csv"), (predictions, "mine.csv"))
    )
    reading = Reading(columns or Columns(), task or Task(), (LABELS,))
    systems = read_systems(table, {"mine": None if own is None else lambda: own}, reading)
    return systems, systems.facts.task


def only(systems):
    (output,) = LABELS.of(systems).outputs
    return output


def spell(column):
    if isinstance(column, Labels):
        return [column.names[code] for code in column.codes]
    return list(map(column.list_names, range(len(column))))


def spell_both(systems):
    return spell(LABELS.of(systems).gold), spell(only(systems).labels)


@cases("name", "prediction", "pred")
@cases(
    "gold predicted positive",
    (["x", "y"], ["y", "y"], "y"),
    (["1", "2", "3"], ["1", "1", "2"], None),
    ids=["text", "numbers"],
)
def test_prediction_may_be_a_label(name, gold, predicted, positive):
    systems, _ = read({"label": gold, name: predicted}, task=Task(positive=positive))
    assert (gold, predicted) == spell_both(systems)
    assert only(systems).probabilities is None


@cases(
    "gold predictions",
    ({"label": ["a", "b"]}, {"label": ["b", "b"]}),
    ({"gold": ["a", "b"]}, {"mine": ["b", "b"]}),
    ({"label": ["a", "b"], "n": ["1", "2"]}, {"y_pred": ["b", "b"], "n": ["1", "2"]}),
    ({"id": ["1", "2"], "klass": ["a", "b"]}, {"id": ["1", "2"], "guess": ["b", "b"]}),
)
def test_labels_are_found_in_two_tables(gold, predictions):
    systems, _ = read(gold, predictions)
    assert (["a", "b"], ["b", "b"]) == spell_both(systems)


@cases(
    "left right ids",
    ("id", "id", Columns()),
    ("sub_id", "id", Columns()),
    ("key", "key", Columns(id="key")),
)
def test_two_tables_are_joined_by_id(left, right, ids):
    gold = {left: ["1", "2", "3"], "label": ["0", "1", "1"]}
    mine = {right: ["3", "1", "2"], "y_pred": ["1", "0", "0"], "y_prob": ["0.75", "0.25", "0.5"]}
    systems, _ = read(gold, mine, ids)
    assert (["0", "1", "1"], ["0", "0", "1"]) == spell_both(systems)
    assert [0.25, 0.5, 0.75] == only(systems).probabilities.tolist()


@cases("frame", pd.DataFrame, pl.DataFrame, ids=["pandas", "polars"])
def test_data_frames_are_joined_by_id(frame):
    gold = frame({"id": ["1", "2"], "label": ["a", "b"]})
    mine = frame({"id": ["2", "1"], "y_pred": ["b", "b"]})
    assert (["a", "b"], ["b", "b"]) == spell_both(read(gold, mine)[0])


def test_categories_of_a_data_frame_are_labels():
    kind = pl.Enum(["b", "unused", "a"])
    gold = pl.DataFrame({"id": [1, 2], "label": pl.Series(["a", "b"], dtype=kind)})
    mine = pl.DataFrame({"id": [2, 1], "label": pl.Series(["b", "b"], dtype=pl.Categorical)})
    assert (["a", "b"], ["b", "b"]) == spell_both(read(gold, mine)[0])


def test_groups_and_weights_stay_with_their_examples():
    gold = {"id": ["1", "2"], "label": ["0", "1"], "lang": ["en", "de"], "w": ["1", "2.5"]}
    mine = {"id": ["2", "1"], "y_pred": ["1", "0"], "lang": ["xx", "xx"], "domain": ["x", "y"]}
    systems, _ = read(gold, mine, Columns(by=("lang", "domain"), weight="w"))
    assert ["en/y", "de/x"] == spell(systems.groups)
    assert [1, 2.5] == systems.weights.tolist()


@cases(
    "gold predicted",
    (["1.0", "0.0"], ["1", "0"]),
    (["1.0", "0.0"], ["1", "maybe"]),
    ([1.0, 0.0], ["1", "0"]),
    ([True, False], ["1", "0"]),
    ([1, 0], [1.0, 0.0]),
)
def test_numbers_in_files_match_however_they_are_written(gold, predicted):
    systems, _ = read({"label": gold}, {"y_pred": predicted})
    assert ["1", "0"] == spell(LABELS.of(systems).gold)
    assert "1" == spell(only(systems).labels)[0]


@cases("task", Task("binary", (0, 1), 1), Task("binary", ("0.0", "1.0"), "1.0"))
def test_labels_of_the_task_are_written_as_those_of_files(task):
    settled = read({"label": ["0", "1.0"]}, {"label": ["1", "1"]}, task=task)[1]
    assert (("0", "1"), "1") == (settled.labels, settled.positive)


def test_case_is_folded_if_asked():
    mine = {"y_prob_joy": ["0.75", "0.25"], "y_prob_ANGER": ["0.25", "0.75"]}
    folding = Columns(fold_case=True)
    systems, settled = read({"label": ["Joy", "Anger"]}, mine, folding)
    pair = read({"label": ["A", "b"]}, {"label": ["a", "B"]}, folding, Task(positive="A"))[1]
    assert (["joy", "anger"], ["joy", "anger"]) == spell_both(systems)
    assert ("joy", "anger") == settled.labels
    assert ("b", "a") == pair.labels


def test_probabilities_of_all_labels_are_found():
    mine = {"prob_z": ["0.5", "0.25"], "prob_b": ["0.25", "0.5"], "prob_a": ["0.25", "0.25"]}
    systems, settled = read({"label": ["a", "b"]}, mine)
    assert ("z", "b", "a") == settled.labels == systems.labels
    assert [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]] == only(systems).probabilities.tolist()
    assert ["z", "b"] == spell(only(systems).labels)


def test_threshold_that_is_asked_for_goes_before_that_of_the_file():
    cells = {"label": ["0", "1"], "y_prob": ["0.6", "0.7"], "best_threshold": ["0.65", "0.1"]}
    systems, settled = read(cells, task=Task(threshold=0.2))
    assert ["1", "1"] == spell(only(systems).labels)
    assert 0.2 == settled.threshold


def test_threshold_of_a_file_with_predicted_labels_is_left_alone():
    cells = {"label": ["0", "1"], "y_pred": ["1", "0"], "best_threshold": ["0.6", "0.7"]}
    systems, settled = read({**cells, "y_prob": ["0.6", "0.7"]})
    assert ["1", "0"] == spell(only(systems).labels)
    assert settled.threshold is None


@cases(
    "gold predictions options",
    ({"a": ["0", "1"], "b": ["1", "1"]}, {"b": ["1", "0"], "a": ["1", "1"]}, ()),
    ({"a": [False, True], "b": [True, True]}, {"a": [1.0, 1.0], "b": [1, 0]}, ()),
    (
        {"id": ["1", "2"], "t": ["x", "y"], "a": ["0", "1"], "b": ["1", "1"]},
        {"id": ["2", "1"], "a": ["1", "1"], "b": ["0", "1"]},
        (),
    ),
    ({"label": ["b", "a|b"]}, {"label": ["b|a", "a"]}, (Columns(), Task("multilabel"))),
    ({"tags": ["b", "a;b"]}, {"tags": ["b;a", "a"]}, (Columns(delimiter=";"),)),
    ({"tags": ["b", "a|b"]}, {"tags": ["a|b", "a"]}, (Columns(), Task("multilabel", ("a", "b")))),
    ({"label": ['["b"]', '["a", "b"]']}, {"label": ['["a","b"]', '["a"]']}, ()),
    ({"label": [["b"], ["a", "b"]]}, {"y_pred": [["a", "b"], ["a"]]}, ()),
    ({"label": [["b"], ["a", "b"]], "y_pred": [["a", "b"], ["a"]]}, None, ()),
    ({"label": [["b"], ["a", "b"]], "prediction": [["a", "b"], ["a"]]}, None, ()),
    ({"label": ["B", "a|B"]}, {"label": ["A|b", "A"]}, (Columns(delimiter="|", fold_case=True),)),
)
def test_label_sets_are_found(gold, predictions, options):
    systems, settled = read(gold, predictions, *options)
    assert ([["b"], ["a", "b"]], [["a", "b"], ["a"]]) == spell_both(systems)
    assert "multilabel" == settled.kind


def test_polars_lists_are_label_sets():
    gold = pl.DataFrame({"id": ["1", "2"], "label": [["a"], []]})
    mine = pl.DataFrame({"id": ["2", "1"], "label": [["a"], ["a"]]})
    assert ([["a"], []], [["a"], ["a"]]) == spell_both(read(gold, mine)[0])


@cases(
    "gold predictions message",
    ({"x": ["1"], "y": ["1"]}, None, "no gold column: none is called y_true, label, target"),
    ({"label": ["1"]}, None, "no predicted column: none is called y_pred, y_prob, pred_label"),
    ({"label": [["a"]]}, None, "no predicted column: none is called y_pred, pred_label"),
    ({"label": ["1"]}, None, "`systems=`, or list the systems' files after the gold"),
    ({"label": ["1"]}, {"x": ["1"], "y": ["1"]}, "mine.csv: has no predicted column: none is"),
    ({"x": ["a"], "y": ["b"]}, {"y_pred": ["b"]}, "gold.csv: has no gold column: none is"),
    (
        {"label": ["1", ""]},
        {"label": ["1", "1"]},
        "gold.csv, row 2, column 'label': the value is empty",
    ),
    (
        {"id": ["1", "2"], "label": ["0", "1"]},
        {"id": ["2", "1"], "y_pred": ["0", None]},
        "mine.csv, row 2, column 'y_pred': the value is missing",
    ),
    (
        {"id": ["1", "2"], "label": ["0", "1"]},
        {"id": ["2", "1"], "y_prob": ["0.5", "inf"]},
        "mine.csv, row 2, column 'y_prob': inf is not a score; scores are finite numbers",
    ),
    (
        {"label": ["0", "1"]},
        {"y_prob": ["0.5", "half"]},
        "mine.csv, row 2, column 'y_prob': 'half' is not a number",
    ),
    (
        {"label": ["0", "1"]},
        {"y_prob": ["0.5", "0.5"], "best_threshold": ["0.5", "0.6"]},
        "mine.csv, row 2, column 'best_threshold': found 0.6, but the rows above have 0.5",
    ),
    (
        {"label": ["a", "x"]},
        {"prob_a": ["1", "1"], "prob_b": ["0", "0"]},
        (
            "mine has probabilities of the labels 'a', 'b' only, and the gold contains 1 other "
            "label;"
        ),
    ),
    (
        {"label": ["a", "b"]},
        {"label": ["a"]},
        "gold.csv has 2 examples but mine.csv has 1, and there are no ids in both to join them",
    ),
    (
        {"id": ["1", "2"], "label": ["a", "b"]},
        {"id": ["1", "3"], "label": ["a", "b"]},
        "mine.csv has no prediction for the id 2 of gold.csv",
    ),
    (
        {"a": ["0", "1"], "b": ["1", "1"]},
        {"a": ["0", "1"], "b": ["1", "x"]},
        "mine.csv, row 2, column 'b': expected 0 or 1, found x",
    ),
    ({"a": ["0"], "b": ["1"]}, {"a": ["0"]}, "mine.csv: has no column 'b', only 'a'"),
    (
        {"label": [["a"], None]},
        {"label": [["a"], ["a"]]},
        "gold.csv, row 2, column 'label': the value is missing; write [] or an empty cell for ",
    ),
    (
        {"label": [["a"], ["b"]]},
        {"label": [["a"], ["b", "b"]]},
        "mine.csv, row 2, column 'label': label 'b' occurs twice in one example",
    ),
)
def test_what_is_wrong_is_told(gold, predictions, message):
    with pytest.raises(InputError) as caught:
        read(gold, predictions)
    assert message in str(caught.value)


def test_two_marks_between_labels_are_told():
    with pytest.raises(InputError, match=r"both '\|' and ';' occur in the cells; name the one"):
        read({"label": ["a|b", "b;c"]}, {"label": ["a", "b"]}, task=Task("multilabel"))


@cases(
    "weights message",
    (["1", "-1"], "gold.csv, row 2, column 'w': -1.0 is not a weight"),
    (["1", "nan"], "gold.csv, row 2, column 'w': nan is not a weight"),
    (["1", ""], "gold.csv, row 2, column 'w': '' is not a number"),
)
def test_bad_weight_is_told(weights, message):
    with pytest.raises(InputError) as caught:
        read({"label": ["0", "1"], "w": weights}, {"y_pred": ["0", "1"]}, Columns(weight="w"))
    assert message == str(caught.value)[: len(message)]


@cases(
    "columns task kind",
    (Columns(), Task(positive="maybe"), UsageError),
    (Columns(), Task(labels=("0", "2")), InputError),
    (Columns(predicted="nie"), Task(), InputError),
    (Columns(gold="nie"), Task(), InputError),
    (Columns(id="nie"), Task(), InputError),
    (Columns(by=("nie",)), Task(), InputError),
    (Columns(weight="nie"), Task(), InputError),
)
def test_what_is_asked_for_must_be_there(columns, task, kind):
    with pytest.raises(kind, match=r"maybe|'1'|nie"):
        read({"label": ["0", "1"]}, {"y_pred": ["0", "1"]}, columns, task)


COLUMNS_BY_ID = {
    "labels": (LABELS, lambda row: f"label {row % 3}"),
    "label sets": (LABELS, lambda row: [f"label {row % 3}"]),
    "texts": (TEXTS, lambda row: f"the text {row}"),
    "numbers": (NUMBERS, float),
    "spans": (SPANS, lambda row: [{"start": row, "end": row + 1, "label": "X"}]),
}


@cases("missing", "error", "wrong")
@cases("kind", *COLUMNS_BY_ID)
def test_joining_by_id_looks_at_whole_columns_equally_often_for_any_number_of_rows(
    kind, missing, monkeypatch
):
    kinds, value = COLUMNS_BY_ID[kind]
    reading = Reading(
        Columns(missing=missing),
        kinds=(kinds,),
        numbers=find_numbers(["mae"] if kind == "numbers" else ["bleu"]),
    )
    looks = []
    found = Side.absent.fget
    monkeypatch.setattr(Side, "absent", property(lambda side: (looks.append(1), found(side))[1]))

    def count(rows):
        cells = [value(row) for row in range(rows)]
        gold = from_arrow(pa.table({"id": range(rows), "gold": cells}), "gold")
        own = from_arrow(pa.table({"id": range(rows)[::-1], "output": cells[::-1]}), "own")
        looks.clear()
        read_systems(gold, {"own": lambda: own}, reading)
        return len(looks)

    assert count(10) == count(100)


GOLD, MINE = row_of("gold"), row_of("mine")


@cases(
    "seen labels",
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
)
def test_usual_pairs_are_binary(seen, labels):
    settled = Task().settle(seen, scores=False)
    assert Task("binary", labels, labels[1]) == settled


@cases(
    "seen labels",
    (["a", "b"], ("a", "b")),
    (["1", "2"], ("1", "2")),
    ([0, 2], (0, 2)),
    (["b", "a", "c"], ("a", "b", "c")),
    (["0", "1", "2"], ("0", "1", "2")),
    (["only"], ("only",)),
    (["no", "1"], ("1", "no")),
    (["True", "true"], ("True", "true")),
    (["yes", "Yes", "no"], ("Yes", "no", "yes")),
)
def test_other_labels_are_multiclass(seen, labels):
    assert Task("multiclass", labels) == Task().settle(seen, scores=False)


@cases(
    "task seen labels",
    (Task(positive="a"), ["a", "b"], ("b", "a")),
    (Task(positive="0"), ["0", "1"], ("1", "0")),
    (Task("binary", positive="b"), ["a", "b"], ("a", "b")),
    (Task(positive="b"), ["b"], ("not b", "b")),
    (Task(positive="b"), ["a"], ("a", "b")),
    (Task("binary", ("b", "a"), "b"), ["a"], ("a", "b")),
    (Task("binary"), ["0", "1"], ("0", "1")),
)
def test_named_positive_label_is_taken(task, seen, labels):
    settled = task.settle(seen, scores=False)
    assert ("binary", labels, labels[1]) == (settled.kind, settled.labels, settled.positive)


def test_probabilities_make_a_task_binary():
    assert "binary" == Task(positive="b").settle(["a", "b"], scores=True).kind


@cases(
    "task seen scores kind message",
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
    (Task(positive="x"), "ab", False, UsageError, "the positive label 'x' is not one of 'a', 'b'"),
    (Task(positive="x"), "01", True, UsageError, "the positive label 'x' is not one of '0', '1'"),
    (Task(threshold=0.3), "ab", False, UsageError, "a threshold is for binary tasks"),
)
def test_what_cannot_be_settled_is_told(task, seen, scores, kind, message):
    with pytest.raises(kind) as caught:
        task.settle(list(seen), scores=scores)
    assert message in str(caught.value)


@cases(
    "options message",
    (
        {"kind": "regression"},
        "task must be one of binary, multiclass, multilabel, not 'regression'",
    ),
    ({"threshold": float("nan")}, "the threshold must be a finite number, not nan"),
    ({"labels": ("a", "b", "a")}, "labels contains a label twice"),
)
def test_bad_option_is_told(options, message):
    with pytest.raises(UsageError) as caught:
        Task(**options)
    assert message == str(caught.value)[: len(message)]


def settle(gold, predicted, probabilities=None, task=None):
    scores = None if probabilities is None else np.array(probabilities)
    own = None if predicted is None else encode(predicted, MINE)
    column, settled = align_one(encode(gold, GOLD), Answer(own, scores, MINE), task)
    (output,) = column.outputs
    return [column.gold.names[code] for code in output.labels.codes], settled


def align_one(gold, answer, task=None):
    return align(gold, {"mine": answer}, task or Task(), GOLD)


def test_labels_that_are_given_keep_their_order():
    predicted, settled = settle(["a", "b"], ["b", "b"], task=Task(labels=("c", "b", "a")))
    assert ["b", "b"] == predicted
    assert Task("multiclass", ("c", "b", "a")) == settled


@cases("threshold expected", (None, [0, 1, 1]), (0.7, [0, 0, 1]))
def test_probabilities_stand_for_labels(threshold, expected):
    predicted, settled = settle([0, 1, 1], None, [0.49, 0.5, 0.7], Task(threshold=threshold))
    assert expected == predicted
    assert (threshold or 0.5) == settled.threshold


def test_predicted_labels_go_before_probabilities():
    given, settled = settle([0, 1], [1, 1], [0.2, 0.4])
    asked, _ = settle([0, 1], [1, 1], [0.2, 0.4], Task(threshold=0.3))
    assert ([1, 1], None) == (given, settled.threshold)
    assert [0, 1] == asked


@cases(
    "gold predicted probabilities task message",
    ([0, 1], ["0", "1"], None, None, "mixed types: gold and predicted labels are text on one"),
    ([0, 1], [1], None, None, "there are 2 gold examples but 1 predictions"),
    ([0, 1], None, [0.5], None, "there are 2 gold examples but 1 probabilities"),
    ([], [], None, None, "there are no examples to score"),
    ([0, 1], None, None, None, "there are neither predicted labels nor probabilities"),
    ([0, 1], None, [0.5, float("nan")], None, "mine, row 2: nan is not a score"),
    (["a", "x"], ["a", "a"], None, Task(labels=("a", "b")), "gold, row 2: label 'x' is not one"),
    (["a", "b"], ["a", "x"], None, Task(labels=("a", "b")), "mine, row 2: label 'x' is not one"),
    (list("abc"), None, [[0.5, 0.5]] * 3, None, "there are 2 probabilities per example but"),
    ([0, 1], None, [[0.5, 0.5, 0]] * 2, None, "there are 3 probabilities per example but the"),
    (list("abc"), None, [0.5] * 3, Task("multiclass"), "one probability per example is for"),
    ([0, 1], [0, 1], None, Task("multilabel"), "a multilabel task needs label sets"),
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


@cases("kind", "binary", "multiclass")
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
    def answer(columns, row):
        return Answer(None, np.array([row] * 2), MINE, columns=tuple(columns))

    gold = encode(["a", "b"], GOLD)
    same = {"one": answer("bca", [0.5, 0.3, 0.2]), "two": answer("abc", [0.2, 0.5, 0.3])}
    column, task = align(gold, same, Task(), GOLD)
    assert ("b", "c", "a") == task.labels
    assert [[[0.5, 0.3, 0.2]] * 2] * 2 == [own.probabilities.tolist() for own in column.outputs]
    with pytest.raises(InputError, match="two has probabilities of the labels a, b, but one has"):
        align(gold, same | {"two": answer("ab", [0.5, 0.5])}, Task(), GOLD)


@cases("odd", "gold", "one")
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
