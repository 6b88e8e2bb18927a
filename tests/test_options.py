"""Options are read however they are spelled, and one without a use is an error."""

import argparse
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import tallystick
from tallystick import metrics
from tallystick.cli import main
from tallystick.cli.output import name_options
from tallystick.cli.parser import build_parser
from tallystick.errors import MissingValueError, TallystickError, UsageError

FILES = {
    "labels.csv": "id,label,y_pred,lang\n1,a,a,x\n2,b,a,y\n3,a,b,x\n4,c,c,y\n",
    "scores.csv": "id,label,y_prob\n1,0,.3\n2,1,.8\n3,0,.6\n4,1,.9\n",
    "texts.csv": "id,reference,hypothesis\n1,the cat sat,the cat\n2,a dog ran,a dog ran\n",
    "numbers.csv": "id,gold,score\n1,1.5,1.2\n2,2.5,2.2\n3,0.5,.7\n",
    "references.txt": "the cat sat on\na dog ran off\n",
    "hypotheses.txt": "the cat sat\na dog ran\n",
    "qrels.txt": "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 1\n",
    "run.txt": "q1 Q0 d1 1 9 s\nq1 Q0 d2 2 8 s\nq2 Q0 d3 1 9 s\n",
    "battles.csv": "model_a,model_b,winner\nx,y,model_a\ny,z,model_b\nx,z,model_a\n",
    "tries.csv": "id,correct\n1,1\n1,0\n2,1\n2,1\n",
    "ratings.csv": "id,r1,r2,r3,m\n1,a,a,b,a\n2,b,b,b,b\n3,a,b,b,b\n",
}
CALLS = {
    "labels": "labels.csv",
    "scores": "scores.csv",
    "texts": "texts.csv -m bleu",
    "numbers": "numbers.csv -m mae",
    "means": "numbers.csv -m mean(score)",
    "lines": "references.txt hypotheses.txt -m bleu",
    "rankings": "qrels.txt run.txt -m AP",
    "battles": "battles.csv -m win_rate",
    "tries": "tries.csv -m pass@1",
    "agreement": "ratings.csv --annotators r1 r2 r3 -m krippendorff_alpha",
    "judge": "ratings.csv --annotators r1 r2 r3 --systems m -m accuracy",
}
OPTIONS = {
    "--ref hypotheses.txt": "lines",
    "--blank-is-missing": "lines",
    "--predicted-column y_pred": "labels",
    "--predicted-column hypothesis": "texts",
    "--gold-column label": "labels scores",
    "--gold-column reference": "texts",
    "--gold-column gold": "numbers",
    "--id-column id": "labels scores texts numbers means tries agreement judge",
    "--probability-column y_prob": "scores",
    "--text-column id": "",
    "--weight-column id": "labels scores numbers means judge",
    "--count-column id": "labels",
    "--scheme iob2": "",
    "--tag-names O B-X": "",
    "--invalid wrong": "labels scores texts tries",
    "--language en": "texts lines",
    "--task multiclass": "labels agreement judge",
    "--task text": "labels texts lines",
    "--positive 1": "scores",
    "--positive a": "judge",
    "--threshold .4": "scores",
    "--delimiter |": "labels",
    "--fold-case": "labels scores agreement judge tries",
    "--round-scores 2": "scores",
    "--rated-column lang": "",
    "--label-probability id": "",
    "--majority": "judge",
    "--queries labels.csv": "",
    "--rows items": "",
    "--no-header": "",
    "--where id!=9": "labels scores texts numbers means tries agreement judge",
    "--labels a b c": "labels agreement judge",
}
FREE = {"--text-column id", "--where id!=9"}
"""Options whose value decides whether they fit."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("option", [one for one in OPTIONS if one not in FREE])
def test_an_option_without_a_use_is_an_error(option, capsys):
    name, *values = option.split()
    for call, arguments in CALLS.items():
        code = main(["score", *arguments.split(), name, *values])
        shown = capsys.readouterr().err
        if call in OPTIONS[option].split():
            assert (call, 0) == (call, code), shown
        else:
            assert (call, True, False) == (call, code in (2, 4), "Traceback" in shown), shown


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("arguments", "shown"), [
    ("texts.csv -m bleu --threshold .4",
     "--threshold can only be used with probabilities of labels"),
    ("labels.csv --ref hypotheses.txt", "--ref can only be used with text files"),
    ("numbers.csv -m mean(score) --gold-column gold",
     "--gold-column can only be used with metrics that"),
    ("labels.csv --id-column id=key", "--id-column GOLD=SYSTEM names ids of systems in tables"),
    ("texts.csv -m bleu --task multiclass", "--task can only be used with labels"),
])  # fmt: skip
def test_the_message_says_what_an_option_goes_with(arguments, shown, capsys):
    assert 2 == main(["score", *arguments.split()])
    assert shown in capsys.readouterr().err


@pytest.mark.parametrize(("metrics", "keyword", "value", "shown"), [
    ("bleu", "threshold", 0.5, "`threshold=` can only be used with probabilities of labels"),
    ("bleu", "scheme", "iob2", "`scheme=` can only be used with tags of spans"),
    ("bleu", "delimiter", "|", "`delimiter=` can only be used with label sets"),
])  # fmt: skip
def test_a_keyword_without_a_use_is_an_error_in_python(metrics, keyword, value, shown):
    frame = pd.DataFrame({"reference": ["the cat", "a dog"], "hypothesis": ["the cat", "a dog"]})
    with pytest.raises(UsageError, match=shown):
        tallystick.score(frame, metrics=metrics, **{keyword: value})


@pytest.mark.parametrize(("listed", "written"), [
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
    (tallystick.Columns(scheme="IOB2", invalid="Wrong", missing="WRONG"),
     tallystick.Columns(scheme="iob2", invalid="wrong", missing="wrong")),
    (tallystick.Testing(test="McNemar"), tallystick.Testing(test="mcnemar")),
])  # fmt: skip
def test_settings_take_lists_for_tuples_and_choices_in_any_case(listed, written):
    assert {written} == {listed}
    assert repr(written) == repr(listed)


@pytest.mark.parametrize(
    "options", [{"scheme": "iob3"}, {"invalid": "drop"}, {"missing": "drop"}, {"scheme": 2}]
)
def test_a_choice_that_does_not_exist_is_told(options):
    (name,) = options
    with pytest.raises(UsageError, match=f"^{name} must be one of "):
        tallystick.Columns(**options)


def test_a_task_with_a_list_of_labels_scores():
    task = tallystick.Task("multiclass", labels=["a", "b", "c"])
    assert 2 / 3 == tallystick.score(["a", "b"], ["a", "b"], "macro_f1", task=task)["macro_f1"]


SPANS = [["B-A", "O"], ["O", "B-A"]], [["B-A", "O"], ["O", "O"]]
WORDS = ["the cat sat on a mat", "dogs bark"], ["the cat sat on a mat", "dogs barked"]


@pytest.mark.parametrize(("name", "data", "expected"), [
    ("spans", SPANS, "span_f1"), ("Spans", SPANS, "span_f1"), ("text", WORDS, "bleu"),
    ("texts", WORDS, "bleu"),
])  # fmt: skip
def test_tasks_without_labels_are_named_in_python_too(name, data, expected):
    gold, outputs = data
    result = tallystick.score(gold, outputs, task=name)
    ranked = tallystick.rank(gold, {"a": outputs, "b": gold}, [expected], task=name)
    assert expected in [score.name for score in result.scores]
    assert ["b", "a"] == [place.system for place in ranked.places]


def test_a_task_that_does_not_exist_is_told():
    with pytest.raises(
        UsageError, match=r"^task must be one of binary, multiclass, multilabel, spans"
    ):
        tallystick.score(["a"], ["a"], task="regression")  # type: ignore[arg-type]


def _list_choices(parser):
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


@pytest.mark.parametrize("command", ["score", "compare", "rank", "plan", "count"])
def test_a_command_has_at_most_seventy_options(command):
    (commands,) = (one for one in build_parser()._actions if one.choices)
    named = [one for one in commands.choices[command]._actions if one.option_strings]
    assert len([one for one in named if one.dest != "help"]) <= 70


def test_a_report_of_all_examples_is_asked_for_in_any_case():
    assert (
        build_parser("score").parse_args(["score", "g.csv", "--examples", "All"]).examples is None
    )


def test_a_scheme_is_named_as_its_paper_does(tmp_path, capsys):
    path = tmp_path / "x.conll"
    path.write_text("a B-A B-A\nb O I-A\n")
    code = main(["score", str(path), "--input-format", "CoNLL", "--scheme", "IOB2"])
    assert (0, True) == (code, "span_f1" in capsys.readouterr().out)


@pytest.mark.parametrize(("message", "shown"), [
    ("pass `missing='wrong'`", "pass --missing wrong"),
    ("name it with `id='doc id'`", "name it with --id-column 'doc id'"),
    ("`weights=` can only be used with labels", "--weight-column can only be used with labels"),
    ("(`fold_case=True`)", "(--fold-case)"),
    ("pass `header=False`", "pass --no-header"),
    ("`tag_names=['O', 'B-PER']`", "--tag-names O B-PER"),
    ("`positive=1`; F1(positive=1)", "--positive 1; F1(positive=1)"),
    ("`tallystick metrics` lists them all", "`tallystick metrics` lists them all"),
])  # fmt: skip
def test_an_argument_is_named_as_its_option(message, shown):
    assert shown == name_options(message)


@pytest.mark.parametrize(("gold", "output", "argument", "option"), [
    (["a", "b"], ["a", None], "`missing='exclude'`", "--missing exclude"),
    ([0, 2], [0, 2], "`positive=2`", "--positive 2"),
])  # fmt: skip
def test_a_cure_is_an_argument_in_python_and_an_option_in_the_command(
    gold, output, argument, option, tmp_path, capsys
):
    with pytest.raises(TallystickError) as caught:
        tallystick.score(gold, output, metrics="accuracy", task="binary")
    assert argument in str(caught.value)
    assert "--" not in str(caught.value)

    rows = (f"{one},{'' if own is None else own}" for one, own in zip(gold, output, strict=True))
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["gold,prediction", *rows]) + "\n")
    assert main(["score", str(path), "-m", "accuracy", "--task", "binary"]) in (2, 4)
    assert option in capsys.readouterr().err


@pytest.mark.parametrize(("values", "missing"), [([None, 1], True), (["a", 1], False)])
def test_an_error_on_a_missing_value_has_a_class_of_its_own(values, missing):
    with pytest.raises(TallystickError) as caught:
        tallystick.score(values, [1.5, 2], metrics="mae")
    assert missing == isinstance(caught.value, MissingValueError)
