"""Texts of SVG are as wide in other fonts as in the one that they were laid out with."""

import re
from html import escape

import vl_convert

from tallystick.output.figures.drawing import fix_widths

CHARS = "".join(map(chr, range(32, 127))) + "–−≤≥±…"
_FIXED = re.compile(r'textLength="([\d.]+)" lengthAdjust="spacingAndGlyphs">')


def read_widths(chars: str) -> dict[str, float]:
    text = f'<text x="0" y="9" font-family="Liberation Sans">x{escape(chars)}</text>'
    pdf = vl_convert.svg_to_pdf(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="900" height="20">{text}</svg>'
    )
    (table,) = re.findall(rb"/W \[([^\]]+)\]", pdf)
    numbers = [float(number) for number in table.split()]
    widths = {
        glyph: width
        for first, last, width in zip(*[iter(numbers)] * 3, strict=True)
        for glyph in range(int(first), int(last) + 1)
    }
    names = re.findall(rb"^<([0-9A-F]{4})> <([0-9A-F]{4})>$", pdf, re.MULTILINE)
    return {chr(int(char, 16)): widths[int(glyph, 16)] for glyph, char in names if char != b"FFFF"}


def test_the_widths_are_those_of_the_font():
    widths = read_widths(CHARS)

    assert {*CHARS} == {*widths}
    for char, width in widths.items():
        text = f'<text font-size="1000px">{escape(char * 100)}</text>'
        (fixed,) = _FIXED.findall(fix_widths(text))
        assert abs(width - float(fixed) / 100) <= 1


def test_a_text_says_how_wide_it_is():
    text = '<text transform="translate(1,2)" font-size="10px" fill="#000">a &amp; b</text>'

    assert (
        '<text transform="translate(1,2)" font-size="10px" fill="#000" textLength="23.35" '
        'lengthAdjust="spacingAndGlyphs">a &amp; b</text>'
    ) == fix_widths(text)


def test_a_text_of_other_letters_stays():
    text = '<text font-size="10px">日本</text><text>no size</text>'

    assert text == fix_widths(text)
