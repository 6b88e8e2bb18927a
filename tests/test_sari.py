"""SARI has the values of Hugging Face's evaluate 0.4, which were recorded from its code."""

import pandas as pd
import pytest

import tallystick
from tallystick.errors import TallystickError
from tallystick.metrics import SARI

PUBLISHED = (
    "About 95 species are currently accepted .",
    "About 95 you now get in .",
    [
        "About 95 species are currently known .",
        "About 95 species are now accepted .",
        "95 species are now accepted .",
    ],
    26.953601953601954,
)
"""The example of its page, with its value."""

RECORDED = (
    ("3.5", "3.5", ["3.5", "3.5", "3.5", "3.5"], 100.0),
    ("it's sat, a", "it's sat, a", ["big!"], 50.0),
    (
        "it's (ok) on the big! cat cat the and the (ok) (ok)",
        "it's (ok) on the big! cat (ok) cat the and the (ok) (ok)",
        ["cat on", "it's (ok) on the big! cat cat the (ok) (ok) (ok)"],
        52.315515818446066,
    ),
    ("big! big!", "on big! big!", ["mat. big!", "big!", "big! big!"], 53.888888888888886),
    ("the Dog", "a", ["the Dog", "the Dog on"], 41.66666666666667),
    ("a a", "a", ["Dog a a", "a", "on a", "a a"], 52.5),
    (
        "the sat, sat, (ok) 3.5 mat. Dog cat and Dog big! sat,",
        "New-York",
        [
            "the sat, sat, (ok) 3.5 cat and Dog big! and sat,",
            "3.5 mat. Dog cat and Dog sat,",
            "the sat, (ok) 3.5 mat. and Dog big! sat,",
            "the sat, sat, (ok) 3.5 mat. Dog and big! sat,",
        ],
        13.107274159663865,
    ),
)
"""Source, output, references and value: repeated words, punctuation, capitals, short texts."""


def make(*cases: tuple[str, str, list[str], float]) -> pd.DataFrame:
    names = ("source", "output", "references", "expected")
    return pd.DataFrame([dict(zip(names, case, strict=True)) for case in cases])


@pytest.mark.parametrize("case", [PUBLISHED, *RECORDED], ids=lambda case: case[1][:12])
def test_each_text_has_the_recorded_value(case):
    found = tallystick.score(make(case), metrics=[SARI()], intervals=False)

    assert pytest.approx(case[3], abs=1e-12) == found["sari"]


def test_the_score_is_the_mean_over_texts():
    table = make(PUBLISHED, *RECORDED)
    (one,) = tallystick.score(table, metrics=["sari"]).scores
    each = tallystick.score(table, metrics=["sari"], segments=True, intervals=False).scores

    assert pytest.approx(table["expected"].mean(), abs=1e-12) == one.value
    assert one.low < one.value < one.high
    assert pytest.approx(table["expected"].tolist(), abs=1e-12) == [own.value for own in each]


def test_systems_share_their_sources():
    table = make(*RECORDED).rename(columns={"output": "a"})
    table["b"] = [texts[0] for texts in table["references"]]
    found = tallystick.score(table, metrics=["sari"], systems=["a", "b"], gold="references")

    assert found["sari", None, "a"] < found["sari", None, "b"]


def test_texts_without_sources_are_told():
    table = make(PUBLISHED).drop(columns="source")

    with pytest.raises(TallystickError, match=r"none is called text, input, source, src"):
        tallystick.score(table, metrics=["sari"])
