"""Texts in memory are scored: what may be passed, what comes back, and what is rejected."""

from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import tallystick
from tallystick.errors import InputError, TallystickError, UsageError
from tallystick.metrics import BLEU, ROUGE, TER, ChrF, Metric, NgramPrecision

HYPOTHESES = ["the cat sat on the mat", "a dog"]
REFERENCES = ["the cat sat on a mat", "a dog barked"]
EXPECTED = BLEU()(HYPOTHESES, REFERENCES)


def complain(hypotheses, references, metrics="bleu", **options):
    with pytest.raises(TallystickError) as caught:
        tallystick.score(references, hypotheses, metrics, **options)
    return str(caught.value)


def test_a_metric_is_called_on_texts():
    assert EXPECTED == tallystick.score(REFERENCES, HYPOTHESES)["bleu"]


@pytest.mark.parametrize("wrap", [
    list,
    tuple,
    iter,
    np.array,
    pyarrow.array,
    lambda texts: pyarrow.chunked_array([texts[:1], texts[1:]]),
    pandas.Series,
    lambda texts: pandas.Series(texts, dtype="category"),
    lambda texts: pandas.Series(texts, dtype=object),
    polars.Series,
    lambda texts: polars.Series(texts, dtype=polars.Categorical),
])  # fmt: skip
def test_a_column_may_be_of_any_kind(wrap):
    assert EXPECTED == tallystick.score(wrap(REFERENCES), wrap(HYPOTHESES), metrics="bleu")["bleu"]


@pytest.mark.parametrize("wrap", [list, polars.Series, pyarrow.array])
def test_references_may_be_lists(wrap):
    references = wrap([[REFERENCES[0], "a mat"], [None, REFERENCES[1]]])
    expected = BLEU()(HYPOTHESES, [[REFERENCES[0], "a mat"], REFERENCES[1]])
    assert expected == tallystick.score(references, HYPOTHESES, metrics="bleu")["bleu"]


@pytest.mark.parametrize("references", [
    [text.split() for text in REFERENCES],
    [[text.split()] for text in REFERENCES],
    [[text.split(), None] for text in REFERENCES],
])  # fmt: skip
def test_token_lists_are_taken_as_they_are(references):
    assert EXPECTED == BLEU()([text.split() for text in HYPOTHESES], references)


def test_a_token_list_may_be_empty():
    assert 0.5 == NgramPrecision()([[], ["a", "b"], []], [[], ["b", "c"], [[]]])


def test_a_tokenizer_may_be_a_callable():
    assert EXPECTED == BLEU(tokenizer=str.split)(HYPOTHESES, REFERENCES)


def split_at_plus(text):
    return text.split("+")


class Splitter:
    """A tokenizer with a configuration."""

    def __call__(self, text):
        """The words of a text."""
        return text.split()


@pytest.mark.parametrize(("tokenizer", "name"), [
    (split_at_plus, f"{__name__}:split_at_plus"),
    (lambda text: [text], f"{__name__}:<lambda>"),
    (str.split, "str.split"),
    (Splitter(), f"{__name__}:Splitter"),
    (Splitter().__call__, f"{__name__}:Splitter.__call__"),
])  # fmt: skip
def test_a_callable_is_shown_by_name(tokenizer, name):
    assert f"BLEU(tokenizer={name})" == repr(BLEU(tokenizer=tokenizer))


def test_several_systems_are_scored_one_after_the_other():
    scored = tallystick.score(REFERENCES, {"good": REFERENCES, "mine": HYPOTHESES}, metrics="bleu")
    score = scored.scores[1]
    assert ["good", "mine"] == [score.system for score in scored.scores]
    assert EXPECTED == scored["bleu", None, "mine"]
    assert "BLEU()|references:1|version:0.1.0" == score.signature
    assert "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0" == score.peer_signature


def test_the_usual_metrics_are_bleu_and_chrf():
    scored = tallystick.score(REFERENCES, HYPOTHESES)
    assert ["bleu", "chrf"] == [score.name for score in scored.scores]


def test_groups_have_a_macro_and_a_micro_score():
    references = [*REFERENCES, "c"]
    metric = NgramPrecision(tokenizer="none")
    scored = tallystick.score(references, [*HYPOTHESES, "d"], metrics=metric, by=["x", "y", "y"])

    assert {
        "x": (5 / 6, 1),
        "y": (2 / 3, 2),
        "macro": (pytest.approx(3 / 4), 3),
        "micro": (7 / 9, 3),
    } == {score.group: (score.value, score.n) for score in scored.scores}


def test_segments_are_numbered_from_1():
    systems = {"good": REFERENCES, "mine": HYPOTHESES}
    metrics: list[Metric | str] = [BLEU(order=1), "chrf"]
    scored = tallystick.score(REFERENCES, systems, metrics=metrics, segments=True)
    last = scored.scores[-1]
    assert ["1", "1", "2", "2"] * 2 == [score.group for score in scored.scores]
    assert ("mine", "chrf", 1) == (last.system, last.name, last.n)
    assert ChrF()(HYPOTHESES[1:], REFERENCES[1:]) == last.value


@pytest.mark.parametrize(
    "tokenizer", ["latex", str.split, "spm:a.model"], ids=["latex", "callable", "model"]
)
def test_sacrebleu_s_signature_is_given_only_where_sacrebleu_has_the_tokenizer(tokenizer):
    assert [None, None] == [
        metric.peer_signature(1) for metric in (BLEU(tokenizer), BLEU(weights=(1, 1, 1, 2)))
    ]


def test_transposed_references_are_rejected():
    expected = (
        "the references are 2 x 3, one list per reference stream, as sacreBLEU takes them, but are "
        "given per example here: pass list(zip(*references))"
    )
    assert expected == complain(["a", "b", "c"], [["a", "b", "c"], ["d", "e", "f"]])


@pytest.mark.parametrize(("hypotheses", "references"), [(3, 2), (2, 3), (1, 4), (0, 1)])
@pytest.mark.parametrize("example", ["a", ["a"]], ids=["strings", "tokens"])
def test_unequal_lengths_are_rejected(hypotheses, references, example):
    expected = f"there are {hypotheses} hypotheses but references for {references} examples"
    assert expected == complain([example] * hypotheses, ["a"] * references)


@pytest.mark.parametrize(("hypotheses", "references", "message"), [
    (["a", None], ["a", "b"], "predictions, row 2: None is not a string but NoneType"),
    (["a", 1.5], ["a", "b"], "predictions, row 2: 1.5 is not a string but float"),
    ([b"a", "b"], ["a", "b"], "predictions, row 1: b'a' is not a string but bytes"),
    (["a", "b"], ["a", None], "references, row 2: there is no reference"),
    (["a", "b"], ["a", []], "references, row 2: there is no reference"),
    (["a", "b"], ["a", [None]], "references, row 2: there is no reference"),
    (["a", "b"], [["a", "c"], ["b", 3]], "references, row 2: 3 is not a string but int"),
    (["a", "b\ud800"], ["a", "b"],
     "predictions, row 2: character 1 is the lone surrogate U+D800, which no UTF-8 file "
     "can contain"),
    (["a", "b"], ["a", ["b", "\udfff"]],
     "references, row 2: character 0 is the lone surrogate U+DFFF, which no UTF-8 file "
     "can contain"),
    ([["a"], ["b"]], ["a", "b"], "references, row 1: 'a' is not a list of tokens but str"),
    ([["a"], ["b", 3]], [["a"], ["b"]], "predictions, row 2: the token 3 is not a string"),
    ([["a"], ["b"]], [["a"], [["b"], [3]]], "references, row 2: the token 3 is not a string"),
    ([["a"], None], [["a"], ["b"]],
     "predictions, row 2: None is not a list of tokens but NoneType"),
    ([["a"]], [None], "references, row 1: there is no reference"),
    ([], [], "there are no examples to score"),
    ("a", ["a"], "a list of strings was expected, not one string; put it into a list"),
    (3, ["a"], "a column of values was expected, not int"),
])  # fmt: skip
def test_what_is_no_text_is_rejected(hypotheses, references, message):
    assert message == complain(hypotheses, references)


@pytest.mark.parametrize("wrap", [pandas.Series, polars.Series, pyarrow.array])
def test_a_missing_value_in_a_column_is_rejected(wrap):
    message = complain(wrap(["a", None]), ["a", "b"])
    assert "predictions, row 2: None is not a string but NoneType" == message


@pytest.mark.parametrize(("options", "message"), [
    ({"metrics": []}, "no metric was named; leave metrics out for the usual ones"),
    ({"by": ["x"]}, "by has 1 values for 2 examples"),
    ({"by": ["x", None]}, "by, row 2: the value is missing"),
    ({"by": ["x", "y"], "segments": True}, "segments are not grouped: leave out by or segments"),
    ({"metrics": BLEU(tokenizer=str.upper)},
     "what the tokenizer returned: 'THE CAT SAT ON THE MAT' is not a list of tokens but str"),
])  # fmt: skip
def test_wrong_options_are_rejected(options, message):
    assert message == complain(HYPOTHESES, REFERENCES, **options)


@pytest.mark.parametrize(("kind", "options", "message"), [
    (BLEU, {"order": 17}, "order must be a whole number from 1 to 16, not 17"),
    (BLEU, {"order": 2.0}, "order must be a whole number from 1 to 16, not 2.0"),
    (BLEU, {"smooth_value": -1}, "smooth_value must be a number of 0 or more, not -1"),
    (BLEU, {"weights": (1, 1)}, "there are 2 weights for 4 orders"),
    (BLEU, {"order": 2, "weights": (0, 0)}, "weights are not all 0, but (0, 0)"),
    (BLEU, {"smoothing": "add"},
     "smoothing must be one of 'exp', 'floor', 'add-k', 'none', not 'add'"),
    (ChrF, {"char_order": 17}, "char_order must be a whole number from 0 to 16, not 17"),
    (ChrF, {"char_order": 0}, "word_order must be a whole number from 1 to 16, not 0"),
    (ChrF, {"beta": 0}, "beta must be a number from 1e-100 to 1e+100, not 0"),
])  # fmt: skip
def test_metrics_refuse_options_that_they_cannot_have(kind, options, message):
    with pytest.raises(UsageError) as caught:
        kind(**options)
    assert message == str(caught.value)


@pytest.mark.parametrize("tokenizer", ["14a", 3])
def test_an_unknown_tokenizer_is_rejected(tokenizer):
    expected = (
        f"unknown tokenizer {tokenizer!r}; choose one of 13a, char, intl, latex, none, "
        "rouge, whitespace, words, zh, ja-mecab, ko-mecab, spm:MODEL_FILE, or a callable"
    )
    with pytest.raises(UsageError) as caught:
        BLEU(tokenizer)
    assert expected == str(caught.value)


def test_a_single_bad_row_is_named_among_many():
    references: list[Any] = [["a", "b"]] * 999 + [["a", 5]]
    with pytest.raises(InputError) as caught:
        BLEU()(["a"] * 1000, references)
    assert "references, row 1000: 5 is not a string but int" == str(caught.value)


@pytest.mark.parametrize(("metric", "where"), [
    (ChrF(word_order=1, tokenizer=lambda text: [text, "\ud800"]), "what the tokenizer returned"),
    (TER(tokenizer=lambda text: [text, "\ud800"]), "what the tokenizer returned"),
    (ROUGE("Lsum", sentences=lambda text: [text, "\ud800"]), "the sentences"),
    (ROUGE(stop_words=("\ud800",)), "stop_words"),
])  # fmt: skip
def test_lone_surrogate_of_a_function_is_told(metric, where):
    with pytest.raises(InputError, match=f"^{where}, row 1: .* is the lone surrogate U.D800"):
        tallystick.score(["a b"], ["a b"], metrics=[metric])
