"""The TF-IDF baseline gives seed 000's numbers, and says in words what keeps it from doing so."""

import csv
import json
import re

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from cases import cases
from invented import KIND, write_split, write_splits
from tallystick.baselines import Preprocess, Recipe, Splits, Tfidf, predict_tfidf
from tallystick.baselines.splits import LogisticRegression as Fitting
from tallystick.baselines.splits import clean
from tallystick.cli import main
from tallystick.errors import InputError

LOOSE = Recipe(tfidf=Tfidf(min_df=1))


@pytest.fixture
def fit(tmp_path):
    def run(languages=("aa",), **options):
        return predict_tfidf(
            Splits(str(tmp_path / "data"), languages), str(tmp_path / "out"), **options
        )

    return run


def read_rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


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
