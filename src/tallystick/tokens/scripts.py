"""Chooses the tokenizer for scripts that do not put spaces between words."""

import re
import string

_KANA = re.compile("[\u3040-\u30ff]")
_HANGUL = re.compile("[\uac00-\ud7af\u1100-\u11ff]")
_HAN = re.compile("[\u4e00-\u9fff\u3400-\u4dbf]")
_THAI = re.compile("[\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46]")
_LETTERS = re.compile(r"[^\W\d_]")
_NOT_LATIN = bytes(set(range(0x100)) - set(string.ascii_letters.encode()))
_NOT_ASCII = bytes(range(0x80, 0x100))

_MOST = 0.3
"""A text is in a script if at least this proportion of its letters is."""


def find_tokenizer(text: str) -> str | None:
    """Returns the tokenizer for Chinese, Japanese, Korean or Thai text; None for any other."""
    data = text.encode()
    others = len(text) - len(data.translate(None, _NOT_ASCII))
    if others < _MOST * len(data.translate(None, _NOT_LATIN)):
        return None
    letters = len(_LETTERS.findall(text))
    if letters and len(_THAI.findall(text)) >= _MOST * letters:
        return "char"
    kana, hangul, han = (len(script.findall(text)) for script in (_KANA, _HANGUL, _HAN))
    if not letters or kana + hangul + han < _MOST * letters:
        return None
    if hangul > kana + han:
        return "ko-mecab"
    return "ja-mecab" if 10 * kana > kana + han else "zh"
