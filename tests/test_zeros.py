"""Facts about scores of exactly 0: where that is the worst value, the reason comes first."""

import json

import numpy as np
import pandas as pd
import pytest

import tallystick
from tallystick.cli import main
from tallystick.errors import Danger, Hint, Reason, count_shown, lead_with, sort_notes
from tallystick.kinds.labels.label_columns import Confusion


class Nothing(tallystick.Metric):  # noqa: D101
    short, title, better, bounds = "nothing", "Nothing", "higher", (0, 1)
    counters = (Confusion,)

    def score(self, tally):
        """Returns NaN for each group."""
        return np.full(len(tally.groups), np.nan)


NUMBERS = [1.0, 2.0, 1.0, 2.0]
TRIES = pd.DataFrame({"id": [1, 1, 2, 2], "correct": [0, 0, 0, 0]})
SPANS = [["B-PER", "O"], ["O", "B-LOC"]]
KINDS = {
    "labels": (["a", "b", "c"], ["b", "c", "a"], ["accuracy", "macro_f1", "balanced_accuracy"]),
    "positive": (["a", "b", "b"], ["b", "b", "b"], ["f1", "recall", "precision"]),
    "classes": (["a", "b"], ["b", "a"], ["recall(average=None)", "f1(average=None)"]),
    "sets": ([["a"], ["b"]], [["b"], ["a"]], ["exact_match_ratio", "micro_f1", "macro_f1"]),
    "probabilities": ([1, 0, 1, 0], [0.1, 0.9, 0.2, 0.8], ["roc_auc", "f1"]),
    "texts": (["a b c d"], ["w x y z"], ["bleu", "chrf", "rougeL", "rouge1_recall"]),
    "answers": (["a b c d"], ["w x y z"], ["exact_match", "squad_f1", "squad_exact_match"]),
    "spans": (SPANS, SPANS[::-1], ["span_f1", "span_precision", "macro_span_recall"]),
    "tries": (TRIES, None, ["pass@1", "pass^2", "avg@2", "maj@2"]),
    "soft labels": ([{"a": 1.0, "b": 0.0}], [{"a": 0.0, "b": 1.0}], ["soft_f1"]),
}
"""Gold, outputs, and metrics that are 0 for them, which is the worst value."""

NOT_WORST = {
    "the best": (["a b c d"], ["a b c d"], ["ter", "wer", "cer", "wil"]),
    "the best of numbers": (NUMBERS, NUMBERS, ["mae", "rmse"]),
    "the best of a rate": (list("abab"), list("abab"), ["fpr", "fnr"]),
    "no better or worse": (list("bbb"), list("bbb"), ["positive_rate"]),
    "amid its range": ([1.0, 1.0, 2.0, 2.0], NUMBERS, ["pearson", "spearman", "kendall_tau_b"]),
    "that of one label": (list("abb"), list("bbb"), ["recall(average=None)"]),
}
"""Gold, outputs, and metrics that are 0, or 0 somewhere, which needs no reason."""


@pytest.mark.parametrize("kind", KINDS)
def test_every_score_of_0_comes_with_its_reason_first(kind):
    gold, outputs, metrics = KINDS[kind]
    task = tallystick.Task("binary", positive="a") if kind in ("positive", "classes") else None
    result = tallystick.score(gold, outputs, metrics, task=task)
    zeros = {one.name for one in result.scores if one.value == 0}
    reasons = [note for note in result.notes if isinstance(note, Reason)]
    assert zeros
    assert reasons == list(result.notes[: len(reasons)])
    assert zeros == {name for note in reasons for name in note.split(" of ")[0].split(", ")}


def test_a_score_of_some_labels_is_not_0_because_nothing_is_right():
    metrics = ["accuracy", "l_score", "F1('macro', labels=['c'])", "Recall('micro', labels=['c'])"]
    result = tallystick.score(list("aabc"), list("aaba"), metrics)
    assert [
        "macro_f1, micro_recall of predictions are 0: it predicts no example of 'c' right.",
        "l_score of predictions is 0: a label is never predicted right.",
    ] == sorted((str(note) for note in result.notes if isinstance(note, Reason)), reverse=True)


def test_f1_is_0_where_the_gold_has_no_positive_example():
    result = tallystick.score(list("aaa"), list("aba"), "f1", task="binary", positive="b")
    assert "f1 of predictions is 0: no gold example has the positive label 'b'." == result.notes[0]


@pytest.mark.parametrize(("metric", "reason"), [
    ("roc_auc", "undefined, as always if a label that takes part does not occur in the"),
    ("average_precision", "undefined, as always if no gold example is positive."),
    ("mcc", "undefined, as always if gold or predictions hold one label only."),
])  # fmt: skip
def test_metrics_of_labels_say_why_they_are_undefined(metric, reason):
    result = tallystick.score([0, 0, 0], [0.1, 0.7, 0.2], metric, task="binary", positive=1)
    assert result[metric] != result[metric]
    assert any(reason in note for note in result.notes)


def test_a_metric_of_ones_own_without_a_docstring_may_be_undefined():
    result = tallystick.score(list("ab"), list("ab"), Nothing())
    assert result["nothing"] != result["nothing"]
    assert not any("nothing" in note for note in result.notes)


@pytest.mark.parametrize("case", NOT_WORST)
def test_a_score_of_0_that_is_not_the_worst_has_no_note(case):
    gold, outputs, metrics = NOT_WORST[case]
    task = tallystick.Task("binary", positive="a") if gold[-1] == "b" else None
    result = tallystick.score(gold, outputs, metrics, task=task)
    assert 0 in {one.value for one in result.scores}
    assert [] == [note for note in result.notes if isinstance(note, Reason)]


def test_metrics_that_are_0_for_one_reason_share_a_sentence():
    task = tallystick.Task("binary", positive="a")
    result = tallystick.score(list("abbb"), list("babb"), ["precision", "recall", "f1"], task=task)
    assert [
        "precision, recall, f1 of predictions are 0: it never correctly predicts the positive "
        "label 'a'."
    ] == [note for note in result.notes if isinstance(note, Reason)]


@pytest.mark.parametrize(("outputs", "options", "reason"), [
    (["", ""], "", "all its outputs are empty"),
    (["x y z w", "u v"], "", "no word of its outputs is in their references"),
    (["a b", "the"], "", "no output has 3 words, so there are no 3-grams"),
    (["a x c y e", "the"], "smoothing='none'", "no 2-gram of its outputs is in"),
    (["a b x d e", "the"], "smoothing='none'", "no 3-gram of its outputs is in"),
])  # fmt: skip
def test_a_bleu_of_0_names_the_order_that_makes_it_so(outputs, options, reason):
    result = tallystick.score(["a b c d e", "the end"], outputs, f"BLEU({options})")
    assert 0 == result["bleu"]
    assert result.notes[0].startswith(f"bleu of predictions is 0: {reason}")


@pytest.mark.parametrize(("outputs", "expected"), [("bcca", 0), ("bcab", 1)])
def test_groups_have_no_note_but_one_where_all_are_0(outputs, expected):
    result = tallystick.score(list("abca"), list(outputs), "accuracy", by=["x", "x", "y", "y"])
    assert expected == sum(isinstance(note, Reason) for note in result.notes)


def test_a_mean_over_groups_of_0_has_its_reason():
    gold, scores, groups = [1, 0, 1, 0], [0.7, 0.8, 0.1, 0.2], ["x", "x", "y", "y"]
    result = tallystick.score(gold, scores, "roc_auc", by=groups)
    reason = "every positive example has a lower probability than every negative one"
    assert f"roc_auc of predictions is 0: in every group {reason}." == result.notes[0]


def test_systems_with_one_reason_share_a_sentence():
    outputs = {name: ["w x y z"] for name in "abc"}
    assert (
        "BLEU(), BLEU(order=2) of a, b, c are 0: no word of its outputs is in their references."
    ) == tallystick.score(["a b c d"], outputs, ["bleu", "BLEU(order=2)"]).notes[0]


@pytest.mark.parametrize("call", [
    "score gold.csv upper.csv -m accuracy",
    "rank gold.csv good.csv upper.csv -m accuracy macro_f1",
    "compare gold.csv good.csv upper.csv -m accuracy",
    "gate gold.csv upper.csv --against good.csv -m accuracy --max-drop 0.1",
])  # fmt: skip
def test_labels_in_another_case_are_told_first(call, folder, capsys):
    for name, labels in (("gold", "abc"), ("good", "abc"), ("upper", "ABC")):
        rows = "".join(f"{at},{label * 2}\n" for at, label in enumerate(labels * 4))
        (folder / f"{name}.csv").write_text(f"id,label\n{rows}", encoding="utf-8")
    main([*call.split(), "--format", "json"])
    out, err = capsys.readouterr()

    for first in (err.splitlines()[0].removeprefix("note: "), json.loads(out)["notes"][0]):
        assert " of upper " in first
        assert "differ from the labels of the gold in case" in first


def test_no_reason_is_behind_verbose(folder, capsys):
    for name, text in (("gold", "a b c d"), ("a", "w"), ("b", "a"), ("c", "a b"), ("d", "a x b c")):
        (folder / f"{name}.txt").write_text(f"{text}\n", encoding="utf-8")
    main(["score", *(f"{name}.txt" for name in ("gold", *"abcd")), "-m", "BLEU(smoothing='none')"])
    message = [
        line for line in capsys.readouterr().err.splitlines() if line.startswith("note: bleu")
    ]
    assert ["a", "b", "c", "d"] == [line.split()[3] for line in message]


def test_notes_are_sorted_by_how_much_they_matter():
    notes = [Hint("h"), "f", Danger("d"), Reason("r"), "f", Danger("e"), Reason("s")]
    assert ("r", "s", "d", "e", "f", "h") == sort_notes(notes)
    assert [2, 3, 6] == [count_shown(sort_notes(notes), most) for most in (1, 3, None)]
    assert isinstance(lead_with("track", Reason("r")), Reason)
