"""Facts about the pages for those who come from other tools: both give the number that is shown."""

import json
import re
import shutil
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

import tallystick
from peer_commands import run_sacrebleu
from tallystick.cli import main

PAGES = Path(__file__).parents[1] / "docs" / "coming-from"
_CAT = re.compile(r"^\$ cat (\S+)\n((?:[^$`].*\n)+)", re.MULTILINE)
_ROW = re.compile(r"^\| `(.+?)` \| `(.+?)` \| ([-\d.]+) \|$", re.MULTILINE)


def read(page: str) -> str:
    return (PAGES / f"{page}.md").read_text(encoding="utf-8")


def list_rows(page: str) -> list[Any]:
    return [pytest.param(*row, id=row[0]) for row in _ROW.findall(read(page))]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    target = tmp_path / "data"
    shutil.copytree(str(resources.files("tallystick") / "demo_data"), target)
    for name, text in _CAT.findall(read("sacrebleu")):
        (target / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(target)
    return target


def run_blocks(page: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for code in re.compile(r"^```py\n((?:.*\n)*?)```$", re.MULTILINE).findall(read(page)):
        exec(compile(code, f"{page}.md", "exec"), names)
    return names


def shown(value: float, number: str) -> str:
    return f"{value:.{len(number.partition('.')[2])}f}"


def score_texts(sides: list[list[str]], metric: str) -> float:
    return tallystick.score(*sides, [metric]).scores[0].value


@pytest.mark.parametrize(("theirs", "ours", "number"), list_rows("scikit-learn"))
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


@pytest.mark.parametrize(("theirs", "ours", "number"), list_rows("rouge-score"))
def test_rouge_score_gives_the_number_that_is_shown(theirs, ours, number):
    expected = eval(theirs, run_blocks("rouge-score"))
    rows = [json.loads(line) for line in Path("summaries/news.jsonl").read_text().splitlines()]
    texts = [[row[side] for row in rows] for side in ("reference", "hypothesis")]
    assert expected == pytest.approx(score_texts(texts, ours), abs=1e-12)
    assert number == shown(expected, number)


@pytest.mark.parametrize(("theirs", "ours", "number"), list_rows("sacrebleu"))
def test_sacrebleu_gives_the_number_that_is_shown(theirs, ours, number):
    printed = run_sacrebleu(theirs.removeprefix("sacrebleu "))
    sides = [Path(name).read_text().splitlines() for name in ("ref.txt", "system.txt")]
    assert number == printed.strip()
    assert number == shown(score_texts(sides, ours), number)


@pytest.mark.parametrize(("theirs", "ours", "number"), list_rows("evaluate"))
def test_what_evaluate_gives_is_what_we_give(theirs, ours, number):
    names = ("verdicts/gold.txt", "verdicts/model.txt")
    if "references=gold" not in theirs:
        names = ("ref.txt", "system.txt")
    sides = [Path(name).read_text().splitlines() for name in names]
    assert number == shown(score_texts(sides, ours), number)


@pytest.mark.parametrize(("theirs", "ours", "number"), list_rows("trec-eval"))
def test_what_ir_measures_gives_is_what_we_give(theirs, ours, number, capsys):
    for name, text in _CAT.findall(read("trec-eval")):
        Path(name).write_text(text, encoding="utf-8")
    assert 0 == main(["score", "qrels.txt", "bm25.txt", "-m", ours, "--format", "json"])
    (record,) = json.loads(capsys.readouterr().out)["scores"]
    assert ours in theirs
    assert number == shown(record["value"], number)


def test_a_log_of_the_harness_has_its_number(capsys):
    page = (PAGES.parent / "logs.md").read_text(encoding="utf-8")
    (log,) = re.findall(r"^```json\n((?:.*\n)*?)```$", page, re.MULTILINE)
    Path("samples.jsonl").write_text(log, encoding="utf-8")
    ((_, ours, number),) = _ROW.findall(page)
    assert 0 == main(["score", "samples.jsonl", "-m", ours, "--format", "json"])
    (record,) = json.loads(capsys.readouterr().out)["scores"]
    assert number == shown(record["value"], number)


@pytest.mark.parametrize(
    "page", ["scikit-learn", "rouge-score", "sacrebleu", "evaluate", "trec-eval"]
)
def test_the_tables_are_found(page):
    assert len(list_rows(page)) >= 4
