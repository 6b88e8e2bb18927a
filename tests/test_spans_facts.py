"""Slots of JSON objects, tuples and relations are matched as spans are, with types as theirs."""

import json
from collections import Counter

import numpy as np
import pytest

import tallystick
from tallystick import InputError, UsageError
from tallystick.cli import main

GOLD = [
    {"city": "Paris", "date": {"year": 2024}},
    {"city": "Rome", "items": ["a", "b", "b"], "none": None},
    {},
]
OUTPUT = [
    {"city": "Paris", "date": {"year": 2024.0}},
    {"city": "Rom", "items": ["b", "b", "c"]},
    {"extra": "x"},
]


def count(gold: list[tuple[object, ...]], output: list[tuple[object, ...]]) -> tuple[int, int, int]:
    return (Counter(gold) & Counter(output)).total(), len(output), len(gold)


def list_triples(rng: np.random.Generator, examples: int) -> list[list[list[str]]]:
    return [
        [[f"h{rng.integers(3)}", f"r{rng.integers(2)}", f"t{rng.integers(3)}"] for _ in range(n)]
        for n in rng.integers(0, 5, examples)
    ]


def test_slots_are_found_by_key_and_value():
    result = tallystick.score(GOLD, OUTPUT, ["span_precision", "span_recall"])

    assert pytest.approx([4 / 7, 4 / 6]) == [one.value for one in result.scores[:2]]


def test_each_key_has_its_own_score():
    result = tallystick.score(GOLD, OUTPUT, "SpanF1(average=None)")

    assert {"city": 0.5, "date.year": 1.0, "items": pytest.approx(2 / 3), "extra": 0.0} == {
        one.label: one.value for one in result.scores
    }


@pytest.mark.parametrize("seed", range(10))
def test_tuples_match_as_multisets(seed):
    rng = np.random.default_rng(seed)
    gold, output = list_triples(rng, 40), list_triples(rng, 40)
    found = [
        count([tuple(one) for one in golden], [tuple(one) for one in own])
        for golden, own in zip(gold, output, strict=True)
    ]
    hits, given, there = np.sum(found, 0)

    assert pytest.approx(2 * hits / (given + there)) == (
        tallystick.score(gold, output, "span_f1").scores[0].value
    )


@pytest.mark.parametrize(
    ("head", "value"),
    [([0, 5, "PER"], 1.0), ([0, 5, "ORG"], 0.0), ([0, 4, "PER"], 0.0), ({"text": "Bob"}, 0.0)],
)
def test_relations_have_the_same_head_tail_and_type(head, value):
    gold = [[{"head": [0, 5, "PER"], "tail": [9, 12, "ORG"], "type": "works_at"}]]
    output = [[{"tail": [9, 12, "ORG"], "relation": "works_at", "head": head}]]

    assert value == tallystick.score(gold, output, "span_f1").scores[0].value


def test_a_table_of_objects_is_read_without_options(tmp_path, capsys):
    rows = [
        {"id": n, "gold": g, "pred": o} for n, (g, o) in enumerate(zip(GOLD, OUTPUT, strict=True))
    ]
    lines, table = tmp_path / "all.jsonl", tmp_path / "all.csv"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    cells = [
        [json.dumps(row[name]).replace('"', '""') for name in ("gold", "pred")] for row in rows
    ]
    table.write_text("gold,pred\n" + "".join(f'"{one}","{other}"\n' for one, other in cells))
    found = []
    for path in (lines, table):
        assert 0 == main(["score", str(path), "--format", "json"])
        scores = json.loads(capsys.readouterr().out)["scores"]
        found.append([(one["name"], one["label"], one["value"]) for one in scores])

    assert found[0] == found[1]
    assert ("micro_span_recall", None, pytest.approx(4 / 6)) in found[0]


def test_differences_show_what_facts_say(tmp_path, capsys):
    path, out = tmp_path / "all.jsonl", tmp_path / "flips.csv"
    rows = [{"gold": [["a", "r", "b"]], "x": [["a", "r", "b"]], "y": [["a", "r", "c"]]}] * 3
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    main(["compare", str(path), "--systems", "x", "y", "-m", "span_f1", "--flips", str(out)])
    capsys.readouterr()

    assert 'r [""a"", ""c""]' in out.read_text()


def test_facts_have_no_place():
    with pytest.raises(UsageError, match="match strictly or exactly, not partial"):
        tallystick.score(GOLD, OUTPUT, "partial_span_f1")


@pytest.mark.parametrize("output", [[[[0, 5, "PER"]]] * 3, [[[0, 5, "PER"]], {"a": "b"}, {}]])
def test_facts_and_spans_do_not_mix(output):
    with pytest.raises(InputError, match="facts, which have no position"):
        tallystick.score(GOLD, output, "span_f1")
