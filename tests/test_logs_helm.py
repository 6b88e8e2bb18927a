"""Instances of HELM and of Every Eval Ever are scored by their own values."""

import json

from logs import BAD_DATA, complain, make_every, make_instance, run, score, write


def test_instances_of_helm_are_scored_by_split(tmp_path, capsys):
    rows = [
        *(make_instance(n, float(n < 1), trial=t) for n in range(2) for t in range(2)),
        make_instance(2, 1.0, split="valid"),
        make_instance(0, 0.0, perturbation={"name": "typos"}),
    ]
    log = tmp_path / "stats_of_mine.json"
    log.write_text(json.dumps(rows))
    found = run(capsys, "score", str(log))

    assert [
        ("mean(exact_match)", "test", 0.5, 2),
        ("mean(exact_match)", "valid", 1.0, 1),
        ("mean(exact_match)", "macro", 0.75, 3),
        ("mean(exact_match)", "micro", round(2 / 3, 9), 3),
    ] == score(capsys, str(log))
    assert f"1 perturbed instances of {log} are left out." in found["notes"]


def test_instances_of_every_eval_ever_are_scored(tmp_path, capsys):
    log = write(tmp_path / "x.jsonl", [make_every("a", 0.5), make_every("b", 1.0)])

    assert [("mean(score)", None, 0.75, 2)] == score(capsys, log)
    assert [("mean(is_correct)", None, 0.5, 2)] == score(capsys, log, "-m", "is_correct")
    assert [("accuracy", None, 1.0, 2)] == score(capsys, log, "-m", "accuracy")


def test_results_of_one_evaluation_are_scores_of_their_own(tmp_path, capsys):
    rows = [
        make_every(name, value, evaluation_result_id=one)
        for one, values in (("e/acc", (1.0, 0.0)), ("e/f1", (0.5, 0.25)))
        for name, value in zip("ab", values, strict=True)
    ]
    log = write(tmp_path / "x.jsonl", rows)

    assert [("mean(score,e/acc)", None, 0.5, 2), ("mean(score,e/f1)", None, 0.375, 2)] == score(
        capsys, log
    )
    code, said = complain(capsys, "score", write(tmp_path / "y.jsonl", [*rows, rows[0]]))
    assert (BAD_DATA, True) == (code, "the sample_id a of gsm8k occurs twice" in said)


def test_results_that_name_a_file_of_instances_are_compared_with_it(tmp_path, capsys):
    log = write(tmp_path / "x.jsonl", [make_every(name, 0.5) for name in "abc"])
    result = {
        "evaluation_name": "gsm8k",
        "metric_config": {"metric_name": "error rate", "lower_is_better": True},
        "score_details": {"score": 0.75, "uncertainty": {"num_samples": 8}},
    }
    results = {
        "schema_version": "0.3.0",
        "model_info": {"name": "m"},
        "evaluation_results": [result],
        "detailed_evaluation_results": {"format": "jsonl", "file_path": "data/x.jsonl"},
    }
    (tmp_path / "x.json").write_text(json.dumps(results))
    found = run(capsys, "score", log)
    code, said = complain(capsys, "score", str(tmp_path / "x.json"))

    assert ["lower"] == [one["better"] for one in found["scores"]]
    assert (
        f"{log} holds 3 of the 8 samples that it reports on: it reports error rate 0.7500 over all "
        "of them." in found["notes"]
    )
    assert (BAD_DATA, True) == (code, "holds results (gsm8k 0.75) and none of the inst" in said)


def test_evaluations_and_models_of_one_file_are_not_pooled(tmp_path, capsys):
    rows = [
        make_every("a", value, evaluation_name=name, model_id=model)
        for name, model, value in (
            ("x", "lab/one", 1.0),
            ("y", "lab/one", 0.0),
            ("x", "lab/two", 0.25),
            ("y", "lab/two", 0.75),
        )
    ]
    found = run(capsys, "score", write(tmp_path / "x.jsonl", rows))["scores"]

    assert {
        ("lab/one", "x", 1.0),
        ("lab/one", "y", 0.0),
        ("lab/two", "x", 0.25),
        ("lab/two", "y", 0.75),
    } == {(one["system"], one["group"], one["value"]) for one in found if one["n"] == 1}
