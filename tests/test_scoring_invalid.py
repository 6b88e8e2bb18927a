"""Outputs that count as wrong are a column of their own beside the number of examples."""

from typing import Any

import pyarrow as pa

from tallystick import Columns, score
from tallystick.results import Evaluation

_GOLD = {"id": [1, 2, 3, 4], "gold": ["a", "b", "a", "b"], "lang": ["de", "de", "fr", "fr"]}


def _score(outputs: list[str | None], **options: Any) -> Evaluation:
    columns = Columns(gold="gold", invalid="wrong")
    return score(
        pa.table(_GOLD | {"mine": outputs}),
        metrics=["accuracy"],
        systems=["mine"],
        columns=columns,
        intervals=False,
        **options,
    )


def test_each_row_counts_its_own_invalid_outputs():
    result = _score(["a", None, "a", "I cannot answer"], by="lang")
    found = {one.group: (one.n, one.invalid, one.value) for one in result.scores}
    assert found == {
        "de": (2, 1, 0.5),
        "fr": (2, 1, 0.5),
        "macro": (4, 2, 0.5),
        "micro": (4, 2, 0.5),
    }


def test_the_column_is_shown_only_where_outputs_are_invalid():
    wrong = _score(["a", None, "a", "b"])
    clean = _score(["a", "b", "a", "b"])
    assert wrong.document().grids[0].headings == ("system", "n", "invalid", "accuracy")
    assert clean.document().grids[0].headings == ("system", "n", "accuracy")
    assert [one.invalid for one in clean.scores] == [0]
