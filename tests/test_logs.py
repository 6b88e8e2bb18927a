"""Logs of evaluation tools are scored as they are: those of others, and what is no log."""

import json
import re
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logs import BAD_DATA, complain, make_sample, pack, run, score, write
from tallystick.errors import InputError
from tallystick.io.logs.finding import find_format, read_logs


@pytest.mark.parametrize(
    ("log", "name", "value", "n"),
    [
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
    ],
)
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


@pytest.mark.parametrize(
    ("log", "value", "sentence"),
    [
        (
            "lm_eval/samples_math_perturbed_full.jsonl",
            0.0,
            "holds 10 of the 5,000 samples that it reports on: it reports exact_match,none 0.0000",
        ),
        ("lm_eval", 0.0, "holds 10 of the 5,000 samples"),
        (
            "inspect/data_cyse2_vuln_exploit_challenges.json",
            0.65,
            "holds 1 of the 2,340 samples that it reports on: it reports accuracy 0.3811",
        ),
    ],
)
def test_fewer_samples_than_the_log_reports_on_are_told(shared, capsys, log, value, sentence):
    found = run(capsys, "score", str(shared / "data/logs" / log))

    assert [value] == [one["value"] for one in found["scores"]]
    assert 1 == sum(sentence in note for note in found["notes"])


@pytest.mark.parametrize(
    ("log", "sentence"),
    [
        (
            "inspect/data_cvebench_empty_choices.json",
            "holds 1 sample, and none of them is scored; it reports check_exploit mean 0.7051 "
            "over 78 of 80 samples",
        ),
        (
            "inspect/no-samples.json",
            "holds no samples; it reports match accuracy 0.6667 of 3 samples; it has the status "
            "cancelled",
        ),
        ("inspect/popularity_unscored.eval", "holds 10 samples, and none of them is scored"),
        (
            "lm_eval/results_math_perturbed_full.json",
            "holds results (exact_match,none 0.0000 of math_perturbed_full over 5,000 samples, "
            "exact_match,none 0.0004 of math_rephrased_full over 5,000 samples) and none of the "
            "samples",
        ),
        ("helm/commonsense/stats.json", "holds no statistics of each instance; score the per_in"),
        ("helm/commonsense/run_spec.json", "holds no statistics of each instance"),
        ("helm/narrative_qa/scenario_state.json", "holds no statistics of each instance"),
    ],
)
def test_a_log_without_scored_samples_is_refused_with_its_counts(shared, capsys, log, sentence):
    code, said = complain(capsys, "score", str(shared / "data/logs" / log))

    assert BAD_DATA == code
    assert sentence in said


def test_all_metrics_of_a_real_log_have_its_number(shared, capsys):
    log = str(shared / "data/logs/inspect/popularity.eval")
    tries = score(capsys, log, "-m", "pass@1")
    named = score(capsys, log, "-m", "accuracy", "match", "exact_match")

    assert [0.8] * 3 == [one[2] for one in (*tries, *named)]


@pytest.mark.parametrize(
    "row",
    [
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
    ],
)
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


@pytest.mark.parametrize(
    ("kind", "content", "message"),
    [
        ("lm-eval", '{"target": 1}', "line 1 has no 'filtered_resps', as such logs have"),
        ("lm-eval", "[1]", "line 1 has no 'filtered_resps'"),
        ("eee", '{"sample_id": "x"}', "line 1 has no 'evaluation', as such logs have"),
        ("inspect", "{}", "has no eval and no status, as logs of Inspect have"),
        ("helm", "[]", "is not a list of instances with stats, as HELM writes it"),
        ("lm-eval", '{"target": 1, "filtered_resps": []}\n{"target": nan}', "line 2 is not JSON: "),
    ],
)
def test_what_is_no_log_of_the_format_that_is_named_is_refused(tmp_path, kind, content, message):
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
@pytest.mark.parametrize(
    ("kind", "needed"),
    [
        ("lm-eval", ["target", "filtered_resps", "doc_id"]),
        ("eee", ["sample_id", "evaluation"]),
        ("inspect", ["id", "target"]),
        ("header", ["eval", "results", "status"]),
        ("helm", ["instance_id", "train_trial_index", "stats"]),
    ],
)
@given(data=st.data())
def test_any_log_is_read_or_refused(tmp_path_factory, kind, needed, data):
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
        told = ""
    except InputError as error:
        told = str(error)

    assert told.splitlines() == [told][: bool(told)]
