"""Spans in the formats of annotation tools and pipelines, and sequences of tags."""

import json
import random

import pytest
from seqeval.metrics import f1_score

import tallystick
from oracle import near
from tallystick import InputError, UsageError
from tallystick.cli import main

ANNA, LEE = [0, 4, "PER"], [9, 16, "PER"]


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")


def lines(*rows):
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def show(capsys, *words):
    assert main(["score", *words, "--no-intervals", "--format", "json"]) == 0, capsys.readouterr()
    found = json.loads(capsys.readouterr().out)
    return [one["value"] for one in found["scores"]], found


SHAPES = [
    {"start_offset": 0, "end_offset": 4, "label": "PER"},
    {"start_offset": 0.0, "end_offset": 4.0, "label": "PER", "id": 7},
    {"startOffset": "0", "endOffset": "4", "labels": ["PER"]},
    {"entity_group": "PER", "score": 0.9, "word": "Anna", "start": 0, "end": 4},
    {"entity": "PER", "start_char": 0, "end_char": 4},
    {"type": "PER", "offsets": [[0, 4]], "text": ["Anna"]},
    {"label": "PER", "fragments": [[0, 2], [2, 4]]},
    ["0", "4", "PER"],
    ["0.0", 4, ["PER"]],
]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("column", ["label", "labels", "entities", "spans"])
def test_spans_are_read_in_the_shapes_of_annotation_tools(column, shape, tmp_path, capsys):
    gold = {"id": 1, "text": "Anna met Bob Lee", column: [ANNA, LEE], "relations": []}
    write(tmp_path, {"g.jsonl": lines(gold), "s.jsonl": lines({"id": 1, column: [shape]})})
    values, _ = show(capsys, f"{tmp_path}/g.jsonl", f"{tmp_path}/s.jsonl", "-m", "span_f1")
    assert values == [near(2 / 3)]
    assert near(2 / 3) == tallystick.score([[shape]], [[ANNA, LEE]], "span_f1").scores[0].value


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ({"entity": "B-PER", "word": "An", "start": 0, "end": 2}, "aggregation_strategy='simple'"),
        ([0.5, 4, "PER"], "whole numbers"),
        (["zero", "4", "PER"], "one side has spans and the other facts"),
        ([True, 4, "PER"], "whole numbers"),
        ([4, 4.0, "PER"], "ends where it begins"),
        ({"start": 0, "end": 4, "labels": []}, "the label is text"),
        ({"fragments": [[0, 4], [5]], "label": "PER"}, "is not a span"),
        ({"fragments": [], "label": "PER"}, "is not a span"),
    ],
)
def test_shapes_that_are_no_spans_are_rejected(shape, message):
    with pytest.raises(InputError, match=message):
        tallystick.score([[ANNA]], [[shape]], "span_f1")


PARTED = {"label": "X", "fragments": [[9, 12], [0, 4]]}


@pytest.mark.parametrize(
    ("gold", "own", "metric", "value"),
    [
        ([PARTED], [{"type": "X", "offsets": [[0, 4], [9, 12]]}], "span_f1", 1),
        ([PARTED], [[0, 12, "X"]], "span_f1", 0),
        ([PARTED], [{"label": "X", "fragments": [[0, 4], [10, 12]]}], "span_f1", 0),
        ([PARTED, [0, 12, "X"], [0, 12, "Y"]], [[0, 12, "Z"]], "exact_span_f1", 2 / 4),
        ([PARTED, [0, 12, "Y"]], [{**PARTED, "label": "Z"}], "exact_span_f1", 2 / 3),
        ([PARTED], [[0, 12, "X"]], "character_span_f1", 2 * 7 / (7 + 12)),
        ([PARTED], [[0, 4, "X"], [9, 12, "Y"]], "character_span_f1", 2 * 4 / (7 + 7)),
        ([[0, 12, "X"]], [PARTED], "character_span_precision", 1),
    ],
)
def test_pieces_of_a_span_match_together_and_by_character(gold, own, metric, value):
    sides = [gold, [ANNA], []], [own, [ANNA], []]
    alone = tallystick.score(sides[0][:1], sides[1][:1], metric, intervals=False)
    assert alone.scores[0].value == near(value)
    both = tallystick.score(sides[0][1:], sides[1][1:], metric, intervals=False)
    assert both.scores[0].value == 1


@pytest.mark.parametrize("match", ["partial", "type", "overlap"])
def test_pieces_of_a_span_have_no_overlap(match):
    with pytest.raises(UsageError, match="spans in several pieces match strictly"):
        tallystick.score([[PARTED]], [[[0, 4, "X"]]], f"{match}_span_f1")


@pytest.mark.parametrize("seed", range(5))
def test_tags_that_end_in_their_letter_are_read_as_seqeval_reads_them(seed):
    drawn = random.Random(seed)
    tags = ["O", "PER-B", "PER-I", "LOC-B", "LOC-I"]
    gold, own = ([drawn.choices(tags, k=9) for _ in range(20)] for _ in "ab")
    expected = f1_score(gold, own, suffix=True)
    assert tallystick.score(gold, own, "span_f1").scores[0].value == near(expected)
    assert tallystick.score(gold, gold, "span_f1", scheme="iob2").scores[0].value == 1


BRAT = {
    "gold/d1.ann": "T1\tPER 0 4\tAnna\nR1\tx Arg1:T1 Arg2:T2\n#1\tAnnotatorNotes T1\tsure\n",
    "gold/d1.txt": "Anna lives in Rome, Lazio",
    "gold/d2.ann": "T1\tLOC 0 4;9 12\tRome and\nA1\tNegated T1\n",
    "gold/sub/d3.ann": "",
    "gold/sub/d3.txt": "nothing",
    "own/d1.ann": "T1\tPER 0 4\tAnna\nT2\tPER 5 10\tlives\n",
    "own/d2.ann": "T7\tLOC 0 4;9 12\tRome and\n",
    "own/sub/d3.ann": "",
    "one.ann": "T1\tPER 0 4\tAnna\nT2\tLOC 12 16;20 24\tRome Lazi\n",
    "other.ann": "T1\tPER 0 4\tAnna\n",
}


@pytest.fixture
def brat(tmp_path, monkeypatch):
    write(tmp_path, BRAT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("files", "metric", "value"),
    [
        (("gold", "own"), "span_f1", 4 / 5),
        (("gold", "own"), "character_span_f1", 2 * 11 / (11 + 16)),
        (("one.ann", "other.ann"), "span_f1", 2 / 3),
        (("one.ann", "other.ann"), "span_precision", 1),
    ],
)
def test_documents_of_brat_are_rows(files, metric, value, brat, capsys):
    values, found = show(capsys, *files, "-m", metric)
    assert values == [near(value)]
    noted = any("only the spans (T) of brat" in note for note in found["notes"])
    assert noted == (files[0] == "gold")


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("own/d1.ann", "T1\tPER 0 40\tAnna\n", "a span ends at 40"),
        ("own/d1.ann", "T1\tPER 4 0\tAnna\n", "ends where it begins"),
        ("own/d1.ann", "Anna lives\n", "line 1 is no annotation of brat"),
        ("own/d1.ann", "T1\tPER 0\tAnna\n", "line 1 is no annotation of brat"),
        ("own/d4.ann", "T1\tPER 0 4\tAnna\n", "d4"),
        ("own/d1.ann", None, "has no prediction for the id d1"),
    ],
)
def test_documents_of_brat_that_do_not_fit_are_rejected(path, text, message, brat, capsys):
    (brat / path).unlink(missing_ok=True)
    if text is not None:
        write(brat, {path: text})
    assert main(["score", "gold", "own", "-m", "span_f1"]) == 4
    assert message in capsys.readouterr().err
