"""Data that was read as something else, or scored in silence: the right value, or an error."""

import json
import math

import krippendorff
import numpy as np
import pandas as pd
import pytest
import sacrebleu
import seqeval.metrics
from sklearn import metrics as sk

import tallystick
from cases import cases
from faults import call, refuse, write
from rated_tables import as_table, draw_table
from tallystick.errors import InputError, TallystickError
from tallystick.io.files.datasets import name_files

pytestmark = pytest.mark.usefixtures("folder")


def scores(*arguments):
    outcome = call("score", *arguments, "--no-intervals", "--format", "json")
    assert 0 == outcome.code, outcome.err
    return {one["name"]: one["value"] for one in json.loads(outcome.out)["scores"]}


@cases("groups", ["a"] * 4, ["a", "a", "a", "a"])
@cases(
    "metric value",
    ("gap(accuracy)", 0),
    ("std(accuracy)", 0),
    ("ratio_between(accuracy)", 1),
    ("demographic_parity_difference", 0),
    ("demographic_parity_ratio", 1),
    ("equalized_odds_difference", 0),
    ("equalized_odds_ratio", 1),
)
def test_a_single_group_is_equal_to_itself(metric, value, groups):
    score = tallystick.score([1, 1, 0, 0], [1, 0, 1, 0], metric, by=groups).scores[-1]
    assert (value, value, value) == (score.value, score.low, score.high)


@cases("command", "score", "compare", "rank", "gate")
@cases("metric", "gap(f1)", "std(f1)", "worst(f1)", "equalized_odds_ratio")
def test_a_single_group_goes_through_every_command(command, metric):
    write({"t.csv": "y_true,a,b,g\n" + "1,1,1,x\n0,1,0,x\n1,0,1,x\n0,0,1,x\n" * 2})
    gate = ("--against", "b", "--max-drop", "0.5") if command == "gate" else ()
    systems = ("--systems", "a") if command == "score" else ("--systems", "a", "b")
    outcome = call(command, "t.csv", *systems, *gate, "--by", "g", "-m", metric)
    assert outcome.code in (0, 1, 3), outcome.err
    assert "Traceback" not in outcome.err


@cases("metric", "equalized_odds_ratio", "ratio_between(recall, fpr)", "ratio_between(fpr, recall)")
def test_an_undefined_part_makes_a_comparison_of_groups_undefined(metric):
    gold, predicted = [1, 1, 1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0, 0, 1]
    score = tallystick.score(gold, predicted, metric, by=list("aabbaabb")).scores[-1]
    assert math.isnan(score.value)


_GRADES = {"id": ["1", "2"], "found": [["d1", "d2"], ["x"]]}


@cases(
    "relevant grades",
    ([{"d2": 0.9, "d1": 0.5}, {"x": 1}], [0.5, 0.9]),
    ([{"d2": 0.9}, {"x": 0.3}], [0, 0.9]),
    ([{"d2": 1.5, "d1": 0.5}, {"x": 1}], [0.5, 1.5]),
    ([[["d2", 1.5], ["d1", 0.5]], [["x", 1]]], [0.5, 1.5]),
    ([[{"doc_id": "d2", "grade": 1.5}, {"doc_id": "d1", "grade": 0.5}], ["x"]], [0.5, 1.5]),
)
def test_grades_in_lists_and_objects_are_real_numbers(relevant, grades):
    rows = [
        json.dumps({"id": name, "relevant": own, "found": found})
        for name, own, found in zip(_GRADES["id"], relevant, _GRADES["found"], strict=True)
    ]
    write({"t.jsonl": "\n".join(rows), "t.json": f"[{','.join(rows)}]"})
    ndcg = (sk.ndcg_score([grades], [[2, 1]]) + 1) / 2
    for name in ("t.jsonl", "t.json"):
        columns = ("--gold-column", "relevant", "--predicted-column", "found")
        assert scores(name, *columns, "-m", "nDCG@10") == {"nDCG@10": pytest.approx(ndcg)}


_QRELS = [("q1", "d2", 1.5), ("q1", "d1", 0.5), ("q2", "x", 1.0)]
_RUN = [("q1", "d1", 2.0), ("q1", "d2", 1.0), ("q2", "x", 3.0)]


def _nest(rows):
    nested = {}
    for query, document, number in rows:
        nested.setdefault(query, {})[document] = number
    return nested


def _write_rankings(form):
    names = ["query_id", "doc_id"]
    if form == "trec":
        write({"q.trec": "".join(f"{q} 0 {d} {n}\n" for q, d, n in _QRELS)})
        write({"r.trec": "".join(f"{q} Q0 {d} 1 {n} r\n" for q, d, n in _RUN)})
    elif form == "json":
        write({"q.json": json.dumps(_nest(_QRELS)), "r.json": json.dumps(_nest(_RUN))})
    else:
        for name, rows, number in (("q", _QRELS, "relevance"), ("r", _RUN, "score")):
            frame = pd.DataFrame(rows, columns=[*names, number])
            if form == "parquet":
                frame.to_parquet(f"{name}.parquet")
            else:
                frame.to_csv(f"{name}.{form}", sep="\t" if form == "tsv" else ",", index=False)
    return f"q.{form}", f"r.{form}"


@cases("form", "trec", "json", "csv", "tsv", "parquet")
def test_grades_in_qrels_are_real_numbers(form):
    found = scores(*_write_rankings(form), "-m", "nDCG@10", "RR(rel=0.5)", "RR(rel=1.5)", "P@1")
    assert {
        "nDCG@10": pytest.approx((sk.ndcg_score([[0.5, 1.5]], [[2, 1]]) + 1) / 2),
        "RR(rel=0.5)": 1,
        "RR(rel=1.5)": 0.25,
        "P@1": 0.5,
    } == found


def test_grades_below_the_level_are_counted_in_a_note():
    result = tallystick.score(_nest(_QRELS), _nest(_RUN), "RR")
    assert any("1 of 3 grades are between 0 and 1" in note for note in result.notes)


@cases("level value", ("0.5", 1), ("1", 0.75), ("1.5", 0.25))
def test_the_level_may_be_a_fraction(level, value):
    assert [value] == list(scores(*_write_rankings("trec"), "-m", f"RR(rel={level})").values())


@cases("grade", float("inf"), -1e99, float("nan"))
def test_grades_that_are_no_ordinary_numbers_are_rejected(grade):
    with pytest.raises(TallystickError):
        tallystick.score({"q1": {"d1": grade}}, {"q1": {"d1": 1}}, "nDCG")


def test_weights_of_confidences_are_rejected_by_name():
    frame = pd.DataFrame(
        {"y_true": ["a", "b"], "prob_a": [0.9, 0.2], "prob_b": [0.1, 0.8], "w": [1.0, 2.0]}
    )
    with pytest.raises(TallystickError, match="metrics of confidence cannot be weighted"):
        tallystick.score(frame, metrics="top_label_ece", weights="w")


_ORDER = [2, 0, 3, 1]
_TRUTH = pd.Series(["a", "b", "b", "a"], name="y_true")
_SAME = _TRUTH.loc[_ORDER].rename("y_pred")
_NUMBERS = pd.Series([1.0, 2.0, 3.0, 4.0])
_GROUPS = pd.Series(["x", "y", "y", "x"])
_WORDS = pd.Series(["a b", "c d", "e f", "g h"])


def _reorder(values):
    return values.loc[_ORDER]


@cases(
    "gold outputs metric value",
    (_TRUTH, _SAME, "accuracy", 1),
    (_SAME, _TRUTH, "accuracy", 1),
    (_TRUTH, {"m": _SAME}, "accuracy", 1),
    (_TRUTH, {"m": _TRUTH, "n": _SAME}, "accuracy", 1),
    (_TRUTH.to_frame(), _SAME.to_frame(), "accuracy", 1),
    (_TRUTH.to_frame(), _SAME, "accuracy", 1),
    (_TRUTH.to_frame(), {"m": _SAME}, "accuracy", 1),
    (_TRUTH, tallystick.Predictions(_SAME), "accuracy", 1),
    (list(_TRUTH), {"m": _TRUTH, "n": _SAME}, "accuracy", 1),
    (_TRUTH.set_axis(list("wxyz")), _SAME.set_axis(list("ywzx")), "accuracy", 1),
    (_NUMBERS, _reorder(_NUMBERS), "mae", 0),
    (_WORDS, _reorder(_WORDS), "wer", 0),
    (_TRUTH.astype("category"), _SAME.astype("category"), "accuracy", 1),
)
def test_pandas_objects_are_paired_by_their_index(gold, outputs, metric, value):
    result = tallystick.score(gold, outputs, metric, intervals=False)
    assert [value] * len(result.scores) == [one.value for one in result.scores]
    assert any("paired with the gold by their pandas index" in note for note in result.notes)


@cases(
    "gold outputs value",
    (_TRUTH, list(_SAME), 0),
    (list(_TRUTH), _SAME, 0),
    (_TRUTH, _SAME.to_numpy(), 0),
    (_TRUTH, _SAME.reset_index(drop=True), 0),
    (_TRUTH.set_axis([7, 7, 7, 7]), _TRUTH.set_axis([7, 7, 7, 7]), 1),
    (_TRUTH, _TRUTH.set_axis([0.0, 1.0, 2.0, 3.0]), 1),
)
def test_equal_indexes_and_lists_are_paired_by_position(gold, outputs, value):
    result = tallystick.score(gold, outputs, "accuracy", intervals=False)
    assert value == result["accuracy"]
    assert not any("pandas index" in note for note in result.notes)


@cases(
    "outputs",
    _TRUTH.set_axis([1, 2, 3, 4]),
    _TRUTH.set_axis(list("wxyz")),
    _TRUTH.set_axis([0, 1, 2, 2]),
    {"m": _TRUTH, "n": _TRUTH.set_axis([4, 3, 2, 1])},
    tallystick.Predictions(_TRUTH.set_axis([1, 2, 3, 4])),
)
@cases("gold", _TRUTH, _TRUTH.to_frame())
def test_pandas_indexes_that_differ_are_rejected(gold, outputs):
    with pytest.raises(InputError, match=r"its pandas index differs from that of gold.*to_numpy"):
        tallystick.score(gold, outputs, "accuracy")


@cases("policy", "error", "wrong")
def test_columns_beside_examples_are_paired_by_their_index(policy):
    predicted = ["a", "a", "a", "a"]
    weights = pd.Series([1.0, 2.0, 3.0, 4.0])

    def score(order):
        result = tallystick.score(
            _TRUTH,
            predicted,
            "accuracy",
            by=_GROUPS.loc[order],
            weights=weights.loc[order],
            clusters=_GROUPS.loc[order],
            missing=policy,
        )
        return [(one.group, one.value) for one in result.scores]

    expected = score([0, 1, 2, 3])
    for order in (_ORDER, [3, 2, 1, 0], [1, 0, 2, 3]):
        assert expected == score(order)


@cases("name", "by", "weights", "clusters")
def test_columns_beside_examples_with_another_index_are_rejected(name):
    beside = pd.Series([1, 2, 3, 4], index=[5, 6, 7, 8])
    with pytest.raises(InputError, match=f"{name}: its pandas index differs from that of gold"):
        tallystick.score(_TRUTH, list(_TRUTH), "accuracy", **{name: beside})


@cases(
    "ask",
    lambda: tallystick.compare(_TRUTH, {"a": _SAME, "b": _SAME}, "accuracy").scores,
    lambda: tallystick.rank(_TRUTH, {"a": _SAME, "b": _TRUTH}, "accuracy").places,
    lambda: tallystick.read(_TRUTH, _SAME).score("accuracy").scores,
    lambda: tallystick.score(tallystick.count(_TRUTH, _SAME, "accuracy")).scores,
)
def test_every_question_pairs_by_the_index(ask):
    assert {1} == {one.value for one in ask()}


def test_a_system_with_another_index_is_rejected_by_rank():
    ranking = tallystick.rank(_TRUTH, {"a": _SAME, "b": _TRUTH.set_axis([9, 8, 7, 6])}, "accuracy")
    assert ["b"] == [one.system for one in ranking.rejected]


def test_frames_with_ids_are_joined_by_id_whatever_their_index():
    gold = pd.DataFrame({"id": [1, 2, 3], "y_true": list("abc")})
    own = pd.DataFrame({"id": [3, 1, 2], "y_pred": list("cab")}, index=[7, 8, 9])
    assert 1 == tallystick.score(gold, own, "accuracy")["accuracy"]


def test_thresholds_are_tuned_on_pairs_by_index():
    gold, sure = pd.Series([0, 0, 1, 1]), pd.Series([0.1, 0.2, 0.8, 0.9])
    assert str(tallystick.tune_threshold(gold, sure)) == str(
        tallystick.tune_threshold(gold, _reorder(sure))
    )


def _write_table(name, rows):
    frame = pd.DataFrame(rows)
    if name.endswith("jsonl"):
        frame.to_json(name, orient="records", lines=True)
    elif name.endswith("parquet"):
        frame.to_parquet(name)
    else:
        frame.to_csv(name, sep="\t" if name.endswith("tsv") else ",", index=False)


_FORMS = ("csv", "tsv", "jsonl", "parquet")
_SPELLED = ["NA", "nan", "NaN", "None", "null", "NULL", "N/A", "n/a", "#N/A", "<NA>", " ", "-nan"]


@cases("spelled", *_SPELLED)
@cases("form", *_FORMS)
def test_spellings_of_missing_ratings_are_no_ratings(form, spelled):
    rated = [("1", "1", spelled), ("1", "1", "1"), ("2", spelled, "2"), ("2", "1", "2")]
    wide = [{"id": i, "a": a, "b": b, "c": c} for i, (a, b, c) in enumerate(rated)]
    long = [
        {"id": row["id"], "who": who, "rating": row[who]} for row in wide for who in ("a", "b", "c")
    ]
    matrix = [[np.nan if row[who] == spelled else float(row[who]) for row in wide] for who in "abc"]
    expected = {
        "krippendorff_alpha": pytest.approx(
            krippendorff.alpha(matrix, level_of_measurement="nominal")
        )
    }
    _write_table(f"wide.{form}", wide)
    _write_table(f"long.{form}", long)
    assert expected == scores(
        f"wide.{form}", "--annotators", "a", "b", "c", "-m", "krippendorff_alpha"
    )
    columns = ("--annotators", "who", "--gold-column", "rating", "--id-column", "id")
    assert expected == scores(f"long.{form}", *columns, "-m", "krippendorff_alpha")
    frame = tallystick.score(
        pd.DataFrame(wide), annotators=["a", "b", "c"], metrics="krippendorff_alpha"
    )
    assert expected["krippendorff_alpha"] == frame.scores[0].value
    assert f"counted as missing ratings: {spelled!r} (2)." in frame.notes


@cases("mark", ".", "*", "?", "_", "/")
def test_punctuation_as_a_rating_is_warned_about(mark):
    frame = pd.DataFrame({"id": [1, 2, 3], "a": [mark, "x", "y"], "b": ["x", "x", "y"]})
    result = tallystick.score(frame, annotators=["a", "b"], metrics="krippendorff_alpha")
    assert any(f"counted as ratings: {mark!r} (1)" in note for note in result.notes)


@cases("ratings", ["+", "-", "+"], ["none", "mild", "none"], ["1", "-1", "0"])
def test_ordinary_ratings_are_not_warned_about(ratings):
    frame = pd.DataFrame({"id": [1, 2, 3], "a": ratings, "b": ratings})
    result = tallystick.score(frame, annotators=["a", "b"], metrics="krippendorff_alpha")
    assert not any("counted as" in note for note in result.notes)


@cases("spelled", "NA", "nan", "None", "null", "N/A", "#N/A", "<NA>")
@cases("form", *_FORMS)
@cases("column", "y_true", "y_pred")
def test_spellings_of_missing_numbers_are_errors_that_policies_treat(column, form, spelled):
    rows = [{"id": i, "y_true": f"{i}", "y_pred": f"{i + 1}"} for i in range(4)]
    rows[2][column] = spelled
    _write_table(f"t.{form}", rows)
    outcome = call("score", f"t.{form}", "-m", "mae")
    assert 4 == outcome.code
    if column == "y_pred":
        assert "missing" in outcome.error or "nan" in outcome.error
        assert scores(f"t.{form}", "-m", "mae", "--missing", "exclude") == {"mae": 1}


@cases("spelled", "NA", "nan", "None", "null", "#N/A")
@cases("form", *_FORMS)
def test_spellings_that_only_outputs_have_are_labels_with_a_warning(form, spelled):
    rows = [("a", "a"), ("b", spelled), ("b", "b"), ("a", spelled)]
    _write_table(f"t.{form}", [{"y_true": gold, "y_pred": own} for gold, own in rows])
    outcome = call("score", f"t.{form}", "-m", "accuracy", "--format", "csv", "--no-intervals")
    assert "t,4,0.5" in outcome.out
    assert f"{spelled!r} looks like a missing value and is scored as any label" in outcome.err


def test_labels_that_gold_has_are_not_warned_about():
    result = tallystick.score(["None", "NA", "a"], ["None", "NA", "a"], "accuracy")
    assert 1 == result["accuracy"]
    assert not any("missing" in note for note in result.notes)


@cases("spelled", "NA", "nan", "None")
def test_groups_spelled_as_missing_are_groups_with_a_warning(spelled):
    result = tallystick.score(
        [1, 1, 0, 0], [1, 0, 0, 0], "accuracy", by=["x", spelled, spelled, "x"]
    )
    assert {"x": 1, spelled: 0.5}.items() <= {one.group: one.value for one in result.scores}.items()
    assert any(f"{spelled!r} looks like a missing value" in note for note in result.notes)


@cases("spelled", "NA", "nan", "None", "null", "<NA>")
def test_texts_spelled_as_missing_are_texts_with_a_warning(spelled):
    write({"r.txt": "a b\nNone\nc d\n", "h.txt": f"a b\nNone\n{spelled}\n"})
    outcome = call("score", "r.txt", "h.txt", "-m", "wer", "--format", "csv", "--no-intervals")
    assert outcome.out.splitlines()[-1] == "h,3,0.4"
    assert "only a word such as 'None' or 'nan', scored as texts: 1." in outcome.err


_HINDI = "\u092f\u0939 \u090f\u0915 \u0905\u091a\u094d\u091b\u093e \u0926\u093f\u0928 \u0939\u0948"
_RUSSIAN = "\u044d\u0442\u043e \u0445\u043e\u0440\u043e\u0448\u0438\u0439 \u0434\u0435\u043d\u044c"
_GREEK = "\u03b1\u03c5\u03c4\u03cc \u03b5\u03af\u03bd\u03b1\u03b9"
_ARABIC = "\u0647\u0630\u0627 \u064a\u0648\u0645"
_CHINESE = "\u4eca\u5929\u662f\u597d\u5929\u6c14"
_GERMAN = "Der Bär über der Brücke schläft nicht, weil die Nacht noch jung und warm ist"


@cases("text", _HINDI, _RUSSIAN, _GREEK, _ARABIC, _CHINESE, f"{_RUSSIAN} and")
@cases("metric", "rouge1", "rougeL", "rougeLsum_recall", "rouge2")
def test_letters_that_rouge_drops_are_counted_in_a_warning(metric, text):
    result = tallystick.score([text], [text], metric, intervals=False)
    assert any("of the letters of these texts are ignored by rouge" in one for one in result.notes)


@cases(
    "text metric",
    (_GERMAN, "rouge1"),
    ("plain English", "rougeL"),
    (_HINDI, "ROUGE('1', tokenizer='words')"),
    (_RUSSIAN, "ROUGE('L', tokenizer='whitespace')"),
    (_RUSSIAN, "bleu"),
)
def test_texts_whose_letters_count_are_not_warned_about(text, metric):
    result = tallystick.score([text] * 2, [text] * 2, metric, intervals=False)
    assert 1 == result.scores[0].value or metric == "bleu"
    assert not any("letters of these texts" in note for note in result.notes)


@cases("metric", "WER(normalize='whisper')", "CER(normalize='whisper')")
@cases("text message", (_HINDI, True), (_RUSSIAN, False), (_GERMAN, False))
def test_marks_that_whispers_normaliser_deletes_are_warned_about(metric, text, message):
    result = tallystick.score([text], [text], metric, intervals=False)
    assert message == any("deletes vowel signs" in note for note in result.notes)


def test_squad_f1_of_texts_without_spaces_is_warned_about():
    for language, warned in ((None, True), ("zh", False)):
        result = tallystick.score([_CHINESE], [_CHINESE[:3]], "squad_f1", language=language)
        assert warned == any("splits words at spaces" in note for note in result.notes)


_NAMES = ["O", "B-PER", "I-PER", "B-ORG", "I-ORG", "B-LOC", "I-LOC"]
_TAGS = [[3, 0, 5], [1, 2], [0, 0, 0, 1], [5, 6, 0]]
_OWN_TAGS = [[3, 0, 0], [1, 2], [0, 1, 0, 1], [5, 0, 0]]


def _name(rows):
    return [[_NAMES[tag] for tag in row] for row in rows]


_SEQEVAL = pytest.approx(seqeval.metrics.f1_score(_name(_TAGS), _name(_OWN_TAGS)))


@cases("form", "jsonl", "parquet", "json")
@cases("column", "ner_tags", "tags", "labels")
@cases("tokens", True, False)
def test_numbers_of_tags_need_their_names(tokens, column, form):
    for name, tags in (("g", _TAGS), ("p", _OWN_TAGS)):
        rows = [{"id": str(at), column: own} for at, own in enumerate(tags)]
        for row, own in zip(rows, _TAGS if tokens else (), strict=False):
            row["tokens"] = [f"w{at}" for at in range(len(own))]
        if form == "json":
            write({f"{name}.json": json.dumps(rows)})
        else:
            _write_table(f"{name}.{form}", rows)
    files = (f"g.{form}", f"p.{form}", "-m", "span_f1")
    refuse("--tag-names O B-PER I-PER", "score", *files)
    assert _SEQEVAL == scores(*files, "--tag-names", *_NAMES)["micro_span_f1"]


@cases(
    "gold own",
    (_TAGS, _OWN_TAGS),
    (_name(_TAGS), _OWN_TAGS),
    (_TAGS, _name(_OWN_TAGS)),
    (_name(_TAGS), _name(_OWN_TAGS)),
)
def test_numbers_of_tags_in_memory_need_their_names(gold, own):
    named = tallystick.score(gold, own, "span_f1", tag_names=_NAMES, intervals=False)
    assert _SEQEVAL == named.scores[0].value
    if not isinstance(gold[0][0], str) or not isinstance(own[0][0], str):
        with pytest.raises(InputError, match="tag_names"):
            tallystick.score(gold, own, "span_f1")


@cases(
    "gold own",
    ([[1, 2, 2, 0]], [[2, 1, 0, 0]]),
    ([[1, 2, 0, 0, 3]], [[1, 0, 0, 0, 3]]),
    ([[3, 0, 7]], [[3]]),
)
def test_numbers_that_repeat_or_fall_are_no_characters(gold, own):
    with pytest.raises(InputError, match="look like the numbers of tags"):
        tallystick.score(gold, own, "span_f1")


@cases("gold", [[0, 1, 2, 7, 8, 9]], [[9, 8, 7, 2, 1, 0]], [[], [4, 5, 6]])
def test_characters_of_spans_are_still_read(gold):
    assert 1 == tallystick.score(gold, gold, "span_f1", intervals=False).scores[0].value


@cases("tag", -100, 7, 1000)
def test_numbers_without_a_name_are_rejected(tag):
    with pytest.raises(InputError, match="is not one of the 7 tags"):
        tallystick.score([[1, tag]], [[1, 2]], "span_f1", tag_names=_NAMES)


_IO = [
    (["ORG", "ORG", "O", "PER", "PER"], ["O", "O", "O", "PER", "PER"]),
    (["LOCATION", "LOCATION", "O", "TIME"], ["O", "O", "O", "TIME"]),
    (["PER", "PER", "ORG", "O"], ["PER", "ORG", "ORG", "O"]),
    (["LOC", "O", "LOC", "EVENT"], ["LOC", "O", "O", "EVENT"]),
    (["BIRD", "O", "SNAKE"], ["BIRD", "BIRD", "SNAKE"]),
    (["T", "O", "T", "D"], ["T", "T", "T", "D"]),
]


@cases("gold own", *_IO)
@cases("form", "list", "conll", "jsonl")
def test_tags_without_prefixes_are_read_as_io(form, gold, own):
    sides = [["O" if tag == "O" else f"I-{tag}" for tag in side] for side in (gold, own)]
    expected = pytest.approx(seqeval.metrics.f1_score(*([side] for side in sides)))
    if form == "list":
        result = tallystick.score([gold], [own], "span_f1", intervals=False)
        assert expected == result.scores[0].value
        assert any("have no prefix and are read as IO" in note for note in result.notes)
        return
    if form == "conll":
        write({"t.conll": "".join(f"w\t{a}\t{b}\n" for a, b in zip(gold, own, strict=True)) + "\n"})
        assert expected == scores("t.conll", "-m", "span_f1")["micro_span_f1"]
        return
    _write_table("t.jsonl", [{"tags": gold, "predicted_tags": own}])
    assert expected == scores("t.jsonl", "-m", "span_f1")["micro_span_f1"]


@cases("gold own", (["B-PER", "O"], ["PER", "O"]), (["PER", "O"], ["I-PER", "O"]))
def test_sides_may_differ_in_prefixes(gold, own):
    assert 1 == tallystick.score([gold], [own], "span_f1", intervals=False).scores[0].value


@cases("scheme", "iob2", "bioes", "bilou")
def test_tags_without_prefixes_are_of_no_scheme(scheme):
    with pytest.raises(InputError, match="is not a tag of"):
        tallystick.score([["LOC", "O"]], [["LOC", "O"]], "span_f1", scheme=scheme)


def test_parts_of_speech_are_no_spans():
    with pytest.raises(InputError, match="is not a tag"):
        tallystick.score([["NOUN", "VERB"]], [["NOUN", "VERB"]], "span_f1")


@cases("seed", *range(3))
@cases("names", lambda at: f"doc{97 * (at + 1) % 101}", lambda at: -at, str)
@cases("clusters", None, "doc")
def test_random_permutations_depend_on_neither_clusters_nor_names(seed, names, clusters):
    people, own = draw_table(seed, "none")
    table = as_table(people, m=own).to_pandas()
    renamed = table.assign(item=table.item.map(names), doc=table.item.map(lambda at: f"d{at % 5}"))
    values = [
        tallystick.score(
            frame,
            systems=["m"],
            id="item",
            rated="system",
            gold="human",
            clusters=used,
            metrics="soft_pairwise_accuracy(permutations=200)",
            intervals=False,
        )
        .scores[0]
        .value
        for frame, used in ((table, None), (renamed, clusters))
    ]
    assert values[0] == values[1]


@cases("form", "lines", "jsonl", "list")
def test_segments_are_scored_with_effective_order(form):
    gold, own = [
        ["a b c", "one two three four five", "x y z w"],
        ["a b c", "one two four three", "x y"],
    ]
    expected = [
        pytest.approx(sacrebleu.sentence_bleu(hyp, [ref]).score)
        for ref, hyp in zip(gold, own, strict=True)
    ]
    if form == "list":
        result = tallystick.score(gold, own, "bleu", segments=True)
        assert expected == [one.value for one in result.scores]
        return
    if form == "lines":
        write({"r.txt": "\n".join(gold), "h.txt": "\n".join(own)})
        files = ("r.txt", "h.txt")
    else:
        rows = zip(gold, own, strict=True)
        _write_table("t.jsonl", [{"reference": ref, "hypothesis": hyp} for ref, hyp in rows])
        files = ("t.jsonl",)
    outcome = call("score", *files, "-m", "bleu", "--segments", "--format", "json")
    assert expected == [one["value"] for one in json.loads(outcome.out)["scores"]]


def test_an_exact_match_is_no_worst_example():
    gold, own = ["a b c", "d e f g"], ["a b c", "d e f h"]
    result = tallystick.compare(gold, {"a": own, "b": gold}, "bleu")
    assert ["2"] == [one.example for one in result.flips("a", "b")]


def test_the_whole_corpus_is_scored_without_effective_order():
    assert 0 == tallystick.score(["a b c"], ["a b c"], "bleu", intervals=False)["bleu"]


@cases(
    "files names",
    (["ONLINE-A.txt", "ONLINE-B.txt"], ["ONLINE-A", "ONLINE-B"]),
    (["de-en.ONLINE-A.txt", "de-en.ONLINE-B.txt"], ["ONLINE-A", "ONLINE-B"]),
    (["run_a.csv", "run_b.csv"], ["run_a", "run_b"]),
    (["pred_bert.csv", "pred_gpt.csv"], ["bert", "gpt"]),
    (["x/pred_bert.csv", "y/pred_bert.csv"], ["x", "y"]),
    (["a.csv", "b.csv"], ["a", "b"]),
    (["sys-A.en-de.txt", "sys-B.en-de.txt"], ["sys-A", "sys-B"]),
)
def test_shared_beginnings_are_cut_where_names_stay_telling(files, names):
    assert names == name_files(files)


@pytest.mark.usefixtures("shared_workers")
def test_workers_see_the_texts_that_were_simplified():
    rows = [
        (1, "the big cat sat", "the cat sat", "a cat sat"),
        (2, "he ate an enormous meal", "he ate a big meal", "he ate a meal"),
    ] * 3
    names = ("n", "source", "reference", "hypothesis")
    _write_table("t.csv", [dict(zip(names, row, strict=True)) for row in rows])
    assert scores("t.csv", "-m", "sari") == scores("t.csv", "-m", "sari", "--workers", "2")


@cases("form", *_FORMS)
def test_one_table_needs_no_join_by_id(form):
    rows = [(1, "a", "a", "en"), (2, "b", "b", "en"), (1, "a", "b", "de"), (2, "b", "b", "de")]
    table = [dict(zip(("id", "y_true", "y_pred", "lang"), row, strict=True)) for row in rows]
    _write_table(f"t.{form}", table)
    assert {"accuracy": 0.75} == scores(f"t.{form}", "-m", "accuracy")
    assert 0.75 == tallystick.score(pd.DataFrame(table), metrics="accuracy")["accuracy"]


@cases("column", "model", "system", "Team")
def test_one_table_of_several_systems_still_asks_for_their_column(column):
    frame = pd.DataFrame(
        {"id": [1, 1], "y_true": ["a", "a"], "y_pred": ["a", "b"], column: ["m", "n"]}
    )
    with pytest.raises(InputError, match="more than once"):
        tallystick.score(frame, metrics="accuracy")


def test_two_tables_with_repeated_ids_are_rejected():
    gold = pd.DataFrame({"id": [1, 1], "y_true": ["a", "b"]})
    with pytest.raises(InputError, match="more than once"):
        tallystick.score(gold, gold.rename(columns={"y_true": "y_pred"}), "accuracy")


@cases("systems", 2, 3)
def test_closing_sentences_name_the_groups_that_differ(systems):
    gold, groups = [1] * 120, (["en", "de", "fr"] * 40)
    first = [int(not (group == "en" and at < 90)) for at, group in enumerate(groups)]
    second = [int(not (group == "de" and at < 90)) for at, group in enumerate(groups)]
    outputs = {"a": first, "b": second, "c": second}
    found = tallystick.compare(
        gold,
        {name: outputs[name] for name in "abc"[:systems]},
        "accuracy",
        by=groups,
        task=tallystick.Task("binary", positive=1, labels=(0, 1)),
    )
    message = " ".join(found.document().sentences)
    assert "b is significantly better than a on accuracy in en by 0.750 [" in message
    assert "a is significantly better than b on accuracy in de by 0.750 [" in message
    assert " in fr" not in message


@cases("dtype", "float16", "float32", "float64")
@cases("rows", 1, 2, 40)
@cases("command", "score", "compare", "rank")
def test_numbers_of_any_width_are_scored_without_a_warning(command, rows, dtype):
    gold, own = np.random.default_rng(rows).normal(size=(2, rows)).astype(dtype)
    metrics = ["mae", "rmse", "pearson", "mean", "quantile"] if rows > 2 else ["mae", "rmse"]
    if command == "score":
        pd.DataFrame({"y_true": gold, "y_pred": own}).to_parquet("t.parquet")
        assert 0 == call("score", "t.parquet", "-m", "mae", "mean(y_pred)").code
    else:
        getattr(tallystick, command)(gold, {"a": own, "b": gold}, metrics[:3])


@cases("battles systems groups", (2, 2, 2), (30, 5, 10))
@cases("metric", "win_rate", "bradley_terry")
@cases("command", "score", "rank")
def test_battles_of_small_groups_are_scored_without_a_warning(
    command, metric, battles, systems, groups
):
    random = np.random.default_rng(battles)
    one = random.integers(0, systems, battles)
    other = (one + 1 + random.integers(0, systems - 1, battles)) % systems
    frame = pd.DataFrame(
        {
            "model_a": [f"s{at}" for at in one],
            "model_b": [f"s{at}" for at in other],
            "winner": random.choice(["model_a", "model_b", "tie"], battles),
            "g": random.integers(0, groups, battles).astype(str),
        }
    )
    str(getattr(tallystick, command)(frame, metrics=metric, by="g"))


@cases("tie", "tie", "tie (inconsistent)", "equal", "neither", "Tie (bothbad)")
@cases("sides", ("left", "right"), ("model_a", "model_b"))
def test_sides_and_ties_are_read_as_they_are_usually_written(sides, tie):
    winners = [sides[0], sides[1], tie, sides[0]]
    frame = pd.DataFrame({"model_a": ["x"] * 4, "model_b": ["y"] * 4, "winner": winners})
    result = tallystick.score(frame, metrics="win_rate", intervals=False)
    assert {"x": 0.625, "y": 0.375} == {one.system: one.value for one in result.scores}


@cases("spelled", ("True", "False"), ("true", "false"), ("TRUE", "FALSE"))
@cases("form", "csv", "tsv", "jsonl", "parquet")
def test_booleans_in_text_are_numbers(form, spelled):
    right, wrong = spelled
    _write_table(f"t.{form}", [{"id": at, "correct": right if at else wrong} for at in range(4)])
    assert {"mean(correct)": 0.75} == scores(f"t.{form}", "-m", "mean(correct)")


@cases("cell", "yes", "T", "0.5x")
def test_other_words_beside_booleans_are_no_numbers(cell):
    write({"t.csv": f"id,correct\n1,True\n2,{cell}\n"})
    assert 4 == call("score", "t.csv", "-m", "mean(correct)").code
