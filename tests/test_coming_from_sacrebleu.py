"""Facts about coming from sacreBLEU: its command and ours next to it give the same numbers."""

import json
import random
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import sacrebleu

from peer_commands import run_sacrebleu
from tallystick.cli import main

PAGE = Path(__file__).parents[1] / "docs" / "coming-from" / "sacrebleu.md"
ROWS = re.findall(r"^\| `sacrebleu (.+?)` \| `tallystick (.+?)` \|$", PAGE.read_text("utf-8"), re.M)
WORDS = ["the", "cat", "sat", "on", "a", "mat", ",", "中文", "字", "。", "don't", "3.5"]
ENDS = ("a b \r\nc d\t\nx  y\n e\rf\u3000\n", "a b\nc d \nx y\n e f\n")
"""A system and its references with white space at the ends of lines."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
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


def run(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert 0 == main(shlex.split(command))
    return capsys.readouterr().out


def list_numbers(record: dict[str, Any]) -> list[float]:
    names = ("value",) if "value" in record else ("value_b", "value_a", "p")
    return [record[name] for name in names]


def run_theirs(command: str) -> list[float]:
    if "-sl" in command:
        return list(map(float, run_sacrebleu(f"{command} -b -w 9").split()))
    printed = json.loads(run_sacrebleu(f"{command} -w 9"))
    if isinstance(printed, dict):
        return [printed["score"]]
    one, other = (record["BLEU"] for record in printed)
    return [one["score"], other["score"], other["p_value"]]


@pytest.mark.parametrize(("theirs", "ours"), ROWS)
def test_commands_beside_each_other_give_the_same_numbers(theirs, ours, folder, capsys):
    expected = run_theirs(theirs)
    records = json.loads(run(f"{ours} --format json", capsys))
    records = records["differences" if "differences" in records else "scores"]
    assert expected == pytest.approx([n for record in records for n in list_numbers(record)])


def test_the_page_has_its_table():
    assert 7 == len(ROWS)


def test_white_space_at_the_end_of_a_line_counts(folder, capsys):
    for name, content in zip(("hyp", "ref"), ENDS, strict=True):
        (folder / name).write_bytes(content.encode())
    lines = [content.replace("\r\n", "\n").split("\n")[:-1] for content in ENDS]
    counted = sacrebleu.CHRF(whitespace=True).corpus_score(lines[0], [lines[1]]).score
    result = json.loads(run('score ref hyp -m "ChrF(whitespace=True)" --format json', capsys))
    (record,) = result["scores"]
    assert pytest.approx(counted, abs=1e-9) == record["value"]
