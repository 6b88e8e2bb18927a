"""Means of the scores of single segments, against sacreBLEU."""

import random

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF

import tallystick
from cases import cases

RANDOM = random.Random(1)
WORDS = [*"abcdefghijk", "Die", "Katze", ".", ","]
REFERENCES = [" ".join(RANDOM.choices(WORDS, k=RANDOM.randint(1, 9))) for _ in range(2_000)]
OUTPUTS = [
    " ".join(word for word in text.split() if RANDOM.random() < 0.8) or RANDOM.choice(["", "cat"])
    for text in REFERENCES
]


@cases(
    "metric peer",
    ("sentence_bleu", BLEU(effective_order=True)),
    ("sentence_bleu(smoothing=floor)", BLEU(effective_order=True, smooth_method="floor")),
    ("sentence_bleu(lowercase=True)", BLEU(effective_order=True, lowercase=True)),
    ("sentence_bleu(tokenizer=char)", BLEU(effective_order=True, tokenize="char")),
    ("sentence_chrf", CHRF()),
    ("sentence_chrf(word_order=2)", CHRF(word_order=2)),
)
def test_means_of_segments_equal_sacrebleu(metric, peer):
    pairs = zip(OUTPUTS, REFERENCES, strict=True)
    wanted = np.mean([peer.sentence_score(output, [gold]).score for output, gold in pairs])
    (found,) = tallystick.score(REFERENCES, OUTPUTS, metric, task="text").scores
    assert found.value == pytest.approx(wanted, rel=1e-9)
    assert found.low < found.value < found.high


@cases("metric", "sentence_bleu", "sentence_chrf")
def test_systems_are_compared_by_their_segments(metric):
    worse = {"a": OUTPUTS, "b": OUTPUTS[::-1]}
    (found,) = tallystick.compare(REFERENCES, worse, metric, task="text").differences
    assert found.p_holm < 0.001
    assert tallystick.score(["a b"], ["c"], metric, task="text").scores[0].value == 0
