"""Laws of ROUGE: a corpus is the mean of its examples, sides mirror, references have no order."""

import random

import numpy as np
import pytest

import tallystick
from reference.rouge import Rule
from summaries import KINDS, build, draw_several, draw_summary, score_examples
from tallystick.errors import UsageError
from tallystick.metrics import ROUGE

METRICS = [
    *(ROUGE(kind) for kind in ("1", "L", "Lsum")),
    *(ROUGE(kind, variant="paper") for kind in ("W", "S", "SU")),
    *(ROUGE(kind, variant="1.5.5", references="sum") for kind in ("2", "Lsum", "W", "S", "SU")),
    ROUGE("1", references="jackknife", stemmer="porter", measure="recall"),
    ROUGE("Lsum", references="mean", sentences="regex", tokenizer="words", beta=2.0),
    ROUGE("2", references="best_recall", tokenizer=str.split, max_words=5),
    ROUGE("1", stop_words=("the", "cat"), max_bytes=20, measure="precision"),
]
GROUPS = ["10", "9", "中文"]
N_EXAMPLES = 60


@pytest.mark.parametrize("metric", METRICS, ids=repr)
def test_a_corpus_scores_the_mean_of_its_examples(metric):
    draw = random.Random(3)
    hypotheses, references = draw_several(draw, N_EXAMPLES)
    groups = draw.choices(GROUPS, k=N_EXAMPLES)
    rows = score_examples(metric, hypotheses, references)
    scores = [dict(zip(("precision", "recall", "f1"), row, strict=True)) for row in rows]
    values = np.array([score[metric.measure] for score in scores])
    expected = {group: values[np.array(groups) == group].mean() for group in GROUPS}
    expected |= {"micro": values.mean(), "macro": np.mean(list(expected.values()))}
    scored = tallystick.score(references, hypotheses, metrics=metric, by=groups)

    assert expected == {
        score.group: pytest.approx(score.value, abs=1e-12)
        for score in scored.scores
        if score.metric == repr(metric)
    }


@pytest.mark.parametrize("kind", ["1", "2", "9", "L", "S", "SU", "W"])
def test_precision_is_recall_the_other_way_round(kind):
    draw = random.Random(4)
    left, right = ([draw_summary(draw) for _ in range(300)] for _ in range(2))
    metric = ROUGE(kind)
    forward, backward = score_examples(metric, left, right), score_examples(metric, right, left)
    mirrored = [(recall, precision, f) for precision, recall, f in backward]

    assert pytest.approx(np.array(mirrored), abs=1e-12) == np.array(forward)


@pytest.mark.parametrize("kind", ["1", "2", "9", "L", "Lsum", "W", "S", "SU"])
def test_equal_texts_score_one(kind):
    text = "a b c d e f\ng h a b"

    (score,) = score_examples(ROUGE(kind), [text], [text])

    assert pytest.approx((1, 1, 1), abs=1e-12) == score
    assert max(score) <= 1


@pytest.mark.parametrize(("variant", "kind"), KINDS)
@pytest.mark.parametrize("rule", ["best", "best_recall", "sum", "jackknife", "mean"])
def test_texts_without_a_token_score_zero(variant, kind, rule):
    metric = build(Rule(kind, variant, rule))
    texts = ["", "?!", "\n\n", "猫", "a b c"]
    pairs = [(left, right) for left in texts for right in texts if "a b c" not in (left and right)]
    hypotheses, references = ([pair[side] for pair in pairs] for side in range(2))

    assert [(0, 0, 0)] * len(pairs) == score_examples(metric, hypotheses, references)


@pytest.mark.parametrize(("variant", "kind"), KINDS)
@pytest.mark.parametrize("rule", ["best", "best_recall", "sum", "jackknife", "mean"])
def test_one_reference_many_times_is_one_reference(variant, kind, rule):
    hypotheses, several = draw_several(random.Random(5), 100)
    metric = build(Rule(kind, variant, rule))
    once = score_examples(metric, hypotheses, [own[:1] for own in several])
    thrice = score_examples(metric, hypotheses, [own[:1] * 3 for own in several])

    assert pytest.approx(np.array(once), abs=1e-12) == np.array(thrice)


@pytest.mark.parametrize(("variant", "kind"), KINDS)
@pytest.mark.parametrize("rule", ["best", "sum", "jackknife", "mean"])
def test_references_have_no_order(variant, kind, rule):
    hypotheses, several = draw_several(random.Random(6), 100)
    metric = build(Rule(kind, variant, rule))
    forward, backward = (
        [f for _, _, f in score_examples(metric, hypotheses, references)]
        for references in (several, [own[::-1] for own in several])
    )

    assert pytest.approx(forward, abs=1e-12) == backward


def test_scores_do_not_depend_on_threads():
    hypotheses, several = draw_several(random.Random(7), 300)
    metric = ROUGE("Lsum", stemmer="porter")
    alone = [
        score_examples(metric, [text], [own])[0]
        for text, own in zip(hypotheses, several, strict=True)
    ]

    assert alone == score_examples(metric, hypotheses, several)


@pytest.mark.parametrize("weight", [0.5, 0.0, -1.0, 7.5, float("nan"), float("inf")])
def test_a_power_of_runs_has_bounds(weight):
    with pytest.raises(UsageError, match="weight is a number from 1 to 7"):
        ROUGE("W", weight=weight)


@pytest.mark.parametrize("variant", ["paper", "1.5.5"])
def test_the_highest_power_is_a_number(variant):
    texts = [" ".join("ab" * 50_000)], [" ".join("ba" * 3)]
    (score,) = score_examples(ROUGE("W", variant, weight=7.0), *texts)

    assert 0 < min(score) < max(score) <= 1


def test_precision_alone_may_count():
    hypothesis, reference = "a", "a" + " b" * 200_000

    assert [(1, 0, 0)] == score_examples(ROUGE("1", "1.5.5", beta=0.0), [hypothesis], [reference])
    assert 0.5 == ROUGE("1", beta=0.0)(["a x"], ["a b c"])
