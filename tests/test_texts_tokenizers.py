"""Tokenizers go with edit metrics as they do with BLEU."""

import pytest

import tallystick
from tallystick.errors import InputError, UsageError
from tallystick.metrics import BLEU, MER, TER, WER, WIL, ChrF, Levenshtein

GOLD = r"\frac{1}{2} + \alpha % the half"
SYSTEM = r"\frac{1}{3}+\beta"


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        (WER(tokenizer="latex"), 2 / 9),
        (MER(tokenizer="latex"), 2 / 9),
        (WIL(tokenizer="latex"), 1 - (7 / 9) ** 2),
        (Levenshtein(unit="words", tokenizer="latex"), 2),
        (WER(tokenizer=str.split), 1),
    ],
    ids=repr,
)
def test_edits_are_of_tokens(metric, expected):
    actual = metric([SYSTEM], [GOLD])

    assert expected == pytest.approx(actual, abs=1e-12)


@pytest.mark.parametrize("tokenizer", ["latex", lambda text: text.split("+")])
def test_ter_and_chrf_see_tokens(tokenizer):
    ter, chrf = TER(tokenizer=tokenizer), ChrF(word_order=2, tokenizer=tokenizer)

    assert ter(["a+b"], ["a+b"]) == 0
    assert chrf(["a+b"], ["a+b"]) == pytest.approx(100)
    assert ter.peer_signature(1) is chrf.peer_signature(1) is None


@pytest.mark.parametrize("metric", [BLEU, ChrF, TER, WER])
def test_a_tokenizer_returns_a_list(metric):
    with pytest.raises(InputError, match="what the tokenizer returned: 'A B' is not a list"):
        metric(tokenizer=str.upper)(["A b"], ["c"])


def test_tex_spacing_costs_no_edit():
    assert TER(tokenizer="latex")(["a+c"], ["a + b"]) == pytest.approx(100 / 3)
    assert TER()(["a+c"], ["a + b"]) == pytest.approx(100)


def test_what_tex_ignores_is_no_token():
    assert BLEU(tokenizer="latex")([r"a + b%x", "y"], [r"a+b", "y"]) == pytest.approx(
        BLEU(tokenizer="latex")(["a + b", "y"], ["a + b", "y"])
    )


@pytest.mark.parametrize(("build", "expected"), [(MER, 2 / 9), (WIL, 1 - (7 / 8) * (7 / 8))])
def test_rates_may_be_of_characters(build, expected):
    assert expected == pytest.approx(build(unit="characters")(["abcdefgx"], ["yabcdefg"]))


@pytest.mark.parametrize("build", [WER, MER, WIL])
def test_an_unknown_tokenizer_is_told(build):
    with pytest.raises(UsageError, match="unknown tokenizer '14a'"):
        build(tokenizer="14a")


def test_a_tokenizer_goes_with_words():
    with pytest.raises(UsageError, match="words"):
        Levenshtein(tokenizer="latex")


def test_thai_references_are_told_to_be_split_by_characters():
    texts = ["แมวนั่งบนเสื่อ", "หมาวิ่ง"]
    notes = tallystick.score(texts, texts, metrics=["bleu"]).notes

    assert notes[0].startswith(
        "bleu splits words at spaces, but these references have hardly any: -l th"
    )
