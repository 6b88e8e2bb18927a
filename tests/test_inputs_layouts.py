"""One table of several systems, and texts that nobody announced."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tallystick
from tallystick import Columns, InputError, Task, Testing, UsageError
from tallystick.cli import main
from tallystick.metrics import BLEU, ChrF

IDS = ["1", "2", "3", "4"]
GOLD = ["a", "b", "b", "a"]
SYSTEMS = {"best": ["a", "b", "b", "a"], "half": ["a", "a", "b", "b"], "none": ["b", "a", "a", "b"]}
EXPECTED = {"best": 1.0, "half": 0.5, "none": 0.0}
REFERENCES = ["the cat sat on the mat", "a dog barked at him", "it was raining all day"]
HYPOTHESES = ["the cat sat on a mat", "a dog barked", "it was raining"]
FRAMES = [pa.table, pd.DataFrame, pl.DataFrame]

Cells = dict[str, Any]


def score(table, outputs=None, metrics="accuracy", **options):
    scored = tallystick.score(table, outputs, metrics, intervals=False, **options)
    return {one.system: one.value for one in scored.scores}


def make_wide(**more):
    return {"label": GOLD, **SYSTEMS, **more}


def make_long(seed=None, gold="label", guess="y_pred"):
    rows = [
        (name, *row)
        for name, outputs in SYSTEMS.items()
        for row in zip(IDS, GOLD, outputs, strict=True)
    ]
    if seed is not None:
        random.Random(seed).shuffle(rows)
    return dict(zip(("model", "id", gold, guess), map(list, zip(*rows, strict=True)), strict=True))


@pytest.mark.parametrize("frame", FRAMES)
def test_a_wide_table_has_a_column_for_each_system(frame):
    table = frame(make_wide(y_pred=["x"] * 4, text=IDS))
    assert EXPECTED == score(table, systems=list(SYSTEMS))
    assert ["none", "best"] == list(score(table, systems=["none", "best"]))
    assert {"half": 0.5} == score(table, systems=("half",))


def test_a_wide_table_of_numbers_has_probabilities_where_they_are_named():
    assert {"p": pytest.approx(2 / 3), "q": pytest.approx(2 / 3)} == score(
        pa.table({"label": [0, 1, 1], "p": [0, 1, 0], "q": [1, 1, 1]}), systems=["p", "q"]
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


@pytest.mark.parametrize(("change", "message"), [
    ({"label": [*GOLD * 2, *GOLD[1:], "b"]}, "the gold of 1 differs between systems, column"),
    ({"id": [*IDS * 2, "1", "2", "2", "4"]}, "gold (none) contains the id 2 more than once"),
    ({"id": [*IDS * 2, "1", "2", "3", "5"]}, "gold (best) has no prediction for the id 5 of"),
    ({"model": [*["best"] * 11, None]}, "gold, row 12, column 'model': names no system"),
    ({"model": [["best"]] * 12}, "gold: column 'model' contains lists, not names"),
])  # fmt: skip
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
    with pytest.raises(UsageError, match="name columns of a table, and gold is not a table"):
        tallystick.score(gold, GOLD, "accuracy", **options)


def test_a_system_that_is_no_column_is_told():
    with pytest.raises(InputError, match=r"has no column 'bst', only .*; did you mean 'best'"):
        score(pa.table(make_wide()), systems=["bst"])


@pytest.mark.parametrize("name", ["system", "Model", "TEAM", "run", "Submission", "participant"])
def test_ids_that_stand_twice_name_the_column_of_systems(name):
    cells = make_long()
    cells[name] = cells.pop("model")
    message = (
        "gold contains 4 ids (1, 2, 3, 4) more than once; if the table contains several systems, "
        f"name the column with their names: `system_column={name!r}`"
    )

    with pytest.raises(InputError) as caught:
        score(pa.table(cells))

    assert message == str(caught.value)


@pytest.mark.parametrize("by", [None, "origin"])
def test_ids_that_stand_twice_are_told(by):
    cells = make_long()
    cells["origin"] = ["x"] * len(cells.pop("model"))
    with pytest.raises(InputError, match=r"^gold contains 4 ids \(1( in x)?, .*\) more than once$"):
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
    with pytest.raises(InputError, match=r"^gold contains 4 ids \(1, 2, 3, 4\) more than once$"):
        score(pa.table(gold), pa.table(own))


@pytest.mark.parametrize(("outputs", "expected"), [
    (lambda path: str(path("half")), {"half": 0.5}),
    (lambda path: path("half"), {"half": 0.5}),
    (lambda path: [path("best"), str(path("none"))], {"best": 1.0, "none": 0.0}),
    (lambda path: {"x": path("best"), "y": path("half")}, {"x": 1.0, "y": 0.5}),
])  # fmt: skip
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


@pytest.mark.parametrize("name", ["reference", "target", "Gold", "answer", "ref"])
def test_texts_of_tables_are_recognised_without_metrics(name):
    table = pa.table({name: REFERENCES, "hypothesis": HYPOTHESES})
    scored = tallystick.score(table, intervals=False)
    assert {"bleu": BLEU()(HYPOTHESES, REFERENCES), "chrf": ChrF()(HYPOTHESES, REFERENCES)} == {
        one.name: one.value for one in scored.scores
    }


@pytest.mark.parametrize("wrap", [list, tuple, pa.array, pd.Series, pl.Series])
def test_texts_in_memory_are_recognised_without_metrics(wrap):
    scored = tallystick.score(wrap(REFERENCES), wrap(HYPOTHESES), intervals=False)
    assert ["bleu", "chrf"] == [one.name for one in scored.scores]


@pytest.mark.parametrize(("gold", "outputs"), [
    (GOLD, GOLD),
    ([1, 0, 1], [1, 1, 0]),
    (["not the author of it", "the author of it"] * 9, ["the author of it"] * 18),
    (["entailment", "contradiction", "neutral"], ["neutral"] * 3),
    ([["a"], ["b"]], [["a"], ["a"]]),
])  # fmt: skip
def test_labels_are_recognised_without_metrics(gold, outputs):
    names = {one.name for one in tallystick.score(gold, outputs, intervals=False).scores}
    assert {"bleu", "chrf"}.isdisjoint(names)


@pytest.mark.parametrize("ending", ["txt", "csv", "tsv", "jsonl"])
def test_texts_of_files_are_recognised_without_metrics(folder, capsys, ending):
    for stem, texts in (("ref", REFERENCES), ("mine", HYPOTHESES)):
        path = Path(f"{stem}.{ending}")
        if ending == "jsonl":
            path.write_text("".join(f'{{"text": "{one}"}}\n' for one in texts))
        else:
            head = "" if ending == "txt" else "text\n"
            path.write_text(head + "".join(f"{one}\n" for one in texts))
    code = main(["score", f"ref.{ending}", f"mine.{ending}", "--format", "csv", "--no-intervals"])
    header, row = capsys.readouterr().out.splitlines()

    assert (0, "system,n,bleu,chrf") == (code, header)
    assert BLEU()(HYPOTHESES, REFERENCES) == pytest.approx(float(row.split(",")[2]), abs=1e-4)


def test_metrics_of_all_kinds_go_together():
    references = ["yes", "no", "maybe so", "no"]
    hypotheses = ["yes", "no", "maybe", "yes"]
    metrics = ["bleu", "exact_match", "levenshtein", "accuracy"]
    scored = tallystick.score(references, hypotheses, metrics)

    assert {
        "bleu": BLEU()(hypotheses, references),
        "exact_match": 2 / 4,
        "levenshtein": 3 + 3,
        "accuracy": 2 / 4,
    } == {one.name: one.value for one in scored.scores}
    for metric in metrics:
        (alone,) = tallystick.score(references, hypotheses, metric).scores
        assert alone in scored.scores


@pytest.mark.parametrize("reverse", [False, True])
def test_metrics_of_all_kinds_go_together_in_every_command(reverse):
    table = pa.table(
        {
            "answer": ["yes", "no", "yes it is", "no"] * 5,
            "x": ["yes", "no", "yes", "yes"] * 5,
            "y": ["no", "no", "yes it is", "yes"] * 5,
            "lang": ["en", "de"] * 10,
        }
    )
    metrics = ["accuracy", "wer", "macro_f1", "chrf"][:: -1 if reverse else 1]
    options: dict[str, Any] = {"by": "lang", "systems": ["x", "y"]}
    testing = Testing(resamples=100)
    scored = tallystick.score(table, None, metrics, intervals=False, **options)
    compared = tallystick.compare(table, None, metrics, testing=testing, **options)
    ranked = tallystick.rank(table, None, metrics, testing=testing, **options)

    assert metrics == list(dict.fromkeys(one.name for one in scored.scores))
    for one in compared.differences:
        assert [one.value_a, one.value_b] == [
            scored[one.name, one.group, name] for name in (one.a, one.b)
        ]
    assert {one.value for one in ranked.places} == {one.value for one in scored.scores}


@pytest.mark.parametrize(("metrics", "gold", "outputs", "message"), [
    (["bleu", "roc_auc"], ["yes", "no"], ["yes", "no"], "roc_auc needs probabilities"),
    (["bleu", "acuracy"], ["yes", "no"], ["yes", "no"], "acuracy"),
    (["bleu", "hamming_loss"], ["yes", "no"], ["yes", "no"], "hamming_loss is not for a bin"),
])  # fmt: skip
def test_metrics_that_do_not_fit_are_told(metrics, gold, outputs, message):
    with pytest.raises(UsageError, match=message):
        tallystick.score(gold, outputs, metrics)


def test_the_task_of_mixed_metrics_is_that_of_the_labels():
    task = Task("binary", positive="yes")
    scored = tallystick.score(
        ["yes", "no", "yes"], ["yes", "yes", "no"], ["f1", "wer"], task=task, intervals=False
    )
    assert {"f1": 1 / 2, "wer": pytest.approx(2 / 3)} == {
        one.name: one.value for one in scored.scores
    }


def test_a_dictionary_of_lists_is_a_table():
    gold = {"id": [1, 2, 3], "gold": ["a", "b", "b"]}
    systems = {"one": {"id": [3, 2, 1], "predicted": np.array(["b", "a", "a"])}}
    found = tallystick.score(gold, systems, "accuracy")
    assert 2 / 3 == found["accuracy"]
    assert (
        found["accuracy"]
        == tallystick.score(gold | {"pred": ["a", "a", "b"]}, None, "acc")["accuracy"]
    )
    with pytest.raises(InputError, match="differ in length: 'gold' 2, 'pred' 1"):
        tallystick.score({"gold": ["a", "b"], "pred": ["a"]})


def test_a_wrong_call_has_a_traceback_of_the_call_alone():
    with pytest.raises(UsageError) as caught:
        tallystick.score(["a"], ["b"], "no_metric")
    assert ["call"] == [entry.name for entry in caught.traceback[1:]]


def test_a_threshold_is_tuned_on_a_table():
    gold, scores, langs = [0, 1, 0, 1, 1], [0.1, 0.4, 0.3, 0.35, 0.8], list("aabab")
    frame = pd.DataFrame({"label": gold, "probability": scores, "lang": langs})
    tuned = tallystick.tune_threshold(gold, scores, by=langs)
    assert tuned.thresholds == tallystick.tune_threshold(frame, by="lang").thresholds
    renamed = frame.rename(columns={"probability": "p"})
    assert tuned.thresholds == tallystick.tune_threshold(renamed, "p", by="lang").thresholds
    with pytest.raises(InputError, match="no probability column"):
        tallystick.tune_threshold(renamed)


def test_a_score_is_found_by_the_name_that_was_asked_for():
    several = tallystick.score(["x", "y", "z"], ["x", "y", "y"], "f1", intervals=False)
    assert several["f1"] == several["macro_f1"] == pytest.approx(5 / 9)
    data = tallystick.read(["x", "y", "z"], ["x", "y", "y"])
    assert several["f1"] == data.score(["acc", "f1"])["f1"]
    assert data.score(["acc", "f1"])["acc"] == pytest.approx(2 / 3)
    with pytest.raises(UsageError, match=r"has the metric 'f1', only 'accuracy'\."):
        data.score("acc")["f1"]
    with pytest.raises(UsageError, match="did you mean 'accuracy'"):
        data.score("acc")["acuracy"]
