"""Several references of a text: in columns, in rows of one id, and separated by tabs."""

import json

import pandas as pd
import pytest
import sacrebleu

import tallystick
from oracle import near
from tallystick import InputError, UsageError
from tallystick.cli import main

REFERENCES = [["a cat sits on a mat", "cat on mat"], ["dog runs fast"]]
OUTPUTS = ["a cat on a mat", "a dog runs"]
ROUGE = near((10 / 11 + 2 / 3) / 2)
"""The mean of the best F1 of each example: 10/11 and 2/3."""
HYPOTHESES = "id,hypothesis\n2,a dog runs\n1,a cat on a mat\n"


def show(capsys, *words):
    assert main(["score", *words, "--no-intervals", "--format", "json"]) == 0, capsys.readouterr()
    return [one["value"] for one in json.loads(capsys.readouterr().out)["scores"]]


WIDE = "id,reference_1,reference_2,hypothesis\n1,a cat sits on a mat,cat on mat,a cat on a mat\n"
WIDE += "2,dog runs fast,,a dog runs\n"
LONG = "id,reference\n1,a cat sits on a mat\n2,dog runs fast\n1,cat on mat\n"


@pytest.mark.parametrize(
    ("gold", "options"),
    [
        (WIDE, []),
        (WIDE, ["--reference-column", "reference_1", "reference_2"]),
        (WIDE.replace("reference_", "Ref "), []),
        (WIDE.replace("reference_1", "reference"), []),
        (LONG, ["{}/hypotheses.csv"]),
        (LONG, ["{}/hypotheses.csv", "--workers", "2"]),
        (WIDE.replace(",hypothesis", ",x.y"), ["--predicted-column", "x.y"]),
        (
            "id,reference,hypothesis\n1,a cat sits on a mat,a cat on a mat\n"
            "1,cat on mat,a cat on a mat\n2,dog runs fast,a dog runs\n",
            [],
        ),
    ],
)
def test_references_in_columns_and_rows_count_as_those_in_a_list(gold, options, tmp_path, capsys):
    (tmp_path / "gold.csv").write_text(gold)
    (tmp_path / "hypotheses.csv").write_text(HYPOTHESES)
    words = [word.format(tmp_path) for word in options]
    assert show(capsys, f"{tmp_path}/gold.csv", *words, "-m", "rougeL") == [ROUGE]


@pytest.mark.parametrize(
    ("gold", "layout"),
    [
        ({"reference_1": [one[0] for one in REFERENCES], "reference_2": ["cat on mat", None]}, {}),
        ({"a": ["a cat sits on a mat", "dog runs fast"], "b": ["cat on mat", ""]}, "ab"),
        ({"id": [1, 1, 2], "reference": ["a cat sits on a mat", "cat on mat", "dog runs fast"]}, 0),
    ],
)
def test_references_in_frames_count_as_those_in_a_list(gold, layout):
    frame = pd.DataFrame(gold)
    outputs = pd.DataFrame({"hypothesis": OUTPUTS})
    if "id" in gold:
        outputs["id"] = [1, 2]
    named = {"gold": [*layout]} if layout else {}
    found = tallystick.score(frame, outputs, metrics=["rougeL"], **named)
    assert found.scores[0].value == ROUGE


def test_several_columns_of_labels_are_rejected(tmp_path):
    (tmp_path / "gold.csv").write_text("a,b,output\nx,y,x\n")
    with pytest.raises(UsageError, match="several columns of gold are references"):
        tallystick.score(f"{tmp_path}/gold.csv", gold=["a", "b"], metrics=["accuracy"])


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter"])
def test_references_separated_by_tabs_have_the_scores_of_sacrebleu(metric, tmp_path, capsys):
    first, second = (
        ["a cat sits on a mat", "dog runs fast here"],
        ["cat on mat", "the dog runs\tso"],
    )
    rows = zip(first, second, strict=True)
    (tmp_path / "tabs.txt").write_text("".join(f"{one}\t{other}\n" for one, other in rows))
    (tmp_path / "hyp.txt").write_text("a cat on a mat\na dog runs here\n")
    words = [f"{tmp_path}/tabs.txt", f"{tmp_path}/hyp.txt", "--num-refs", "2", "-m", metric]
    own = {
        "bleu": sacrebleu.corpus_bleu,
        "chrf": sacrebleu.corpus_chrf,
        "ter": sacrebleu.corpus_ter,
    }
    expected = own[metric](["a cat on a mat", "a dog runs here"], [first, second]).score
    assert show(capsys, *words) == [near(expected)]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a\tb\nc\n", {}, "tabs.txt: line 2 has 1 reference separated by tabs, and 2 were"),
        ("a\tb\nc\t\n", {}, "line 2 has 1 reference separated by tabs"),
        ("a\tb\nc\td\n", {"references": ["more.txt"]}, "1 or more, and one file of references"),
        ("a\tb\nc\td\n", {"num_refs": 0}, "1 or more, and one file of references"),
    ],
)
def test_lines_with_other_numbers_of_references_are_rejected(text, options, message, tmp_path):
    (tmp_path / "tabs.txt").write_text(text)
    (tmp_path / "hyp.txt").write_text("a\nc\n")
    call = {"num_refs": 2, "metrics": ["chrf"], **options}
    with pytest.raises((InputError, UsageError), match=message):
        tallystick.score(f"{tmp_path}/tabs.txt", f"{tmp_path}/hyp.txt", **call)


def test_blank_references_between_tabs_may_be_missing(tmp_path):
    (tmp_path / "tabs.txt").write_text("a b\tb\nc d\t\n")
    (tmp_path / "hyp.txt").write_text("b\nc d\n")
    call = {"num_refs": 2, "metrics": ["wer"], "blank_is_missing": True}
    found = tallystick.score(f"{tmp_path}/tabs.txt", f"{tmp_path}/hyp.txt", **call)
    assert found.scores[0].value == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a.b": 0.25}\n{"a.b": 0.75}\n', ["-m", "mean(a.b)"]),
        ('{"a": {"b": 0.25}}\n{"a": {"b": 0.75}}\n', ["-m", "mean(a.b)"]),
        ('{"h.txt": [{"x.y": 0.25}, {"x.y": 0.75}]}', ["--rows", "h.txt", "-m", "mean(x.y)"]),
        ('{"a.b": {"c.d": [{"x": 0.5}]}}', ["--rows", "a.b.c.d", "-m", "mean(x)"]),
    ],
)
def test_keys_may_contain_dots(text, words, tmp_path, capsys):
    (tmp_path / "gold.json").write_text(text)
    assert show(capsys, f"{tmp_path}/gold.json", *words) == [0.5]
