"""Facts about the kernels of ROUGE: which characters are letters, and what they refuse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.tokenize import tokenize

from reference import rouge
from tallystick import _native as fast
from tallystick.kinds.texts.texts import Texts, encode_texts
from tallystick.metrics import ROUGE

NOTHING = encode_texts([])
ONE = encode_texts(["a"])
SPANS = np.array([0, 1])
IDS = np.array([1, 2], np.int32)
ENDS = np.array([0, 2])


def split(texts: list[str]) -> list[list[str]]:
    encoded = encode_texts(texts)
    joined = Texts(*fast.tokenize(encoded.data, encoded.offsets, "rouge"))
    return [text.split() for text in joined.strings()]


@pytest.mark.deep
@pytest.mark.parametrize("first", range(0, 0x110000, 0x2000))
def test_every_character_is_what_it_is_to_rouge_score(first):
    codes = range(first, first + 0x2000)
    characters = [chr(code) for code in codes if not 0xD800 <= code < 0xE000]
    texts = [f"a{character}b{character}" for character in characters]
    expected = [rouge.tokenize(text) for text in texts]

    assert expected == split(texts)


@given(st.lists(st.text(st.sampled_from("aZ9 .\nKİéß_") | st.characters(), max_size=150)))
def test_tokens_are_those_of_rouge_score(texts):
    safe = [text.encode(errors="replace").decode() for text in texts]

    assert [tokenize(text, None) for text in safe] == split(safe)


@pytest.mark.deep
@pytest.mark.parametrize("kind", ["L", "Lsum", "W", "SU"])
def test_long_sentences_are_counted_as_short_ones(kind):
    draw = np.random.default_rng(8)
    texts = ["".join(draw.choice(list("ab c\n"), 1500)) for _ in range(4)]
    variants = ["google"] if kind[0] == "L" else ["paper", "1.5.5"]
    for variant in variants:
        metric = ROUGE(kind, variant=variant, references="sum")  # type: ignore[arg-type]
        rule = rouge.Rule(kind, variant, "sum")
        expected = rouge.score_texts(texts[0], texts[1:], rule)[2]

        assert pytest.approx(expected, abs=1e-12) == metric(texts[:1], [texts[1:]])


@pytest.mark.parametrize(
    ("kernel", "arguments", "message"),
    [
        (fast.count_overlaps, ([("lsc", 0)], 1), "There is no overlap 'lsc'."),
        (
            fast.count_overlaps,
            ([("ngrams", 0)], 1),
            "The amount of ngrams is 0.000000: expected 1 to 16.",
        ),
        (
            fast.count_overlaps,
            ([("weighted_lcs", float("nan"))], 1),
            "The amount of weighted_lcs is nan: expected more than 0.",
        ),
        (
            fast.count_overlaps,
            ([("skips", -1)], 1),
            "The amount of skips is -1.000000: expected at least 0.",
        ),
    ],
)
def test_measures_that_do_not_exist_are_refused(kernel, arguments, message):
    sides = [ONE.data, ONE.offsets, ONE.data, ONE.offsets, SPANS, NOTHING.data, NOTHING.offsets]
    with pytest.raises(ValueError, match=r"\.$") as caught:
        kernel(*sides, False, *arguments)

    assert message == str(caught.value)


@pytest.mark.parametrize(
    ("sentences", "offsets", "message"),
    [
        (np.array([0, 3]), SPANS, "hyp_sentences[1] is 3: expected at most 2."),
        (ENDS, np.array([0, 2]), "hyp_offsets[1] is 2: expected at most 1."),
        (ENDS, np.array([0, 1, 0]), "hyp_offsets[2] is 0: expected at least 1."),
        (ENDS, np.array([0, 0, 1]), "spans has length 2: expected 3."),
    ],
)
def test_bad_sentences_are_refused(sentences, offsets, message):
    with pytest.raises(ValueError, match=r"\.$") as caught:
        fast.count_id_overlaps(IDS, sentences, offsets, IDS, ENDS, SPANS, SPANS, [("lcs", 0)], 1)

    assert message == str(caught.value)
