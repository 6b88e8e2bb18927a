"""Baselines of labels and TF-IDF, their configuration, thresholds, and the files they write."""

import csv
import io
import json
import re
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

from cases import cases
from invented import KIND, write_split, write_splits
from tallystick.baselines import (
    Model,
    Preprocess,
    Recipe,
    Splits,
    Tfidf,
    predict_detoxify,
    predict_majority,
    predict_random,
    predict_tfidf,
)
from tallystick.baselines.splits import (
    Config,
    Predicted,
    Target,
    choose_threshold,
    clean,
    predict_languages,
)
from tallystick.baselines.splits import LogisticRegression as Fitting
from tallystick.cli import main
from tallystick.errors import InputError, UsageError
from tallystick.io.config import read_sections
from tallystick.model.facts import Task


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Says so."""
        return True


@cases("baseline package extra", ("tfidf", "skops", "baselines"), ("detoxify", "torch", "detoxify"))
def test_a_missing_extra_is_named(tmp_path, monkeypatch, capsys, baseline, package, extra):
    monkeypatch.setitem(sys.modules, package, None)
    options = ["--data", str(write_splits(tmp_path / "data")), "-o", str(tmp_path / "out")]
    assert main(["baseline", baseline, *options]) == 2
    assert f"needs the extra: pip install 'tallystick[{extra}]'" in capsys.readouterr().err


def test_a_batch_has_a_text():
    with pytest.raises(UsageError, match="the batch size must be 1 or more, not 0"):
        Model(batch_size=0)


@cases("stream", Terminal, io.StringIO)
def test_a_bar_is_shown_on_a_terminal_alone(tmp_path, monkeypatch, stream):
    shown = stream()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    data, output = write_splits(tmp_path / "data", ("aa",)), str(tmp_path / "out")
    main(["baseline", "tfidf", "--data", str(data), "-o", output])
    words = shown.getvalue()
    assert f"wrote {output}/baseline_aa.csv: 20 examples, threshold 0." in " ".join(words.split())
    assert (stream is Terminal) == ("%" in words)


@cases("batch_size", 1, 2, 100)
def test_probabilities_come_in_the_order_of_the_texts(tmp_path, monkeypatch, batch_size):
    monkeypatch.setattr(
        "tallystick.baselines.detoxify._load",
        lambda model: lambda texts: np.array([len(text) / 10 for text in texts]),
    )
    write_split(tmp_path / "data" / "aa" / "val.csv", [("abcde", 1), ("abc", 0), ("abcd", 0)])
    write_split(tmp_path / "data" / "aa" / "test.csv", [("ab", 0), ("abcdef", 1), ("", 0)])
    splits = Splits(str(tmp_path / "data"), ("aa",))
    done = predict_detoxify(splits, str(tmp_path), model=Model(batch_size=batch_size))
    with open(done["aa"].path, newline="") as file:
        rows = list(csv.DictReader(file))
    assert 0.41 == pytest.approx(done["aa"].threshold)
    assert [("0.2", "0"), ("0.6", "1"), ("0.0", "0")] == [
        (row["y_prob"], row["y_pred"]) for row in rows
    ]


def test_a_model_that_gives_no_number_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "tallystick.baselines.detoxify._load",
        lambda model: lambda texts: np.full(len(texts), np.nan),
    )
    splits = Splits(str(write_splits(tmp_path / "data")), ("aa",))
    with pytest.raises(InputError, match=r"val\.csv: the model gives no probability for example 1"):
        predict_detoxify(splits, str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_a_model_that_finds_nothing_has_the_first_threshold(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "tallystick.baselines.detoxify._load", lambda model: lambda texts: np.zeros(len(texts))
    )
    splits = Splits(str(write_splits(tmp_path / "data")), ("aa",))
    assert 0.1 == predict_detoxify(splits, str(tmp_path / "out"))["aa"].threshold


TOPICS = "id,sport,food,travel\n"


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return str(path)


def read_rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def score(capsys, *arguments):
    code = main(["score", *map(str, arguments), "--format", "json"])
    captured = capsys.readouterr()
    assert code == 0, captured.err
    return {record["name"]: record["value"] for record in json.loads(captured.out)["scores"]}


def test_majority_of_the_verdicts_has_the_published_figures(shared, tmp_path, capsys):
    gold, output = shared / "data/aita/true_labels_dev.txt", tmp_path / "majority.txt"
    expected = (shared / "data/aita/predicted_labels_simple.txt").read_text().split()
    assert main(["baseline", "majority", str(gold), str(gold), "-o", str(output)]) == 0
    capsys.readouterr()
    values = score(capsys, gold, output)
    assert expected == output.read_text().split()
    assert [0.6564, 0.5203, 0.1981] == [
        round(values[name], 4) for name in ("accuracy", "weighted_f1", "macro_f1")
    ]


@cases("labels", ["b", "a", "b"], ["1", "0"], ["c", "b", "b", "c", "a"])
def test_majority_is_that_of_scikit_learn(tmp_path, labels):
    train = write(tmp_path / "train.txt", "\n".join(labels))
    test, output = write(tmp_path / "test.txt", "?\n?"), tmp_path / "out.txt"
    dummy = DummyClassifier(strategy="most_frequent").fit(labels, labels)
    predict_majority(train, test, str(output))
    assert dummy.predict(["?", "?"]).tolist() == output.read_text().split()


def test_tables_keep_the_ids_of_the_test(tmp_path, capsys):
    train = write(tmp_path / "train.csv", "id,toxic\n1,0\n2,0\n3,1\n")
    test = write(tmp_path / "test.csv", "sub_id,toxic\nx,0\ny,1\n")
    output = tmp_path / "out.csv"
    assert main(["baseline", "majority", train, test, "-o", str(output)]) == 0
    capsys.readouterr()
    assert [{"sub_id": "x", "y_pred": "0"}, {"sub_id": "y", "y_pred": "0"}] == read_rows(output)
    assert score(capsys, test, output)["accuracy"] == 0.5


def test_a_table_without_ids_is_joined_by_order(tmp_path, capsys):
    train = write(tmp_path / "train.csv", "text,verdict\na,up\nb,up\nc,down\n")
    test = write(tmp_path / "test.csv", "text,label\nd,up\ne,down\n")
    output = tmp_path / "out.csv"
    options = ["--gold-column", "verdict", "-o", str(output)]
    assert main(["baseline", "majority", train, test, *options]) == 0
    capsys.readouterr()
    assert [{"y_pred": "up"}, {"y_pred": "up"}] == read_rows(output)
    assert score(capsys, test, output)["accuracy"] == 0.5


def test_the_commonest_set_is_the_majority_of_label_columns(tmp_path, capsys):
    rows = "1,1,0,0\n2,0,1,1\n3,0,1,1\n4,1,0,1\n"
    gold, output = write(tmp_path / "gold.csv", TOPICS + rows), tmp_path / "out.csv"
    predict_majority(gold, gold, str(output))
    assert [["0", "1", "1"]] * 4 == [list(row.values())[1:] for row in read_rows(output)]
    assert score(capsys, gold, output)["exact_match_ratio"] == 0.5


@cases("name", "out.csv", "out.txt")
def test_the_commonest_set_is_the_majority_of_cells(tmp_path, capsys, name):
    gold = write(tmp_path / "gold.csv", "y_true\nlove|joy\njoy|love\nfear\n")
    output = tmp_path / name
    predict_majority(gold, gold, str(output), task=Task("multilabel"))
    values = score(capsys, gold, output, "--task", "multilabel")
    assert 3 == output.read_text().count("love")
    assert values["exact_match_ratio"] == pytest.approx(2 / 3)


@cases("seed", 0, 1, 7)
def test_a_seed_draws_the_same_again(tmp_path, seed):
    train = write(tmp_path / "train.txt", "a\nb\nc\n")
    test = write(tmp_path / "test.txt", "?\n" * 200)
    outputs = [tmp_path / name for name in ("one.txt", "two.txt", "other.txt")]
    for output, drawn in zip(outputs, (seed, seed, seed + 1), strict=True):
        predict_random(train, test, str(output), random_seed=drawn)
    one, two, other = (output.read_text() for output in outputs)
    assert [one, False] == [two, one == other]


def test_random_labels_are_as_common_as_in_training(tmp_path):
    train = write(tmp_path / "train.txt", "a\n" * 7 + "b\n" * 2 + "c\n")
    test, output = write(tmp_path / "test.txt", "?\n" * 10_000), tmp_path / "out.txt"
    predict_random(train, test, str(output))
    counts = Counter(output.read_text().split())
    expected = {"a": 0.7, "b": 0.2, "c": 0.1}
    assert expected == pytest.approx(
        {label: counts[label] / 10_000 for label in expected}, abs=4 * np.sqrt(0.21 / 10_000)
    )


def test_random_sets_are_whole_sets_of_training(tmp_path):
    gold = write(tmp_path / "gold.csv", TOPICS + "1,1,0,0\n2,0,1,1\n3,0,1,1\n")
    output = tmp_path / "out.csv"
    predict_random(gold, gold, str(output), random_seed=3)
    drawn = {tuple(row.values())[1:] for row in read_rows(output)}
    assert {("1", "0", "0"), ("0", "1", "1")} >= drawn


def test_the_command_draws_by_its_seed(tmp_path):
    train = write(tmp_path / "train.txt", "a\nb\nc\n")
    test = write(tmp_path / "test.txt", "?\n" * 50)
    outputs = [tmp_path / name for name in ("function.txt", "command.txt")]
    predict_random(train, test, str(outputs[0]), random_seed=5)
    main(["baseline", "random", train, test, "-o", str(outputs[1]), "--random-seed", "5"])
    assert outputs[0].read_text() == outputs[1].read_text()


@cases("predict", predict_majority, predict_random)
def test_other_endings_are_rejected(tmp_path, predict):
    train = write(tmp_path / "train.txt", "a\n")
    with pytest.raises(UsageError, match=r"written as \.csv or \.txt, not as .*out\.json"):
        predict(train, train, str(tmp_path / "out.json"))


def test_an_empty_label_is_located(tmp_path):
    train, output = write(tmp_path / "train.txt", "a\n\nb\n"), tmp_path / "out.txt"
    with pytest.raises(InputError, match=r"train\.txt, line 2, column 'label': .*empty"):
        predict_majority(train, train, str(output))
    assert not output.exists()


def test_a_seed_below_zero_is_rejected(tmp_path, capsys):
    gold, output = write(tmp_path / "gold.txt", "a\n"), tmp_path / "out.txt"
    code = main(["baseline", "random", gold, gold, "-o", str(output), "--random-seed=-3"])
    assert (2, False) == (code, output.exists())
    assert "a random seed must be a whole number of 0 or more, not -3" in capsys.readouterr().err


SEED = """
data:
  root_dir: data
  processed_dir: {folder}/data
  languages: [bb]
  jigsaw:
    train_file: data/raw/train.csv
    text_column: comment_text
    label_column: toxic
    lang_column: lang
model: {{name: detoxify_multilingual, batch_size: 16, learning_rate: 2e-5}}
training: {{output_dir: {folder}/runs, save_steps: 1000}}
evaluation: {{output_dir: {folder}/predictions, default_threshold: 0.5}}
preprocessing: {{remove_urls: true}}
hardware: {{device: auto, pin_memory: true}}
seed: 42
preprocess: {{lower: true, strip_urls: true, strip_mentions: true, deaccent: true}}
"""


def write_config(folder, text):
    path = folder / "config.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def load(path):
    import skops.io

    return skops.io.load(path, trusted=["tallystick.baselines.splits.clean"])


def test_a_configuration_is_enough(tmp_path):
    write_splits(tmp_path / "data")
    code = main(
        ["baseline", "tfidf", "--config", write_config(tmp_path, SEED.format(folder=tmp_path))]
    )
    assert [0, True, True] == [
        code,
        (tmp_path / "predictions/baseline_bb.csv").is_file(),
        (tmp_path / "runs/baseline_bb.skops").is_file(),
    ]


def test_parameters_come_from_the_configuration(tmp_path):
    write_splits(tmp_path / "data")
    text = SEED.format(folder=tmp_path).replace("deaccent: true", "deaccent: false") + (
        "tfidf: {ngram_range: [1, 3], max_df: 1.0, min_df: 2, max_features: null}\n"
        "logistic_regression: {class_weight: null, max_iter: 77}\n"
    )
    main(["baseline", "tfidf", "--config", write_config(tmp_path, text)])
    steps = load(tmp_path / "runs/baseline_bb.skops").named_steps
    counting, fitting = steps["tfidf"], steps["logistic_regression"]
    assert [(1, 3), 1.0, 2, None, None] == [
        counting.ngram_range,
        counting.max_df,
        counting.min_df,
        counting.max_features,
        counting.strip_accents,
    ]
    assert [None, 77] == [fitting.class_weight, fitting.max_iter]


def test_options_win_over_the_configuration(tmp_path):
    data = write_splits(tmp_path / "elsewhere", ("cc",))
    text = SEED.format(folder=tmp_path) + "tfidf: {min_df: 2, max_df: 0.9}\n"
    folders = ["--data", str(data), "--models", str(tmp_path / "models")]
    options = "--languages cc --min-df 1 --ngram-range 1 1 --no-sublinear-tf --class-weight none"
    main(
        ["baseline", "tfidf", "--config", write_config(tmp_path, text), *folders, *options.split()]
    )
    steps = load(tmp_path / "models/baseline_cc.skops").named_steps
    counting = steps["tfidf"]
    assert [1, 0.9, (1, 1), False, None] == [
        counting.min_df,
        counting.max_df,
        counting.ngram_range,
        counting.sublinear_tf,
        steps["logistic_regression"].class_weight,
    ]


def test_columns_come_from_the_configuration(tmp_path):
    write_splits(tmp_path / "data")
    for path in (tmp_path / "data/bb").iterdir():
        path.write_text(path.read_text().replace("comment_text,toxic", "words,rude"))
    text = (
        SEED.format(folder=tmp_path).replace("comment_text", "words").replace("toxic\n", "rude\n")
    )
    main(["baseline", "tfidf", "--config", write_config(tmp_path, text)])
    with (tmp_path / "predictions/baseline_bb.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert 20 == len(rows)


@cases(
    "text message",
    ("tfidf: {min_df: many}", "$.tfidf.min_df: expected `int | float`, got `str`"),
    ("tfidf: {max_features: 0}", "$.tfidf.max_features: expected `int` >= 1"),
    ("tfidf: {ngram_range: [1]}", "$.tfidf.ngram_range: expected `array` of length 2"),
    ("tfidf: {max_feature: 9}", "$.tfidf: object contains unknown field `max_feature`"),
    ("preprocess: {lower: 3}", "$.preprocess.lower: expected `bool`, got `int`"),
    ("logistic_regression: {class_weight: even}", "$.logistic_regression.class_weight: "),
    ("hardware: {device: tpu}", "$.hardware.device: invalid enum value 'tpu'"),
    ("tfdif: {min_df: 2}", "unknown key 'tfdif'; did you mean 'tfidf'?"),
    ("logistic_regresion: {}", "did you mean 'logistic_regression'?"),
    ("training: runs", "$.training: expected `object`, got `str`"),
    ("[tfidf]", "$ contains ['tfidf'], but a mapping was expected"),
    ("tfidf: {", "is not YAML"),
)
def test_a_slip_is_named_with_its_path(tmp_path, text, message):
    with pytest.raises(InputError, match=r"config\.yaml.*" + re.escape(message)):
        read_sections(write_config(tmp_path, text), Config, own=("tfidf", "logistic_regression"))


@cases("text", "", "# nothing yet\n", "model: {name: x}\n", "tfidf: {}\n")
def test_what_is_not_there_has_its_default(tmp_path, text):
    assert Config() == read_sections(write_config(tmp_path, text), Config)


@cases(
    "code given message",
    (2, ["--output", "out"], "name the folder of the splits with --data, or as data.processed_dir"),
    (2, ["--data", "data"], "name an output folder with --output, or as evaluation.output_dir"),
    (4, ["--data", "none", "--output", "out"], "none: cannot be listed: No such file"),
    (4, ["--data", "data/aa", "--output", "out"], "data/aa: contains no folder LANGUAGE with "),
    (2, ["--data", "data", "--output", "out", "--languages", "aa", "aa"], "name each language"),
    (2, ["--data", "data", "--output", "out", "--min-df", "0"], "$.min_df"),
    (2, ["--data", "data", "--output", "out", "--token-pattern", "("], "token_pattern"),
)
def test_what_cannot_be_run_is_told(tmp_path, monkeypatch, capsys, code, given, message):
    write_splits(tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    assert main(["baseline", "tfidf", *given]) == code
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


EXAMPLE = st.tuples(st.booleans(), st.integers(0, 200).map(lambda number: number / 200))


def search(gold, probabilities, start):
    best, highest = start, 0.0
    thresholds = np.linspace(0.1, 0.9, 81)
    predicted = probabilities[:, None] >= thresholds
    golden = np.broadcast_to(gold[:, None], predicted.shape)
    scores = f1_score(golden, predicted, average=None, zero_division=0)
    for threshold, score in zip(thresholds, scores, strict=True):
        if score > highest:
            best, highest = float(threshold), score
    return best


@given(st.lists(EXAMPLE, min_size=1, max_size=30))
def test_the_threshold_is_that_of_the_loop(examples):
    gold = np.array([label for label, _ in examples])
    probabilities = np.array([probability for _, probability in examples])
    assert search(gold, probabilities, 0.5) == choose_threshold(gold, probabilities)


@cases("threshold", *np.linspace(0.1, 0.9, 81).tolist())
def test_a_score_upon_the_grid_reaches_its_threshold(threshold):
    probabilities = np.array([threshold, np.nextafter(threshold, 0)])
    assert threshold == choose_threshold(np.array([True, False]), probabilities)


@cases("otherwise", 0.5, 0.1)
def test_nothing_found_leaves_the_start(otherwise):
    gold, probabilities = np.array([True, False]), np.array([0.01, 0.8])
    assert otherwise == choose_threshold(gold, probabilities, otherwise=otherwise)


@pytest.fixture
def split(tmp_path):
    rows = [("x", "a", "OFF"), ("y", "b", "NOT"), ("z", "c", "OFF")]
    write_split(tmp_path / "data" / "aa" / "test.csv", rows, header="id,comment_text,toxic")
    return Splits(str(tmp_path / "data"), ("aa",), positive="OFF").read("aa", "test")


def test_a_probability_of_the_threshold_is_positive(tmp_path, split):
    probabilities = np.array([0.5, np.nextafter(0.5, 0), 1 / 3])
    done = Target(str(tmp_path / "deep" / "out"), "tag").write(split, probabilities, 0.5)
    with open(done.path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert [
        ["id", "y_true", "y_prob", "y_pred", "best_threshold"],
        ["x", "OFF", "0.5", "OFF", "0.5"],
        ["y", "NOT", "0.49999999999999994", "NOT", "0.5"],
        ["z", "OFF", "0.3333333333333333", "NOT", "0.5"],
    ] == rows


def test_what_is_no_number_is_no_probability(tmp_path, split):
    with pytest.raises(InputError, match="no probability for example 2 of language 'aa', but nan"):
        Target(str(tmp_path), "tag").write(split, np.array([0.1, np.nan, 0.2]), 0.5)
    assert ["data"] == [one.name for one in tmp_path.iterdir()]


def test_a_failure_keeps_its_kind():
    def predict(language):
        if language == "bb":
            raise UsageError("not so")
        return Predicted(f"{language}.csv", 1, 0.5)

    with pytest.raises(UsageError, match=r"^not so; finished before: aa\.csv, cc\.csv$"):
        predict_languages(["aa", "cc", "bb"], predict)
    with pytest.raises(UsageError, match=r"^not so$"):
        predict_languages(["bb", "aa"], predict)


@cases("languages", [], ["aa", "bb", "aa"])
def test_languages_are_named_once(languages):
    with pytest.raises(UsageError, match="name each language once, not: "):
        predict_languages(languages, lambda language: Predicted(language, 1, 0.5))


LOOSE = Recipe(tfidf=Tfidf(min_df=1))


@pytest.fixture
def fit(tmp_path):
    def run(languages=("aa",), **options):
        return predict_tfidf(
            Splits(str(tmp_path / "data"), languages), str(tmp_path / "out"), **options
        )

    return run


@pytest.mark.deep
@cases("language", "es", "it", "tr")
def test_published_predictions_come_out(shared, tmp_path, language):
    folder = shared / "data/toxicity"
    expected = read_rows(folder / "predictions" / f"baseline_{language}.csv")
    done = predict_tfidf(
        Splits(str(folder / "splits"), (language,)),
        str(tmp_path),
        recipe=Recipe(stopwords=str(folder / "stopwords")),
    )
    rows = read_rows(done[language].path)
    assert list(expected[0]) == list(rows[0])
    assert [{**row, "y_prob": None} for row in expected] == [
        {**row, "y_prob": None} for row in rows
    ]
    assert [float(row["y_prob"]) for row in rows] == pytest.approx(
        [float(row["y_prob"]) for row in expected], abs=1e-6
    )


def test_invented_comments_are_classified(tmp_path, fit):
    data = write_splits(tmp_path / "data")
    train, test = (read_rows(data / "aa" / f"{name}.csv") for name in ("train", "test"))
    vectorizer = TfidfVectorizer(
        ngram_range=(1, 2), min_df=3, max_df=0.95, token_pattern=r"\w{1,}", sublinear_tf=True
    )
    counted = vectorizer.fit_transform([row["comment_text"] for row in train])
    model = LogisticRegression(class_weight="balanced", max_iter=2000)
    model.fit(counted, [row["toxic"] for row in train])
    expected = model.predict_proba(vectorizer.transform([row["comment_text"] for row in test]))
    rows = read_rows(fit()["aa"].path)
    assert [row["toxic"] for row in test] == [row["y_true"] for row in rows]
    assert expected[:, 1].tolist() == pytest.approx([float(row["y_prob"]) for row in rows])


def test_predictions_follow_the_threshold(tmp_path, fit):
    write_splits(tmp_path / "data")
    done = fit()["aa"]
    rows = read_rows(done.path)
    assert {str(done.threshold)} == {row["best_threshold"] for row in rows}
    assert [str(int(float(row["y_prob"]) >= done.threshold)) for row in rows] == [
        row["y_pred"] for row in rows
    ]
    assert [str(number) for number in range(done.n)] == [row["id"] for row in rows]


def test_a_run_of_two_languages_is_scored(tmp_path, capsys):
    data, output = str(write_splits(tmp_path / "data")), str(tmp_path / "out")
    assert main(["baseline", "tfidf", "--data", data, "--output", output]) == 0
    shown = capsys.readouterr().err
    main(["score", "--pred-dir", output, "--run-tag", "baseline", "--format", "json"])
    scores = json.loads(capsys.readouterr().out)["scores"]
    assert ["aa", "bb"] == re.findall(r"wrote \S+baseline_(..)\.csv: 20 examples", shown)
    assert ["aa", "bb", "macro", "micro"] == list(dict.fromkeys(one["group"] for one in scores))


def test_the_saved_pipeline_predicts_the_same(tmp_path, fit):
    import skops.io

    data = write_splits(tmp_path / "data")
    texts = [row["comment_text"] for row in read_rows(data / "aa" / "test.csv")]
    rows = read_rows(fit(models=str(tmp_path / "models"))["aa"].path)
    saved = tmp_path / "models" / "baseline_aa.skops"
    unknown = skops.io.get_untrusted_types(file=saved)
    pipeline = skops.io.load(saved, trusted=unknown)
    assert ["tallystick.baselines.splits.clean"] == unknown
    assert [float(row["y_prob"]) for row in rows] == pipeline.predict_proba(texts)[:, 1].tolist()


def test_the_work_is_watched(tmp_path, fit):
    write_splits(tmp_path / "data")
    shown = []
    fit(("aa", "bb"), watch=lambda doing, share: shown.append((doing, share)))
    shares = [share for _, share in shown]
    assert ["aa: reading", "done"] == [shown[0][0], shown[-1][0]]
    assert [0, 1, sorted(shares)] == [shares[0], shares[-1], shares]


@cases(
    "text cleaned",
    ("See HTTPS://x.org/a?b here", "see https://x.org/a?b here"),
    ("see https://x.org/a?b here", "see here"),
    ("see www.x.org, here", "see here"),
    ("hi @some_one: you", "hi : you"),
    ("  The\tÜBER \n  cat ", "über cat"),
    ("the The THE", ""),
    ("@the the", ""),
    ("", ""),
)
def test_texts_are_cleaned_in_this_order(text, cleaned):
    options = {"strip_urls": True, "strip_mentions": True, "lower": True}
    assert [cleaned] == clean([text], **options, stopwords=["the"])


@cases("option cleaned", ("strip_urls", "a http://x"), ("strip_mentions", "a @x"), ("lower", "A"))
def test_a_step_of_cleaning_is_left_out(option, cleaned):
    options = {"strip_urls": True, "strip_mentions": True, "lower": True, option: False}
    assert [cleaned] == clean(["A http://x @x"], **options, stopwords=[])


def test_texts_without_words_are_scored_as_empty(tmp_path, fit):
    data = write_splits(tmp_path / "data")
    rows = [("", 0), ("http://x @y", 1), ("river bread", 0), ("  ", 0)]
    write_split(data / "aa" / "test.csv", rows)
    done = fit()["aa"]
    scores = [row["y_prob"] for row in read_rows(done.path)]
    assert [4, {scores[0]}, True] == [done.n, {scores[1], scores[3]}, scores[0] != scores[2]]
    assert (f"{data}/aa/test.csv: 3 of 4 texts are empty after cleaning",) == done.notes


def test_a_fit_that_did_not_converge_is_told(tmp_path, fit):
    write_splits(tmp_path / "data")
    notes = fit(recipe=Recipe(logistic_regression=Fitting(max_iter=1)))["aa"].notes
    assert ("logistic regression of language 'aa' did not converge within 1 iterations",) == notes


@cases("other kept", ("pésimo", Preprocess(deaccent=False)), ("PESIMO", Preprocess(lower=False)))
def test_letters_stay_as_they_are_asked_to(tmp_path, fit, other, kept):
    for name in ("train", "val", "test"):
        write_split(tmp_path / "data" / "aa" / f"{name}.csv", [(other, 1), ("pesimo", 0)] * 5)

    def spread(preprocess):
        recipe = Recipe(preprocess=preprocess, tfidf=Tfidf(min_df=1, max_df=1.0))
        return np.ptp([float(row["y_prob"]) for row in read_rows(fit(recipe=recipe)["aa"].path)])

    assert [True, False] == [spread(kept) > 0.1, spread(Preprocess()) > 0.1]


def test_named_labels_and_columns_are_kept(tmp_path, fit):
    header = "id,words,verdict"
    rows = [(f"x{n}", f"w{n % 2} w", ("NOT", "OFF")[n % 2]) for n in range(12)]
    for name in ("train", "val", "test"):
        write_split(tmp_path / "data" / "aa" / f"{name}.csv", rows, header=header)
    splits = Splits(
        str(tmp_path / "data"), ("aa",), text_column="words", gold_column="verdict", positive="OFF"
    )
    written = read_rows(predict_tfidf(splits, str(tmp_path / "out"), recipe=LOOSE)["aa"].path)
    assert [(one, label, label) for one, _, label in rows] == [
        (row["id"], row["y_true"], row["y_pred"]) for row in written
    ]


@cases(
    "name content message",
    ("val", None, "val.csv: is missing, so language 'aa' has no val split"),
    ("train", [("a", 1)] * 3, "train.csv: all 3 examples of language 'aa' are labelled '1', "),
    ("val", [("a", 0)] * 3, "choosing a threshold needs both labels"),
    ("test", [("a", 2)], "test.csv, row 2, column 'toxic': label '2' is neither '0' nor '1'"),
    ("test", [("a", "")], "test.csv, row 2, column 'toxic': the value is empty"),
    ("train", [("a", "x"), ("b", "y")], "train.csv, column 'toxic': which label is the posit"),
    ("train", [("@a", 1), ("", 0)], "train.csv: language 'aa' cannot be fitted: "),
    ids=["missing", "train-class", "val-class", "label", "empty-label", "positive", "no-words"],
)
def test_a_faulty_split_is_named(tmp_path, fit, name, content, message):
    path = write_splits(tmp_path / "data") / "aa" / f"{name}.csv"
    path.unlink()
    if content:
        write_split(path, content)
    with pytest.raises(ValueError, match=re.escape(message)):
        fit()
    assert not (tmp_path / "out").exists()


def test_a_column_that_is_not_there_is_named(tmp_path, fit):
    data = write_splits(tmp_path / "data")
    write_split(data / "aa" / "train.csv", [("a", 1)], header="comment,toxic")
    with pytest.raises(InputError, match=r"train\.csv: has no column 'comment_text', only "):
        fit()


@cases(
    "words message",
    (None, "aa.txt: is missing, so language 'aa' has no stop words"),
    ("\n\n", "aa.txt: contains no stop word of language 'aa'"),
)
def test_stop_words_that_lack_are_named(tmp_path, fit, words, message):
    write_splits(tmp_path / "data")
    if words is not None:
        (tmp_path / "aa.txt").write_text(words)
    with pytest.raises(InputError, match=re.escape(message)):
        fit(recipe=Recipe(stopwords=str(tmp_path)))


def test_stop_words_are_dropped(tmp_path, fit):
    import skops.io

    write_splits(tmp_path / "data")
    (tmp_path / "aa.txt").write_text("blockhead\nrubbish\n\n shut \nawful\n")
    fit(recipe=Recipe(stopwords=str(tmp_path)))
    saved = tmp_path / "out" / "baseline_aa.skops"
    pipeline = skops.io.load(saved, trusted=["tallystick.baselines.splits.clean"])
    terms = {word for term in pipeline.named_steps["tfidf"].vocabulary_ for word in term.split()}
    assert set(KIND) == terms


def test_a_failure_leaves_what_was_finished(tmp_path, capsys):
    data = write_splits(tmp_path / "data")
    (data / "bb" / "test.csv").unlink()
    output = tmp_path / "out"
    code = main(["baseline", "tfidf", "--data", str(data), "-o", str(output)])
    shown = capsys.readouterr().err
    assert [4, True] == [code, shown.endswith(f"; finished before: {output}/baseline_aa.csv\n")]
    assert ["baseline_aa.csv", "baseline_aa.skops"] == sorted(one.name for one in output.iterdir())
    assert 20 == len(read_rows(output / "baseline_aa.csv"))
