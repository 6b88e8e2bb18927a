"""Chooses the tokenizer for scripts that do not put spaces between words."""

import re

_KANA = re.compile("[\u3040-\u30ff]")
_HANGUL = re.compile("[\uac00-\ud7af\u1100-\u11ff]")
_HAN = re.compile("[\u4e00-\u9fff\u3400-\u4dbf]")
_LETTERS = re.compile(r"[^\W\d_]")

_MOST = 0.3
"""A text is in a script if at least this proportion of its letters is."""


def find_tokenizer(text: str) -> str | None:
    """Returns the tokenizer for Chinese, Japanese or Korean text; None for any other."""
    letters = len(_LETTERS.findall(text))
    kana, hangul, han = (len(script.findall(text)) for script in (_KANA, _HANGUL, _HAN))
    if not letters or kana + hangul + han < _MOST * letters:
        return None
    if hangul > kana + han:
        return "ko-mecab"
    return "ja-mecab" if 10 * kana > kana + han else "zh"
