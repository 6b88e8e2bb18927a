"""The function that splits texts as rouge_score does."""

import re
from typing import Protocol

__all__ = ["Stemmer", "tokenize"]

_TOKEN = re.compile(r"[a-z0-9]+")
_STEMMED = 4


class Stemmer(Protocol):
    """What stems words, such as NLTK's PorterStemmer."""

    def stem(self, word: str, /) -> str:
        """The stem of a word."""


def tokenize(text: str, stemmer: Stemmer | None) -> list[str]:
    """The runs of ASCII letters and digits in lower case; those of four characters on are stemmed.

    A stem that contains anything else is dropped.
    """
    tokens: list[str] = _TOKEN.findall(text.lower())
    if stemmer is None:
        return tokens
    stems = (stemmer.stem(token) if len(token) >= _STEMMED else token for token in tokens)
    return [stem for stem in stems if _TOKEN.fullmatch(stem)]
