"""The ROUGE metric: its names, its options, how it reads texts, and its laws."""

import random

import numpy as np
import pytest
from msgspec.structs import replace

import tallystick
from reference.rouge import Rule
from summaries import KINDS, build, draw_several, draw_summary, score_examples
from tallystick.errors import InputError, UsageError
from tallystick.kinds.metrics.names import parse
from tallystick.kinds.texts.rouge_rows import RougeScores
from tallystick.metrics import ROUGE
from tallystick.tokens.normalizing import split_sentences

OPTIONS = ROUGE.__struct_fields__
VARIED = [
    ROUGE(),
    ROUGE("Lsum", stemmer="spanish", sentences="regex", measure="recall"),
    ROUGE("W", weight=2, max_bytes=665),
    ROUGE("SU", variant="1.5.5", gap=None, references="jackknife", criterion="sum"),
    ROUGE("2", tokenizer="words", stop_words=("of", "the"), max_words=100, beta=0.5),
]


@pytest.mark.parametrize("metric", VARIED, ids=repr)
def test_a_repr_parses_back(metric):
    assert metric == parse(repr(metric))


@pytest.mark.parametrize("metric", VARIED, ids=repr)
def test_a_signature_names_every_option(metric):
    signature = metric.signature
    named = [f"{name}={getattr(metric, name)!r}" for name in OPTIONS if name != "tokenizer"]
    assert replace(metric, tokenizer=metric.tokenizer or "rouge") == parse(
        signature.partition("|")[0]
    )
    assert [one for one in named if one not in signature] == []
    assert f"alpha:{1 / (1 + metric.beta**2):g}" in signature


@pytest.mark.parametrize(("name", "metric"), [
    ("rouge1", ROUGE("1")),
    ("ROUGE9", ROUGE("9")),
    ("rougeL", ROUGE("L")),
    ("rougelsum", ROUGE("Lsum")),
    ("rougeW", ROUGE("W", variant="paper", weight=1.2)),
    ("rougeS4", ROUGE("S", gap=4)),
    ("RougeSU4", ROUGE("SU", gap=4)),
    ("rougeLsum_recall", ROUGE("Lsum", measure="recall")),
])  # fmt: skip
def test_short_names_are_those_of_papers(name, metric):
    assert metric == parse(name)
    assert name.casefold() == metric.name.casefold()


def test_results_have_the_measures_that_are_named():
    metrics = ["rouge1", "rouge1_precision", "rouge1_recall", "rouge2"]
    scored = tallystick.score(["a b c d"], ["a x"], metrics=metrics)
    expected = {"rouge1": 1 / 3, "rouge1_precision": 0.5, "rouge1_recall": 0.25, "rouge2": 0}
    assert expected == {one.name: one.value for one in scored.scores}


def test_variants_are_told_where_none_is_named():
    variants = [ROUGE(kind).variant for kind in ("1", "L", "Lsum", "W", "S", "SU")]
    assert ["google"] * 3 + ["paper"] * 3 == variants


@pytest.mark.parametrize(("options", "message"), [
    ({"type": "0"}, "type must be one of '1', .* 'SU', not '0'"),
    ({"type": "W", "variant": "google"}, "google has no ROUGE-W: take variant 1.5.5 and paper"),
    ({"variant": "paper"}, "paper has no ROUGE-1: take variant google and 1.5.5"),
    ({"variant": "2.0"}, "variant must be one of 'google', '1.5.5', 'paper', not '2.0'"),
    ({"references": "max"}, "references must be one of 'best'"),
    ({"criterion": "precision"}, "criterion must be one of 'f1'"),
    ({"measure": "f"}, "measure must be one of 'f1'"),
    ({"tokenizer": "14a"}, "unknown tokenizer '14a'"),
    ({"stemmer": 1}, "stemmer must be None, porter, or a language"),
    ({"sentences": "punkt"}, "unknown sentence rule 'punkt'; choose newline, regex"),
    ({"stop_words": ("the", 1)}, "stop_words must be words or the path of a file"),
    ({"max_words": 10, "max_bytes": 75}, "max_words and max_bytes exclude each other"),
    ({"max_words": 0}, "max_words must be a whole number of 1 or more, not 0"),
    ({"max_bytes": 1.5}, "max_bytes must be a whole number of 1 or more, not 1.5"),
    ({"beta": -1}, r"beta must be a number from 1e-100 to 1e\+100, not -1"),
    ({"gap": 1.5}, "gap must be None or a whole number"),
], ids=repr)  # fmt: skip
def test_options_that_do_not_exist_are_told(options, message):
    with pytest.raises(UsageError, match=message):
        ROUGE(**options)


def test_a_stemmer_that_snowball_lacks_is_told():
    with pytest.raises(UsageError, match="unknown stemmer 'klingon'; choose porter"):
        ROUGE(stemmer="klingon")(["a"], ["a"])


def test_metrics_that_read_alike_share_a_counter():
    metrics = [ROUGE("1"), ROUGE("Lsum"), ROUGE("SU"), ROUGE("1", stemmer="porter")]
    joined = RougeScores.merge(metric.counter for metric in metrics)
    assert 4 == len(joined)
    assert [3, 1] == [len(counter.rules) for counter in dict.fromkeys(joined.values())]


@pytest.mark.parametrize(("hypothesis", "reference", "expected"), [
    ("Éléphant, éléphant!", "éléphant", 2 / 3),
    ("Москва — столица", "столица МОСКВА", 1),
    ("ذهبتُ إلى السوق.", "إلى السوق", 0.8),
    ("हिन्दी में", "हिन्दी", 2 / 3),
    ("東京タワー", "東京へ", 0.5),
    ("ภาษา", "ภา", 2 / 3),
    ("서울은 크다", "서울은 작다", 0.5),
    ("a\u200bb c_d", "a b c d", 1),
    ("x² + 1", "x² 1", 1),
    ("!?", "!?", 0),
])  # fmt: skip
def test_words_are_those_of_any_language(hypothesis, reference, expected):
    assert pytest.approx(expected) == ROUGE(tokenizer="words")([hypothesis], [reference])


@pytest.mark.parametrize(("stemmer", "hypothesis", "reference"), [
    ("porter", "flies running", "fly runs"),
    ("spanish", "gatos corriendo", "gato correr"),
    ("russian", "кошками", "кошка"),
])  # fmt: skip
def test_stems_match(stemmer, hypothesis, reference):
    metric = ROUGE(tokenizer="words", stemmer=stemmer)
    assert metric([hypothesis], [reference]) > ROUGE(tokenizer="words")([hypothesis], [reference])
    assert metric([hypothesis], [reference]) > 0.4


@pytest.mark.parametrize("tokenizer", ["rouge", "whitespace", "words", "13a", str.split], ids=repr)
def test_stop_words_do_not_count(tokenizer):
    metric = ROUGE(tokenizer=tokenizer, stop_words={"the", "being", "elephants"}, stemmer="porter")
    assert pytest.approx(1) == metric(["the cats being elephants"], ["cats the the"])
    assert pytest.approx(0) == metric(["the"], ["the"])
    assert pytest.approx(2 / 3) == metric(["elephant cat"], ["cat elephants"])


def test_stop_words_may_stand_in_a_file(tmp_path):
    path = tmp_path / "stop.txt"
    path.write_text("the\nof\n\n")
    metric = ROUGE(stop_words=str(path))
    assert 1 == metric(["the end of it"], ["end it"])
    assert metric == parse(repr(metric))
    with pytest.raises(InputError, match="missing"):
        ROUGE(stop_words=str(tmp_path / "missing.txt"))(["a"], ["a"])


@pytest.mark.parametrize(("options", "text", "kept"), [
    ({"max_words": 3}, "a b. c d", "a b c"),
    ({"max_words": 3}, "a b\n\nc d", "a b\nc"),
    ({"max_words": 3}, " a b c", "a b"),
    ({"max_bytes": 3}, "ab cd", "ab"),
    ({"max_bytes": 3}, "ab\nc d", "ab\nc"),
    ({"max_bytes": 2}, "aé", "a"),
], ids=repr)  # fmt: skip
@pytest.mark.parametrize("kind", ["1", "Lsum"])
def test_texts_are_cut(options, text, kept, kind):
    metric = ROUGE(kind, tokenizer="words", **options)
    assert 1 == metric([text], [kept]) == metric([kept], [text])
    assert 1 > ROUGE(kind, tokenizer="words")([text], [kept])


def test_token_lists_are_taken_as_they_are():
    metric = ROUGE("Lsum")
    assert 0.5 == metric([["A", "b."]], [["a", "b."]])
    assert 1 == metric([["b."]], [[["x"], ["b."]]])
    with pytest.raises(UsageError, match="token lists are used as given: leave out stemmer"):
        ROUGE(stemmer="porter")([["a"]], [["a"]])


@pytest.mark.parametrize(("text", "expected"), [
    ("One. Two! Three? Four", ["One.", " Two!", " Three?", " Four"]),
    ('He said "Go." Then left.', ['He said "Go."', " Then left."]),
    ("Dr. Who met J. R. Smith vs. U.S. Inc.", ["Dr. Who met J. R. Smith vs. U.S. Inc."]),
    ("It cost 3.5 m. or so. Yes", ["It cost 3.5 m. or so.", " Yes"]),
    ("one line\nanother", ["one line\n", "another"]),
    ("the end . he left . ", ["the end .", " he left . "]),
    ("all is lower. so is this.", ["all is lower.", " so is this."]),
    ("Wait... what? Oh", ["Wait... what?", " Oh"]),
    ("你好。再见！", ["你好。", "再见！", ""]),
    ("", [""]),
])  # fmt: skip
def test_a_regular_expression_finds_sentences(text, expected):
    assert expected == split_sentences(text, "regex")


@pytest.mark.parametrize("tokenizer", ["rouge", "whitespace", str.split])
@pytest.mark.parametrize("sentences", ["newline", "regex", lambda text: text.split(";")])
def test_sentences_decide_what_lsum_is(tokenizer, sentences):
    end = {"newline": "\n", "regex": ". "}.get(sentences, ";")
    hypothesis, reference = f"a b {end} C d", f"C d {end} a b"
    metric = ROUGE("Lsum", tokenizer=tokenizer, sentences=sentences)
    expected = ROUGE("1", tokenizer=tokenizer)([hypothesis], [reference])

    assert pytest.approx(expected) == metric([hypothesis], [reference])
    assert metric([hypothesis], [reference]) > ROUGE("L", tokenizer=tokenizer)(
        [hypothesis], [reference]
    )


@pytest.mark.parametrize(
    ("split", "message"),
    [(lambda text: text, "returned 'a', not a list"), (lambda text: [1], r"returned \[1\]")],
    ids=["string", "number"],
)
def test_what_is_no_list_of_sentences_is_rejected(split, message):
    with pytest.raises(InputError, match=message):
        ROUGE("Lsum", sentences=split)(["a"], ["a"])


def test_sentences_matter_to_lsum_alone():
    assert 1 == ROUGE("1", sentences=lambda text: pytest.fail("called"))(["a. b"], ["a. b"])


@pytest.mark.parametrize(("weight", "hypothesis", "reference", "expected"), [
    (2, "A B C D H I K", "A B C D E F G", 4 / 7),
    (2, "A H B K C I D", "A B C D E F G", 2 / 7),
    (2, "A B", "B A", 0.5),
    (1, "a b c", "a x c", 2 / 3),
])  # fmt: skip
def test_runs_weigh_more(weight, hypothesis, reference, expected):
    assert pytest.approx(expected) == ROUGE("W", weight=weight)([hypothesis], [reference])


def test_the_mean_is_that_of_examples():
    assert 0.5 == ROUGE()(["a b c d e", "x"], ["a b c d e", "y"])


def test_without_a_match_the_score_is_0():
    metrics = [ROUGE(kind) for kind in ("1", "9", "L", "Lsum", "W", "S", "SU")]
    metrics += [ROUGE(kind, variant="1.5.5") for kind in ("1", "L", "W", "S", "SU")]
    assert [0.0] * len(metrics) * 3 == [
        metric([hypothesis], [reference])
        for metric in metrics
        for hypothesis, reference in [("", ""), ("a", ""), ("", "a")]
    ]


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

    assert expected == {
        score.group: pytest.approx(score.value, abs=1e-12)
        for score in tallystick.score(references, hypotheses, metrics=metric, by=groups).scores
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
    assert [
        score_examples(metric, [text], [own])[0]
        for text, own in zip(hypotheses, several, strict=True)
    ] == score_examples(metric, hypotheses, several)


@pytest.mark.parametrize("weight", [0.5, 0.0, -1.0, 7.5, float("nan"), float("inf")])
def test_a_power_of_runs_has_bounds(weight):
    with pytest.raises(UsageError, match="weight must be a number from 1 to 7"):
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
