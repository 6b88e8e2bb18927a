"""The tokens of LaTeX by one regular expression."""

import sys

import regex

_SPACES = "".join(chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace())
_TOKENS = regex.compile(
    rf"""
    %[^\n]*                                    # a comment, dropped
    | [{regex.escape(_SPACES, literal_spaces=False)}]+     # spaces, dropped
    | ( \\ (?: [A-Za-z]+ | [^{regex.escape(_SPACES, literal_spaces=False)}] )?
      | \p{{N}}+ (?: \. \p{{N}}+ )?
      | [^\p{{N}}\p{{P}}\p{{S}}{regex.escape(_SPACES, literal_spaces=False)}]+
      | .
      )
    """,
    regex.VERBOSE | regex.DOTALL,
)


def tokenize(text: str) -> list[str]:
    return [match[1] for match in _TOKENS.finditer(text) if match[1]]
