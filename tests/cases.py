"""Tables of test cases: the names of their columns, and then the rows."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def cases(
    names: str, *rows: object, ids: Iterable[str] | Callable[[Any], str] | None = None
) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(",".join(names.split()), rows, ids=ids)
