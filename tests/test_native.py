"""The compiled kernels equal their slow twins, and refuse bad buffers."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from rouge_score.tokenize import tokenize

from reference import kernels as slow
from reference import rouge
from tallystick import _native as fast
from tallystick.kinds.texts.texts import Texts, encode_texts
from tallystick.metrics import ROUGE
from texts import pack, unpack

Array = NDArray[Any]


def flatten(results):
    together = results if isinstance(results, tuple) else (results,)
    return [(array.dtype, array.shape, array.tolist()) for array in together]


@given(st.data(), st.integers(0, 200), st.integers(0, 10), st.integers(0, 255))
def test_grouped_rows_equal_the_slow_ones(data, n, width, most):
    rows = data.draw(arrays(np.uint8, (n, width), elements=st.integers(0, most)))
    assert flatten(slow.group_rows(rows)) == flatten(fast.group_rows(rows))


@given(st.data(), st.integers(0, 40), st.integers(0, 20), st.integers(1, 12))
def test_concordances_equal_the_slow_ones(data, n, n_resamples, n_ranks):
    ranks = arrays(np.int64, n, elements=st.integers(0, n_ranks - 1))
    left, right = np.sort(data.draw(ranks)), data.draw(ranks)
    weights = data.draw(arrays(np.int64, (n, n_resamples), elements=st.integers(0, 50))) / 8
    arguments = left, right, weights, n_ranks
    assert flatten(slow.count_concordance(*arguments)) == flatten(
        fast.count_concordance(*arguments)
    )


def test_many_distinct_rows_stay_distinct():
    rows = np.arange(50_000).astype(np.uint32).view(np.uint8).reshape(-1, 4)
    everywhere = np.arange(50_000)
    assert flatten((everywhere, everywhere)) == flatten(fast.group_rows(rows))


def test_read_only_buffers_are_welcome():
    rows = np.zeros((2, 1), np.uint8)
    rows.flags.writeable = False
    assert flatten((np.array([0]), np.zeros(2, np.int64))) == flatten(fast.group_rows(rows))


TWO_CODES = np.array([0, 1], np.uint8)
ONE_RUN = np.array([0, 2])
ONE_ZERO = np.array([0])


@pytest.mark.parametrize(
    ("kernel", "arguments", "message"),
    [
        (fast.group_rows, (np.zeros((4, 2), np.uint8)[::2],),
         "rows is strided or unaligned: pass numpy.ascontiguousarray of it."),
        (fast.count_concordance, (np.zeros(17, np.uint8)[1:].view(np.int64), ONE_RUN, ONE_RUN, 2),
         "left is strided or unaligned: pass numpy.ascontiguousarray of it."),
        (fast.count_concordance, (np.zeros((1, 2), np.int64), ONE_RUN, ONE_RUN, 2),
         "left has ndim 2: expected 1."),
        (fast.group_rows, (TWO_CODES,), "rows has ndim 1: expected 2."),
        (fast.count_concordance, (ONE_RUN, ONE_RUN, np.ones((2, 3)), 2),
         "right[1] is 2: expected a code below 2."),
        (fast.count_concordance, (ONE_RUN, ONE_ZERO, np.ones((2, 3)), 2),
         "right has length 1: expected 2."),
        (fast.count_concordance, (ONE_RUN, ONE_RUN, np.ones((3, 2)), 3),
         "weights has 3 rows: expected 2."),
    ],
)  # fmt: skip
def test_bad_values_are_rejected(kernel, arguments, message):
    with pytest.raises(ValueError, match=r"\.$") as caught:
        kernel(*arguments)
    assert message == str(caught.value)


@pytest.mark.parametrize(
    ("kernel", "arguments", "message"),
    [
        (fast.count_concordance, (ONE_RUN.astype(np.int32), ONE_RUN, ONE_RUN, 2),
         "left has dtype int32: expected int64."),
        (fast.count_concordance, (ONE_RUN > 0, ONE_RUN, ONE_RUN, 2),
         "left has dtype bool: expected int64."),
        (fast.group_rows, (np.zeros((1, 1), np.int8), ), "rows has dtype int8: expected uint8."),
        (fast.count_concordance, (ONE_RUN, ONE_RUN, np.ones((2, 3), np.float32), 3),
         "weights has dtype float32: expected float64."),
    ],
)  # fmt: skip
def test_other_dtypes_are_rejected(kernel, arguments, message):
    with pytest.raises(TypeError, match=r"\.$") as caught:
        kernel(*arguments)
    assert message == str(caught.value)


@given(st.lists(st.text(), max_size=6))
def test_strings_are_packed_as_utf8(strings):
    data, offsets = pack(strings)
    for _ in range(2):
        packed, ends = fast.pack(strings)
        assert (data.tobytes(), offsets.tolist()) == (packed.tobytes(), ends.tolist())
        assert (np.uint8, np.int64) == (packed.dtype, ends.dtype)


def test_strings_of_a_subclass_are_packed():
    assert ["é", "b"] == unpack(*fast.pack([np.str_("é"), "b"]))


@pytest.mark.parametrize(
    ("strings", "kind"),
    [(["a", None], TypeError), (["a", b"b"], TypeError), (["a", "b\ud800"], UnicodeEncodeError)],
)
def test_what_is_no_text_is_not_packed(strings, kind):
    with pytest.raises(kind):
        fast.pack(strings)


NOTHING = encode_texts([])
ONE = encode_texts(["a"])
SPANS = np.array([0, 1])
IDS = np.array([1, 2], np.int32)
ENDS = np.array([0, 2])


def split(texts):
    encoded = encode_texts(texts)
    joined = Texts(*fast.tokenize(encoded.data, encoded.offsets, "rouge"))
    return [text.split() for text in joined.strings()]


@pytest.mark.deep
@pytest.mark.parametrize("first", range(0, 0x110000, 0x2000))
def test_every_character_is_what_it_is_to_rouge_score(first):
    characters = [chr(code) for code in range(first, first + 0x2000) if not 0xD800 <= code < 0xE000]
    texts = [f"a{character}b{character}" for character in characters]
    assert [rouge.tokenize(text) for text in texts] == split(texts)


@given(st.lists(st.text(st.sampled_from("aZ9 .\nKİéß_") | st.characters(), max_size=150)))
def test_tokens_are_those_of_rouge_score(texts):
    safe = [text.encode(errors="replace").decode() for text in texts]
    assert [tokenize(text, None) for text in safe] == split(safe)


@pytest.mark.deep
@pytest.mark.parametrize("kind", ["L", "Lsum", "W", "SU"])
def test_long_sentences_are_counted_as_short_ones(kind):
    draw = np.random.default_rng(8)
    texts = ["".join(draw.choice(list("ab c\n"), 1500)) for _ in range(4)]
    for variant in ["google"] if kind[0] == "L" else ["paper", "1.5.5"]:
        metric = ROUGE(kind, variant=variant, references="sum")  # type: ignore[arg-type]
        expected = rouge.score_texts(texts[0], texts[1:], rouge.Rule(kind, variant, "sum"))[2]
        assert pytest.approx(expected, abs=1e-12) == metric(texts[:1], [texts[1:]])


@pytest.mark.parametrize(("kernel", "arguments", "message"), [
    (fast.count_overlaps, ([("lsc", 0)], 1), "There is no overlap 'lsc'."),
    (fast.count_overlaps, ([("ngrams", 0)], 1),
     "The amount of ngrams is 0.000000: expected 1 to 16."),
    (fast.count_overlaps, ([("weighted_lcs", float("nan"))], 1),
     "The amount of weighted_lcs is nan: expected more than 0."),
    (fast.count_overlaps, ([("skips", -1)], 1),
     "The amount of skips is -1.000000: expected at least 0."),
])  # fmt: skip
def test_measures_that_do_not_exist_are_rejected(kernel, arguments, message):
    sides = [ONE.data, ONE.offsets, ONE.data, ONE.offsets, SPANS, NOTHING.data, NOTHING.offsets]
    with pytest.raises(ValueError, match=r"\.$") as caught:
        kernel(*sides, False, *arguments)
    assert message == str(caught.value)


@pytest.mark.parametrize(("sentences", "offsets", "message"), [
    (np.array([0, 3]), SPANS, "hyp_sentences[1] is 3: expected at most 2."),
    (ENDS, np.array([0, 2]), "hyp_offsets[1] is 2: expected at most 1."),
    (ENDS, np.array([0, 1, 0]), "hyp_offsets[2] is 0: expected at least 1."),
    (ENDS, np.array([0, 0, 1]), "spans has length 2: expected 3."),
])  # fmt: skip
def test_bad_sentences_are_rejected(sentences, offsets, message):
    with pytest.raises(ValueError, match=r"\.$") as caught:
        fast.count_id_overlaps(IDS, sentences, offsets, IDS, ENDS, SPANS, SPANS, [("lcs", 0)], 1)
    assert message == str(caught.value)
