"""Facts about seed 004: every BLEU value of its notebook comes out, and the parts it is made of."""

import json
from pathlib import Path
from typing import Any

import pytest

from tallystick.metrics import BLEU, BrevityPenalty, NgramPrecision, ReferenceLength

Row = dict[str, Any]


@pytest.fixture
def rows(shared: Path) -> dict[str, Row]:
    path = shared / "acceptance" / "seed_notebook_values.json"
    values = json.loads(path.read_text(encoding="utf-8"))["values"]
    return {row["id"]: row for row in values}


def near(value: float) -> Any:
    return pytest.approx(value, abs=1e-12, rel=0)


@pytest.mark.parametrize(
    ("name", "n"),
    [
        ("modified_precision_1_latex_as_executed", 1),
        ("modified_precision_1_latex_raw_string_variant", 1),
        ("modified_precision_2", 2),
        ("modified_precision_1", 1),
        ("modified_precision_of_the_1", 1),
        ("modified_precision_of_the_2", 2),
    ],
)
def test_modified_precisions_come_out(rows, name, n):
    row = rows[name]
    metric = NgramPrecision(n, tokenizer=str.split)

    assert n == row["n"]
    assert near(row["got"]) == metric([row["candidate"]], [row["references"]])


def test_the_brevity_penalty_and_its_reference_length_come_out(rows):
    row = rows["brevity_penalty_of_the"]
    texts = [row["candidate"]], [row["references"]]

    assert row["closest_ref_length"] == ReferenceLength("none")(*texts)
    assert near(row["notebook"]) == BrevityPenalty("none")(*texts)


@pytest.mark.parametrize(
    "name", ["corpus_bleu_chars_as_executed", "corpus_bleu_chars_raw_string_variant"]
)
def test_bleu_of_characters_comes_out(rows, name):
    row = rows[name]
    metric = BLEU(tokenizer=list, smoothing="none")

    assert near(100 * row["got"]) == metric(row["hypotheses"], row["references"])
