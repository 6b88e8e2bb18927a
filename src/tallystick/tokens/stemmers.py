"""Stemmers by name: Porter's, which runs in the kernels, and Snowball's by language."""

from collections.abc import Callable, Sequence
from functools import cache

from tallystick import _native
from tallystick.errors import UsageError

PORTER = "porter"
_NAME = "a language that Snowball knows, such as spanish"


def check_stemmer(stemmer: object) -> None:
    """Raises a UsageError unless this can name a stemmer; Snowball itself is not loaded."""
    if stemmer is not None and not (isinstance(stemmer, str) and stemmer.isidentifier()):
        raise UsageError(f"stemmer is None, porter, or {_NAME}, not {stemmer!r}")


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
