"""Facts about single cells: their text, their width, and what they cannot break."""

import math

import pytest

from tallystick.output.tables.cells import (
    Bounded,
    Ends,
    count_decimals,
    escape_controls,
    format_cell,
    measure,
    shorten,
)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (None, ""),
        (7, "7"),
        (7.0, "7.000"),
        (-0.00001, "0.000"),
        (-0.5, "-0.500"),
        (math.nan, "n/a"),
    ],
)
def test_a_cell_is_formatted_by_its_type(cell, expected):
    assert expected == format_cell(cell, digits=3)


@pytest.mark.parametrize(
    ("value", "low", "high", "expected"),
    [
        (1.625e-308, 0.0, 7.04e-308, "1.625e-308 [0, 7.040e-308]"),
        (1.625e-5, -5.74e-6, 7.04e-5, "0.00001625 [-.0000057, .0000704]"),
        (1.625e14, 5.74e13, 7.04e14, "162500000000000 [57400000000000, 704000000000000]"),
        (1.625e40, -5.74e39, 7.04e40, "1.625e+40 [-5.740e+39, 7.040e+40]"),
    ],
)
def test_numbers_too_large_or_small_to_read_have_an_exponent(value, low, high, expected):
    decimals = count_decimals(value, 4)

    assert expected == format_cell(Bounded(value, Ends(low, high)), digits=decimals)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain é 日本 👍🏽", "plain é 日本 👍🏽"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\r\nb", "a\\r\\nb"),
        ("\u2028\x85", "\\u2028\\x85"),
        ("\u202e\u2066", "\\u202e\\u2066"),
        ("\ud800", "\\ud800"),
    ],
)
def test_controls_are_escaped(text, expected):
    assert expected == escape_controls(text)


@pytest.mark.parametrize(
    ("text", "width"),
    [("", 0), ("abc", 3), ("日本", 4), ("e\N{COMBINING ACUTE ACCENT}", 1), ("ｱＡ", 3)],
)
def test_width_is_measured_as_a_screen_shows_it(text, width):
    assert width == measure(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("abcde", "abcde"), ("abcdef", "ab…ef"), ("日本語日本語", "日…語"), ("日本", "日本")],
)
def test_long_text_is_shortened_in_the_middle(text, expected):
    assert expected == shorten(text, 5)
