"""Splits a text into sentences by lines, by a regular expression, or by any function."""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from tallystick.errors import InputError, UsageError

Sentences = str | Callable[[str], Sequence[str]]
"""A rule: `newline`, `regex`, or a function from a text to its sentences."""

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
    raise UsageError(f"unknown sentence rule {sentences!r}; choose newline, regex, or a callable")


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
