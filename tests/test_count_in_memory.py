"""What is counted or laid out in memory once answers every question."""

import re
from typing import Any, ClassVar

import dask.bag
import dask.dataframe
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

import tallystick
from cases import cases
from tallystick import InputError, UsageError
from tallystick.kinds.labels.label_columns import Confusion
from tallystick.limits import LIMITS
from tallystick.metrics import BLEU, Accuracy, MeanOf, Metric
from tallystick.model.tallies.metric import Direction, Values
from tallystick.reading import layouts
from test_cli_count import invent

ROWS = invent(11)
FRAME = pd.DataFrame(ROWS).drop(columns=["id", "sets", "tags"])
LABELS = {"columns": tallystick.Columns(gold="y_true"), "systems": ["one", "two"]}


def count_all(**options):
    return tallystick.count(FRAME, metrics=["f1", "accuracy"], by="lang", **LABELS, **options)


def save(counted, path):
    counted.save(path)
    return path.read_bytes()


def test_what_was_counted_scores_as_the_examples():
    expected = tallystick.score(FRAME, metrics=["f1", "accuracy"], by="lang", **LABELS)
    assert expected.to_json() == tallystick.score(count_all()).to_json()


@cases("command", tallystick.compare, tallystick.rank, tallystick.plan)
def test_every_function_takes_what_was_counted(command):
    assert (
        command(FRAME, metrics="mcc", **LABELS).to_json()
        == command(tallystick.count(FRAME, metrics="f1", **LABELS), metrics="mcc").to_json()
    )


def test_a_gate_takes_what_was_counted():
    counted = tallystick.count(FRAME, metrics="f1", **LABELS)
    expected = tallystick.gate(FRAME, "two", "one", max_drop={"f1": 0.1}, columns=LABELS["columns"])
    assert expected.checks == tallystick.gate(counted, "two", "one", max_drop={"f1": 0.1}).checks


def test_what_was_counted_takes_no_further_columns():
    with pytest.raises(UsageError, match="saved counts take metrics only"):
        tallystick.score(count_all(), by="lang")


def test_counts_of_parts_add_up(tmp_path):
    first, second = (
        tallystick.count(part, metrics=["f1", "accuracy"], by="lang", **LABELS)
        for part in (FRAME[:100], FRAME[100:])
    )
    assert save(count_all(), tmp_path / "all.tally") == save(second + first, tmp_path / "sum.tally")


@cases("weighted", False, True)
def test_numbers_are_loaded_as_they_were_counted(tmp_path, weighted):
    numbers = np.random.default_rng(1).normal(size=(2, 60)).round(3)
    numbers[:, :5] = -0.0
    frame = pd.DataFrame({"gold": numbers[0], "own": numbers.sum(0), "weight": 0.1})
    columns = tallystick.Columns(weight="weight" if weighted else None)
    options = {"metrics": ["pearson", "rmse", "mae"], "systems": ["own"], "columns": columns}
    paths = [tmp_path / "one.tally", tmp_path / "two.tally"]
    for path, part in zip(paths, (frame[:20], frame[20:]), strict=True):
        tallystick.count(part, **options).save(path)
    loaded = tallystick.load(*paths)
    assert tallystick.score(frame, **options).to_json() == tallystick.score(loaded).to_json()


def test_the_mean_of_a_column_that_is_named_alone_is_saved(tmp_path):
    frame = pd.DataFrame({"gold": [*"abab"], "own": [*"abba"], "latency": [1.0, 2.5, 0.5, 4.0]})
    options = {"metrics": ["latency"], "systems": ["own"]}
    tallystick.count(frame, **options).save(tmp_path / "one.tally")
    (loaded,) = tallystick.score(tallystick.load(tmp_path / "one.tally")).scores
    assert (tallystick.score(frame, **options).scores) == (loaded,)
    assert ("Mean(column='latency')", 2.0) == (loaded.metric, loaded.value)


def test_the_same_file_is_not_added_twice(tmp_path):
    FRAME.to_csv(tmp_path / "all.csv")
    from tallystick.cli import main

    usual = ["--gold-column", "y_true", "--systems", "one", "-m", "f1"]
    path = str(tmp_path / "all.tally")
    assert main(["count", str(tmp_path / "all.csv"), *usual, "-o", path]) == 0
    once = tallystick.load(path)
    with pytest.raises(
        InputError, match="the second contains examples that the first contains too"
    ):
        once + tallystick.load(path)


def test_what_was_loaded_is_saved_with_its_files(tmp_path):
    FRAME.to_csv(tmp_path / "all.csv")
    from tallystick.cli import main

    usual = ["--gold-column", "y_true", "--systems", "one", "-m", "f1"]
    path = tmp_path / "all.tally"
    assert main(["count", str(tmp_path / "all.csv"), *usual, "-o", str(path)]) == 0
    assert path.read_bytes() == save(tallystick.load(path), tmp_path / "again.tally")


class Hits(Metric):
    """The share of examples that are right, times a number."""

    times: float = 1.0

    short: ClassVar[str] = "hits"
    title: ClassVar[str] = "Hits"
    better: ClassVar[Direction] = "higher"
    bounds: ClassVar[tuple[float, float]] = (0, 1)
    counters: ClassVar[tuple[type, ...]] = (Confusion,)

    def score(self, tally: Any) -> Values:
        """The value of each group."""
        counts = tally.per_label()
        return np.asarray(self.times * counts.hits.sum(-1) / counts.gold.sum(-1))


def test_counts_of_ones_own_metric_score_the_same_when_they_are_loaded(tmp_path):
    own = [Hits(), Hits(times=0.5), MeanOf(Hits(), Accuracy())]
    counted = tallystick.count(FRAME, metrics=own, **LABELS)
    counted.save(tmp_path / "own.tally")
    expected = tallystick.score(counted).to_json()
    assert expected == tallystick.score(tallystick.load(tmp_path / "own.tally")).to_json()


def test_a_file_of_an_unknown_metric_is_named(tmp_path):
    known = type("Known", (Hits,), {"__module__": __name__})
    tallystick.count([0, 1], [0, 1], [known()]).save(tmp_path / "own.tally")
    known.__name__ = "Gone"
    with pytest.raises(InputError, match=r"own\.tally was counted for Known\(\), .*: install"):
        tallystick.load(tmp_path / "own.tally")


@cases(
    "metric name",
    (type("F1", (Hits,), {})(), "F1()"),
    (BLEU(tokenizer=lambda text: text.split()), "BLEU(tokenizer="),
)
def test_a_metric_that_could_not_be_loaded_is_not_saved(metric, name, tmp_path):
    counted = tallystick.count(["0", "1"], ["0", "1"], [metric])
    with pytest.raises(UsageError, match=f"^{re.escape(name)}.* cannot be saved"):
        counted.save(tmp_path / "own.tally")
    assert not list(tmp_path.iterdir())


@pytest.mark.deep
@cases(
    "options",
    {"metrics": ["f1", "accuracy"], "by": "lang", "systems": ["one", "two"]},
    {"metrics": ["roc_auc", "brier_score"]},
    {"metrics": ["macro_f1"], "clusters": "doc", "systems": ["one", "two"]},
)
@pytest.mark.usefixtures("shared_workers")
def test_worker_processes_count_what_is_in_memory(tmp_path, options):
    usual = {"columns": tallystick.Columns(gold="y_true", probability="p"), **options}
    expected = save(tallystick.count(FRAME, **usual), tmp_path / "one.tally")
    assert expected == save(tallystick.count(FRAME, **usual, engine=2), tmp_path / "two.tally")


@pytest.mark.usefixtures("shared_workers")
def test_worker_processes_count_lists_of_texts_and_sets(tmp_path):
    texts = [row["reference"] for row in ROWS], {"a": [row["short"] for row in ROWS]}, "bleu"
    sets = [row["sets"] for row in ROWS], {"a": [row["tags"] for row in ROWS]}, "macro_f1"
    for given in (texts, sets):
        expected = save(tallystick.count(*given), tmp_path / "one.tally")
        assert expected == save(tallystick.count(*given, engine=2), tmp_path / "two.tally")


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(1, processes=False, threads_per_worker=2, dashboard_address=None) as cluster,
        Client(cluster, set_as_default=False) as connected,
    ):
        yield connected


@pytest.mark.deep
@cases("engine", "none", "workers", "cluster")
@cases("kind", "frame", "bag")
@pytest.mark.usefixtures("shared_workers")
def test_partitions_of_dask_count_as_the_whole(tmp_path, client, engine, kind):
    rows = FRAME.to_dict("records")
    gold = (
        dask.dataframe.from_pandas(FRAME, npartitions=7)
        if kind == "frame"
        else dask.bag.from_sequence(rows, npartitions=7)
    )
    usual = {"metrics": ["f1", "accuracy"], "by": "lang", **LABELS}
    chosen = {"none": None, "workers": 2, "cluster": client}[engine]
    found = tallystick.count(gold, **usual, engine=chosen)
    assert save(count_all(), tmp_path / "one.tally") == save(found, tmp_path / "many.tally")


def test_a_wrong_row_of_a_partition_is_named():
    rows = FRAME.assign(one=FRAME["one"].where(FRAME.index != 290))
    gold = dask.dataframe.from_pandas(rows, npartitions=3)
    with pytest.raises(InputError, match="partition 3, row 91, column 'one'"):
        tallystick.count(gold, metrics="f1", **LABELS)


def test_clusters_of_partitions_are_one_column():
    frame = dask.dataframe.from_pandas(
        pd.DataFrame({"y_true": ["a", "b"], "y_pred": ["a", "b"], "c": [1, 2]}), npartitions=2
    )
    with pytest.raises(UsageError, match="clusters is one column of the table, not 2"):
        tallystick.count(frame, metrics="accuracy", clusters=["c", "y_true"])


def test_an_engine_is_one_that_can_count():
    with pytest.raises(UsageError, match="engine must be a number of workers"):
        count_all(engine="spark")


@cases("engine", None, 1)
def test_an_engine_counts_all_blocks_of_a_file(tmp_path, monkeypatch, engine):
    monkeypatch.setattr(LIMITS, "large_input", 0)
    monkeypatch.setattr(LIMITS, "block_rows", 50)
    path = tmp_path / "all.csv"
    rows = [f"{'abc'[row % 3]},{'abc'[row // 2 % 3]}" for row in range(400)]
    path.write_text("\n".join(["label,y_pred", *rows, ""]), encoding="utf-8")
    counted = tallystick.count(path, metrics="accuracy", engine=engine)
    assert 400 == counted.facts.n[None]
    right = sum(row[0] == row[2] for row in rows) / 400
    assert right == tallystick.score(counted, intervals=False)["accuracy"]


def test_an_engine_rejects_keywords_without_a_use():
    frame = pd.DataFrame({"reference": ["a b", "c d"], "hypothesis": ["a b", "c"]})
    with pytest.raises(
        UsageError, match=("`threshold=` can only be used with probabilities of labels")
    ):
        tallystick.count(frame, metrics="bleu", threshold=0.5, engine=1)


LAID_OUT = pd.DataFrame(
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
DATA = tallystick.read(LAID_OUT, gold="answer", **LAYOUT)

QUESTIONS = {
    "score": {"segments": False},
    "compare": {"all_pairs": True},
    "rank": {"baselines": ["gpt"]},
    "plan": {"sizes": [60, 120]},
}


@cases("question", *QUESTIONS)
def test_question_is_answered_as_in_one_call(question):
    options = QUESTIONS[question]
    once = getattr(tallystick, question)(LAID_OUT, None, ["accuracy"], **NAMED, **options)
    assert once.to_json() == getattr(DATA, question)("accuracy", **options).to_json()


def test_gate_holds_a_system_against_another():
    once = tallystick.gate(
        LAID_OUT,
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


@cases(
    "options message",
    ({"against": "bert", "floor": 0.5}, "there is no system 'bert', only gpt, llama"),
    ({"floor": 0.5}, "name the system to test with `new=`: gpt, llama"),
)
def test_gate_of_no_system_is_told(options, message):
    with pytest.raises(tallystick.UsageError, match=message):
        DATA.gate("accuracy", **options)


def test_saved_counts_are_scored_alike(tmp_path):
    DATA.save(tmp_path / "counts.tally", "accuracy")
    loaded = tallystick.load(tmp_path / "counts.tally")
    assert [(one.system, one.group, one.value) for one in DATA.score("accuracy").scores] == [
        (one.system, one.group, one.value) for one in tallystick.score(loaded).scores
    ]


def test_second_question_reads_nothing(monkeypatch):
    data = tallystick.read(LAID_OUT, gold="answer", **LAYOUT)
    data.score("accuracy")
    monkeypatch.setattr(layouts, "from_arrow", lambda *_: pytest.fail("read again"))
    assert data.compare("macro_f1").differences
    assert data.rank("accuracy").places


def test_keywords_name_columns_and_the_task():
    plain = {"systems": ["gpt"], "intervals": False}
    known = {"columns": tallystick.Columns(gold="answer"), "task": tallystick.Task(positive="b")}
    once = tallystick.score(LAID_OUT, None, "f1", **known, **plain)
    assert once == tallystick.score(LAID_OUT, None, "f1", gold="answer", positive="b", **plain)


def test_gold_may_be_named():
    named = tallystick.score(gold=["a", "b"], outputs=["a", "a"], metrics="accuracy")
    assert 0.5 == named.scores[0].value


def test_task_without_labels_has_no_positive_one():
    with pytest.raises(tallystick.UsageError, match="a spans task has no positive"):
        tallystick.score(LAID_OUT, None, "span_f1", gold="answer", task="spans", positive="b")


def test_wrong_keyword_tells_the_nearest():
    with pytest.raises(TypeError, match=r"there is no keyword 'system'; did you mean 'systems'\?"):
        tallystick.score(LAID_OUT, None, "accuracy", system=["gpt"])


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
    (score,) = tallystick.score(LAID_OUT, None, "comet").scores
    assert ("mean(comet)", 0.375) == (score.name, score.value)


def test_few_names_are_listed():
    assert 30 == len(dir(tallystick))
    assert tallystick.results.Ranking.__name__ == "Ranking"


def test_a_part_without_any_span_is_added(tmp_path):
    empty, other = ([[]], [[]]), ([[[0, 4, "PER"]], []], [[[0, 4, "PER"]], [[5, 9, "LOC"]]])
    paths = []
    for gold, own in (empty, other):
        paths.append(tmp_path / f"{len(paths)}.tally")
        tallystick.count(gold, own, "span_f1").save(paths[-1])
    whole = tallystick.score(empty[0] + other[0], empty[1] + other[1], "span_f1")
    assert whole["span_f1"] == tallystick.score(tallystick.load(*paths))["micro_span_f1"]
