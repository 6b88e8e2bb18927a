"""Texts that nobody announced are recognised, and metrics of labels and texts go together."""

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tallystick
from tallystick import Task, Testing, UsageError
from tallystick.cli import main
from tallystick.metrics import BLEU, ChrF

GOLD = ["a", "b", "b", "a"]
REFERENCES = ["the cat sat on the mat", "a dog barked at him", "it was raining all day"]
HYPOTHESES = ["the cat sat on a mat", "a dog barked", "it was raining"]


@pytest.mark.parametrize("name", ["reference", "target", "Gold", "answer", "ref"])
def test_texts_of_tables_are_recognised_without_metrics(name):
    table = pa.table({name: REFERENCES, "hypothesis": HYPOTHESES})
    scored = tallystick.score(table, intervals=False)

    assert {"bleu": BLEU()(HYPOTHESES, REFERENCES), "chrf": ChrF()(HYPOTHESES, REFERENCES)} == {
        one.name: one.value for one in scored.scores
    }


@pytest.mark.parametrize("wrap", [list, tuple, pa.array, pd.Series, pl.Series])
def test_texts_in_memory_are_recognised_without_metrics(wrap):
    scored = tallystick.score(wrap(REFERENCES), wrap(HYPOTHESES), intervals=False)

    assert ["bleu", "chrf"] == [one.name for one in scored.scores]


@pytest.mark.parametrize(
    ("gold", "outputs"),
    [
        (GOLD, GOLD),
        ([1, 0, 1], [1, 1, 0]),
        (["not the author of it", "the author of it"] * 9, ["the author of it"] * 18),
        (["entailment", "contradiction", "neutral"], ["neutral"] * 3),
        ([["a"], ["b"]], [["a"], ["a"]]),
    ],
)
def test_labels_are_recognised_without_metrics(gold, outputs):
    names = {one.name for one in tallystick.score(gold, outputs, intervals=False).scores}

    assert {"bleu", "chrf"}.isdisjoint(names)


@pytest.mark.parametrize("ending", ["txt", "csv", "tsv", "jsonl"])
def test_texts_of_files_are_recognised_without_metrics(tmp_path, monkeypatch, capsys, ending):
    monkeypatch.chdir(tmp_path)
    for stem, texts in (("ref", REFERENCES), ("mine", HYPOTHESES)):
        path = Path(f"{stem}.{ending}")
        if ending == "jsonl":
            path.write_text("".join(f'{{"text": "{one}"}}\n' for one in texts))
        else:
            head = "" if ending == "txt" else "text\n"
            path.write_text(head + "".join(f"{one}\n" for one in texts))
    code = main(["score", f"ref.{ending}", f"mine.{ending}", "--format", "csv", "--no-intervals"])
    header, row = capsys.readouterr().out.splitlines()

    assert (0, "system,n,bleu,chrf") == (code, header)
    assert BLEU()(HYPOTHESES, REFERENCES) == pytest.approx(float(row.split(",")[2]), abs=1e-4)


def test_metrics_of_all_kinds_go_together():
    references = ["yes", "no", "maybe so", "no"]
    hypotheses = ["yes", "no", "maybe", "yes"]
    metrics = ["bleu", "exact_match", "levenshtein", "accuracy"]
    scored = tallystick.score(references, hypotheses, metrics)

    assert {
        "bleu": BLEU()(hypotheses, references),
        "exact_match": 2 / 4,
        "levenshtein": 3 + 3,
        "accuracy": 2 / 4,
    } == {one.name: one.value for one in scored.scores}
    for metric in metrics:
        (alone,) = tallystick.score(references, hypotheses, metric).scores
        assert alone in scored.scores


@pytest.mark.parametrize("reverse", [False, True])
def test_metrics_of_all_kinds_go_together_in_every_command(reverse):
    table = pa.table(
        {
            "answer": ["yes", "no", "yes it is", "no"] * 5,
            "x": ["yes", "no", "yes", "yes"] * 5,
            "y": ["no", "no", "yes it is", "yes"] * 5,
            "lang": ["en", "de"] * 10,
        }
    )
    metrics = ["accuracy", "wer", "macro_f1", "chrf"][:: -1 if reverse else 1]
    options: dict[str, Any] = {"by": "lang", "systems": ["x", "y"]}
    testing = Testing(resamples=100)
    scored = tallystick.score(table, None, metrics, intervals=False, **options)
    compared = tallystick.compare(table, None, metrics, testing=testing, **options)
    ranked = tallystick.rank(table, None, metrics, testing=testing, **options)

    assert metrics == list(dict.fromkeys(one.name for one in scored.scores))
    for one in compared.differences:
        assert [one.value_a, one.value_b] == [
            scored[one.name, one.group, name] for name in (one.a, one.b)
        ]
    assert {one.value for one in ranked.places} == {one.value for one in scored.scores}


@pytest.mark.parametrize(
    ("metrics", "gold", "outputs", "message"),
    [
        (["bleu", "roc_auc"], ["yes", "no"], ["yes", "no"], "roc_auc needs probabilities"),
        (["bleu", "acuracy"], ["yes", "no"], ["yes", "no"], "acuracy"),
        (["bleu", "hamming_loss"], ["yes", "no"], ["yes", "no"], "hamming_loss is not for a bin"),
    ],
)
def test_metrics_that_do_not_fit_are_told(metrics, gold, outputs, message):
    with pytest.raises(UsageError, match=message):
        tallystick.score(gold, outputs, metrics)


def test_the_task_of_mixed_metrics_is_that_of_the_labels():
    task = Task("binary", positive="yes")
    scored = tallystick.score(
        ["yes", "no", "yes"], ["yes", "yes", "no"], ["f1", "wer"], task=task, intervals=False
    )

    assert {"f1": 1 / 2, "wer": pytest.approx(2 / 3)} == {
        one.name: one.value for one in scored.scores
    }
