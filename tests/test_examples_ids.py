"""Gold and predictions are joined by id, in any order, and nothing is left over."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import STEADY
from tallystick.errors import InputError
from tallystick.examples.ids import join_ids

SOURCES = ("gold.csv", "mine.csv")


@STEADY
@given(st.lists(st.text(min_size=1), min_size=1, unique=True), st.randoms(use_true_random=False))
def test_rows_are_found_in_any_order(ids: list[str], random: Any) -> None:
    """The rows of the predictions come out in the order of the gold."""
    shuffled = random.sample(ids, len(ids))
    rows = join_ids(pa.array(ids), pa.array(shuffled), SOURCES)

    assert ids == (shuffled if rows is None else [shuffled[row] for row in rows])
    assert (ids == shuffled) is (rows is None)


@pytest.mark.parametrize(
    "ids",
    [
        pa.array([12, 7]),
        pa.array(["12", "7"]),
        pa.array(["12", "7"], pa.large_string()),
        pa.array(["12", "7"]).dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["12", "7"], pa.string_view())),
        pa.chunked_array([["12"], ["7"]]),
        pa.array(["0", "12", "7"])[1:],
    ],
    ids=["integer", "text", "large", "dictionary", "views", "chunks", "slice"],
)
def test_ids_of_any_type_are_the_same(ids: Any) -> None:
    """A number in one file is the text of it in another."""
    rows = join_ids(pa.array(["7", "12"]), ids, SOURCES)

    assert [1, 0] == np.asarray(rows).tolist()


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        ("abb", "ab", "gold.csv holds the id b more than once"),
        ("ab", "abb", "mine.csv holds the id b more than once"),
        ("aabb", "aabb", "gold.csv holds 2 ids (a, b) more than once"),
        ("abc", "ab", "mine.csv has no prediction for the id c of gold.csv"),
        ("ab", "abc", "mine.csv holds the id c that gold.csv does not know"),
        (
            "abcdefgh",
            "ab",
            "mine.csv has no prediction for 6 ids (c, d, e, f, g, ...) of gold.csv",
        ),
        (
            "ab",
            "abcdefg",
            "mine.csv holds 5 ids (c, d, e, f, g) that gold.csv does not know",
        ),
        ("ab", "ac", "mine.csv has no prediction for the id b of gold.csv"),
    ],
)
def test_ids_that_do_not_match_are_told(gold: str, predicted: str, message: str) -> None:
    """The first five and their number, and on which side."""
    with pytest.raises(InputError) as caught:
        join_ids(pa.array(list(gold)), pa.array(list(predicted)), SOURCES)

    assert message == str(caught.value)


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        (["a", None], ["a", "b"], "gold.csv: 1 examples have no id"),
        (["a", "b"], [None, None], "mine.csv: 2 examples have no id"),
    ],
)
def test_missing_ids_are_told(gold: list[Any], predicted: list[Any], message: str) -> None:
    """An example without an id cannot be joined."""
    with pytest.raises(InputError) as caught:
        join_ids(pa.array(gold), pa.array(predicted), SOURCES)

    assert message == str(caught.value)
