"""Logs of lm-evaluation-harness are scored by metric, filter and task."""

import pytest

from logs import BAD_DATA, WRONG_CALL, complain, make_harness, make_run, run, score, write
from tallystick.cli import main


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
    assert "holds the outputs of 2 filters; name one with --predicted-column prediction,a" in said
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
    notes = run(capsys, "score", log)["notes"]

    assert [f"{log} reports exact_match,none 0.2500, and the mean of the 3 values that it holds is "
            "1.0000 (exact_match)."] == [note for note in notes if "reports" in note]  # fmt: skip


def test_lower_is_better_where_the_results_say_so(tmp_path, capsys):
    stamp = "2025-01-02T03-04-05.6"
    log = write(tmp_path / f"samples_t_{stamp}.jsonl", [make_harness(n, 0.5) for n in range(3)])
    make_run(tmp_path, {"t": {}}, higher_is_better={"t": {"exact_match": False}})

    assert ["lower"] == [one["better"] for one in run(capsys, "score", log)["scores"]]


def test_a_metric_without_a_number_for_each_sample_is_told(tmp_path, capsys):
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
