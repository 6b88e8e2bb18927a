"""Cleans texts for a bag of words."""

import os
import re
from collections.abc import Collection, Iterable

from tallystick.errors import InputError
from tallystick.io.files.lines import read_lines

_URL = re.compile(r"http\S+|www\.\S+")
_MENTION = re.compile(r"@\w+")


def clean(
    texts: Iterable[str],
    *,
    strip_urls: bool,
    strip_mentions: bool,
    lower: bool,
    stopwords: Collection[str],
) -> list[str]:
    """The texts without links and mentions, in lower case, without stop words, in this order.

    Words are what white space separates; one space separates those that are left.
    """
    dropped = frozenset(stopwords)
    if strip_urls:
        texts = [_URL.sub("", text) for text in texts]
    if strip_mentions:
        texts = [_MENTION.sub("", text) for text in texts]
    if lower:
        texts = [text.lower() for text in texts]
    return [" ".join(word for word in text.split() if word not in dropped) for text in texts]


def read_stopwords(folder: str, language: str) -> list[str]:
    """Reads `FOLDER/LANGUAGE.txt`, one word a line."""
    path = os.path.join(folder, f"{language}.txt")
    if not os.path.isfile(path):
        raise InputError(f"{path}: is missing, so language {language!r} has no stop words")
    words = sorted({line.strip() for line in read_lines(path)} - {""})
    if not words:
        raise InputError(f"{path}: holds no stop word of language {language!r}")
    return words
