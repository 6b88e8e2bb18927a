"""Writes the page that a platform shows of one submission: its scores, or why it is refused."""

import html
from collections.abc import Mapping, Sequence
from importlib.util import find_spec

from tallystick.render.controls import escape_controls
from tallystick.render.formats import render
from tallystick.results.evaluation import Evaluation

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem; padding: 1rem; }}
</style>
</head>
<body>
<h1>{title}</h1>
{body}</body>
</html>
"""


def write_details(tracks: Mapping[str, Evaluation], messages: Sequence[str]) -> str:
    """Returns one page of all scores of a submission, which shows no example and no gold.

    It is the report of `tallystick score` where a single track was scored, nothing else must be
    said and the extra `report` is installed, and otherwise a page of tables.
    """
    if len(tracks) == 1 and not messages and find_spec("jinja2") and find_spec("vl_convert"):
        from tallystick.report.page import write_page

        (found,) = tracks.values()
        return write_page(found.describe(examples=0))
    parts = [f"<ul>\n{_list(messages)}</ul>\n"] if messages else []
    for name, found in tracks.items():
        head = f"<h2>{html.escape(escape_controls(name))}</h2>\n" if len(tracks) > 1 else ""
        parts.append(head + render(found.document(), "notebook"))
    return _PAGE.format(title="Scores", body="".join(parts))


def write_refusal(message: str) -> str:
    """Returns a page that says why a submission is refused, one reason for each line."""
    return _PAGE.format(
        title="The submission is refused", body=f"<ul>\n{_list(message.splitlines())}</ul>\n"
    )


def _list(sentences: Sequence[str]) -> str:
    return "".join(f"<li>{html.escape(escape_controls(one))}</li>\n" for one in sentences)
