"""Laws of all metrics of texts: sums add however they are split, and formulas take leading axes."""

import random
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from tallystick.kinds.texts.text_columns import TextColumn, read_pairs
from tallystick.metrics import (
    BLEU,
    CER,
    MER,
    ROUGE,
    TER,
    WER,
    WIL,
    BrevityPenalty,
    ChrF,
    ExactMatch,
    HypothesisLength,
    Levenshtein,
    Metric,
    NgramPrecision,
    ReferenceLength,
    SQuADExactMatch,
    SQuADF1,
)
from tallystick.model.codes import encode, row_of
from tallystick.model.systems import Systems
from texts import draw_text

METRICS: list[Metric] = [
    BLEU(),
    BLEU("intl", "add-k", 0.5, True, True, 7),
    BLEU("latex", weights=(0, 1, 2, 3)),
    BLEU(tokenizer=str.split),
    NgramPrecision(2),
    BrevityPenalty("char"),
    HypothesisLength(),
    ReferenceLength(),
    ChrF(),
    ChrF(4, 2, 3, True, True, True),
    TER(),
    TER(True, True, True, True),
    ROUGE("2"),
    ROUGE("SU", tokenizer="words", measure="recall"),
    ROUGE("W", variant="paper"),
    ROUGE("Lsum", variant="1.5.5", references="sum"),
    ROUGE("1", references="jackknife", stemmer="porter", measure="precision"),
    WER(),
    CER(lowercase=True),
    MER(),
    WIL(),
    Levenshtein("mean"),
    Levenshtein("normalised", "words"),
    ExactMatch(),
    ExactMatch(lowercase=True),
    ExactMatch(True, ("punctuation", "whitespace"), "[a-z]+", "last"),
    SQuADExactMatch(),
    SQuADF1("1.1"),
    SQuADF1(),
]
GROUPS = ["10", "9", "中文"]
N_EXAMPLES = 40

Rows = tuple[list[str], list[str], list[str]]


def draw_rows(draw: random.Random) -> Rows:
    hypotheses = [draw_text(draw) for _ in range(N_EXAMPLES)]
    references = [draw.choice([text, draw_text(draw), f"{text} the"]) for text in hypotheses]
    return hypotheses, references, draw.choices(GROUPS, k=N_EXAMPLES)


def read(rows: Rows, places: list[int]) -> Systems:
    hypotheses, references, groups = ([column[place] for place in places] for column in rows)
    pairs = read_pairs(hypotheses, references)
    return Systems(("mine",), {"texts": TextColumn((pairs,))}, groups=encode(groups, row_of("by")))


def list_contents(tally: Any) -> Any:
    return tally.groups, tally.counter, tally.n.tolist(), pytest.approx(tally.sums, abs=1e-9)


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_parts_add_up_to_the_whole(metric):
    draw = random.Random(1)
    rows = draw_rows(draw)
    whole = metric.counter.count(read(rows, list(range(N_EXAMPLES))))
    summed = []
    for _ in range(10):
        places = draw.sample(range(N_EXAMPLES), N_EXAMPLES)
        cuts = sorted(draw.sample(range(1, N_EXAMPLES), 3))
        parts = [places[first:last] for first, last in zip([0, *cuts], [*cuts, None], strict=True)]
        tallies = [metric.counter.count(read(rows, part)) for part in parts]
        left, right = tallies[0] + tallies[1], tallies[2] + tallies[3]
        summed.append(draw.choice([left + right, right + left, tallies[3] + left + tallies[2]]))

    assert [list_contents(whole)] * 10 == [
        (tally.groups, tally.counter, tally.n.tolist(), tally.sums) for tally in summed
    ]


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_counts_are_whole_numbers_but_for_means(metric):
    tally = metric.counter.count(read(draw_rows(random.Random(2)), [0, 1, 2]))
    expected = (
        np.float64 if isinstance(metric, TER | ROUGE | SQuADF1 | SQuADExactMatch) else np.int64
    )

    assert expected == tally.sums.dtype


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_a_group_scores_as_its_examples_alone(metric):
    rows = draw_rows(random.Random(3))
    scores = metric.score(metric.counter.count(read(rows, list(range(N_EXAMPLES)))))
    alone = [
        metric([rows[0][place] for place in places], [rows[1][place] for place in places])
        for group in GROUPS
        for places in [[place for place in range(N_EXAMPLES) if rows[2][place] == group]]
    ]

    assert pytest.approx(alone, abs=1e-9, rel=0, nan_ok=True) == scores.tolist()


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_a_tally_s_leading_axes_are_those_of_its_scores(metric):
    draw = random.Random(4)
    rows = draw_rows(draw)
    tallies = [
        metric.counter.count(read(rows, draw.choices(range(N_EXAMPLES), k=60))) for _ in range(6)
    ]
    stacked = np.concatenate([tally.sums for tally in tallies])
    stacked = stacked.reshape(1, 2, 3, *stacked.shape[1:])
    expected = np.stack([metric.score(tally) for tally in tallies]).reshape(2, 3, -1)

    actual = metric.score(replace(tallies[0], sums=stacked))

    assert pytest.approx(expected, abs=1e-9, rel=0, nan_ok=True) == actual


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_the_order_of_examples_does_not_matter(metric):
    draw = random.Random(5)
    hypotheses, references, _ = draw_rows(draw)
    places = draw.sample(range(N_EXAMPLES), N_EXAMPLES)
    shuffled = [[column[place] for place in places] for column in (hypotheses, references)]

    assert pytest.approx(metric(hypotheses, references), abs=1e-9) == metric(*shuffled)


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_scores_lie_within_their_bounds(metric):
    least, most = metric.bounds
    sides = ["", "a", "a b c d e", "x y", "中 文"]
    scores = [metric([left], [right]) for left in sides for right in sides]
    beyond = [score for score in scores if not least <= score <= most + 1e-9]

    assert all(np.isnan(score) for score in beyond)
