"""Facts about coming from other tools: their numbers and ours are the same."""

import json
import random
import re
import shlex
import shutil
from importlib import resources
from pathlib import Path

import pytest
import sacrebleu

import tallystick
from cases import cases
from peer_commands import run_sacrebleu
from tallystick.cli import main

PAGES = Path(__file__).parents[1] / "docs" / "coming-from"
_CAT = re.compile(r"^\$ cat (\S+)\n((?:[^$`].*\n)+)", re.MULTILINE)
_ROW = re.compile(r"^\| `(.+?)` \| `(.+?)` \| ([-\d.]+) \|$", re.MULTILINE)


def read(page):
    return (PAGES / f"{page}.md").read_text(encoding="utf-8")


def list_rows(page):
    return [pytest.param(*row, id=row[0]) for row in _ROW.findall(read(page))]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    target = tmp_path / "data"
    shutil.copytree(str(resources.files("tallystick") / "demo_data"), target)
    for name, text in _CAT.findall(read("sacrebleu")):
        (target / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(target)
    return target


def run_blocks(page):
    names = {}
    for code in re.compile(r"^```py\n((?:.*\n)*?)```$", re.MULTILINE).findall(read(page)):
        exec(compile(code, f"{page}.md", "exec"), names)
    return names


def shown(value, number):
    return f"{value:.{len(number.partition('.')[2])}f}"


def score_texts(sides, metric):
    return tallystick.score(*sides, [metric]).scores[0].value


@cases("theirs ours number", *list_rows("scikit-learn"))
def test_scikit_learn_gives_the_number_that_is_shown(theirs, ours, number):
    names = run_blocks("scikit-learn")
    if "table" in theirs:
        result = tallystick.score(names["table"], metrics=[ours])
    elif "sets" in theirs:
        sets = (names["sets"], names["predicted_sets"])
        result = tallystick.score(*sets, [ours], task="multilabel")
    else:
        result = tallystick.score(names["gold"], names["predicted"], [ours])
    expected = eval(theirs, names)
    assert expected == pytest.approx(result.scores[0].value, abs=1e-12)
    assert number == shown(expected, number)


@cases("theirs ours number", *list_rows("rouge-score"))
def test_rouge_score_gives_the_number_that_is_shown(theirs, ours, number):
    expected = eval(theirs, run_blocks("rouge-score"))
    rows = [json.loads(line) for line in Path("summaries/news.jsonl").read_text().splitlines()]
    texts = [[row[side] for row in rows] for side in ("reference", "hypothesis")]
    assert expected == pytest.approx(score_texts(texts, ours), abs=1e-12)
    assert number == shown(expected, number)


@cases("theirs ours number", *list_rows("sacrebleu"))
def test_sacrebleu_gives_the_number_that_is_shown(theirs, ours, number):
    printed = run_sacrebleu(theirs.removeprefix("sacrebleu "))
    sides = [Path(name).read_text().splitlines() for name in ("ref.txt", "system.txt")]
    assert number == printed.strip()
    assert number == shown(score_texts(sides, ours), number)


@cases("theirs ours number", *list_rows("evaluate"))
def test_what_evaluate_gives_is_what_we_give(theirs, ours, number):
    names = ("verdicts/gold.txt", "verdicts/model.txt")
    if "references=gold" not in theirs:
        names = ("ref.txt", "system.txt")
    sides = [Path(name).read_text().splitlines() for name in names]
    assert number == shown(score_texts(sides, ours), number)


@cases("theirs ours number", *list_rows("trec-eval"))
def test_what_ir_measures_gives_is_what_we_give(theirs, ours, number, capsys):
    for name, text in _CAT.findall(read("trec-eval")):
        Path(name).write_text(text, encoding="utf-8")
    assert 0 == main(["score", "qrels.txt", "bm25.txt", "-m", ours, "--format", "json"])
    (record,) = json.loads(capsys.readouterr().out)["scores"]
    assert ours in theirs
    assert number == shown(record["value"], number)


def test_a_log_of_the_harness_has_its_number(capsys):
    page = (PAGES.parent / "logs.md").read_text(encoding="utf-8")
    *_, log = re.findall(r"^```json\n((?:.*\n)*?)```$", page, re.MULTILINE)
    Path("samples.jsonl").write_text(log, encoding="utf-8")
    ((_, ours, number),) = _ROW.findall(page)
    assert 0 == main(["score", "samples.jsonl", "-m", ours, "--format", "json"])
    (record,) = json.loads(capsys.readouterr().out)["scores"]
    assert number == shown(record["value"], number)


@cases("page", "scikit-learn", "rouge-score", "sacrebleu", "evaluate", "trec-eval")
def test_the_tables_are_found(page):
    assert len(list_rows(page)) >= 4


SACREBLEU = Path(__file__).parents[1] / "docs" / "coming-from" / "sacrebleu.md"
COMMANDS = re.findall(
    r"^\| `sacrebleu (.+?)` \| `tallystick (.+?)` \|$", SACREBLEU.read_text("utf-8"), re.M
)
WORDS = ["the", "cat", "sat", "on", "a", "mat", ",", "中文", "字", "。", "don't", "3.5"]
ENDS = ("a b \r\nc d\t\nx  y\n e\rf\u3000\n", "a b\nc d \nx y\n e f\n")
"""A system and its references with white space at the ends of lines."""


@pytest.fixture
def texts(tmp_path, monkeypatch):
    draw = random.Random(2)
    lines = [draw.choices(WORDS, k=12) for _ in range(30)]
    for name, share in (("ref", 0), ("second", 0.1), ("system", 0.2), ("other", 0.3)):
        garbled = [
            " ".join(draw.choice(WORDS) if draw.random() < share else word for word in line)
            for line in lines
        ]
        (tmp_path / f"{name}.txt").write_text("\n".join(garbled) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answer(command, capsys):
    assert 0 == main(shlex.split(command))
    return capsys.readouterr().out


def list_numbers(record):
    names = ("value",) if "value" in record else ("value_b", "value_a", "p")
    return [record[name] for name in names]


def run_theirs(command):
    if "-sl" in command:
        return list(map(float, run_sacrebleu(f"{command} -b -w 9").split()))
    printed = json.loads(run_sacrebleu(f"{command} -w 9"))
    if isinstance(printed, dict):
        return [printed["score"]]
    one, other = (record["BLEU"] for record in printed)
    return [one["score"], other["score"], other["p_value"]]


@cases("theirs ours", *COMMANDS)
def test_commands_beside_each_other_give_the_same_numbers(theirs, ours, texts, capsys):
    expected = run_theirs(theirs)
    records = json.loads(answer(f"{ours} --format json", capsys))
    records = records["differences" if "differences" in records else "scores"]
    assert expected == pytest.approx([n for record in records for n in list_numbers(record)])


def test_the_page_has_its_table():
    assert 7 == len(COMMANDS)


def test_white_space_at_the_end_of_a_line_counts(texts, capsys):
    for name, content in zip(("hyp", "ref"), ENDS, strict=True):
        (texts / name).write_bytes(content.encode())
    lines = [content.replace("\r\n", "\n").split("\n")[:-1] for content in ENDS]
    counted = sacrebleu.CHRF(whitespace=True).corpus_score(lines[0], [lines[1]]).score
    result = json.loads(answer('score ref hyp -m "ChrF(whitespace=True)" --format json', capsys))
    (record,) = result["scores"]
    assert pytest.approx(counted, abs=1e-9) == record["value"]
