"""Facts about exact match and the length of hypotheses: they equal what plain Python says."""

import math

import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st

from strategies import STEADY
from systems import pair_texts
from tallystick.kinds.texts.short_answers import MatchCounts
from tallystick.metrics import ExactMatch, HypothesisLength
from tallystick.statistics.wilson import bound_share

TEXTS = st.text(alphabet="aB é中", max_size=3)
ROWS = st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3)), min_size=1)
LISTS = st.lists(st.sampled_from(["a", "b", "ab", ""]), max_size=3)
TOKENS = st.lists(
    st.tuples(LISTS, st.lists(LISTS, min_size=1, max_size=3)), min_size=1, max_size=20
)


@STEADY
@given(ROWS)
def test_exact_match_is_the_share_of_equal_strings(rows):
    expected = sum(text in references for text, references in rows) / len(rows)

    assert expected == ExactMatch()(*zip(*rows, strict=True))


@STEADY
@given(ROWS)
def test_lowercase_compares_in_lower_case(rows):
    equal = [text.lower() in [one.lower() for one in references] for text, references in rows]

    assert sum(equal) / len(rows) == ExactMatch(lowercase=True)(*zip(*rows, strict=True))


@STEADY
@given(TOKENS)
def test_token_lists_match_token_by_token(rows):
    expected = sum(tokens in references for tokens, references in rows) / len(rows)

    assert expected == ExactMatch()(*zip(*rows, strict=True))


@pytest.mark.parametrize(
    "pair", [("a", "a "), ("a", "A"), ("a", "a."), ("é", "e\u0301"), ("", " ")]
)
def test_every_character_counts(pair):
    assert 0.0 == ExactMatch()([pair[0]], [pair[1]])


def test_no_examples_have_no_share():
    assert math.isnan(ExactMatch()([], []))


def test_exact_match_has_the_interval_of_a_share():
    metric = ExactMatch()
    share = metric.estimand(MatchCounts().count(pair_texts(["a", "b", "x"], ["a", "b", "c"])))

    assert (2, 3) == (share.hits[0], share.trials[0])
    assert not any(
        bound.tolist() in ([0], [1]) for bound in bound_share(share.hits, share.trials, 0.95)
    )


def test_hypothesis_length_is_sacrebleu_s():
    texts = ["Hello, world!", "", "It's 3.14 o'clock."]
    peer = sacrebleu.corpus_bleu(texts, [["x"] * 3])

    assert peer.sys_len == HypothesisLength()(texts, ["x"] * 3)
