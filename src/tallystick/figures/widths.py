"""Holds the texts of SVG to their widths, in whatever font a browser sets them.

Where neither Liberation Sans nor Arial is there, another font may be so wide that labels are cut.
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
"""Characters by how wide Arial has them, in thousandths of its size."""

_OF = {char: width for width, chars in _WIDTHS.items() for char in chars}


def fix_widths(svg: str) -> str:
    """Returns an SVG each of whose texts says how wide it is, as far as the widths are known."""
    return _TEXT.sub(_fix, svg)


def _fix(found: re.Match[str]) -> str:
    attributes, size, content = found.groups()
    text = unescape(content)
    if not set(text) <= _OF.keys():
        return found[0]
    width = sum(_OF[char] for char in text) / 1000 * float(size)
    fixed = f'textLength="{width:.2f}" lengthAdjust="spacingAndGlyphs"'
    return f"<text {attributes} {fixed}>{content}</text>"
