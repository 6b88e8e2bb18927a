"""Facts about BLEU, chrF and TER: with every option they count and score as sacreBLEU does."""

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu import metrics as peer

import tallystick
from strategies import STEADY
from tallystick.kinds.texts.text_columns import read_pairs
from tallystick.metrics import BLEU, TER, ChrF, Metric
from texts import draw_corpus, stream

N_CORPORA = 1_500
"""Of 3.5 examples each, so that every metric sees more than 5,000."""

PARTS = pytest.mark.parametrize("part", range(10))

Pair = tuple[Metric, Any]


def near(value):
    return pytest.approx(value, abs=1e-9, rel=0)


def flip(draw):
    return draw.random() < 0.5


def draw_bleu(draw):
    tokenizer = draw.choice(["13a", "13a", "none", "char", "intl", "zh"])
    smoothing = draw.choice(["exp", "floor", "add-k", "none"])
    value = draw.choice([None, 0.01, 0.5, 1, 3]) if smoothing in ("floor", "add-k") else None
    effective, lowercase = flip(draw), flip(draw)
    order = draw.choice([4, 4, *range(1, 17)])
    return BLEU(tokenizer, smoothing, value, effective, lowercase, order), peer.BLEU(
        lowercase=lowercase,
        force=True,
        tokenize=tokenizer,
        smooth_method=smoothing,
        smooth_value=value,
        max_ngram_order=order,
        effective_order=effective,
    )


def draw_chrf(draw):
    char_order, word_order = draw.choice([(6, 0), (6, 2), (6, 1), (1, 0), (0, 3), (16, 16), (3, 5)])
    beta = draw.choice([2, 1, 3, 0.5])
    whitespace, eps, lowercase = flip(draw), flip(draw), flip(draw)
    return ChrF(char_order, word_order, beta, whitespace, eps, lowercase), peer.CHRF(
        char_order, word_order, beta, lowercase, whitespace, eps
    )


def draw_ter(draw):
    options = [flip(draw) for _ in range(4)]
    return TER(*options), peer.TER(*options)


@pytest.mark.deep
@PARTS
@pytest.mark.parametrize("draw_pair", [draw_bleu, draw_chrf, draw_ter])
def test_statistics_and_scores_equal_sacrebleu(draw_pair, part):
    draw = random.Random(part)
    corpora = [(draw_corpus(draw), draw_pair(draw)) for _ in range(N_CORPORA // 10)]
    expected_counts, expected, counts, actual = [], [], [], []
    for (hypotheses, references), (metric, other) in corpora:
        expected_counts.append(other._extract_corpus_statistics(hypotheses, stream(references)))
        expected.append(other._aggregate_and_compute(expected_counts[-1]).score)
        counts.append(metric.counter.rows(read_pairs(hypotheses, references)).tolist())
        actual.append(metric(hypotheses, references))

    assert expected_counts == counts
    assert near(expected) == actual


@pytest.mark.deep
@PARTS
def test_chrf_is_that_of_sacrebleu_to_the_last_bit(part):
    draw = random.Random(part)
    expected, actual = [], []
    for _ in range(500):
        hypotheses, references = draw_corpus(draw, n=1)
        metric, other = draw_chrf(draw)
        expected.append(other.corpus_score(hypotheses, stream(references)).score)
        actual.append(metric(hypotheses, references))

    assert expected == actual


@pytest.mark.deep
@PARTS
@pytest.mark.parametrize("draw_pair", [draw_bleu, draw_chrf, draw_ter])
def test_segments_score_as_sentences_do_in_sacrebleu(draw_pair, part):
    draw = random.Random(part)
    expected, actual = [], []
    for _ in range(50):
        hypotheses, references = draw_corpus(draw)
        metric, other = draw_pair(draw)
        other.effective_order = True  # as sentence_bleu has it
        expected += [
            other.sentence_score(*pair).score for pair in zip(hypotheses, references, strict=True)
        ]
        scored = tallystick.score(references, hypotheses, metrics=metric, segments=True)
        actual += [score.value for score in scored.scores]

    assert near(expected) == actual


@pytest.mark.deep
@PARTS
@pytest.mark.parametrize("draw_pair", [draw_bleu, draw_chrf, draw_ter])
def test_signatures_are_those_of_sacrebleu(draw_pair, part):
    draw = random.Random(part)
    expected, actual = [], []
    for _ in range(30):
        hypotheses, references = draw_corpus(draw)
        metric, other = draw_pair(draw)
        other.corpus_score(hypotheses, stream(references))
        expected.append(other.get_signature().format())
        actual.append(
            tallystick.score(references, hypotheses, metrics=metric).scores[0].peer_signature
        )

    assert expected == actual


@pytest.mark.deep
@STEADY
@given(
    st.lists(st.tuples(st.text(), st.lists(st.text(), min_size=1, max_size=3)), min_size=1),
    st.randoms(use_true_random=False),
)
@pytest.mark.parametrize("draw_pair", [draw_bleu, draw_chrf, draw_ter])
def test_texts_of_any_characters_score_as_in_sacrebleu(draw_pair, examples, draw):
    hypotheses, references = map(list, zip(*examples, strict=True))
    metric, other = draw_pair(draw)
    expected = other.corpus_score(hypotheses, stream(references)).score
    assert near(expected) == metric(hypotheses, references)


@pytest.mark.parametrize(("weights", "expected"), [
    ((1, 0), 100 * 3 / 4),
    ((0, 5), 100 * 1 / 3),
    ((0.5, 0.5), 100 * (3 / 4 * 1 / 3) ** 0.5),
    ((3, 1), 100 * ((3 / 4) ** 3 * 1 / 3) ** 0.25),
])  # fmt: skip
def test_weights_weigh_orders_against_each_other(weights, expected):
    assert near(expected) == BLEU(order=2, weights=weights)(["a b c d"], ["a b x d"])


def test_an_order_that_weighs_nothing_may_lack_matches():
    assert near(50) == BLEU(smoothing="none", weights=(1, 0, 0, 0))(["a b"], ["a c"])


def test_an_empty_reference_is_one_and_a_missing_one_is_none():
    missing, empty = ["a b c", ["a b c d e f g", None]], ["a b c", ["a b c d e f g", ""]]
    scores = [BLEU(order=1)(["a b c", "a b"], references) for references in (missing, empty)]
    expected = [
        peer.BLEU(max_ngram_order=1)
        .corpus_score(["a b c", "a b"], [["a b c", "a b c d e f g"], [None, second]])
        .score
        for second in (None, "")
    ]

    assert near(expected) == scores
    assert scores[0] < scores[1]


def read_golden(shared, name):
    lines = (shared / "acceptance" / "golden_mt.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.startswith("[")]
    return [row for row in rows if row[0].startswith(name)]


NAMES = {"tokenize": "tokenizer", "smooth_method": "smoothing", "max_ngram_order": "order"}


@pytest.mark.parametrize(
    ("name", "kind", "n_rows"), [("BLEU", BLEU, 10), ("chrF", ChrF, 7), ("TER", TER, 5)]
)
def test_golden_scores_come_out(shared, name, kind, n_rows):
    rows = read_golden(shared, name)
    actual = [
        kind(**{NAMES.get(key, key): value for key, value in options.items()})(
            hypotheses, [list(own) for own in zip(*streams, strict=True)]
        )
        for _, hypotheses, streams, options, *_ in rows
    ]

    assert n_rows == len(rows)
    assert near([row[4] for row in rows]) == actual
