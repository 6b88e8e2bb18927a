"""Decides whether columns of gold and outputs are read as labels or as texts."""

from typing import Any, Literal

__all__ = ["LABELS", "NUMBERS", "TEXTS", "Kind", "Kinds", "guess_kinds"]

_LOOKED_AT = 1000
_LONG = 12
"""A value with this many characters, or with three words, is longer than labels are."""

Kind = Literal["labels", "texts", "numbers"]
Kinds = tuple[Kind, ...]
"""Labels with their probabilities, texts, numbers, or several of them."""

LABELS: Kinds = ("labels",)
TEXTS: Kinds = ("texts",)
NUMBERS: Kinds = ("numbers",)


def guess_kinds(values: Any) -> Kinds:
    """Texts where most values are long and differ from each other; else labels.

    Args:
        values: The gold as an Arrow array.
    """
    import pyarrow as pa

    if pa.types.is_list(values.type) or pa.types.is_large_list(values.type):
        return LABELS
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        return LABELS
    some = [text for text in values.slice(0, _LOOKED_AT).to_pylist() if text]
    long = sum(len(text) >= _LONG or len(text.split()) > 2 for text in some)
    return TEXTS if len(some) > 1 and 2 * min(long, len(set(some))) > len(some) else LABELS
