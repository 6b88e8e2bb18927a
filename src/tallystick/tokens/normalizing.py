"""Normalises texts before they are compared: answers as SQuAD does, speech as Whisper does."""

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection
from functools import cache
from typing import Literal

from tallystick.errors import UsageError

Normalizer = Literal["whisper", "whisper-en"]
NORMALIZERS: tuple[Normalizer, ...] = ("whisper", "whisper-en")
"""What recognisers of speech are scored after: that of any language, and that of English."""

Ignorable = Literal["articles", "numbers", "punctuation", "whitespace"]
IGNORABLE: tuple[Ignorable, ...] = ("articles", "numbers", "punctuation", "whitespace")
"""English articles; digits; ASCII punctuation; and how much white space there is."""

_ARTICLES = re.compile(r"[at](?:(?<=\bt)he|(?<=\ba)n?)\b")
"""The same as `\\b(a|an|the)\\b`, but three times as fast, by the first letters."""

_MARKS = {"numbers": string.digits.encode(), "punctuation": string.punctuation.encode()}


def normalize_text(text: str, *, lowercase: bool, ignore: Collection[Ignorable]) -> str:
    """Returns a text without what is ignored except white space, in the order of SQuAD's scripts.

    Case goes first, then punctuation and digits, which leave nothing behind, then articles, which
    leave a space. A NUL stays and belongs to no word, so that it can separate several texts.
    """
    if lowercase:
        text = text.lower()
    marks = b"".join(_MARKS[name] for name in ignore if name in _MARKS)
    if marks:
        text = text.encode().translate(None, marks).decode()
    return _ARTICLES.sub(" ", text) if "articles" in ignore else text


def measure_marks(text: str) -> float:
    """Returns how many marks that are no part of a composed letter a text has, per letter or mark.

    Whisper's normalisers delete these, such as the vowel signs of Indic scripts.
    """
    if text.isascii():
        return 0.0
    kinds = Counter(unicodedata.category(one)[0] for one in unicodedata.normalize("NFKC", text))
    return kinds["M"] / max(kinds["M"] + kinds["L"], 1)


@cache
def load_normalizer(name: Normalizer) -> Callable[[str], str]:
    """Returns one of Whisper's normalisers, as the package whisper-normalizer has them.

    Source: Radford et al. 2022, arXiv 2212.04356, appendix C.
    """
    try:
        if name == "whisper":
            from whisper_normalizer.basic import BasicTextNormalizer as Loaded
        else:
            from whisper_normalizer.english import EnglishTextNormalizer as Loaded
    except ImportError:
        raise UsageError(
            f"normalising as {name} needs the extra: pip install 'tallystick[whisper]'"
        ) from None
    normalize = Loaded()
    return lambda text: str(normalize(text)).strip()
