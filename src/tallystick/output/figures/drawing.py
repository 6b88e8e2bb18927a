"""Draws specifications as SVG, PDF and PNG, each figure always as the same bytes.

The library that draws counts names on from figure to figure, and writes the fonts and resources
of a PDF in a different order each time. Texts have a fixed width: without Liberation Sans and
Arial, a browser may choose a font so wide that labels are cut off.
"""

import atexit
import functools
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from types import ModuleType

from tallystick.errors import UsageError
from tallystick.output.figures.layers import Spec

ENDINGS = (".svg", ".pdf", ".png")
"""The endings of files with figures."""

_VEGA_LITE = "6.4"
_SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)"')
_KNOWN = re.compile("[\\s\u0020-\u05ff\u1e00-\u22ff]*")
"""Latin, Greek, Cyrillic and Hebrew letters, punctuation and signs."""

_NAMED = re.compile(r'<(?:linearGradient|clipPath) id="([^"]+)"')
_POINTS = 72 / 96
_DOTS = 600
"""The dots per inch of PNG files, as journals ask for line drawings."""

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

_START = re.compile(rb"startxref\s+(\d+)\s+%%EOF\s*$")
_ENTRY = re.compile(rb"(\d{10}) \d{5} ([nf])")
_REFERENCE = re.compile(rb"\b(\d+) 0 R\b")
_RESOURCES = re.compile(rb"(?:^ +/[A-Za-z]+\d+ \d+ 0 R\n){2,}", re.MULTILINE)


def draw_svg(spec: Spec) -> str:
    """Returns a specification as SVG; the same specification always gives the same text."""
    return fix_widths(_draw(spec))


def draw(spec: Spec, ending: str) -> bytes:
    """Returns a specification as the content of a file with one of `ENDINGS`.

    PDF has its fonts embedded, PNG has 600 dots per inch.
    """
    match ending.lower():
        case ".svg":
            return draw_svg(spec).encode()
        case ".pdf":
            return put_in_order(check_drawing().svg_to_pdf(_resize(_draw(spec), _POINTS)))
        case ".png":
            content: bytes = check_drawing().svg_to_png(_resize(_draw(spec), _POINTS), ppi=_DOTS)
            return content
    raise UsageError(f"figures are written as {', '.join(ENDINGS)}, not as {ending!r}")


def has_foreign_letters(spec: Spec) -> bool:
    """Returns whether a figure has letters that the embedded font does not have."""
    return any(not _KNOWN.fullmatch(text) for text in _list_texts(spec))


def _list_texts(part: object) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, Mapping | Sequence):
        for value in part.values() if isinstance(part, Mapping) else part:
            yield from _list_texts(value)


def _draw(spec: Spec) -> str:
    svg: str = check_drawing().vegalite_to_svg(spec, vl_version=_VEGA_LITE, allowed_base_urls=[])
    for at, name in enumerate(dict.fromkeys(_NAMED.findall(svg))):
        svg = svg.replace(f' id="{name}"', f' id="part{at}"').replace(
            f"url(#{name})", f"url(#part{at})"
        )
    return svg


def _resize(svg: str, factor: float) -> str:
    return _SIZE.sub(
        lambda found: f'width="{float(found[1]) * factor}" height="{float(found[2]) * factor}"',
        svg,
        count=1,
    )


def widen_svg(svg: str, width: float) -> str:
    """Returns an SVG with this width in pixels."""
    found = _SIZE.search(svg)
    return svg if found is None else _resize(svg, width / float(found[1]))


def check_drawing() -> ModuleType:
    """Returns the package that draws figures; raises a UsageError if it is not installed."""
    try:
        import vl_convert
    except ModuleNotFoundError as error:
        raise UsageError(
            "figures are drawn by vl-convert-python, which is not installed: "
            "pip install 'tallystick[report]'"
        ) from error
    module: ModuleType = vl_convert
    return module


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


def put_in_order(content: bytes) -> bytes:
    """Returns the same PDF with its objects in the order in which the root refers to them."""
    objects, trailer = _read(content)
    numbers: dict[int, int] = {}
    waiting = [int(found) for found in _REFERENCE.findall(trailer)][::-1]
    while waiting:
        number = waiting.pop()
        if number not in numbers:
            numbers[number] = len(numbers) + 1
            waiting += [int(found) for found in _REFERENCE.findall(objects[number][0])][::-1]
    parts = [content[: content.index(b"\n", content.index(b"\n") + 1) + 1]]
    offsets = []
    for old, new in numbers.items():
        offsets.append(sum(map(len, parts)))
        head, stream = objects[old]
        parts.append(b"%d 0 obj\n%b%b" % (new, _renumber(head, numbers), stream))
    table = b"".join(b"%010d 00000 n\r\n" % offset for offset in offsets)
    start = sum(map(len, parts))
    size = len(offsets) + 1
    trailer = re.sub(rb"/Size \d+", b"/Size %d" % size, _renumber(trailer, numbers))
    parts.append(b"xref\n0 %d\n0000000000 65535 f\r\n%b%b" % (size, table, trailer))
    return b"".join(parts) + b"startxref\n%d\n%%%%EOF" % start


def _read(content: bytes) -> tuple[dict[int, tuple[bytes, bytes]], bytes]:
    found = _START.search(content)
    if found is None:
        raise ValueError("a PDF ends with the place of its table")
    start = int(found[1])
    rows = _ENTRY.findall(content, start)
    places = {number: int(at) for number, (at, kind) in enumerate(rows) if kind == b"n"}
    ends = sorted((*places.values(), start))
    objects = {}
    for number, at in places.items():
        body = content[content.index(b"\n", at) + 1 : ends[ends.index(at) + 1]]
        head, mark, stream = body.partition(b"\nstream\n")
        sorted_head = _RESOURCES.sub(
            lambda some: b"".join(sorted(some[0].splitlines(keepends=True))), head
        )
        objects[number] = (sorted_head, mark + stream)
    trailer = content[content.index(b"trailer", start) : found.start()]
    return objects, trailer


def _renumber(text: bytes, numbers: dict[int, int]) -> bytes:
    return _REFERENCE.sub(lambda found: b"%d 0 R" % numbers[int(found[1])], text)


def check_report() -> None:
    """Raises a UsageError if a package that reports need is not installed."""
    try:
        import jinja2
        import vl_convert
    except ModuleNotFoundError as error:
        raise UsageError(
            f"a report needs {error.name}, which is not installed: "
            "pip install 'tallystick[report]'; without it, results go to .json, .md, .tex and .csv"
        ) from error
    del jinja2, vl_convert


@functools.cache
def prepare_bundle() -> subprocess.Popen[bytes]:
    """Starts to build the bundle, which takes more than a second.

    It has a process of its own, since vl_convert lets no other thread run.
    """
    write = f"import sys; from {__name__} import build; sys.stdout.buffer.write(build().encode())"
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", write],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    atexit.register(_stop, process)
    return process


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Stops it where bad data ended the command first."""
    process.kill()
    process.wait()


@functools.cache
def read_bundle() -> str:
    """Returns the bundle, as the body of a function, so that no name of it is global."""
    process = prepare_bundle()
    text = process.communicate()[0].decode()
    return build() if process.returncode else text


def build() -> str:
    """Builds the bundle."""
    import vl_convert

    text = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=_VEGA_LITE)
    # Escape what ends a script, begins a comment or moves a cursor; all of these stand in strings.
    for mark, other in (("</script", r"<\/script"), ("<!--", r"<\!--"), ("\t", r"\t")):
        text = text.replace(mark, other)
    return f"(() => {{{text}}})();"
