"""Target languages by their codes, and the tokenizers of those that put no spaces between words."""

import re

from tallystick.errors import UsageError

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
    """Whether a column holds languages, by its name, such as `lp`."""
    return _COLUMN.fullmatch(column) is not None


def choose_tokenizer(text: str, *, pair: bool = False) -> str:
    """Returns the tokenizer of a language, or of the target of a pair.

    It is empty for languages with spaces between words, where each metric has one of its own, and
    for what is no language; with `pair` for what is no pair.
    """
    found = _match(text, pair=pair)
    return "" if found is None else _TOKENIZERS.get(re.split("[-_]", found["target"])[0], "")


def _match(text: str, *, pair: bool) -> re.Match[str] | None:
    return _PAIR.fullmatch(text) or (None if pair else _SINGLE.fullmatch(text))
