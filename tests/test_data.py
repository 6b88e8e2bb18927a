"""Data that is laid out once answers every question as the one call does."""

import pandas as pd
import pytest

import tallystick
from tallystick.reading import layouts

FRAME = pd.DataFrame(
    {
        "answer": list("ababab") * 5,
        "gpt": list("aababb") * 5,
        "llama": list("bbaabb") * 5,
        "lang": ["en", "de"] * 15,
        "doc": [f"d{row // 3}" for row in range(30)],
        "comet": [0.5, 0.25] * 15,
    }
)
LAYOUT = {"systems": ["gpt", "llama"], "by": ["lang"], "clusters": "doc"}
NAMED = {**LAYOUT, "columns": tallystick.Columns(gold="answer")}
DATA = tallystick.read(FRAME, gold="answer", **LAYOUT)

QUESTIONS = {
    "score": {"segments": False},
    "compare": {"all_pairs": True},
    "rank": {"baselines": ["gpt"]},
    "plan": {"sizes": [60, 120]},
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_question_is_answered_as_in_one_call(question):
    options = QUESTIONS[question]
    once = getattr(tallystick, question)(FRAME, None, ["accuracy"], **NAMED, **options)

    assert once.to_json() == getattr(DATA, question)("accuracy", **options).to_json()


def test_gate_holds_a_system_against_another():
    once = tallystick.gate(
        FRAME,
        "llama",
        "gpt",
        "accuracy",
        max_drop=0.1,
        by="lang",
        clusters="doc",
        columns=tallystick.Columns(gold="answer"),
    )

    assert once.to_json() == DATA.gate("accuracy", against="gpt", max_drop=0.1).to_json()
    assert once.to_json() == DATA.gate(against="gpt", max_drop={"accuracy": 0.1}).to_json()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"against": "bert", "floor": 0.5}, "there is no system 'bert', only gpt, llama"),
        ({"floor": 0.5}, "name the system that is put to the test with new: gpt, llama"),
    ],
)
def test_gate_of_no_system_is_told(options, message):
    with pytest.raises(tallystick.UsageError, match=message):
        DATA.gate("accuracy", **options)


def test_saved_counts_are_scored_alike(tmp_path):
    DATA.save(tmp_path / "counts.tally", "accuracy")
    loaded = tallystick.load(tmp_path / "counts.tally")

    expected = [(one.system, one.group, one.value) for one in DATA.score("accuracy").scores]
    assert expected == [
        (one.system, one.group, one.value) for one in tallystick.score(loaded).scores
    ]


def test_second_question_reads_nothing(monkeypatch):
    data = tallystick.read(FRAME, gold="answer", **LAYOUT)
    data.score("accuracy")
    monkeypatch.setattr(layouts, "from_arrow", lambda *_: pytest.fail("read again"))

    assert data.compare("macro_f1").differences
    assert data.rank("accuracy").places


def test_keywords_name_columns_and_the_task():
    plain = {"systems": ["gpt"], "intervals": False}
    known = {"columns": tallystick.Columns(gold="answer"), "task": tallystick.Task(positive="b")}
    once = tallystick.score(FRAME, None, "f1", **known, **plain)

    assert once == tallystick.score(FRAME, None, "f1", gold="answer", positive="b", **plain)


def test_gold_may_be_named():
    named = tallystick.score(gold=["a", "b"], outputs=["a", "a"], metrics="accuracy")

    assert 0.5 == named.scores[0].value


def test_task_without_labels_has_no_positive_one():
    with pytest.raises(tallystick.UsageError, match="a spans task has no positive"):
        tallystick.score(FRAME, None, "span_f1", gold="answer", task="spans", positive="b")


def test_wrong_keyword_tells_the_nearest():
    with pytest.raises(TypeError, match=r"there is no keyword 'system'; did you mean 'systems'\?"):
        tallystick.score(FRAME, None, "accuracy", system=["gpt"])


def test_data_shows_what_was_read():
    expected = "Data(30 examples of gpt, llama; by lang: de, en; multiclass with labels a, b)"

    assert expected == repr(DATA)
    assert f"{expected[:-1]}; for accuracy, f1)".replace("Data", "Counted") == repr(
        DATA.count(["accuracy", "f1"])
    ).replace("macro_f1", "f1")


def test_counts_of_many_labels_show_some():
    gold = [f"label{place:02}" for place in range(12)]
    shown = repr(tallystick.count(gold, gold, "accuracy"))

    assert shown.endswith("label08, label09 and 2 more; for accuracy)")


def test_name_of_a_column_is_its_mean():
    (score,) = tallystick.score(FRAME, None, "comet").scores

    assert ("mean(comet)", 0.375) == (score.name, score.value)


def test_few_names_are_listed():
    assert 28 == len(dir(tallystick))
    assert tallystick.results.Ranking.__name__ == "Ranking"
