"""The submissions of WMT23 as a shared task of three tracks: a large one, with known scores."""

import csv
import json
import shutil
from pathlib import Path

import pytest

from tallystick.cli import main

TRACKS = {"en-de": "bleu", "en-zh": "BLEU(tokenizer='zh')", "he-en": "bleu"}


@pytest.fixture
def task(shared: Path, tmp_path: Path) -> Path:
    data = shared / "data" / "wmt23"
    lines = ["tracks:"]
    for track, bleu in TRACKS.items():
        gold = data / "references" / f"generaltest2023.{track}.ref.refA.{track[3:]}"
        lines.append(f'  {track}: {{gold: "{gold}", task: text, metrics: [chrf, "{bleu}"]}}')
    (tmp_path / "task.yaml").write_text("\n".join(lines) + "\n")
    for path in (data / "systems").iterdir():
        _, track, _, team, _ = path.name.split(".")
        (tmp_path / "entries" / team).mkdir(parents=True, exist_ok=True)
        shutil.copy(path, tmp_path / "entries" / team / f"{track}.txt")
    return tmp_path


@pytest.mark.deep
def test_all_teams_have_their_official_scores(shared, task, capsys):
    code = main(["task", "score", f"{task}/entries", f"--task={task}/task.yaml", "--format=json"])
    scores = json.loads(capsys.readouterr().out)["scores"]
    found = {(one["track"], one["system"], one["name"]): one["value"] for one in scores}

    with open(shared / "data" / "wmt23" / "official-scores.tsv", newline="") as file:
        official = {
            (row["pair"], row["system"], row["metric"].removesuffix("-refA")): float(row["score"])
            for row in csv.DictReader(file, delimiter="\t")
            if row["metric"] in ("bleu-refA", "chrf-refA")
        }
    expected = {key: official[key] for key in found}
    assert (0, 2 * len([*(task / "entries").rglob("*.txt")])) == (code, len(found))
    assert expected == pytest.approx(found, abs=1e-9)
