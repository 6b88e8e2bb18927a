"""Edits are those of rapidfuzz and jiwer; laws of all metrics of texts."""

import json
import random

import jiwer
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from rapidfuzz.distance import Levenshtein as Rapidfuzz
from scipy.optimize import linear_sum_assignment

import tallystick
from strategies import STEADY
from tallystick import metrics
from tallystick.errors import InputError, UsageError
from tallystick.kinds.metrics.names import parse
from tallystick.kinds.texts.edits import EditCounts
from tallystick.kinds.texts.text_columns import TextColumn, read_pairs
from tallystick.model.codes import encode, row_of
from tallystick.model.systems import Systems
from texts import draw_corpus, draw_text

SHARES = [metrics.SubstitutionRate, metrics.DeletionRate, metrics.InsertionRate, metrics.HitRate]
RATES = [
    (metrics.WER(), jiwer.wer),
    (metrics.CER(), jiwer.cer),
    (metrics.MER(), jiwer.mer),
    (metrics.WIL(), jiwer.wil),
]


def near(value):
    return pytest.approx(value, abs=1e-12, rel=0)


def draw_corpora(seed, n):
    draw = random.Random(seed)
    corpora = [draw_corpus(draw) for _ in range(n)]
    return [(hypotheses, [own[0] for own in references]) for hypotheses, references in corpora]


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(("metric", "rate"), RATES)
def test_rates_equal_jiwer(metric, rate, seed):
    corpora = draw_corpora(seed, 300)
    expected = [rate(references, hypotheses) for hypotheses, references in corpora]
    assert near(expected) == [metric(*corpus) for corpus in corpora]


@pytest.mark.parametrize(("metric", "rate"), RATES)
@STEADY
@given(st.lists(st.tuples(st.text(), st.text()), min_size=1))
def test_rates_of_any_characters_equal_jiwer(metric, rate, pairs):
    hypotheses, references = map(list, zip(*pairs, strict=True))
    assert near(rate(references, hypotheses)) == metric(hypotheses, references)


@pytest.mark.parametrize(("metric", "rate"), RATES)
@pytest.mark.parametrize("hypothesis", ["", "a", "a b  c"])
@pytest.mark.parametrize("reference", ["", " ", "a"])
def test_empty_references_are_scored_as_in_jiwer(metric, rate, hypothesis, reference):
    assert near(rate([reference], [hypothesis])) == metric([hypothesis], [reference])


@pytest.mark.parametrize(
    ("unit", "process"), [("words", jiwer.process_words), ("stripped", jiwer.process_characters)]
)
def test_counts_of_edits_equal_jiwer(unit, process):
    corpora = draw_corpora(2, 300)
    expected = []
    for hypotheses, references in corpora:
        found = process(references, hypotheses)
        expected.append([found.hits, found.substitutions, found.deletions, found.insertions])
    pairs = [
        Systems(("mine",), {"texts": TextColumn((read_pairs(*corpus),))}) for corpus in corpora
    ]

    assert expected == [EditCounts(unit).count(systems).sums[0, 0].tolist() for systems in pairs]


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("unit", ["words", "characters"])
def test_rates_of_edits_equal_jiwer(unit, seed):
    process = jiwer.process_words if unit == "words" else jiwer.process_characters
    whole = metrics.WER() if unit == "words" else metrics.CER()
    for corpus in draw_corpora(10 + seed, 300):
        found = process(*corpus[::-1])
        length = found.hits + found.substitutions + found.deletions
        rates = [metric(unit=unit)(*corpus) for metric in SHARES]
        counts = [found.substitutions, found.deletions, found.insertions, found.hits]

        assert near([one / max(length, 1) for one in counts]) == rates
        assert near(sum(rates[:3])) == whole(*corpus)


@pytest.mark.parametrize("name", ["substitutions", "deletions", "insertions", "substitution_rate"])
def test_the_names_of_jiwer_are_known(name):
    assert parse(name).short == f"{name.removesuffix('s').removesuffix('_rate')}_rate"


def test_distances_equal_rapidfuzz():
    pairs = [pair for corpus in draw_corpora(3, 6_000) for pair in zip(*corpus, strict=True)]
    hypotheses, references = map(list, zip(*pairs, strict=True))
    scored = tallystick.score(references, hypotheses, metrics="levenshtein", segments=True)
    assert len(pairs) > 20_000
    assert [Rapidfuzz.distance(*pair) for pair in pairs] == [score.value for score in scored.scores]


@pytest.mark.parametrize(
    ("measure", "expected"), [("total", 6), ("mean", 6 / 3), ("normalised", 6 / (5 + 4 + 3))]
)
def test_distances_are_added_averaged_and_normalised(measure, expected):
    texts = ["horse", "été", "abc"], ["ros", "épée", "adc"]
    assert near(expected) == metrics.Levenshtein(measure)(*texts)


@pytest.mark.parametrize(("measure", "expected"), [("total", 2), ("normalised", 2 / 4)])
def test_distances_of_words_and_of_tokens_are_alike(measure, expected):
    texts = ["a b c"], ["a x b d"]
    tokens = [[text[0].split()] for text in texts]
    metric = metrics.Levenshtein(measure, "words")
    assert [near(expected)] * 2 == [metric(*texts), metric(*tokens)]


@pytest.mark.parametrize(
    ("kind", "expected"), [(metrics.WER, 1 / 2), (metrics.CER, 1 / 3), (metrics.Levenshtein, 1)]
)
def test_case_counts_unless_texts_are_lower_cased(kind, expected):
    texts = ["a B"], ["a b"]
    assert [near(expected), 0] == [kind()(*texts), kind(lowercase=True)(*texts)]


@pytest.mark.parametrize(("metric", "expected"), [
    (metrics.WER(), 1 / 5),
    (metrics.CER(), 1 / 8),
    (metrics.MER(), 1 / 5),
    (metrics.WIL(), 1 - 16 / 25),
    (metrics.Levenshtein(), 1),
    (metrics.Levenshtein(unit="words"), 1),
    (metrics.WER(tokenizer="words"), 1 / 5),
])  # fmt: skip
def test_the_reference_with_the_fewest_errors_counts_and_of_equals_the_longest(metric, expected):
    assert metric(["a b c x", "e"], [["a x", "a b c d"], ["e", "e f"]]) == near(expected)


@pytest.mark.parametrize("metric", [metrics.CER(), metrics.Levenshtein()])
def test_characters_of_token_lists_are_rejected(metric):
    with pytest.raises(UsageError, match="not in token lists"):
        tallystick.score([["b"]], [["a"]], metrics=metric)


def test_the_seed_s_distances_come_out(shared):
    path = shared / "acceptance" / "seed_notebook_values.json"
    rows = [
        row
        for row in json.loads(path.read_text(encoding="utf-8"))["values"]
        if row["metric"] == "levenshtein"
    ]

    assert [1, 3] == [row["notebook"] for row in rows]
    assert [1, 3] == [metrics.Levenshtein()([row["a"]], [row["b"]]) for row in rows]


def draw_session(draw):
    speakers = range(draw.randint(1, 6))
    return [" ".join(draw.choices("abcd", k=draw.randint(0, 7))) for _ in speakers]


def count_fewest(speakers, golden):
    size = max(len(speakers), len(golden))
    own, gold = ([*side, *[""] * (size - len(side))] for side in (speakers, golden))
    costs = np.array([[Rapidfuzz.distance(a.split(), b.split()) for b in gold] for a in own])
    return int(costs[linear_sum_assignment(costs)].sum())


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(20))
def test_speakers_are_paired_with_the_fewest_edits(seed):
    draw = random.Random(seed)
    expected, actual = [], []
    for _ in range(500):
        pairs = [(draw_session(draw), draw_session(draw)) for _ in range(draw.randint(1, 3))]
        errors = sum(count_fewest(*pair) for pair in pairs)
        length = sum(len(line.split()) for _, golden in pairs for line in golden)
        expected.append(errors / length if length else errors)
        hypotheses, references = zip(*(map("\n".join, pair) for pair in pairs), strict=True)
        actual.append(metrics.CPWER()(list(hypotheses), list(references)))

    assert expected == actual


@pytest.mark.parametrize(("speakers", "golden", "expected"), [
    (["d e f", "a b c"], ["a b c", "d e f"], 0.0),
    (["a b", "c d", "e f"], ["a b", "c d"], 0.5),
    (["a", "b"], ["a", "b", "c d"], 0.5),
    (["b", "c", "d", "a"], ["a", "b", "c"], 1 / 3),
    (["z", "a e f"], ["a b"], 1.5),
    ([" ", "a e f"], ["a b", "k"], 1.0),
])  # fmt: skip
def test_cpwer_equals_meeteval(speakers, golden, expected):
    assert expected == metrics.CPWER()(["\n".join(speakers)], ["\n".join(golden)])


def test_cpwer_of_one_speaker_is_wer():
    for options in ({}, {"lowercase": True}, {"tokenizer": "13a"}):
        for output, gold in [("It rains, oh", "it rains"), ("a b", ""), ("", "")]:
            assert metrics.WER(**options)([output], [gold]) == metrics.CPWER(**options)(
                [output], [gold]
            )


def test_cpwer_has_intervals_and_groups():
    gold = ["hello there\nhi", "how are you\nfine thanks", "bye\nsee you"] * 6
    output = ["hi\nhello there", "fine tanks\nhow are you", "by\nsee her"] * 6
    result = tallystick.score(gold, output, "cpwer", by=["x", "y"] * 9)
    assert ["x", "y", "macro", "micro"] == [one.group for one in result.scores]
    assert near([3 / 11] * 4) == [one.value for one in result.scores]
    assert all(one.low < one.value < one.high for one in result.scores)


def test_too_many_lines_are_no_speakers():
    with pytest.raises(InputError, match="example 2: the reference has 21 lines, where one for"):
        metrics.CPWER()(["a", "b"], ["a", "b\n" * 21])


METRICS: list[metrics.Metric] = [
    metrics.BLEU(),
    metrics.BLEU("intl", "add-k", 0.5, True, True, 7),
    metrics.BLEU("latex", weights=(0, 1, 2, 3)),
    metrics.BLEU(tokenizer=str.split),
    metrics.NgramPrecision(2),
    metrics.BrevityPenalty("char"),
    metrics.HypothesisLength(),
    metrics.ReferenceLength(),
    metrics.ChrF(),
    metrics.ChrF(4, 2, 3, True, True, True),
    metrics.TER(),
    metrics.TER(True, True, True, True),
    metrics.ROUGE("2"),
    metrics.ROUGE("SU", tokenizer="words", measure="recall"),
    metrics.ROUGE("W", variant="paper"),
    metrics.ROUGE("Lsum", variant="1.5.5", references="sum"),
    metrics.ROUGE("1", references="jackknife", stemmer="porter", measure="precision"),
    metrics.WER(),
    metrics.CER(lowercase=True),
    metrics.MER(),
    metrics.WIL(),
    metrics.Levenshtein("mean"),
    metrics.Levenshtein("normalised", "words"),
    metrics.ExactMatch(),
    metrics.ExactMatch(lowercase=True),
    metrics.ExactMatch(True, ("punctuation", "whitespace"), "[a-z]+", "last"),
    metrics.SQuADExactMatch(),
    metrics.SQuADF1("1.1"),
    metrics.SQuADF1(),
]
GROUPS = ["10", "9", "中文"]
N_EXAMPLES = 40

Rows = tuple[list[str], list[str], list[str]]


def draw_rows(draw):
    hypotheses = [draw_text(draw) for _ in range(N_EXAMPLES)]
    references = [draw.choice([text, draw_text(draw), f"{text} the"]) for text in hypotheses]
    return hypotheses, references, draw.choices(GROUPS, k=N_EXAMPLES)


def read(rows, places):
    hypotheses, references, groups = ([column[place] for place in places] for column in rows)
    pairs = read_pairs(hypotheses, references)
    return Systems(("mine",), {"texts": TextColumn((pairs,))}, groups=encode(groups, row_of("by")))


def list_contents(tally):
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
        np.float64
        if isinstance(
            metric, metrics.TER | metrics.ROUGE | metrics.SQuADF1 | metrics.SQuADExactMatch
        )
        else np.int64
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
