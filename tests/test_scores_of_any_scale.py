"""Scores of any scale serve metrics of order, and only metrics of probabilities reject them."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import IsolationForest
from sklearn.metrics import average_precision_score, roc_auc_score, top_k_accuracy_score
from sklearn.svm import LinearSVC

import tallystick
from faults import call, write
from tallystick.errors import InputError, UsageError
from tallystick.sklearn import scorer

SCALES = {
    "logits": lambda rng, n: rng.normal(0, 3, n),
    "percent": lambda rng, n: rng.uniform(0, 100, n),
    "bm25": lambda rng, n: rng.gamma(2, 6, n).round(1),
    "negative": lambda rng, n: -rng.exponential(5, n),
    "ties": lambda rng, n: rng.integers(-2, 3, n) / 2 + 0.25,
    "huge": lambda rng, n: rng.normal(0, 1e12, n),
    "float32": lambda rng, n: rng.normal(0, 9, n).astype(np.float32),
}


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


LOGITS = "y_true,y_prob\n0,-2.3\n1,0.7\n1,-0.1\n0,-1.0\n1,3.2\n0,0.1\n"


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("weighted", [False, True])
def test_areas_equal_scikit_learn(scale, weighted):
    rng = np.random.default_rng(5)
    for _ in range(25):
        n = int(rng.integers(2, 40))
        gold, scores = rng.permutation([0, 1, *rng.integers(0, 2, n)]), SCALES[scale](rng, n + 2)
        weights = rng.uniform(0.1, 3, n + 2) if weighted else None
        found = tallystick.score(
            gold, scores, ["roc_auc", "average_precision"], weights=weights, intervals=None
        )
        for name, peer in (
            ("roc_auc", roc_auc_score),
            ("average_precision", average_precision_score),
        ):
            assert found[name] == pytest.approx(
                peer(gold, scores, sample_weight=weights), abs=1e-12
            )


@pytest.mark.parametrize("named", ["", "score", "logit", "margin", "decision_function"])
@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "frame"])
def test_every_format_has_columns_of_scores(tmp_path, named, ending):
    table = pd.DataFrame({"label": [0, 1, 1, 0], named or "mine": [12, 9, 30, 10]})
    options = {} if named else {"probability": "mine"}
    path = str(tmp_path / f"a.{ending}")
    if ending == "frame":
        path = table
    elif ending == "jsonl":
        table.to_json(path, orient="records", lines=True)
    elif ending == "parquet":
        table.to_parquet(path)
    else:
        table.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
    assert tallystick.score(path, metrics="roc_auc", **options)["roc_auc"] == 0.5


@pytest.mark.parametrize(
    "scores", [[12, 9, 30, 10], [12.0, 9.0, 30.0, 10.0], ["12%", "9%", "30%", "10%"]]
)
def test_whole_numbers_and_percent_are_scores(scores):
    gold = [0, 1, 1, 0]
    if isinstance(scores[0], str):
        frame = pd.DataFrame({"label": gold, "y_prob": scores})
        assert tallystick.score(frame, metrics="brier_score")["brier_score"] == pytest.approx(
            np.mean((np.array([0.12, 0.09, 0.3, 0.1]) - gold) ** 2)
        )
    else:
        assert tallystick.score(gold, scores, "roc_auc")["roc_auc"] == 0.5


@pytest.mark.parametrize(("options", "code", "message"), [
    ("-m brier_score", 4, "row 2, column 'y_prob': -2.3 is not a probability between 0 and 1; "
     "brier_score needs probabilities: apply a sigmoid or softmax, or use roc_auc"),
    ("-m log_loss", 4, "log_loss needs probabilities"),
    ("-m ece", 4, "ece needs probabilities"),
    ("-m MeanOf(roc_auc,1-brier)", 4, "needs probabilities"),
    ("-m aurc --threshold 0", 4, "confidences are probabilities"),
    ("-m f1", 4, "f1 needs a threshold for such scores: pass --threshold, 0 for logits"),
    ("-m accuracy roc_auc", 4, "accuracy needs a threshold"),
    ("-m f1 --threshold nan", 2, "the threshold must be a finite number"),
])  # fmt: skip
def test_metrics_of_probabilities_reject_scores(options, code, message):
    write({"d.csv": LOGITS})
    outcome = call("score", "d.csv", *options.split())
    assert code == outcome.code
    assert message in outcome.err


def test_a_threshold_beyond_probabilities_needs_scores():
    write(
        {
            "p.csv": "y_true,y_prob\n0,.5\n1,.7\n",
            "b.csv": "y_true,y_prob,best_threshold\n0,.5,2\n1,.7,2\n",
        }
    )
    assert "is not a threshold of probabilities" in call("score", "p.csv", "--threshold", "2").err
    assert 4 == call("score", "b.csv", "-m", "f1").code


def test_a_threshold_makes_labels_of_scores():
    write({"d.csv": LOGITS})
    outcome = call("score", "d.csv", "-m", "f1", "--threshold", "0", "--format", "json")
    assert 2 / 3 == pytest.approx(json.loads(outcome.out)["scores"][0]["value"])


def test_usual_metrics_read_scores_only_where_a_threshold_is_given():
    write({"d.csv": LOGITS})
    with pytest.raises(InputError, match=r"row 2, column 'y_prob': -2\.3 is not a probability"):
        tallystick.score("d.csv")
    found = tallystick.score("d.csv", threshold=0)
    assert {"roc_auc", "f1"} < {one.name for one in found.scores}


@pytest.mark.parametrize(("options", "code"), [
    ("-m roc_auc average_precision", 0),
    ("-m f1 --threshold 0", 0),
    ("-m f1", 4),
    ("-m roc_auc f1", 4),
    ("", 4),
])  # fmt: skip
def test_a_score_in_a_file_of_its_own_is_an_output_where_only_scores_can_be_meant(options, code):
    write({"g.csv": "id,label\n1,0\n2,1\n3,0\n", "p.csv": "id,score\n1,-.1\n2,.9\n3,.2\n"})
    assert code == call("score", "g.csv", "p.csv", *options.split()).code


def test_a_tuned_threshold_may_be_any_score():
    write({"d.csv": LOGITS})
    assert 0 == call("tune", "d.csv", "--apply", "d.csv", "-o", "out.csv").code
    assert "best_threshold" in Path("out.csv").read_text()
    assert 0.8571428571428571 == tallystick.score("out.csv", metrics="f1")["f1"]
    outcome = call("tune", "d.csv", "--grid", "seed")
    assert 2 == outcome.code
    assert "is for probabilities" in outcome.err


def test_systems_may_have_scales_of_their_own():
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 2, 60)
    outputs = {
        "logits": rng.normal(0, 3, 60),
        "shares": rng.random(60),
        "bm25": rng.gamma(2, 9, 60),
    }
    assert () == tallystick.rank(gold, outputs, "roc_auc").rejected
    for name, scores in outputs.items():
        assert tallystick.score(gold, {name: scores}, "roc_auc")["roc_auc"] == pytest.approx(
            roc_auc_score(gold, scores)
        )
    with pytest.raises(InputError, match="logits, row"):
        tallystick.compare(gold, outputs, "brier_score")


def test_logits_of_each_label_are_ordered_by_label():
    rng = np.random.default_rng(4)
    gold, logits = rng.integers(0, 3, 90), rng.normal(0, 2, (90, 3))
    found = tallystick.score(gold, logits, ["roc_auc", "top_2_accuracy", "accuracy"])
    areas = [roc_auc_score(gold == label, logits[:, label]) for label in range(3)]
    assert found["roc_auc"] == pytest.approx(np.mean(areas))
    assert found["top_2_accuracy"] == pytest.approx(top_k_accuracy_score(gold, logits, k=2))
    assert found["accuracy"] == np.mean(logits.argmax(1) == gold)


@pytest.mark.parametrize("options", [{"labels": [0, 1]}, {"positive": 1}])
def test_two_logits_are_ordered_by_their_difference(options):
    rng = np.random.default_rng(6)
    logits = rng.normal(0, 2, (70, 2))
    gold = rng.integers(0, 2, 70)
    table = pd.DataFrame({"label": gold, "logit_0": logits[:, 0], "logit_1": logits[:, 1]})
    found = tallystick.score(table, metrics=["roc_auc", "accuracy"], **options)
    assert found["roc_auc"] == pytest.approx(roc_auc_score(gold, logits[:, 1] - logits[:, 0]))
    assert found["accuracy"] == np.mean(logits.argmax(1) == gold)


def test_saved_counts_keep_the_scale():
    write({"d.csv": LOGITS})
    assert 0 == call("count", "d.csv", "-m", "roc_auc", "-o", "d.tally").code
    assert (
        tallystick.score(tallystick.load("d.tally"))["roc_auc"]
        == tallystick.score("d.csv", metrics="roc_auc")["roc_auc"]
    )
    outcome = call("score", "d.tally", "-m", "log_loss")
    assert 4 == outcome.code
    assert "log_loss needs probabilities" in outcome.err


def test_a_report_has_no_reliability_of_scores():
    found = tallystick.score([0, 1, 1, 0] * 9, np.random.default_rng(1).normal(0, 4, 36), "roc_auc")
    assert () == found.curves[0].bins


def test_a_scorer_takes_the_decision_function():
    rng = np.random.default_rng(2)
    data = rng.normal(size=(80, 3))
    gold = (data[:, 0] + rng.normal(size=80) > 0).astype(int)
    for model in (LinearSVC().fit(data, gold), IsolationForest(random_state=0).fit(data)):
        scores = model.decision_function(data)
        assert scorer("roc_auc")(model, data, gold) == pytest.approx(roc_auc_score(gold, scores))
        expected = average_precision_score(gold, scores)
        assert scorer("average_precision")(model, data, gold) == pytest.approx(expected)
        with pytest.raises(UsageError, match="needs probabilities"):
            scorer("brier_score")(model, data, gold)
