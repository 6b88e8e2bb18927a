"""CIDEr-D, SARI and GLEU have the values of the packages that define them."""

import random

import pandas as pd
import pytest
from nltk.translate.gleu_score import corpus_gleu
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

import tallystick
from oracle import near
from tallystick.errors import InputError, TallystickError, UsageError
from tallystick.kinds.metrics.names import parse
from tallystick.metrics import GLEU, SARI, CIDErD
from texts import draw_corpus

RECORDED = (
    ("a man is riding a horse on the beach", ["a man rides a horse on the beach",
     "a man on a horse", "the man is riding a brown horse near the sea"], 3.7077459955485192),
    ("two dogs in the snow snow snow", ["two dogs play in the snow", "dogs running in snow"],
     1.9771546065760324),
    ("a plate of rice", ["a plate of food with rice and beans", "rice and beans on a white plate",
     "a white plate holds rice , beans and a fork", "food"], 1.152762571599545),
    ("the the the the the the", ["the the the the", "the cat"], 2.5199631231926958),
    ("", ["a red bus parked on the street"], 0.0),
    ("ein Bär über dem Fluß", ["ein Bär über dem Fluß"], 10.0),
)  # fmt: skip
"""Output, references and value, where the documents are these references."""

WORDS = [
    *("the", "a", "cat", "dog", "sat", "on", "mat", "big", "red", "runs", "über", "3.5", ",", "."),
]
MEANS = (
    *(1.6499715755849826, 1.0197333657930643, 2.3091876032987413, 2.2844983665026097),
    *(1.800205693573596, 1.4256713609542089, 1.284189235049082, 1.9108194563917464),
    *(1.5886532543469734, 1.7460797921453308, 0.8964586066122435, 1.7257914838816644),
    *(2.170084316907471, 1.647762293344004, 1.5494039061040012, 1.7709161697428928),
    *(1.4413706774132478, 1.553259370488882, 1.167536408072542, 1.4824185511084687),
)
"""The value of the texts that `invent` makes of each seed."""


def invent(seed):
    chance = random.Random(seed)

    def write():
        words = WORDS[: chance.choice([2, 5, 14])]
        return " ".join(
            chance.choice(words) for _ in range(chance.choice([0, 1, 2, 3, 5, 8, 12, 20]))
        )

    references = [[write() for _ in range(chance.randint(1, 5))] for _ in range(50)]
    return [
        chance.choice([write(), chance.choice(own), f"{chance.choice(own)} {write()}"])
        for own in references
    ], references


@pytest.fixture
def score(tmp_path):
    def call(outputs, references, documents=None, **options):
        path = tmp_path / "documents.txt"
        lines = ["\t".join(texts) for texts in documents or references]
        path.write_text("".join(f"{line}\n" for line in lines))
        return tallystick.score(references, outputs, [CIDErD(str(path))], **options)

    return call


def test_each_text_has_the_recorded_value(score):
    outputs, references, values = zip(*RECORDED, strict=True)
    found = score([*outputs], [*references], segments=True, intervals=False)
    assert pytest.approx(values, abs=1e-14) == [one.value for one in found.scores]


@pytest.mark.parametrize("seed", range(len(MEANS)))
def test_random_texts_have_the_recorded_mean(score, seed):
    assert pytest.approx(MEANS[seed], abs=1e-14) == score(*invent(seed), intervals=False)["cider_d"]


def test_with_given_documents_the_value_of_a_text_does_not_depend_on_others(score):
    outputs, references, values = zip(*RECORDED, strict=True)
    found = score([*outputs[:2]], [*references[:2]], [*references], intervals=False)
    assert pytest.approx(sum(values[:2]) / 2, abs=1e-14) == found["cider_d"]


def test_changed_documents_are_read_again(score):
    outputs, references, values = zip(*RECORDED, strict=True)
    score([*outputs], [*references], [["a"]] * 7)
    found = score([*outputs], [*references], intervals=False)
    assert pytest.approx(sum(values) / 6, abs=1e-14) == found["cider_d"]


@pytest.mark.parametrize(("metric", "error", "message"), [
    ("cider", UsageError, "CIDErD needs documents: CIDErD(documents='...')"),
    ("cider_d(2)", UsageError, "documents must be the path of a file, not 2"),
    ("cider_d(no.txt)", InputError, "no.txt: cannot be read: No such file or directory"),
])  # fmt: skip
def test_missing_documents_are_told(metric, error, message):
    with pytest.raises(error) as raised:
        tallystick.score(["a b"], ["a b"], [metric])
    assert message == str(raised.value)


PUBLISHED = (
    "About 95 species are currently accepted .",
    "About 95 you now get in .",
    ["About 95 species are currently known .", "About 95 species are now accepted .",
     "95 species are now accepted ."],
    26.953601953601954,
)  # fmt: skip
"""The example of its page, with its value."""

SARI_RECORDED = (
    ("3.5", "3.5", ["3.5", "3.5", "3.5", "3.5"], 100.0),
    ("it's sat, a", "it's sat, a", ["big!"], 50.0),
    ("it's (ok) on the big! cat cat the and the (ok) (ok)",
     "it's (ok) on the big! cat (ok) cat the and the (ok) (ok)",
     ["cat on", "it's (ok) on the big! cat cat the (ok) (ok) (ok)"], 52.315515818446066),
    ("big! big!", "on big! big!", ["mat. big!", "big!", "big! big!"], 53.888888888888886),
    ("the Dog", "a", ["the Dog", "the Dog on"], 41.66666666666667),
    ("a a", "a", ["Dog a a", "a", "on a", "a a"], 52.5),
    ("the sat, sat, (ok) 3.5 mat. Dog cat and Dog big! sat,", "New-York",
     ["the sat, sat, (ok) 3.5 cat and Dog big! and sat,", "3.5 mat. Dog cat and Dog sat,",
     "the sat, (ok) 3.5 mat. and Dog big! sat,", "the sat, sat, (ok) 3.5 mat. Dog and big! sat,"],
     13.107274159663865),
)  # fmt: skip
"""Source, output, references and value: repeated words, punctuation, capitals, short texts."""


def make(*cases):
    names = ("source", "output", "references", "expected")
    return pd.DataFrame([dict(zip(names, case, strict=True)) for case in cases])


@pytest.mark.parametrize("case", [PUBLISHED, *SARI_RECORDED], ids=lambda case: case[1][:12])
def test_each_text_has_the_recorded_sari(case):
    found = tallystick.score(make(case), metrics=[SARI()], intervals=False)
    assert pytest.approx(case[3], abs=1e-12) == found["sari"]


def test_the_score_is_the_mean_over_texts():
    table = make(PUBLISHED, *SARI_RECORDED)
    (one,) = tallystick.score(table, metrics=["sari"]).scores
    each = tallystick.score(table, metrics=["sari"], segments=True, intervals=False).scores
    assert pytest.approx(table["expected"].mean(), abs=1e-12) == one.value
    assert one.low < one.value < one.high
    assert pytest.approx(table["expected"].tolist(), abs=1e-12) == [own.value for own in each]


def test_systems_share_their_sources():
    table = make(*SARI_RECORDED).rename(columns={"output": "a"})
    table["b"] = [texts[0] for texts in table["references"]]
    found = tallystick.score(table, metrics=["sari"], systems=["a", "b"], gold="references")
    assert found["sari", None, "a"] < found["sari", None, "b"]


def test_texts_without_sources_are_told():
    table = make(PUBLISHED).drop(columns="source")
    with pytest.raises(TallystickError, match=r"none is called text, input, source, src"):
        tallystick.score(table, metrics=["sari"])


def draw_tokens(draw):
    return [draw.choice("abcde") for _ in range(draw.randint(0, 9))]


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(10))
def test_values_are_those_of_nltk(seed):
    draw = random.Random(seed)
    expected, actual = [], []
    for _ in range(1000):
        size, order = draw.randint(1, 4), draw.randint(1, 5)
        hypotheses = [draw_tokens(draw) for _ in range(size)]
        references = [[draw_tokens(draw) for _ in range(draw.randint(1, 3))] for _ in range(size)]
        expected.append(corpus_gleu(references, hypotheses, max_len=order))
        actual.append(GLEU(order=order)(hypotheses, references))

    assert expected == actual


def test_texts_are_split_as_google_bleu_splits_them():
    split = Tokenizer13a()
    draw = random.Random(3)
    for _ in range(100):
        hypotheses, references = draw_corpus(draw)
        tokens = [split(text.rstrip()).split() for text in hypotheses]
        several = [[split(text.rstrip()).split() for text in own] for own in references]
        assert near(corpus_gleu(several, tokens)) == GLEU()(hypotheses, references)


def test_the_best_reference_counts():
    assert near(3 / 10) == GLEU()([["a", "b"]], [[["c"], ["a", "b", "c", "d"]]])


def test_it_has_intervals_and_groups():
    gold = ["the cat sat on the mat", "it rains", "we read books", "all is well"] * 5
    output = ["the cat sat", "it rains", "we read a book", "well"] * 5
    result = tallystick.score(gold, output, "google_bleu", by=["x", "y"] * 10)
    assert ["x", "y", "macro", "micro"] == [one.group for one in result.scores]
    assert all(one.low < one.value < one.high for one in result.scores)
    assert parse("google_bleu") == GLEU()
