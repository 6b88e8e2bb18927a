"""Faults of version 0.1.0 in words: what terminals, spreadsheets and readers were told.

The numbers of the lines are those of the list of faults (U1 to U3).
"""

import csv
import gzip
import io
import json
import os
import time
import unicodedata
from pathlib import Path

import pytest

from faults import COMMANDS, Outcome, call, spawn, write

ROWS = "id,y_true,y_pred\n1,1,1\n2,0,1\n"
NASTY = "A\x1b[31mB"
FORMULAS = ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\tx", "=cmd|'/C calc'!A0"]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write({"o.csv": ROWS})


def find_controls(outcome: Outcome) -> list[str]:
    return [
        char
        for char in outcome.out + outcome.err
        if char != "\n" and unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")
    ]


# U1: the terminal


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("gold", "system"),
    [
        (f"id,y_true\n{NASTY},1\n", "id,y_pred\nC,1\n"),
        ("id,y_true\n1,1\n", f'id,"{NASTY}",x\n1,1,2\n'),
        (f'id,"{NASTY}\nx",x\n1,1,2\n', "id,y_pred\n1,1\n"),
        (f"id,y_true\n1,{NASTY}\n2,b\n", "id,y_pred\n1,b\n2,b\n"),
        ("id,y_true\n1,a\n2,b\n", f"id,y_prob\n1,{NASTY}\n2,.5\n"),
        (f"id,y_true\n1,a\n2,{NASTY}\u202e\u2028\n", "id,y_pred\n1,b\n2,\x9b31m\n"),
    ],
)
def test_u1_no_control_character_reaches_a_terminal(command, gold, system):
    write({"g.csv": gold, "p.csv": system})
    assert [] == find_controls(call(*COMMANDS[command]))


def test_u1_names_of_files_are_escaped():
    name = f"{NASTY}\n.csv"
    write({name: ROWS, f"s/{name}": "id,y_pred\n1,1\n2,1\n", "s/ok.csv": "id,y_pred\n1,1\n2,1\n"})
    for line in (
        ["score", name],
        ["score", f"no{name}"],
        ["score", "o.csv", "-o", f"no/{name}"],
        ["rank", "o.csv", "--submissions", "s", "-m", "accuracy"],
        ["tune", name],
        ["gate", name, name, "--against", f"x={name}", "-m", "accuracy", "--floor", "0"],
    ):
        assert [] == find_controls(call(*line)), line


def test_u1_keys_of_yaml_are_escaped():
    write({"c.yaml": f'tracks:\n  "{NASTY.encode("unicode_escape").decode()}": 5\n'})
    outcome = call("task", "rank", "s", "--task", "c.yaml")
    assert 4 == outcome.code
    assert [] == find_controls(outcome)


# U1: spreadsheets and Markdown


@pytest.mark.parametrize("text", FORMULAS)
@pytest.mark.parametrize("place", ["label", "system", "group"])
def test_u1_no_cell_of_csv_is_a_formula(text, place):
    rows = [("1", text, "a"), ("2", "b", text)] if place == "group" else [("1", "a", "a")]
    content = io.StringIO()
    writer = csv.writer(content)
    writer.writerow(["id", "y_true", "y_pred", "g"])
    for one, group, name in (*rows, ("3", "b", "c")):
        label = text if place == "label" else name
        writer.writerow([one, label, label, group])
    write({"r.csv": content.getvalue()})
    named = place == "system" and text[0] in "+@\t" and "=" not in text
    name = f"{text}=r.csv" if named else "r.csv"
    line = ["score", "r.csv", name, "--task", "multiclass", "--format", "csv"]
    line += ["--confusion", "c.csv"] if place == "label" else ["--by", "g"]
    outcome = call(*line)
    assert 0 == outcome.code, outcome.err
    written = outcome.out + (Path("c.csv").read_text("utf-8") if place == "label" else "")
    cells = [cell for row in csv.reader(io.StringIO(written)) for cell in row]
    assert [] == [one for one in cells if one.startswith(("=", "+", "@", "\t", "\r"))]
    assert "-1+1" not in cells


@pytest.mark.parametrize("label", ["-1", "+1", "-0.5"])
def test_u1_a_number_stays_a_number(label):
    write({"r.csv": f"id,y_true,y_pred\n1,{label},{label}\n2,b,b\n"})
    call("score", "r.csv", "--confusion", "c.csv")
    cells = [cell for row in csv.reader(io.StringIO(Path("c.csv").read_text())) for cell in row]
    assert label in cells


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("@team", "@<!-- -->team"),
        ("#123", "#<!-- -->123"),
        ("http://a.de", "http<!-- -->://a.de"),
        ("HTTPS://a.de", "HTTP<!-- -->S://a.de"),
        ("www.a.de", "www<!-- -->.a.de"),
        ("a@b.de", "a@<!-- -->b.de"),
    ],
)
def test_u1_markdown_makes_no_links(label, shown):
    write({"r.csv": f"id,y_true,y_pred\n1,{label},{label}\n2,b,b\n"})
    outcome = call("score", "r.csv", "--task", "multiclass", "--format", "markdown")
    assert 0 == outcome.code, outcome.err
    assert shown in outcome.out
    assert f" {label} " not in outcome.out


# U2


def test_u2_numbers_for_labels_leave_a_binary_task_binary():
    write(
        {
            "c.yaml": "tracks:\n  t:\n    gold: g.csv\n    metrics: [f1]\n    labels: [0, 1]\n",
            "g.csv": "id,y_true\n1,1\n2,0\n",
            "s/a.csv": "id,y_pred\n1,1\n2,0\n",
            "s/b.csv": "id,y_prob\n1,.9\n2,.2\n",
        }
    )
    outcome = call("task", "rank", "s", "--task", "c.yaml", "--format", "json")
    assert 0 == outcome.code, outcome.err
    assert [] == json.loads(outcome.out)["refused"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_u2_an_unreadable_folder_is_named():
    os.mkdir("r", 0)
    outcome = call("score", "--pred-dir", "r", "--run-tag", "t")
    assert 4 == outcome.code
    assert outcome.error.startswith("r: ")


def test_u2_a_folder_that_is_gone_is_named():
    line = "mkdir d; cd d; rmdir ../d; t score {}"
    for arguments, name in (("o.csv", "o.csv"), ("--pred-dir . --run-tag t", ".")):
        ended = spawn(line.format(arguments))
        assert 4 == ended.returncode
        assert ended.stderr.startswith(f"tallystick: error: {name}: ")


def test_u2_notes_never_enter_standard_output():
    ended = spawn("t score o.csv --format json 2>&-")
    assert 0 == ended.returncode
    assert {"scores", "notes"} <= json.loads(ended.stdout).keys()


# U3


def test_u3_tables_are_joined_by_uid():
    write({"g.csv": "uid,y_true\n1,a\n2,b\n", "p.csv": "uid,y_pred\n2,a\n1,b\n"})
    assert "0.0000" in call(*COMMANDS["score"]).out


@pytest.mark.parametrize("command", COMMANDS)
def test_u3_a_key_in_another_order_is_an_error(command):
    write({"g.csv": "key,y_true\n1,a\n2,b\n", "p.csv": "key,y_pred\n2,a\n1,b\n"})
    outcome = call(*COMMANDS[command])
    assert 4 == outcome.code
    assert "join them by it with --id-column key" in outcome.error
    cured = call(*COMMANDS[command], "--id-column", "key")
    assert cured.code in (0, 3)
    assert "0.0000" in cured.out


def test_u3_gold_and_groups_that_disagree_are_told_to_the_owner_alone():
    write(
        {
            "g.csv": "id,y_true,lang\n1,a,en\n2,b,en\n",
            "p.csv": "id,y_true,y_pred,lang\n1,b,a,en\n2,b,b,de\n",
        }
    )
    outcome = call(*COMMANDS["score"], "--by", "lang")
    for name in ("y_true", "lang"):
        note = (
            f"p.csv differs from g.csv in column {name!r}, where g.csv counts; rows that differ: 1."
        )
        assert note in outcome.err
    ranked = call(*COMMANDS["rank"], "--by", "lang")
    assert 0 == ranked.code
    assert "rows that differ" not in ranked.out + ranked.err


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("system", "note"),
    [
        ("id,toxic,score\n1,0,.1\n2,0,.9\n", "taken from the column 'toxic'; not used: 'score'"),
        ("id,y_pred,output\n1,0,1\n2,0,1\n", "taken from the column 'y_pred'; not used: 'output'"),
    ],
)
def test_u3_the_choice_of_a_column_is_told(command, system, note):
    write({"g.csv": "id,toxic\n1,1\n2,0\n", "p.csv": system})
    outcome = call(*COMMANDS[command])
    assert outcome.code in (0, 3), outcome.err
    assert f"p.csv: the predictions were {note}" in outcome.err + outcome.out


def test_u3_a_note_tells_whose_the_scores_of_classes_are():
    write({"r.csv": "id,y_true,y_pred,g\n1,a,a,x\n2,b,b,x\n3,a,b,y\n4,b,a,y\n"})
    note = "scores per class are those of all groups together (micro)."
    assert note in call("score", "r.csv", "--by", "g").err
    assert note not in call("score", "r.csv").err


@pytest.mark.parametrize(
    "line",
    [
        "tune t.csv --cross-fit 2 -o -",
        "tune t.csv --apply t.csv -o -",
        "gate o.csv o.csv --against x=o.csv -m accuracy --floor 0 --junit -",
        "score o.csv --confusion -",
    ],
)
def test_u3_no_file_is_called_by_a_hyphen(line):
    write({"t.csv": "id,y_true,y_prob\n1,1,.9\n2,0,.1\n3,1,.8\n4,0,.3\n"})
    outcome = call(*line.split())
    assert 2 == outcome.code, outcome
    assert not Path("-").exists()


@pytest.mark.parametrize("folds", [5, 100_000, 10**12])
def test_u3_folds_have_a_bound(folds):
    write({"t.csv": "id,y_true,y_prob\n1,1,.9\n2,0,.1\n3,1,.8\n4,0,.3\n"})
    start = time.monotonic()
    outcome = call("tune", "t.csv", "--cross-fit", folds)
    assert 2 == outcome.code
    assert "at most 4 here" in outcome.error
    assert time.monotonic() - start < 10


def test_u3_a_small_archive_does_not_fill_memory():
    block = gzip.compress(b"0" * (1 << 24), 9)
    write({"g.csv": "id,y_true\n1,a\n", "p.csv.gz": block * 65})
    outcome = call("score", "g.csv", "p.csv.gz", "-m", "accuracy")
    assert 4 == outcome.code
    assert "unpacks to more than 64 MiB and 200 times its size" in outcome.error
