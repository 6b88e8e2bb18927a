"""Escapes characters that move the cursor, change the direction of text, or are invisible."""

import re

CONTROLS = (
    r"(?<![^\x00-\u02ff])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\u02ff])|"
    r"[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    r"\ud800-\udfff\ufeff\ufff9-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    r"\U0001d173-\U0001d17a\U000e0001-\U000e007f]"
)
"""Control and format characters, and lone surrogates, as a regular expression.

Joiners belong to words of Persian or Hindi and to emoji, and are escaped beside Latin letters only;
visible format characters, such as Arabic number signs, are kept.
"""

_CONTROLS = re.compile(CONTROLS)


def escape_controls(text: str) -> str:
    r"""Writes control and format characters as escapes, such as `\n` and `\u202e`."""
    if text.isprintable():  # as nearly all are, and no control or format character is
        return text
    return type(text)(_CONTROLS.sub(lambda one: one[0].encode("unicode_escape").decode(), text))
