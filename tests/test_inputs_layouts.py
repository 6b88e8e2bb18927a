"""One table of several systems: a column for each, or a row for each example of each."""

import random
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tallystick
from tallystick import Columns, InputError, UsageError
from tallystick.metrics import BLEU

IDS = ["1", "2", "3", "4"]
GOLD = ["a", "b", "b", "a"]
SYSTEMS = {"best": ["a", "b", "b", "a"], "half": ["a", "a", "b", "b"], "none": ["b", "a", "a", "b"]}
EXPECTED = {"best": 1.0, "half": 0.5, "none": 0.0}
REFERENCES = ["the cat sat on the mat", "a dog barked at him", "it was raining all day"]
HYPOTHESES = ["the cat sat on a mat", "a dog barked", "it was raining"]
FRAMES = [pa.table, pd.DataFrame, pl.DataFrame]

Cells = dict[str, Any]


def score(table: Any, outputs: Any = None, metrics: Any = "accuracy", **options: Any) -> Cells:
    scored = tallystick.score(table, outputs, metrics, intervals=False, **options)
    return {one.system: one.value for one in scored.scores}


def make_wide(**more: Any) -> Cells:
    return {"label": GOLD, **SYSTEMS, **more}


def make_long(seed: int | None = None, gold: str = "label", guess: str = "y_pred") -> Cells:
    rows = [
        (name, *row)
        for name, outputs in SYSTEMS.items()
        for row in zip(IDS, GOLD, outputs, strict=True)
    ]
    if seed is not None:
        random.Random(seed).shuffle(rows)
    columns = map(list, zip(*rows, strict=True))
    return dict(zip(("model", "id", gold, guess), columns, strict=True))


@pytest.mark.parametrize("frame", FRAMES)
def test_a_wide_table_has_a_column_for_each_system(frame):
    table = frame(make_wide(y_pred=["x"] * 4, text=IDS))

    assert EXPECTED == score(table, systems=list(SYSTEMS))
    assert ["none", "best"] == list(score(table, systems=["none", "best"]))
    assert {"half": 0.5} == score(table, systems=("half",))


def test_a_wide_table_of_numbers_has_probabilities_where_they_are_named():
    table = pa.table({"label": [0, 1, 1], "p": [0, 1, 0], "q": [1, 1, 1]})

    assert {"p": pytest.approx(2 / 3), "q": pytest.approx(2 / 3)} == score(
        table, systems=["p", "q"]
    )


def test_a_wide_table_may_hold_texts_and_label_sets():
    texts = pa.table({"reference": REFERENCES, "one": HYPOTHESES, "two": REFERENCES})
    several = pa.table({"reference": [[one, "x"] for one in REFERENCES], "one": HYPOTHESES})
    sets = pa.table({"tags": [["a"], []], "one": [["a"], []], "two": [["a"], ["a"]]})
    both = [[one, "x"] for one in REFERENCES]

    assert {"one": BLEU()(HYPOTHESES, REFERENCES), "two": 100} == pytest.approx(
        score(texts, metrics="bleu", systems=["one", "two"])
    )
    assert {"one": BLEU()(HYPOTHESES, both)} == score(several, metrics="bleu", systems=["one"])
    assert {"one": 1, "two": 0.5} == score(
        sets, metrics="exact_match_ratio", systems=["one", "two"], columns=Columns(gold="tags")
    )


@pytest.mark.parametrize("seed", [None, 1, 2, 3])
@pytest.mark.parametrize("frame", FRAMES)
def test_a_long_table_has_a_row_for_each_example_of_each_system(frame, seed):
    table = frame(make_long(seed))

    assert EXPECTED == score(table, system_column="model")
    assert ["best", "half", "none"] == list(score(table, system_column="Model"))


@pytest.mark.parametrize("frame", FRAMES)
def test_a_long_table_may_hold_lists_and_objects(frame):
    cells = make_long(4)
    langs = {"1": "en", "2": "en", "3": "de", "4": "de"}
    nested = {
        "model": cells["model"],
        "id": cells["id"],
        "label": [[one] for one in cells["label"]],
        "y_pred": [[one] for one in cells["y_pred"]],
        "meta": [{"lang": {"code": langs[one]}} for one in cells["id"]],
    }
    scored = tallystick.score(
        frame(nested), None, "exact_match_ratio", system_column="model", by="meta.lang.code"
    )

    assert {(name, "micro"): value for name, value in EXPECTED.items()} == {
        (one.system, one.group): one.value for one in scored.scores if one.group == "micro"
    }
    assert {"de", "en", "macro", "micro"} == {one.group for one in scored.scores}


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(["half", "best", "none"])])
def test_names_of_systems_may_be_categories(kind):
    cells = make_long(6)
    frame = pl.DataFrame(
        cells
        | {
            "model": pl.Series(cells["model"], dtype=kind),
            "label": pl.Series(cells["label"], dtype=pl.Categorical),
        }
    )

    assert EXPECTED == score(frame, system_column="model")
    assert EXPECTED == score(frame.to_pandas(), system_column="model")


def test_a_long_table_without_ids_counts_rows():
    cells = make_long()
    del cells["id"]

    assert EXPECTED == score(pa.table(cells), system_column="model")


@pytest.mark.parametrize("change", ["order", "length", "gold"])
def test_a_long_table_without_ids_whose_gold_differs_is_told(change):
    cells = make_long()
    del cells["id"]
    if change == "order":
        cells["label"][4:6] = cells["label"][4:6][::-1]
    elif change == "length":
        cells = {name: values[:-1] for name, values in cells.items()}
    else:
        cells["label"][5] = "c"
    wrong = "none" if change == "length" else "half"
    message = (
        f"gold: the rows of {wrong} have not the gold of those of best, and there is no id to join "
        "them by; name what joins them with `id=`"
    )

    with pytest.raises(InputError) as caught:
        score(pa.table(cells), system_column="model")

    assert message == str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"label": [*GOLD * 2, *GOLD[1:], "b"]}, "the gold of 1 differs between systems, column"),
        ({"id": [*IDS * 2, "1", "2", "2", "4"]}, "gold (none) holds the id 2 more than once"),
        ({"id": [*IDS * 2, "1", "2", "3", "5"]}, "gold (best) has no prediction for the id 5 of"),
        ({"model": [*["best"] * 11, None]}, "gold, row 12, column 'model': names no system"),
        ({"model": [["best"]] * 12}, "gold: column 'model' holds lists, not names"),
    ],
)
def test_a_long_table_that_is_wrong_is_told(change, message):
    cells = make_long() | change

    with pytest.raises(InputError) as caught:
        score(pa.table(cells), system_column="model")

    assert message in str(caught.value)


def test_a_long_table_may_lack_examples_of_a_system_if_that_is_asked_for():
    cells = {name: values[:-2] for name, values in make_long().items()}
    cells["y_pred"][8:] = ["a", "b"]
    columns = Columns(missing="wrong")

    assert EXPECTED | {"none": 0.5} == score(
        pa.table(cells), system_column="model", columns=columns
    )


@pytest.mark.parametrize(
    ("gold", "options"), [(GOLD, {"systems": ["a"]}), (GOLD, {"system_column": "model"})]
)
def test_layouts_of_tables_are_for_tables(gold, options):
    with pytest.raises(UsageError, match="name columns of a table, and gold is no table"):
        tallystick.score(gold, GOLD, "accuracy", **options)


def test_a_system_that_is_no_column_is_told():
    with pytest.raises(InputError, match=r"has no column 'bst', only .*; did you mean 'best'"):
        score(pa.table(make_wide()), systems=["bst"])


@pytest.mark.parametrize("name", ["system", "Model", "TEAM", "run", "Submission", "participant"])
def test_ids_that_stand_twice_name_the_column_of_systems(name):
    cells = make_long()
    cells[name] = cells.pop("model")
    message = (
        "gold holds 4 ids (1, 2, 3, 4) more than once; if the table holds several systems, name "
        f"the column with their names: `system_column={name!r}`"
    )

    with pytest.raises(InputError) as caught:
        score(pa.table(cells))

    assert message == str(caught.value)


@pytest.mark.parametrize("by", [None, "origin"])
def test_ids_that_stand_twice_are_told(by):
    cells = make_long()
    cells["origin"] = ["x"] * len(cells.pop("model"))

    with pytest.raises(InputError, match=r"^gold holds 4 ids \(1( in x)?, .*\) more than once$"):
        tallystick.score(pa.table(cells), pa.table(cells), "accuracy", by=by)


def test_an_id_may_stand_once_in_each_group():
    gold = {"id": [*IDS, *IDS], "label": [*GOLD, *GOLD[::-1]], "lang": ["en"] * 4 + ["de"] * 4}
    own = {
        "id": [*IDS[::-1], *IDS],
        "y_pred": [*GOLD, *SYSTEMS["half"]],
        "lang": ["de"] * 4 + ["en"] * 4,
    }
    values = tallystick.score(pa.table(gold), pa.table(own), "accuracy", by="lang", intervals=False)

    assert {"de": 1, "en": 0.5, "macro": 0.75, "micro": 0.75} == {
        one.group: one.value for one in values.scores
    }
    with pytest.raises(InputError, match="no prediction for the id 4 in de of gold"):
        score(pa.table(gold), pa.table(own).slice(1), by="lang")
    with pytest.raises(InputError, match=r"^gold holds 4 ids \(1, 2, 3, 4\) more than once$"):
        score(pa.table(gold), pa.table(own))


@pytest.mark.parametrize(
    ("outputs", "expected"),
    [
        (lambda path: str(path("half")), {"half": 0.5}),
        (lambda path: path("half"), {"half": 0.5}),
        (lambda path: [path("best"), str(path("none"))], {"best": 1.0, "none": 0.0}),
        (lambda path: {"x": path("best"), "y": path("half")}, {"x": 1.0, "y": 0.5}),
    ],
)
@pytest.mark.parametrize("gold", [str, lambda path: path], ids=["text", "path"])
def test_files_are_read_in_python_by_their_paths(tmp_path, gold, outputs, expected):
    for name, cells in {"gold": GOLD, **SYSTEMS}.items():
        frame = pd.DataFrame({"id": IDS, "label" if name == "gold" else "y_pred": cells})
        frame.to_csv(tmp_path / f"{name}.csv", index=False)

    own = outputs(lambda name: tmp_path / f"{name}.csv")
    assert expected == score(gold(tmp_path / "gold.csv"), own)


def test_files_and_columns_in_memory_do_not_go_together(tmp_path):
    (tmp_path / "gold.csv").write_text("label\na\n", encoding="utf-8")
    with pytest.raises(UsageError, match="gold is a file, so pass the outputs as files too"):
        score(tmp_path / "gold.csv", {"x": ["a"]})
