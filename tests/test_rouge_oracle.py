"""ROUGE, its twin and its stems compute what other packages compute."""

import random
import re
from itertools import product

import numpy as np
import pytest
from msgspec.structs import replace
from nltk.stem.porter import PorterStemmer

from reference import rouge
from reference.rouge import Rule
from summaries import (
    KINDS,
    NAMES,
    TYPES,
    ask_rouge_metric,
    ask_rouge_score,
    build,
    draw_several,
    read_cnndm,
    read_oracle,
    read_seed,
    read_webnlg,
    score_examples,
)
from tallystick import _native
from tallystick.kinds.texts.texts import Texts, encode_texts
from tallystick.metrics import ROUGE

Summaries = tuple[list[str], list[list[str]]]

STEMMERS = [None, "porter"]


def compare(summaries, stemmer):
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
    assert pytest.approx(
        np.array(ask_rouge_metric(tokens, tokenised, rule)), abs=2e-5, rel=0
    ) == np.array(score_examples(build(rule), hypotheses, several))


@pytest.mark.deep
@pytest.mark.parametrize("beta", [1.0, 2.0, 0.5])
@pytest.mark.parametrize(("references", "criterion"), [
    ("best", "f1"), ("best_recall", "f1"), ("sum", "f1"), ("mean", "f1"), ("jackknife", "f1"),
    ("jackknife", "recall"), ("jackknife", "sum"),
])  # fmt: skip
@pytest.mark.parametrize(("variant", "kind"), KINDS)
def test_every_rule_scores_as_its_twin(variant, kind, references, criterion, beta):
    rule = Rule(kind, variant, references, criterion, 1.5, 2, beta)
    hypotheses, several = draw_several(random.Random(6), 60)
    pairs = zip(hypotheses, several, strict=True)
    assert pytest.approx(
        np.array([rouge.score_texts(*texts, rule) for texts in pairs]), abs=1e-12, rel=0
    ) == np.array(score_examples(build(rule), hypotheses, several))


@pytest.mark.parametrize(("setting", "n_values"), [
    ("default_w1.2_S4", 144), ("w2_Sstar", 90), ("best_B", 108), ("S0_p0.2", 54),
    ("jackknife_A", 10), ("jackknife_B", 10),
])  # fmt: skip
def test_what_the_perl_script_prints_comes_out(shared, setting, n_values):
    cases = [case for case in read_oracle(shared) if case.setting == setting]
    actual = [
        score_examples(build(case.rule), [case.hypothesis], [case.references])[0] for case in cases
    ]
    expected = np.array([case.expected for case in cases])
    assert n_values == len(cases)
    assert pytest.approx(expected, abs=2e-5, rel=0) == np.array(actual)


def test_the_seed_s_values_come_out(shared):
    expected, actual = [], []
    for _, kind, hypothesis, reference, wanted in read_seed(shared):
        variant = "paper" if kind == "W" else "google"
        metric = build(Rule(kind, variant, weight=2.0), tokenizer="whitespace")
        (score,) = score_examples(metric, [hypothesis], [reference])
        values = dict(zip(NAMES, score, strict=True))
        expected.append(wanted)
        actual.append({name: pytest.approx(values[name], abs=1e-12) for name in wanted})

    assert 14 == len(expected)
    assert expected == actual


def near(values):
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
@pytest.mark.parametrize(("kind", "options"), [
    ("1", {}), ("2", {}), ("L", {}), ("W", {}), ("W", {"weight": 2.0}), ("S", {}),
    ("S", {"gap": None}), ("SU", {}), ("SU", {"gap": 0}),
])  # fmt: skip
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


STARTS = ["", "a", "y", "by", "cr", "str", "tr", "un", "eni", "oy", "relat", "hopp", "fall", "hiss"]
STARTS += ["fizz", "fil", "fail", "controll", "sens", "adopt", "commun", "homolog", "electr"]
STARTS += [
    *("sky", "di", "ly", "inn", "out", "cann", "how", "proc", "exc", "succ", "new", "sw", "box"),
]
MIDDLES = [
    *("", "at", "ation", "tion", "al", "iv", "iz", "ic", "ful", "ness", "ous", "abl", "bl", "ent"),
]
MIDDLES += ["ement", "ment", "ant", "ion", "ism", "log", "y", "ee", "ll", "ou", "ate", "ible", "li"]
ENDS = [
    *("", "s", "ss", "sses", "ies", "ied", "es", "ed", "eed", "ing", "ings", "y", "e", "er", "ers"),
]
ENDS += ["ly", "li", "ity", "iti", "ance", "ence", "ancy", "enci", "ational", "ization", "iveness"]
ENDS += [
    *("fulness", "ousness", "aliti", "iviti", "biliti", "ogi", "icate", "ative", "alize", "iciti"),
]
ENDS += ["ical", "ness", "ful", "fulli", "alli", "entli", "ousli", "izer", "ator", "alism", "ive"]


def stem(words):
    texts = encode_texts(words)
    return Texts(*map(np.asarray, _native.stem_words(texts.data, texts.offsets))).strings()


def differ(words):
    peer = PorterStemmer()
    pairs = zip(words, stem(words), strict=True)
    return [(word, mine, theirs) for word, mine in pairs if mine != (theirs := peer.stem(word))]


@pytest.mark.parametrize("start", STARTS)
def test_stems_of_built_words_are_those_of_nltk(start):
    words = [start + middle + end for middle, end in product(MIDDLES, ENDS)]
    assert [] == differ([word for word in words if word])


def test_stems_of_short_words_are_those_of_nltk():
    words = ["".join(word) for size in (1, 2, 3, 4) for word in product("abesyiwdln", repeat=size)]
    assert [] == differ(words)


@pytest.mark.deep
def test_stems_of_published_words_are_those_of_nltk(shared):
    paths = [*shared.glob("data/cnndm/*.txt"), *shared.glob("data/webnlg/*.txt")]
    paths += [*shared.glob("data/toxicity/splits/**/*.csv"), *shared.glob("data/wmt23/**/*.en")]
    texts = " ".join(path.read_text(encoding="utf-8") for path in paths).lower()
    words = sorted(set(re.findall("[a-z0-9]+", texts)))
    assert len(words) > 30_000
    assert [] == differ(words)


@pytest.mark.parametrize("word", ["café", "naïvely", "éing", "бегущие", "猫s", "aé", "Éed"])
def test_stems_of_other_words_are_those_of_nltk(word):
    assert [PorterStemmer().stem(word)] == stem([word.lower()])
