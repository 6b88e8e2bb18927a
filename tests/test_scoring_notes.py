"""The notes on scores: what is noise, what was left out, and what counts as wrong."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tallystick
from tallystick import Columns, Task, score
from tallystick.cli import main
from tallystick.errors import Caution

BINARY = Task("binary", (0, 1), 1)


def test_few_examples_are_told():
    gold = np.array([1] * 9 + [0] * 41)
    result = tallystick.score(gold, gold ^ (np.arange(50) % 10 == 0), metrics="f1")
    score = result.scores[0]
    half = (score.high - score.low) / 2
    expected = f"small sample: differences in f1 below about {half:.2g} (9 examples of '1')"
    assert f"{expected} are within the noise." in result.notes


@pytest.mark.parametrize(
    ("metric", "outputs"), [("f1", [1, 0, 0, 1]), ("brier_score", [0.9, 0.2, 0.1, 0.7])]
)
@pytest.mark.parametrize("weights", [None, [3, 1, 2, 2], [0.2, 1, 0.5, 1]])
def test_examples_of_the_rarest_label_are_counted_whatever_they_weigh(metric, outputs, weights):
    result = tallystick.score([1, 0, 0, 0], outputs, metrics=metric, weights=weights, task=BINARY)
    assert "(1 example of '1')" in " ".join(result.notes)


def test_noise_of_what_is_undefined_is_not_told():
    task = tallystick.Task(kind="binary", labels=(0, 1))
    result = tallystick.score([1], [0.9], metrics="roc_auc", task=task)
    assert not [note for note in result.notes if "noise" in note]


def test_no_width_is_no_noise():
    result = tallystick.score(["a b"], ["a b"], metrics="rouge1")
    assert not [note for note in result.notes if "noise" in note]


@pytest.mark.parametrize(("predicted", "note"), [
    (["b", "a"], "accuracy of predictions is 0: it has no example right."),
    (["A", "B"],
     "accuracy of predictions is 0: it has no example right; it predicts 'A', 'B', which "
     "differ from the labels of the gold in case or spaces only (`fold_case=True`)."),
    (["x", "y"],
     "accuracy of predictions is 0: it has no example right; it predicts 'x', 'y', and "
     "none of these is a label of the gold."),
])  # fmt: skip
def test_a_system_without_an_example_right_explains_itself(predicted, note):
    assert note == tallystick.score(["a", "b"], predicted, metrics="accuracy").notes[0]


@pytest.mark.parametrize(("predicted", "note"), [
    ([0, 0, 0], "f1 of predictions is 0: it never predicts the positive label '1'."),
    ([1, 0, 0], "f1 of predictions is 0: it never correctly predicts the positive label '1'."),
])  # fmt: skip
def test_a_score_of_nothing_but_misses_explains_itself(predicted, note):
    result = tallystick.score([0, 1, 0], predicted, metrics="f1")
    assert [0] == [score.value for score in result.scores]
    assert note == result.notes[0]


def test_labels_that_nobody_uses_are_told():
    assert (
        "F1(average='macro', labels=('a', 'B')) names 'B', which occurs neither in the gold nor in "
        "the predictions."
    ) in tallystick.score(["a", "b"], ["a", "b"], metrics=["F1('macro', labels=('a', 'B'))"]).notes


def test_every_command_gives_the_notes_on_the_data():
    gold, systems = ["a", "B"] * 9, {"x": ["a", "b"] * 9, "y": ["a", "B"] * 9}
    testing = tallystick.Testing(resamples=100)
    scored = tallystick.score(gold, systems, "accuracy", intervals=False)
    compared = tallystick.compare(gold, systems, "accuracy", testing=testing)
    ranked = tallystick.rank(gold, systems, "accuracy", testing=testing)
    gated = tallystick.gate(gold, *systems.values(), "accuracy", max_drop=0.1, testing=testing)
    spelling = "the labels 'B' and 'b' differ only in case or spaces"

    assert 2 == len(scored.notes)
    for result in (scored, compared, ranked, gated):
        assert "read as a multiclass task with 3 labels." in result.notes
        assert 1 == sum(note.startswith(spelling) for note in result.notes)


def write_summaries(end):
    row = {"hypothesis": f"a b.{end}c d.", "reference": f"c d.{end}a b."}
    Path("news.jsonl").write_text(json.dumps(row))
    Path("one.txt").write_text("a b. c d.\n")


@pytest.mark.parametrize("more", [(), ("--segments",)])
@pytest.mark.parametrize("files", [("one.txt", "one.txt"), ("news.jsonl",)])
def test_one_sentence_a_text_is_noted(folder, capsys, files, more):
    write_summaries(" ")
    main(["score", *files, "-m", "rougeLsum", *more])
    noted = capsys.readouterr().err
    assert "no text has more than one line, so it is the same as rougeL; \"ROUGE('Lsum'" in noted
    assert 1 == noted.count("note: rougeLsum")


@pytest.mark.parametrize(
    ("end", "metric"),
    [("\n", "rougeLsum"), (" ", "rougeL"), (" ", "ROUGE('Lsum',sentences='regex')")],
)
def test_no_note_where_sentences_are_found(folder, capsys, end, metric):
    write_summaries(end)
    main(["score", "news.jsonl", "-m", metric])
    assert "same as rougeL" not in capsys.readouterr().err


def find_notes(notes, words="too narrow"):
    return [note for note in notes if words in note]


def test_a_loop_of_words_is_told():
    spoken = ["one two three four"] * 400
    heard = ["one two three"] * 200 + ["one two three four"] * 199 + ["one" + " two" * 200]
    found = tallystick.score(spoken, heard, "wer")
    (note,) = find_notes(found.notes)
    assert note.startswith("the interval of wer of predictions may be too narrow: 1 example makes ")
    message = json.loads(found.to_json())["cautions"]
    assert [{"code": "interval_too_narrow", "note": note}] == message


@pytest.mark.parametrize(("size", "message"), [(299, 1), (300, 0)])
def test_texts_too_few_to_show_a_runaway_are_told(size, message):
    rng = np.random.default_rng(1)
    spoken = [" ".join(words) for words in rng.choice(["a", "b", "c"], (size, 9))]
    found = tallystick.score(spoken, spoken[::-1], "wer").notes
    assert message == len(find_notes(found, "no runaway output"))


def test_labels_with_few_examples_are_told():
    gold = [*"aaaaaaaabbbbbbbbbc"] * 2
    outputs = [*"aaaaaaaabbbbbbbbbcaaaaaaaabbbbbbbbbb"]
    (note,) = find_notes(tallystick.score(gold, outputs, "macro_f1").notes)
    assert "may be too narrow: it depends on a label with fewer than 5 examples" in note


def test_a_named_label_without_an_example_is_told_of_means_over_labels():
    metrics = ["macro_f1", "balanced_accuracy", "weighted_f1", "accuracy"]
    gold, named = [*"aabb"] * 20, {"labels": [*"abc"]}

    systems = {"one": gold[::-1], "two": gold}

    assert [
        "the intervals of macro_f1, balanced_accuracy may be too narrow: there is no example of "
        "'c' in the gold, and other samples may contain some."
    ] == find_notes(tallystick.score(gold, systems, metrics, **named).notes)
    assert [] == find_notes(tallystick.score(gold, gold[::-1], metrics).notes)


def test_data_that_show_their_scatter_have_no_cautions():
    gold = np.arange(400) % 2
    found = tallystick.score(gold, np.where(np.arange(400) % 5, gold, 1 - gold), "f1", task=BINARY)
    assert "cautions" not in json.loads(found.to_json())


ROWS = np.arange(400)
UNEQUAL = np.where(ROWS % 20, 1.0, 20.0)
MILD = np.where(ROWS % 2, 1.0, 3.0)
LABELS = np.where(ROWS % 5, "a", "b")
NUMBERS = np.sin(ROWS)


@pytest.mark.parametrize("metrics", [["accuracy", "macro_f1"], "macro_f1"])
@pytest.mark.parametrize(
    ("n", "weights", "message"),
    [(100, UNEQUAL, 1), (400, UNEQUAL, 0), (60, MILD, 0), (60, ROWS + 300, 0)],
)
def test_few_effective_examples_of_unequal_weights_are_told(metrics, n, weights, message):
    found = tallystick.score(LABELS[:n], np.roll(LABELS, 1)[:n], metrics, weights=weights[:n])
    assert message == len(find_notes(found.notes, "weights are so unequal"))


@pytest.mark.parametrize(("gold", "outputs", "metric"), [
    (LABELS, LABELS, "accuracy"),
    (NUMBERS, NUMBERS + 1 / (ROWS + 1), "rmse"),
    (LABELS == "a", (NUMBERS + 1) / 2, "roc_auc"),
    (LABELS == "a", {"m": (NUMBERS + 1) / 2, "o": NUMBERS**2}, "roc_auc"),
])  # fmt: skip
def test_effective_size_is_that_of_kish(gold, outputs, metric):
    groups = np.where(ROWS < 60, "x", "y")
    found = tallystick.score(gold, outputs, metric, weights=UNEQUAL, by=groups)
    sizes = {one.group: one.effective_n for one in found.scores}
    expected = {
        name: round(own.sum() ** 2 / (own @ own))
        for name, own in {"x": UNEQUAL[:60], "y": UNEQUAL[60:], "micro": UNEQUAL}.items()
    }

    assert {**expected, "macro": None} == sizes
    (note,) = find_notes(found.notes, "weights are so unequal")
    assert note.endswith(f"examples is only {sizes['x']} in x (of 60).")
    assert not hasattr(note, "code")


def test_effective_size_stands_beside_n_where_it_is_below_a_half():
    groups = np.where(ROWS < 60, "x", "y")
    given = {"gold": LABELS, "outputs": {"m": LABELS, "o": LABELS[::-1]}, "metrics": "accuracy"}
    plain, unequal = (
        str(tallystick.score(**given, by=groups, weights=own)) for own in (MILD, UNEQUAL)
    )
    assert "effective_n" not in plain
    assert ["effective_n", "11", "62", "73"] == unequal.splitlines()[5].split()


@pytest.mark.parametrize(("share", "message"), [(0.3, 1), (0.5, 0)])
def test_groups_of_the_same_gold_labels_are_told(share, message):
    gold = np.tile(np.arange(40) < 40 * share, 5).astype(int)
    languages = np.repeat([*"abcde"], 40)
    guessed = np.where(np.arange(200) % 7, gold, 1 - gold)
    found = tallystick.score(gold, guessed, "f1", by=languages, task=BINARY)
    items = np.tile(np.arange(40), 5)
    clustered = tallystick.score(gold, guessed, "f1", by=languages, clusters=items, task=BINARY)

    assert message == len(find_notes(found.notes, "name the item of each example with `clusters=`"))
    assert [] == find_notes(clustered.notes, "name the item of each example with `clusters=`")


def test_groups_of_other_items_are_not_told():
    gold = np.array([0, 0, 1] * 2)
    found = tallystick.score(gold, gold, "f1", by=[*"aaabbb"], task=BINARY)
    assert [] == find_notes(found.notes, "`clusters=")


def test_log_loss_of_rounded_outputs_tells_what_those_of_0_would_cost():
    gold, chances = [*[1] * 6, *[0] * 114], np.repeat([0.1, 0.0], 60)
    found = tallystick.score(gold, chances, ["log_loss", "brier_score"], task="binary", positive=1)
    (note,) = (one for one in found.notes if isinstance(one, Caution))
    assert "60 outputs of exactly 0 or 1, beside others in steps of 0.1, may be rounded" in note
    assert "log_loss of predictions" in note


@pytest.mark.parametrize("chance", [1e-3, 0.3])
def test_losses_of_a_system_that_is_never_wrong_tell_what_a_rare_error_is(chance):
    gold, metrics = np.arange(60) % 2, ["log_loss", "brier_score", "1-brier"]
    found = tallystick.score(gold, np.where(gold, 1 - chance, chance), metrics, task="binary")
    message = [one for one in found.notes if "one that is wrong would make most of the loss" in one]
    names = "the intervals of log_loss, brier_score, brier_complement of predictions may be"
    assert [one.startswith(names) for one in message] == ([True] if chance < 0.01 else [])
    assert all(isinstance(one, Caution) for one in message)


def test_a_label_of_label_sets_that_no_example_has_is_told():
    gold = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0]] * 8)
    notes = tallystick.score(gold, gold, ["macro_f1", "micro_f1"], task="multilabel").notes
    (note,) = (one for one in notes if isinstance(one, Caution))
    assert note == (
        "the intervals of macro_f1 may be too narrow: there is no example of '2' in the gold, and "
        "other samples may contain some."
    )


def test_few_units_of_another_rating_have_a_code_in_json():
    ratings = pd.DataFrame({"a": [*"yyy", *"n" * 37], "b": [*"yyn", *"n" * 37]})
    metrics = ["krippendorff_alpha", "gwet_ac1"]
    found = tallystick.score(ratings, metrics=metrics, annotators=["a", "b"])

    (caution,) = json.loads(found.to_json())["cautions"]
    assert caution == {
        "code": "interval_too_narrow",
        "note": "the interval of krippendorff_alpha of annotators may be too narrow: 3 units have "
        "another rating than 'n'.",
    }


_GOLD = {"id": [1, 2, 3, 4], "gold": ["a", "b", "a", "b"], "lang": ["de", "de", "fr", "fr"]}


def _score(outputs, **options):
    columns = Columns(gold="gold", invalid="wrong")
    return score(
        pa.table(_GOLD | {"mine": outputs}),
        metrics=["accuracy"],
        systems=["mine"],
        columns=columns,
        intervals=False,
        **options,
    )


def test_each_row_counts_its_own_invalid_outputs():
    result = _score(["a", None, "a", "I cannot answer"], by="lang")
    assert {one.group: (one.n, one.invalid, one.value) for one in result.scores} == {
        "de": (2, 1, 0.5),
        "fr": (2, 1, 0.5),
        "macro": (4, 2, 0.5),
        "micro": (4, 2, 0.5),
    }


def test_the_column_is_shown_only_where_outputs_are_invalid():
    wrong = _score(["a", None, "a", "b"])
    clean = _score(["a", "b", "a", "b"])
    assert wrong.document().grids[0].headings == ("system", "n", "invalid", "accuracy")
    assert clean.document().grids[0].headings == ("system", "n", "accuracy")
    assert [one.invalid for one in clean.scores] == [0]
