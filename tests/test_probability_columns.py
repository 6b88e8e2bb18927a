"""A column for each label's probability is read by its name, with scikit-learn's scores."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    brier_score_loss,
    f1_score,
    log_loss,
    roc_auc_score,
)

from tallystick.cli import main

LABELS = ("anger", "joy", "sadness")


def make(seed: int, examples: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Gold labels that all occur, and probabilities rounded to three digits that add up to 1."""
    rng = np.random.default_rng(seed)
    gold = np.concatenate([np.arange(3), rng.integers(0, 3, examples - 3)])
    parts = rng.dirichlet(np.ones(3) + 2 * (np.arange(3) == 1), examples) * 998 // 1 + 1
    parts[:, 0] = 1000 - parts[:, 1:].sum(1)
    return gold, parts / 1000


def write(
    path: Path, prefix: str, gold: np.ndarray | None, found: np.ndarray, extra: str = ""
) -> str:
    """Write a table, with the gold where there is one; return its path."""
    head = ["id", *(["gold"] if gold is not None else []), *(prefix + name for name in LABELS)]
    lines = [",".join(head) + (f",{extra}" if extra else "")]
    for row, shares in enumerate(found):
        label = [LABELS[gold[row]]] if gold is not None else []
        lines.append(
            ",".join([str(row), *label, *map(str, shares.tolist())]) + (",0.3" if extra else "")
        )
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def score(capsys: pytest.CaptureFixture[str], *call: str) -> dict[str, float]:
    """The scores over all labels, by name."""
    assert 0 == main(["score", *call, "--format", "json", "--no-intervals"])
    scores = json.loads(capsys.readouterr().out)["scores"]
    return {one["name"]: one["value"] for one in scores if one["label"] is None}


@pytest.mark.parametrize("seed", range(20))
def test_scores_are_those_of_scikit_learn(tmp_path, capsys, seed):
    """Without an option."""
    gold, found = make(seed)
    values = score(capsys, write(tmp_path / "all.csv", "p_", gold, found))
    guessed = found.argmax(1)
    expected = {
        "accuracy": accuracy_score(gold, guessed),
        "macro_f1": f1_score(gold, guessed, average="macro"),
        "log_loss": log_loss(gold, found),
        "brier_score": brier_score_loss(gold, found, scale_by_half=False),
        "roc_auc": roc_auc_score(gold, found, multi_class="ovr"),
    }

    assert pytest.approx(expected) == {name: values[name] for name in expected}


@pytest.mark.parametrize(
    ("metric", "make_expected"),
    [
        ("average_precision", lambda g, p: average_precision_score(np.eye(3)[g], p)),
        ("ROCAUC(multi_class='ovo')", lambda g, p: roc_auc_score(g, p, multi_class="ovo")),
        (
            "ROCAUC(weighting='weighted')",
            lambda g, p: roc_auc_score(g, p, multi_class="ovr", average="weighted"),
        ),
    ],
)
def test_areas_are_those_of_scikit_learn(tmp_path, capsys, metric, make_expected):
    """One against the rest, and one against one."""
    gold, found = make(7)
    (value,) = score(capsys, write(tmp_path / "all.csv", "p_", gold, found), "-m", metric).values()

    assert pytest.approx(make_expected(gold, found)) == value


@pytest.mark.parametrize("prefix", ["y_prob_", "prob_", "probability_", "proba_", "p_"])
def test_columns_are_found_by_their_names(tmp_path, capsys, prefix):
    """In one table, and in a table of their own."""
    gold, found = make(1)
    whole = score(capsys, write(tmp_path / "all.csv", prefix, gold, found))
    right = tmp_path / "gold.csv"
    right.write_text("id,gold\n" + "".join(f"{n},{LABELS[g]}\n" for n, g in enumerate(gold)))
    own = score(capsys, str(right), write(tmp_path / "own.csv", prefix, None, found))

    assert whole == own
    assert "log_loss" in whole


def test_other_columns_that_begin_alike_are_none(tmp_path, capsys):
    """Numbers that do not add up to 1 in a row are no probabilities of labels."""
    path = tmp_path / "all.csv"
    path.write_text("id,gold,y_pred,p_value,p_rank\n1,a,a,0.04,3\n2,b,a,0.2,1\n")

    assert "log_loss" not in score(capsys, str(path))
