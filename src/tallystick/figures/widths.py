"""Fixes the widths of texts in SVG, whichever font a browser uses.

Without Liberation Sans and Arial, a browser may choose a font so wide that labels are cut off.
"""

import re
from html import unescape

_TEXT = re.compile(r'<text ([^>]*font-size="([\d.]+)px"[^>]*)>([^<]+)</text>')
_WIDTHS = {
    191: "'",
    222: "ijl",
    260: "|",
    278: " !,./:;I[\\]ft",
    333: "()-`r",
    334: "{}",
    355: '"',
    389: "*",
    469: "^",
    500: "Jckvsxyz",
    549: "\N{LESS-THAN OR EQUAL TO}\N{GREATER-THAN OR EQUAL TO}\N{PLUS-MINUS SIGN}",
    556: "#$0123456789?L_abdeghnopqu\N{EN DASH}",
    584: "+<=>~\N{MINUS SIGN}",
    611: "FTZ",
    667: "&ABEKPSVXY",
    722: "CDHNRUw",
    778: "GOQ",
    833: "Mm",
    889: "%",
    944: "W",
    1000: "\N{HORIZONTAL ELLIPSIS}",
    1015: "@",
}
"""Characters by their width in Arial, in thousandths of the font size."""

_OF = {char: width for width, chars in _WIDTHS.items() for char in chars}


def fix_widths(svg: str) -> str:
    """Returns an SVG in which each text has a fixed width, as far as letters' widths are known."""
    return _TEXT.sub(_fix, svg)


def _fix(found: re.Match[str]) -> str:
    attributes, size, content = found.groups()
    text = unescape(content)
    if not set(text) <= _OF.keys():
        return found[0]
    width = sum(_OF[char] for char in text) / 1000 * float(size)
    fixed = f'textLength="{width:.2f}" lengthAdjust="spacingAndGlyphs"'
    return f"<text {attributes} {fixed}>{content}</text>"
