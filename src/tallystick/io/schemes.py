"""The tagging schemes, by which the tags of tokens mark spans."""

import re
from typing import Literal

TAG = re.compile(r"O|[BIELSU](-.+)?")
"""The tags of all schemes; without a type there is one type alone."""

Scheme = Literal["iob1", "iob2", "ioe2", "bioes", "bilou"]
SCHEMES: tuple[Scheme, ...] = ("iob1", "iob2", "ioe2", "bioes", "bilou")
