"""Results in all formats, pivoted, as pages, matrices and flat dictionaries."""

import copy
import csv
import io
import json
import math
import pickle
import re

import msgspec
import pyarrow as pa
import pytest
import yaml
from msgspec.structs import replace

import tallystick
from gates import make_check
from places import place
from tallystick.cli import main
from tallystick.errors import UsageError
from tallystick.io.tables.table import read_table
from tallystick.output.results.comparison import Comparison
from tallystick.output.results.evaluation import Evaluation
from tallystick.output.results.gate import Gate
from tallystick.output.results.other_results import Tuning
from tallystick.output.results.ranking import Ranking
from tallystick.output.results.scores import document_confusion, document_flips, list_grids
from tallystick.output.tables.cells import Bounded, Ends
from tallystick.output.tables.document import Document, Grid, Style
from tallystick.output.tables.formats import FORMATS, join_rows, render, write_csv
from tallystick.results import Check, ConfusionMatrix, Difference, Flip, Score, Threshold
from tallystick.tasks.masked_gold import Draft

NASTY = "a\x1b[31m\nb"
SCORE = Score(NASTY, None, None, "F1()", "f1", "F1-Score", 0.5, 9, "F1()")
NUMBERS = (0.9, 0.7, 0.2, 0.1, 0.3, 0.95, 0.001, 0.002)
DIFFERENCE = Difference(
    NASTY, "b", None, "F1()", "f1", *NUMBERS, test="ar", n=9, better="higher", signature="F1()"
)
CHECK = make_check("fail", group=NASTY, sentence="it fell.")
RESULTS = {
    "evaluation": Evaluation((SCORE,), (("system", "system"),), notes=(NASTY,)),
    "comparison": Comparison((DIFFERENCE,), notes=(NASTY,)),
    "ranking": Ranking((place(NASTY, 0.9, 1), place("b", 0.5, 2)), notes=(NASTY,)),
    "gate": Gate(NASTY, (CHECK,), notes=(NASTY,)),
    "tuning": Tuning((Threshold(NASTY, 0.25, "F1()", "f1", 0.5, None, 0.3, 9, 4),), (NASTY,)),
}
DOCUMENTS = {name: result.document() for name, result in RESULTS.items()} | {
    "confusion": document_confusion(ConfusionMatrix(NASTY, (NASTY, "b"), ((1, 2), (3, 4)))),
    "flips": document_flips(
        {("a", "b"): [Flip("1", NASTY, None, "x", "x", "y", 1.0, 0.0, 1.0, "a")]}
    ),
}
HELD = {
    "evaluation": "scores", "comparison": "differences", "ranking": "places", "gate": "checks",
    "tuning": "thresholds",
}  # fmt: skip
RECORDS = {
    "evaluation": Score,
    "comparison": Difference,
    "ranking": type(place("a", 0.5)),
    "gate": Check,
    "tuning": Threshold,
}


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("format", FORMATS[:-1])
def test_every_document_is_written_in_every_format(name, format):
    assert render(DOCUMENTS[name], format).endswith("\n")


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("format", ["json", "csv"])
def test_a_document_can_be_written_twice(name, format):
    assert render(DOCUMENTS[name], format) == render(DOCUMENTS[name], format)


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("format", ["table", "markdown", "latex", "notebook", "json"])
def test_no_control_character_comes_through(name, format):
    assert None is re.search("[^\n\x20-\x7e·–≤≥]", render(DOCUMENTS[name], format))


def test_no_control_character_comes_through_the_lines():
    assert None is re.search("[^\n\x20-\x7e]", render(DOCUMENTS["evaluation"], "lines"))


@pytest.mark.parametrize(("name", "format", "digits", "words"), [
    *((name, "lines", 4, r"'markdown', 'latex'\.$") for name in DOCUMENTS if name != "evaluation"),
    ("evaluation", "xml", 4, r"no format 'xml'.*'latex', 'lines'\.$"),
    *((name, "table", -1, "number of digits is -1, expected 0 to 17") for name in DOCUMENTS),
])  # fmt: skip
def test_unknown_formats_and_negative_digits_are_errors(name, format, digits, words):
    with pytest.raises(ValueError, match=words):
        render(DOCUMENTS[name], format, Style(digits=digits))


@pytest.mark.parametrize("name", RESULTS)
def test_a_prompt_shows_what_print_does_and_records_are_the_fields(name):
    result = RESULTS[name]
    assert str(result) == repr(result) == render(DOCUMENTS[name], "table").removesuffix("\n")
    assert result.to_records() == [
        msgspec.structs.asdict(one) for one in getattr(result, HELD[name])
    ]


@pytest.mark.parametrize("name", RESULTS)
def test_frames_have_the_fields_of_the_records(name):
    fields = list(RECORDS[name].__struct_fields__)
    assert fields == RESULTS[name].to_arrow().column_names
    assert fields == list(RESULTS[name].to_pandas(full=True).columns)


def test_arrow_has_the_types_of_the_fields():
    table = RESULTS["ranking"].to_arrow()
    assert ["int64", "bool", "double", "string"] == [
        str(table.schema.field(name).type) for name in ("rank", "baseline", "value", "track")
    ]


@pytest.mark.parametrize("name", RESULTS)
def test_json_holds_the_records(name):
    read = json.loads(RESULTS[name].to_json())
    record = (read if name == "tuning" else read[HELD[name]])[0]
    assert list(RESULTS[name].to_records()[0]) == list(record)


def test_csv_of_a_gate_is_its_table():
    assert [
        "verdict,check,group,metric,new,old,difference,low,high,limit,needed,n",
        "fail,drop,en,f1,0.8,0.81,-0.01,-0.02,0.01,0.01,,50",
    ] == Gate("new", (replace(CHECK, group="en"),)).to_csv().splitlines()


def test_a_record_of_every_eval_ever_holds_what_its_schema_asks_for(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    (tmp_path / "x.csv").write_text("gold,pred,lang\n" + "a,a,de\nb,a,en\n" * 10)
    target = tmp_path / "result.eee.json"
    call = ["score", str(tmp_path / "x.csv"), "-m", "accuracy", "f1", "--by", "lang"]

    assert 0 == main([*call, "-o", str(target)])
    record = json.loads(target.read_text())
    results = record.pop("evaluation_results")
    assert {
        "schema_version": "0.3.0",
        "evaluation_id": "unknown/x/1700000000",
        "retrieved_timestamp": "1700000000",
        "source_metadata": {
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
        },
        "model_info": {
            "name": "x",
            "id": "x",
            "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
        },
        "eval_library": {"name": "tallystick", "version": tallystick.__version__},
    } == record
    found = {(one["evaluation_name"], one["metric_config"]["metric_name"]): one for one in results}
    own = found["unknown/de", "accuracy"]
    assert ({"dataset_name": "unknown", "source_type": "other"}, False, 1.0, 10) == (
        own["source_data"],
        own["metric_config"]["lower_is_better"],
        own["score_details"]["score"],
        own["score_details"]["uncertainty"]["num_samples"],
    )
    interval = own["score_details"]["uncertainty"]["confidence_interval"]
    assert {"lower", "upper", "confidence_level", "method"} == interval.keys()
    assert len(results) == len({one["evaluation_result_id"] for one in results})


def test_a_record_of_every_eval_ever_is_of_one_system(tmp_path, capsys):
    (tmp_path / "x.csv").write_text("gold,a,b\nx,x,x\ny,x,y\n")
    call = ["score", str(tmp_path / "x.csv"), "--systems", "a", "b", "-m", "accuracy"]
    assert 2 == main([*call, "--format", "eee"])
    assert "contains the scores of one system; there are 2: a, b" in capsys.readouterr().err


@pytest.mark.parametrize("transfer", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
@pytest.mark.parametrize("name", RESULTS)
def test_results_are_copied_compared_and_hashed(name, transfer):
    result, same = RESULTS[name], msgspec.structs.replace(RESULTS[name])
    assert (str(result), result.to_json()) == (str(transfer(result)), transfer(result).to_json())
    assert (result, hash(result)) == (same, hash(same))
    assert result != msgspec.structs.replace(result, notes=("b",))


CELLS = ["two\nlines", "a\rreturn", "both\r\n", 'a "word"', "a,b", "a\tb", " x ", "plain"]


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_rows_are_read_as_they_were(delimiter):
    rows = [[cell, other] for cell in CELLS for other in (*CELLS, "")]
    text = join_rows(rows, delimiter)
    assert [*csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)] == rows
    assert text.endswith(f"plain{delimiter}\n")


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_drafts_hold_answers_of_several_lines(tmp_path, ending):
    ids = [f"e{place}" for place in range(len(CELLS))]
    draft = Draft(f"gold.{ending}", ending, {"id": ids, "text": CELLS}, ("id",))
    table = read_table(draft.write(str(tmp_path)))
    assert {name: table.values(name) for name in table.names()} == {"id": ids, "text": CELLS}


def test_tables_are_written_with_further_columns(tmp_path):
    path = tmp_path / "predictions.csv"
    write_csv(str(path), pa.table({"text": CELLS}), {"prediction": CELLS[::-1]})
    table = read_table(str(path))
    assert table.values("text") == CELLS
    assert table.values("prediction") == CELLS[::-1]


MATRIX = ConfusionMatrix("a", ("no", "y,s"), ((3, 1), (0, 0)))


def score(name, value, *, system="a", group=None):
    return Score(system, group, None, name, name, name.upper(), value, 10, "v1")


def test_rows_and_columns_are_in_order_of_appearance():
    scores = (score("f1", 0.5, system="b"), score("mcc", 0.25), score("f1", 0.75))
    (grid,) = list_grids(scores, (("who", "system"),))
    assert ("who", "f1", "mcc") == grid.headings
    assert (("b", 0.5, None), ("a", 0.75, 0.25)) == grid.rows


def test_averages_are_set_apart():
    scores = [score("f1", 0.5, group=group) for group in ("es", "tr", "macro", "micro")]
    (grid,) = list_grids(scores, (("language", "group"),))
    expected = [["es", "tr"], ["macro", "micro"]]
    assert expected == [[row[0] for row in block] for block in grid.blocks]


def test_metrics_that_share_a_name_are_headed_by_their_reprs():
    scores = (
        Score("a", None, None, "F1(average='macro')", "f1", "F1-Score", 0.25, 10, "v1"),
        Score("a", None, None, "F1(average='micro')", "f1", "F1-Score", 0.5, 10, "v1"),
        Score("a", None, None, "MCC()", "mcc", "MCC", 0.75, 10, "v1"),
    )
    (grid,) = list_grids(scores, ())
    assert (("F1(average='macro')", "F1(average='micro')", "mcc")) == grid.headings


def test_scores_that_fall_into_one_cell_are_an_error():
    scores = (score("f1", 0.5, group="es"), score("f1", 0.75, group="tr"))
    with pytest.raises(UsageError, match="Two scores of f1 fall into one row"):
        list_grids(scores, (("system", "system"),))


def test_scores_per_class_name_system_and_group_where_they_vary():
    scores = [
        Score(system, "es", "yes", "F1()", "f1", "F1-Score", 0.5, 10, "v1") for system in ("a", "b")
    ]
    (grid,) = list_grids(scores, (("run", "system"), ("language", "group")))
    assert ("run", "language", "label", "f1") == grid.headings
    assert (("a", "es", "yes", 0.5), ("b", "es", "yes", 0.5)) == grid.rows


def test_csv_is_of_the_classes_where_there_is_nothing_else():
    scores = (Score("a", None, "no\r", "F1()", "f1", "F1-Score", math.nan, 10, "v1"),)
    assert "label,f1\nno\\r,\n" == Evaluation(scores, ()).to_csv()


def test_names_that_vary_stay_in_the_text_table():
    lead = (("system", "system"), ("language", "group"), ("n", "n"))
    scores = (score("f1", 0.5, group="es"), score("f1", 0.25, group="tr"))
    expected = (
        "language   n     f1\n"
        "-------------------\n"
        "es        10  0.500\n"
        "tr        10  0.250\n"
    )  # fmt: skip

    assert expected == render(Evaluation(scores, lead).document(), "table")


@pytest.mark.parametrize(("metrics", "upright"), [(4, False), (5, True)])
def test_a_single_row_of_more_than_four_metrics_stands_upright(metrics, upright):
    scores = tuple(score(f"m{number}", 0.5) for number in range(metrics))
    text = render(Evaluation(scores, ()).document(), "table")
    assert upright == text.startswith("metric  value\n")


@pytest.mark.parametrize(("labels", "numbered"), [(8, False), (9, True)])
def test_the_columns_of_more_than_eight_labels_are_numbered(labels, numbered):
    names = tuple(f"L{number}" for number in range(labels))
    matrix = ConfusionMatrix("a", names, ((1,) * labels,) * labels)
    assert numbered == ("\n1  L0 " in render(Evaluation((), (), (matrix,)).document(), "table"))


def test_the_columns_of_labels_too_wide_for_the_page_are_numbered():
    matrix = ConfusionMatrix("a", ("x" * 50, "y" * 50), ((1, 0), (0, 2)))
    text = render(Evaluation((), (), (matrix,)).document(), "table")
    shortened = "x" * 20 + "…" + "x" * 19
    assert f"\n1  {shortened}  1  .\n" in text


def test_a_confusion_matrix_among_several_systems_names_its_own():
    scores = (score("f1", 0.5), score("f1", 0.75, system="b"))
    *_, grid = Evaluation(scores, (("system", "system"),), (MATRIX,)).document().grids
    assert "Confusion matrix of a (rows gold, columns predicted)" == grid.caption


@pytest.mark.parametrize(("form", "expected"), [
    ("csv", 'gold\\predicted,no,"y,s"\nno,3,1\n"y,s",0,0\n'),
    ("json", '{"system": "a", "labels": ["no", "y,s"], "counts": [\n[3, 1],\n[0, 0]\n]}\n'),
])  # fmt: skip
def test_a_confusion_matrix_is_written_on_its_own(form, expected):
    assert expected == render(document_confusion(MATRIX), form)


def test_lines_have_the_titles_of_the_metrics():
    assert "MCC: 0.5000\n" == Evaluation((score("mcc", 0.5),), ()).to_lines()


def test_the_titles_of_metrics_that_share_a_name_are_their_reprs():
    scores = (
        Score("a", None, None, "F1(zero_division=0)", "f1", "F1-Score", 0.25, 10, "v1"),
        Score("a", None, None, "F1(zero_division=1)", "f1", "F1-Score", 0.5, 10, "v1"),
    )
    expected = "F1(zero_division=0): 0.2500\nF1(zero_division=1): 0.5000\n"
    assert expected == Evaluation(scores, ()).to_lines()


def test_a_folded_table_has_no_blank_lines_for_intervals_of_another_page():
    names = [f"number{place}" for place in range(12)]
    rows = tuple((system, Bounded(0.5, Ends(0.4, 0.6)), *(0.5,) * 12) for system in "ab")
    below, beside = (
        render(
            Document((Grid("ranking", "", ("system", "first", *names), 1, (own,)),)), "table"
        ).split("\n\n")
        for own in (rows, tuple((system, Ends(0.4, 0.6), *(0.5,) * 12) for system in "ab"))
    )

    assert [6, 4] == [len(page.splitlines()) for page in below]
    assert [4, 4] == [len(page.splitlines()) for page in beside]


GOLD = [0, 1, 1, 0, 1, 0, 1, 1]
ONE, OTHER = [0, 1, 0, 0, 1, 0, 1, 1], [1, 1, 1, 0, 1, 0, 0, 1]
MLFLOW = re.compile(r"^[/\w.\- ]*$")
"""The names of metrics that MLflow takes."""


def test_one_system_is_told_by_metric():
    result = tallystick.score(GOLD, ONE, ["accuracy", "f1"])
    accuracy, f1 = result.scores

    assert {
        "accuracy": accuracy.value,
        "accuracy/low": accuracy.low,
        "accuracy/high": accuracy.high,
        "accuracy/n": 8,
        "f1": f1.value,
        "f1/low": f1.low,
        "f1/high": f1.high,
        "f1/n": 8,
    } == result.to_dict()


def test_systems_and_groups_stand_before_the_metric():
    result = tallystick.score(
        [1, 1, 0, 0], {"a": [1, 0, 0, 0], "b": [1] * 4}, "recall", by=["x", "x", "y", "y"]
    )
    names = [name for name in result.to_dict() if not name.endswith(("/n", "/low", "/high"))]
    assert ["a/x/recall", "a/macro/recall", "a/micro/recall"] == names[:3]
    assert "a/y/recall" not in names


def test_all_names_are_names_that_mlflow_takes():
    gold, tags = ["rain falls", "all is well"], ["x/1", "y (é)"]
    names = tallystick.score(gold, gold, ["BLEU(order=2)", "bleu", "rouge1"], by=tags).to_dict()
    assert [] == [name for name in names if not MLFLOW.fullmatch(name)]
    assert {"x_1/BLEU_order=2".replace("=", "_"), "y _é/rouge1"} <= {*names}


def test_equal_names_are_rejected():
    result = tallystick.score(GOLD, {"a:": ONE, "a?": OTHER}, "accuracy")
    with pytest.raises(UsageError, match="two scores are called 'a/accuracy'"):
        result.to_dict()


def test_a_model_card_lists_the_scores_of_a_system():
    result = tallystick.score(GOLD, {"bert": ONE}, "accuracy", intervals=False)
    text = result.to_model_index(task="text-classification", dataset="me/data", split="test")

    assert {
        "model-index": [
            {
                "name": "bert",
                "results": [
                    {
                        "task": {"type": "text-classification"},
                        "dataset": {"type": "me/data", "name": "me/data", "split": "test"},
                        "metrics": [
                            {
                                "type": "accuracy",
                                "value": 0.875,
                                "name": "Accuracy",
                                "args": {"n": 8},
                            }
                        ],
                    }
                ],
            }
        ]
    } == yaml.safe_load(text)


def test_an_evaluation_result_is_one_score_over_all_examples():
    result = tallystick.score(GOLD, ONE, ["accuracy", "f1"], by=list("xxxxyyyy"))
    (entry,) = yaml.safe_load(result.select(metric="f1").to_eval_result(dataset="cais/hle"))
    assert {"id": "cais/hle", "task_id": "default"} == entry["dataset"]
    assert (result["f1", "micro"], True) == (entry["value"], "f1, n = 8, 95%" in entry["notes"])


@pytest.mark.parametrize("name", ["to_model_index", "to_eval_result"])
def test_several_systems_have_no_card(name):
    result = tallystick.score(GOLD, {"a": ONE, "b": OTHER}, "accuracy", intervals=False)
    with pytest.raises(UsageError, match="a model card is about one system, not a, b"):
        getattr(result, name)(dataset="me/data", task="x")


def test_several_metrics_are_no_evaluation_result():
    result = tallystick.score(GOLD, ONE, ["accuracy", "f1"], intervals=False)
    with pytest.raises(UsageError, match="contains one score over all examples, not accuracy, f1"):
        result.to_eval_result(dataset="me/data")


@pytest.mark.peers
def test_the_package_of_the_hub_reads_what_is_written():
    from huggingface_hub import parse_eval_result_entries
    from huggingface_hub.repocard_data import model_index_to_eval_results

    result = tallystick.score(GOLD, {"bert": ONE}, ["accuracy", "f1"])
    card = yaml.safe_load(result.to_model_index(task="text-classification", dataset="me/data"))
    name, found = model_index_to_eval_results(card["model-index"])
    one = result.select(metric="f1").to_eval_result(dataset="me/data")
    (entry,) = parse_eval_result_entries(yaml.safe_load(one))

    assert ("bert", ["accuracy", "f1"]) == (name, [own.metric_type for own in found])
    assert ["me/data", result["f1"]] == [entry.dataset_id, entry.value]
