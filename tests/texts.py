"""Texts drawn at random for property tests: all that whitespace and tokenizers tell apart."""

import random
from collections.abc import Iterable
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

SPACES = [
    *" \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2009\u2028\u2029\u202f\u205f\u3000",
    "  ",
    "\n-",
]
MARKS = [*"-.,'!?\"#$%&()*+:;<=>@/[]^_`{|}~\\", "...", ",.", "--", "-\n", "!?", "'s", "'s "]
ENTITIES = ["&quot;", "&amp;", "&lt;", "&gt;", "&apos;", "&amp;lt;", "<skipped>", "<skip", "ped>"]
DIGITS = ["0", "9", "3.5", "1,000.5", "2008.", " 1-2", "٣", "٫", "½", "²"]
LETTERS = [*"abBİßאב한👍\u200b\u0301\x00\x7f", "ΑΣ", "Été", "e\u0301", "👩\u200d🚀"]
# The ends of the ranges that sacreBLEU's tokenizers know, those that it gets wrong included, and
# what lies just beyond them.
ASIAN = [
    *"中文か，。“”—…€→∑カ、・！\u2a6d\u2a6e\u2e7f\u2e80\u2eff\u2f00\u2f80\u2f81\u2fa1\u2fdf\u2fe0",
    *"\u3000\u3001\u3002\u3003\u3007\u3008\u3011\u3012\u3014\u301f\u3020\u3040\u309f\u30a0\u30fb",
    *"\u30ff\u3105\u3190\u31a0\u31c0\u31ef\u31f0\u31ff\u3200\u3300\u33ff\u3f22\u3f23\u4db5\u4db6",
    *"\u4dbf\u4dc0\u9fbb\u9fbc\u9fff\ua000\uf900\ufa2d\ufa2e\ufa6a\ufada\ufaff\ufb00\ufe10\ufe20",
    *"\ufe30\ufe4f\ufe50\uff01\uff02\uff03\uff08\uff0c\uff0e\uff1a\uff1b\uff1c\uff1f\uff61\uff65",
    *"\uff66\ufff0\U0001f600\U00020000\U0002a6d6\U0002f800",
]
WORDS = ["the ", "cat ", "the cat ", "sat ", "on a mat", " The", " a b c d", "b ", " a", " c "]
PIECES = [
    *(*SPACES, *MARKS, *ENTITIES, *DIGITS, *LETTERS, *ASIAN),
    *(*WORDS, *WORDS, *" .,-019a") * 8,
]


def draw_text(draw: random.Random) -> str:
    return "".join(draw.choices(PIECES, k=draw.choice([0, 1, 2, 4, 7, 12, 20])))


def draw_corpus(draw: random.Random, n: int = 0) -> tuple[list[str], list[list[str]]]:
    hypotheses = [draw_text(draw) for _ in range(n or draw.randint(1, 6))]
    return hypotheses, [
        [_change(draw, hypothesis) for _ in range(draw.choice([1, 1, 2, 4]))]
        for hypothesis in hypotheses
    ]


def stream(references: list[list[str]]) -> list[list[str | None]]:
    return [list(own) for own in zip_longest(*references)]


def pack(strings: Iterable[str]) -> tuple[Array, Array]:
    encoded = [string.encode() for string in strings]
    return np.frombuffer(b"".join(encoded), np.uint8), np.cumsum([0, *map(len, encoded)])


def unpack(data: Array, offsets: Array) -> list[str]:
    content = data.tobytes()
    return [content[first:last].decode() for first, last in pairwise(offsets.tolist())]


def read_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def _change(draw: random.Random, text: str) -> str:
    cut, end = draw.randint(0, len(text)), draw.randint(0, len(text))
    other = draw_text(draw)
    mixed = text[:cut] + draw.choice(PIECES) + text[end:]
    return draw.choice(
        [text, text[cut:] + text[:cut], text[:cut], text[:cut] + other, mixed, other]
    )
