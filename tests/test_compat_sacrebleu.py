"""Facts about the drop-in module: what sacreBLEU's functions and classes return, it returns too."""

import random
from collections.abc import Sequence
from typing import Any

import pytest
import sacrebleu

from tallystick.compat import sacrebleu as ours
from tallystick.errors import InputError
from texts import draw_corpus, draw_text, stream

N_CORPORA = 100

Corpus = tuple[list[str], list[list[str | None]]]
Options = dict[str, Any]

BLEU_FIELDS = (
    *("score", "counts", "totals", "precisions", "bp", "sys_len", "ref_len"),
    *("ratio", "prec_str", "name"),
)
CHRF_FIELDS = ("score", "name", "char_order", "word_order", "beta")
TER_FIELDS = ("score", "name", "num_edits", "ref_length")


def near(values: Sequence[Any]) -> list[Any]:
    return [value if isinstance(value, str) else pytest.approx(value, abs=1e-9) for value in values]


def read(score: Any, fields: Sequence[str]) -> list[Any]:
    return [*(getattr(score, field) for field in fields), str(score), score.format(width=4)]


def draw_corpora(seed: int) -> list[Corpus]:
    draw = random.Random(seed)
    corpora = [draw_corpus(draw) for _ in range(N_CORPORA)]
    return [(hypotheses, stream(references)) for hypotheses, references in corpora]


CORPUS_CALLS: list[tuple[str, Sequence[str], Options]] = [
    ("corpus_bleu", BLEU_FIELDS, {}),
    ("corpus_bleu", BLEU_FIELDS, {"smooth_method": "add-k", "smooth_value": 0.5, "force": True}),
    ("corpus_bleu", BLEU_FIELDS, {"lowercase": True, "tokenize": "zh"}),
    ("corpus_bleu", BLEU_FIELDS, {"use_effective_order": True, "smooth_method": "floor"}),
    ("raw_corpus_bleu", BLEU_FIELDS, {}),
    ("raw_corpus_bleu", BLEU_FIELDS, {"smooth_value": 0.3}),
    ("corpus_chrf", CHRF_FIELDS, {}),
    ("corpus_chrf", CHRF_FIELDS, {"word_order": 2, "beta": 3, "eps_smoothing": True}),
    ("corpus_chrf", CHRF_FIELDS, {"char_order": 4, "remove_whitespace": False}),
    ("corpus_ter", TER_FIELDS, {}),
    ("corpus_ter", TER_FIELDS, {"normalized": True, "asian_support": True}),
    ("corpus_ter", TER_FIELDS, {"no_punct": True, "case_sensitive": True}),
]


@pytest.mark.deep
@pytest.mark.parametrize(("name", "fields", "options"), CORPUS_CALLS)
def test_functions_of_corpora_return_the_same(name, fields, options):
    corpora = draw_corpora(1)
    call, peer = getattr(ours, name), getattr(sacrebleu, name)
    expected = [near(read(peer(*corpus, **options), fields)) for corpus in corpora]

    assert expected == [read(call(*corpus, **options), fields) for corpus in corpora]


SENTENCE_CALLS: list[tuple[str, Sequence[str], Options]] = [
    ("sentence_bleu", BLEU_FIELDS, {}),
    ("sentence_bleu", BLEU_FIELDS, {"use_effective_order": False, "tokenize": "intl"}),
    ("sentence_chrf", CHRF_FIELDS, {}),
    ("sentence_chrf", CHRF_FIELDS, {"word_order": 1, "remove_whitespace": False}),
    ("sentence_ter", TER_FIELDS, {}),
    ("sentence_ter", TER_FIELDS, {"normalized": True, "no_punct": True}),
]


@pytest.mark.parametrize(("name", "fields", "options"), SENTENCE_CALLS)
def test_functions_of_sentences_return_the_same(name, fields, options):
    draw = random.Random(2)
    sentences = [
        (draw_text(draw), [draw_text(draw) for _ in range(draw.randint(1, 3))])
        for _ in range(N_CORPORA)
    ]
    call, peer = getattr(ours, name), getattr(sacrebleu, name)
    expected = [near(read(peer(*sentence, **options), fields)) for sentence in sentences]

    assert expected == [read(call(*sentence, **options), fields) for sentence in sentences]


CLASSES: list[tuple[str, Sequence[str], Options]] = [
    ("BLEU", BLEU_FIELDS, {}),
    ("BLEU", BLEU_FIELDS, {"trg_lang": "zh", "max_ngram_order": 2, "lowercase": True}),
    ("BLEU", BLEU_FIELDS, {"smooth_method": "floor", "effective_order": True, "tokenize": "char"}),
    ("CHRF", CHRF_FIELDS, {}),
    ("CHRF", CHRF_FIELDS, {"word_order": 2, "lowercase": True, "whitespace": True}),
    ("CHRF", CHRF_FIELDS, {"eps_smoothing": True, "beta": 1}),
    ("TER", TER_FIELDS, {}),
    ("TER", TER_FIELDS, {"normalized": True, "no_punct": True, "asian_support": True}),
]


@pytest.mark.deep
@pytest.mark.parametrize(("name", "fields", "options"), CLASSES)
def test_classes_return_the_same(name, fields, options):
    corpora = draw_corpora(3)
    metric = getattr(ours, name)(**options)
    peer = getattr(sacrebleu.metrics, name)(**options)
    expected, actual = [], []
    for corpus in corpora:
        wanted, found = peer.corpus_score(*corpus), metric.corpus_score(*corpus)
        expected.append([*near(read(wanted, fields)), str(peer.get_signature())])
        actual.append([*read(found, fields), str(metric.get_signature())])

    assert expected == actual


@pytest.mark.parametrize("name", ["BLEU", "CHRF", "TER"])
def test_references_may_be_given_once(name):
    hypotheses, streams = ["a b c", "d e"], [["a b d", "d e"], ["a c", "f"]]
    metric = getattr(ours, name)(references=streams)
    peer = getattr(sacrebleu.metrics, name)(references=streams)
    expected = peer.corpus_score(hypotheses, None).score

    assert pytest.approx(expected, abs=1e-9) == metric.corpus_score(hypotheses, None).score


@pytest.mark.parametrize("name", ["BLEU", "CHRF", "TER"])
def test_a_score_prints_with_a_signature_or_alone(name):
    metric, peer = getattr(ours, name)(), getattr(sacrebleu.metrics, name)()
    found, wanted = (one.corpus_score(["a b c"], [["a b d"]]) for one in (metric, peer))
    signature = peer.get_signature().format()

    assert wanted.format(signature=signature) == found.format(signature=signature)
    assert wanted.format(score_only=True, width=3) == found.format(score_only=True, width=3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: ours.corpus_bleu(["a", "b"], [["a"]]),
            "there are 2 hypotheses but reference stream 1 has 1; a stream holds one reference of "
            "every hypothesis",
        ),
        (
            lambda: ours.corpus_ter(["a"], [["a"], ["b", "c"]]),
            "there are 1 hypotheses but reference stream 2 has 2; a stream holds one reference of "
            "every hypothesis",
        ),
        (
            lambda: ours.corpus_chrf(["a"], ["a"]),
            "references are lists of strings, one list per reference stream",
        ),
        (
            lambda: ours.corpus_chrf("a", [["a"]]),
            "a list of strings was expected, not one string; put it into a list",
        ),
        (
            lambda: ours.sentence_bleu("a", "a"),
            "references of a sentence are a list of strings, not one string",
        ),
        (lambda: ours.corpus_bleu(["a"], [[None]]), "references, row 1: there is no reference"),
        (
            lambda: ours.BLEU().corpus_score(["a"], None),
            "there are no references: give them here, or when making the metric",
        ),
        (
            lambda: ours.BLEU().get_signature(),
            "score something first: the signature says how many references",
        ),
    ],
)
def test_what_sacrebleu_scores_in_silence_is_refused(call, message):
    with pytest.raises(InputError) as caught:
        call()

    assert message == str(caught.value)
