"""Logs of Inspect are scored by scorer, and several logs are systems that are compared."""

import json
import math
import zipfile
from pathlib import Path

import pytest

from logs import (
    BAD_DATA,
    WRONG_CALL,
    complain,
    make_harness,
    make_header,
    make_sample,
    pack,
    run,
    score,
    write,
)
from tallystick.cli import main
from tallystick.errors import InputError
from tallystick.io.logs.finding import read_logs
from tallystick.reading.log_systems import reduce_epochs


@pytest.mark.parametrize("ending", ["eval", "json", "log"])
def test_the_values_of_inspect_are_its_grades(tmp_path, capsys, ending):
    values = ["C", "I", "P", "N", 0.25, True, "yes", "no", "0.5"]
    samples = [make_sample(number, value) for number, value in enumerate(values)]
    log = pack(tmp_path / f"x.{ending}", samples, make_header(4.25 / 9))
    assert [("mean(match)", None, round(4.25 / 9, 9), 9)] == score(capsys, log)


def test_text_that_is_no_grade_counts_as_0_and_is_told(tmp_path, capsys):
    log = pack(tmp_path / "x.eval", [make_sample(0, "C"), make_sample(1, "A")])
    found = run(capsys, "score", log)
    assert 0.5 == found["scores"][0]["value"]
    assert 1 == sum("1 values of match in" in note and "'A'" in note for note in found["notes"])


@pytest.mark.parametrize("value", [None, math.nan])
def test_unscored_samples_are_left_out_and_told(tmp_path, capsys, value):
    samples = [make_sample(n, value if n < 2 else "C" if n < 5 else "I") for n in range(8)]
    found = run(capsys, "score", pack(tmp_path / "x.json", samples, make_header(0.5)))
    assert [(0.5, 6)] == [(one["value"], one["n"]) for one in found["scores"]]
    assert "lab/model: 6 of 8 samples scored (match); the others are left out." in found["notes"]


def test_unscored_samples_that_count_as_wrong_are_told_so(tmp_path, capsys):
    samples = [make_sample(n, None if n < 2 else "C" if n < 6 else "I") for n in range(8)]
    log = pack(tmp_path / "x.json", samples, make_header(0.5))
    found = run(capsys, "score", log, "--missing", "wrong")
    assert [(0.5, 8)] == [(one["value"], one["n"]) for one in found["scores"]]
    assert "lab/model: 6 of 8 samples scored (match); the others count as wrong." in found["notes"]


def test_each_score_is_the_mean_of_the_samples_that_have_it(tmp_path, capsys):
    samples = [make_sample(n, None if n == 0 else "C") for n in range(4)]
    for n, sample in enumerate(samples):
        sample["scores"]["judge"] = {"value": math.nan if n > 1 else n / 2}
    log = pack(tmp_path / "x.eval", samples, make_header())
    assert {("mean(match)", None, 1.0, 3), ("mean(judge)", None, 0.25, 2)} == {*score(capsys, log)}


def test_a_score_of_several_values_is_several_scores(tmp_path, capsys):
    samples = [make_sample(0, {"a": 0.5, "b": "C"}), make_sample(1, {"a": 1, "b": "C"})]
    log = pack(tmp_path / "x.eval", samples)
    both = [("mean(match.a)", None, 0.75, 2), ("mean(match.b)", None, 1.0, 2)]
    assert both == score(capsys, log)
    assert both == score(capsys, log, "-m", "match")
    assert both[1:] == score(capsys, log, "-m", "b")


def test_epochs_are_tries(tmp_path, capsys):
    samples = [make_sample(n, "CI"[e > n], epoch=e) for n in (0, 1, 2) for e in (1, 2)]
    log = pack(tmp_path / "x.eval", samples, make_header(0.5, epochs=2, total=6))
    assert [("mean(match)", None, 0.5, 3)] == score(capsys, log)
    assert [("pass@1", None, 0.5, 3), ("pass@2", None, round(2 / 3, 9), 3)] == score(
        capsys, log, "-m", "pass@1", "pass@2"
    )


def test_tries_that_are_partly_right_count_as_wrong(tmp_path, capsys):
    samples = [
        make_sample(name, value, epoch=epoch)
        for name, own in {"a": ["C", "P", None], "b": ["I", "C", "C"]}.items()
        for epoch, value in enumerate(own, start=1)
    ]
    log = pack(tmp_path / "x.eval", samples, make_header(epochs=3))
    found = run(capsys, "score", log, "-m", "pass@1")

    assert [round((1 / 2 + 2 / 3) / 2, 9)] == [round(one["value"], 9) for one in found["scores"]]
    assert "partly right tries that count as wrong, as in Inspect's pass_at: 1." in found["notes"]


def test_which_of_several_scores_tells_right_tries_is_asked(tmp_path, capsys):
    samples = [make_sample(n, "C") for n in range(3)]
    for sample in samples:
        sample["scores"]["judge"] = {"value": "I"}
    log = pack(tmp_path / "x.eval", samples)
    code, said = complain(capsys, "score", log, "-m", "pass@1")

    assert (WRONG_CALL, True) == (code, "name the one that shows which tries are right" in said)
    assert [("pass@1", None, 0.0, 3)] == score(
        capsys, log, "-m", "pass@1", "--predicted-column", "judge"
    )
    code, said = complain(capsys, "score", log, "-m", "pass@1", "--predicted-column", "prediction")
    assert (WRONG_CALL, True) == (code, "has no score 'prediction', only match, judge" in said)


def test_epochs_are_reduced_as_the_log_says(tmp_path, capsys):
    samples = [make_sample(n, "CI"[e > n], epoch=e) for n in (0, 1, 2) for e in (1, 2, 3)]
    header = make_header(epochs=3, epochs_reducer=["mode", "pass_at_2"])
    assert [
        ("mean(match/mode)", None, round(1 / 3, 9), 3),
        ("mean(match/pass_at_2)", None, round((0 + 2 / 3 + 1) / 3, 9), 3),
    ] == score(capsys, pack(tmp_path / "x.eval", samples, header))


@pytest.mark.parametrize(("reducer", "value"), [
    ("mean", 0.625), ("median", 0.75), ("mode", 1.0), ("max", 1.0), ("at_least_2", 1.0),
    ("at_least_3", 0.0), ("pass_at_1", 0.5), ("pass_at_2", 5 / 6), ("pass_at_3", 1.0),
    ("pass_k_2", 1 / 6), ("pass_k_3", 0.0), ("pass_at_5", None), ("pass_k_5", None),
])  # fmt: skip
def test_reducers_are_those_of_inspect(reducer, value):
    assert pytest.approx(value) == reduce_epochs(reducer, [1.0, 1.0, 0.5, 0.0])


@pytest.mark.parametrize(("header", "sentence"), [
    (make_header(1.0, status="cancelled"), "has the status cancelled: the run did not end"),
    (make_header(1.0, status="started"), "has the status started"),
    (make_header(status="error") | {"error": {"message": "no GPU\nTraceback"}},
     "has the status error (no GPU): the run did not end well."),
    (make_header(1.0, total=6), "contains 3 of the 6 samples that it reports on"),
    (make_header(total=6, scores=[]), "contains 3 of 6 samples."),
    ({}, "is without a header: the run did not end."),
])  # fmt: skip
def test_what_became_of_a_run_is_told(tmp_path, capsys, header, sentence):
    log = pack(tmp_path / "x.eval", [make_sample(n, "C") for n in range(3)], header)
    found = run(capsys, "score", log)
    assert 1.0 == found["scores"][0]["value"]
    assert 1 == sum(sentence in note for note in found["notes"])


def test_errors_of_samples_are_told(tmp_path, capsys):
    samples = [make_sample(n, "C" if n else None) for n in range(3)]
    samples[0]["error"] = {"message": "boom"}
    log = pack(tmp_path / "x.json", samples, make_header(1.0))
    assert f"1 of the 3 samples of {log} ended with an error." in run(capsys, "score", log)["notes"]


def test_an_unfinished_archive_is_read_from_its_journal(tmp_path, capsys):
    path = tmp_path / "x.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": {"task": "t"}}))
        first = [make_sample(1, "I"), make_sample(2, "C")]
        archive.writestr("_journal/summaries/1.json", json.dumps(first))
        archive.writestr("_journal/summaries/2.json", json.dumps([make_sample(1, "C")]))
    assert [("mean(match)", None, 1.0, 2)] == score(capsys, str(path))


@pytest.mark.parametrize("place", ["scorers", "results"])
def test_clusters_are_those_that_the_log_names(tmp_path, capsys, place):
    stderr = {"name": "stderr", "options": {"cluster": "doc"}, "params": {"cluster": "doc"}}
    own = {"name": "match", "scorer": "match", "metrics": {"accuracy": {"value": 0.5}}}
    if place == "scorers":
        header = make_header(0.5, scorers=[{"name": "match", "metrics": [stderr]}])
    else:
        header = make_header(scores=[own | {"metrics": {**own["metrics"], "stderr": stderr}}])
    samples = [make_sample(n, "CI"[n % 2], doc=n // 4) for n in range(40)]
    found = run(capsys, "score", pack(tmp_path / "x.eval", samples, header))

    assert "the samples of one metadata.doc form a cluster, as the log says." in found["notes"]
    assert "clusters" in found["scores"][0]["method"]


def test_metadata_are_columns(tmp_path, capsys):
    samples = [make_sample(n, "CI"[n % 2], lang="ab"[n % 2]) for n in range(4)]
    found = score(capsys, pack(tmp_path / "x.eval", samples), "--by", "metadata.lang")
    assert [("a", 1.0), ("b", 0.0)] == [one[1:3] for one in found[:2]]


def test_members_that_are_not_packed_as_they_say_are_told(tmp_path):
    path = Path(pack(tmp_path / "x.eval", [make_sample(0, "C")]))
    content = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        content[content.index(mark) + offset] = 93
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"json cannot be unpacked"):
        read_logs([(str(path), "inspect")])


@pytest.mark.parametrize(("samples", "message"), [
    ([{"id": 1}], "sample 1 has no id or no target"),
    ([3], "sample 1 has no id or no target"),
    ([make_sample(1, "C")] * 2, "sample 2 has the id 1 and the epoch 1, which sample 1 has too"),
])  # fmt: skip
def test_samples_that_inspect_does_not_write_are_rejected(tmp_path, capsys, samples, message):
    code, said = complain(capsys, "score", pack(tmp_path / "x.eval", samples))
    assert BAD_DATA == code
    assert message in said


def make_pair(folder, *, more=0):
    old = [make_harness(n, float(n % 4 == 0)) for n in range(40)]
    new = [make_harness(n, float(n % 4 > 0)) for n in range(40 + more)]
    return write(folder / "samples_old.jsonl", old), write(folder / "samples_new.jsonl", new)


def test_two_logs_are_two_systems(tmp_path, capsys):
    found = run(capsys, "score", *make_pair(tmp_path))["scores"]
    assert [("old", 0.25, 40), ("new", 0.75, 40)] == [
        (one["system"], one["value"], one["n"]) for one in found
    ]


def test_two_logs_are_compared(tmp_path, capsys):
    (found,) = run(capsys, "compare", *make_pair(tmp_path))["differences"]
    assert ("new", "old", 0.5) == (found["a"], found["b"], found["difference"])


def make_three(folder):
    return [
        pack(
            folder / f"{name}.eval",
            [make_sample(place, value) for place, value in enumerate(own)],
            make_header(model=f"lab/{name}"),
        )
        for name, own in {"one": "CICI", "two": "CCCI", "broken": [None] * 4}.items()
    ]


def test_a_log_without_scores_is_set_aside_in_a_ranking(tmp_path, capsys):
    found = run(capsys, "rank", *make_three(tmp_path))
    (rejected,) = found["rejected"]
    assert ["lab/two", "lab/one"] == [one["system"] for one in found["places"]]
    assert "lab/broken" == rejected["system"]
    assert "broken.eval: contains 4 samples, and none of them is scored" in rejected["reason"]


@pytest.mark.parametrize("command", ["score", "compare"])
def test_a_log_without_scores_stops_what_was_asked_of_it(tmp_path, capsys, command):
    code, shown = complain(capsys, command, *make_three(tmp_path))
    assert BAD_DATA == code
    assert "broken.eval: contains 4 samples, and none of them is scored" in shown


@pytest.mark.parametrize(("limit", "code"), [
    (["--max-drop", "0.05"], 0),
    (["-m", "exact_match", "--max-drop", "exact_match=0.05"], 0),
    (["--floor", "exact_match=0.6"], 0),
    (["--floor", "0.99"], 1),
])  # fmt: skip
def test_a_log_passes_a_gate_against_another(tmp_path, capsys, limit, code):
    old, new = make_pair(tmp_path)
    assert code == main(["gate", new, "--against", old, *limit])
    assert "new" in capsys.readouterr().out


def test_limits_of_a_file_name_scores_of_logs(tmp_path, capsys):
    old, new = make_pair(tmp_path)
    limits = tmp_path / "gate.yaml"
    limits.write_text("metrics:\n  exact_match: {max_drop: 0.05, floor: 0.5}\n")
    assert 0 == main(["gate", new, "--against", old, "--config", str(limits), "--format", "json"])
    assert 2 == len(json.loads(capsys.readouterr().out)["checks"])


def test_logs_are_ranked(tmp_path, capsys):
    for name, share in (("one", 2), ("two", 5), ("three", 3)):
        samples = [make_sample(n, "CI"[n % share == 0]) for n in range(60)]
        pack(tmp_path / f"{name}.eval", samples, make_header(model=f"lab/{name}"))
    found = run(capsys, "rank", *map(str, sorted(tmp_path.iterdir())))
    assert ["lab/two", "lab/three", "lab/one"] == [one["system"] for one in found["places"]]


def test_tasks_of_different_scores_go_through_every_command(tmp_path, capsys):
    stamp, calls = "2025-01-02T03-04-05.6", [str(tmp_path / name) for name in ("old", "new")]
    for folder, share in zip(calls, (3, 2), strict=True):
        arc = [
            make_harness(n, None, metrics=["acc"], acc=float(n % share == 0) if n else None)
            for n in range(30)
        ]
        write(Path(folder) / f"samples_arc_{stamp}.jsonl", arc)
        gsm = [make_harness(n, float(n % share == 0)) for n in range(40)]
        write(Path(folder) / f"samples_gsm8k_{stamp}.jsonl", gsm)
    places = run(capsys, "rank", *calls)["places"]
    assert 0 == main(
        ["gate", calls[1], "--against", calls[0], "--max-drop", "0.1", "--format", "json"]
    )
    checks = json.loads(capsys.readouterr().out)["checks"]
    assert 0 == main(["count", *calls, "-o", str(tmp_path / "x.tally")])
    capsys.readouterr()

    for found in (places, checks, run(capsys, "score", str(tmp_path / "x.tally"))["scores"]):
        assert {
            ("mean(acc)", "arc"),
            ("mean(acc)", "macro"),
            ("mean(acc)", "micro"),
            ("mean(exact_match)", "gsm8k"),
            ("mean(exact_match)", "macro"),
            ("mean(exact_match)", "micro"),
        } == {(one["name"], one["group"]) for one in found}


def test_runs_of_one_model_are_called_by_their_files(tmp_path, capsys):
    paths = [pack(tmp_path / f"{name}.eval", [make_sample(1, "C")]) for name in ("ab", "cd")]
    given = [f"first={paths[0]}", f"second={paths[1]}"]
    found = [run(capsys, "score", *call)["scores"] for call in (paths, given)]
    assert [["ab", "cd"], ["first", "second"]] == [[one["system"] for one in own] for own in found]


def test_files_of_other_questions_in_one_folder_are_tasks_of_one_run(tmp_path, capsys):
    write(tmp_path / "run" / "samples_arc.jsonl", [make_harness(n, 1.0) for n in range(3)])
    rows = [make_harness(n, 0.0, doc_hash=f"other{n}") for n in range(2)]
    write(tmp_path / "run" / "samples_gsm8k.jsonl", rows)
    found = run(capsys, "score", str(tmp_path / "run"))["scores"]
    assert [("run", "arc", 1.0), ("run", "gsm8k", 0.0)] == [
        (one["system"], one["group"], one["value"]) for one in found[:2]
    ]


def test_reduced_epochs_do_not_stand_beside_metrics_of_each(tmp_path, capsys):
    samples = [make_sample(n, "CI"[e > n], epoch=e) for n in (0, 1, 2) for e in (1, 2, 3)]
    log = pack(tmp_path / "x.eval", samples, make_header(epochs=3, epochs_reducer=["mode"]))
    code, said = complain(capsys, "score", log, "-m", "match", "chrf")
    assert (WRONG_CALL, True) == (code, "match/mode is a score of all epochs of a sample" in said)
    assert ["chrf"] == [one[0] for one in score(capsys, log, "-m", "chrf")]


def test_a_log_without_samples_beside_others_is_told(tmp_path, capsys):
    full = pack(tmp_path / "full.eval", [make_sample(1, "C")], make_header(1.0))
    empty = pack(tmp_path / "none.json", [], make_header(0.5, model="lab/other", total=9))
    code, said = complain(capsys, "compare", full, empty)
    assert BAD_DATA == code
    assert "none.json: contains no samples; it reports match accuracy 0.5000 of 9 samples" in said


def test_what_is_compared_are_the_same_samples(tmp_path, capsys):
    old, new = make_pair(tmp_path, more=5)
    rows = [json.loads(line) for line in Path(new).read_text().splitlines()]
    rows[0]["doc_hash"] = "another question"
    write(Path(new), rows)
    found = run(capsys, "score", old, new)

    assert [39, 39] == [one["n"] for one in found["scores"]]
    assert (
        "only the 39 samples that are in all logs are compared, of old 40, new 45; 1 with the "
        "same id hold another question." in found["notes"]
    )


def test_samples_that_one_log_did_not_score_are_left_out_of_both(tmp_path, capsys):
    one = pack(tmp_path / "one.eval", [make_sample(n, "C") for n in range(6)])
    two = pack(tmp_path / "two.eval", [make_sample(n, "C" if n else None) for n in range(6)])
    assert [5, 5] == [own["n"] for own in run(capsys, "score", one, two)["scores"]]


def test_logs_of_other_samples_are_rejected(tmp_path, capsys):
    one = write(tmp_path / "one.jsonl", [make_harness(n, 1.0) for n in range(3)])
    two = write(tmp_path / "two.jsonl", [make_harness(n, 1.0) for n in range(3, 5)])
    code, said = complain(capsys, "compare", one, two)
    assert BAD_DATA == code
    assert "no sample in common: one has 3 samples such as doc_id 0, two has 2 samples" in said


@pytest.mark.parametrize(("changed", "sentence"), [
    ({"version": 2}, "the version of the task differs: a 0, b 2."),
    ({"limit": 3}, "the limit of samples differs: a None, b 3."),
    ({"epochs": 2}, "the number of epochs differs: a 1, b 2."),
])  # fmt: skip
def test_other_settings_of_a_log_are_told(tmp_path, capsys, changed, sentence):
    samples = [make_sample(n, "CI"[n % 2]) for n in range(4)]
    one = pack(tmp_path / "a.eval", samples, make_header())
    two = pack(tmp_path / "b.eval", samples, make_header(**changed))
    assert sentence in run(capsys, "compare", one, two)["notes"]


def test_logs_do_not_go_with_other_files(tmp_path, capsys):
    log = write(tmp_path / "log.jsonl", [make_harness(0, 1.0)])
    table = tmp_path / "gold.csv"
    table.write_text("id,gold,pred\n0,a,a\n")
    code, said = complain(capsys, "score", str(table), log)
    assert WRONG_CALL == code
    assert "is a log, which contains its own gold and scores, and" in said


@pytest.mark.parametrize("option", [["--systems", "a"], ["--id-column", "x"], ["--workers", "2"]])
def test_options_of_other_layouts_do_not_go_with_logs(tmp_path, capsys, option):
    log = write(tmp_path / "log.jsonl", [make_harness(0, 1.0)])
    code, said = complain(capsys, "score", log, *option)
    assert WRONG_CALL == code
    assert "cannot be used with logs" in said


def test_systems_are_compared_by_the_scores_that_all_have(tmp_path, capsys):
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
    one = pack(tmp_path / "one.eval", [make_sample(n, "C") for n in range(3)])
    two = write(tmp_path / "two.jsonl", [make_harness(n, 1.0) for n in range(3)])
    code, said = complain(capsys, "score", one, two, "-m", "match")
    assert (WRONG_CALL, True) == (code, "its log scores exact_match" in said)


def test_a_name_that_no_score_has_is_told_the_nearest_one(tmp_path, capsys):
    log = pack(tmp_path / "one.eval", [make_sample(n, "C") for n in range(3)])
    code, said = complain(capsys, "score", log, "-m", "mtch")
    assert (WRONG_CALL, True) == (code, "no column has that name; the closest is match" in said)


def test_a_score_is_found_in_any_case(tmp_path, capsys):
    log = pack(tmp_path / "one.eval", [make_sample(n, "CI"[n % 2]) for n in range(9)])
    assert run(capsys, "score", log, "-m", "match") == run(capsys, "score", log, "-m", "MATCH")
