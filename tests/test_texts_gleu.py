"""GLEU is NLTK's, of any tokens and orders, and Hugging Face's google_bleu of texts."""

import random

import pytest
from nltk.translate.gleu_score import corpus_gleu
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

import tallystick
from oracle import near
from tallystick.kinds.metrics.names import parse
from tallystick.metrics import GLEU
from texts import draw_corpus


def draw_tokens(draw: random.Random) -> list[str]:
    return [draw.choice("abcde") for _ in range(draw.randint(0, 9))]


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(10))
def test_values_are_those_of_nltk(seed):
    draw = random.Random(seed)
    expected, actual = [], []
    for _ in range(1000):
        size, order = draw.randint(1, 4), draw.randint(1, 5)
        hypotheses = [draw_tokens(draw) for _ in range(size)]
        references = [[draw_tokens(draw) for _ in range(draw.randint(1, 3))] for _ in range(size)]
        expected.append(corpus_gleu(references, hypotheses, max_len=order))
        actual.append(GLEU(order=order)(hypotheses, references))

    assert expected == actual


def test_texts_are_split_as_google_bleu_splits_them():
    split = Tokenizer13a()
    draw = random.Random(3)
    for _ in range(100):
        hypotheses, references = draw_corpus(draw)
        tokens = [split(text.rstrip()).split() for text in hypotheses]
        several = [[split(text.rstrip()).split() for text in own] for own in references]

        assert near(corpus_gleu(several, tokens)) == GLEU()(hypotheses, references)


def test_the_best_reference_counts():
    assert near(3 / 10) == GLEU()([["a", "b"]], [[["c"], ["a", "b", "c", "d"]]])


def test_it_has_intervals_and_groups():
    gold = ["the cat sat on the mat", "it rains", "we read books", "all is well"] * 5
    output = ["the cat sat", "it rains", "we read a book", "well"] * 5
    result = tallystick.score(gold, output, "google_bleu", by=["x", "y"] * 10)

    assert ["x", "y", "macro", "micro"] == [one.group for one in result.scores]
    assert all(one.low < one.value < one.high for one in result.scores)
    assert parse("google_bleu") == GLEU()
