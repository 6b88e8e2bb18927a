"""The modules of rouge_score have the same names and give the same scores."""

import pickle
import random
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer
from rouge_score import rouge_scorer as peer_scorer
from rouge_score import scoring as peer_scoring
from rouge_score import tokenize as peer_tokenize
from rouge_score import tokenizers as peer_tokenizers

from cases import cases
from strategies import STEADY
from summaries import draw_several
from tallystick.compat import rouge_score
from tallystick.compat import rouge_score as ours
from tallystick.compat.rouge_score import rouge_scorer, scoring, tokenize, tokenizers
from tallystick.errors import TallystickError
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


@cases("use_stemmer", False, True)
def test_the_default_tokenizer_is_that_of_rouge_score(use_stemmer):
    draw = random.Random(1)
    texts = [draw_text(draw) for _ in range(500)] + draw_several(draw, 200)[0]
    expected = map(peer_tokenizers.DefaultTokenizer(use_stemmer).tokenize, texts)
    assert [*expected] == [*map(tokenizers.DefaultTokenizer(use_stemmer).tokenize, texts)]


@STEADY
@given(st.text("abcdeé \n.-'0\u212aİ", max_size=40))
@cases("stemmer", None, PorterStemmer(), Cropper())
def test_texts_are_split_as_rouge_score_splits_them(stemmer, text):
    assert peer_tokenize.tokenize(text, stemmer) == tokenize.tokenize(text, stemmer)


@cases("use_stemmer", False, True)
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
        tokenizers.Tokenizer()


@cases("pair", (0.0, 0.0), (1.0, 0.0), (0.25, 0.5), (1 / 3, 2 / 7))
def test_f_is_that_of_rouge_score(pair):
    assert peer_scoring.fmeasure(*pair) == scoring.fmeasure(*pair)


ALL_TYPES = [*(f"rouge{n}" for n in range(1, 10)), "rougeL", "rougeLsum"]
TEXTS = st.text("abcde \n.,-'é\u212aİ猫", max_size=40)


class Words:
    """A tokenizer that keeps case and marks, and counts the words of what it is given."""

    def tokenize(self, text: str) -> list[str]:
        """Words between white space, and how many there are."""
        return [*text.split(), str(len(text.split()))]


@cases("options", {}, {"use_stemmer": True}, {"tokenizer": Words()})
@cases("types", ALL_TYPES, ["rougeLsum"], ("rougeL", "rouge1"), [])
def test_scores_are_those_of_rouge_score(types, options):
    scorer = ours.RougeScorer(types, **options)
    peer = peer_scorer.RougeScorer(types, **options)
    predictions, targets = draw_several(random.Random(1), 60)
    pairs = list(zip(targets, predictions, strict=True))
    for call in ("score_multi", "score"):
        expected, actual = (
            [
                list(getattr(one, call)(own if call == "score_multi" else own[0], text).items())
                for own, text in pairs
            ]
            for one in (peer, scorer)
        )
        assert expected == actual


@STEADY
@given(st.lists(TEXTS, min_size=1, max_size=4), TEXTS, st.booleans())
def test_scores_of_any_texts_are_those_of_rouge_score(targets, prediction, use_stemmer):
    arguments = ["rouge1", "rouge2", "rougeL", "rougeLsum"], use_stemmer
    expected = peer_scorer.RougeScorer(*arguments).score_multi(targets, prediction)
    assert expected == ours.RougeScorer(*arguments).score_multi(targets, prediction)


def test_a_tokenizer_leaves_no_stemmer():
    arguments = ["rouge1"], True, False, Words()
    texts = "cats run today", "cat runs today"
    expected = peer_scorer.RougeScorer(*arguments).score(*texts)
    assert expected == ours.RougeScorer(*arguments).score(*texts)


def test_a_score_has_names_and_places():
    (score,) = ours.RougeScorer(["rouge1"]).score("a b c d", "a x").values()
    assert (score.precision, score.recall, score.fmeasure) == score == (1 / 2, 1 / 4, 1 / 3)
    assert {float} == set(map(type, score))


def test_summaries_are_split_by_a_rule():
    texts = "The cat sat. The dog ran.", "The dog ran. The cat sat."
    types = ["rougeLsum", "rougeL"]
    lines = ours.RougeScorer(types).score(*(text.replace(". ", ".\n") for text in texts))
    assert lines == ours.RougeScorer(types, split_summaries=True).score(*texts)
    assert 1 == lines["rougeLsum"].fmeasure > lines["rougeL"].fmeasure


def test_a_scorer_can_be_sent_to_another_process():
    scorer = ours.RougeScorer(["rouge1", "rougeLsum"], use_stemmer=True)
    copy = pickle.loads(pickle.dumps(scorer))
    assert scorer.score("cats\nran", "cat run") == copy.score("cats\nran", "cat run")


def fill(aggregator, score):
    draw = np.random.RandomState(5)
    for _ in range(40):
        rows = draw.rand(2, 3)
        aggregator.add_scores({"rouge1": score.Score(*rows[0]), "rougeL": score.Score(*rows[1])})
    return aggregator


@cases("arguments", (), (0.9, 100), (0.0, 7), (1.0, 1))
def test_intervals_are_those_of_rouge_score(arguments):
    np.random.seed(3)
    expected = fill(peer_scoring.BootstrapAggregator(*arguments), peer_scoring).aggregate()
    np.random.seed(3)
    actual = fill(ours.BootstrapAggregator(*arguments), ours).aggregate()
    seeded = fill(ours.BootstrapAggregator(*arguments, seed=3), ours)
    assert expected == actual == seeded.aggregate() == seeded.aggregate()
    assert isinstance(actual["rouge1"].mid, ours.Score)


def test_a_seed_leaves_the_global_generator_alone():
    np.random.seed(4)
    expected = np.random.rand()
    np.random.seed(4)
    fill(ours.BootstrapAggregator(n_samples=5, seed=1), ours).aggregate()
    assert expected == np.random.rand()


def test_an_aggregator_keeps_the_tuples_it_is_given():
    aggregator = fill(ours.BootstrapAggregator(n_samples=5, seed=1), peer_scoring)
    assert isinstance(aggregator.aggregate()["rougeL"].low, peer_scoring.Score)
    assert {} == ours.BootstrapAggregator().aggregate()


@cases(
    "call message",

        (lambda: ours.RougeScorer(["rouge1", "rouge0"]),
         "there is no type 'rouge0' here; choose rouge1 to rouge9, rougeL or rougeLsum"),
        (lambda: ours.RougeScorer(["rouge10"]),
         "there is no type 'rouge10' here; choose rouge1 to rouge9, rougeL or rougeLsum"),
        (lambda: ours.RougeScorer("rouge1"),
         "rouge_types must be a list of names, not 'rouge1'; write ['rouge1']"),
        (lambda: ours.RougeScorer(["rouge1"]).score_multi("a", "a"),
         "targets must be a list of strings, not one string"),
        (lambda: ours.RougeScorer(["rouge1"]).score_multi([], "a"),
         "target: there is no reference"),
        (lambda: ours.RougeScorer(["rouge1"]).score("a", 5),
         "prediction: 5 is not a string but int"),
        (lambda: ours.BootstrapAggregator(1.5), "confidence_interval must be from 0 to 1, not 1.5"),
        (lambda: ours.BootstrapAggregator(n_samples=0), "n_samples must be 1 or more, not 0")

)  # fmt: skip
def test_what_cannot_be_scored_is_told(call, message):
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        call()
    assert isinstance(caught.value, TallystickError)
    assert message == str(caught.value)
