"""Logs of evaluation tools, HELM and lm-evaluation-harness are scored as they are."""

import json
import re
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logs import (
    BAD_DATA,
    WRONG_CALL,
    complain,
    make_every,
    make_harness,
    make_instance,
    make_run,
    make_sample,
    pack,
    run,
    score,
    write,
)
from tallystick.cli import main
from tallystick.errors import InputError
from tallystick.io.logs.finding import find_format, read_logs


@pytest.mark.parametrize(("log", "name", "value", "n"), [
    ("inspect/popularity.eval", "match", 0.8, 10),
    ("inspect/popularity_cancelled.json", "match", 2 / 3, 3),
    ("inspect/data_arc_qwen.json", "choice", 1 / 3, 3),
    ("inspect/data_pubmedqa_gpt4o_mini.json", "choice", 1.0, 2),
    ("inspect/security-guide.json", "model_graded_fact", 1.0, 3),
    ("inspect/log_formats.eval", "match", 0.0, 1),
    ("inspect/log_formats.json", "match", 0.0, 1),
    ("inspect/log_images.json", "match", 0.0, 1),
    ("helm/commonsense/per_instance_stats.json", "exact_match", 0.3, 10),
    ("helm/commonsense", "quasi_prefix_exact_match", 0.3, 10),
])  # fmt: skip
def test_the_number_that_a_log_reports_comes_out(shared, capsys, log, name, value, n):
    found = run(capsys, "score", str(shared / "data/logs" / log))
    (own,) = (one for one in found["scores"] if one["name"] == f"mean({name})")
    assert (value, n) == (pytest.approx(own["value"], rel=1e-12), own["n"])
    assert [] == [note for note in found["notes"] if "reports" in note]


def test_the_splits_of_helm_have_the_numbers_that_it_reports(shared, capsys):
    folder = shared / "data/logs/helm/narrative_qa"
    reported = {
        (f"mean({stat['name']['name']})", stat["name"]["split"], round(stat["mean"], 9))
        for stat in json.loads((folder / "stats.json").read_text())
        if stat["name"].get("perturbation") is None and "mean" in stat
    }
    found = [one[:3] for one in score(capsys, str(folder)) if one[1] in ("test", "valid")]

    assert 12 == len(found)
    assert [] == [one for one in found if one not in reported]


@pytest.mark.parametrize(("log", "value", "sentence"), [
    ("lm_eval/samples_math_perturbed_full.jsonl", 0.0,
     "contains 10 of the 5,000 samples that it reports on: it reports exact_match,none " "0.0000"),
    ("lm_eval", 0.0, "contains 10 of the 5,000 samples"),
    ("inspect/data_cyse2_vuln_exploit_challenges.json", 0.65,
     "contains 1 of the 2,340 samples that it reports on: it reports accuracy 0.3811"),
])  # fmt: skip
def test_fewer_samples_than_the_log_reports_on_are_told(shared, capsys, log, value, sentence):
    found = run(capsys, "score", str(shared / "data/logs" / log))
    assert [value] == [one["value"] for one in found["scores"]]
    assert 1 == sum(sentence in note for note in found["notes"])


@pytest.mark.parametrize(("log", "sentence"), [
    ("inspect/data_cvebench_empty_choices.json",
     "contains 1 sample, and none of them is scored; it reports check_exploit mean 0.7051 "
     "over 78 of 80 samples"),
    ("inspect/no-samples.json",
     "contains no samples; it reports match accuracy 0.6667 of 3 samples; it has the "
     "status cancelled"),
    ("inspect/popularity_unscored.eval", "contains 10 samples, and none of them is scored"),
    ("lm_eval/results_math_perturbed_full.json",
     "contains results (exact_match,none 0.0000 of math_perturbed_full over 5,000 "
     "samples, exact_match,none 0.0004 of math_rephrased_full over 5,000 samples) "
     "but no samples"),
    ("helm/commonsense/stats.json", "contains no statistics of each instance; score the per_in"),
    ("helm/commonsense/run_spec.json", "contains no statistics of each instance"),
    ("helm/narrative_qa/scenario_state.json", "contains no statistics of each instance"),
])  # fmt: skip
def test_a_log_without_scored_samples_is_rejected_with_its_counts(shared, capsys, log, sentence):
    code, said = complain(capsys, "score", str(shared / "data/logs" / log))
    assert BAD_DATA == code
    assert sentence in said


def test_all_metrics_of_a_real_log_have_its_number(shared, capsys):
    log = str(shared / "data/logs/inspect/popularity.eval")
    tries = score(capsys, log, "-m", "pass@1")
    named = score(capsys, log, "-m", "accuracy", "match", "exact_match")
    assert [0.8] * 3 == [one[2] for one in (*tries, *named)]


@pytest.mark.parametrize("row", [
    {"doc_id": 1, "target": "a", "prediction": "a"},
    {"doc_id": 1, "target": "a", "filtered_resps": "a"},
    {"sample_id": 1, "score": 0.5, "evaluation": "good", "gold": "a", "pred": "a"},
    {"status": "success", "eval": "quiz", "gold": "a", "pred": "b"},
    {"instance_id": 1, "train_trial_index": 0, "stats": 0.5},
    {"results": [], "gold": "a", "pred": "b"},
    {"name": "a", "count": 1, "sum": 2, "sum_squared": 4},
    {"adapter_spec": {}, "gold": "a", "pred": "b"},
    3,
    {"eval": {"task": "x"}, "gold": "a", "pred": "b"},
])  # fmt: skip
@pytest.mark.parametrize("form", ["lines", "array"])
def test_a_table_with_similar_columns_is_no_log(tmp_path, row, form):
    path = tmp_path / "samples_mine.jsonl"
    path.write_text(json.dumps([row]) if form == "array" else json.dumps(row) + "\n")
    assert find_format(str(path)) is None


@pytest.mark.parametrize(
    "content", [b'{"doc_id": "\xfe"}\n', b'{"status": "\xff", "eval": {}}', b"{"]
)
def test_bytes_that_are_no_text_are_no_log(tmp_path, content):
    path = tmp_path / "x.json"
    path.write_bytes(content)
    assert find_format(str(path)) is None


def test_a_table_called_eval_is_no_log(tmp_path):
    table, archive = tmp_path / "x.eval", tmp_path / "y.eval"
    table.write_text('{"gold": "a", "pred": "a"}\n')
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("gold.csv", "a")
    assert [None, None] == [find_format(str(one)) for one in (table, archive)]


def test_a_named_format_needs_no_signature(tmp_path, capsys):
    log = write(
        tmp_path / "x.jsonl", [{"target": 1, "filtered_resps": ["1"], "doc_id": 0, "acc": 1}]
    )
    assert [("mean(acc)", None, 1.0, 1)] == score(capsys, log, "--input-format", "lm-eval")


@pytest.mark.parametrize(("kind", "content", "message"), [
    ("lm-eval", '{"target": 1}', "line 1 has no 'filtered_resps', as such logs have"),
    ("lm-eval", "[1]", "element 1 has no 'filtered_resps'"),
    ("eee", '{"sample_id": "x"}', "line 1 has no 'evaluation', as such logs have"),
    ("inspect", "{}", "has no eval and no status, as logs of Inspect have"),
    ("helm", "[]", "is not a list of instances with stats, as HELM writes it"),
    ("lm-eval", '{"target": 1, "filtered_resps": []}\n{"target": nan}', "line 2 is not JSON: "),
])  # fmt: skip
def test_what_is_no_log_of_the_format_that_is_named_is_rejected(tmp_path, kind, content, message):
    path = tmp_path / "log.jsonl"
    path.write_text(content)
    with pytest.raises(InputError, match=re.escape(f"log.jsonl: {message}")):
        read_logs([(str(path), kind)])


KEYS = st.sampled_from(
    [
        *("id", "target", "scores", "match", "value", "answer", "epoch", "sample_id", "evaluation"),
        *("score", "input", "reference", "filtered_resps", "metrics", "acc", "doc_hash", "filter"),
    ]
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["C", "\ud800"])
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=6,
)


@pytest.mark.deep
@pytest.mark.parametrize(("kind", "needed"), [
    ("lm-eval", ["target", "filtered_resps", "doc_id"]),
    ("eee", ["sample_id", "evaluation"]),
    ("inspect", ["id", "target"]),
    ("header", ["eval", "results", "status"]),
    ("helm", ["instance_id", "train_trial_index", "stats"]),
])  # fmt: skip
@given(data=st.data())
def test_any_log_is_read_or_rejected(tmp_path_factory, kind, needed, data):
    keyed = st.fixed_dictionaries(dict.fromkeys(needed, VALUES))
    row = st.builds(dict.__or__, st.dictionaries(KEYS, VALUES), keyed)
    rows = data.draw(st.lists(row, min_size=1, max_size=3))
    path = tmp_path_factory.getbasetemp() / "log"
    if kind == "inspect":
        pack(path, rows)
    elif kind == "header":
        pack(path, [make_sample(1, "C")], rows[0])
    elif kind == "helm":
        path.write_text(json.dumps(rows))
    else:
        write(path, rows)
    try:
        read_logs([(str(path), "inspect" if kind == "header" else kind)])
        shown = ""
    except InputError as error:
        shown = str(error)

    assert shown.splitlines() == [shown][: bool(shown)]


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

    assert [("mean(score,e/acc)", None, 0.5, 2), ("mean(score,e/f1)", None, 0.375, 2)] == score(
        capsys, write(tmp_path / "x.jsonl", rows)
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
        f"{log} contains 3 of the 8 samples that it reports on: it reports error rate 0.7500 "
        "over all of them." in found["notes"]
    )
    assert (BAD_DATA, True) == (code, "contains results (gsm8k 0.75) and none of the inst" in said)


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


def test_filters_of_the_harness_are_scores_of_their_own(tmp_path, capsys):
    strict = [make_harness(n, float(n < 2), "strict-match") for n in range(8)]
    loose = [make_harness(n, float(n < 5), "flexible-extract") for n in range(8)]
    log = write(tmp_path / "samples.jsonl", [*strict, *loose])
    both = [
        ("mean(exact_match,strict-match)", None, 0.25, 8),
        ("mean(exact_match,flexible-extract)", None, 0.625, 8),
    ]

    assert both == score(capsys, log)
    assert both == score(capsys, log, "-m", "exact_match")
    assert both[1:] == score(capsys, log, "-m", "exact_match,flexible-extract")
    assert both[:1] == score(capsys, log, "-m", "mean(exact_match,strict-match)")


def test_the_exact_match_of_a_log_is_its_own(tmp_path, capsys):
    log = write(tmp_path / "x.jsonl", [make_harness(n, float(n != 1)) for n in range(4)])
    assert [("mean(exact_match)", None, 0.75, 4)] == score(capsys, log, "-m", "exact_match")


def test_other_metrics_are_computed_from_target_and_answer(tmp_path, capsys):
    rows = [
        make_harness(n, 0.0, target="yes", filtered_resps=["yes" if n else "no"]) for n in (0, 1)
    ]
    log = write(tmp_path / "x.jsonl", rows)
    assert [("accuracy", None, 0.5, 2)] == score(capsys, log, "-m", "accuracy")


def test_the_outputs_of_several_filters_are_not_pooled(tmp_path, capsys):
    rows = [make_harness(n, 1.0, name) for name in ("a", "b") for n in (0, 1)]
    log = write(tmp_path / "x.jsonl", rows)
    code, said = complain(capsys, "score", log, "-m", "rouge1")
    assert WRONG_CALL == code
    assert (
        "contains the outputs of 2 filters; name one with --predicted-column prediction,a" in said
    )
    assert 2 == score(capsys, log, "-m", "chrf", "--predicted-column", "prediction,b")[0][3]


@pytest.mark.parametrize("value", [1.0, 0.0])
def test_a_sample_that_stands_twice_is_an_error(tmp_path, capsys, value):
    rows = [make_harness(n, 1.0) for n in range(4)] + [make_harness(n, value) for n in (1, 2)]
    code, said = complain(capsys, "score", write(tmp_path / "x.jsonl", rows))
    assert BAD_DATA == code
    assert "sample 5 has the doc_id 1, which sample 2 has too (2 samples stand there again)" in said


def test_ids_that_processes_numbered_alike_are_told_apart_by_their_hash(tmp_path, capsys):
    rows = [make_harness(0, float(n), doc_hash=f"h{n}") for n in range(2)]
    assert 2 == score(capsys, write(tmp_path / "x.jsonl", rows))[0][3]


def test_tasks_of_a_folder_are_groups(tmp_path, capsys):
    folder, stamp = tmp_path / "lab__model", "2025-01-02T03-04-05.6"
    arc = [make_harness(n, None, metrics=["acc"], acc=float(n < 2)) for n in range(5)]
    write(folder / f"samples_arc_{stamp}.jsonl", arc)
    write(folder / f"samples_gsm8k_{stamp}.jsonl", [make_harness(n, 1.0) for n in range(3)])
    write(folder / f"samples_svamp_{stamp}.jsonl", [make_harness(n, 0.0) for n in range(2)])
    make_run(folder, {"arc": {"acc,none": 0.4}, "gsm8k": {}, "svamp": {}})

    assert [
        ("mean(acc)", "arc", 0.4, 5),
        ("mean(exact_match)", "gsm8k", 1.0, 3),
        ("mean(exact_match)", "svamp", 0.0, 2),
        ("mean(acc)", "macro", 0.4, 5),
        ("mean(exact_match)", "macro", 0.5, 5),
        ("mean(acc)", "micro", 0.4, 5),
        ("mean(exact_match)", "micro", 0.6, 5),
    ] == score(capsys, str(tmp_path))
    assert "lab__model" == run(capsys, "score", str(folder))["scores"][0]["system"]


def test_averages_over_tasks_of_different_scores_are_one_row(tmp_path, capsys):
    folder, stamp = tmp_path / "model", "2025-01-02T03-04-05.6"
    arc = [make_harness(n, None, metrics=["acc"], acc=1.0) for n in range(5)]
    write(folder / f"samples_arc_{stamp}.jsonl", arc)
    write(folder / f"samples_gsm8k_{stamp}.jsonl", [make_harness(n, 0.0) for n in range(3)])

    assert 0 == main(["score", str(folder), "--format", "csv"])
    assert [
        "system,task,n,mean(acc),mean(exact_match)",
        "model,arc,5,1.0,",
        "model,gsm8k,3,,0.0",
        "model,macro,,1.0,0.0",
        "model,micro,,1.0,0.0",
    ] == capsys.readouterr().out.splitlines()


def test_a_report_shows_logs(tmp_path, capsys):
    folder, stamp = tmp_path / "model", "2025-01-02T03-04-05.6"
    arc = [make_harness(n, None, metrics=["acc"], acc=1.0 if n else None) for n in range(5)]
    write(folder / f"samples_arc_{stamp}.jsonl", arc)
    write(folder / f"samples_gsm8k_{stamp}.jsonl", [make_harness(n, 0.0) for n in range(3)])
    page = tmp_path / "report.html"
    assert 0 == main(["score", str(folder), "-o", str(page)])
    assert "mean(exact_match)" in page.read_text(encoding="utf-8")


def test_what_a_log_reports_and_its_samples_do_not_show_is_told(tmp_path, capsys):
    stamp = "2025-01-02T03-04-05.6"
    log = write(tmp_path / f"samples_t_{stamp}.jsonl", [make_harness(n, 1.0) for n in range(3)])
    make_run(tmp_path, {"t": {"exact_match,none": 0.25}}, model_name="lab/m")
    assert [
        f"{log} reports exact_match,none 0.2500, and the mean of the 3 values that it contains is "
        "1.0000 (exact_match)."
    ] == [note for note in run(capsys, "score", log)["notes"] if "reports" in note]


def test_lower_is_better_where_the_results_say_so(tmp_path, capsys):
    stamp = "2025-01-02T03-04-05.6"
    log = write(tmp_path / f"samples_t_{stamp}.jsonl", [make_harness(n, 0.5) for n in range(3)])
    make_run(tmp_path, {"t": {}}, higher_is_better={"t": {"exact_match": False}})
    assert ["lower"] == [one["better"] for one in run(capsys, "score", log)["scores"]]


def test_a_metric_without_a_number_for_each_sample_is_told(tmp_path, capsys):
    stamp = "2025-01-02T03-04-05.6"
    rows = [
        make_harness(n, 1.0, metrics=["exact_match", "bleu"], bleu=["a", ["b"]]) for n in range(3)
    ]
    log = write(tmp_path / f"samples_t_{stamp}.jsonl", rows)
    make_run(tmp_path, {"t": {"exact_match,none": 1.0, "bleu,none": 12.5}})
    found = run(capsys, "score", log)

    assert ["mean(exact_match)"] == [one["name"] for one in found["scores"]]
    assert (
        f"{log} contains no number of each sample for bleu, though it reports 12.5000."
        in found["notes"]
    )
