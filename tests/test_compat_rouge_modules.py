"""Facts about the modules of the drop-in package: they offer what those of rouge_score offer."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer
from rouge_score import rouge_scorer as peer_scorer
from rouge_score import scoring as peer_scoring
from rouge_score import tokenize as peer_tokenize
from rouge_score import tokenizers as peer_tokenizers

from strategies import STEADY
from summaries import draw_several
from tallystick.compat import rouge_score
from tallystick.compat.rouge_score import rouge_scorer, scoring, tokenize, tokenizers
from texts import draw_text

TYPES = ["rouge1", "rouge2", "rougeL", "rougeLsum"]


class Initials(tokenizers.Tokenizer):
    """A tokenizer of one's own."""

    def tokenize(self, text: str) -> list[str]:
        """The first character of each word."""
        return [word[0] for word in text.split()]


class Cropper:
    """A stemmer of one's own, some of whose stems are no tokens."""

    def stem(self, word: str) -> str:
        """The word without its first three characters and with a mark for an e."""
        return word[3:].replace("e", "-")


def test_the_package_has_the_classes_of_its_modules():
    assert rouge_score.RougeScorer is rouge_scorer.RougeScorer
    assert rouge_score.Score is scoring.Score
    assert rouge_score.BootstrapAggregator is scoring.BootstrapAggregator
    assert issubclass(rouge_scorer.RougeScorer, scoring.BaseScorer)


@pytest.mark.parametrize("use_stemmer", [False, True])
def test_the_default_tokenizer_is_that_of_rouge_score(use_stemmer):
    draw = random.Random(1)
    texts = [draw_text(draw) for _ in range(500)] + draw_several(draw, 200)[0]
    expected = map(peer_tokenizers.DefaultTokenizer(use_stemmer).tokenize, texts)
    assert [*expected] == [*map(tokenizers.DefaultTokenizer(use_stemmer).tokenize, texts)]


@STEADY
@given(st.text("abcdeé \n.-'0\u212aİ", max_size=40))
@pytest.mark.parametrize("stemmer", [None, PorterStemmer(), Cropper()])
def test_texts_are_split_as_rouge_score_splits_them(stemmer, text):
    assert peer_tokenize.tokenize(text, stemmer) == tokenize.tokenize(text, stemmer)


@pytest.mark.parametrize("use_stemmer", [False, True])
def test_a_scorer_takes_the_default_tokenizer(use_stemmer):
    plain = rouge_scorer.RougeScorer(TYPES, use_stemmer)
    given_one = rouge_scorer.RougeScorer(TYPES, tokenizer=tokenizers.DefaultTokenizer(use_stemmer))
    predictions, targets = draw_several(random.Random(2), 50)
    pairs = list(zip(targets, predictions, strict=True))
    assert [plain.score_multi(*pair) for pair in pairs] == [
        given_one.score_multi(*pair) for pair in pairs
    ]


def test_a_tokenizer_may_be_derived():
    texts = "the cat sat", "the dog sat"
    expected = peer_scorer.RougeScorer(TYPES, tokenizer=Initials()).score(*texts)
    assert expected == rouge_scorer.RougeScorer(TYPES, tokenizer=Initials()).score(*texts)
    with pytest.raises(TypeError):
        tokenizers.Tokenizer()  # type: ignore[abstract]


@pytest.mark.parametrize("pair", [(0.0, 0.0), (1.0, 0.0), (0.25, 0.5), (1 / 3, 2 / 7)])
def test_f_is_that_of_rouge_score(pair):
    assert peer_scoring.fmeasure(*pair) == scoring.fmeasure(*pair)
