"""The names of a table's columns: which ones are kept, and what to say when one is missing."""

import difflib
from collections import Counter
from collections.abc import Collection, Sequence

from tallystick.errors import InputError

__all__ = ["explain_missing", "is_usual", "quote_names", "select_names"]

# fmt: off
_USUAL = {
    "answer", "category", "class", "comment_text", "expected", "gold", "group", "hypothesis", "id",
    "label", "labels", "lang", "language", "mt", "output", "pred", "pred_label", "pred_score",
    "prediction", "prediction_binary", "predictions", "prob", "probability", "ref", "reference",
    "references", "score", "sentence", "source", "sub_id", "system", "target", "text", "toxic",
    "weight", "y_pred", "y_prob", "y_true", "best_threshold",
}
# fmt: on


def is_usual(name: str) -> bool:
    """Return whether a text is one that headers of prediction files often hold."""
    return name.lower() in _USUAL


def select_names(source: str, names: Sequence[str], only: Collection[str] | None) -> list[str]:
    """Return the names to keep, in the file's order; all of them if `only` is None.

    Raises:
        InputError: Nothing is left to keep, or a name stands for two columns.
    """
    for name, count in Counter(names).most_common(1):
        if count > 1:
            raise InputError(
                f"{source}: {count} columns are named {name!r}; give each its own name"
            )
    kept = [name for name in names if only is None or name in only]
    if not kept:
        wanted = f"none of the columns {quote_names(sorted(only))}" if only else "no columns"
        raise InputError(f"{source}: has {wanted}, only {quote_names(names)}")
    return kept


def explain_missing(source: str, name: str, names: Sequence[str]) -> str:
    """Return the message about a column that is not there: what is there, and what is nearest."""
    nearest = difflib.get_close_matches(name, names, n=1)
    hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
    return f"{source}: has no column {name!r}, only {quote_names(names)}{hint}"


def quote_names(names: Sequence[str]) -> str:
    """Return names as they stand in a message, quoted and with commas between."""
    return ", ".join(map(repr, names)) or "nothing"
