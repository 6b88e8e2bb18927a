"""Submissions to a shared task scored by track, in Python and by `tallystick task`."""

import json
import zipfile

import pytest

from tallystick.cli import main
from tallystick.tasks.scoring import score_submission
from tallystick.tasks.submission_worker import check_submission
from tallystick.tasks.task_file import read_task

GOLD = "id,label\n1,P\n2,N\n3,P\n4,N\n"
HALF = "id,label\n1,P\n2,N\n3,N\n4,P\n"
TASK = """\
tracks:
  one: {gold: gold.csv, metrics: [accuracy, f1], task: binary, labels: [N, P], positive: P}
  two: {gold: gold.csv, metrics: [macro_f1], task: multiclass, labels: [N, P]}
phases:
  dev: {gold: {two: dev.csv}}
"""


@pytest.fixture(autouse=True)
def task(tmp_path, monkeypatch):
    for name, content in {
        "task.yaml": TASK,
        "gold.csv": GOLD,
        "dev.csv": "id,label\na,P\nb,N\n",
        "entries/ash/one.csv": GOLD,
        "entries/ash/two.csv": GOLD,
        "entries/elm/first/one.csv": HALF,
        "entries/elm/second/one.csv": GOLD,
        "entries/oak/one.csv": "id,label\n1,P\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _run(capsys, *arguments):
    code = main(["task", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def _list_values(text):
    return {
        (one["track"], one["system"], one["name"]): one["value"]
        for one in json.loads(text)["scores"]
    }


def test_all_submissions_are_scored_by_track(capsys):
    code, out, err = _run(capsys, "score", "entries", "--format", "json")

    assert {
        ("one", "ash", "accuracy"): 1.0,
        ("one", "ash", "f1"): 1.0,
        ("one", "elm/first", "accuracy"): 0.5,
        ("one", "elm/first", "f1"): 0.5,
        ("one", "elm/second", "accuracy"): 1.0,
        ("one", "elm/second", "f1"): 1.0,
        ("two", "ash", "macro_f1"): 1.0,
    } == _list_values(out)
    assert (0, True) == (
        code,
        "rejected: oak: one: one.csv: has no prediction for 3 ids (2, 3, 4)" in err,
    )


def test_no_submission_of_a_folder_hides_another_or_is_a_link(capsys, task):
    folder = task / "inbox"
    folder.mkdir()
    with zipfile.ZipFile(folder / "ash.zip", "w") as archive:
        archive.writestr("one.csv", GOLD)
    (folder / "ash.csv").write_text(HALF)
    (folder / "elm.csv").symlink_to(task / "gold.csv")
    task.joinpath("task.yaml").write_text(
        "tracks: {one: {gold: gold.csv, metrics: [accuracy], task: multiclass, labels: [N, P]}}"
    )

    _, out, err = _run(capsys, "score", "inbox", "--format", "json")

    assert {("one", "ash/ash.csv", "accuracy"): 0.5, ("one", "ash/ash.zip", "accuracy"): 1.0} == (
        _list_values(out)
    )
    assert "rejected: elm: is a symbolic link; replace it with the file itself" in err


def test_one_submission_is_scored(capsys):
    code, out, _ = _run(capsys, "score", "entries/elm/first", "--format", "csv")
    assert (0, "track,system,n,accuracy,f1\none,first,4,0.5,0.5\n") == (code, out)


def test_the_best_run_of_a_team_is_chosen_by_track(capsys):
    options = ["--per-team", "best", "--format", "json", "--verbose"]
    _, out, err = _run(capsys, "score", "entries", *options)
    assert ["ash", "elm/second"] == [
        system for track, system, name in _list_values(out) if (track, name) == ("one", "f1")
    ]
    assert "one: of several runs of a team the best by accuracy" in err


def test_a_table_names_the_system_of_each_row(capsys):
    _, out, err = _run(capsys, "score", "entries", "--no-intervals")

    assert out == (
        "one\n"
        "\n"
        "system      n  accuracy     f1\n"
        "------------------------------\n"
        "ash         4     1.000  1.000\n"
        "elm/first   4     0.500  0.500\n"
        "elm/second  4     1.000  1.000\n"
        "\n"
        "two, ash alone\n"
        "\n"
        "n  macro_f1\n"
        "-----------\n"
        "4     1.000\n"
    )
    assert "note: two has no scores of elm/first, elm/second, oak.\n" in err


def test_a_phase_has_its_own_gold(capsys, task):
    (task / "entries" / "dev").mkdir()
    (task / "entries" / "dev" / "two.csv").write_text("id,label\na,P\nb,P\n")
    code, out, _ = _run(capsys, "score", "entries", "--phase", "dev", "--format", "json")
    assert (0, {("two", "two", "macro_f1"): 1 / 3}) == (code, _list_values(out))


def test_nothing_to_score_is_bad_data(capsys):
    code, out, err = _run(capsys, "score", "entries/oak")
    assert (4, "") == (code, out)
    assert "entries/oak: every track of it was rejected" in err


@pytest.mark.parametrize(("submission", "code", "message"), [
    ("entries/ash", 0, "one: can be scored\ntwo: can be scored\n"),
    ("entries/elm/first", 0, "note: two: has no file two.csv; the submission takes no part in it\n"
     "one: can be scored\ntwo: left out\n"),
    ("entries/oak", 4,
     "error: one: one.csv: has no prediction for 3 ids (2, 3, 4); every example needs one\n"
     "note: two: has no file two.csv; the submission takes no part in it\n"
     "one: rejected\ntwo: left out\n"),
])  # fmt: skip
def test_check_says_what_can_be_scored(capsys, submission, code, message):
    assert (code, message, "") == _run(capsys, "check", submission)


def test_what_the_check_says_is_json_too(capsys):
    code, out, _ = _run(capsys, "check", "entries/oak", "--format", "json")

    found = json.loads(out)
    assert (4, False) == (code, found["passed"])
    assert {"track": "one", "outcome": "rejected"} == found["tracks"][0]
    assert {
        "track": "one",
        "file": "one.csv",
        "message": "has no prediction for 3 ids (2, 3, 4); every example needs one",
        "fatal": True,
    } == found["findings"][0]


def test_check_needs_a_task(capsys):
    code, _, err = _run(capsys, "check", "entries/ash", "--task", "other.yaml")
    assert (4, True) == (code, "other.yaml: cannot be read" in err)


def test_the_schema_is_printed(capsys):
    code, out, _ = _run(capsys, "init", "--schema")
    assert (0, "#/$defs/SharedTask") == (code, json.loads(out)["$ref"])


def test_scores_are_a_table_with_their_tracks():
    task = read_task("task.yaml")
    scored = score_submission(task, check_submission(task, "entries/ash"), intervals=False)
    assert [("one", "accuracy"), ("one", "f1"), ("two", "macro_f1")] == [
        (row["track"], row["name"]) for row in scored.to_arrow().to_pylist()
    ]
