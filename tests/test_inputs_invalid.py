"""Outputs that are no label, and examples without one: errors, wrong answers, or a class."""

import json
import math
import random
from pathlib import Path

import pyarrow as pa
import pytest

import tallystick
from tallystick import Columns, InputError, Task, Testing, UsageError
from tallystick.cli import main
from tallystick.limits import LIMITS
from tallystick.reading import table_files

LABELS = "abc"
IDS = [str(number) for number in range(60)]
METRICS = ["accuracy", "F1(None)", "Precision(None)", "Recall(None)", "macro_f1"]
SET_METRICS = ["exact_match_ratio", "hamming_loss", "F1(None)", "micro_f1"]
BOTH = ["--invalid", "wrong", "--missing", "wrong"]
WRONG = "missing outputs and outputs that are not labels count as wrong: "

Sets = list[set[str]]
Counts = dict[str, tuple[int, int, int]]


def draw_labels(seed):
    draw = random.Random(seed)
    gold = draw.choices(LABELS, k=len(IDS))
    return gold, [draw.choice([*LABELS, label, None, None]) for label in gold]


def draw_sets(seed):
    draw = random.Random(seed)
    gold = [{name for name in LABELS if draw.random() < 0.4} for _ in IDS]
    others = [{name for name in LABELS if draw.random() < 0.4} for _ in IDS]
    return gold, [draw.choice([own, other, None]) for own, other in zip(gold, others, strict=True)]


def count(gold, outputs):
    found = {}
    for name in LABELS:
        hits = misses = false = 0
        for own, output in zip(gold, outputs, strict=True):
            hits += name in own and output is not None and name in output
            misses += name in own and (output is None or name not in output)
            false += name not in own and output is not None and name in output
        found[name] = (hits, misses, false)
    return found


def rate(part, whole):
    return part / whole if whole else math.nan


def expect(counts):
    values: dict[tuple[str, str | None], float] = {}
    for name, (hits, misses, false) in counts.items():
        values["f1", name] = rate(2 * hits, 2 * hits + misses + false)
        values["precision", name] = rate(hits, hits + false)
        values["recall", name] = rate(hits, hits + misses)
    return values


def expect_labels(gold, outputs):
    sets = [None if output is None else {output} for output in outputs]
    values = expect(count([{label} for label in gold], sets))
    right = sum(own == output for own, output in zip(gold, outputs, strict=True))
    values["accuracy", None] = right / len(gold)
    values["macro_f1", None] = sum(values["f1", name] for name in LABELS) / len(LABELS)
    return pytest.approx(values, abs=1e-12, nan_ok=True)


def expect_sets(gold, outputs):
    counts = count(gold, outputs)
    values = {key: value for key, value in expect(counts).items() if key[0] == "f1"}
    hits, misses, false = (sum(own[place] for own in counts.values()) for place in range(3))
    right = sum(own == output for own, output in zip(gold, outputs, strict=True))
    values["exact_match_ratio", None] = right / len(gold)
    values["hamming_loss", None] = (misses + false) / (len(gold) * len(LABELS))
    values["micro_f1", None] = rate(2 * hits, 2 * hits + misses + false)
    return pytest.approx(values, abs=1e-12, nan_ok=True)


def read(result):
    return {(one.name, one.label): one.value for one in result.scores}


def score(gold, own, metrics, **options):
    task = options.pop("task", None)
    columns = Columns(**options)
    return tallystick.score(gold, own, metrics, columns=columns, task=task, intervals=False)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("invalid", ["", " ", "\t", None, "maybe", "A", "d"])
def test_an_invalid_label_is_a_miss_and_no_false_positive(seed, invalid):
    gold, outputs = draw_labels(seed)
    written = [invalid if output is None else output for output in outputs]
    left = pa.table({"id": IDS, "label": gold})
    right = pa.table({"id": IDS[::-1], "y_pred": written[::-1]})
    both = pa.table({"label": gold, "y_pred": written})
    results = [
        score(left, right, METRICS, invalid="wrong"),
        score(both, None, METRICS, invalid="wrong"),
        score(both, None, METRICS, invalid="wrong", task=Task(labels=tuple(LABELS))),
    ]

    assert [expect_labels(gold, outputs)] * 3 == [read(result) for result in results]
    assert all(f"{WRONG}{outputs.count(None)} of predictions." in one.notes for one in results)


@pytest.mark.parametrize("seed", range(5))
def test_a_missing_example_is_a_miss_and_no_false_positive(seed):
    gold, outputs = draw_labels(seed)
    rows = [(one, own) for one, own in zip(IDS, outputs, strict=True) if own is not None]
    random.Random(seed).shuffle(rows)
    ids, labels = map(list, zip(*rows, strict=True))
    left, right = pa.table({"id": IDS, "label": gold}), pa.table({"id": ids, "y_pred": labels})
    result = score(left, right, METRICS, missing="wrong")

    assert expect_labels(gold, outputs) == read(result)
    assert f"{WRONG}{outputs.count(None)} of predictions." in result.notes


def test_invalid_and_missing_outputs_are_settled_apart():
    left = pa.table({"id": ["1", "2", "3", "4"], "label": ["a", "b", "b", "a"]})
    right = pa.table({"id": ["4", "2", "1"], "y_pred": ["a", "", "a"]})
    both = score(left, right, "accuracy", invalid="wrong", missing="wrong")

    assert {("accuracy", None): 0.5} == read(both)
    assert f"{WRONG}2 of predictions." in both.notes
    with pytest.raises(
        InputError, match="no prediction for the id 3 of gold; with `missing='wrong'`"
    ):
        score(left, right, "accuracy", invalid="wrong")
    assert {("accuracy", None): 0.5} == read(score(left, right, "accuracy", missing="wrong"))


def test_what_is_invalid_is_an_error_unless_asked_otherwise():
    table = pa.table({"label": ["a", "b"], "y_pred": ["a", ""]})
    message = (
        r"row 2, column 'y_pred': the value is empty; to count outputs that are not a label as"
    )

    with pytest.raises(
        InputError,
        match=f"{message} wrong, pass `invalid='wrong'`; where there is no output, `missing",
    ):
        score(table, None, "accuracy")


@pytest.mark.parametrize("missing", ["error", "wrong"])
def test_a_label_that_is_broken_is_told_where_it_stands(missing):
    left = pa.table({"id": [1, 2, 3, 4], "label": [0, 1, 1, 0]})
    right = pa.table({"id": [4, 3, 2, 1], "y_pred": [0.0, None, 1.0, 0.5]})
    with pytest.raises(InputError, match=r"row 4, column 'y_pred': 0\.5 is not a label"):
        score(left, right, "accuracy", invalid="wrong", missing=missing)


@pytest.mark.parametrize("task", [None, Task(labels=("a", "b"))])
@pytest.mark.parametrize("output", ["", None, "  "])
def test_invalid_outputs_can_be_a_class(task, output):
    table = pa.table({"label": ["a", "a", "b", "b"], "y_pred": ["a", output, "b", "a"]})
    result = score(table, None, ["accuracy", "F1(None)", "F1('macro')"], invalid="class", task=task)

    assert {
        ("accuracy", None): 2 / 4,
        ("f1", "a"): pytest.approx(2 / (2 + 1 + 1)),
        ("f1", "b"): pytest.approx(2 / (2 + 1)),
        ("f1", "(invalid)"): 0,
        ("macro_f1", None): pytest.approx((1 / 2 + 2 / 3 + 0) / 3),
    } == read(result)
    (matrix,) = result.confusions
    assert {"a", "b", "(invalid)"} == set(matrix.labels)


def test_labels_that_are_not_among_those_named_are_that_class():
    table = pa.table({"label": ["a", "b", "b"], "y_pred": ["a", "x", "y"]})
    named = score(table, None, "F1(None)", invalid="class", task=Task(labels=("a", "b")))
    free = score(table, None, "F1(None)", invalid="class")
    assert ["a", "b", "(invalid)"] == [one.label for one in named.scores]
    assert ["a", "b", "x", "y"] == [one.label for one in free.scores]


def test_missing_examples_are_no_class():
    left = pa.table({"id": ["1", "2", "3"], "label": ["a", "b", "b"]})
    right = pa.table({"id": ["3", "1"], "y_pred": ["", "a"]})
    result = score(left, right, ["F1(None)"], invalid="class", missing="wrong")
    assert {("f1", "a"): 1, ("f1", "b"): 0, ("f1", "(invalid)"): 0} == read(result)
    assert f"{WRONG}1 of predictions." in result.notes


def test_a_binary_task_has_no_third_class():
    table = pa.table({"label": ["a", "b"], "y_pred": ["a", ""]})
    with pytest.raises(UsageError, match="add a third class to a binary task; `invalid='wrong'"):
        score(table, None, "f1", invalid="class", task=Task(positive="b"))


@pytest.mark.parametrize("output", ["", "maybe", None])
def test_an_invalid_output_of_a_binary_task_is_a_miss(output):
    cells = {"label": ["0", "1", "1", "0"], "y_pred": ["0", "1", output, output]}
    metrics = ["precision", "recall", "accuracy", "fpr", "tp", "fp", "fn"]
    values = read(score(pa.table(cells), None, metrics, invalid="wrong"))
    assert [1, 0.5, 0.5, 0, 1, 0, 1] == list(values.values())


def test_a_system_of_nothing_but_invalid_outputs_has_no_example_right():
    table = pa.table({"label": ["a", "b"], "y_pred": ["", ""]})
    result = score(table, None, ["accuracy", "Recall(None)"], invalid="wrong")
    assert [0, 0, 0] == [one.value for one in result.scores]
    shown = "it has no example right; its outputs are missing or no label."
    assert f"accuracy, recall of predictions are 0: {shown}" == result.notes[0]


@pytest.mark.parametrize("form", ["lists", "cells", "json"])
@pytest.mark.parametrize("seed", range(3))
def test_an_invalid_set_is_a_miss_and_no_false_positive(seed, form):
    gold, outputs = draw_sets(seed)

    def write(one):
        if one is None:
            return None
        texts = {"lists": sorted(one), "cells": "|".join(sorted(one))}
        return texts.get(form, json.dumps(sorted(one)))

    table = pa.table({"label": list(map(write, gold)), "y_pred": list(map(write, outputs))})
    result = score(table, None, SET_METRICS, invalid="wrong", delimiter="|")

    assert expect_sets(gold, outputs) == read(result)
    assert f"{WRONG}{outputs.count(None)} of predictions." in result.notes


@pytest.mark.parametrize("form", ["lists", "bits"])
@pytest.mark.parametrize("seed", range(3))
def test_a_missing_set_is_a_miss_and_no_false_positive(seed, form):
    gold, outputs = draw_sets(seed)
    rows = [(one, own) for one, own in zip(IDS, outputs, strict=True) if own is not None][::-1]

    def write(ids, sets, name):
        if form == "lists":
            return pa.table({"id": ids, name: [sorted(one) for one in sets]})
        bits = {label: [int(label in one) for one in sets] for label in LABELS}
        return pa.table({"id": ids, **bits})

    right = write([one for one, _ in rows], [own for _, own in rows], "y_pred")
    result = score(write(IDS, gold, "label"), right, SET_METRICS, missing="wrong")

    assert expect_sets(gold, outputs) == read(result)
    assert f"{WRONG}{outputs.count(None)} of predictions." in result.notes


def test_a_set_with_a_label_that_does_not_exist_is_invalid():
    table = pa.table({"label": [["a"], ["b"], ["a"]], "y_pred": [["a"], ["b", "x"], ["a"]]})
    task = Task("multilabel", ("a", "b"))
    wrong, named = (
        read(score(table, None, "F1(None)", invalid=how, task=task)) for how in ("wrong", "class")
    )
    free = read(score(table, None, "F1(None)", invalid="class"))

    assert {("f1", "a"): 1, ("f1", "b"): 0} == wrong
    assert {("f1", "a"): 1, ("f1", "b"): 0, ("f1", "(invalid)"): 0} == named
    assert {("f1", "a"): 1, ("f1", "b"): 1, ("f1", "x"): 0} == free
    with pytest.raises(InputError, match="row 2, column 'y_pred': label 'x' is not one of"):
        score(table, None, "F1(None)", task=task)


@pytest.mark.parametrize("options", [{"invalid": "wrong"}, {"missing": "wrong"}])
def test_a_missing_text_is_an_empty_one(options):
    left = pa.table({"id": IDS[:3], "reference": ["the cat sat on the mat", "a dog barked", "it"]})
    right = pa.table({"id": IDS[:3], "hypothesis": ["the cat sat on the mat", None, ""]})
    kept = right if "invalid" in options else right.filter(pa.array([True, False, True]))
    result = score(left, kept, ["wer", "exact_match", "levenshtein"], **options)

    assert {
        ("wer", None): 4 / 10,
        ("exact_match", None): pytest.approx(1 / 3),
        ("levenshtein", None): len("a dog barked") + len("it"),
    } == read(result)
    count = 1 if "invalid" in options else 2  # where it is missing, an empty text is no output
    assert (f"missing outputs of predictions scored as empty strings: {count}.",) == result.notes


def test_a_missing_text_is_an_error_unless_asked_otherwise():
    table = pa.table({"reference": ["a b c", "d e f"], "hypothesis": ["a b c", None]})
    message = "row 2, column 'hypothesis': the text is missing; pass `inv"
    with pytest.raises(InputError, match=message):
        score(table, None, "wer")


def test_a_missing_example_has_no_probability():
    left = pa.table({"id": [1, 2, 3], "y_true": [0, 1, 1]})
    right = pa.table({"id": [3, 1], "y_prob": [0.7, 0.4]})
    both = pa.table({"id": [3, 1], "y_prob": [0.7, 0.4], "y_pred": [1, 0]})

    assert {("recall", None): 0.5} == read(score(left, both, "recall", missing="wrong"))
    with pytest.raises(UsageError, match="roc_auc needs probabilities, and predictions has none"):
        score(left, both, "roc_auc", missing="wrong")
    with pytest.raises(InputError, match=r"as wrong in .*; choose `missing='exclude'` or common"):
        score(left, right, "recall", missing="wrong")


def test_every_command_counts_invalid_outputs_alike():
    gold = ["a", "b"] * 20
    table = pa.table({"label": gold, "mine": ["", *gold[1:]], "theirs": [*gold[:30], *["a"] * 10]})
    given = {"metrics": "accuracy", "columns": Columns(invalid="wrong")}
    several = given | {"systems": ["mine", "theirs"]}
    testing = Testing(resamples=100)
    (difference,) = tallystick.compare(
        table, **several, testing=testing, baseline="theirs"
    ).differences
    ranked = tallystick.rank(table, **several, testing=testing)

    assert (39 / 40, 35 / 40) == (difference.value_a, difference.value_b)
    assert [("mine", 39 / 40), ("theirs", 35 / 40)] == [
        (place.system, place.value) for place in ranked.places
    ]
    assert f"{WRONG}1 of mine." in ranked.notes


def test_options_of_the_command_are_those_of_columns(folder, capsys):
    Path("g.csv").write_text("id,label\n1,a\n2,b\n3,b\n4,a\n")
    Path("p.csv").write_text("id,y_pred\n4,a\n2,\n1,a\n")
    code = main(["score", "g.csv", "p.csv", "-m", "accuracy", *BOTH])
    captured = capsys.readouterr()
    assert (0, True) == (code, "0.500" in captured.out)
    assert f"{WRONG}2 of p." in captured.out + captured.err


@pytest.mark.parametrize("labels", [[], ["--labels", *LABELS]])
@pytest.mark.parametrize("invalid", ["wrong", "class"])
def test_large_files_know_all_labels_too(folder, monkeypatch, capsys, invalid, labels):
    Path("t.csv").write_text("label,y_pred\na,b\na,a\nb,\nb,b\nc,a\n")
    outputs = []
    for least in (1 << 26, 0):
        monkeypatch.setattr(LIMITS, "large_input", least)
        monkeypatch.setattr(LIMITS, "block_rows", 2)
        command = ["score", "t.csv", *labels, "-m", *METRICS, "--invalid", invalid]
        assert main([*command, "--format", "json"]) == 0
        outputs.append(json.loads(capsys.readouterr().out)["scores"])

    assert outputs[0] == outputs[1]
    assert 2 / 5 == outputs[0][0]["value"]


@pytest.mark.parametrize("at", [None, 3, 47])
def test_joined_blocks_score_and_name_rows_as_small_ones(folder, monkeypatch, capsys, at):
    rows = [f"{row % 7},{row % 5}" for row in range(60)]
    if at is not None:
        rows[at] = "1,"
    Path("t.csv").write_text("\n".join(["label,y_pred", *rows]))
    joined, outputs = [], []
    monkeypatch.setattr(LIMITS, "large_input", 0)
    monkeypatch.setattr(LIMITS, "block_rows", 4)
    monkeypatch.setattr(LIMITS, "joined_block", 100)
    join_tables = table_files.join_tables

    def watch(source, tables):
        joined.append(len(tables))
        return join_tables(source, tables)

    monkeypatch.setattr(table_files, "join_tables", watch)
    for most in (1 << 14, 1):
        monkeypatch.setattr(LIMITS, "many_labels", most)
        code = main(["score", "t.csv", "-m", *METRICS, "--format", "json"])
        captured = capsys.readouterr()
        outputs.append((code, captured.out, captured.err))
        assert (most == 1 and at != 3) == (max(joined, default=1) > 1)

    assert outputs[0] == outputs[1]
    assert at is None or f"row {at + 2}," in outputs[0][2]
