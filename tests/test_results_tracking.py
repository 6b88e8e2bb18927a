"""Scores as one flat dictionary, and as the YAML of model cards."""

import re

import pytest
import yaml

import tallystick
from tallystick.errors import UsageError
from tallystick.output.results.evaluation import flatten

GOLD = [0, 1, 1, 0, 1, 0, 1, 1]
ONE, OTHER = [0, 1, 0, 0, 1, 0, 1, 1], [1, 1, 1, 0, 1, 0, 0, 1]
MLFLOW = re.compile(r"^[/\w.\- ]*$")
"""The names of metrics that MLflow takes."""


def test_one_system_is_told_by_metric():
    result = tallystick.score(GOLD, ONE, ["accuracy", "f1"])
    accuracy, f1 = result.scores

    assert {
        "accuracy": accuracy.value,
        "accuracy/low": accuracy.low,
        "accuracy/high": accuracy.high,
        "accuracy/n": 8,
        "f1": f1.value,
        "f1/low": f1.low,
        "f1/high": f1.high,
        "f1/n": 8,
    } == result.to_dict()


def test_systems_and_groups_stand_before_the_metric():
    result = tallystick.score(
        [1, 1, 0, 0], {"a": [1, 0, 0, 0], "b": [1] * 4}, "recall", by=["x", "x", "y", "y"]
    )
    names = [name for name in result.to_dict() if not name.endswith(("/n", "/low", "/high"))]

    assert ["a/x/recall", "a/macro/recall", "a/micro/recall"] == names[:3]
    assert "a/y/recall" not in names


def test_all_names_are_names_that_mlflow_takes():
    gold, tags = ["rain falls", "all is well"], ["x/1", "y (é)"]
    result = tallystick.score(gold, gold, ["BLEU(order=2)", "bleu", "rouge1"], by=tags)
    names = result.to_dict()

    assert [] == [name for name in names if not MLFLOW.fullmatch(name)]
    assert {"x_1/BLEU_order=2".replace("=", "_"), "y _é/rouge1"} <= {*names}


def test_equal_names_are_refused():
    result = tallystick.score(GOLD, {"a:": ONE, "a?": OTHER}, "accuracy")
    with pytest.raises(UsageError, match="two scores are called 'a/accuracy'"):
        flatten(result.scores)


def test_a_model_card_lists_the_scores_of_a_system():
    result = tallystick.score(GOLD, {"bert": ONE}, "accuracy", intervals=False)
    text = result.to_model_index(task="text-classification", dataset="me/data", split="test")

    assert {
        "model-index": [
            {
                "name": "bert",
                "results": [
                    {
                        "task": {"type": "text-classification"},
                        "dataset": {"type": "me/data", "name": "me/data", "split": "test"},
                        "metrics": [
                            {
                                "type": "accuracy",
                                "value": 0.875,
                                "name": "Accuracy",
                                "args": {"n": 8},
                            }
                        ],
                    }
                ],
            }
        ]
    } == yaml.safe_load(text)


def test_an_evaluation_result_is_one_score_over_all_examples():
    result = tallystick.score(GOLD, ONE, ["accuracy", "f1"], by=list("xxxxyyyy"))
    (entry,) = yaml.safe_load(result.select(metric="f1").to_eval_result(dataset="cais/hle"))

    assert {"id": "cais/hle", "task_id": "default"} == entry["dataset"]
    assert (result["f1", "micro"], True) == (entry["value"], "f1, n = 8, 95%" in entry["notes"])


@pytest.mark.parametrize("name", ["to_model_index", "to_eval_result"])
def test_several_systems_have_no_card(name):
    result = tallystick.score(GOLD, {"a": ONE, "b": OTHER}, "accuracy", intervals=False)
    with pytest.raises(UsageError, match="a model card is about one system, not a, b"):
        getattr(result, name)(dataset="me/data", task="x")


def test_several_metrics_are_no_evaluation_result():
    result = tallystick.score(GOLD, ONE, ["accuracy", "f1"], intervals=False)
    with pytest.raises(UsageError, match="holds one score over all examples, not accuracy, f1"):
        result.to_eval_result(dataset="me/data")


@pytest.mark.peers
def test_the_package_of_the_hub_reads_what_is_written():
    from huggingface_hub import parse_eval_result_entries
    from huggingface_hub.repocard_data import model_index_to_eval_results

    result = tallystick.score(GOLD, {"bert": ONE}, ["accuracy", "f1"])
    card = yaml.safe_load(result.to_model_index(task="text-classification", dataset="me/data"))
    name, found = model_index_to_eval_results(card["model-index"])
    one = result.select(metric="f1").to_eval_result(dataset="me/data")
    (entry,) = parse_eval_result_entries(yaml.safe_load(one))

    assert ("bert", ["accuracy", "f1"]) == (name, [own.metric_type for own in found])
    assert ["me/data", result["f1"]] == [entry.dataset_id, entry.value]
