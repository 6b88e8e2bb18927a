"""Reads lists and objects that were written into a cell as text: JSON, or literals of Python."""

import ast
import json
import re
from typing import Any

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<value>'(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" | None | True | False
        | [-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)
    | (?P<opens>(?:(?:np\.|numpy\.)?[A-Za-z_]\w*)?\( | [\[{])
    | (?P<closes>(?:,\s*dtype=[^)]*)?\) | [\]}])
    | (?P<mark>[,:]))\s*""",
    re.VERBOSE | re.DOTALL,
)


def read_literal(text: str) -> Any:
    """Returns the value that text is in JSON, or as Python or NumPy print it, with lists for sets.

    NumPy leaves out the commas between values, which Python would join.

    Raises:
        ValueError: The text is neither.
    """
    try:
        return json.loads(text)
    except ValueError:
        if not text.lstrip().startswith(("[", "(", "{", "array(", "list(")):
            raise
    try:
        return json.loads(json.dumps(ast.literal_eval(_add_commas(text)), default=sorted))
    except (SyntaxError, TypeError, MemoryError) as error:
        raise ValueError(str(error)) from None


def _add_commas(text: str) -> str:
    """The text with commas between all values, and without the names of types around them."""
    parts, place, depth, ended = list[str](), 0, 0, False
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None or (parts and not depth):
            raise ValueError(f"{text[place : place + 9]!r} is no part of a literal")
        place = found.end()
        if ended and (found["value"] or found["opens"]):
            parts.append(",")
        ended = bool(found["value"] or found["closes"])
        depth += bool(found["opens"]) - bool(found["closes"])
        parts.append(found["value"] or (found["opens"] or found["closes"] or found["mark"])[-1])
    return "".join(parts)
