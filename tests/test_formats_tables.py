"""Tables in forms that newcomers bring: tokens of sentences, and the JSON of other tools."""

import json
from itertools import chain
from pathlib import Path

import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, f1_score

import tallystick
from oracle import near
from tallystick.cli import main

GOLD, OWN = [["DT", "NN", "NN"], ["PRP", "NN"]], [["DT", "NN", "VBZ"], ["DT", "NN"]]
FLAT = [[*chain.from_iterable(rows)] for rows in (GOLD, OWN)]
VALUES = [
    accuracy_score(*FLAT),
    f1_score(*FLAT, average="macro", zero_division=0),
]


def lines(*rows):
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def conll(*columns, mark=" ", end="\n"):
    sentences = zip(*columns, strict=True)
    rows = ([mark.join(["w", *row]) for row in zip(*one, strict=True)] for one in sentences)
    return "".join(end.join([*row, "", ""]) for row in rows)


def treebank(rows):
    words = [[f"{at}\tw\tw\t{tag}" + "\t_" * 6 for at, tag in enumerate(row, 1)] for row in rows]
    return "".join("\n".join(["# text = w", "1-2\tw" + "\t_" * 8, *row, "", ""]) for row in words)


def tagged(rows, name="tags"):
    return lines(*({"id": at, name: row} for at, row in enumerate(rows)))


def show(capsys, *words):
    code = main([*words, "--no-intervals", "--format", "json"])
    out, message = capsys.readouterr()
    assert code == 0, message
    return [one["value"] for one in json.loads(out)["scores"]], message


@pytest.mark.parametrize(
    ("gold", "own", "options"),
    [
        *(
            (f"{name}", conll, ["--workers", "1"])
            for name in ("g.conll", "g.tsv", "g.csv", "g.txt", "g")
        ),
        ("g.tsv", lambda rows: conll(rows, mark="\t"), ["--workers", "2"]),
        ("g.txt", lambda rows: conll(rows, end="\r\n"), []),
        ("g.txt", lambda rows: "\ufeff" + conll(rows), []),
        ("g.conllu", treebank, []),
        ("g.conllu", treebank, ["--task", "tokens"]),
        ("g.jsonl", tagged, []),
        ("g.jsonl", tagged, ["--task", "tokens"]),
        ("g.jsonl", lambda rows: tagged(rows, "upos"), ["--id-column", "id"]),
    ],
)
def test_tags_of_files_are_scored_by_token(gold, own, options, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, rows in ((gold, GOLD), (f"s{gold[1:]}", OWN)):
        (tmp_path / name).write_text(own(rows), encoding="utf-8", newline="")
    files = [gold, f"s{gold[1:]}"]
    values, message = show(capsys, "score", *files, *options, "-m", "accuracy", "macro_f1")
    assert values == near(VALUES)
    assert "each token is an example" in message


FRAMES = [pd.DataFrame({"id": [1, 2], "tags": rows}) for rows in (GOLD, OWN)]
SHUFFLED = FRAMES[1].iloc[::-1]
ALONE = FRAMES[0].assign(a=OWN)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ((OWN, GOLD), {}),
        ((OWN, GOLD), {"task": "tokens", "by": ["x", "x"]}),
        ((OWN, GOLD), {"task": "tokens", "missing": "wrong"}),
        ((FRAMES[1], FRAMES[0]), {}),
        ((SHUFFLED, FRAMES[0]), {"task": "tokens"}),
        ((ALONE,), {"gold": "tags", "predicted": "a"}),
        ((ALONE,), {"gold": "tags", "systems": ["a"], "task": "tokens"}),
    ],
)
def test_tags_in_memory_are_scored_by_token(given, named):
    *own, gold = given
    found = tallystick.score(gold, *own, metrics=["accuracy", "macro_f1"], **named)
    assert [one.value for one in found.scores][-2:] == near(VALUES)
    assert found.scores[0].n == 5


def test_a_sentence_without_output_counts_as_wrong_tokens():
    lost = pd.DataFrame({"id": [1], "tags": [GOLD[0]]})
    found = tallystick.score(FRAMES[0], lost, metrics="accuracy", missing="wrong", task="tokens")
    assert found["accuracy"] == near(3 / 5)


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ([["DT", "NN"], ["PRP", "NN"]], "has 2 tags, but"),
        ([["DT", "NN", None], ["PRP", "NN"]], "row 1, column 'tag of the output': the value is"),
    ],
)
def test_sentences_without_a_tag_for_each_token_are_rejected(own, message):
    with pytest.raises(tallystick.InputError, match=message):
        tallystick.score(GOLD, own, "accuracy", task="tokens")


def test_sets_of_labels_stay_sets():
    assert tallystick.score([["a", "b"], ["b"]], [["b", "a"], ["b"]], "micro_f1")["micro_f1"] == 1


FRAME = pd.DataFrame({"id": ["a", "b", "c"], "label": ["x", "y", "z"], "score": [1.0, 2.0, 3.0]})
OTHER = FRAME.assign(label=["x", "x", "y"]).iloc[::-1]
ORIENTS = ["columns", "index", "split", "table"]


def to_list(frame, path, indent):
    path.write_text(json.dumps(frame.to_dict(orient="list"), indent=indent))


def to_orient(orient):
    def write(frame, path, indent):
        frame.to_json(path, orient=orient, indent=indent)

    return write


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("write", [*map(to_orient, ORIENTS), to_list], ids=[*ORIENTS, "list"])
@pytest.mark.parametrize("change", [
    lambda frame: frame,
    lambda frame: frame.reset_index(drop=True),
    lambda frame: frame[["id", "label"]].set_index("id").rename_axis(None),
    lambda frame: frame[["label"]].sort_index(),
])  # fmt: skip
def test_the_json_of_frames_is_a_table(write, change, indent, tmp_path, capsys):
    gold = tmp_path / "g.csv"
    frame = change(OTHER)
    named = frame.index.inferred_type == "string"
    if write is to_list and len(frame.columns) < 2:
        pytest.skip("a single row of labels")
    FRAME[["label", "id"] if named or "id" in frame else ["label"]].to_csv(gold, index=False)
    write(frame, tmp_path / "s.json", indent)
    values, _ = show(capsys, "score", str(gold), f"{tmp_path}/s.json", "-m", "accuracy")
    assert values == near([1 / 3])


@pytest.mark.parametrize(
    ("text", "words", "value"),
    [
        ('{"q1": "YES"}', ["g.json"], 1),
        ('{"1": "YES"}', ["g.json"], 1),
        ('{"predictions": [["D", "N"]], "references": [["D", "V"]]}', ["--task", "tokens"], 1 / 2),
        ('[["q1", "YES", "NO"], ["q2", "NO", "NO"]]', ["--gold-column", "2"], 1 / 2),
    ],
)
def test_one_json_value_with_all_rows_is_a_table(text, words, value, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "g.json").write_text(text)
    named = ["--predicted-column", "3"] if "--gold-column" in words else []
    assert show(capsys, "score", "g.json", *words, *named, "-m", "accuracy")[0] == near([value])


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("g.json", '{"columns": ["label"], "data": [["a"], ["a", "b"]]}', "differ in length"),
        ("g.json", '{"columns": ["label"], "data": 3}', "is one JSON object with the keys columns"),
        ("g.json", '[["a", "b"], ["a"]]', "differ in length"),
    ],
)
def test_other_json_is_rejected(name, text, message, tmp_path, capsys):
    (tmp_path / name).write_text(text)
    assert main(["score", f"{tmp_path}/{name}", "-m", "accuracy"]) == 4
    assert message in capsys.readouterr().err


PLAIN = {
    "m2": ("S A cat\nA 0 1|||R:DET|||The|||REQUIRED|||-NONE-|||0\n\n", "is M2"),
    "amr": ("# ::id 1\n(w / want-01\n   :ARG0 (b / boy))\n", "is AMR"),
    "mrg": ("(ROOT (S (NP (DT The) (NN dog)) (VP (VBZ barks))))\n", "has trees in brackets"),
    "txt": ("12|t|Title\n12|a|Text\n12\t0\t5\tTitle\tGene\t1\n", "is PubTator"),
    "labels": ("111\t0\t5\n111\t10\t20\n", "has a span on each line, as SemEval 2020's task 11"),
    "task3.tsv": (
        "111\tDoubt\t0\t5\n111\tSlogans\t10\t20\n",
        "has a span on each line, as SemEval",
    ),
    "tsv": ("#FORMAT=WebAnno TSV 3.3\n\n#Text=Anna\n1-1\t0-4\tAnna\tPER\t\n", "is TSV of WebAnno"),
    "xml": ('<?xml version="1.0"?>\n<annotations></annotations>\n', "is XML"),
}


@pytest.mark.parametrize("ending", PLAIN)
@pytest.mark.parametrize("metrics", [[], ["-m", "bleu"]])
def test_foreign_texts_are_rejected_by_name(ending, metrics, tmp_path, capsys):
    text, message = PLAIN[ending]
    files = [f"{tmp_path}/{name}.{ending}" for name in "gs"]
    for path in files:
        Path(path).write_text(text)
    assert main(["score", *files, *metrics]) == 4
    assert message in capsys.readouterr().err


FOREIGN = {
    "bigbench": ({"name": "t", "examples": [{"input": "q", "target": "a"}]}, "--rows examples"),
    "mteb": ({"task_name": "t", "scores": {"test": [{"accuracy": 0.7}]}}, "--rows scores.test"),
    "coco": ({"images": [{"id": 1}], "annotations": [{"image_id": 1}]}, "is one JSON object"),
    "trainer": ({"eval_accuracy": 0.9, "epoch": 3.0}, "is one JSON object"),
    "lighteval": (
        {"config_general": {"model": "m"}, "results": {"arc": {"acc": 1}}},
        "is one JSON object",
    ),
    "studio": ([{"id": 1, "data": {"text": "x"}, "annotations": []}], "has no gold column"),
    "langfuse": ([{"id": 1, "name": "correct", "value": 1}], "has no gold column"),
    "braintrust": ([{"id": 1, "output": "x", "scores": {"F": 1}}], "has no gold column"),
    "evals": ([{"run_id": "r", "type": "match", "data": {"correct": True}}], "has no gold column"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_exports_are_rejected(name, tmp_path, capsys):
    found, message = FOREIGN[name]
    path = tmp_path / f"{name}.json"
    path.write_text(json.dumps(found))
    assert main(["score", str(path)]) == 4
    assert message in capsys.readouterr().err


def test_tables_of_weights_and_biases_are_tables(tmp_path, capsys):
    rows = [["a", "x", "x"], ["b", "y", "x"]]
    found = {"columns": ["question", "label", "prediction"], "data": rows, "ncols": 3, "nrows": 2}
    (tmp_path / "t.table.json").write_text(json.dumps(found))
    assert show(capsys, "score", f"{tmp_path}/t.table.json", "-m", "micro_f1")[0] == near([0.5])


SEGMENTS = {
    "a.txt": [
        {"src": "s", "mt": "m", "ref": "r", "COMET": 0.85},
        {"src": "t", "mt": "n", "COMET": 0.75},
    ],
    "b.v2.txt": [
        {"src": "s", "mt": "m", "ref": "r", "COMET": 0.8},
        {"src": "t", "mt": "n", "COMET": 0.7},
    ],
}


@pytest.mark.parametrize("command", ["score", "compare", "rank"])
@pytest.mark.parametrize("words", [[], ["-m", "mean(COMET)"]])
def test_segments_of_comet_are_compared_as_systems(command, words, tmp_path, capsys):
    path = tmp_path / "comet.json"
    path.write_text(json.dumps(SEGMENTS, indent=1))
    assert main([command, str(path), *words, "--format", "json"]) == 0
    out = capsys.readouterr().out
    assert "a.txt" in out
    assert "b.v2.txt" in out


def test_segments_of_comet_are_read_in_python(tmp_path):
    (tmp_path / "c.json").write_text(json.dumps(SEGMENTS))
    found = tallystick.score(str(tmp_path / "c.json"))
    assert [one.value for one in found.scores] == near([0.8, 0.75])


@pytest.mark.parametrize(
    "name",
    [
        "Compat(p=0.9)",
        "alpha_nDCG@10",
        "nDCG(dcg='exp-log2')@10",
        "R_cap@5",
        "nDCG(judged_only=True)@10",
    ],
)
def test_measures_of_ir_measures_that_are_not_computed_are_named(name, tmp_path, capsys):
    for file, text in (("q.txt", "q 0 a 1\n"), ("r.txt", "q Q0 a 1 0.5 x\n")):
        (tmp_path / file).write_text(text)
    assert main(["score", f"{tmp_path}/q.txt", f"{tmp_path}/r.txt", "-m", name]) == 2
    assert "ir_measures computes" in capsys.readouterr().err


def test_logs_are_read_in_python_as_on_the_command_line(tmp_path, capsys):
    for name, passed in (("one", [True, False]), ("two", [True, True])):
        rows = (
            {"task_id": str(at), "completion": "", "passed": own} for at, own in enumerate(passed)
        )
        (tmp_path / f"{name}.jsonl").write_text(lines(*rows))
    paths = [f"{tmp_path}/{name}.jsonl" for name in ("one", "two")]
    assert tallystick.score(paths[0]).scores[0].value == 0.5
    assert [one.value for one in tallystick.score(paths, metrics="mean(passed)").scores] == [0.5, 1]
    assert show(capsys, "score", *paths)[0] == [0.5, 1]
    compared = tallystick.compare(paths)
    assert str(compared) == str(tallystick.compare(paths[0], paths[1]))
    (tmp_path / "g.csv").write_text("id,label\n1,a\n")
    with pytest.raises(tallystick.UsageError, match="is a log, which contains its own gold"):
        tallystick.score(paths[0], f"{tmp_path}/g.csv")


DECIMALS = """id;y_true;y_pred;date;len
1;0,5;0,7;2024-01-03;1
2;1,5;1,0;2024-01-20;5
3;2,25;2,0;2024-02-03;9
"""


@pytest.mark.parametrize(
    ("named", "values"),
    [
        ({"metrics": "mae"}, [0.95 / 3]),
        ({"metrics": "mae", "by": "date:month"}, [0.35, 0.25, 0.3, 0.95 / 3]),
        ({"metrics": "mae", "by": "date:year"}, [0.95 / 3] * 3),
        ({"metrics": "mae", "by": "len:2"}, [0.35, 0.25, 0.3, 0.95 / 3]),
        ({"metrics": "mae", "where": "len < 9"}, [0.35]),
    ],
)
@pytest.mark.parametrize("change", [lambda text: text, lambda text: text.replace("\n", "\r\n")])
def test_decimal_commas_dates_and_ranges_are_read(named, values, change, tmp_path):
    path = tmp_path / "d.csv"
    path.write_text(change(DECIMALS), encoding="utf-8-sig", newline="")
    found = tallystick.score(str(path), **named)
    assert [one.value for one in found.scores] == near(values)
    assert tallystick.score(str(path)).scores[0].name != "accuracy"
    frame = pd.read_csv(path, sep=";", decimal=",", parse_dates=["date"])
    assert [one.value for one in tallystick.score(frame, **named).scores] == near(values)


def test_values_that_are_no_dates_are_rejected(tmp_path):
    (tmp_path / "d.csv").write_text(DECIMALS)
    with pytest.raises(tallystick.InputError, match="'1' is no date, such as 2026-01-31"):
        tallystick.score(f"{tmp_path}/d.csv", metrics="mae", by="len:month")


def test_lists_of_texts_are_groups():
    rows = [{"model_a": "x", "model_b": "y", "winner": "model_a", "judge": ["gpt", "pair"]}]
    found = tallystick.score(pd.DataFrame(rows * 2), metrics="win_rate", by="judge")
    assert found.scores[0].group == "gpt/pair"


TRIES = pd.DataFrame({"problem_id": ["a", "b"], "correct": [[True, False], [True, True]]})


@pytest.mark.parametrize("form", ["frame", "parquet", "csv", "jsonl"])
def test_lists_of_tries_are_read_from_every_table(form, tmp_path):
    given = TRIES if form == "frame" else f"{tmp_path}/t.{form}"
    if form == "parquet":
        TRIES.to_parquet(given)
    elif form == "csv":
        TRIES.to_csv(given, index=False)
    elif form == "jsonl":
        TRIES.to_json(given, orient="records", lines=True)
    found = tallystick.score(given, metrics=["pass@1", "pass@2"])
    assert [one.value for one in found.scores] == near([0.75, 1])


def test_cells_without_a_list_of_tries_are_rejected():
    mixed = pd.DataFrame({"problem_id": ["a", "b"], "correct": ["[true]", "true"]})
    with pytest.raises(tallystick.InputError, match="a list of tries in one cell and not in an"):
        tallystick.score(mixed, metrics="pass@1")
