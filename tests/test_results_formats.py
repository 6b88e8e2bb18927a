"""What every result has: all formats, records, data frames, and control characters escaped."""

import copy
import json
import pickle
import re

import msgspec
import pytest
from msgspec.structs import replace

import tallystick
from gates import make_check
from places import place
from tallystick.cli import main
from tallystick.output.results.comparison import Comparison
from tallystick.output.results.evaluation import Evaluation
from tallystick.output.results.gate import Gate
from tallystick.output.results.other_results import Tuning
from tallystick.output.results.ranking import Ranking
from tallystick.output.results.scores import document_confusion, document_flips
from tallystick.output.tables.document import Style
from tallystick.output.tables.formats import FORMATS, render
from tallystick.results import Check, ConfusionMatrix, Difference, Flip, Score, Threshold

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
    "evaluation": "scores",
    "comparison": "differences",
    "ranking": "places",
    "gate": "checks",
    "tuning": "thresholds",
}
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


@pytest.mark.parametrize(
    ("name", "format", "digits", "words"),
    [
        *(
            (name, "lines", 4, r"'markdown', 'latex'\.$")
            for name in DOCUMENTS
            if name != "evaluation"
        ),
        ("evaluation", "xml", 4, r"no format 'xml'.*'latex', 'lines'\.$"),
        *((name, "table", -1, "number of digits is -1, expected 0 to 17") for name in DOCUMENTS),
    ],
)
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
    assert fields == list(RESULTS[name].to_pandas().columns)


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
    assert "holds the scores of one system; there are 2: a, b" in capsys.readouterr().err


@pytest.mark.parametrize("transfer", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
@pytest.mark.parametrize("name", RESULTS)
def test_results_are_copied_compared_and_hashed(name, transfer):
    result, same = RESULTS[name], msgspec.structs.replace(RESULTS[name])

    assert (str(result), result.to_json()) == (str(transfer(result)), transfer(result).to_json())
    assert (result, hash(result)) == (same, hash(same))
    assert result != msgspec.structs.replace(result, notes=("b",))
