# ruff: noqa: RUF001 - letters that look like others are what this is about
"""Finds names that look alike (homoglyphs), so that no system is mistaken for another."""

import re
import unicodedata
from collections.abc import Iterable

_ALIKE = (
    ("ɑƅɡɩıɪᴄᴏᴠᴡᴢꜱʏ1I|0ǀ`‘’′", "abgiiicovwzsylllOl''''"),
    ("аАВсСԁеЕԌһНіІјЈкКӏӀМоОрРԛԚгѕЅТуУѵѴԝԜхХүҮь", "aABcCdeEGhHiljJkKllMoOpPqQrsSTyYvVwWxXyYb"),
    ("αΑΒϲϹΕΗιΙϳͿκΚΜϺνΝοΟρΡσΤυΥγχΧΖϜ", "aABcCEHiljJkKMMvNoOpPoTuYyxXZF"),
    ("օոսհցզաՕՍՏԼסⲟⲥⲣⲂⲎⲒⲔⲘⲚⲞⲢⲤⲦⲨⲬⲌ", "onuhgqwOUSLoocpBHlKMNOPCTYXZ"),
    ("ᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷᎡᏢᏚᎢᏙᎳᏃᏂᏏ", "ABCDEGHJKLMRPSTVWZhb"),
    ("ꓮꓐꓚꓓꓰꓝꓖꓧꓲꓙꓗꓡꓟꓠꓳꓑꓣꓢꓔꓴꓦꓪꓫꓬꓜ", "ABCDEFGHlJKLMNOPRSTUVWXYZ"),
    ("‐‑‒–—―−﹘˗", "---------"),
)
"""Signs of Latin, Cyrillic, Greek and other scripts, and the Latin ones that they look like."""
_SAME = str.maketrans(*map("".join, zip(*_ALIKE, strict=True)))
_BLANK = re.compile("VARIATION SELECTOR|FILLER|BLANK|JOINER|INHERENT|NULL NOTEHEAD")
"""What characters that show nothing are called, beside spaces and controls."""


def find_lookalikes(names: Iterable[str]) -> dict[str, str]:
    """Returns why some names are refused: they show nothing, or look like another, which stays.

    Case tells names apart. Of names that look alike the one in plain ASCII stays, else the first.
    """
    refused, drawn = {}, dict[str, str]()
    for name in sorted(dict.fromkeys(names), key=lambda name: not _is_plain(name)):
        look = _draw(name)
        other = drawn.setdefault(look, name)
        if not look:
            refused[name] = "has a name that shows nothing; use letters that can be seen"
        elif other != name:
            refused[name] = f"has a name that looks like {other!r}; choose another one"
    return refused


def _is_plain(name: str) -> bool:
    return name.isascii() and name == " ".join(name.split())


def _draw(name: str) -> str:
    """Returns what is seen of a name, in the same letters for all names that look like it."""
    letters = unicodedata.normalize("NFKD", name.translate(_SAME)).translate(_SAME)
    seen = "".join(filter(_is_seen, letters))
    return seen.replace("rn", "m").replace("vv", "w")


def _is_seen(letter: str) -> bool:
    kind = unicodedata.category(letter)
    return kind[0] not in "CZ" and not _BLANK.search(unicodedata.name(letter, ""))
