"""The scores that comparisons, rankings and gates show, and what they tell of the data."""

from functools import partial

import numpy as np
import pytest

import tallystick
from cases import cases
from tallystick import Intervals, Testing, UsageError
from tallystick.metrics import BLEU, ROCAUC, Accuracy, ChrF

SIZE = 160
RNG = np.random.default_rng(6)
GROUPS = ["en", "es"] * (SIZE // 2)
CLUSTERS = [row // 5 for row in range(SIZE)]
WEIGHTS = RNG.integers(0, 4, SIZE) / 2


def draw_labels():
    gold = RNG.choice(list("xyz"), SIZE)
    return {"gold": gold} | {
        name: np.where(RNG.random(SIZE) < share, gold, RNG.choice(list("xyz"), SIZE))
        for name, share in [("new", 0.8), ("old", 0.7)]
    }


def draw_texts():
    lines = RNG.choice(list("abcdefgh"), (SIZE, 6))
    return {
        name: [" ".join(line) for line in np.where(RNG.random((SIZE, 6)) < share, "x", lines)]
        for name, share in [("gold", 0.0), ("new", 0.1), ("old", 0.2)]
    }


def draw_scores():
    gold = RNG.integers(0, 2, SIZE)
    return {"gold": gold} | {
        name: share * gold + (1 - share) * RNG.random(SIZE)
        for name, share in [("new", 0.3), ("old", 0.2)]
    }


def draw_sets():
    bits = RNG.random((3, SIZE, 4)) < 0.5
    bits[1:, : SIZE // 2] = bits[0, : SIZE // 2]
    return {
        name: [[label for label, bit in zip("wxyz", row, strict=True) if bit] for row in side]
        for name, side in zip(("gold", "new", "old"), bits, strict=True)
    }


LABELS, TEXTS, SCORES, SETS = draw_labels(), draw_texts(), draw_scores(), draw_sets()
CASES = {
    "labels": (LABELS, ["accuracy", "macro_f1", "mcc"], {}),
    "labels with weights": (LABELS, ["accuracy", "macro_f1"], {"weights": WEIGHTS}),
    "labels with weights by group": (LABELS, ["macro_f1"], {"weights": WEIGHTS, "by": GROUPS}),
    "labels and characters": (LABELS, ["accuracy", "cer"], {"by": GROUPS}),
    "sets": (SETS, ["macro_f1", "hamming_loss"], {"clusters": CLUSTERS}),
    "texts by group": (TEXTS, ["bleu", "wer"], {"by": GROUPS}),
    "texts in clusters": (TEXTS, ["chrf"], {"clusters": CLUSTERS}),
    "areas": (SCORES, ["roc_auc", "f1"], {}),
    "areas with weights": (SCORES, ["roc_auc", "average_precision"], {"weights": WEIGHTS}),
}
EVERY_CASE = cases("name", *CASES)


def split(columns):
    return columns["gold"], {name: columns[name] for name in ("new", "old")}


def score(name, settings):
    columns, metrics, options = CASES[name]
    scored = tallystick.score(*split(columns), metrics, intervals=settings, **options)
    return {
        (one.system, one.group, one.metric): (one.value, one.low, one.high) for one in scored.scores
    }


@pytest.mark.deep
@EVERY_CASE
def test_rankings_and_comparisons_show_the_scores_of_score(name):
    columns, metrics, options = CASES[name]
    options = {**options, "testing": Testing(resamples=200)}
    expected = score(name, Intervals(resamples=200))
    found = {
        (one.system, one.group, one.metric): (one.value, one.low, one.high)
        for one in tallystick.rank(*split(columns), metrics, **options).places
    }
    assert repr(expected) == repr({key: found[key] for key in expected})
    compared = {
        (system, one.group, one.metric): value
        for one in tallystick.compare(*split(columns), metrics, **options).differences
        for system, value in ((one.a, one.value_a), (one.b, one.value_b))
    }
    assert {key: value for key, (value, *_) in expected.items()} == pytest.approx(
        compared, rel=1e-12, nan_ok=True
    )


@EVERY_CASE
def test_gates_show_the_scores_of_score(name):
    columns, metrics, options = CASES[name]
    gold, systems = split(columns)
    gate = tallystick.gate(
        gold,
        systems["new"],
        systems["old"],
        metrics,
        floor=0.5,
        testing=Testing(resamples=200),
        **options,
    )
    expected = {
        (group, metric): numbers
        for (system, group, metric), numbers in score(name, Intervals(0.9, 200)).items()
        if system == "new"
    }
    assert repr(expected) == repr(
        {(one.group, one.metric): (one.value, one.low, one.high) for one in gate.checks}
    )


def test_metrics_are_ranked_by_as_objects():
    def halve(text):
        return text.split()[::2]

    metrics = [BLEU(tokenizer=halve), ChrF(beta=1)]
    testing = Testing(resamples=200)
    ranking = tallystick.rank(*split(TEXTS), metrics, testing=testing, overall="mean")
    scored = tallystick.score(*split(TEXTS), metrics, intervals=False)
    means = {
        name: np.mean([one.value for one in scored.scores if one.system == name])
        for name in ("new", "old")
    }
    assert [repr(metric) for metric in metrics] == [
        metric for _, _, metric in ranking.standings[0].criteria
    ]
    assert means == pytest.approx({one.system: one.mean for one in ranking.standings})
    assert [1, 2] == [one.rank for one in ranking.standings]


@cases("command", tallystick.score, tallystick.compare, tallystick.rank)
def test_metrics_that_print_alike_are_rejected(command):
    metrics = [BLEU(tokenizer=lambda text: text.split()), BLEU(tokenizer=lambda text: [text])]
    with pytest.raises(UsageError, match="two metrics are both called BLEU"):
        command(*split(TEXTS), metrics)


@cases("metric", Accuracy(), "macro_f1", "mcc")
@cases("test", "ar", "bootstrap")
def test_equal_weights_are_no_weights(metric, test):
    testing = Testing(test, 400)
    plain, weighted = (
        tallystick.compare(*split(LABELS), metric, weights=weights, testing=testing)
        for weights in (None, np.full(SIZE, 2.0))
    )
    (one,), (other,) = plain.differences, weighted.differences
    assert (one.value_a, one.difference, one.p) == pytest.approx(
        (other.value_a, other.difference, other.p)
    )
    if metric != Accuracy():  # whose interval has a formula without weights only
        assert (one.low, one.high) == pytest.approx((other.low, other.high))


def test_areas_with_weights_have_a_t_test():
    options = {"weights": WEIGHTS, "testing": Testing(resamples=200)}
    compared = tallystick.compare(*split(SCORES), ROCAUC(), **options)
    ranking = tallystick.rank(*split(SCORES), ROCAUC(), **options)
    assert "t" == compared.differences[0].test
    assert any("Student's t-test" in note for note in ranking.notes)


def test_weights_move_the_winner():
    gold = ["x", "y"] * 50
    first = [label if row % 10 else "z" for row, label in enumerate(gold)]
    second = [label if row % 4 == 0 else "z" for row, label in enumerate(gold)]
    weights = [float(row % 4 == 0) for row in range(100)]
    systems = {"first": first, "second": second}
    assert ["first", "second"] == [
        tallystick.rank(gold, systems, "accuracy", weights=own, testing=Testing(resamples=200))
        .places[0]
        .system
        for own in (None, weights)
    ]


COMMANDS = ("compare", "rank", "gate")
GOLD = ["cat", "dog", "cat", "dog", "bird"] * 12
GOOD = ["cat", "dog", "cat", "cat", "bird"] * 12


def tell(command, gold, systems, **options):
    testing = Testing(resamples=200)
    if command == "gate":
        (new, old), limits = systems.values(), {"max_drop": 0.1, "floor": 0.1}
        return tallystick.gate(gold, new, old, testing=testing, **options, **limits).notes
    run = tallystick.rank if command == "rank" else tallystick.compare
    return run(gold, systems, testing=testing, **options).notes


def rename(notes, command):
    if command != "gate":
        return notes
    return [note.replace("good", "new").replace("bad", "old") for note in notes]


LATE = ["Cat" if label == "cat" else label for label in GOOD]
STRANGE = ["fish"] * len(GOLD)
NEVER = ["dog" if label == "cat" else "cat" for label in GOLD]
DATA = {
    "labels in two cases": (GOLD, GOOD, LATE, {"metrics": "accuracy"}),
    "no label of the gold": (GOLD, GOOD, STRANGE, {"metrics": "accuracy"}),
    "never right": (GOLD, GOOD, NEVER, {"metrics": ["accuracy", "macro_f1"]}),
    "a guessed task": ([0, 1, 1] * 20, [0, 1, 0] * 20, [1, 1, 1] * 20, {"metrics": "f1"}),
    "probabilities": ([0, 1, 1] * 20, [0.1, 0.9, 0.4] * 20, [0.8] * 60, {"metrics": "f1"}),
    "one line in every text": (
        ["a b c"] * 20,
        ["a b"] * 20,
        ["b c"] * 20,
        {"metrics": "rougeLsum"},
    ),
    "empty averages": (GOLD, GOOD, GOOD, {"metrics": "F1('macro', zero_division=0)"}),
}


@cases("command", *COMMANDS)
@cases("name", *DATA)
def test_notes_on_the_data_are_those_of_score(name, command):
    gold, good, bad, options = DATA[name]
    systems = {"good": good, "bad": bad}
    expected = rename(tallystick.score(gold, systems, intervals=False, **options).notes, command)
    assert set(expected) <= set(tell(command, gold, systems, **options))


@cases("command", *COMMANDS)
@cases(
    "name note",
    ("labels in two cases", "the labels 'Cat' and 'cat' differ only in case or spaces"),
    ("no label of the gold", " of bad is 0: it has no example right; it predicts 'fish', and"),
    ("never right", " of bad are 0: it has no example right."),
    ("a guessed task", "read as a binary task with the positive label '1'."),
    ("one line in every text", "rougeLsum takes every line as a sentence"),
)
def test_notes_say_what_is_odd(name, note, command):
    gold, good, bad, options = DATA[name]
    message = tell(command, gold, {"good": good, "bad": bad}, **options)
    (expected,) = rename([note], command)
    assert any(expected in one for one in message)


@cases("command", *COMMANDS)
def test_no_note_is_told_twice(command):
    by = ["en", "es"] * 30
    message = tell(
        command, GOLD, {"good": GOOD, "bad": LATE}, metrics=["accuracy", "macro_f1"], by=by
    )
    assert len(set(message)) == len(message)


@cases("gold", GOLD, [0, 1, 1] * 20, [["a"], ["a", "b"], ["b"]] * 20)
@cases("command", *COMMANDS)
def test_usual_metrics_are_those_that_can_be_compared(command, gold):
    assert tell(command, gold, {"good": gold, "bad": gold[1:] + gold[:1]})


def test_usual_metrics_are_those_of_every_system():
    gold = np.array([0, 1, 1, 0] * 10)
    systems = {"sure": 0.1 + 0.7 * gold, "labels": gold}
    names = {one.name for one in tallystick.compare(gold, systems).differences}
    assert {"f1", "precision", "recall", "accuracy"} == names


@cases("command", *COMMANDS)
def test_named_metrics_stay(command):
    for systems in ({"good": GOOD, "bad": LATE}, {"good": GOOD}):
        if len(systems) == 2 or command == "rank":
            with pytest.raises(UsageError, match="has a value per label"):
                tell(command, GOLD, systems, metrics="F1(None)")


@cases("resamples message", (419, True), (420, False))
def test_resamples_that_are_too_few_are_told_exactly(resamples, message):
    systems = dict.fromkeys("abcdefg", GOLD)
    testing = Testing("bootstrap", resamples)
    compared = tallystick.compare(GOLD, systems, "accuracy", testing=testing, all_pairs=True)
    assert message == any("no difference can be significant" in note for note in compared.notes)


@cases("size message", (4, 1), (5, 0))
@cases("ask", tallystick.compare, tallystick.rank, partial(tallystick.gate, max_drop=0.9))
def test_a_label_of_few_examples_is_told_of_averages_that_are_just_significant(ask, size, message):
    gold = np.repeat([0, 1, 2], [50, 50 - size, size])
    worse = np.where(np.arange(100) % 11 == 3, (gold + 1) % 2, gold)
    systems = (gold, worse) if isinstance(ask, partial) else ({"a": gold, "b": worse},)
    found = ask(gold, *systems, metrics=["macro_f1", "accuracy"])
    notes = [str(note) for note in found.notes if "fewer than 5 examples" in note]
    notes = [note for note in notes if "difference" in note or "bounds" in note]
    assert message == len(notes)
    assert all("macro_f1" in note and "accuracy" not in note for note in notes)
