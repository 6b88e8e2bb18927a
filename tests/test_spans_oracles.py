"""Spans: tags, matches and averages against seqeval, nervaluate, conlleval and slow twins."""

import random
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from seqeval.metrics import f1_score, precision_score, recall_score
from seqeval.metrics.sequence_labeling import get_entities
from seqeval.scheme import BILOU, IOB1, IOB2, IOBES, IOE2

import tallystick
from oracle import ask, near
from reference.conlleval import count_chunks
from reference.spans import Span, match_characters, match_spans
from tallystick import InputError
from tallystick.kinds.spans.span_columns import read_span_lists
from tallystick.kinds.spans.span_rates import SpanCounts, SpanMatches
from tallystick.kinds.spans.tags import Scheme
from tallystick.metrics import SpanF1, SpanPrecision, SpanRecall
from tallystick.model.codes import Labels
from tallystick.model.columns import Columns
from tallystick.model.systems import Systems

TYPES = ("X", "Y", "Z")
SCHEMES: tuple[tuple[Scheme | None, str, Any], ...] = (
    (None, "BI", None), (None, "BIES", None), (None, "BMEW", None), (None, "IE", None),
    ("iob1", "BI", IOB1), ("iob2", "BI", IOB2), ("ioe2", "IE", IOE2), ("bioes", "BIES", IOBES),
    ("bilou", "BILU", BILOU),
)  # fmt: skip
"""All in all 22,500 cases."""

PEERS: Any = {SpanPrecision: precision_score, SpanRecall: recall_score, SpanF1: f1_score}
Tags = list[list[str]]


def draw_tags(source, letters):
    kinds = source.choice((TYPES, TYPES[:1]))
    tags = ["O", *(f"{letter}-{kind}" for letter in letters for kind in kinds)]
    sizes = [source.randint(1, 8) for _ in range(source.randint(1, 3))]
    empty = source.random()

    def draw(lowest, highest):
        if lowest <= empty < highest:
            return [["O"] * size for size in sizes]
        return [[source.choice(tags) for _ in range(size)] for size in sizes]

    return draw(0, 0.1), draw(0.05, 0.15)


def count_cases(cases, scheme):
    gold, output = ([row for case in cases for row in case[side]] for side in (0, 1))
    pairs, _ = read_span_lists(gold, {"a": output}, Columns(scheme=scheme))
    owners = np.repeat(np.arange(len(cases)), [len(case[0]) for case in cases])
    groups = Labels(owners.astype(np.uint32), tuple(range(len(cases))))
    return SpanMatches().count(Systems(("a",), {"spans": pairs}, groups=groups))


@pytest.mark.deep
@pytest.mark.parametrize(("scheme", "letters", "peer"), SCHEMES)
def test_scores_are_those_of_seqeval(scheme, letters, peer):
    source = random.Random(f"{scheme}{letters}")
    cases = [draw_tags(source, letters) for _ in range(1_000)]
    tally = count_cases(cases, scheme)
    options = {} if peer is None else {"mode": "strict", "scheme": peer}
    for average, (kind, score) in product(("micro", "macro", "weighted"), PEERS.items()):
        some = cases if average == "micro" and kind is SpanF1 else cases[:200]
        found = ask(kind(average, zero_division=0).score, tally)[: len(some)]
        expected = [
            ask(score, gold, output, average=average, zero_division=0, **options)
            for gold, output in some
        ]
        # seqeval has no mean of no types, which is undefined here.
        assert np.allclose(np.nan_to_num(expected), np.nan_to_num(found), rtol=0, atol=1e-12)


def test_counts_of_types_are_those_of_seqeval():
    source = random.Random(5)
    cases = [draw_tags(source, "BI") for _ in range(300)]
    tally = count_cases(cases, None)
    for values, (gold, output) in zip(SpanF1(None).score(tally), cases, strict=True):
        expected = ask(f1_score, gold, output, average=None, zero_division=0)
        assert np.allclose(expected, values[~np.isnan(values)], rtol=0, atol=1e-12)


UNKNOWN = ("O", "B-X", "I-X", "B-Y", "E-Y", "M-X", "W-X", "X", "B", "I", "PER", "O-X", "[CLS]")


def test_tags_of_no_scheme_are_read_as_in_seqeval():
    source = random.Random(6)
    sizes = [source.randint(1, 9) for _ in range(1_000)]
    cases: Any = [
        tuple([[source.choice(tags) for _ in range(size)]] for tags in (UNKNOWN[:6], UNKNOWN))
        for size in sizes
    ]
    tally = count_cases(cases, None)
    counts = SpanCounts(*np.moveaxis(tally.by_label(), -1, 0))
    for place, (gold, output) in enumerate(cases):
        sides = [{*ask(get_entities, rows)} for rows in (gold, output)]
        for found, own in zip(sides, (counts.gold, counts.predicted), strict=True):
            types = Counter(kind for kind, _, _ in found)
            assert types == Counter(dict(zip(tally.labels, own[place], strict=True)))
        assert len(sides[0] & sides[1]) == counts.gold_hits[place].sum()


def test_how_many_tags_are_of_no_scheme_is_noted():
    rows = [["B-PER", "O", "B-LOC", "E-LOC"]], {"a": [["X", "O", "M-LOC", "PER"]]}
    sentence = (
        "tags of a other than O and B-, I-, E-, S-, L- or U- with a type are read as in seqeval, "
        "where any other letter begins or ends a span only where the type changes; such tags: 3."
    )
    assert sentence in tallystick.score(*rows, "span_f1").notes
    with pytest.raises(
        InputError, match="row 1: 'DET' is not a tag, nor is any other value; tags are"
    ):
        tallystick.score([["DET", "NOUN"]], [["DET", "NOUN"]], "span_f1")
    with pytest.raises(InputError, match="row 1, tag 2: the tag is missing"):
        tallystick.score([["O", "B-A"]], [["O", ""]], "span_f1")


@pytest.mark.parametrize("letters", ["BI", "IE"])
def test_scores_of_iob_and_ioe_are_those_of_conlleval(letters):
    source = random.Random(letters)
    cases = [draw_tags(source, letters) for _ in range(1_000)]
    _, *found = np.moveaxis(count_cases(cases, None).by_label().sum(-2), -1, 0)
    assert [count_chunks(*case) for case in cases] == list(zip(*found, strict=True))


def test_bioes_is_read_by_seqeval_s_rules_and_not_by_conlleval_s():
    gold, output = [["B-X", "E-X", "B-X"]], [["B-X", "E-X", "E-X"]]
    assert (0, 2, 1) == count_chunks(gold, output)
    score = tallystick.score(gold, output, "span_f1")
    assert f1_score(gold, output) == score.scores[0].value == 1
    assert "the gold tags look like BIOES, and are read by seqeval's rules." in score.notes
    score = tallystick.score([["B-X", "L-X", "U-X"]], [["B-X", "L-X", "O"]], "span_f1")
    message = (
        "the gold tags look like BILOU, and are read by seqeval's rules, with L as E and U as S."
    )
    assert message in score.notes


@pytest.mark.parametrize("zero_division", [float("nan"), 0.0])
def test_a_type_of_invalid_tags_alone_has_no_row(zero_division):
    tags, metric = [["B-PER", "I-LOC"]], SpanF1(None, zero_division=zero_division)
    scores = tallystick.score(tags, tags, metric, columns=Columns(scheme="iob2")).scores
    assert [("PER", 1, False)] == [(one.label, one.value, one.undefined) for one in scores]


@pytest.mark.parametrize("kind", [SpanPrecision, SpanRecall, SpanF1])
@pytest.mark.parametrize(("scheme", "letters", "peer"), [one for one in SCHEMES if one[0]])
def test_types_without_a_valid_span_have_no_row(kind, scheme, letters, peer):
    columns, source = Columns(scheme=scheme), random.Random(f"{scheme}{kind}")
    for _ in range(4):
        gold, output = draw_tags(source, letters)
        for average in (None, "macro", "weighted"):
            metric = kind(average, zero_division=0)
            scores = tallystick.score(gold, output, metric, columns=columns, intervals=False).scores
            options = {"average": average, "zero_division": 0, "mode": "strict", "scheme": peer}
            expected = np.ravel(ask(PEERS[kind], gold, output, **options))
            found = [one.value for one in scores]
            assert np.allclose(np.nan_to_num(expected), np.nan_to_num(found), rtol=0, atol=1e-12)
            assert not any(one.undefined and np.isnan(one.value) for one in scores)


def test_conlleval_s_documented_example():
    right, found, gold = 371, 539, 459
    rows = [(["B-NP"], ["B-NP"])] * right
    rows += [(["O"], ["B-VP"])] * (found - right) + [(["B-PP"], ["O"])] * (gold - right)
    tally = count_cases([([a], [b]) for a, b in rows], None).total()
    values = [metric.score(tally)[0] for metric in (SpanPrecision(), SpanRecall(), SpanF1())]
    assert [68.83, 80.83, 74.35] == [round(100 * value, 2) for value in values]


def draw_pairs(source, size, *, nested):
    def draw():
        found: list[Span] = []
        at = 0
        for _ in range(source.randint(0, 4)):
            start = source.randint(0, 9) if nested else at + source.randint(0, 3)
            at = start + source.randint(1, 4)
            found.append((start, at, source.choice(TYPES)))
        return sorted(set(found))

    return [[draw(), draw()] for _ in range(size)]


def pair_lists(cases):
    gold, output = ([case[side] for case in cases] for side in (0, 1))
    return read_span_lists(gold, {"a": output}, Columns())[0]


@pytest.mark.deep
@pytest.mark.parametrize("nested", [False, True], ids=["apart", "nested"])
@pytest.mark.parametrize("match", ["strict", "exact", "partial", "type", "overlap"])
def test_matches_equal_the_slow_twin(match, nested):
    cases = draw_pairs(random.Random(f"{match}{nested}"), 2_000, nested=nested)
    labels, counts = count_rows(cases, SpanMatches(match))
    for row, (gold, output) in enumerate(cases):
        worth = match_spans(gold, output, match)
        for place, label in enumerate(labels):
            golden = sum(own for own, span in zip(worth[0], gold, strict=True) if span[2] == label)
            found = sum(own for own, span in zip(worth[1], output, strict=True) if span[2] == label)
            assert near(golden) == counts.gold_hits[row, place]
            assert near(found) == counts.predicted_hits[row, place]


@pytest.mark.parametrize("other", [0, 0.5])
def test_characters_equal_the_slow_twin(other):
    cases = draw_pairs(random.Random(8), 2_000, nested=True)
    labels, counts = count_rows(cases, SpanMatches("character", other))
    for row, (gold, output) in enumerate(cases):
        worth = match_characters(gold, output, other)
        for place, label in enumerate(labels):
            golden, found = worth.get(str(label), ([], []))
            assert near(sum(golden)) == counts.gold_hits[row, place]
            assert near(sum(found)) == counts.predicted_hits[row, place]
            assert len(golden) == counts.gold[row, place]
            assert len(found) == counts.predicted[row, place]


def count_rows(cases, counter):
    groups = Labels(np.arange(len(cases), dtype=np.uint32), tuple(range(len(cases))))
    tally = counter.count(Systems(("a",), {"spans": pair_lists(cases)}, groups=groups))
    return tally.labels, SpanCounts(*np.moveaxis(tally.by_label(), -1, 0))


NERVALUATE: dict[str, tuple[float, float, float]] = {
    "strict": (0.008928571428571428, 0.00904392764857881, 0.008985879332477534),
    "exact": (0.030612244897959183, 0.031007751937984496, 0.030808729139922976),
    "partial": (0.2264030612244898, 0.229328165374677, 0.22785622593068036),
    "type": (0.16709183673469388, 0.16925064599483206, 0.1681643132220796),
}
"""Precision, recall and F1 of all types together, as nervaluate 1.2.1 gives them.

It is asked with Evaluator(gold, output, tags=["X", "Y", "Z"], loader="dict").evaluate()["overall"],
its ends counting the last character; type is its ent_type.
"""


@pytest.mark.parametrize("match", ["strict", "exact", "partial", "type"])
def test_scores_are_those_of_nervaluate(match):
    cases = draw_pairs(random.Random(11), 400, nested=False)
    tally = SpanMatches(match).count(Systems(("a",), {"spans": pair_lists(cases)}))
    assert near(list(NERVALUATE[match])) == [kind(match=match).score(tally)[0] for kind in PEERS]
