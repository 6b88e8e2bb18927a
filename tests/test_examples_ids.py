"""Gold and predictions are joined by id, in any order, and nothing is left over."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import STEADY
from tallystick.errors import InputError
from tallystick.model.ids import find_twice, join_ids, tell_twice

SOURCES = ("gold.csv", "mine.csv")
LACKING = (
    "; with `missing='wrong'` examples without one count as wrong, with exclude they are left out "
    "of that system's scores, and with common only examples are scored that all systems have"
)


@STEADY
@given(st.lists(st.text(min_size=1), min_size=1, unique=True), st.randoms(use_true_random=False))
def test_rows_are_found_in_any_order(ids, random):
    shuffled = random.sample(ids, len(ids))
    rows, _ = join_ids(pa.array(ids), pa.array(shuffled), SOURCES)

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
def test_ids_of_any_type_are_the_same(ids):
    rows, _ = join_ids(pa.array(["7", "12"]), ids, SOURCES)

    assert [1, 0] == np.asarray(rows).tolist()


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        ("ab", "abb", "mine.csv holds the id b more than once"),
        ("ab", "aabb", "mine.csv holds 2 ids (a, b) more than once"),
        ("abc", "ab", f"mine.csv has no prediction for the id c of gold.csv{LACKING}"),
        ("ab", "abc", "mine.csv holds the id c that gold.csv does not have"),
        (
            "abcdefgh",
            "ab",
            f"mine.csv has no prediction for 6 ids (c, d, e, f, g, ...) of gold.csv{LACKING}",
        ),
        ("ab", "abcdefg", "mine.csv holds 5 ids (c, d, e, f, g) that gold.csv does not have"),
        ("ab", "ac", f"mine.csv has no prediction for the id b of gold.csv{LACKING}"),
    ],
)
def test_ids_that_do_not_match_are_told(gold, predicted, message):
    with pytest.raises(InputError) as caught:
        join_ids(pa.array(list(gold)), pa.array(list(predicted)), SOURCES)

    assert message == str(caught.value)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ("abb", "gold.csv holds the id b more than once; look"),
        ("aabb", "gold.csv holds 2 ids (a, b) more than once; look"),
    ],
)
def test_ids_that_stand_twice_in_one_table_are_told(ids, message):
    with pytest.raises(InputError) as caught:
        tell_twice(find_twice(pa.array(list(ids)), "gold.csv"), "gold.csv", lambda: "; look")

    assert message == str(caught.value)


@pytest.mark.parametrize("ids", [["a", None], ["", "b"], [None, ""]])
def test_empty_id_of_one_table_is_told(ids):
    with pytest.raises(InputError) as caught:
        find_twice(pa.array(ids), "gold.csv")

    what = "2 examples have" if not any(ids) else "1 example has"
    assert f"gold.csv: {what} no id" == str(caught.value)


def test_examples_may_lack_a_prediction_if_that_is_asked_for():
    rows, _ = join_ids(pa.array(list("abc")), pa.array(list("ca")), SOURCES, missing=True)

    assert [1, -1, 0] == np.asarray(rows).tolist()
    with pytest.raises(
        InputError, match=r"^mine\.csv holds the id x that gold\.csv does not have$"
    ):
        join_ids(pa.array(list("abc")), pa.array(list("xa")), SOURCES, missing=True)


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        (["a", None], ["a", "b"], "gold.csv: 1 example has no id"),
        (["a", ""], ["a", "b"], "gold.csv: 1 example has no id"),
        (["a", "b"], [None, None], "mine.csv: 2 examples have no id"),
        (["a", "b"], ["", None], "mine.csv: 2 examples have no id"),
    ],
)
def test_missing_ids_are_told(gold, predicted, message):
    with pytest.raises(InputError) as caught:
        join_ids(pa.array(gold), pa.array(predicted), SOURCES)

    assert message == str(caught.value)
