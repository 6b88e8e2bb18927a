"""Logs of evaluation tools are scored as they are: their own values, by their own names."""

import json
import math
import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.cli import main
from tallystick.errors import InputError
from tallystick.io.logs.finding import find_format, read_logs
from tallystick.reading.epochs import reduce_epochs

Row = dict[str, Any]

WRONG_CALL, BAD_DATA = 2, 4


def write(path: Path, rows: Sequence[object]) -> str:
    """Write JSON Lines as Python's own writer does, NaN included."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *call: str) -> Any:
    """Return what a command prints as JSON."""
    code = main([*call, "--format", "json"])
    printed = capsys.readouterr()
    assert 0 == code, printed.err
    return json.loads(printed.out)


def score(capsys: pytest.CaptureFixture[str], *call: str) -> list[tuple[str, Any, Any, int]]:
    """Return the name, group, value and n of each score."""
    found = run(capsys, "score", *call)["scores"]
    return [(one["name"], one["group"], round(one["value"], 9), one["n"]) for one in found]


def complain(capsys: pytest.CaptureFixture[str], *call: str) -> tuple[int, str]:
    """Return the exit code of a command and what it says."""
    code = main([*call])
    return code, capsys.readouterr().err


def make_harness(number: int, value: object, name: str = "none", **more: object) -> Row:
    """Return a sample as lm-evaluation-harness writes it."""
    return {
        "doc_id": number,
        "doc": {"question": "?", "subject": "ab"[number % 2]},
        "target": f"A whole solution. #### {number}",
        "arguments": {"gen_args_0": {"arg_0": "?"}},
        "resps": [[f"I think {number}"]],
        "filtered_resps": [str(number)],
        "filter": name,
        "metrics": ["exact_match"],
        "doc_hash": f"hash{number}",
        "prompt_hash": "p",
        "target_hash": "t",
        "exact_match": value,
        **more,
    }


def make_run(folder: Path, results: Mapping[str, Any], **more: object) -> None:
    """Write a file of results of lm-evaluation-harness."""
    folder.mkdir(parents=True, exist_ok=True)
    found = {"results": results, "configs": {task: {} for task in results}, **more}
    (folder / "results_2025-01-02T03-04-05.6.json").write_text(json.dumps(found))


def make_sample(name: object, value: object, *, epoch: int = 1, **metadata: object) -> Row:
    """Return a sample as Inspect writes it; None as its value is no score."""
    scores = {} if value is None else {"match": {"value": value, "answer": "Yes"}}
    return {
        "id": name,
        "epoch": epoch,
        "input": f"question {name}",
        "target": " Yes",
        "metadata": metadata,
        "scores": scores,
    }


def make_header(value: float | None = None, **more: Any) -> Row:
    """Return the header of a log of Inspect, which reports an accuracy unless it is None."""
    scores = [{"name": "match", "scorer": "match", "metrics": {"accuracy": {"value": value}}}]
    config = {key: more[key] for key in ("epochs", "epochs_reducer", "limit") if key in more}
    return {
        "version": 2,
        "status": more.get("status", "success"),
        "eval": {
            "task": more.get("task", "quiz"),
            "task_version": more.get("version", 0),
            "model": more.get("model", "lab/model"),
            "dataset": {},
            "config": config,
            "scorers": more.get("scorers", []),
        },
        "results": {
            "total_samples": more.get("total"),
            "scores": more.get("scores", [] if value is None else scores),
        },
    }


def pack(path: Path, samples: Sequence[object], header: object = None) -> str:
    """Write a log of Inspect: an archive, or JSON by its ending."""
    header = make_header() if header is None else header
    if path.suffix == ".json":
        assert isinstance(header, dict)
        path.write_text(json.dumps({**header, "samples": samples}))
        return str(path)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(header))
        archive.writestr("summaries.json", json.dumps(samples))
    return str(path)


def make_instance(number: int, value: float, *, trial: int = 0, **more: object) -> Row:
    """Return the statistics of an instance as HELM writes them."""
    stats = [
        {"name": {"name": name, "split": more.get("split", "test")}, "count": count, "sum": total}
        for name, count, total in (("num_prompt_tokens", 1, 700), ("exact_match", 1, value))
    ]
    rest = {key: one for key, one in more.items() if key != "split"}
    return {"instance_id": f"id{number}", "train_trial_index": trial, "stats": stats, **rest}


# The logs of others.


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
    """Without any option; the numbers stand in the header of each log, or beside it."""
    found = run(capsys, "score", str(shared / "data/logs" / log))
    (own,) = (one for one in found["scores"] if one["name"] == f"mean({name})")

    assert (value, n) == (pytest.approx(own["value"], rel=1e-12), own["n"])
    assert [] == [note for note in found["notes"] if "reports" in note]


def test_the_splits_of_helm_have_the_numbers_that_it_reports(shared, capsys):
    """Which are those of its stats.json."""
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
    """With both counts, and with what the log reports."""
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
    """A number that its samples do not show is quoted and never scored."""
    code, said = complain(capsys, "score", str(shared / "data/logs" / log))

    assert BAD_DATA == code
    assert sentence in said


def test_all_metrics_of_a_real_log_have_its_number(shared, capsys):
    """By whatever name they are asked for, as the target is ' Yes' and the answer 'Yes'."""
    log = str(shared / "data/logs/inspect/popularity.eval")
    tries = score(capsys, log, "-m", "pass@1")
    named = score(capsys, log, "-m", "accuracy", "match", "exact_match")

    assert [0.8] * 3 == [one[2] for one in (*tries, *named)]


# lm-evaluation-harness.


def test_filters_of_the_harness_are_scores_of_their_own(tmp_path, capsys):
    """Both are means of the log's values for the same samples, under the log's names."""
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
    """Though the target is a whole solution, which no answer equals."""
    log = write(tmp_path / "x.jsonl", [make_harness(n, float(n != 1)) for n in range(4)])

    assert [("mean(exact_match)", None, 0.75, 4)] == score(capsys, log, "-m", "exact_match")


def test_other_metrics_are_computed_from_target_and_answer(tmp_path, capsys):
    """The answer is the first of the filtered responses."""
    rows = [
        make_harness(n, 0.0, target="yes", filtered_resps=["yes" if n else "no"]) for n in (0, 1)
    ]
    log = write(tmp_path / "x.jsonl", rows)

    assert [("accuracy", None, 0.5, 2)] == score(capsys, log, "-m", "accuracy")


def test_the_outputs_of_several_filters_are_not_pooled(tmp_path, capsys):
    """Which of them a metric of texts is to read is asked."""
    rows = [make_harness(n, 1.0, name) for name in ("a", "b") for n in (0, 1)]
    log = write(tmp_path / "x.jsonl", rows)
    code, said = complain(capsys, "score", log, "-m", "rouge1")

    assert WRONG_CALL == code
    assert "holds the outputs of 2 filters; name one with --predicted-column 'prediction,a'" in said
    assert 2 == score(capsys, log, "-m", "chrf", "--predicted-column", "prediction,b")[0][3]


@pytest.mark.parametrize("value", [1.0, 0.0])
def test_a_sample_that_stands_twice_is_an_error(tmp_path, capsys, value):
    """Whether the line is repeated or another run of it is appended."""
    rows = [make_harness(n, 1.0) for n in range(4)] + [make_harness(n, value) for n in (1, 2)]
    code, said = complain(capsys, "score", write(tmp_path / "x.jsonl", rows))

    assert BAD_DATA == code
    assert "sample 5 has the doc_id 1, which sample 2 has too (2 samples stand there again)" in said


def test_ids_that_processes_numbered_alike_are_told_apart_by_their_hash(tmp_path, capsys):
    """Some logs of several processes number their documents from 0 in each."""
    rows = [make_harness(0, float(n), doc_hash=f"h{n}") for n in range(2)]

    assert 2 == score(capsys, write(tmp_path / "x.jsonl", rows))[0][3]


def test_tasks_of_a_folder_are_groups(tmp_path, capsys):
    """Each score stands at the tasks that have it, and the model is the one of the folder."""
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
    """Each score is averaged over the tasks that have it, so that the row has no n of its own."""
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
    """Of several tasks, and of samples that were not scored."""
    folder, stamp = tmp_path / "model", "2025-01-02T03-04-05.6"
    arc = [make_harness(n, None, metrics=["acc"], acc=1.0 if n else None) for n in range(5)]
    write(folder / f"samples_arc_{stamp}.jsonl", arc)
    write(folder / f"samples_gsm8k_{stamp}.jsonl", [make_harness(n, 0.0) for n in range(3)])
    page = tmp_path / "report.html"

    assert 0 == main(["score", str(folder), "-o", str(page)])
    assert "mean(exact_match)" in page.read_text(encoding="utf-8")


def test_what_a_log_reports_and_its_samples_do_not_show_is_told(tmp_path, capsys):
    """As of a results file of another run."""
    stamp = "2025-01-02T03-04-05.6"
    log = write(tmp_path / f"samples_t_{stamp}.jsonl", [make_harness(n, 1.0) for n in range(3)])
    make_run(tmp_path, {"t": {"exact_match,none": 0.25}}, model_name="lab/m")
    notes = run(capsys, "score", log)["notes"]

    assert [f"{log} reports exact_match,none 0.2500, and the mean of the 3 values that it holds is "
            "1.0000 (exact_match)."] == [note for note in notes if "reports" in note]  # fmt: skip


def test_lower_is_better_where_the_results_say_so(tmp_path, capsys):
    """A gate would pass the worse of two models else."""
    stamp = "2025-01-02T03-04-05.6"
    log = write(tmp_path / f"samples_t_{stamp}.jsonl", [make_harness(n, 0.5) for n in range(3)])
    make_run(tmp_path, {"t": {}}, higher_is_better={"t": {"exact_match": False}})

    assert ["lower"] == [one["better"] for one in run(capsys, "score", log)["scores"]]


def test_a_metric_without_a_number_for_each_sample_is_told(tmp_path, capsys):
    """Such as perplexity, of which samples hold a sum and a count."""
    stamp = "2025-01-02T03-04-05.6"
    rows = [
        make_harness(n, 1.0, metrics=["exact_match", "word_perplexity"], word_perplexity=[-9, 4])
        for n in range(3)
    ]
    log = write(tmp_path / f"samples_t_{stamp}.jsonl", rows)
    make_run(tmp_path, {"t": {"exact_match,none": 1.0, "word_perplexity,none": 12.5}})
    found = run(capsys, "score", log)

    assert ["mean(exact_match)"] == [one["name"] for one in found["scores"]]
    assert (
        f"{log} holds no number of each sample for word_perplexity, though it reports 12.5000."
        in found["notes"]
    )


# Inspect.


@pytest.mark.parametrize("ending", ["eval", "json", "log"])
def test_the_values_of_inspect_are_its_grades(tmp_path, capsys, ending):
    """C, I, P and N are 1, 0, 0.5 and 0, and numbers and words are what Inspect makes of them."""
    values = ["C", "I", "P", "N", 0.25, True, "yes", "no", "0.5"]
    samples = [make_sample(number, value) for number, value in enumerate(values)]
    log = pack(tmp_path / f"x.{ending}", samples, make_header(4.25 / 9))

    assert [("mean(match)", None, round(4.25 / 9, 9), 9)] == score(capsys, log)


def test_text_that_is_no_grade_counts_as_0_and_is_told(tmp_path, capsys):
    """As Inspect does, with a warning."""
    log = pack(tmp_path / "x.eval", [make_sample(0, "C"), make_sample(1, "A")])
    found = run(capsys, "score", log)

    assert 0.5 == found["scores"][0]["value"]
    assert 1 == sum("1 values of match in" in note and "'A'" in note for note in found["notes"])


@pytest.mark.parametrize("value", [None, math.nan])
def test_unscored_samples_are_left_out_and_told(tmp_path, capsys, value):
    """The score is the mean of the others, as in Inspect."""
    samples = [make_sample(n, value if n < 2 else "C" if n < 5 else "I") for n in range(8)]
    found = run(capsys, "score", pack(tmp_path / "x.json", samples, make_header(0.5)))

    assert [(0.5, 6)] == [(one["value"], one["n"]) for one in found["scores"]]
    assert "lab/model: 6 of 8 samples scored (match); the others are left out." in found["notes"]


def test_each_score_is_the_mean_of_the_samples_that_have_it(tmp_path, capsys):
    """Two scorers may leave different samples unscored."""
    samples = [make_sample(n, None if n == 0 else "C") for n in range(4)]
    for n, sample in enumerate(samples):
        sample["scores"]["judge"] = {"value": math.nan if n > 1 else n / 2}
    log = pack(tmp_path / "x.eval", samples, make_header())

    assert {("mean(match)", None, 1.0, 3), ("mean(judge)", None, 0.25, 2)} == {*score(capsys, log)}


def test_a_score_of_several_values_is_several_scores(tmp_path, capsys):
    """The name of the scorer stands for all of them."""
    samples = [make_sample(0, {"a": 0.5, "b": "C"}), make_sample(1, {"a": 1, "b": "C"})]
    log = pack(tmp_path / "x.eval", samples)
    both = [("mean(match.a)", None, 0.75, 2), ("mean(match.b)", None, 1.0, 2)]

    assert both == score(capsys, log)
    assert both == score(capsys, log, "-m", "match")
    assert both[1:] == score(capsys, log, "-m", "b")


def test_epochs_are_tries(tmp_path, capsys):
    """Their mean is that of each sample's mean, and pass@k looks at all of them."""
    samples = [make_sample(n, "CI"[e > n], epoch=e) for n in (0, 1, 2) for e in (1, 2)]
    log = pack(tmp_path / "x.eval", samples, make_header(0.5, epochs=2, total=6))

    assert [("mean(match)", None, 0.5, 3)] == score(capsys, log)
    assert [("pass@1", None, 0.5, 3), ("pass@2", None, round(2 / 3, 9), 3)] == score(
        capsys, log, "-m", "pass@1", "pass@2"
    )


def test_tries_that_are_partly_right_count_as_wrong(tmp_path, capsys):
    """As in Inspect's pass_at, whose threshold is 1; unscored tries are none."""
    values = {"a": ["C", "P", None], "b": ["I", "C", "C"]}
    samples = [
        make_sample(name, value, epoch=epoch)
        for name, own in values.items()
        for epoch, value in enumerate(own, start=1)
    ]
    log = pack(tmp_path / "x.eval", samples, make_header(epochs=3))
    found = run(capsys, "score", log, "-m", "pass@1")

    assert [round((1 / 2 + 2 / 3) / 2, 9)] == [round(one["value"], 9) for one in found["scores"]]
    assert "partly right tries that count as wrong, as in Inspect's pass_at: 1." in found["notes"]


def test_which_of_several_scores_tells_right_tries_is_asked(tmp_path, capsys):
    """The column of outputs names it."""
    samples = [make_sample(n, "C") for n in range(3)]
    for sample in samples:
        sample["scores"]["judge"] = {"value": "I"}
    log = pack(tmp_path / "x.eval", samples)
    code, said = complain(capsys, "score", log, "-m", "pass@1")

    assert (WRONG_CALL, True) == (code, "name the one that tells which tries are right" in said)
    assert [("pass@1", None, 0.0, 3)] == score(
        capsys, log, "-m", "pass@1", "--predicted-column", "judge"
    )
    code, said = complain(capsys, "score", log, "-m", "pass@1", "--predicted-column", "prediction")
    assert (WRONG_CALL, True) == (code, "has no score 'prediction', only match, judge" in said)


def test_epochs_are_reduced_as_the_log_says(tmp_path, capsys):
    """Each reducer makes a score of its own."""
    samples = [make_sample(n, "CI"[e > n], epoch=e) for n in (0, 1, 2) for e in (1, 2, 3)]
    header = make_header(epochs=3, epochs_reducer=["mode", "pass_at_2"])
    log = pack(tmp_path / "x.eval", samples, header)

    assert [
        ("mean(match/mode)", None, round(1 / 3, 9), 3),
        ("mean(match/pass_at_2)", None, round((0 + 2 / 3 + 1) / 3, 9), 3),
    ] == score(capsys, log)


@pytest.mark.parametrize(
    ("reducer", "value"),
    [
        ("mean", 0.625),
        ("median", 0.75),
        ("mode", 1.0),
        ("max", 1.0),
        ("at_least_2", 1.0),
        ("at_least_3", 0.0),
        ("pass_at_1", 0.5),
        ("pass_at_2", 5 / 6),
        ("pass_at_3", 1.0),
        ("pass_k_2", 1 / 6),
        ("pass_k_3", 0.0),
        ("pass_at_5", None),
        ("pass_k_5", None),
    ],
)
def test_reducers_are_those_of_inspect(reducer, value):
    """What the reducers of inspect_ai 0.3.285 make of 1, 1, 0.5 and 0."""
    assert pytest.approx(value) == reduce_epochs(reducer, [1.0, 1.0, 0.5, 0.0])


@pytest.mark.parametrize(
    ("header", "sentence"),
    [
        (make_header(1.0, status="cancelled"), "has the status cancelled: the run did not end"),
        (make_header(1.0, status="started"), "has the status started"),
        (
            make_header(status="error") | {"error": {"message": "no GPU\nTraceback"}},
            "has the status error (no GPU): the run did not end well.",
        ),
        (make_header(1.0, total=6), "holds 3 of the 6 samples that it reports on"),
        (make_header(total=6, scores=[]), "holds 3 of 6 samples."),
        ({}, "is without a header: the run did not end."),
    ],
)
def test_what_became_of_a_run_is_told(tmp_path, capsys, header, sentence):
    """A part of a run looks like a whole one else."""
    log = pack(tmp_path / "x.eval", [make_sample(n, "C") for n in range(3)], header)
    found = run(capsys, "score", log)

    assert 1.0 == found["scores"][0]["value"]
    assert 1 == sum(sentence in note for note in found["notes"])


def test_errors_of_samples_are_told(tmp_path, capsys):
    """Beside how many of them were scored."""
    samples = [make_sample(n, "C" if n else None) for n in range(3)]
    samples[0]["error"] = {"message": "boom"}
    log = pack(tmp_path / "x.json", samples, make_header(1.0))

    assert f"1 of the 3 samples of {log} ended with an error." in run(capsys, "score", log)["notes"]


def test_an_unfinished_archive_is_read_from_its_journal(tmp_path, capsys):
    """Of a sample that was run again the last summary counts."""
    path = tmp_path / "x.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": {"task": "t"}}))
        first = [make_sample(1, "I"), make_sample(2, "C")]
        archive.writestr("_journal/summaries/1.json", json.dumps(first))
        archive.writestr("_journal/summaries/2.json", json.dumps([make_sample(1, "C")]))

    assert [("mean(match)", None, 1.0, 2)] == score(capsys, str(path))


@pytest.mark.parametrize("place", ["scorers", "results"])
def test_clusters_are_those_that_the_log_names(tmp_path, capsys, place):
    """Where its standard error is one of clusters."""
    stderr = {"name": "stderr", "options": {"cluster": "doc"}, "params": {"cluster": "doc"}}
    own = {"name": "match", "scorer": "match", "metrics": {"accuracy": {"value": 0.5}}}
    if place == "scorers":
        header = make_header(0.5, scorers=[{"name": "match", "metrics": [stderr]}])
    else:
        header = make_header(scores=[own | {"metrics": {**own["metrics"], "stderr": stderr}}])
    samples = [make_sample(n, "CI"[n % 2], doc=n // 4) for n in range(40)]
    found = run(capsys, "score", pack(tmp_path / "x.eval", samples, header))

    assert "the samples of one metadata.doc are a cluster, as the log says." in found["notes"]
    assert "clusters" in found["scores"][0]["method"]


def test_metadata_are_columns(tmp_path, capsys):
    """By their dotted names."""
    samples = [make_sample(n, "CI"[n % 2], lang="ab"[n % 2]) for n in range(4)]
    log = pack(tmp_path / "x.eval", samples)
    found = score(capsys, log, "--by", "metadata.lang")

    assert [("a", 1.0), ("b", 0.0)] == [one[1:3] for one in found[:2]]


def test_members_packed_with_zstd_are_told(tmp_path):
    """Newer logs are packed so, which needs a newer Python."""
    path = Path(pack(tmp_path / "x.eval", [make_sample(0, "C")]))
    content = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        content[content.index(mark) + offset] = 93
    path.write_bytes(content)

    with pytest.raises(InputError, match=r"json (is compressed with zstd|cannot be unpacked)"):
        read_logs([(str(path), "inspect")])


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        ([{"id": 1}], "sample 1 has no id or no target"),
        ([3], "sample 1 has no id or no target"),
        (
            [make_sample(1, "C")] * 2,
            "sample 2 has the id 1 and the epoch 1, which sample 1 has too",
        ),
    ],
)
def test_samples_that_inspect_does_not_write_are_refused(tmp_path, capsys, samples, message):
    """By what they lack, or have twice."""
    code, said = complain(capsys, "score", pack(tmp_path / "x.eval", samples))

    assert BAD_DATA == code
    assert message in said


# HELM and Every Eval Ever.


def test_instances_of_helm_are_scored_by_split(tmp_path, capsys):
    """Trials of one instance are its repeats, and perturbed copies are left out and told."""
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


def make_every(name: str, value: float, **more: object) -> Row:
    """Return an instance as Every Eval Ever writes it."""
    return {
        "schema_version": "instance_level_eval_0.2.1",
        "evaluation_id": "e",
        "model_id": "lab/model",
        "evaluation_name": "gsm8k",
        "sample_id": name,
        "input": {"raw": "?", "reference": ["4"]},
        "output": {"raw": ["the answer is 4"]},
        "answer_attribution": [
            {"extracted_value": "3", "is_terminal": False},
            {"extracted_value": "4", "is_terminal": True},
        ],
        "evaluation": {"score": value, "is_correct": value == 1},
        "metadata": {"subject": "algebra"},
        **more,
    }


def test_instances_of_every_eval_ever_are_scored(tmp_path, capsys):
    """By their score; the final answer that was taken from the output is the output."""
    log = write(tmp_path / "x.jsonl", [make_every("a", 0.5), make_every("b", 1.0)])

    assert [("mean(score)", None, 0.75, 2)] == score(capsys, log)
    assert [("mean(is_correct)", None, 0.5, 2)] == score(capsys, log, "-m", "is_correct")
    assert [("accuracy", None, 1.0, 2)] == score(capsys, log, "-m", "accuracy")


def test_results_of_one_evaluation_are_scores_of_their_own(tmp_path, capsys):
    """Each instance stands there once for each of them, and a second time is an error."""
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
    assert (BAD_DATA, True) == (code, "the sample_id a of gsm8k stands there twice" in said)


def test_results_that_name_a_file_of_instances_are_compared_with_it(tmp_path, capsys):
    """They tell how many instances there were, and which direction is better."""
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
    """Evaluations are groups, and models are systems."""
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


# Several logs.


def make_pair(folder: Path, *, more: int = 0) -> tuple[str, str]:
    """Write logs of an old and a new run of a task, of which the new one is better."""
    old = [make_harness(n, float(n % 4 == 0)) for n in range(40)]
    new = [make_harness(n, float(n % 4 > 0)) for n in range(40 + more)]
    return write(folder / "samples_old.jsonl", old), write(folder / "samples_new.jsonl", new)


def test_two_logs_are_two_systems(tmp_path, capsys):
    """None of them is gold for the other."""
    found = run(capsys, "score", *make_pair(tmp_path))["scores"]

    assert [("old", 0.25, 40), ("new", 0.75, 40)] == [
        (one["system"], one["value"], one["n"]) for one in found
    ]


def test_two_logs_are_compared(tmp_path, capsys):
    """On the same samples."""
    (found,) = run(capsys, "compare", *make_pair(tmp_path))["differences"]

    assert ("new", "old", 0.5) == (found["a"], found["b"], found["difference"])


@pytest.mark.parametrize(
    ("limit", "code"),
    [
        (["--max-drop", "0.05"], 0),
        (["-m", "exact_match", "--max-drop", "exact_match=0.05"], 0),
        (["--floor", "exact_match=0.6"], 0),
        (["--floor", "0.99"], 1),
    ],
)
def test_a_log_passes_a_gate_against_another(tmp_path, capsys, limit, code):
    """Limits name the scores of the log."""
    old, new = make_pair(tmp_path)

    assert code == main(["gate", new, "--against", old, *limit])
    assert "new" in capsys.readouterr().out


def test_limits_of_a_file_name_scores_of_logs(tmp_path, capsys):
    """As those of options do."""
    old, new = make_pair(tmp_path)
    limits = tmp_path / "gate.yaml"
    limits.write_text("metrics:\n  exact_match: {max_drop: 0.05, floor: 0.5}\n")
    call = ["gate", new, "--against", old, "--config", str(limits), "--format", "json"]

    assert 0 == main(call)
    assert 2 == len(json.loads(capsys.readouterr().out)["checks"])


def test_logs_are_ranked(tmp_path, capsys):
    """By their models' names, which are unique here."""
    for name, share in (("one", 2), ("two", 5), ("three", 3)):
        samples = [make_sample(n, "CI"[n % share == 0]) for n in range(60)]
        pack(tmp_path / f"{name}.eval", samples, make_header(model=f"lab/{name}"))
    found = run(capsys, "rank", *map(str, sorted(tmp_path.iterdir())))

    assert ["lab/two", "lab/three", "lab/one"] == [one["system"] for one in found["places"]]


def test_tasks_of_different_scores_go_through_every_command(tmp_path, capsys):
    """A score is ranked, gated and saved on the tasks that have it."""
    stamp, calls = "2025-01-02T03-04-05.6", [str(tmp_path / name) for name in ("old", "new")]
    for folder, share in zip(calls, (3, 2), strict=True):
        arc = [
            make_harness(n, None, metrics=["acc"], acc=float(n % share == 0) if n else None)
            for n in range(30)
        ]
        write(Path(folder) / f"samples_arc_{stamp}.jsonl", arc)
        gsm = [make_harness(n, float(n % share == 0)) for n in range(40)]
        write(Path(folder) / f"samples_gsm8k_{stamp}.jsonl", gsm)
    pairs = {
        ("mean(acc)", "arc"),
        ("mean(acc)", "macro"),
        ("mean(acc)", "micro"),
        ("mean(exact_match)", "gsm8k"),
        ("mean(exact_match)", "macro"),
        ("mean(exact_match)", "micro"),
    }
    places = run(capsys, "rank", *calls)["places"]
    assert 0 == main(
        ["gate", calls[1], "--against", calls[0], "--max-drop", "0.1", "--format", "json"]
    )
    checks = json.loads(capsys.readouterr().out)["checks"]
    assert 0 == main(["count", *calls, "-o", str(tmp_path / "x.tally")])
    capsys.readouterr()
    scores = run(capsys, "score", str(tmp_path / "x.tally"))["scores"]

    for found in (places, checks, scores):
        assert pairs == {(one["name"], one["group"]) for one in found}


def test_runs_of_one_model_are_called_by_their_files(tmp_path, capsys):
    """And by the names that are given."""
    paths = [pack(tmp_path / f"{name}.eval", [make_sample(1, "C")]) for name in ("ab", "cd")]
    given = [f"first={paths[0]}", f"second={paths[1]}"]
    found = [run(capsys, "score", *call)["scores"] for call in (paths, given)]

    assert [["ab", "cd"], ["first", "second"]] == [[one["system"] for one in own] for own in found]


def test_files_of_other_questions_in_one_folder_are_tasks_of_one_run(tmp_path, capsys):
    """Where their names were cut, and nothing else tells the tasks."""
    write(tmp_path / "run" / "samples_arc.jsonl", [make_harness(n, 1.0) for n in range(3)])
    rows = [make_harness(n, 0.0, doc_hash=f"other{n}") for n in range(2)]
    write(tmp_path / "run" / "samples_gsm8k.jsonl", rows)
    found = run(capsys, "score", str(tmp_path / "run"))["scores"]

    assert [("run", "arc", 1.0), ("run", "gsm8k", 0.0)] == [
        (one["system"], one["group"], one["value"]) for one in found[:2]
    ]


def test_reduced_epochs_do_not_stand_beside_metrics_of_each(tmp_path, capsys):
    """A mode of three epochs has no output of its own."""
    samples = [make_sample(n, "CI"[e > n], epoch=e) for n in (0, 1, 2) for e in (1, 2, 3)]
    header = make_header(epochs=3, epochs_reducer=["mode"])
    log = pack(tmp_path / "x.eval", samples, header)
    code, said = complain(capsys, "score", log, "-m", "match", "chrf")

    assert (WRONG_CALL, True) == (code, "match/mode is a score of all epochs of a sample" in said)
    assert ["chrf"] == [one[0] for one in score(capsys, log, "-m", "chrf")]


def test_a_log_without_samples_beside_others_is_told(tmp_path, capsys):
    """It is the only one of its model, and there is nothing to compare."""
    full = pack(tmp_path / "full.eval", [make_sample(1, "C")], make_header(1.0))
    empty = pack(tmp_path / "none.json", [], make_header(0.5, model="lab/other", total=9))
    code, said = complain(capsys, "compare", full, empty)

    assert BAD_DATA == code
    assert "none.json: holds no samples; it reports match accuracy 0.5000 of 9 samples" in said


def test_what_is_compared_are_the_same_samples(tmp_path, capsys):
    """Samples that one log lacks are told, and so are other questions of the same id."""
    old, new = make_pair(tmp_path, more=5)
    rows = [json.loads(line) for line in Path(new).read_text().splitlines()]
    rows[0]["doc_hash"] = "another question"
    write(Path(new), rows)
    found = run(capsys, "score", old, new)

    assert [39, 39] == [one["n"] for one in found["scores"]]
    assert (
        "compared are the 39 samples that all logs have, of old 40, new 45; 1 have one id and are "
        "another question." in found["notes"]
    )


def test_samples_that_one_log_did_not_score_are_left_out_of_both(tmp_path, capsys):
    """As paired differences need both."""
    one = pack(tmp_path / "one.eval", [make_sample(n, "C") for n in range(6)])
    two = pack(tmp_path / "two.eval", [make_sample(n, "C" if n else None) for n in range(6)])

    assert [5, 5] == [own["n"] for own in run(capsys, "score", one, two)["scores"]]


def test_logs_of_other_samples_are_refused(tmp_path, capsys):
    """With what each of them holds."""
    one = write(tmp_path / "one.jsonl", [make_harness(n, 1.0) for n in range(3)])
    two = write(tmp_path / "two.jsonl", [make_harness(n, 1.0) for n in range(3, 5)])
    code, said = complain(capsys, "compare", one, two)

    assert BAD_DATA == code
    assert "no sample in common: one has 3 samples such as doc_id 0, two has 2 samples" in said


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"version": 2}, "the version of the task differs: a 0, b 2."),
        ({"limit": 3}, "the limit of samples differs: a None, b 3."),
        ({"epochs": 2}, "the number of epochs differs: a 1, b 2."),
    ],
)
def test_other_settings_of_a_log_are_told(tmp_path, capsys, changed, sentence):
    """They make another task of one name."""
    samples = [make_sample(n, "CI"[n % 2]) for n in range(4)]
    one = pack(tmp_path / "a.eval", samples, make_header())
    two = pack(tmp_path / "b.eval", samples, make_header(**changed))

    assert sentence in run(capsys, "compare", one, two)["notes"]


def test_logs_do_not_go_with_other_files(tmp_path, capsys):
    """A log has its own gold."""
    log = write(tmp_path / "log.jsonl", [make_harness(0, 1.0)])
    table = tmp_path / "gold.csv"
    table.write_text("id,gold,pred\n0,a,a\n")
    code, said = complain(capsys, "score", str(table), log)

    assert WRONG_CALL == code
    assert "is a log, which holds its own gold and scores, and" in said


@pytest.mark.parametrize("option", [["--systems", "a"], ["--id-column", "x"], ["--workers", "2"]])
def test_options_of_other_layouts_do_not_go_with_logs(tmp_path, capsys, option):
    """They are refused and not passed over."""
    log = write(tmp_path / "log.jsonl", [make_harness(0, 1.0)])
    code, said = complain(capsys, "score", log, *option)

    assert WRONG_CALL == code
    assert "does not go with logs" in said


def test_systems_are_compared_by_the_scores_that_all_have(tmp_path, capsys):
    """One log may have more of them than another."""
    rows = [make_harness(n, 1.0, metrics=["exact_match", "acc"], acc=0.0) for n in range(3)]
    one = write(tmp_path / "one.jsonl", rows)
    two = write(tmp_path / "two.jsonl", [make_harness(n, 1.0) for n in range(3)])
    found = run(capsys, "compare", one, two)["differences"]
    other = pack(tmp_path / "three.eval", [make_sample(n, "C") for n in range(3)])

    assert ["mean(exact_match)"] == [own["name"] for own in found]
    assert (BAD_DATA, True) == (
        (said := complain(capsys, "compare", two, other))[0],
        "the logs share no score: two exact_match, lab/model match" in said[1],
    )


def test_a_score_that_a_log_lacks_is_named(tmp_path, capsys):
    """With those that it has."""
    one = pack(tmp_path / "one.eval", [make_sample(n, "C") for n in range(3)])
    two = write(tmp_path / "two.jsonl", [make_harness(n, 1.0) for n in range(3)])
    code, said = complain(capsys, "score", one, two, "-m", "match")

    assert (WRONG_CALL, True) == (code, "its log scores exact_match" in said)


# What is no log.


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
    """What is a log is told by more than a name."""
    path = tmp_path / "samples_mine.jsonl"
    path.write_text(json.dumps([row]) if form == "array" else json.dumps(row) + "\n")

    assert find_format(str(path)) is None


@pytest.mark.parametrize(
    "content", [b'{"doc_id": "\xfe"}\n', b'{"status": "\xff", "eval": {}}', b"{"]
)
def test_bytes_that_are_no_text_are_no_log(tmp_path, content):
    """Whoever reads them as a table says what is wrong."""
    path = tmp_path / "x.json"
    path.write_bytes(content)

    assert find_format(str(path)) is None


def test_a_table_called_eval_is_no_log(tmp_path):
    """Nor is an archive of something else."""
    table, archive = tmp_path / "x.eval", tmp_path / "y.eval"
    table.write_text('{"gold": "a", "pred": "a"}\n')
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("gold.csv", "a")

    assert [None, None] == [find_format(str(one)) for one in (table, archive)]


def test_a_named_format_needs_no_signature(tmp_path, capsys):
    """`--input-format` says what a file is that lacks some keys."""
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
        ("helm", "[]", "is no list of instances with stats, as HELM writes it"),
        ("lm-eval", '{"target": 1, "filtered_resps": []}\n{"target": nan}', "line 2 is not JSON: "),
    ],
)
def test_what_is_no_log_of_the_format_that_is_named_is_refused(tmp_path, kind, content, message):
    """By what it lacks."""
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
    """Whatever stands where an answer, a score or a setting is expected."""
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
