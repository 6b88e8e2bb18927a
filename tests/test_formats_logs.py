"""Forms in which tools write their logs, and the scores that they report of them."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

import logs
from faults import call
from logs import Row, make_every, make_harness

PAIRS = [[-12.5, 4], [-12.5, 4], [-20, 9]]
NATS = 45.0


def make_rows(*values: object, name: str = "acc", **more: object) -> list[Row]:
    return [
        make_harness(n, None, metrics=[name], **{name: value}, **more)
        for n, value in enumerate(values)
    ]


def write_pairs(name: str, pairs: Any = PAIRS) -> list[Row]:
    return make_rows(*pairs, name=name)


@pytest.mark.parametrize(
    ("rows", "values"),
    [
        (make_rows("0.0", "1.0", "1.0"), {"mean(acc)": 2 / 3}),
        (make_rows("False", "True", "nan"), {"mean(acc)": 0.5}),
        (make_rows("0", None, "1"), {"mean(acc)": 0.5}),
        (
            make_rows(*({"id": "v", "score": n % 2, "answer": "A"} for n in range(3))),
            {"mean(acc.score)": 1 / 3},
        ),
        (write_pairs("word_perplexity"), {"perplexity(word_": math.exp(NATS / 17)}),
        (write_pairs("byte_perplexity"), {"perplexity(byte_": math.exp(NATS / 17)}),
        (write_pairs("bits_per_byte"), {"ratio(bits_": NATS / 17 / math.log(2)}),
        (write_pairs("perplexity", [-1.5, -2.5]), {"perplexity(perplexity": math.exp(2)}),
        (
            [row | {"filter": ""} for value in (0.0, 1.0) for row in make_rows(value, 1.0)],
            {"mean(acc,1)": 0.5, "mean(acc,2)": 1.0},
        ),
    ],
    ids=["texts", "booleans", "gaps", "objects", "words", "bytes", "bits", "mean", "passes"],
)
@pytest.mark.parametrize("form", ["lines", "list", "indented"])
def test_samples_have_the_scores_that_lm_eval_makes_of_them(tmp_path, capsys, form, rows, values):
    path = tmp_path / "samples_t.jsonl"
    if form == "lines":
        logs.write(path, rows)
    else:
        path.write_text(json.dumps(rows, indent=1 if form == "indented" else None))
    found = {name: value for name, _, value, _ in logs.score(capsys, str(path))}
    assert len(values) == len(found)
    for name, value in values.items():
        assert [value] == [pytest.approx(own) for key, own in found.items() if key.startswith(name)]


@pytest.mark.parametrize("command", ["score", "compare", "rank"])
def test_perplexities_of_two_logs_are_compared_by_the_name_of_the_log(tmp_path, command):
    paths = [
        logs.write(tmp_path / name, write_pairs("word_perplexity", PAIRS[:at] + [[-1, 4]] * 3))
        for at, name in enumerate(["samples_a.jsonl", "samples_b.jsonl"])
    ]
    outcome = call(command, *paths, "-m", "word_perplexity")
    assert (0, True) == (outcome.code, f"{math.exp(3 / 12):.3f}" in outcome.out)


def test_a_list_of_evaluations_is_read_as_lines_are(tmp_path, capsys):
    path = tmp_path / "eee.json"
    path.write_text(json.dumps([make_every(name, value) for name, value in (("a", 1), ("b", 0))]))
    assert [("mean(score)", None, 0.5, 2)] == logs.score(capsys, str(path))


def test_perplexity_is_that_of_all_tokens(tmp_path: Path):
    (tmp_path / "a.csv").write_text("nll,tokens\n2,1\n4,3\n")
    outcome = call("score", str(tmp_path / "a.csv"), "-m", "perplexity(nll, tokens)")
    assert (0, True) == (outcome.code, f"{math.exp(6 / 4):.3f}" in outcome.out)
