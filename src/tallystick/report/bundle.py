"""The JavaScript that draws interactive figures: Vega, Vega-Lite and Vega-Embed, in one piece."""

import functools
from concurrent.futures import Future, ThreadPoolExecutor

from tallystick.errors import UsageError

_VEGA_LITE = "6.4"


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
def prepare_bundle() -> Future[str]:
    """Starts to build the bundle in the background, which takes more than a second."""
    return ThreadPoolExecutor(1).submit(_make)


def read_bundle() -> str:
    """Returns the bundle, as the body of a function, so that no name of it is global."""
    return prepare_bundle().result()


def _make() -> str:
    import vl_convert

    text = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=_VEGA_LITE)
    # Escape what ends a script, begins a comment or moves a cursor; all of these stand in strings.
    for mark, other in (("</script", r"<\/script"), ("<!--", r"<\!--"), ("\t", r"\t")):
        text = text.replace(mark, other)
    return f"(() => {{{text}}})();"
