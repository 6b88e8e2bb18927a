"""Splits texts into sentences, normalises them as SQuAD and Whisper do, and stems words."""

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import cache
from itertools import pairwise
from typing import Literal

from tallystick import _native
from tallystick.errors import InputError, UsageError

Sentences = str | Callable[[str], Sequence[str]]
"""A rule: `newline`, `regex`, a mark between sentences such as `<q>`, or a function."""

_NAMES = ("newline", "regex")
_CLOSERS = r"""["')\]\u2019\u201d\u00bb\u300d\u300f\uff09]*"""
_MARK = re.compile(
    rf"(?P<mark>[.!?\u2026]+){_CLOSERS}(?=\s+(?P<next>\S))|[\u3002\uff01\uff1f\uff61]+{_CLOSERS}|\n"
)
"""A mark that may end a sentence, closing quotes or brackets, and what follows; or a line end."""

_LONGEST = 16
_LAST_WORD = re.compile(r"\w[\w.]*\Z|\S\Z")
_ABBREVIATION = re.compile(
    r"[A-Za-z]|([A-Za-z]\.)+[A-Za-z]|Mrs?|Ms|Dr|Prof|Rev|Gen|Col|Lt|Sgt|Capt|Gov|Sen|Rep|St|Jr|Sr|"
    r"Mt|Nos?|Figs?|Eq|Sec|Vol|pp|vs|etc|cf|ca|al|approx"
)


def check_sentences(sentences: Sentences) -> None:
    """Raises a UsageError unless there is such a rule."""
    if callable(sentences) or sentences in _NAMES:
        return
    if not isinstance(sentences, str) or not sentences or sentences.isalpha():
        known = "newline, regex, a mark such as <q>, or a callable"
        raise UsageError(f"unknown sentence rule {sentences!r}; choose {known}")


def split_sentences(text: str, sentences: Sentences) -> list[str]:
    """Returns the sentences of a text.

    `regex` ends a sentence at each line end and at punctuation: Chinese and Japanese marks end one
    anywhere, other marks only before white space. A mark after a word ends no sentence if a
    lower-case letter follows, unless the whole text is in lower case; a full stop ends none after
    an initial or a common English abbreviation.
    """
    if callable(sentences):
        return _check(sentences(text))
    if sentences == "newline":
        return text.split("\n")
    lowered = text.islower()
    ends = [found.end() for found in _MARK.finditer(text) if _ends(text, found, lowered)]
    return [text[first:last] for first, last in pairwise([0, *ends, len(text)])]


def _ends(text: str, found: re.Match[str], lowered: bool) -> bool:
    start = found.start()
    word = _LAST_WORD.search(text, max(0, start - _LONGEST), start)
    if found["mark"] is None or word is None:
        return True
    if found["mark"] == "." and _ABBREVIATION.fullmatch(word[0]):
        return False
    return lowered or not found["next"].islower()


def _check(sentences: object) -> list[str]:
    if isinstance(sentences, list | tuple) and all(isinstance(one, str) for one in sentences):
        return list(sentences)
    raise InputError(f"what split the sentences returned {sentences!r}, not a list of strings")


PORTER = "porter"
_NAME = "a language that Snowball knows, such as spanish"


def check_stemmer(stemmer: object) -> None:
    """Raises a UsageError unless this can name a stemmer; Snowball itself is not loaded."""
    if stemmer is not None and not (isinstance(stemmer, str) and stemmer.isidentifier()):
        raise UsageError(f"stemmer must be None, porter, or {_NAME}, not {stemmer!r}")


@cache
def load_stemmer(language: str) -> Callable[[Sequence[str]], Sequence[str]]:
    """Returns a function that stems a list of words of a language."""
    try:
        import Stemmer
    except ImportError:
        raise UsageError(
            f"stemmer {language} needs the extra: pip install 'tallystick[stem]'"
        ) from None
    if language not in Stemmer.algorithms():
        raise UsageError(f"unknown stemmer {language!r}; choose porter, or {_NAME}")
    stem: Callable[[Sequence[str]], Sequence[str]] = Stemmer.Stemmer(language).stemWords
    return stem


def stem_word(word: str) -> str:
    """Returns the stem of a lower-case word by Porter's algorithm, as NLTK implements it."""
    stems, _ = _native.stem_words(*_native.pack([word]))
    return stems.tobytes().decode()


Normalizer = Literal["whisper", "whisper-en"]
NORMALIZERS: tuple[Normalizer, ...] = ("whisper", "whisper-en")
"""What recognisers of speech are scored after: that of any language, and that of English."""

Ignorable = Literal["articles", "numbers", "punctuation", "whitespace"]
IGNORABLE: tuple[Ignorable, ...] = ("articles", "numbers", "punctuation", "whitespace")
"""English articles; digits; ASCII punctuation; and how much white space there is."""

_ARTICLES = re.compile(r"[at](?:(?<=\bt)he|(?<=\ba)n?)\b")
"""The same as `\\b(a|an|the)\\b`, but three times as fast, by the first letters."""

_OF_LANGUAGES: dict[str, tuple[str, str]] = {
    "ar": ("ال", " "),
    "de": (r"\b(ein|eine|einen|einem|eines|einer|der|die|das|den|dem|des)\b", " "),
    "en": (r"\b(a|an|the)\b", " "),
    "es": (r"\b(un|una|unos|unas|el|la|los|las)\b", " "),
    "hi": ("", ""),
    "vi": (r"\b(của|là|cái|chiếc|những)\b", " "),
    "zh": ("([\u4e00-\u9fa5])", r" \1 "),
}
"""The articles of languages, and what replaces them; Chinese characters are words."""
ANSWER_LANGUAGES = (*_OF_LANGUAGES,)
"""The languages of MLQA."""

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


def normalize_answer(text: str, language: str) -> str:
    """Returns an answer as MLQA's script compares it, but for how much white space there is."""
    lowered = text.lower()
    marks = {
        ord(one): None
        for one in {*lowered}
        if one in string.punctuation or unicodedata.category(one).startswith("P")
    }
    return re.sub(*_OF_LANGUAGES[language], lowered.translate(marks))


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
