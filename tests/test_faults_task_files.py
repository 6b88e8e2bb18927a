"""Mistakes of organisers: in task files, in gold, and in where a board is written."""

import json
import os
from pathlib import Path

import pytest
from scipy.spatial.distance import jensenshannon

from cases import cases
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
def _folder(folder):
    write({"task.yaml": TASK, "gold.csv": GOLD, "two.csv": TWO})
    for team in ("ann", "majority"):
        write({f"entries/test/{team}/one.csv": GOLD, f"entries/test/{team}/two.csv": TWO})
    rows = "".join(f"test/{team},{team},test,1\n" for team in ("ann", "majority"))
    write({"list.csv": f"file,team,phase,place\n{rows}"})


@cases("command", *COMMANDS)
def test_sound_task_is_taken(command):
    outcome = call("task", *COMMANDS[command])
    assert 0 == outcome.code, outcome.err


WRONG = {
    "title: Two tracks": [
        ("title:", "line 1: title has no value"),
        ('title: " "', "line 1: title is empty"),
        ('title: "a\\x1b[2J"', r"line 1: title contains the control character"),
        ('title: "\\ud800"', r"line 1: title contains the control character"),
        ("title: 2026", "line 1: title: expected `str`, got `int`; quote it"),
        ("titel: Two tracks", "line 1: titel is not a key; did you mean 'title'"),
        (f"'{'m' * 100}': x", f"line 1: {'m' * 60} is not a key"),
    ],
    "labels: [P, N, R]": [
        ("labels: []", "line 6: tracks.one.labels is empty"),
        ("labels:", "line 6: tracks.one.labels has no value"),
        ("labels: [P, N, P]", "line 6: tracks.one.labels[2]: 'P' stands there tw"),
        ('labels: [1, "1"]', "line 6: tracks.one.labels[1]: '1' stands there tw"),
        ('labels: [P, ""]', "line 6: tracks.one.labels[1] is empty"),
        ("labels: [P, no]", "line 6: tracks.one.labels[1]: expected"),
        ("labels: [P, 1.5]", "line 6: tracks.one.labels[1]: expected"),
        ("labels: [P, 99999999999999999999]", "line 6: tracks.one.labels[1]: expected `int` <="),
        ("labels: {P: 1}", "line 6: tracks.one.labels: expected a list"),
        ("positive: P", "line 6: tracks.one.positive is for binary tasks"),
    ],
    "positive: P": [
        ("positive: Q, labels: [P, N]", "line 10: tracks.two.positive is none of the la"),
        ("labels: [P, N, R]", "line 10: tracks.two.labels: a binary task has two labels"),
    ],
    "task: multiclass": [
        ("task: multi", "line 5: tracks.one.task must be one of binary, multiclass")
    ],
    "metrics: [macro_f1, accuracy]": [
        ("metrics: []", "line 7: tracks.one.metrics: expected a list"),
        ("metrics: f1", "line 7: tracks.one.metrics: expected a list"),
    ],
    "    metrics: [macro_f1, accuracy]\n": [("", "line 3: tracks.one: object missing required")],
    "[macro_f1, accuracy]": [
        ("[accuracy, accuracy]", "line 7: tracks.one.metrics[1]: 'accuracy' st")
    ],
    "{id: id, gold: label}": [
        ("{}", "line 8: tracks.one.columns is empty"),
        ("{id: 5}", "line 8: tracks.one.columns.id: expected `str | array`, got `int`"),
        (
            "{id: id, probability: p}",
            "line 8: tracks.one.columns.probability is for binary tasks, and this one is "
            "multiclass",
        ),
        ("{id: x, gold: x}", "line 8: tracks.one.columns.gold is the column"),
        ("{delimiter: ';'}", "line 8: tracks.one.columns.delimiter is for mul"),
        ("{golden: label}", "line 8: tracks.one.columns.golden is not a key"),
    ],
    "by: [lang]": [
        ("by: []", "line 9: tracks.one.by is empty"),
        ("by: [lang, lang]", "line 9: tracks.one.by[1]: 'lang' stands there twice"),
        ("ids: gold.csv", "line 9: tracks.one.ids is the file of the gold"),
        ("train: gold.csv", "line 9: tracks.one.train is the file of the gold"),
        ("by: [lang]\n    by: [id]", "line 10 has the key 'by' again, after line 9"),
    ],
    "file: two.csv": [
        ("file: ../two.csv", "line 10: tracks.two.file leads into another folder"),
        ("file: a/two.csv", "line 10: tracks.two.file leads into another folder"),
        ("file: /tmp/two.csv", "line 10: tracks.two.file leads into another folder"),
        (r"file: a\two.csv", "line 10: tracks.two.file leads into another folder"),
        ("file: ..", "line 10: tracks.two.file leads into another folder"),
        ('file: "a\\0.csv"', "line 10: tracks.two.file contains the control character"),
        ('file: "a\\u202e.csv"', "line 10: tracks.two.file has blanks at its ends or"),
        ('file: "two.csv "', "line 10: tracks.two.file has blanks at its ends or"),
        ("file: nul.csv", "line 10: tracks.two.file is reserved on Windows"),
        ("file: .two.csv", "line 10: tracks.two.file is a name for notes, hidden files"),
        ("file: readme.csv", "line 10: tracks.two.file is a name for notes, hidden files"),
        ("file: two.zip", "line 10: tracks.two.file is a name for notes, hidden files"),
        ("file: One.csv", "line 10: tracks.two.file is that of the track one too"),
        (f"file: {'x' * 300}.csv", "line 10: tracks.two.file is too long"),
    ],
    "  two: {": [
        ("  ../../x: {", "line 10: tracks.../../x leads into another folder"),
        ("  '..': {", "line 10: tracks... leads into another folder"),
        (r"  a\b: {", r"line 10: tracks.a\b leads into another folder"),
        ('  "a\\x1b": {', "contains the control character"),
        ('  "a ": {', "has blanks at its ends or characters that are not shown"),
        ("  ONE: {", "line 10: tracks.ONE differs from 'one' in case alone"),
        ("  aux: {", "line 10: tracks.aux is reserved on Windows"),
        ("  5: {", "line 10: tracks[5] is no text; quote it"),
        ("  no: {", "line 10: tracks"),
    ],
    "start: 2026-03-01": [
        ("start: 2026-02-30", "line 14: phases.development.start: 2026-02-30: day"),
        ("start: 2026-13-01", "line 14: phases.development.start: 2026-13-01: mon"),
        ("start: 1.3.2026", "line 14: phases.development.start: a date such as"),
        ("start: 12:30", "line 14: phases.development.start: a date such as"),
        ("start: 2026-04-01", "line 15: phases.development.end: the phase ends"),
        ("start: '2026-04-01'", "line 15: phases.development.end: the phase ends"),
        ("begin: 2026-04-01", "line 14: phases.development.begin is not a key"),
    ],
    "{per_day: 1}": [
        ("{per_day: 0}", "line 16: phases.development.limits.per_day: expected `int` >="),
        (
            "{per_day: 100000000000000000000}",
            "line 16: phases.development.limits.per_day: expected `int` <=",
        ),
        ("{per_day: yes}", "line 16: phases.development.limits.per_day: expected `int`"),
        ("{per_day: 1.5}", "line 16: phases.development.limits.per_day: expected `int`"),
        ("{per_day: 0x_}", "line 16: phases.development.limits.per_day: 0x_: invalid"),
        ("{per_week: 1}", "line 16: phases.development.limits.per_week is not a key"),
    ],
    "  test: {gold": [
        ("  a/b: {gold", "line 17: phases.a/b leads into another folder"),
        ("  Development: {gold", "line 17: phases.Development differs from 'develop"),
    ],
    "two: two.csv}}": [
        ("tow: two.csv}}", "line 17: phases.test.gold.tow: there is no track 'tow'; d")
    ],
    "{one: gold.csv}\n": [
        ("{}\n", "line 13: phases.development.gold is empty"),
        ("{one: 5}\n", "line 13: phases.development.gold: expected `str`"),
    ],
    "[majority]": [
        ("[]", "line 18: baselines is empty"),
        ("[a, a]", "line 18: baselines[1]: 'a' stands there twice"),
    ],
    "overall: mean_rank\n": [("", "line 19: missing_tracks is about the overall order")],
    "overall: mean_rank": [
        (f"overall: {'m' * 9000}", "line 19: overall must be one of mean, mean_rank"),
        ("overall: median", "line 19: overall must be one of mean, mean_rank, borda"),
    ],
    "per_day: 5,": [("per_day: 50,", "line 21: limits.per_day is more than the total, 20")],
    "[place]": [("[]", "line 22: board.columns is empty")],
    "board: {columns": [("bord: {columns", "line 22: bord is not a key; did you mean 'board'?")],
}


@cases("old new message", *[(old, *row) for old, rows in WRONG.items() for row in rows])
def test_mistakes_are_told_with_line_and_key(old, new, message):
    assert old in TASK
    write({"task.yaml": TASK.replace(old, new)})
    outcome = call("task", *COMMANDS["check"])
    assert (4, "") == (outcome.code, outcome.out)
    assert outcome.error.startswith("task.yaml")
    assert message in outcome.error
    assert len(outcome.error) < 400


@cases("command", *COMMANDS)
@cases(
    "old new",
    ("labels: [P, N, R]", "labels: []"),
    ("file: two.csv", "file: ../../two.csv"),
    ("  two: {", "  ../../x: {"),
)
def test_every_command_refuses_a_wrong_file(command, old, new, tmp_path):
    before = {*tmp_path.parent.iterdir()}
    write({"task.yaml": TASK.replace(old, new)})
    outcome = call("task", *COMMANDS[command])
    assert (4, "") == (outcome.code, outcome.out)
    assert outcome.error.startswith("task.yaml, line ")
    assert before == {*tmp_path.parent.iterdir()}


SCORED = "line 4: tracks.one.gold cannot be scored"
GOLDS = {
    "missing": (None, "line 4: tracks.one.gold: there is no file gold.csv"),
    "empty": ("", SCORED),
    "no rows": ("id,lang,label\n", SCORED),
    "blank id": (GOLD.replace("\ne3,", "\n,"), SCORED),
    "id twice": (GOLD.replace("\ne3,", "\ne5,"), SCORED),
    "blank label": (GOLD.replace("e3,de,P", "e3,de,"), SCORED),
    "other label": (GOLD.replace("e3,de,P", "e3,de,kite"), SCORED),
    "UTF-32": (GOLD.encode("utf-32"), SCORED),
    "Latin-1": (GOLD.replace("P", "é").encode("latin-1"), SCORED),
    "no groups": (GOLD.replace("lang", "x"), "line 9: tracks.one.by[0]: gold.csv has no column"),
    "no gold": (GOLD.replace("label", "x"), "line 8: tracks.one.columns.gold: gold.csv has no"),
    "no ids": (GOLD.replace("id,", "nr,"), "line 8: tracks.one.columns.id: gold.csv has no"),
}
ONE = TASK.partition("  two:")[0]


@cases("command", *COMMANDS)
@cases("case", *GOLDS)
def test_wrong_gold_is_an_error_of_the_task_and_of_no_team(command, case):
    content, message = GOLDS[case]
    write({"task.yaml": f"{ONE}board: {{columns: [place]}}\n"})
    write({"list.csv": "file,team,place\nann,ann,1\n"})
    write({f"entries/{team}/one.csv": GOLD for team in ("ann", "bob")})
    Path("gold.csv").unlink()
    if content is not None:
        write({"gold.csv": content})
    ours = {
        "check": ("check", "entries/ann/one.csv"),
        "score": ("score", "entries/ann"),
        "board": ("board", "entries", "-o", "site", "--manifest", "list.csv"),
    }
    outcome = call("task", *ours.get(command, COMMANDS[command]))
    assert (4, "") == (outcome.code, outcome.out)
    assert outcome.error.startswith(f"task.yaml, {message}")
    assert "rejected" not in outcome.err
    assert command != "check" or "kite" not in outcome.err


@cases(
    "metrics more message",
    ("f11", "", "line 4: tracks.t.metrics[0]: unknown metric 'f11'"),
    ("accuracy, Accuracy", "", "line 4: tracks.t.metrics[1]: Accuracy stands there twice"),
    ("accuracy, pass@1", "", "line 2: tracks.t: metrics of right and wrong tries"),
    ("F1(average=None)", "", "line 4: tracks.t.metrics: F1(average=None) has a value"),
    ("win_rate", "", "line 4: tracks.t.metrics: those of preferences are not for task"),
    ("hamming_loss", "", "line 4: tracks.t.metrics do not fit the gold"),
    ("qwk", "", "line 4: tracks.t.metrics do not fit the gold"),
    ("pearson", "", "line 3: tracks.t.gold cannot be scored"),
    ("span_f1", "", "line 3: tracks.t.gold cannot be scored"),
    ("accuracy", "task: multilabel", "line 4: tracks.t.metrics: accuracy is not for"),
    ("accuracy", "task: text", "line 4: tracks.t.metrics: accuracy is a metric of l"),
    ("accuracy", "task: binary", "line 3: tracks.t.gold cannot be scored"),
    ("f1", "positive: P", "line 3: tracks.t.gold cannot be scored"),
    ("f1", "clusters: doc", "line 5: tracks.t.clusters: gold.csv has no column 'doc'"),
    ("f1", "by: [lng]", "tracks.t.by[0]: gold.csv has no column 'lng'; did you mean"),
    ("f1", "train: no.csv", "line 5: tracks.t.train: there is no file no.csv"),
    ("f1", "ids: no.csv", "line 5: tracks.t.ids: there is no file no.csv"),
    ("f1", "columns: {weight: w}", "line 5: tracks.t.columns.weight: gold.csv has no"),
)
def test_keys_that_do_not_fit_the_gold_are_told(metrics, more, message):
    keys = f"gold: gold.csv\n    metrics: [{metrics}]\n    {more}"
    write({"task.yaml": f"tracks:\n  t:\n    {keys}\n", "t.csv": GOLD})
    for command in (("check", "t.csv"), ("selftest",)):
        outcome = call("task", *command)
        assert (4, "") == (outcome.code, outcome.out)
        assert outcome.error.startswith("task.yaml, line ")
        assert message in outcome.error


@cases("command", "rank", "paper", "board")
@cases("name hint", ("majorty", "did you mean 'majority'?"), ("zero", "the teams are ann, major"))
def test_baseline_that_handed_in_nothing_is_told(command, name, hint):
    write({"task.yaml": TASK.replace("[majority]", f"[{name}]")})
    outcome = call("task", *COMMANDS[command])
    assert 4 == outcome.code
    message = f"task.yaml, line 18: baselines[0]: no submission is of '{name}'; {hint}"
    assert message in outcome.error


ALL = "id\n" + "".join(f"e{at}\n" for at in range(12))


@cases("gold", "gold.csv", "lost.csv")
@cases(
    "ids message",
    (ALL.replace("e3\n", "e4\n"), ": ids.csv has an id twice, or an example without one"),
    (ALL.replace("e3\n", '""\n'), ": ids.csv has an id twice, or an example without one"),
    (ALL.replace("e3\n", "e3x\n"), " has other examples than the gold, such as e3"),
    (ALL + "e12\n", " has other examples than the gold, such as e12"),
    ("id\n", " cannot be read: ids.csv: has columns but no rows of data"),
    (ALL.encode("utf-32"), " cannot be read: ids.csv: is UTF-32"),
)
def test_wrong_ids_are_an_error_of_the_task(gold, ids, message):
    keys = f"gold: {gold}\n    metrics: [accuracy]\n    labels: [P, N, R]\n    ids: ids.csv"
    write({"task.yaml": f"tracks:\n  t:\n    {keys}\n", "ids.csv": ids, "t.csv": GOLD})
    outcome = call("task", "check", "t.csv")
    assert 4 == outcome.code
    if gold == "gold.csv" or "than the gold" not in message:
        assert outcome.error.startswith(f"task.yaml, line 6: tracks.t.ids{message}")
        assert "" == outcome.out


ONE_GOLD = (
    "  a: {gold: gold.csv, metrics: [f1]}\n  b: {metrics: [f1]}\nphases: {p: {gold: {a: gold.csv}}}"
)
BINARY = "  t:\n    gold: two.csv\n    metrics: [f1]\n    task: binary"


@cases(
    "tracks message",
    (ONE_GOLD, "line 3: tracks.b has no key 'gold'"),
    (BINARY, "line 2: tracks.t.positive: nothing tells which of the two labels"),
    (f"{BINARY}\n    positive: Q", "line 6: tracks.t.positive does not fit the gold"),
)
def test_gold_and_positive_labels_are_asked_of_the_organiser(tracks, message):
    write({"task.yaml": f"tracks:\n{tracks}\n"})
    outcome = call("task", "check", "two.csv")
    assert (4, "") == (outcome.code, outcome.out)
    assert outcome.error.startswith(f"task.yaml, {message}")


@cases(
    "text message",
    ("2026-03-31T23:59:00+02:00", "2026-03-31 21:59"),
    ("'2026-03-31T23:59+02:00'", "2026-03-31 21:59"),
    ("'2026-03-31'", "2026-03-31 00:00"),
    ("2026-03-31", "2026-03-31 00:00"),
)
def test_deadlines_are_told_in_utc(text, message):
    text = TASK.replace("  test: {gold", f"  test: {{end: {text}, gold")
    rows = "test/ann,ann,test,1,2026-04-02\ntest/majority,majority,test,1,2026-03-01\n"
    write({"task.yaml": text, "list.csv": f"file,team,phase,place,submitted\n{rows}"})
    outcome = call("task", *COMMANDS["board"])
    assert f"it came after the end of the phase ({message} UTC)" in outcome.err


def test_participants_need_no_gold():
    write({"ids.csv": ALL, "t.csv": TWO})
    files = "gold: gone.csv, ids: ids.csv, train: lost.csv"
    keys = "task: binary, labels: [N, P], positive: P, metrics: [f1], by: [lang]"
    write({"task.yaml": f"tracks: {{t: {{{files}, {keys}}}}}\n"})
    outcome = call("task", "check", "t.csv")
    assert (0, "t: can be scored\n") == (outcome.code, outcome.out)


@cases("target", ".", "..", "gold", "entries", "entries/test", "entries/new")
def test_board_is_not_written_where_gold_or_submissions_lie(target):
    text = TASK.replace("gold: gold.csv\n", "gold: gold/gold.csv\n")
    write({"task.yaml": text, "gold/gold.csv": GOLD})
    outcome = call("task", "board", "entries", "-o", target, "--manifest", "list.csv")
    assert 2 == outcome.code
    assert "name a folder of its own" in outcome.error or "name another folder" in outcome.error
    assert not [*Path.cwd().parent.glob("index.html"), *Path.cwd().rglob("index.html")]


@cases("submitted message", ("", True), (",submitted", True), (",submitted\n", False))
def test_deadlines_that_are_not_applied_are_told(submitted, message):
    text = TASK.replace("  test: {gold", "  test: {end: 2026-04-01, gold")
    times = {"": ("", ""), ",submitted": (",2026-03-30", ","), ",submitted\n": (",2026-03-30",) * 2}
    rows = "".join(
        f"test/{team},{team},test,1{time}\n"
        for team, time in zip(("ann", "majority"), times[submitted], strict=True)
    )
    write({"task.yaml": text, "list.csv": f"file,team,phase,place{submitted.strip()}\n{rows}"})
    outcome = call("task", *COMMANDS["board"])
    assert 0 == outcome.code, outcome.err
    note = "end, per_day, total of test were not applied to "
    assert message == (note in outcome.err) == (note in Path("site/index.html").read_text())
    assert message == (note in call("task", "rank", "entries", "--manifest", "list.csv").err)


@cases(
    "keys rejected late",
    ("", 0, 0),
    ("times: files", 2, 0),
    ("times: files\nlate: mark", 0, 2),
    ("times: files\nend: 2035-01-01", 0, 0),
)
def test_late_submissions_are_rejected_or_marked_by_the_dates_of_files(keys, rejected, late):
    end = "" if "end:" in keys else "end: 2026-03-31\n"
    track = "tracks:\n  t: {gold: g.csv, task: multiclass, metrics: [accuracy]}\n"
    gold = "id,label\n" + "".join(f"x{at},{'abc'[at % 3]}\n" for at in range(12))
    write({"task.yaml": f"{end}{keys}\n{track}phases:\n  final: {{start: 2020-01-01}}\n"})
    write({"g.csv": gold} | {f"in/{team}.csv": gold for team in ("ann", "bob", "eve")})
    for team, second in (("ann", 1767225600), ("bob", 1789000000), ("eve", 1790000000)):
        os.utime(f"in/{team}.csv", (second, second))
    outcome = call("task", "board", "in", "-o", "site")
    assert (0, rejected) == (outcome.code, outcome.err.count("came after the end of the task"))
    pages = "".join(page.read_text() for page in Path("site/teams").iterdir())
    assert late == pages.count("<small>late</small>")
    fate = "marked" if "mark" in keys else "rejected"
    assert f"00:00 UTC are {fate}, by the times in" in Path("site/index.html").read_text()


def test_ids_have_another_name_in_submissions():
    columns = "columns: {id: qid, system_id: rid}"
    write({
        "task.yaml": f"tracks:\n  t: {{gold: g.csv, metrics: [macro_f1], {columns}}}\n",
        "g.csv": "qid,label\n" + "".join(f"x{at},{'abc'[at % 3]}\n" for at in range(12)),
        "own.csv": "rid,y_pred\n" + "".join(f"x{at},{'abc'[at % 3]}\n" for at in range(12)),
    })  # fmt: skip
    assert 0 == call("task", "check", "own.csv").code
    assert "1.000" in call("task", "score", "own.csv").out
    assert "failed its self-test" not in call("task", "selftest").out
    Path("own.csv").write_text(Path("own.csv").read_text().replace("rid", "uid"))
    assert "has no column 'rid' of ids; rename 'uid'" in call("task", "check", "own.csv").out


@cases("form", "lists", "objects", "characters")
def test_task_of_spans_in_texts_is_fit(form):
    Path("task.yaml").unlink()
    lines = []
    for at in range(24):
        size = 20 + 4 * (at * 7 % 20)
        ends = (size // 2, size)
        spans = {
            "lists": [[end - 4, end, "PER"] for end in ends],
            "objects": [{"start": end - 4, "end": end, "label": "PER"} for end in ends],
            "characters": [place for end in ends for place in range(end - 4, end)],
        }[form]
        lines.append(json.dumps({"id": f"e{at}", "text": "x" * size, "spans": spans}))
    write({"spans.jsonl": "\n".join(lines) + "\n"})
    call("task", "init", "spans.jsonl")
    outcome = call("task", "selftest", "--format", "json")
    assert 0 == outcome.code, outcome.out
    checks = {one["check"]: one["outcome"] for one in json.loads(outcome.out)["checks"]}
    assert {"passed", "info"} == {*checks.values()}


SHARES = "id,{0}0,{0}1,{0}2\n" + "".join(
    f"e{at},{row}\n" for at, row in enumerate(["0.5,0.25,0.25", "1.0,0.0,0.0", "0.2,0.3,0.5"] * 4)
)
SURE = "id,prob_0,prob_1,prob_2\n" + "".join(f"e{at},1.0,0.0,0.0\n" for at in range(12))


@cases("prefix", "prob_", "gold_", "y_prob_", "share_", "y_true_")
def test_columns_of_shares_are_one_soft_label(prefix):
    Path("task.yaml").unlink()
    write({"shares.csv": SHARES.format(prefix), "sure.csv": SURE})
    assert 0 == call("task", "init", "shares.csv").code
    text = Path("task.yaml").read_text()
    assert "labels: ['0', '1', '2']" in text
    assert "metrics: [manhattan, js_distance]" in text
    assert 0 == call("task", "check", "sure.csv").code
    outcome = call("task", "score", "sure.csv", "--format", "json")
    found = {one["name"]: one["value"] for one in json.loads(outcome.out)["scores"]}
    golds = [[0.5, 0.25, 0.25], [1, 0, 0], [0.2, 0.3, 0.5]]
    expected = sum(jensenshannon(gold, [1, 0, 0], base=2) for gold in golds) / 3
    assert expected == pytest.approx(found["js_distance"])


@cases("name", "readme.csv", "nul.csv", "a\x1bb.csv", "a/b=gold.csv", "..=gold.csv", " x=gold.csv")
def test_init_writes_no_name_that_cannot_be_read(name):
    write({name.partition("=")[2] or name: GOLD})
    outcome = call("task", "init", name, "-o", "new.yaml")
    assert (2, False) == (outcome.code, Path("new.yaml").exists())
    assert "the name of its track" in outcome.error


def test_columns_of_shares_without_a_name_in_common_are_told():
    write({"shares.csv": SHARES.format("").replace("0,1,2", "joy,fear,rage", 1)})
    outcome = call("task", "init", "shares.csv", "-o", "new.yaml")
    assert (4, False) == (outcome.code, Path("new.yaml").exists())
    assert "joy, fear, rage sum to 1 in each row" in outcome.error
