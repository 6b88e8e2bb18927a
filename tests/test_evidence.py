"""What reports show beside scores: which examples, who did better where, and how sound data is."""

from collections import Counter

import pyarrow as pa
import pytest

import tallystick
from reports import read_stance
from tallystick.output.results.records import Evidence, Finding

GOLD, SYSTEMS = read_stance()


def gather(gold: object, outputs: object, metrics: object, most: int | None = None) -> Evidence:
    result = tallystick.score(gold, outputs, metrics)
    assert result.gather is not None
    (found,) = result.gather(most)
    return found


def find(evidence: Evidence, words: str) -> list[Finding]:
    return [one for one in evidence.findings if words in one.what]


def test_examples_left_out_are_a_finding():
    gold = pa.table({"id": [1, 2, 3], "label": ["x", "y", "x"]})
    system = pa.table({"id": [1, 3], "prediction": ["x", "y"]})
    result = tallystick.score(gold, {"a": system}, "accuracy", missing="common")
    assert result.gather is not None
    (evidence,) = result.gather(None)

    (left_out,) = find(evidence, "examples left out, as a system has no output for them")

    assert (1, 3, False) == (left_out.count, left_out.of, left_out.good)
    assert not find(evidence, "none missing")


def test_all_examples_are_there_in_order():
    evidence = gather(GOLD, SYSTEMS, "accuracy")
    held = evidence.examples

    assert held is not None
    assert tuple(GOLD) == held.gold
    assert tuple(map(tuple, SYSTEMS.values())) == held.outputs
    assert [
        [int(one == gold) for one, gold in zip(own, GOLD, strict=True)] for own in SYSTEMS.values()
    ] == [list(own) for own in held.scores]


def test_some_examples_are_of_every_kind():
    evidence = gather(GOLD, SYSTEMS, "accuracy", 60)
    held = evidence.examples
    assert held is not None
    cells = {
        (system, gold, said)
        for system, own in zip(evidence.systems, held.outputs, strict=True)
        for gold, said in zip(held.gold, own, strict=True)
    }
    expected = {
        (system, gold, said)
        for system, own in SYSTEMS.items()
        for gold, said in zip(GOLD, own, strict=True)
    }

    assert expected == cells
    assert (60, 60) == (len(held.ids), len(set(held.ids)))


def test_the_same_examples_are_chosen_each_time():
    assert gather(GOLD, SYSTEMS, "f1_macro", 50) == gather(GOLD, SYSTEMS, "f1_macro", 50)


@pytest.mark.parametrize("most", [1, 2, 199, 399, 400, 1000])
def test_no_more_examples_than_asked_for(most):
    held = gather(GOLD, SYSTEMS, "accuracy", most).examples

    assert held is not None
    assert min(most, 400) == len(held.ids)


def test_who_did_better_is_counted_over_all_examples():
    evidence = gather(GOLD, SYSTEMS, "accuracy", 10)
    meeting = next(one for one in evidence.meetings if (one.a, one.b) == ("birch", "cedar"))
    pairs = Counter(
        (a == gold) - (b == gold)
        for gold, a, b in zip(GOLD, SYSTEMS["birch"], SYSTEMS["cedar"], strict=True)
    )

    assert (pairs[1], pairs[-1]) == (meeting.a_better, meeting.b_better)


def test_a_lower_error_does_better():
    evidence = gather(["a b c", "d e f"], {"good": ["a b c", "d e f"], "bad": ["a", "d"]}, "wer")

    assert ("lower", 2, 0) == (
        evidence.better,
        evidence.meetings[0].a_better,
        evidence.meetings[0].b_better,
    )


def test_long_texts_are_cut_only_where_not_all_is_asked_for():
    texts = ["x " * 5000, "y"] * 2
    cut, whole = (gather(texts, texts, "chrf", most).examples for most in (4, None))

    assert cut is not None
    assert whole is not None
    assert (True, 5000) == (cut.cut, len(cut.gold[0]))
    assert (False, texts[0]) == (whole.cut, whole.gold[0])


def test_duplicates_but_for_case_and_punctuation_are_found():
    gold = ["The cat sat.", "A dog", "the CAT sat", "a bird"]
    (found,) = find(gather(gold, gold, "chrf"), "occurs again")

    assert (2, ("1 = 3",), False) == (found.count, found.examples, found.good)


def test_empty_and_equal_outputs_are_found():
    gold = ["a b", "c d", "e f"]
    evidence = gather(gold, {"one": ["a b", "", " "], "two": ["a b", "", " "]}, "chrf")

    assert [("one", 2), ("two", 2)] == [
        (one.system, one.count) for one in find(evidence, "empty outputs")
    ]
    assert ["one"] == [one.system for one in find(evidence, "all outputs are those of two")]


def test_labels_that_never_occur_are_found():
    evidence = gather(["a", "b", "a", "b"], {"s": ["a", "a", "a", "c"]}, "accuracy")

    assert [("c",)] == [one.examples for one in find(evidence, "never occur in the gold")]
    assert [("b",)] == [one.examples for one in find(evidence, "never predicted")]


def test_the_same_output_for_every_example_is_found():
    evidence = gather(["a", "b", "a"], {"s": ["a", "a", "a"]}, "accuracy")

    assert [("s", 3, False)] == [
        (one.system, one.count, one.good) for one in find(evidence, "the same output")
    ]


def test_outputs_that_are_no_label_are_shown_as_such():
    columns = tallystick.Columns(invalid="wrong")
    frame = {"gold": ["a", "b", "a"], "s": ["a", "", "b"]}
    result = tallystick.score(pa.table(frame), None, "accuracy", systems=["s"], columns=columns)
    assert result.gather is not None
    (evidence,) = result.gather(None)

    assert evidence.examples is not None
    assert (("a", "(invalid)", "b"),) == evidence.examples.outputs
    assert [1] == [one.count for one in find(evidence, "counted as wrong")]


def test_numbers_of_several_columns_are_shown_with_their_names():
    table = pa.table(
        {"model": ["a", "a"], "id": [1, 2], "cost": [1.25e-7, 3e-7], "correct": [1, 1]}
    )
    result = tallystick.score(table, metrics="ratio(cost, correct)", system_column="model")
    assert result.gather is not None
    ((held,),) = ((one.examples for one in result.gather(None)),)

    assert held is not None
    assert (("cost 1.25e-07, correct 1", "cost 3e-07, correct 1"),) == held.outputs
    assert ((1.25e-7, 3e-7),) == held.scores
