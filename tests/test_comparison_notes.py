"""What comparisons, rankings and gates tell of the data, and of how they compared."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import tallystick
from tallystick import Testing, UsageError

COMMANDS = ("compare", "rank", "gate")
GOLD = ["cat", "dog", "cat", "dog", "bird"] * 12
GOOD = ["cat", "dog", "cat", "cat", "bird"] * 12
Notes = Sequence[str]


def tell(command: str, gold: object, systems: Mapping[str, object], **options: Any) -> Notes:
    testing = Testing(resamples=200)
    if command == "gate":
        (new, old), limits = systems.values(), {"max_drop": 0.1, "floor": 0.1}
        return tallystick.gate(gold, new, old, testing=testing, **options, **limits).notes
    run = tallystick.rank if command == "rank" else tallystick.compare
    return run(gold, systems, testing=testing, **options).notes


def rename(notes: Notes, command: str) -> Notes:
    if command != "gate":
        return notes
    return [note.replace("good", "new").replace("bad", "old") for note in notes]


LATE = ["Cat" if label == "cat" else label for label in GOOD]
STRANGE = ["fish"] * len(GOLD)
NEVER = ["dog" if label == "cat" else "cat" for label in GOLD]
DATA: dict[str, tuple[object, object, object, dict[str, Any]]] = {
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


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", DATA)
def test_notes_on_the_data_are_those_of_score(name, command):
    gold, good, bad, options = DATA[name]
    systems = {"good": good, "bad": bad}
    scored = tallystick.score(gold, systems, intervals=False, **options)
    expected = rename(scored.notes, command)

    assert set(expected) <= set(tell(command, gold, systems, **options))


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("labels in two cases", "the labels 'Cat' and 'cat' differ only in case or spaces"),
        ("no label of the gold", " of bad is 0: it has no example right; it predicts 'fish', and"),
        ("never right", " of bad are 0: it has no example right."),
        ("a guessed task", "read as a binary task with the positive label '1'."),
        ("one line in every text", "rougeLsum takes every line as a sentence"),
    ],
)
def test_notes_say_what_is_odd(name, note, command):
    gold, good, bad, options = DATA[name]
    told = tell(command, gold, {"good": good, "bad": bad}, **options)
    (expected,) = rename([note], command)

    assert any(expected in one for one in told)


@pytest.mark.parametrize("command", COMMANDS)
def test_no_note_is_told_twice(command):
    by = ["en", "es"] * 30
    systems = {"good": GOOD, "bad": LATE}
    told = tell(command, GOLD, systems, metrics=["accuracy", "macro_f1"], by=by)

    assert len(set(told)) == len(told)


@pytest.mark.parametrize("gold", [GOLD, [0, 1, 1] * 20, [["a"], ["a", "b"], ["b"]] * 20])
@pytest.mark.parametrize("command", COMMANDS)
def test_usual_metrics_are_those_that_can_be_compared(command, gold):
    other = gold[1:] + gold[:1]

    assert tell(command, gold, {"good": gold, "bad": other})


def test_usual_metrics_are_those_of_every_system():
    gold = np.array([0, 1, 1, 0] * 10)
    systems = {"sure": 0.1 + 0.7 * gold, "labels": gold}
    names = {one.name for one in tallystick.compare(gold, systems).differences}

    assert {"f1", "precision", "recall", "accuracy"} == names


@pytest.mark.parametrize("command", COMMANDS)
def test_named_metrics_stay(command):
    with pytest.raises(UsageError, match="has a value per label"):
        tell(command, GOLD, {"good": GOOD, "bad": LATE}, metrics="F1(None)")


def test_a_single_ranked_system_may_have_no_value_per_label_either():
    with pytest.raises(UsageError, match="has a value per label"):
        tallystick.rank(GOLD, {"good": GOOD}, "F1(None)")


@pytest.mark.parametrize(("resamples", "told"), [(419, True), (420, False)])
def test_resamples_that_are_too_few_are_told_exactly(resamples, told):
    systems = dict.fromkeys("abcdefg", GOLD)
    testing = Testing("bootstrap", resamples)
    compared = tallystick.compare(GOLD, systems, "accuracy", testing=testing, all_pairs=True)

    assert told == any("no difference can be significant" in note for note in compared.notes)


@pytest.mark.parametrize(("rare", "told"), [(4, 1), (5, 0)])
@pytest.mark.parametrize("ask", [tallystick.compare, tallystick.rank])
def test_a_label_of_few_examples_is_told_where_an_average_is_just_significant(ask, rare, told):
    gold = np.array([0] * 50 + [1] * (50 - rare) + [2] * rare)
    worse = np.where(np.arange(100) % 11 == 3, (gold + 1) % 2, gold)
    found = ask(gold, {"a": gold, "b": worse}, metrics=["macro_f1", "accuracy"])
    notes = [str(note) for note in found.notes if "averaged labels" in note]

    assert told == len(notes)
    assert all("difference in macro_f1 of " in note and "4 examples" in note for note in notes)
