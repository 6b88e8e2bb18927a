"""Faults of version 0.1.0 that told participants of the gold, and a search for others.

The numbers of the lines are those of the list of faults (D1 and D2).
"""

import csv
import io
import json
import os
import random
import re
from pathlib import Path

import pytest

from cases import cases
from faults import call, refuse, write

LABELS = ("kestrel", "merlin", "osprey")
IDS = [f"x{number:03d}y" for number in range(12)]
GOLD = {one: LABELS[(place * 7 + place // 3) % 3] for place, one in enumerate(IDS)}
SPY = "id,y_prob_x,y_prob_y\n1,.5,.5\n2,.5,.5\n"


pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def submitted(folder):
    write({"g.csv": "id,y_true\n1,a\n2,b\n", "s/ok.csv": "id,y_pred\n1,a\n2,b\n", "s/spy.csv": SPY})


@pytest.mark.usefixtures("submitted")
@cases("options", [], ["--labels", "a", "b"], ["--positive", "b"])
@cases("format", "table", "json", "csv", "markdown", "latex")
def test_d1_a_spy_is_rejected_without_a_word_of_the_gold(format, options):
    outcome = call(
        "rank", "g.csv", "--submissions", "s", "-m", "accuracy", "--format", format, *options
    )
    assert 0 == outcome.code, outcome.err
    both = outcome.out + outcome.err
    assert "spy has probabilities of the label" in " ".join(both.split())
    assert "g.csv" not in both
    assert "row 2" not in both


@pytest.mark.usefixtures("submitted")
def test_d1_a_spy_alone_learns_no_more():
    os.remove("s/ok.csv")
    outcome = refuse(
        "the only submission is rejected: spy has probabilities",
        "rank g.csv --submissions s -m accuracy",
    )
    assert "'a'" not in outcome.error


@pytest.mark.usefixtures("submitted")
def test_d1_a_third_label_in_a_binary_task_is_the_submissions_own():
    write({"s/spy.csv": "id,y_pred\n1,x\n2,y\n"})
    options = ["--task", "binary", "--positive", "b", "--format", "json"]
    outcome = call("rank", "g.csv", "--submissions", "s", "-m", "accuracy", *options)
    assert 0 == outcome.code, outcome.err
    (rejected,) = json.loads(outcome.out)["rejected"]
    assert "spy" == rejected["system"]
    assert "'x'" in rejected["reason"]
    assert "'a'" not in rejected["reason"]


@pytest.mark.usefixtures("submitted")
@cases("target", "../g.csv", "/etc/passwd", "ok.csv", "nowhere.csv")
def test_d2_a_symbolic_link_is_rejected(target):
    os.symlink(target, "s/link.csv")
    outcome = call("rank", "g.csv", "--submissions", "s", "-m", "accuracy", "--format", "json")
    assert 0 == outcome.code
    message = json.loads(outcome.out)
    assert ["ok"] == [one["system"] for one in message["places"]]
    reasons = {one["system"]: one["reason"] for one in message["rejected"]}
    assert "it is a symbolic link; replace it with the file itself" == reasons["link.csv"]
    assert "root:" not in outcome.out + outcome.err


@pytest.mark.usefixtures("submitted")
def test_d2_a_linked_folder_is_no_team():
    os.mkdir("elsewhere")
    write({"elsewhere/run.csv": "id,y_pred\n1,a\n2,b\n"})
    os.symlink("../elsewhere", "s/team")
    outcome = call("rank", "g.csv", "--submissions", "s", "-m", "accuracy")
    assert "team was rejected: it is a symbolic link" in outcome.out


@pytest.mark.usefixtures("submitted")
def test_d2_a_pipe_is_rejected():
    os.mkfifo("s/pipe.csv")
    outcome = call("rank", "g.csv", "--submissions", "s", "-m", "accuracy")
    assert "pipe.csv was rejected: it is a pipe and not a plain file" in outcome.out


def draw_rows(draw, labels):
    return [{"id": one, "y_pred": draw.choice(labels)} for one in IDS]


def _rename(draw, rows):
    old = draw.choice(list(rows[0]))
    names = ["y_true", "gold", "label", "y_prob", "score", "uid", "Y_PRED", "lang", "y_prob_merlin"]
    new = draw.choice(names)
    return [{new if key == old else key: value for key, value in row.items()} for row in rows]


def _drop(draw, rows):
    return draw.sample(rows, draw.randint(1, len(rows)))


def _repeat(draw, rows):
    return [*rows, draw.choice(rows)]


def _stray(draw, rows):
    rows = [dict(row) for row in rows]
    key = draw.choice(list(rows[0]))
    for _ in range(draw.randint(1, 4)):
        draw.choice(rows)[key] = draw.choice(
            ["", "nan", "x999y", "heron", "1", "0.5", "é", "\x1b[2J"]
        )
    return rows


def _lose_column(draw, rows):
    gone = draw.choice(list(rows[0]))
    return [{key: value for key, value in row.items() if key != gone} for row in rows]


def _spread(draw, rows):
    labels = draw.sample([*LABELS, "heron", "rook"], draw.randint(1, 5))
    share = f"{1 / len(labels):.6f}"
    return [{"id": row.get("id", "")} | {f"y_prob_{one}": share for one in labels} for row in rows]


def _score(draw, rows):
    return [row | {"y_prob": draw.choice(["0.1", "0.9", "2", "-1"])} for row in rows]


def _thresholds(draw, rows):
    return [row | {"best_threshold": draw.choice(["0.5", "2"])} for row in rows]


def _bits(draw, rows):
    return [row | dict.fromkeys(LABELS, draw.choice("01")) for row in rows]


CHANGES = [_rename, _drop, _repeat, _stray, _lose_column, _spread, _score, _thresholds, _bits]
OPTIONS = [
    [],
    ["--labels", *LABELS],
    ["--labels", "merlin", "osprey"],
    ["--task", "multiclass"],
    ["--task", "binary"],
    ["--task", "multilabel"],
    ["--positive", "merlin"],
    ["--positive", "merlin", "--threshold", "0.4"],
    ["--missing", "wrong"],
    ["--invalid", "wrong"],
    ["--invalid", "class", "--missing", "wrong"],
    ["--by", "lang"],
    ["--fold-case"],
]
FORMATS = ["table", "json", "csv", "markdown", "html", "latex"]


def write_rows(path, rows):
    if not rows or not rows[0]:
        write({path: ""})
        return
    if path.endswith(".jsonl"):
        write({path: "".join(json.dumps(row) + "\n" for row in rows)})
        return
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), restval="", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    write({path: text.getvalue()})


def find_leaks(text, rows):
    own = {(row.get("id"), value) for row in rows for value in row.values()}
    # A report has all of its JSON in one line.
    return [
        line
        for line in (re.split(r",|\\n|\n", text) if "<!DOCTYPE" in text else text.splitlines())
        for one, label in GOLD.items()
        if one in line and label in line and (one, label) not in own
    ]


@pytest.mark.deep
@cases("seed", *range(60))
def test_no_corruption_of_a_submission_tells_of_the_gold(seed):
    draw = random.Random(seed)
    gold = [{"id": one, "y_true": label, "lang": draw.choice("ab")} for one, label in GOLD.items()]
    write_rows("gold.csv", gold)
    for turn in range(3):
        labels = draw.choice([LABELS, LABELS[:2], LABELS[:1], ("heron", "rook"), ("0", "1")])
        rows = draw_rows(draw, labels)
        for change in draw.sample(CHANGES, draw.randint(1, 3)):
            rows = change(draw, rows) if rows and rows[0] else rows
        path = f"s{turn}/spy{draw.choice(['.csv', '.jsonl'])}"
        write_rows(path, rows)
        if draw.random() < 0.7:
            write_rows(f"s{turn}/good.csv", draw_rows(draw, LABELS))
        options = [*draw.choice(OPTIONS), "--format", draw.choice(FORMATS), "--examples", "0"]
        options += draw.choice([[], ["-o", f"out{turn}"]])
        line = ["rank", "gold.csv", "--submissions", f"s{turn}", "-m", "accuracy", *options]
        outcome = call(*line)
        assert outcome.code in (0, 2, 4), (line, outcome)
        message = outcome.out + outcome.err
        if Path(f"out{turn}").exists():
            message += Path(f"out{turn}").read_text("utf-8")
        assert [] == find_leaks(message, rows), (line, Path(path).read_text())
        held = Path(path).read_text("utf-8")
        for reason in list_reasons(line):
            loose = [one for one in LABELS if one in reason and one not in held]
            assert [] == [one for one in loose if one not in options], (line, reason, held)


def list_reasons(line):
    plain = [*line[: line.index("--format")], "--format", "json"]
    outcome = call(*plain)
    if outcome.code == 0:
        return [one["reason"] for one in json.loads(outcome.out)["rejected"]]
    return [outcome.error] if " rejected: " in outcome.error else []
