"""Texts drawn at random for property tests: all that whitespace and tokenizers tell apart."""

import random
from itertools import zip_longest

__all__ = ["draw_corpus", "draw_text", "stream"]

SPACES = [*" \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\xa0\u2009\u2028\u2029\u202f\u3000"]
MARKS = [*"-.,'!?\"%&()/:;<>[]_|~\\", "...", ",.", "--", "-\n", "!?", "'s "]
ENTITIES = ["&quot;", "&amp;", "&lt;", "&gt;", "&amp;lt;", "<skipped>"]
DIGITS = ["0", "3.5", "1,000", "2008.", "1-2", "٣٫٥", "½"]
LETTERS = [*"aBİßא한👍\u200b\x00", "ΑΣ", "Été", "e\u0301", "👩\u200d🚀"]
CHINESE = [*"中文か，。“—€、・！\u2a6d\u2a6e\u2f81\u2fa1\u31c0\u3300", "\U00020000", "\U0002f800"]
WORDS = ["the ", "cat ", "the cat ", "sat ", "on a mat", " The", " a b c d"]
PIECES = [*SPACES, *MARKS, *ENTITIES, *DIGITS, *LETTERS, *CHINESE, *WORDS * 4, *" " * 10]


def draw_text(draw: random.Random) -> str:
    """Pieces in a row, often none or few."""
    return "".join(draw.choices(PIECES, k=draw.choice([0, 1, 2, 4, 7, 12, 20])))


def draw_corpus(draw: random.Random) -> tuple[list[str], list[list[str]]]:
    """Up to six hypotheses, and one to three references of each."""
    hypotheses = [draw_text(draw) for _ in range(draw.randint(1, 6))]
    return hypotheses, [
        [_change(draw, hypothesis) for _ in range(draw.choice([1, 1, 2, 3]))]
        for hypothesis in hypotheses
    ]


def stream(references: list[list[str]]) -> list[list[str | None]]:
    """References per example as sacreBLEU takes them: a list per stream, None for a missing one."""
    return [list(own) for own in zip_longest(*references)]


def _change(draw: random.Random, text: str) -> str:
    """The same text, a part of it moved, removed or added, or another text."""
    cut = draw.randint(0, len(text))
    other = draw_text(draw)
    return draw.choice([text, text[cut:] + text[:cut], text[:cut], text[:cut] + other, other])
