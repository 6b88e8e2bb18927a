"""Facts about ROUGE: what other packages compute it computes, and its twin's values beyond them."""

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reference import rouge
from reference.rouge import Rule
from summaries import (
    KINDS,
    TYPES,
    ask_rouge_metric,
    ask_rouge_score,
    build,
    draw_several,
    read_cnndm,
    read_webnlg,
    score_examples,
)
from tallystick.metrics import ROUGE

Summaries = tuple[list[str], list[list[str]]]

STEMMERS = [None, "porter"]


def compare(summaries: Summaries, stemmer: str | None) -> tuple[list[Any], list[Any]]:
    peer = list(ask_rouge_score(*summaries, stem=stemmer is not None))
    expected = [[scores[name] for scores in peer] for name in TYPES]
    kinds = [name.removeprefix("rouge") for name in TYPES]
    return expected, [score_examples(ROUGE(kind, stemmer=stemmer), *summaries) for kind in kinds]


@pytest.mark.deep
@pytest.mark.parametrize("part", range(10))
@pytest.mark.parametrize("stemmer", STEMMERS)
def test_random_summaries_score_as_in_rouge_score(stemmer, part):
    expected, actual = compare(draw_several(random.Random(part), 500), stemmer)

    assert expected == actual


@pytest.mark.deep
@pytest.mark.parametrize("stemmer", STEMMERS)
@pytest.mark.parametrize("read", [read_cnndm, read_webnlg])
@pytest.mark.parametrize("first", range(5))
def test_published_summaries_score_as_in_rouge_score(shared, read, stemmer, first):
    hypotheses, references = (side[first::10] for side in read(shared))
    expected, actual = compare((hypotheses, references), stemmer)

    assert expected == actual


@pytest.mark.parametrize("n", range(4, 10))
def test_long_grams_score_as_in_rouge_score(n):
    draw = random.Random(n)
    hypotheses = [" ".join(draw.choices("ab", k=draw.randint(0, 40))) for _ in range(500)]
    references = [[" ".join(draw.choices("ab", k=30))] for _ in hypotheses]
    peer = ask_rouge_score(hypotheses, references, [f"rouge{n}"])

    assert [score for scores in peer for score in scores.values()] == score_examples(
        ROUGE(str(n)), hypotheses, references
    )


@pytest.mark.deep
@pytest.mark.parametrize("stemmer", STEMMERS)
def test_long_summaries_score_as_in_rouge_score(stemmer):
    draw = random.Random(4)
    words = ["running", "ran", "relations", *"abcdefgh"]
    texts = [
        " ".join(draw.choices([*words, "\n"], weights=[*[5] * len(words), 1], k=400))
        for _ in range(30)
    ]
    expected, actual = compare((texts[::2], [[text] for text in texts[1::2]]), stemmer)

    assert expected == actual


RULES = [Rule("W", weight=1.2), Rule("W", weight=2.0), Rule("S"), Rule("S", gap=0)]
RULES += [Rule("S", gap=None), Rule("SU"), Rule("SU", gap=1), Rule("L"), Rule("2")]


@pytest.mark.deep
@pytest.mark.parametrize("references", ["sum", "best_recall"])
@pytest.mark.parametrize("rule", RULES)
def test_random_summaries_score_as_in_rouge_metric(rule, references):
    rule = replace(rule, variant="1.5.5", references=references)
    hypotheses, several = draw_several(random.Random(5), 500)
    tokens = [rouge.split(text) for text in hypotheses]
    tokenised = [[rouge.split(text) for text in own] for own in several]
    expected = np.array(ask_rouge_metric(tokens, tokenised, rule))

    assert pytest.approx(expected, abs=2e-5, rel=0) == np.array(
        score_examples(build(rule), hypotheses, several)
    )


@pytest.mark.deep
@pytest.mark.parametrize("beta", [1.0, 2.0, 0.5])
@pytest.mark.parametrize(
    ("references", "criterion"),
    [
        ("best", "f1"),
        ("best_recall", "f1"),
        ("sum", "f1"),
        ("mean", "f1"),
        ("jackknife", "f1"),
        ("jackknife", "recall"),
        ("jackknife", "sum"),
    ],
)
@pytest.mark.parametrize(("variant", "kind"), KINDS)
def test_every_rule_scores_as_its_twin(variant, kind, references, criterion, beta):
    rule = Rule(kind, variant, references, criterion, 1.5, 2, beta)
    hypotheses, several = draw_several(random.Random(6), 60)
    pairs = zip(hypotheses, several, strict=True)
    expected = np.array([rouge.score_texts(*texts, rule) for texts in pairs])

    assert pytest.approx(expected, abs=1e-12, rel=0) == np.array(
        score_examples(build(rule), hypotheses, several)
    )
