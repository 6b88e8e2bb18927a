"""Facts about stems: those of the kernel are NLTK's, of words that people use and of many more."""

import re
from itertools import product

import numpy as np
import pytest
from nltk.stem.porter import PorterStemmer

from tallystick import _native
from tallystick.kinds.texts.texts import Texts, encode_texts

STARTS = ["", "a", "y", "by", "cr", "str", "tr", "un", "eni", "oy", "relat", "hopp", "fall", "hiss"]
STARTS += ["fizz", "fil", "fail", "controll", "sens", "adopt", "commun", "homolog", "electr"]
STARTS += [
    "sky",
    "di",
    "ly",
    "inn",
    "out",
    "cann",
    "how",
    "proc",
    "exc",
    "succ",
    "new",
    "sw",
    "box",
]
MIDDLES = [
    "",
    "at",
    "ation",
    "tion",
    "al",
    "iv",
    "iz",
    "ic",
    "ful",
    "ness",
    "ous",
    "abl",
    "bl",
    "ent",
]
MIDDLES += ["ement", "ment", "ant", "ion", "ism", "log", "y", "ee", "ll", "ou", "ate", "ible", "li"]
ENDS = [
    "",
    "s",
    "ss",
    "sses",
    "ies",
    "ied",
    "es",
    "ed",
    "eed",
    "ing",
    "ings",
    "y",
    "e",
    "er",
    "ers",
]
ENDS += ["ly", "li", "ity", "iti", "ance", "ence", "ancy", "enci", "ational", "ization", "iveness"]
ENDS += [
    "fulness",
    "ousness",
    "aliti",
    "iviti",
    "biliti",
    "ogi",
    "icate",
    "ative",
    "alize",
    "iciti",
]
ENDS += ["ical", "ness", "ful", "fulli", "alli", "entli", "ousli", "izer", "ator", "alism", "ive"]


def stem(words: list[str]) -> list[str]:
    texts = encode_texts(words)
    return Texts(*map(np.asarray, _native.stem_words(texts.data, texts.offsets))).strings()


def differ(words: list[str]) -> list[tuple[str, str, str]]:
    peer = PorterStemmer()
    pairs = zip(words, stem(words), strict=True)
    return [(word, mine, theirs) for word, mine in pairs if mine != (theirs := peer.stem(word))]


@pytest.mark.parametrize("start", STARTS)
def test_stems_of_built_words_are_those_of_nltk(start):
    words = [start + middle + end for middle, end in product(MIDDLES, ENDS)]

    assert [] == differ([word for word in words if word])


def test_stems_of_short_words_are_those_of_nltk():
    letters = "abesyiwdln"
    words = ["".join(word) for size in (1, 2, 3, 4) for word in product(letters, repeat=size)]

    assert [] == differ(words)


@pytest.mark.deep
def test_stems_of_published_words_are_those_of_nltk(shared):
    paths = [*shared.glob("data/cnndm/*.txt"), *shared.glob("data/webnlg/*.txt")]
    paths += [*shared.glob("data/toxicity/splits/**/*.csv"), *shared.glob("data/wmt23/**/*.en")]
    texts = " ".join(path.read_text(encoding="utf-8") for path in paths).lower()
    words = sorted(set(re.findall("[a-z0-9]+", texts)))

    assert len(words) > 30_000
    assert [] == differ(words)


@pytest.mark.parametrize("word", ["café", "naïvely", "éing", "бегущие", "猫s", "aé", "Éed"])
def test_stems_of_other_words_are_those_of_nltk(word):
    assert [PorterStemmer().stem(word)] == stem([word.lower()])
