"""Mistakes of organisers: in task files, in gold, and in where a board is written."""

from pathlib import Path

import pytest

from faults import call, write

TASK = """\
title: Two tracks
tracks:
  one:
    gold: gold.csv
    task: multiclass
    labels: [P, N, R]
    metrics: [macro_f1, accuracy]
    columns: {id: id, gold: label}
    by: [lang]
  two: {gold: two.csv, metrics: [f1], task: binary, positive: P, file: two.csv}
phases:
  development:
    gold: {one: gold.csv}
    start: 2026-03-01
    end: 2026-03-31T23:59:00Z
    limits: {per_day: 1}
  test: {gold: {one: gold.csv, two: two.csv}}
baselines: [majority]
overall: mean_rank
missing_tracks: exclude
limits: {per_day: 5, total: 20}
board: {columns: [place]}
"""
COMMANDS = {
    "check": ("check", "entries/test/ann/one.csv", "--phase", "test"),
    "score": ("score", "entries/test/ann", "--phase", "test"),
    "rank": ("rank", "entries"),
    "paper": ("paper", "entries"),
    "board": ("board", "entries", "-o", "site", "--manifest", "list.csv"),
    "selftest": ("selftest",),
    "bundle": ("bundle", "codabench", "-o", "bundle.zip"),
}
"""Every command that reads a task file."""
GOLD = "id,lang,label\n" + "".join(
    f"e{at},{'de' if at % 2 else 'en'},{'PNR'[at % 3]}\n" for at in range(12)
)
TWO = "id,label\n" + "".join(f"e{at},{'PN'[at % 2]}\n" for at in range(12))


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write({"task.yaml": TASK, "gold.csv": GOLD, "two.csv": TWO})
    for team in ("ann", "majority"):
        write({f"entries/test/{team}/one.csv": GOLD, f"entries/test/{team}/two.csv": TWO})
    rows = "".join(f"test/{team},{team},test,1\n" for team in ("ann", "majority"))
    write({"list.csv": f"file,team,phase,place\n{rows}"})


@pytest.mark.parametrize("command", COMMANDS)
def test_sound_task_is_taken(command):
    outcome = call("task", *COMMANDS[command])
    assert 0 == outcome.code, outcome.err


WRONG = [
    ("title: Two tracks", "title:", "line 1: title has no value"),
    ("title: Two tracks", 'title: " "', "line 1: title is empty"),
    ("title: Two tracks", 'title: "a\\x1b[2J"', r"line 1: title holds the control character"),
    ("title: Two tracks", 'title: "\\ud800"', r"line 1: title holds the control character"),
    ("title: Two tracks", "title: 2026", "line 1: title: expected `str`, got `int`; quote it"),
    ("title: Two tracks", "titel: Two tracks", "line 1: titel is not a key; did you mean 'title'"),
    ("labels: [P, N, R]", "labels: []", "line 6: tracks.one.labels is empty"),
    ("labels: [P, N, R]", "labels:", "line 6: tracks.one.labels has no value"),
    ("labels: [P, N, R]", "labels: [P, N, P]", "line 6: tracks.one.labels[2]: 'P' stands there tw"),
    ("labels: [P, N, R]", 'labels: [1, "1"]', "line 6: tracks.one.labels[1]: '1' stands there tw"),
    ("labels: [P, N, R]", 'labels: [P, ""]', "line 6: tracks.one.labels[1] is empty"),
    ("labels: [P, N, R]", "labels: [P, no]", "line 6: tracks.one.labels[1]: expected"),
    ("labels: [P, N, R]", "labels: [P, 1.5]", "line 6: tracks.one.labels[1]: expected"),
    ("labels: [P, N, R]", "labels: {P: 1}", "line 6: tracks.one.labels: expected a list"),
    ("labels: [P, N, R]", "positive: P", "line 6: tracks.one.positive is for binary tasks"),
    (
        "positive: P",
        "positive: Q, labels: [P, N]",
        "line 10: tracks.two.positive is none of the la",
    ),
    (
        "positive: P",
        "labels: [P, N, R]",
        "line 10: tracks.two.labels: a binary task has two labels",
    ),
    ("task: multiclass", "task: multi", "line 5: tracks.one.task is one of binary, multiclass"),
    ("metrics: [macro_f1, accuracy]", "metrics: []", "line 7: tracks.one.metrics: expected a list"),
    ("metrics: [macro_f1, accuracy]", "metrics: f1", "line 7: tracks.one.metrics: expected a list"),
    ("    metrics: [macro_f1, accuracy]\n", "", "line 3: tracks.one: object missing required"),
    (
        "[macro_f1, accuracy]",
        "[accuracy, accuracy]",
        "line 7: tracks.one.metrics[1]: 'accuracy' st",
    ),
    ("{id: id, gold: label}", "{}", "line 8: tracks.one.columns is empty"),
    (
        "{id: id, gold: label}",
        "{id: 5}",
        "line 8: tracks.one.columns.id: expected `str`, got `int`",
    ),
    ("{id: id, gold: label}", "{id: x, gold: x}", "line 8: tracks.one.columns.gold is the column"),
    (
        "{id: id, gold: label}",
        "{delimiter: ';'}",
        "line 8: tracks.one.columns.delimiter is for mul",
    ),
    ("{id: id, gold: label}", "{golden: label}", "line 8: tracks.one.columns.golden is not a key"),
    ("by: [lang]", "by: []", "line 9: tracks.one.by is empty"),
    ("by: [lang]", "by: [lang, lang]", "line 9: tracks.one.by[1]: 'lang' stands there twice"),
    ("by: [lang]", "ids: gold.csv", "line 9: tracks.one.ids is the file of the gold"),
    ("by: [lang]", "train: gold.csv", "line 9: tracks.one.train is the file of the gold"),
    ("by: [lang]", "by: [lang]\n    by: [id]", "line 10 has the key 'by' again, after line 9"),
    ("file: two.csv", "file: ../two.csv", "line 10: tracks.two.file leads into another folder"),
    ("file: two.csv", "file: a/two.csv", "line 10: tracks.two.file leads into another folder"),
    ("file: two.csv", "file: /tmp/two.csv", "line 10: tracks.two.file leads into another folder"),
    ("file: two.csv", r"file: a\two.csv", "line 10: tracks.two.file leads into another folder"),
    ("file: two.csv", "file: ..", "line 10: tracks.two.file leads into another folder"),
    ("file: two.csv", 'file: "a\\0.csv"', "line 10: tracks.two.file holds the control character"),
    ("file: two.csv", 'file: "a\\u202e.csv"', "line 10: tracks.two.file has blanks at its ends or"),
    ("file: two.csv", 'file: "two.csv "', "line 10: tracks.two.file has blanks at its ends or"),
    ("file: two.csv", "file: nul.csv", "line 10: tracks.two.file is reserved on Windows"),
    ("file: two.csv", "file: .two.csv", "line 10: tracks.two.file is what notes, hidden files"),
    ("file: two.csv", "file: readme.csv", "line 10: tracks.two.file is what notes, hidden files"),
    ("file: two.csv", "file: two.zip", "line 10: tracks.two.file is what notes, hidden files"),
    ("file: two.csv", "file: One.csv", "line 10: tracks.two.file is that of the track one too"),
    ("file: two.csv", f"file: {'x' * 300}.csv", "line 10: tracks.two.file is too long"),
    ("  two: {", "  ../../x: {", "line 10: tracks.../../x leads into another folder"),
    ("  two: {", "  '..': {", "line 10: tracks... leads into another folder"),
    ("  two: {", r"  a\b: {", r"line 10: tracks.a\b leads into another folder"),
    ("  two: {", '  "a\\x1b": {', "holds the control character"),
    ("  two: {", '  "a ": {', "has blanks at its ends or characters that are not shown"),
    ("  two: {", "  ONE: {", "line 10: tracks.ONE differs from 'one' in case alone"),
    ("  two: {", "  aux: {", "line 10: tracks.aux is reserved on Windows"),
    ("  two: {", "  5: {", "line 10: tracks[5] is no text; quote it"),
    ("  two: {", "  no: {", "line 10: tracks"),
    (
        "start: 2026-03-01",
        "start: 2026-02-30",
        "line 14: phases.development.start: 2026-02-30: day",
    ),
    (
        "start: 2026-03-01",
        "start: 2026-13-01",
        "line 14: phases.development.start: 2026-13-01: mon",
    ),
    ("start: 2026-03-01", "start: 1.3.2026", "line 14: phases.development.start: a date such as"),
    ("start: 2026-03-01", "start: 12:30", "line 14: phases.development.start: a date such as"),
    ("start: 2026-03-01", "start: 2026-04-01", "line 15: phases.development.end: the phase ends"),
    ("start: 2026-03-01", "begin: 2026-04-01", "line 14: phases.development.begin is not a key"),
    (
        "{per_day: 1}",
        "{per_day: 0}",
        "line 16: phases.development.limits.per_day: expected `int` >=",
    ),
    (
        "{per_day: 1}",
        "{per_day: yes}",
        "line 16: phases.development.limits.per_day: expected `int`",
    ),
    (
        "{per_day: 1}",
        "{per_day: 1.5}",
        "line 16: phases.development.limits.per_day: expected `int`",
    ),
    ("{per_day: 1}", "{per_day: 0x_}", "line 16: phases.development.limits.per_day: 0x_: invalid"),
    ("{per_day: 1}", "{per_week: 1}", "line 16: phases.development.limits.per_week is not a key"),
    ("  test: {gold", "  a/b: {gold", "line 17: phases.a/b leads into another folder"),
    ("  test: {gold", "  Development: {gold", "line 17: phases.Development differs from 'develop"),
    (
        "two: two.csv}}",
        "tow: two.csv}}",
        "line 17: phases.test.gold.tow: there is no track 'tow'; d",
    ),
    ("{one: gold.csv}\n", "{}\n", "line 13: phases.development.gold is empty"),
    ("{one: gold.csv}\n", "{one: 5}\n", "line 13: phases.development.gold: expected `str`"),
    ("[majority]", "[]", "line 18: baselines is empty"),
    ("[majority]", "[a, a]", "line 18: baselines[1]: 'a' stands there twice"),
    ("overall: mean_rank\n", "", "line 19: missing_tracks is about the overall order"),
    ("overall: mean_rank", "overall: median", "line 19: overall is one of mean, mean_rank, borda"),
    ("per_day: 5,", "per_day: 50,", "line 21: limits.per_day is more than the total, 20"),
    ("[place]", "[]", "line 22: board.columns is empty"),
    ("board: {columns", "bord: {columns", "line 22: bord is not a key; did you mean 'board'?"),
]


@pytest.mark.parametrize(("old", "new", "told"), WRONG)
def test_mistakes_are_told_with_line_and_key(old, new, told):
    assert old in TASK
    write({"task.yaml": TASK.replace(old, new)})
    outcome = call("task", *COMMANDS["check"])
    assert (4, "") == (outcome.code, outcome.out)
    assert outcome.error.startswith("task.yaml")
    assert told in outcome.error
    assert len(outcome.error) < 400


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("labels: [P, N, R]", "labels: []"),
        ("file: two.csv", "file: ../../two.csv"),
        ("  two: {", "  ../../x: {"),
    ],
)
def test_every_command_refuses_a_wrong_file(command, old, new, tmp_path):
    before = {*tmp_path.parent.iterdir()}
    write({"task.yaml": TASK.replace(old, new)})
    outcome = call("task", *COMMANDS[command])
    assert (4, "") == (outcome.code, outcome.out)
    assert outcome.error.startswith("task.yaml, line ")
    assert before == {*tmp_path.parent.iterdir()}
