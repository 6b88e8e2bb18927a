"""Facts about the kernels that count n-grams: they equal sacreBLEU, and refuse bad texts."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.metrics.bleu import _get_tokenizer

from reference import latex
from tallystick import _native as fast
from texts import PIECES, draw_corpus, draw_text, pack, unpack

N_CASES = 20_000
TOKENIZERS = ["none", "char", "13a", "intl", "zh"]


def pack_examples(hypotheses, references):
    spans = np.cumsum([0, *map(len, references)])
    return *pack(hypotheses), *pack(text for each in references for text in each), spans


def count_slowly(metric, hypotheses, references):
    return [
        metric._compute_segment_statistics(
            metric._preprocess_segment(hypothesis),
            metric._extract_reference_info([metric._preprocess_segment(text) for text in texts]),
        )
        for hypothesis, texts in zip(hypotheses, references, strict=True)
    ]


@pytest.mark.deep
@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_tokens_are_those_of_sacrebleu(tokenizer):
    draw = random.Random(tokenizer)
    texts = [draw_text(draw) for _ in range(N_CASES)]
    slow = _get_tokenizer(tokenizer)()
    expected = [" ".join(slow(text.rstrip()).split()) for text in texts]
    assert expected == unpack(*fast.tokenize(*pack(texts), tokenizer))


@given(st.lists(st.text(), max_size=5))
@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_tokens_of_any_characters_are_those_of_sacrebleu(tokenizer, texts):
    slow = _get_tokenizer(tokenizer)()
    expected = [" ".join(slow(text.rstrip()).split()) for text in texts]
    assert expected == unpack(*fast.tokenize(*pack(texts), tokenizer))


def test_latex_tokens_equal_the_slow_ones():
    draw = random.Random(0)
    pieces = [*PIECES, *"\\\\\\%%{}$^_&~\n\n", "\\alpha", "\\frac", "\\\\", "\\%", "\\,"]
    texts = ["".join(draw.choices(pieces, k=draw.randrange(15))) for _ in range(N_CASES)]
    assert [" ".join(latex.tokenize(text)) for text in texts] == unpack(
        *fast.tokenize(*pack(texts), "latex")
    )


@pytest.mark.parametrize(("text", "tokens"), [
    (r"\alpha_{10}^2", r"\alpha _ { 10 } ^ 2"),
    (r"50\% of 3.14 % half", r"50 \% of 3.14"),
    ("a % b\nc", "a c"),
    (r"\\[2pt] x~y \, z", r"\\ [ 2 pt ] x ~ y \, z"),
    ("f(x) = 1,5.", "f ( x ) = 1 , 5 ."),
    ("Größe\\", "Größe \\"),
])  # fmt: skip
def test_latex_is_read_as_tex_reads_it(text, tokens):
    assert [tokens] == unpack(*fast.tokenize(*pack([text]), "latex"))


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("order", [1, 4, 7])
@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_ngram_counts_are_those_of_sacrebleu(tokenizer, order, seed):
    examples = draw_corpus(random.Random(f"{order} {seed}"), 1000)
    expected = count_slowly(BLEU(tokenize=tokenizer, max_ngram_order=order), *examples)
    actual = fast.count_ngrams(*pack_examples(*examples), tokenizer, order, 2)
    assert np.array_equal(expected, actual)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("options", [
    {},
    {"word_order": 2},
    {"char_order": 0, "word_order": 3},
    {"char_order": 9, "whitespace": True, "beta": 3},
    {"char_order": 4, "word_order": 1, "beta": 1, "eps_smoothing": True},
])  # fmt: skip
def test_chrf_counts_are_those_of_sacrebleu(options, seed):
    examples = draw_corpus(random.Random(seed), 1000)
    defaults = {
        "char_order": 6, "word_order": 0, "whitespace": False, "beta": 2, "eps_smoothing": False,
    }  # fmt: skip
    expected = count_slowly(CHRF(**options), *examples)

    actual = fast.count_char_ngrams(*pack_examples(*examples), **{**defaults, **options}, threads=2)

    assert np.array_equal(expected, actual)


@pytest.mark.parametrize("order", [1, 4, 16])
def test_ngrams_of_ids_are_those_of_texts(order):
    draw = random.Random(order)
    texts = [[draw.choice("abc") for _ in range(draw.randrange(40))] for _ in range(400)]
    offsets = np.cumsum([0, *map(len, texts)])
    ids = np.array([ord(token) - ord("b") for text in texts for token in text], np.int32) * 2**30
    spans = np.arange(201)
    strings = [" ".join(text) for text in texts]
    expected = fast.count_ngrams(
        *pack(strings[:200]), *pack(strings[200:]), spans, "none", order, 1
    )

    actual = fast.count_id_ngrams(ids, offsets[:201], ids, offsets[200:], spans, order, 1)

    assert np.array_equal(expected, actual)


def test_counts_are_the_same_for_any_number_of_threads():
    buffers = pack_examples(*draw_corpus(random.Random(0), 300))
    results = [fast.count_ngrams(*buffers, "13a", 4, threads).tolist() for threads in (1, 2, 0, 50)]
    assert [results[0]] * 4 == results


def test_long_texts_are_counted():
    words = [f"{'x' * (i % 30)}{i}" for i in range(100_000)]
    text = " ".join(words)
    changed = " ".join(["y", *words[1:]])
    counts = fast.count_ngrams(*pack([text]), *pack([changed]), np.array([0, 1]), "none", 2, 1)
    assert [[100_000, 100_000, 99_999, 99_998, 100_000, 99_999]] == counts.tolist()


@pytest.mark.parametrize("tokenizer", [*TOKENIZERS, "latex"])
def test_no_texts_have_no_tokens(tokenizer):
    assert [] == unpack(*fast.tokenize(*pack([]), tokenizer))


def test_slices_of_a_buffer_are_welcome():
    data, _ = pack(["abcdef"])
    assert ["b", "cd"] == unpack(*fast.tokenize(data, np.array([1, 2, 4]), "none"))


@given(st.lists(st.binary(max_size=8), min_size=1, max_size=3))
def test_invalid_utf8_is_rejected_where_it_stands(strings):
    data = np.frombuffer(b"".join(strings), np.uint8)
    offsets = np.cumsum([0, *map(len, strings)])
    assert find_invalid(strings) == find_rejected(data, offsets)


def find_invalid(strings):
    for i, string in enumerate(strings):
        try:
            string.decode()
        except UnicodeDecodeError as error:
            where = f"string {i} is not valid UTF-8 at byte {error.start} of its {len(string)}"
            return f"data: {where}."
    return ""


def find_rejected(data, offsets):
    try:
        fast.tokenize(data, offsets, "none")
    except ValueError as error:
        return str(error)
    return ""


A, B = pack(["a", "b"])
ONE_EACH = np.array([0, 1, 2])


@pytest.mark.parametrize(
    ("kernel", "arguments", "message"),
    [
        (fast.tokenize, (A, B, "14a"),
         "tokenizer is '14a': expected none, whitespace, char, 13a, intl, zh, latex, rouge or "
         "words."),
        (fast.tokenize, (A, np.array([0, 2, 1]), "none"), "offsets[2] is 1: expected at least 2."),
        (fast.tokenize, (A, np.array([-1, 2]), "none"), "offsets[0] is -1: expected at least 0."),
        (fast.tokenize, (A, np.array([0, 3]), "none"), "offsets[1] is 3: expected at most 2."),
        (fast.tokenize, (A, np.zeros(0, np.int64), "none"),
         "offsets is empty: expected at least a 0."),
        (fast.tokenize,
         (np.frombuffer("\ud800".encode("utf-8", "surrogatepass"), np.uint8), np.array([0, 3]),
          "none"), "data: string 0 is not valid UTF-8 at byte 0 of its 3."),
        (fast.count_ngrams, (A, B, A, B, np.array([0, 0, 2]), "none", 4, 1),
         "Example 0 has no reference: expected at least one."),
        (fast.count_ngrams, (A, B, A, B, np.array([0, 1]), "none", 4, 1),
         "spans has length 2: expected 3."),
        (fast.count_ngrams, (A, B, A, B, np.array([0, 1, 3]), "none", 4, 1),
         "spans[2] is 3: expected at most 2."),
        (fast.count_ngrams, (A, B, A, B, ONE_EACH, "none", 17, 1),
         "order is 17: expected 1 to 16."),
        (fast.count_char_ngrams, (A, B, A, B, ONE_EACH, 0, 0, False, 2, False, 1),
         "word_order is 0: expected 1 to 16."),
        (fast.count_char_ngrams, (A, B, A - 100, B, ONE_EACH, 6, 0, False, 2, False, 1),
         "ref_data: string 0 is not valid UTF-8 at byte 0 of its 1."),
        (fast.count_id_ngrams, (A.astype(np.int32), B + 1, A.astype(np.int32), B, ONE_EACH, 4, 1),
         "hyp_offsets[2] is 3: expected at most 2."),
    ],
)  # fmt: skip
def test_bad_texts_are_rejected(kernel, arguments, message):
    with pytest.raises(ValueError, match=r"\.$") as caught:
        kernel(*arguments)
    assert message == str(caught.value)
