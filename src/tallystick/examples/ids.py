"""Gold and predictions joined by id: every example once on both sides, or an error."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tallystick.errors import InputError
from tallystick.examples.labels import as_numpy, plain

__all__ = ["as_keys", "check_ids", "join_ids"]


def check_ids(ids: Any, source: str, cure: Callable[[], str]) -> None:
    """Raises an InputError where an example has no id, or an id stands twice.

    Args:
        ids: The ids, a pyarrow array of text or whole numbers.
        source: What messages call the table.
        cure: Tells what to do about ids that stand twice.
    """
    _check_twice(_as_text(ids, source), source, cure)


def join_ids(
    gold: Any, predicted: Any, sources: tuple[str, str], *, missing: bool = False
) -> NDArray[np.int64] | None:
    """Where each gold example stands among the predictions; None where the order is the same.

    Args:
        gold: The ids of the gold examples, a pyarrow array of text or whole numbers.
        predicted: The ids of the predictions.
        sources: What the two sides are called in messages.
        missing: Whether an example may lack a prediction; its place is -1 then.

    Raises:
        InputError: An id is missing, stands twice on a side, or stands on one side only.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    left, right = _as_text(gold, sources[0]), _as_text(predicted, sources[1])
    if left.equals(right):
        return None
    _check_twice(right, sources[1])
    places = pc.index_in(left, value_set=right)
    lacking = left.filter(pc.is_null(places))
    if len(lacking) and not missing:
        raise InputError(
            f"{sources[1]} has no prediction for {_count(lacking)} of {sources[0]}; with --missing "
            "wrong examples without one count as wrong"
        )
    unknown = right.filter(pc.invert(pc.is_in(right, value_set=left)))
    if len(unknown):
        raise InputError(f"{sources[1]} holds {_count(unknown)} that {sources[0]} does not have")
    return as_numpy(pc.fill_null(places, -1).cast(pa.int64()))


def as_keys(values: Any, source: str) -> Any:
    """Returns the values that identify rows, as text.

    Raises:
        InputError: They are lists, objects, or bytes that are no text.
    """
    import pyarrow as pa

    try:
        return plain(values).cast(pa.large_string())
    except pa.ArrowException:
        raise InputError(
            f"{source}: the ids are {values.type} values, but text or whole numbers were expected"
        ) from None


def _as_text(ids: Any, source: str) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    text = as_keys(ids, source)
    text = text.combine_chunks() if isinstance(text, pa.ChunkedArray) else text
    # A comparison with a value of Python's own would load pandas, where that is installed.
    without = text.null_count + int((as_numpy(pc.binary_length(text.drop_null())) == 0).sum())
    if without:
        raise InputError(f"{source}: {without} examples have no id")
    return text


def _check_twice(ids: Any, source: str, cure: Callable[[], str] = str) -> None:
    import pyarrow.compute as pc

    if len(pc.unique(ids)) == len(ids):
        return
    counts = pc.value_counts(ids)
    twice = counts.field("values").filter(pc.greater(counts.field("counts"), 1))
    raise InputError(f"{source} holds {_count(twice)} more than once{cure()}")


def _count(ids: Any) -> str:
    shown = ", ".join(ids[:5].to_pylist())
    if len(ids) == 1:
        return f"the id {shown}"
    return f"{len(ids)} ids ({shown}{', ...' if len(ids) > 5 else ''})"
