"""What splits texts into tokens for a scorer."""

from abc import ABC, abstractmethod

from tallystick.compat.rouge_score.tokenize import tokenize
from tallystick.tokens.normalizing import stem_word

__all__ = ["DefaultTokenizer", "Tokenizer"]


class Tokenizer(ABC):
    """What splits texts in place of the usual rule."""

    @abstractmethod
    def tokenize(self, text: str) -> list[str]:
        """The tokens of a text."""


class DefaultTokenizer(Tokenizer):
    """The usual rule: runs of ASCII letters and digits, stemmed by Porter's algorithm or not."""

    def __init__(self, use_stemmer: bool = False) -> None:
        self._stemmer = _Porter() if use_stemmer else None

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a text."""
        return tokenize(text, self._stemmer)


class _Porter:
    def stem(self, word: str) -> str:
        return stem_word(word)
