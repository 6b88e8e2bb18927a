"""The JavaScript that draws interactive figures: Vega, Vega-Lite and Vega-Embed, in one piece."""

import atexit
import functools
import subprocess
import sys

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
