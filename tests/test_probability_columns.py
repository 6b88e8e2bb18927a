"""A column for each label's probability is read by its name, with scikit-learn's scores."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    brier_score_loss,
    cohen_kappa_score,
    f1_score,
    log_loss,
    roc_auc_score,
    top_k_accuracy_score,
)

import tallystick
from tallystick.cli import main

LABELS = ("anger", "joy", "sadness")


def make(seed, examples=60):
    rng = np.random.default_rng(seed)
    gold = np.concatenate([np.arange(3), rng.integers(0, 3, examples - 3)])
    parts = rng.dirichlet(np.ones(3) + 2 * (np.arange(3) == 1), examples) * 998 // 1 + 1
    parts[:, 0] = 1000 - parts[:, 1:].sum(1)
    return gold, parts / 1000


def write(path, prefix, gold, found, extra=""):
    table = pd.DataFrame(found, columns=[prefix + name for name in LABELS])
    if gold is not None:
        table.insert(0, "gold", np.array(LABELS)[gold])
    if extra:
        table[extra] = 0.3
    table.to_csv(path, index_label="id")
    return str(path)


def score(capsys, *call):
    assert 0 == main(["score", *call, "--format", "json", "--no-intervals"])
    scores = json.loads(capsys.readouterr().out)["scores"]
    return {one["name"]: one["value"] for one in scores if one["label"] is None}


@pytest.mark.parametrize("seed", range(20))
def test_scores_are_those_of_scikit_learn(tmp_path, capsys, seed):
    gold, found = make(seed)
    values = score(capsys, write(tmp_path / "all.csv", "p_", gold, found))
    guessed = found.argmax(1)
    expected = {
        "accuracy": accuracy_score(gold, guessed),
        "macro_f1": f1_score(gold, guessed, average="macro"),
        "log_loss": log_loss(gold, found),
        "brier_score": brier_score_loss(gold, found, scale_by_half=False),
        "roc_auc": roc_auc_score(gold, found, multi_class="ovr"),
    }

    assert pytest.approx(expected) == {name: values[name] for name in expected}


EXPECTED = {
    "log_loss": log_loss,
    "brier_score": partial(brier_score_loss, scale_by_half=False),
    "top_2_accuracy": partial(top_k_accuracy_score, k=2),
    "AveragePrecision()": lambda g, p: average_precision_score(np.eye(3)[g], p),
    "AveragePrecision(weighting='weighted')": lambda g, p: average_precision_score(
        np.eye(3)[g], p, average="weighted"
    ),
    "ROCAUC()": partial(roc_auc_score, multi_class="ovr"),
    "ROCAUC(weighting='weighted')": partial(roc_auc_score, multi_class="ovr", average="weighted"),
    "ROCAUC(multi_class='ovo')": partial(roc_auc_score, multi_class="ovo"),
    "ROCAUC(multi_class='ovo', weighting='weighted')": partial(
        roc_auc_score, multi_class="ovo", average="weighted"
    ),
}
"""What scikit-learn computes from gold labels and probabilities."""


@pytest.mark.parametrize(("metric", "same"), [
    ("average_precision", "AveragePrecision()"),
    ("ROCAUC(multi_class='ovo')", "ROCAUC(multi_class='ovo')"),
    ("ROCAUC(weighting='weighted')", "ROCAUC(weighting='weighted')"),
])  # fmt: skip
def test_areas_are_those_of_scikit_learn(tmp_path, capsys, metric, same):
    gold, found = make(7)
    (value,) = score(capsys, write(tmp_path / "all.csv", "p_", gold, found), "-m", metric).values()
    assert pytest.approx(EXPECTED[same](gold, found)) == value


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(20))
def test_scores_of_many_samples_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(3, 30, 500)
    groups = np.repeat(np.arange(500), sizes)
    gold = np.concatenate([rng.permutation(np.r_[:3, rng.integers(0, 3, n - 3)]) for n in sizes])
    parts = rng.integers(1, rng.choice([3, 20, 1000], len(gold))[:, None], (len(gold), 3))
    found = parts / parts.sum(1, keepdims=True)
    metric, ask = [*EXPECTED.items()][seed % len(EXPECTED)]
    outcome = tallystick.score(
        np.array(LABELS)[gold], found, metric, labels=np.array(LABELS), by=groups, intervals=False
    )

    assert pytest.approx(
        [ask(gold[own], found[own]) for own in [groups == at for at in range(500)]]
    ) == [one.value for one in outcome.scores[:500]]


@pytest.mark.parametrize("prefix", ["y_prob_", "prob_", "probability_", "proba_", "p_"])
def test_columns_are_found_by_their_names(tmp_path, capsys, prefix):
    gold, found = make(1)
    whole = score(capsys, write(tmp_path / "all.csv", prefix, gold, found))
    right = tmp_path / "gold.csv"
    pd.Series(np.array(LABELS)[gold], name="gold").to_csv(right, index_label="id")
    assert whole == score(capsys, str(right), write(tmp_path / "own.csv", prefix, None, found))
    assert "log_loss" in whole


def test_other_columns_that_begin_alike_are_none(tmp_path, capsys):
    path = tmp_path / "all.csv"
    path.write_text("id,gold,y_pred,p_value,p_rank\n1,a,a,0.04,3\n2,b,a,0.2,1\n")
    assert "log_loss" not in score(capsys, str(path))


def put_cells(path, gold, cells):
    rows = [{"id": row, "gold": LABELS[gold[row]], "probs": cell} for row, cell in enumerate(cells)]
    if path.suffix == ".csv":
        texts = [one | {"probs": json.dumps(one["probs"])} for one in rows]
        pd.DataFrame(texts).to_csv(path, index=False)
    else:
        path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return str(path)


def make_cells(form, found):
    if form == "list":
        return found.tolist()
    named = [dict(zip(LABELS, shares, strict=True)) for shares in found.tolist()]
    if form == "object":
        return list(named)
    pipelines = (sorted(one.items(), key=lambda pair: -pair[1]) for one in named)
    return [[{"label": name, "score": share} for name, share in one] for one in pipelines]


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
@pytest.mark.parametrize("form", ["object", "list", "pipeline"])
def test_cells_give_the_scores_of_columns(tmp_path, capsys, form, ending):
    gold, found = make(3)
    whole = score(capsys, write(tmp_path / "all.csv", "p_", gold, found))
    path = put_cells(tmp_path / f"cells.{ending}", gold, make_cells(form, found))
    assert whole == score(capsys, path)
    assert "log_loss" in whole


@pytest.mark.parametrize(("cell", "message"), [
    ({"anger": 0.5, "joy": 0.5}, "there is no probability of 'sadness'"),
    ({"anger": 0.5, "joy": 0.2, "sad": 0.3}, "'sad' is not one of the labels"),
    ([0.5, 0.5], "2 probabilities are given of the 3 labels"),
    ("[0.5, 0.2", "is not JSON"),
    ([0.5, 0.5, "0.0"], "expected a distribution, found"),
])  # fmt: skip
def test_cells_that_are_no_probabilities_are_told(tmp_path, capsys, cell, message):
    gold, found = make(3)
    cells = make_cells("list" if isinstance(cell, list) else "object", found)
    cells[7] = cell
    assert 4 == main(["score", put_cells(tmp_path / "cells.jsonl", gold, cells)])
    error = capsys.readouterr().err
    assert message in error
    assert "cells.jsonl, line 8" in error


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("seed", range(10))
def test_top_k_accuracy_is_that_of_scikit_learn(tmp_path, capsys, seed, k):
    rng = np.random.default_rng(seed)
    parts = rng.integers(1, 4, (40, 3)) * 4.0
    found, gold = parts / parts.sum(1, keepdims=True), rng.integers(0, 3, 40)
    expected = top_k_accuracy_score(gold, found, k=min(k, 2), labels=[0, 1, 2]) if k < 3 else 1
    path = put_cells(tmp_path / "a.jsonl", gold, make_cells("object", found))
    (value,) = score(capsys, path, "-m", f"top_{k}_accuracy", "--labels", *LABELS).values()
    assert expected == value


@pytest.mark.parametrize("name", ["acc@2", "accuracy@2", "TopKAccuracy(2)", "top-2-accuracy"])
def test_top_k_accuracy_has_the_names_of_the_field(tmp_path, capsys, name):
    gold, found = make(5)
    path = write(tmp_path / "a.csv", "p_", gold, found)
    assert score(capsys, path, "-m", "top_2_accuracy") == score(capsys, path, "-m", name)


@pytest.mark.parametrize("names", [("no", "yes"), ("yes", "no"), (0, 1)])
@pytest.mark.parametrize("labels", [2, 3])
def test_predict_proba_is_read_with_the_classes_of_a_model(names, labels):
    classes = np.array([*names, *(["maybe"] if isinstance(names[0], str) else [2])][:labels])
    rng = np.random.default_rng(labels)
    found, gold = rng.dirichlet(np.ones(labels), 40), rng.integers(0, labels, 40)
    scores = tallystick.score(
        classes[gold], found, ["log_loss", "roc_auc"], labels=classes, intervals=False
    )
    areas = [roc_auc_score(gold == place, found[:, place]) for place in range(labels)]

    assert pytest.approx(log_loss(gold, found, labels=range(labels))) == scores["log_loss"]
    assert pytest.approx(np.mean(areas)) == scores["roc_auc"]


def test_the_positive_of_two_classes_is_a_binary_task():
    found = np.array([[0.7, 0.3], [0.4, 0.6], [0.8, 0.2], [0.1, 0.9]])
    scores = tallystick.score(
        [0, 1, 1, 0], found, ["f1", "brier_score"], labels=np.array([0, 1]), positive=1
    )
    assert pytest.approx(0.5) == scores["f1"]
    assert pytest.approx(brier_score_loss([0, 1, 1, 0], found[:, 1])) == scores["brier_score"]


def test_the_positive_of_two_labels_makes_a_binary_task(tmp_path, capsys):
    path = tmp_path / "two.csv"
    path.write_text("gold,p_no,p_yes\nyes,.2,.8\nno,.9,.1\nno,.3,.7\n")
    values = score(capsys, str(path), "--positive", "yes")
    assert 1.0 == values["roc_auc"]
    assert pytest.approx(2 / 3) == values["f1"]
    assert pytest.approx(1 / 2) == values["precision"]


@pytest.mark.parametrize("named", [("joy", "sadness", "anger"), LABELS])
def test_labels_that_are_named_are_in_their_order(tmp_path, capsys, named):
    gold, found = make(0)
    table = write(tmp_path / "all.csv", "p_", gold, found)
    places = np.array([named.index(label) for label in LABELS])
    expected = cohen_kappa_score(places[gold], places[found.argmax(1)], weights="quadratic")
    values = score(capsys, table, "-m", "weighted_kappa", "--labels", *named)
    assert pytest.approx(expected) == values["weighted_kappa"]


@pytest.mark.parametrize(("labels", "message"), [
    (LABELS[:2], "all has probabilities of the label 'sadness', which the task does not have"),
    ((*LABELS, "fear"), "all has probabilities of 3 labels, and the task has 4"),
])  # fmt: skip
def test_columns_of_other_labels_than_are_named_are_told(tmp_path, capsys, labels, message):
    table = write(tmp_path / "all.csv", "p_", *make(0))
    assert 4 == main(["score", table, "-m", "log_loss", "--labels", *labels])
    assert message in capsys.readouterr().err


def test_objects_that_lack_a_label_that_is_named_are_told(tmp_path, capsys):
    cells = [{"anger": 0.5, "joy": 0.5}, {"joy": 0.4, "sadness": 0.6}]
    table = put_cells(tmp_path / "all.jsonl", np.array([0, 2]), cells)
    assert 4 == main(["score", table, "-m", "log_loss", "--labels", *LABELS])
    assert "there is no probability of 'sadness'; write 0" in capsys.readouterr().err


@pytest.mark.parametrize(("cell", "message"), [
    ("1.9", "1.9 is not a probability between 0 and 1"),
    ("", "'' is not a number; where there is no output, --missing wrong counts"),
])  # fmt: skip
def test_a_stray_row_of_columns_is_told(tmp_path, capsys, cell, message):
    table = Path(write(tmp_path / "all.csv", "p_", *make(0)))
    lines = table.read_text().splitlines()
    lines[7] = ",".join([*lines[7].split(",")[:2], cell, "0.1", "0.1"])
    table.write_text("\n".join(lines) + "\n")
    assert 4 == main(["score", str(table), "-m", "log_loss"])
    assert f"all.csv, row 8, column 'p_anger': {message}" in capsys.readouterr().err


def test_a_column_called_prediction_holds_the_predicted_labels(tmp_path, capsys):
    gold, found = make(0)
    table = Path(write(tmp_path / "all.csv", "p_", gold, found, "prediction"))
    numbers = score(capsys, str(table), "-m", "accuracy")["accuracy"]
    table.write_text(table.read_text().replace(",0.3\n", ",joy\n"))
    assert np.mean(gold == found.argmax(1)) == numbers
    assert np.mean(gold == 1) == score(capsys, str(table), "-m", "accuracy")["accuracy"]


@pytest.mark.parametrize(("k", "message"), [(2, False), (3, True), (5, True)])
def test_top_k_accuracy_of_no_more_labels_than_k_is_told_to_be_1(k, message):
    gold, found = make(0)
    result = tallystick.score(gold, found, f"top_{k}_accuracy", labels=[0, 1, 2])
    note = f"always 1 with 3 labels, whatever the outputs: top_{k}_accuracy."
    assert message == (note in result.notes)
    assert message == (result.scores[0].value == 1)


def test_systems_whose_columns_are_called_as_those_of_labels_are_systems():
    table = {"gold": [0, 1, 0, 1], "prob_a": [0.2, 0.9, 0.6, 0.5], "prob_b": [0.1, 0.8, 0.3, 0.7]}
    found = tallystick.score(pd.DataFrame(table), systems=["prob_a", "prob_b"], metrics=["roc_auc"])
    assert [0.75, 1.0] == [one.value for one in found.scores]
