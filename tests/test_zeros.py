"""Facts about scores of exactly 0: each comes with its reason, and the reason comes first."""

import json

import numpy as np
import pandas as pd
import pytest

import tallystick
from tallystick.cli import main
from tallystick.render.notes import Danger, Hint, Reason, count_shown, lead_with, sort_notes

NUMBERS = [1.0, 2.0, 1.0, 2.0]
TRIES = pd.DataFrame({"id": [1, 1, 2, 2], "correct": [0, 0, 0, 0]})
SPANS = [["B-PER", "O"], ["O", "B-LOC"]]
KINDS = {
    "labels": (["a", "b", "c"], ["b", "c", "a"], ["accuracy", "macro_f1", "balanced_accuracy"]),
    "positive": (["a", "b", "b"], ["b", "b", "b"], ["f1", "recall", "positive_rate", "mcc"]),
    "classes": (["a", "b", "b"], ["b", "b", "b"], ["recall(average=None)", "f1(average=None)"]),
    "sets": ([["a"], ["b"]], [["b"], ["a"]], ["exact_match_ratio", "micro_f1", "macro_f1"]),
    "probabilities": ([1, 0, 1, 0], [0.1, 0.9, 0.2, 0.8], ["roc_auc", "f1"]),
    "texts": (["a b c d"], ["w x y z"], ["bleu", "chrf", "rougeL", "rouge1_recall"]),
    "answers": (["a b c d"], ["w x y z"], ["exact_match", "squad_f1", "squad_exact_match"]),
    "equal texts": (["a b c d"], ["a b c d"], ["ter", "wer", "cer", "wil"]),
    "spans": (SPANS, SPANS[::-1], ["span_f1", "span_precision", "macro_span_recall"]),
    "tries": (TRIES, None, ["pass@1", "pass^2", "avg@2", "maj@2"]),
    "numbers": ([1.0, 1.0, 2.0, 2.0], NUMBERS, ["pearson", "spearman", "kendall_tau_b"]),
    "equal numbers": (NUMBERS, NUMBERS, ["mae", "rmse"]),
    "soft labels": ([{"a": 1.0, "b": 0.0}], [{"a": 0.0, "b": 1.0}], ["soft_f1"]),
}
"""Gold, outputs, and metrics that are 0 for them."""


def _score(kind):
    gold, outputs, metrics = KINDS[kind]
    task = tallystick.Task("binary", positive="a") if kind in ("positive", "classes") else None
    return tallystick.score(gold, outputs, metrics, task=task)


@pytest.mark.parametrize("kind", KINDS)
def test_every_score_of_0_comes_with_its_reason_first(kind):
    """Whatever is scored: the first notes name each metric that is exactly 0, and say why."""
    result = _score(kind)
    zeros = {one.name for one in result.scores if one.value == 0}
    reasons = [note for note in result.notes if isinstance(note, Reason)]

    assert zeros
    assert reasons == list(result.notes[: len(reasons)])
    assert zeros == {name for note in reasons for name in note.split(" of ")[0].split(", ")}


@pytest.mark.parametrize(
    ("outputs", "options", "reason"),
    [
        (["", ""], "", "all its outputs are empty"),
        (["x y z w", "u v"], "", "no word of its outputs is in their references"),
        (["a b", "the"], "", "no output has 3 words, so there are no 3-grams"),
        (["a x c y e", "the"], "smoothing='none'", "no 2-gram of its outputs is in"),
        (["a b x d e", "the"], "smoothing='none'", "no 3-gram of its outputs is in"),
    ],
)
def test_a_bleu_of_0_names_the_order_that_makes_it_so(outputs, options, reason):
    """Texts that share no n-gram of some order, or are too short for one, have a BLEU of 0."""
    result = tallystick.score(["a b c d e", "the end"], outputs, f"BLEU({options})")

    assert 0 == result["bleu"]
    assert result.notes[0].startswith(f"bleu of predictions is 0: {reason}")


def test_groups_with_a_score_of_0_are_named():
    """Where all examples together have another score."""
    gold, outputs = ["a", "b", "c", "a"], ["b", "c", "c", "a"]
    result = tallystick.score(gold, outputs, "accuracy", by=["x", "x", "y", "y"])

    assert (
        "accuracy of predictions is 0 for 'x': it has no example right; it predicts 'b', 'c'"
    ).startswith(result.notes[0].removesuffix("."))


def test_systems_with_one_reason_share_a_sentence():
    """A long table of failures says so once."""
    outputs = {name: ["w x y z"] for name in "abc"}
    result = tallystick.score(["a b c d"], outputs, ["bleu", "BLEU(order=2)"])

    assert (
        "BLEU(), BLEU(order=2) of a, b, c are 0: no word of its outputs is in their references."
    ) == result.notes[0]


@pytest.mark.parametrize(
    "call",
    [
        "score gold.csv upper.csv -m accuracy",
        "rank gold.csv good.csv upper.csv -m accuracy macro_f1",
        "compare gold.csv good.csv upper.csv -m accuracy",
        "gate gold.csv upper.csv --against good.csv -m accuracy --max-drop 0.1",
    ],
)
def test_labels_in_another_case_are_told_first(call, tmp_path, monkeypatch, capsys):
    """On standard error and in JSON, by every command that scores."""
    monkeypatch.chdir(tmp_path)
    for name, labels in (("gold", "abc"), ("good", "abc"), ("upper", "ABC")):
        rows = "".join(f"{at},{label * 2}\n" for at, label in enumerate(labels * 4))
        (tmp_path / f"{name}.csv").write_text(f"id,label\n{rows}", encoding="utf-8")
    main([*call.split(), "--format", "json"])
    out, err = capsys.readouterr()

    for first in (err.splitlines()[0].removeprefix("note: "), json.loads(out)["notes"][0]):
        assert " of upper " in first
        assert "differ from the labels of the gold in case" in first


def test_no_reason_is_behind_verbose(tmp_path, monkeypatch, capsys):
    """However many there are, all of them are told."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("gold", "a b c d"), ("a", "w"), ("b", "a"), ("c", "a b"), ("d", "a x b c")):
        (tmp_path / f"{name}.txt").write_text(f"{text}\n", encoding="utf-8")
    main(["score", *(f"{name}.txt" for name in ("gold", *"abcd")), "-m", "BLEU(smoothing='none')"])
    told = [line for line in capsys.readouterr().err.splitlines() if line.startswith("note: bleu")]

    assert ["a", "b", "c", "d"] == [line.split()[3] for line in told]


def test_notes_are_sorted_by_how_much_they_matter():
    """Reasons, dangers, facts, hints; each once, and in their order."""
    notes = [Hint("h"), "f", Danger("d"), Reason("r"), "f", Danger("e"), Reason("s")]

    assert ("r", "s", "d", "e", "f", "h") == sort_notes(notes)
    assert [2, 3, 6] == [count_shown(sort_notes(notes), most) for most in (1, 3, None)]
    assert isinstance(lead_with("track", Reason("r")), Reason)


def test_a_label_that_is_never_right_is_named_for_each_class():
    """Labels where a metric is undefined are not."""
    result = tallystick.score(list(np.repeat(["a", "b"], 4)), ["a"] * 8, "recall(average=None)")

    assert "recall of predictions is 0 for 'b': it predicts none of these right." == result.notes[0]
