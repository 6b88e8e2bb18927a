"""Logs of Inspect are scored by scorer, with their epochs, status and coverage."""

import json
import math
import zipfile
from pathlib import Path

import pytest

from logs import BAD_DATA, WRONG_CALL, complain, make_header, make_sample, pack, run, score
from tallystick.errors import InputError
from tallystick.io.logs.finding import read_logs
from tallystick.reading.logs.log_systems import reduce_epochs


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
    log = pack(tmp_path / "x.eval", samples)
    found = score(capsys, log, "--by", "metadata.lang")

    assert [("a", 1.0), ("b", 0.0)] == [one[1:3] for one in found[:2]]


def test_members_that_are_not_packed_as_they_say_are_told(tmp_path):
    path = Path(pack(tmp_path / "x.eval", [make_sample(0, "C")]))
    content = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        content[content.index(mark) + offset] = 93
    path.write_bytes(content)

    with pytest.raises(InputError, match=r"json cannot be unpacked"):
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
    code, said = complain(capsys, "score", pack(tmp_path / "x.eval", samples))

    assert BAD_DATA == code
    assert message in said
