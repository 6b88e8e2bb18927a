"""The three tracks of a shared task, scored from files in the form of its submissions."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sk

from tallystick.cli import main

SCORERS: dict[str, Callable[..., float]] = {
    "precision": sk.precision_score,
    "recall": sk.recall_score,
    "f1": sk.f1_score,
}
NOTE = (
    "note: 'N' never occurs in the gold: with zero_division=0 macro averages over the 6 labels "
    "cannot exceed 0.8333."
)

Run = Callable[..., dict[str, Any]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run_score(*arguments: object) -> dict[str, Any]:
        code = main(["score", *map(str, arguments), "--format", "json"])
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return {record["name"]: record["value"] for record in json.loads(captured.out)["scores"]}

    return run_score


def write_submission(path: Path, track: int, labels: list[str], step: int = 1) -> Path:
    rows = [f"{number}_Track{track},{label}" for number, label in enumerate(labels)]
    path.write_text("\n".join(["sub_id,label", *rows[::step], ""]))
    return path


def draw_labels(labels: list[str], size: int) -> tuple[list[str], list[str]]:
    draw = np.random.default_rng(5)
    gold = draw.choice(labels, size)
    predicted = np.where(draw.random(size) < 0.5, gold, draw.choice(labels, size))
    return gold.tolist(), predicted.tolist()


def test_first_track_equals_scikit_learn(run, tmp_path):
    gold, predicted = draw_labels(["P", "NP", "NR"], 60)
    files = [
        write_submission(tmp_path / "gold.csv", 1, gold),
        write_submission(tmp_path / "team.csv", 1, predicted, -1),
    ]
    expected = {
        f"macro_{name}": scorer(gold, predicted, average="macro")
        for name, scorer in SCORERS.items()
    }

    actual = run(*files, "-m", "macro_f1", "macro_precision", "macro_recall")

    assert expected == pytest.approx(actual, abs=1e-12, rel=0)


def write_columns(path: Path, names: str, matrix: np.ndarray, order: list[int]) -> Path:
    rows = [f"{row}_Track2," + ",".join(map(str, matrix[row].tolist())) for row in order]
    path.write_text("\n".join([f"sub_id,{','.join(names)}", *rows, ""]))
    return path


@pytest.fixture
def second_track(tmp_path: Path) -> tuple[list[Path], np.ndarray, np.ndarray]:
    draw = np.random.default_rng(7)
    gold = (draw.random((50, 6)) < 0.4).astype(int)
    gold[:, 5] = 0
    predicted = np.where(draw.random(gold.shape) < 0.8, gold, 1 - gold)
    predicted[:, 5] = 0
    files = [
        write_columns(tmp_path / "gold.csv", "LGBTON", gold, list(range(50))),
        write_columns(tmp_path / "team.csv", "LGBTON", predicted, draw.permutation(50).tolist()),
    ]
    return files, gold, predicted


def test_second_track_equals_scikit_learn(run, second_track):
    files, gold, predicted = second_track
    expected = {
        "macro_f1": sk.f1_score(gold, predicted, average="macro", zero_division=0),
        "hamming_loss": sk.hamming_loss(gold, predicted),
        "exact_match_ratio": sk.accuracy_score(gold, predicted),
    }

    actual = run(*files, "-m", "macro_f1", "hamming_loss", "exact_match_ratio")

    assert expected == pytest.approx(actual, abs=1e-12, rel=0)


def test_second_track_caps_a_perfect_system(run, second_track):
    (gold, _), _, _ = second_track

    actual = run(gold, gold, "-m", "macro_f1")

    assert {"macro_f1": pytest.approx(5 / 6, abs=1e-12)} == actual


def test_second_track_is_whole_where_undefined_is_left_out(run, second_track):
    (gold, _), _, _ = second_track
    metric = "F1(average='macro', zero_division=nan)"

    actual = run(gold, gold, "-m", metric)

    assert {"macro_f1": 1.0} == actual


def test_second_track_tells_of_the_absent_label(capsys, second_track):
    main(["score", *map(str, second_track[0])])

    (note,) = [line for line in capsys.readouterr().err.split("\n") if "never occurs" in line]

    assert NOTE == note


def test_third_track_equals_scikit_learn(run, tmp_path):
    gold, predicted = draw_labels(["P", "NP"], 40)
    files = [
        write_submission(tmp_path / "gold.csv", 3, gold),
        write_submission(tmp_path / "team.csv", 3, predicted, -1),
    ]
    expected = {name: f(gold, predicted, pos_label="P") for name, f in SCORERS.items()}

    actual = run(*files, "--positive", "P", "-m", *SCORERS)

    assert expected == pytest.approx(actual, abs=1e-12, rel=0)
