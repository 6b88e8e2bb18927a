"""Facts about the kernels that count edits: they equal rapidfuzz, jiwer and sacreBLEU."""

import itertools
import random
from collections.abc import Sequence
from typing import Any

import jiwer
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein
from sacrebleu.metrics import TER
from sacrebleu.metrics.lib_ter import translation_edit_rate

from tallystick import _native as fast
from texts import PIECES, draw_corpus, pack

Pair = tuple[Sequence[Any], Sequence[Any]]

N_CASES = 5_000
PARTS = 10
EACH_PART = pytest.mark.parametrize("part", range(PARTS))
"""The cases of long tests come in this many parts."""

OPERATIONS = {"equal": 0, "replace": 1, "delete": 2, "insert": 3}


def pack_ids(sequences):
    lists = list(sequences)
    ids = np.array(list(itertools.chain.from_iterable(lists)), np.int32)
    return ids, np.cumsum([0, *map(len, lists)])


def change(draw, items, pieces):
    changed = list(items)
    for _ in range(draw.randrange(7)):
        start = draw.randint(0, len(changed))
        part = changed[start : start + draw.randrange(9)]
        match draw.randrange(4):
            case 0:
                changed[start:start] = draw.choices(pieces, k=draw.randrange(3))
            case 1:
                del changed[start : start + draw.randrange(3)]
            case 2:
                changed[start : start + 1] = [draw.choice(pieces)]
            case _:
                del changed[start : start + len(part)]
                place = draw.randint(0, len(changed))
                changed[place:place] = part
    return changed


def draw_pairs(n, pieces, lengths, part=0):
    draw = random.Random(n + part)
    pairs: list[Pair] = []
    for _ in range(n):
        first = draw.choices(pieces, k=draw.randrange(draw.choice(lengths)))
        other = draw.choices(pieces, k=draw.randrange(draw.choice(lengths)))
        pairs.append((first, change(draw, first, pieces) if draw.random() < 0.5 else other))
    return pairs


def draw_texts(part, lengths=(2, 10, 40, 150)):
    pairs = draw_pairs(N_CASES // PARTS, PIECES, lengths, part)
    return ["".join(first) for first, _ in pairs], ["".join(other) for _, other in pairs]


def list_steps(first, other):
    rows = []
    for code in Levenshtein.opcodes(first, other):
        n_first, n_other = code.src_end - code.src_start, code.dest_end - code.dest_start
        for k in range(max(n_first, n_other)):
            at, other_at = code.src_start + min(k, n_first), code.dest_start + min(k, n_other)
            rows.append([OPERATIONS[code.tag], at, other_at])
    return rows


def count_steps(first, other):
    operations = [operation for operation, _, _ in list_steps(first, other)]
    return [operations.count(operation) for operation in OPERATIONS.values()]


def count_with_jiwer(process, first, other):
    output = process([first], [other])
    return [output.hits, output.substitutions, output.deletions, output.insertions]


@pytest.mark.deep
@EACH_PART
def test_distances_are_those_of_rapidfuzz(part):
    references, hypotheses = draw_texts(part, (2, 10, 40, 150, 900))
    distances = list(map(Levenshtein.distance, references, hypotheses))
    longer = [max(map(len, pair)) for pair in zip(references, hypotheses, strict=True)]
    actual = fast.edit_distances(*pack(references), *pack(hypotheses), "characters", 1)

    assert [distances, longer] == actual.T.tolist()


@pytest.mark.parametrize("moved", [0, 40, 700])
@pytest.mark.parametrize("share", [0, 0.001, 0.02, 0.5])
def test_long_texts_that_are_nearly_equal_cost_what_differs_and_are_measured_right(share, moved):
    draw = random.Random(f"{share} {moved}")
    first = draw.choices(PIECES, k=9_000)
    other = [draw.choice(PIECES) if draw.random() < share else piece for piece in first]
    texts = "".join(first), "".join([*other[moved:], *other[:moved]])
    ((distance, _),) = fast.edit_distances(*pack(texts[:1]), *pack(texts[1:]), "characters", 1)
    (counts,) = fast.count_edits(*pack(texts[1:]), *pack(texts[:1]), "characters", 1)
    assert Levenshtein.distance(*texts) == distance
    assert count_steps(*texts) == counts.tolist()


@pytest.mark.deep
@EACH_PART
def test_edits_of_characters_are_those_of_rapidfuzz(part):
    references, hypotheses = draw_texts(part, (2, 10, 40, 90))
    expected = list(map(count_steps, references, hypotheses))
    assert (
        expected == fast.count_edits(*pack(hypotheses), *pack(references), "characters", 1).tolist()
    )


@given(st.lists(st.tuples(st.text(), st.text()), max_size=5))
def test_edits_of_any_characters_are_those_of_rapidfuzz(pairs):
    references, hypotheses = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    expected = np.array([count_steps(*pair) for pair in pairs], np.int64).reshape(-1, 4)
    actual = fast.count_edits(*pack(hypotheses), *pack(references), "characters", 1)
    assert expected.tolist() == actual.tolist()


@pytest.mark.deep
@EACH_PART
@pytest.mark.parametrize("unit", ["words", "stripped"])
def test_edits_are_those_of_jiwer(unit, part):
    process = {"words": jiwer.process_words, "stripped": jiwer.process_characters}[unit]
    references, hypotheses = draw_texts(part)
    assert [
        count_with_jiwer(process, *pair) for pair in zip(references, hypotheses, strict=True)
    ] == fast.count_edits(*pack(hypotheses), *pack(references), unit, 1).tolist()


@pytest.mark.deep
@pytest.mark.parametrize("n_distinct", [2, 5, 40, 2000])
def test_edits_of_ids_are_those_of_rapidfuzz(n_distinct):
    pairs = draw_pairs(N_CASES // 4, range(-n_distinct // 2, n_distinct // 2), (2, 9, 70, 300))
    references, hypotheses = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    expected = [count_steps(*pair) for pair in pairs]
    assert expected == fast.count_id_edits(*pack_ids(hypotheses), *pack_ids(references), 1).tolist()


@pytest.mark.parametrize("n_distinct", [2, 40, 2000])
def test_paths_are_those_of_rapidfuzz(n_distinct):
    for first, other in draw_pairs(300, range(n_distinct), (2, 9, 70, 600)):
        steps = fast.align_ids(np.array(first, np.int32), np.array(other, np.int32))
        assert list_steps(first, other) == steps.tolist()


@pytest.mark.parametrize(("n_first", "n_other", "n_changes", "n_distinct"), [
    (3000, 3000, 3000, 2), (3000, 5000, 5000, 40), (9000, 2000, 0, 3000), (20_000, 20_000, 12, 5),
    (30_000, 30_000, 300, 60),
])  # fmt: skip
def test_paths_of_long_sequences_are_those_of_rapidfuzz(n_first, n_other, n_changes, n_distinct):
    draw = np.random.default_rng(n_first)
    first = draw.integers(0, n_distinct, n_first).astype(np.int32)
    other = np.resize(np.concatenate([[-1], first]), n_other).astype(np.int32)
    other[draw.integers(0, n_other, n_changes)] = -2
    assert list_steps(first.tolist(), other.tolist()) == fast.align_ids(first, other).tolist()


@pytest.mark.deep
@pytest.mark.parametrize(
    ("n_first", "n_other"), [(70_000, 9), (70_000, 10), (9, 70_000), (64, 7_000), (65, 7_000)]
)
def test_paths_of_unlike_lengths_are_those_of_rapidfuzz(n_first, n_other):
    draw = np.random.default_rng(n_first)
    first, other = (draw.integers(0, 4, n).astype(np.int32) for n in (n_first, n_other))
    assert list_steps(first.tolist(), other.tolist()) == fast.align_ids(first, other).tolist()


TER_OPTIONS = list(itertools.product([False, True], repeat=3))
OPTION_NAMES = ("normalized", "no_punct", "asian_support")


def count_ter_slowly(options, hypotheses, references):
    metric = TER(case_sensitive=True, **dict(zip(OPTION_NAMES, options, strict=True)))
    return metric._extract_corpus_statistics(hypotheses, list(itertools.zip_longest(*references)))


def count_ter(options, hypotheses, references, threads=1):
    spans = np.cumsum([0, *map(len, references)])
    texts = itertools.chain.from_iterable(references)
    counts = fast.count_ter(*pack(hypotheses), *pack(texts), spans, *options, threads)
    return np.stack(counts, axis=1).tolist()


@pytest.mark.deep
@EACH_PART
@pytest.mark.parametrize("options", TER_OPTIONS, ids=str)
def test_ter_is_that_of_sacrebleu(options, part):
    examples = draw_corpus(random.Random(f"{options} {part}"), N_CASES // len(TER_OPTIONS) // PARTS)
    assert count_ter_slowly(options, *examples) == count_ter(options, *examples)


@pytest.mark.deep
@EACH_PART
@pytest.mark.parametrize("n_words", [12, 40, 120])
def test_ter_of_shifted_words_is_that_of_sacrebleu(n_words, part):
    words = [f"w{i}" for i in range(n_words // 3)]
    pairs = draw_pairs(4000 // n_words // PARTS, words, [n_words], part)
    expected = [[*map(float, translation_edit_rate(list(b), list(a)))] for a, b in pairs]
    hypotheses = [" ".join(other) for _, other in pairs]
    references = [[" ".join(first)] for first, _ in pairs]
    assert expected == count_ter((False, False, False), hypotheses, references)


@pytest.mark.parametrize("n_between", [12, 49, 50, 51])
@pytest.mark.parametrize("n_words", [1, 9, 10, 11])
def test_ter_of_a_shifted_block_is_that_of_sacrebleu(n_words, n_between):
    words = [f"w{i}" for i in range(n_words + n_between)]
    shifted = words[n_words:] + words[:n_words]
    expected = [*map(float, translation_edit_rate(shifted, words))]
    assert [expected] == count_ter((False, False, False), [" ".join(shifted)], [[" ".join(words)]])


@pytest.mark.parametrize(
    ("n_hypothesis", "n_reference"),
    [(0, 9), (9, 0), (0, 0), (1, 300), (3, 151), (6, 290), (300, 4)],
)
def test_ter_of_unlike_lengths_is_that_of_sacrebleu(n_hypothesis, n_reference):
    draw = random.Random(n_reference)
    pairs = [
        (draw.choices("abcdefg", k=n_hypothesis), draw.choices("abcdefg", k=n_reference))
        for _ in range(20)
    ]
    expected = [[*map(float, translation_edit_rate(*pair))] for pair in pairs]
    hypotheses = [" ".join(hypothesis) for hypothesis, _ in pairs]
    references = [[" ".join(reference)] for _, reference in pairs]

    assert expected == count_ter((False, False, False), hypotheses, references)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(8))
def test_ter_of_many_like_words_stops_where_sacrebleu_stops(seed):
    draw = random.Random(seed)
    one, other = (draw.choices("ab", k=60) for _ in range(2))
    expected = [*map(float, translation_edit_rate(one, other))]
    assert [expected] == count_ter((False, False, False), [" ".join(one)], [[" ".join(other)]])


def test_ter_of_ten_thousand_words_comes_to_an_end():
    draw = random.Random(0)
    hypothesis, reference = (" ".join(draw.choices("abcdefgh", k=10_000)) for _ in range(2))
    [[edits, length]] = count_ter((False, False, False), [hypothesis], [[reference]])
    assert 10_000 == length
    assert 0 < edits < 10_000


TWO_TEXTS = pack(["a", "b"])
THREE_TEXTS = pack(["a", "b", "c"])
BROKEN = np.frombuffer(b"a\xed\xa0\x80", np.uint8)
TWO_IDS = pack_ids([[1], [2]])


@pytest.mark.parametrize(
    ("kernel", "arguments", "message"),
    [
        (fast.count_edits, (*TWO_TEXTS, *TWO_TEXTS, "letters", 1),
         "unit is 'letters': expected characters, stripped or words."),
        (fast.count_edits, (*TWO_TEXTS, *THREE_TEXTS, "words", 1),
         "ref_offsets has length 4: expected 3."),
        (fast.count_id_edits, (*TWO_IDS, *pack_ids([[1]]), 1),
         "ref_offsets has length 2: expected 3."),
        (fast.edit_distances, (*TWO_TEXTS, *THREE_TEXTS, "words", 1),
         "b_offsets has length 4: expected 3."),
        (fast.edit_distances, (BROKEN, np.array([0, 1, 4]), *TWO_TEXTS, "words", 1),
         "a_data: string 1 is not valid UTF-8 at byte 0 of its 3."),
        (fast.count_edits, (*TWO_TEXTS, BROKEN, np.array([0, 0, 4]), "words", 1),
         "ref_data: string 1 is not valid UTF-8 at byte 1 of its 4."),
        (fast.count_id_edits, (*TWO_IDS, TWO_IDS[0], np.array([0, 2, 1]), 1),
         "ref_offsets[2] is 1: expected at least 2."),
        (fast.count_ter, (*TWO_TEXTS, *TWO_TEXTS, np.array([0, 0, 2]), False, False, False, 1),
         "Example 0 has no reference: expected at least one."),
        (fast.align_ids, (np.zeros((1, 2), np.int32), TWO_IDS[0]), "a_ids has ndim 2: expected 1."),
    ],
)  # fmt: skip
def test_bad_buffers_are_rejected(kernel, arguments, message):
    with pytest.raises(ValueError, match=r"\.$") as caught:
        kernel(*arguments)
    assert message == str(caught.value)


def test_ids_of_another_type_are_rejected():
    with pytest.raises(TypeError) as caught:
        fast.align_ids(np.zeros(1, np.int32), np.zeros(1, np.int64))
    assert "b_ids has dtype int64: expected int32." == str(caught.value)
