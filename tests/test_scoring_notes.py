"""Facts about the notes on scores: what is noise, what was left out, what another metric says."""

import json
from pathlib import Path

import numpy as np
import pytest

import tallystick
from tallystick.cli import main


def test_resamples_without_a_rare_label_are_told() -> None:
    """They are left out of the interval and counted in a note."""
    gold = ["a"] * 15 + ["c"] * 15 + ["b"]
    result = tallystick.score(gold, [*gold[:-2], "b", "b"], metrics="weighted_f1")
    (note,) = [note for note in result.notes if "lack a label" in note]

    assert "3" == note[0]


def test_few_examples_are_told() -> None:
    """With the width of what is noise, and the label there is little of."""
    gold = np.array([1] * 9 + [0] * 41)
    result = tallystick.score(gold, gold ^ (np.arange(50) % 10 == 0), metrics="f1")
    score = result.scores[0]
    half = (score.high - score.low) / 2
    expected = f"few examples: differences in f1 below about {half:.2g} (9 examples of '1')"

    assert f"{expected} are noise." in result.notes


def test_a_single_example_of_a_label_is_no_plural() -> None:
    """A note is read by people."""
    result = tallystick.score([1, 0, 0, 0], [1, 0, 0, 1], metrics="f1")

    assert "(1 example of '1')" in " ".join(result.notes)


def test_noise_of_what_is_undefined_is_not_told() -> None:
    """A ROC-AUC of one label has no interval whose width could be told."""
    task = tallystick.Task(kind="binary", labels=(0, 1))
    result = tallystick.score([1], [0.9], metrics="roc_auc", task=task)

    assert not [note for note in result.notes if "noise" in note]


def test_no_width_is_no_noise() -> None:
    """Resamples of a single text are all alike, which says nothing about other texts."""
    result = tallystick.score(["a b"], ["a b"], metrics="rouge1")

    assert not [note for note in result.notes if "noise" in note]


@pytest.mark.parametrize(
    ("predicted", "note"),
    [
        (["b", "a"], "predictions has no example right."),
        (
            ["A", "B"],
            "predictions has no example right: it predicts 'A', 'B', and none of these is a label "
            "of the gold.",
        ),
    ],
)
def test_a_system_without_an_example_right_explains_itself(predicted: list[str], note: str) -> None:
    """By the labels that it uses, where they are none of the gold's."""
    assert note in tallystick.score(["a", "b"], predicted, metrics="accuracy").notes


@pytest.mark.parametrize(
    ("predicted", "note"),
    [
        ([0, 0, 0], "predictions never predicts the positive label '1', so that what counts its"),
        ([1, 0, 0], "predictions never rightly predicts the positive label '1', so that what"),
    ],
)
def test_a_score_of_nothing_but_misses_explains_itself(predicted: list[int], note: str) -> None:
    """A value of exactly 0 comes with its reason."""
    result = tallystick.score([0, 1, 0], predicted, metrics="f1")

    assert [0] == [score.value for score in result.scores]
    assert [note] == [one[: len(note)] for one in result.notes if one.startswith("predictions ne")]


def test_labels_that_nobody_uses_are_told() -> None:
    """A metric that names them has perhaps misspelled them."""
    result = tallystick.score(["a", "b"], ["a", "b"], metrics=["F1('macro', labels=('a', 'B'))"])

    assert (
        "F1(average='macro', labels=('a', 'B')) names 'B', which occurs neither in the gold nor in "
        "the predictions."
    ) in result.notes


def test_every_command_gives_the_notes_on_the_data() -> None:
    """What was guessed, and what looks odd, is told wherever systems are scored."""
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


def write_summaries(end: str) -> None:
    """A table of two texts of two sentences each, with `end` between the sentences."""
    row = {"hypothesis": f"a b.{end}c d.", "reference": f"c d.{end}a b."}
    Path("news.jsonl").write_text(json.dumps(row))
    Path("one.txt").write_text("a b. c d.\n")


@pytest.mark.parametrize("more", [(), ("--segments",)])
@pytest.mark.parametrize("files", [("one.txt", "one.txt"), ("news.jsonl",)])
def test_one_sentence_a_text_is_noted(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    files: tuple[str, ...],
    more: tuple[str, ...],
) -> None:
    """Or people would take ROUGE-L for the ROUGE-L of papers."""
    monkeypatch.chdir(tmp_path)
    write_summaries(" ")
    main(["score", *files, "-m", "rougeLsum", *more])

    noted = capsys.readouterr().err
    assert "no text has more than one line, so it is the same as rougeL; \"ROUGE('Lsum'" in noted
    assert 1 == noted.count("note: rougeLsum")


@pytest.mark.parametrize(
    ("end", "metric"),
    [("\n", "rougeLsum"), (" ", "rougeL"), (" ", "ROUGE('Lsum',sentences='regex')")],
)
def test_no_note_where_sentences_are_found(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    end: str,
    metric: str,
) -> None:
    """By lines or by a rule; and whole texts need none."""
    monkeypatch.chdir(tmp_path)
    write_summaries(end)
    main(["score", "news.jsonl", "-m", metric])

    assert "same as rougeL" not in capsys.readouterr().err
