"""Options in Python and on the command line are read however a caller may well write them."""

import argparse
from collections.abc import Iterator
from typing import Any

import pytest

import tallystick
from tallystick import metrics
from tallystick.cli import main
from tallystick.cli.parser import build_parser
from tallystick.errors import UsageError


@pytest.mark.parametrize(
    ("listed", "written"),
    [
        (tallystick.Task(labels=["a", "b"]), tallystick.Task(labels=("a", "b"))),
        (tallystick.Task(labels=[0, 1]), tallystick.Task(labels=(0, 1))),
        (tallystick.Columns(by=["x"]), tallystick.Columns(by=("x",))),
        (tallystick.Columns(annotators=["x", "y"]), tallystick.Columns(annotators=("x", "y"))),
        (metrics.F1(None, labels=["a"]), metrics.F1(None, labels=("a",))),
        (metrics.WeightedKappa(labels=["a", "b"]), metrics.WeightedKappa(labels=("a", "b"))),
        (metrics.KrippendorffAlpha(labels=["a"]), metrics.KrippendorffAlpha(labels=("a",))),
        (metrics.GwetAC1(labels=["a"]), metrics.GwetAC1(labels=("a",))),
        (metrics.SpanF1(labels=["a"]), metrics.SpanF1(labels=("a",))),
        (metrics.SpanF1(severities=[["a", 1]]), metrics.SpanF1(severities=(("a", 1),))),
        (metrics.SoftF1(labels=["a"]), metrics.SoftF1(labels=("a",))),
        (metrics.BLEU(weights=[0.25] * 4), metrics.BLEU(weights=(0.25,) * 4)),
        (metrics.Mean(bounds=[0, 1]), metrics.Mean(bounds=(0, 1))),
        (metrics.ExactMatch(ignore=["punctuation"]), metrics.ExactMatch(ignore=("punctuation",))),
        (tallystick.Task("Binary"), tallystick.Task("binary")),
        (
            tallystick.Columns(scheme="IOB2", invalid="Wrong", missing="WRONG"),
            tallystick.Columns(scheme="iob2", invalid="wrong", missing="wrong"),
        ),
        (tallystick.Testing(test="McNemar"), tallystick.Testing(test="mcnemar")),
    ],
)
def test_settings_take_lists_for_tuples_and_choices_in_any_case(listed, written):
    assert {written} == {listed}
    assert repr(written) == repr(listed)


@pytest.mark.parametrize(
    "options", [{"scheme": "iob3"}, {"invalid": "drop"}, {"missing": "drop"}, {"scheme": 2}]
)
def test_a_choice_that_does_not_exist_is_told(options):
    (name,) = options
    with pytest.raises(UsageError, match=f"^{name} is one of "):
        tallystick.Columns(**options)


def test_a_task_with_a_list_of_labels_scores():
    task = tallystick.Task("multiclass", labels=["a", "b", "c"])
    result = tallystick.score(["a", "b"], ["a", "b"], "macro_f1", task=task)

    assert 2 / 3 == result["macro_f1"]


SPANS = [["B-A", "O"], ["O", "B-A"]], [["B-A", "O"], ["O", "O"]]
WORDS = ["the cat sat on a mat", "dogs bark"], ["the cat sat on a mat", "dogs barked"]


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("spans", SPANS, "span_f1"),
        ("Spans", SPANS, "span_f1"),
        ("text", WORDS, "bleu"),
        ("texts", WORDS, "bleu"),
    ],
)
def test_tasks_without_labels_are_named_in_python_too(name, data, expected):
    gold, outputs = data
    result = tallystick.score(gold, outputs, task=name)
    ranked = tallystick.rank(gold, {"a": outputs, "b": gold}, [expected], task=name)

    assert expected in [score.name for score in result.scores]
    assert ["b", "a"] == [place.system for place in ranked.places]


def test_a_task_that_does_not_exist_is_told():
    with pytest.raises(UsageError, match=r"^task is one of binary, multiclass, multilabel, spans"):
        tallystick.score(["a"], ["a"], task="regression")  # type: ignore[arg-type]


def _list_choices(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _list_choices(below)
        elif action.choices is not None:
            yield action


def test_every_option_with_choices_takes_them_in_any_case():
    found: list[Any] = list(_list_choices(build_parser()))

    assert len(found) > 20
    assert [[*one.choices] for one in found] == [
        [one.type(choice.swapcase()) for choice in one.choices] for one in found
    ]


def test_a_report_of_all_examples_is_asked_for_in_any_case():
    assert (
        build_parser("score").parse_args(["score", "g.csv", "--examples", "All"]).examples is None
    )


def test_a_scheme_is_named_as_its_paper_does(tmp_path, capsys):
    path = tmp_path / "x.conll"
    path.write_text("a B-A B-A\nb O I-A\n")
    code = main(["score", str(path), "--input-format", "CoNLL", "--scheme", "IOB2"])

    assert (0, True) == (code, "span_f1" in capsys.readouterr().out)
