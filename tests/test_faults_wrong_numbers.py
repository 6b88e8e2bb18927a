"""Faults of version 0.1.0 that printed a wrong number: the right one, or an error, in all commands.

The numbers of the lines are those of the list of faults (W1 to W16).
"""

import json
import os
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn import metrics as sk

import tallystick
from cases import cases
from faults import COMMANDS, call, refuse, spawn, write
from tallystick.errors import InputError, UsageError

_ACCURACY = ("-m", "accuracy", "--no-intervals")


pytestmark = pytest.mark.usefixtures("folder")


def scores(*arguments):
    outcome = call("score", *arguments, "--format", "json")
    assert 0 == outcome.code, outcome.err
    return {(one["group"], one["name"]): one["value"] for one in json.loads(outcome.out)["scores"]}


@cases("command", *COMMANDS)
@cases("spelled", "1,1,.1\n2,0,.9", "1,1.0,.1\n2,0.0,.9")
def test_w1_gold_in_the_predictions_file_is_not_scored(command, spelled):
    write({"g.csv": "id,toxic\n1,1\n2,0\n", "p.csv": f"id,toxic,score\n{spelled}\n"})
    outcome = refuse("p.csv: which column contains the predictions?", *COMMANDS[command])
    assert "'score'" in outcome.error
    assert "" == outcome.out


def test_w1_a_named_column_is_taken():
    write({"g.csv": "id,toxic\n1,1\n2,0\n", "p.csv": "id,toxic,score\n1,1,.1\n2,0,.9\n"})
    found = scores("g.csv", "p.csv", "--probability-column", "score", *_ACCURACY)
    assert {(None, "accuracy"): 0.0} == found


_FAILING = "t gate g.csv b.csv --against a.csv -m accuracy --max-drop 0.01"


@pytest.mark.deep
@cases(
    "line",
    f"{_FAILING} 2>/dev/null | true; exit ${{PIPESTATUS[0]}}",
    f"{_FAILING} 2>&1 | grep -q note; exit ${{PIPESTATUS[0]}}",
    f"{_FAILING} 2>&1 | head -1; exit ${{PIPESTATUS[0]}}",
    f"{_FAILING} >/dev/full 2>/dev/full",
    f"{_FAILING} >&- 2>&-",
    f"{_FAILING} 2> >(true)",
)
def test_w2_a_gate_fails_whoever_reads(line):
    rows = {"g.csv": ("y_true", 0), "a.csv": ("y_pred", 0), "b.csv": ("y_pred", 1)}
    for name, (heading, wrong) in rows.items():
        lines = (f"{row},{(row + wrong) % 2}\n" for row in range(100))
        write({name: f"id,{heading}\n{''.join(lines)}"})
    assert 1 == spawn(line).returncode


def test_w2_a_file_is_written_whoever_reads():
    write({"o.csv": "id,y_true,y_pred\n1,1,1\n2,0,1\n"})
    assert 0 == spawn("t score o.csv -o out.csv 2> >(true)").returncode
    assert Path("out.csv").exists()


@cases("task", [], ["--task", "multilabel"])
@cases("art", ("1.0", "0.0"), ("True", "False"), ("yes", "no"), (" 1", " 0"), ("1", ""))
def test_w3_a_label_column_counts_however_it_is_written(art, task):
    write({"g.csv": f"id,sport,food,art\n1,1,0,{art[0]}\n2,0,1,{art[1]}\n"})
    write({"p.csv": "id,sport,food,art\n1,1,0,0\n2,0,1,1\n"})
    found = scores("g.csv", "p.csv", "-m", "macro_f1", "--no-intervals", *task)
    assert pytest.approx(2 / 3) == found[None, "macro_f1"]


@cases("command", *COMMANDS)
def test_w3_a_label_that_only_predictions_have_is_an_error(command):
    write({"g.csv": "id,sport,food\n1,1,0\n2,0,1\n"})
    write({"p.csv": "id,sport,food,art\n1,1,0,0\n2,0,1,1\n"})
    arguments = ["macro_f1" if one == "accuracy" else one for one in COMMANDS[command]]
    refuse("has the label columns 'art', which the gold has not", *arguments)


# W4


# W5


@cases("command", *COMMANDS)
@cases("mark", ";", "\t")
def test_w6_the_header_tells_the_separator(command, mark):
    for name, text in (("g.csv", "id,y_true\n1,1\n2,0\n"), ("p.csv", "id,y_pred\n1,1\n2,1\n")):
        write({name: text.replace(",", mark), name.replace("csv", "tsv"): text})
    outcome = call(*COMMANDS[command])
    assert outcome.code in (0, 3), outcome.err
    assert "0.5" in outcome.out
    assert 0.5 == scores("g.tsv", "p.tsv", *_ACCURACY)[None, "accuracy"]


_LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 2\n"


@cases("command", *COMMANDS)
@cases(
    "gold system message",
    ("a\nb\n", "b\nb\n", "was read as a header, but looks like a value"),
    (_LFS, _LFS, "is a pointer of Git LFS"),
)
def test_w7_a_first_row_is_not_lost(command, gold, system, message):
    write({"g.csv": gold, "p.csv": system})
    refuse(message, *COMMANDS[command])


_TRACK = "tracks:\n  a:\n    gold: g.csv\n    metrics: [f1]\n    by: []\n"
_DE, _FR = "y_true,y_prob\n1,.9\n0,.1\n", "y_true,y_prob\nyes,.9\nno,.1\n"
_LISTS = "".join(
    f'{{"t": "{t}", "id": 1, "y_true": ["{t.lower()}"], "y_pred": ["a"]}}\n' for t in "AB"
)
_SCORES = "id,t,toxic,score\n1,A,1,.1\n2,A,0,.9\n1,B,1,.2\n2,B,0,.7\n"
_BY_T = "--system-column t -m"


@cases(
    "files line message",
    ({"o.csv": _SCORES}, f"* o.csv {_BY_T} accuracy", "'score'"),
    (
        {"o.csv": "t,y_true,y_pred\nA,1,1\nA,0,0\nB,0,0\nB,1,1\n"},
        f"* o.csv {_BY_T} accuracy",
        "the rows of B have not the gold of those of A",
    ),
    (
        {"r/t_de.csv": _DE, "r/t_fr.csv": _FR, "r/u_de.csv": _DE, "r/u_fr.csv": _FR},
        "* --pred-dir r --run-tag t u -m f1 accuracy",
        "write them alike in all files",
    ),
    (
        {
            "g.jsonl": '{"id": 1, "topics": ["a", "b"]}\n{"id": 2, "topics": ["a"]}\n',
            "p.jsonl": '{"id": 1, "gold": ["a", "b"], "own": ["a"]}\n'
            '{"id": 2, "gold": ["a"], "own": ["b"]}\n',
        },
        "score g.jsonl p.jsonl --gold-column topics --task multilabel",
        "'gold' is the gold itself, and 'own' is called by none of the usual names",
    ),
    ({"o.jsonl": _LISTS}, f"score o.jsonl {_BY_T} macro_f1", "the gold of 1 differs between"),
    *[
        ({"c.yaml": f"{_TRACK}{line}\n"}, "task rank s --task c.yaml", "again, after line")
        for line in ("  a: {gold: g.csv, metrics: [f1]}", "    by: []")
    ],
)
def test_what_contradicts_itself_is_an_error(files, line, message):
    write(files)
    for command in ("score", "compare", "rank") if line.startswith("*") else ("",):
        refuse(message, *line.replace("*", command).split())


@cases("average", "macro", "weighted", "micro")
def test_w9_a_label_at_weight_zero_counts_in_averages(average):
    random = np.random.default_rng(9)
    for _ in range(50):
        gold, guess = random.integers(0, 4, (2, 8)).astype(str)
        weights = random.integers(0, 2, 8).astype(float)
        weights[0] = 1
        name = f"{average}_f1"
        found = tallystick.score(gold, guess, name, weights=weights, intervals=False)[name]
        expected = sk.f1_score(gold, guess, average=average, sample_weight=weights, zero_division=0)
        assert pytest.approx(expected) == found


def test_w9_the_note_speaks_of_the_weight():
    write({"o.csv": "id,y_true,y_pred,w\n1,a,a,1\n2,b,b,0\n"})
    outcome = call("score", "o.csv", "-m", "macro_f1", "--weight-column", "w")
    assert "0.500" in outcome.out
    assert "'b' never occurs in the gold with a weight above 0" in outcome.err


def test_a_group_of_weight_0_is_none():
    gold, other, groups = list("abab"), list("abba"), list("xxyy")
    weights = {"weights": [1, 1, 0, 0], "by": groups}
    outputs = {"one": gold, "two": other}
    found = tallystick.score(gold, outputs, "macro_f1", **weights).scores
    assert {"x", "macro", "micro"} == {one.group for one in found}
    assert {2} == {one.n for one in found}
    testing = tallystick.Testing("bootstrap", 100)
    differences = tallystick.compare(gold, outputs, "macro_f1", testing=testing, **weights)
    assert {"x", "macro", "micro"} == {one.group for one in differences.differences}


@cases("option", "weights", "clusters")
def test_w10_one_column_is_one_column(option):
    frame = pd.DataFrame({"y_true": [1, 0], "y_pred": [1, 1], "a": [1, 2], "b": [1, 1]})
    given = {option: ["a", "b"]}
    with pytest.raises(UsageError, match=f"{option} is one column of the table, not 2"):
        tallystick.score(frame, metrics="accuracy", **given)


@cases("gold", [1, 0], pd.DataFrame({"y_true": [1, 0]}))
def test_w10_names_of_systems_differ_as_text(gold):
    with pytest.raises(UsageError, match="two systems have the same name"):
        tallystick.score(gold, {1: [1, 1], "1": [1, 0]}, "accuracy")


@cases("kind", set, frozenset)
@cases("place", "gold", "outputs", "by", "clusters", "weights")
def test_w10_a_set_is_no_column(kind, place):
    given = {"gold": [1, 2], "outputs": [1, 2], place: kind([1, 2])}
    with pytest.raises(InputError, match="has no order, so it cannot be a column"):
        tallystick.score(**given, metrics="accuracy")


@cases("kind", np.float32, np.float64)
def test_w11_log_loss_is_clipped_in_its_own_precision(kind):
    scores = np.array([0, 1, 0.25], kind)
    found = tallystick.score([1, 0, 1], scores, "log_loss", intervals=False)["log_loss"]
    assert pytest.approx(sk.log_loss([1, 0, 1], scores), rel=1e-6) == found


def test_w12_rounding_breaks_no_tie():
    gold, scores = [0, 0, 1, 1, 1, 1, 1, 1], [0.25, 0.75, 0.625, 0.125, 0.375, 0, 0.5, 0.875]
    tuned = tallystick.tune_threshold(gold, scores, "balanced_accuracy")
    assert 0.375 == tuned.thresholds[0].threshold
    rows = [
        f"{row},{one},{score}\n" for row, (one, score) in enumerate(zip(gold, scores, strict=True))
    ]
    write({"o.csv": "id,y_true,y_prob\n" + "".join(rows)})
    outcome = call("tune", "o.csv", "-m", "balanced_accuracy")
    assert "0.375" in next(line for line in outcome.out.splitlines() if "threshold" in line)


def test_w13_a_named_pipe_is_read_anew():
    os.mkfifo("o.csv")
    found = []
    for second in ("0,.1", "0,.9"):
        content = f"y_true,y_prob\n1,.9\n{second}\n"
        writer = threading.Thread(target=Path("o.csv").write_text, args=[content])
        writer.start()
        found.append(scores("o.csv", *_ACCURACY)[None, "accuracy"])
        writer.join()
    assert [1.0, 0.5] == found


@cases("command", *COMMANDS)
@cases("gold", ("True", "False"), ("true", "false"), ("1", "0"), ("1.0", "0.0"))
@cases("guess", ("True", "True"), ("1", "1"), ("TRUE", "TRUE"))
def test_w15_true_is_one(command, gold, guess):
    write({"g.csv": f"id,y_true\n1,{gold[0]}\n2,{gold[1]}\n3,{gold[0]}\n"})
    write({"p.csv": f"id,y_pred\n1,{guess[0]}\n2,{guess[1]}\n3,{guess[0]}\n"})
    outcome = call(*COMMANDS[command])
    assert outcome.code in (0, 3), outcome.err
    assert "0.667" in outcome.out


@cases("invalid", "error", "wrong")
def test_w15_booleans_of_parquet_are_those_of_csv(invalid):
    pq.write_table(pa.table({"id": [1, 2], "y_pred": [True, True]}), "p.parquet")
    write({"g.csv": "id,y_true\n1,True\n2,False\n"})
    found = scores("g.csv", "p.parquet", *_ACCURACY, "--invalid", invalid)
    assert {(None, "accuracy"): 0.5} == found


def test_w16_a_whole_number_is_one_label_however_it_is_written():
    write({"o.csv": "id,y_true,y_pred,g\n1,2.0,2,-0.0\n2,-0.0,0,0\n3,02,2,02\n"})
    found = scores("o.csv", *_ACCURACY, "--by", "g")
    assert {"0": 1.0, "02": 0.0} == {
        group: value for (group, _), value in found.items() if group not in ("macro", "micro")
    }
