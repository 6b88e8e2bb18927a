"""Questions and answers in the formats of SQuAD and MLQA, and JSON objects with ids as keys."""

import json
import random
from pathlib import Path

import pytest

import tallystick
from oracle import near
from tallystick import InputError, UsageError
from tallystick.cli import main
from tallystick.metrics import SQuADExactMatch, SQuADF1

WORDS = (
    *("the", "a", "Café", "dog", "—", "«cat»", "an", "der", "Hund", "las", "是", "天氣很好", "好"),
    *("El", "perro,", "của", "nhà", "الكتاب", "كتاب", "कुत्ता", "2016", "U.S.", "x。y", " ", "　"),
)


def draw_answers():
    """A data set and predictions in the forms of SQuAD, in several scripts."""
    drawn, articles, predictions = random.Random(1), [], {}

    def answer():
        return " ".join(drawn.choices(WORDS, k=drawn.randint(1, 4)))

    for article in range(4):
        paragraphs = []
        for place in range(3):
            questions = []
            for number in range(4):
                key = f"5{article}be{place}{number}"
                gold = [{"text": answer(), "answer_start": 0} for _ in range(drawn.randint(1, 3))]
                questions.append({"id": key, "question": "who?", "answers": gold})
                known = drawn.random() < 0.3
                predictions[key] = drawn.choice(gold)["text"] if known else answer()
            paragraphs.append({"context": "c", "qas": questions})
        articles.append({"title": f"t{article}", "paragraphs": paragraphs})
    return {"version": "1.0", "data": articles}, predictions


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder, **files):
    for name, rows in files.items():
        if isinstance(rows, list):
            text = "".join(f"{json.dumps(row)}\n" for row in rows)
            (folder / f"{name}.jsonl").write_text(text)
        else:
            (folder / f"{name}.json").write_text(json.dumps(rows, ensure_ascii=False))


def show(capsys, *words):
    code = main([*words, "--no-intervals", "--format", "json"])
    ended = capsys.readouterr()
    assert code == 0, ended.err
    return [one["value"] for one in json.loads(ended.out)["scores"]]


@pytest.mark.parametrize(
    ("language", "exact", "f1"),
    [
        ("en", 20.833333333333332, 29.73214285714286),
        ("es", 18.75, 32.60912698412698),
        ("hi", 18.75, 31.85515873015873),
        ("vi", 18.75, 32.202380952380956),
        ("de", 18.75, 32.85714285714286),
        ("ar", 18.75, 31.85515873015873),
        ("zh", 18.75, 31.906415343915345),
        ("en-zh", 18.75, 31.906415343915345),
        ("zh-CN", 18.75, 31.906415343915345),
    ],
)
def test_answers_of_a_language_have_the_values_of_mlqa_s_script(
    language, exact, f1, folder, capsys
):
    gold, predictions = draw_answers()
    write(folder, gold=gold, own=predictions)
    names = "squad_exact_match(version='1.1')", "squad_f1(version='1.1')"
    call = "score", "gold.json", "own.json", "-l", language, "-m", *names
    workers = ("--workers", "2") if language == "zh" else ()
    assert show(capsys, *call, *workers) == [near(exact / 100), near(f1 / 100)]


@pytest.mark.parametrize("metric", [SQuADF1, SQuADExactMatch])
def test_other_languages_have_no_rules_for_answers(metric):
    with pytest.raises(UsageError, match="has rules for ar, de, en"):
        metric(language="fr")
    with pytest.raises(UsageError, match="has rules for ar, de, en"):
        tallystick.score(["a"], ["a"], metric(), language="ja")


def test_a_language_changes_no_metric_that_names_its_own(capsys):
    gold, own = ["la casa"], ["casa"]
    found = tallystick.score(gold, own, [SQuADF1(language="en"), "squad_f1"], language="es")
    assert [one.value for one in found.scores] == [near(2 / 3), 1]


QUESTIONS = [("q1", ["The Broncos", "Broncos"]), ("q2", ["2016"]), ("q3", [])]
ANSWERS = {"q1": "Broncos team", "q2": "in 2016", "q3": ""}
SQUAD = {
    "version": "v2.0",
    "data": [
        {
            "title": "t",
            "paragraphs": [
                {
                    "context": "c",
                    "qas": [
                        {
                            "id": key,
                            "question": "?",
                            "is_impossible": not gold,
                            "plausible_answers": [{"text": "x", "answer_start": 1}],
                            "answers": [{"text": one, "answer_start": 0} for one in gold],
                        }
                        for key, gold in QUESTIONS
                    ],
                }
            ],
        }
    ],
}


@pytest.mark.parametrize(
    ("gold", "own"),
    [
        (SQUAD, ANSWERS),
        (SQUAD, {key: {"prediction_text": one} for key, one in ANSWERS.items()}),
        (SQUAD, [{"id": key, "prediction_text": one} for key, one in ANSWERS.items()]),
        ([{"id": key, "answers": {"text": gold}} for key, gold in QUESTIONS], ANSWERS),
        ([{"id": key, "answers": gold} for key, gold in QUESTIONS], ANSWERS),
        (dict(QUESTIONS), dict(reversed(ANSWERS.items()))),
    ],
)
def test_questions_without_answers_count_as_in_squad_2(gold, own, folder, capsys):
    write(folder, gold=gold, own=own)
    files = [next(map(str, folder.glob(f"{name}.*"))) for name in ("gold", "own")]
    call = "score", *files, "-m", "squad_f1", "squad_exact_match"
    assert show(capsys, *call) == [near(7 / 9), near(1 / 3)]


def test_a_data_set_of_squad_is_compared_by_title_and_by_answerability(folder, capsys):
    write(folder, gold=SQUAD, own=ANSWERS, other=ANSWERS)
    call = "gold.json", "own.json", "other.json", "-m", "squad_f1"
    assert main(["compare", *call, "--clusters", "title"]) == 0
    assert main(["rank", *call]) == 0
    capsys.readouterr()
    found = show(capsys, "score", *call[:2], *call[3:], "--by", "is_impossible")
    assert [near(2 / 3), 1] == found[:2]


def test_an_empty_list_is_no_reference_of_other_metrics():
    gold, own = [["a"], []], ["a", ""]
    assert tallystick.score(gold, own, "squad_f1").scores[0].value == 1
    assert SQuADF1()(own, gold) == 1
    for metrics in ("bleu", ["squad_f1", "bleu"]):
        with pytest.raises(InputError, match="there is no reference"):
            tallystick.score(gold, own, metrics)
    with pytest.raises(InputError, match="there is no reference"):
        tallystick.score([["a"], None], own, "squad_f1")


def hide_answers(data):
    text = json.dumps(data).replace('"answers"', '"hidden"').replace("true", "false")
    return json.loads(text)


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        (hide_answers(SQUAD), "question 'q1' has no key 'answers'"),
        ({"version": "1", "data": [{"paragraphs": 3}]}, "is no data set of SQuAD"),
        ({"data": [{"paragraphs": []}]}, "contains no examples"),
    ],
)
def test_data_sets_of_squad_without_answers_are_rejected(gold, message, folder, capsys):
    write(folder, gold=gold, own=ANSWERS)
    assert main(["score", "gold.json", "own.json", "-m", "squad_f1"]) == 4
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("gold", "own", "metric", "value"),
    [
        ({"q1": "Y", "q2": "N", "q3": "Y"}, {"q3": "Y", "q2": "Y", "q1": "Y"}, "accuracy", 2 / 3),
        ({"doc_a": "Y", "doc_b": "N"}, {"doc_a": "Y", "doc_b": "Y"}, "accuracy", 1 / 2),
        ({"1": {"label": "a"}, "2": {"label": "b"}}, {"2": "b", "1": "b"}, "accuracy", 1 / 2),
        ({"q1": ["A", "B"], "q2": ["B"]}, {"q2": ["B"], "q1": ["A"]}, "micro_f1", 4 / 5),
        ({"q1": 0.5, "q2": 1.5}, {"q1": 1.5, "q2": 1.5}, "mae", 1 / 2),
        ({f"q{i}": "Y" for i in range(9_000)}, {f"q{i}": "Y" for i in range(9_000)}, "mcc", None),
    ],
)
def test_a_json_object_with_ids_as_keys_is_rows(gold, own, metric, value, capsys):
    for indent in (None, 2):
        Path("gold.json").write_text(json.dumps(gold, indent=indent))
        Path("own.json").write_text(json.dumps(own, indent=indent))
        found = show(capsys, "score", "gold.json", "own.json", "-m", metric)
        assert found == [value if value is None else near(value)]
