"""Draws specifications as SVG, PDF and PNG."""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType

from tallystick.errors import UsageError
from tallystick.figures.pdf import put_in_order
from tallystick.figures.theme import Spec
from tallystick.figures.widths import fix_widths

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


def check_drawing() -> None:
    """Raises a UsageError if the package that draws figures is not installed."""
    _load()


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
            return put_in_order(_load().svg_to_pdf(_shrink(_draw(spec))))
        case ".png":
            content: bytes = _load().svg_to_png(_shrink(_draw(spec)), ppi=_DOTS)
            return content
    raise UsageError(f"figures are written as {', '.join(ENDINGS)}, not as {ending!r}")


def has_foreign_letters(spec: Spec) -> bool:
    """Returns whether a figure has letters that the embedded font lacks."""
    return any(not _KNOWN.fullmatch(text) for text in _list_texts(spec))


def _list_texts(part: object) -> Iterator[str]:
    """All strings of a specification, but for the names of its keys."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, Mapping):
        for value in part.values():
            yield from _list_texts(value)
    elif isinstance(part, Sequence):
        for value in part:
            yield from _list_texts(value)


def _draw(spec: Spec) -> str:
    svg: str = _load().vegalite_to_svg(spec, vl_version=_VEGA_LITE, allowed_base_urls=[])
    return _number_names(svg)


def _number_names(svg: str) -> str:
    """Numbers gradients and clipping paths from 0, which would count on from figure to figure."""
    for at, name in enumerate(dict.fromkeys(_NAMED.findall(svg))):
        svg = svg.replace(f' id="{name}"', f' id="part{at}"').replace(
            f"url(#{name})", f"url(#part{at})"
        )
    return svg


def _shrink(svg: str) -> str:
    """Gives the size in points, which PDF uses, in place of pixels."""
    return _SIZE.sub(
        lambda found: f'width="{float(found[1]) * _POINTS}" height="{float(found[2]) * _POINTS}"',
        svg,
        count=1,
    )


def _load() -> ModuleType:
    try:
        import vl_convert
    except ModuleNotFoundError as error:
        raise UsageError(
            "figures are drawn by vl-convert-python, which is not installed: "
            "pip install 'tallystick[report]'"
        ) from error
    module: ModuleType = vl_convert
    return module
