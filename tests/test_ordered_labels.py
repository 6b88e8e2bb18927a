"""Labels that are named from the lowest to the highest."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score, mean_absolute_error

import tallystick
from cases import cases
from faults import call, refuse, write
from tallystick.errors import InputError, UsageError

WORDS = ("low", "medium", "high")
GOLD = ["low", "high", "medium", "low", "medium", "high", "low", "low", "high", "medium"]
OUTPUT = ["low", "medium", "medium", "high", "low", "high", "low", "medium", "high", "high"]
PLACES = [[WORDS.index(one) for one in own] for own in (GOLD, OUTPUT)]
WANTED = {
    "mae": mean_absolute_error(*PLACES),
    "rmse": np.sqrt(np.mean(np.subtract(*PLACES) ** 2)),
    "qwk": cohen_kappa_score(*PLACES, weights="quadratic"),
    "linear_weighted_kappa": cohen_kappa_score(*PLACES, weights="linear"),
    "accuracy_within": np.mean(np.abs(np.subtract(*PLACES)) <= 1),
    "spearman": stats.spearmanr(*PLACES).statistic,
    "kendall_tau_b": stats.kendalltau(*PLACES).statistic,
}
GRADES = [3, 2, 1, 4, 2, 6, 5, 3]
NUMBERS = [2.7, 2.5, 3.5, 4.0, -0.4, 7.3, 5.2, 3.0]
NEAREST = [3, 2, 4, 4, 1, 6, 5, 3]


@pytest.fixture(autouse=True)
def _files(folder):
    table = pd.DataFrame({"id": range(10), "label": GOLD, "output": OUTPUT})
    table.to_csv("t.csv", index=False)
    table.to_csv("t.tsv", index=False, sep="\t")
    table.to_parquet("t.parquet")
    table.to_json("t.jsonl", orient="records", lines=True)
    table.to_json("t.json", orient="records")
    table[["id", "label"]].to_csv("g.csv", index=False)
    table[["id", "output"]].sample(frac=1, random_state=1).to_csv("p.csv", index=False)
    write({"g.txt": "\n".join(GOLD) + "\n", "p.txt": "\n".join(OUTPUT) + "\n"})
    grades = pd.DataFrame({"label": GRADES, "output": NUMBERS})
    grades.to_csv("n.csv", index=False)
    grades.to_parquet("n.parquet")
    write({"n.txt": "\n".join(map(str, GRADES)), "m.txt": "\n".join(map(str, NUMBERS))})


def find_values(outcome):
    assert outcome.code == 0, outcome.err
    return [one["value"] for one in json.loads(outcome.out)["scores"]]


@cases("files", "t.csv", "t.tsv", "t.parquet", "t.jsonl", "t.json", "g.csv p.csv", "g.txt p.txt")
@cases("order", "low,medium,high", "low medium high")
def test_words_are_worth_their_places_in_every_format(files, order):
    outcome = call(f"score {files} --order {order} -m {' '.join(WANTED)} --format json")
    assert find_values(outcome) == pytest.approx([*WANTED.values()])


@cases(
    "data options",
    ((GOLD, OUTPUT), {"order": WORDS}),
    ((np.array(GOLD), pd.Series(OUTPUT)), {"order": "low,medium,high"}),
    ((pd.DataFrame({"gold": GOLD, "s": OUTPUT}),), {"order": WORDS, "systems": ["s"]}),
    ((pd.DataFrame({"gold": GOLD, "s": OUTPUT}),), {"labels": WORDS, "systems": ["s"]}),
    (
        ([one.title() for one in GOLD], [one.title() for one in OUTPUT]),
        {"order": [one.title() for one in WORDS]},
    ),
)
def test_words_are_worth_their_places_in_memory(data, options):
    found = tallystick.score(*data, metrics=[*WANTED], intervals=False, **options)
    assert [one.value for one in found.scores] == pytest.approx([*WANTED.values()])


@cases("files", "n.csv", "n.parquet", "n.txt m.txt")
def test_fractions_become_the_nearest_label(files):
    outcome = call(f"score {files} --order 1 2 3 4 5 6 -m qwk accuracy mae --format json")
    wanted = [
        cohen_kappa_score(GRADES, NEAREST, weights="quadratic", labels=range(1, 7)),
        np.mean(np.equal(GRADES, NEAREST)),
        mean_absolute_error(GRADES, NUMBERS),
    ]
    assert find_values(outcome) == pytest.approx(wanted)
    assert "that are fractions become the nearest label" in outcome.out


@cases("kind", list, np.array, pd.Series, lambda values: np.array(values, np.float32))
def test_fractions_in_memory_become_the_nearest_label(kind):
    found = tallystick.score(GRADES, kind(NUMBERS), metrics="qwk", order=range(1, 7))
    wanted = cohen_kappa_score(GRADES, NEAREST, weights="quadratic", labels=range(1, 7))
    assert found.scores[0].value == pytest.approx(wanted)


@cases(
    "command",
    "compare g.csv p.csv o=p.csv",
    "rank g.csv p.csv o=p.csv",
    "gate g.csv p.csv --against o=p.csv --floor 0",
    "score g.csv p.csv --workers 2",
)
@cases("metric", "mae", "qwk")
def test_every_command_knows_the_order(command, metric):
    name, *rest = command.split()
    outcome = call(name, *rest, "-m", metric, "--order", "low,medium,high", "--digits", "4")
    assert outcome.code in ((0, 1, 3) if name == "gate" else (0,)), outcome.err
    assert f"{WANTED[metric]:.4f}" in outcome.out


def test_tasks_know_the_order():
    write(
        {
            "task.yaml": "tracks:\n  t:\n    gold: g.csv\n    metrics: [mae, qwk]\n"
            "    order: [low, medium, high]\n",
            "s/a.csv": "id,label\n" + "".join(f"{at},{one}\n" for at, one in enumerate(OUTPUT)),
        }
    )
    outcome = call("task score s/a.csv --task task.yaml --format json")
    assert outcome.code == 0, outcome.err
    assert f'"value": {WANTED["mae"]}' in outcome.out
    assert call("task selftest --task task.yaml").code == 0


@cases(
    "arguments message",
    ("g.csv p.csv -m mae --order low,high", "g.csv, row 4, column 'label': label 'medium' is not"),
    ("g.csv p.csv -m qwk --order low,high", "g.csv, row 4, column 'label': label 'medium' is not"),
    ("n.csv -m mae --order 1 2 3", "row 5, column 'label': 4 is not one of"),
    ("n.csv -m qwk", "--order rounds fractions"),
    ("n.txt m.txt -m qwk", "--order rounds them"),
)
def test_labels_outside_the_order_are_errors(arguments, message):
    refuse(message, *f"score {arguments}".split())


@cases(
    "arguments",
    "t.csv -m mae --order low",
    "t.csv -m mae --order low,medium,low",
    "t.csv -m mae --order low,high --labels low medium high",
    "n.csv -m mean(output) --order 1 2",
)
def test_orders_without_sense_are_usage_errors(arguments):
    assert call(f"score {arguments}").code == 2


def test_an_order_of_two_words_can_be_scored():
    found = tallystick.score(["no", "yes", "no"], ["no", "no", "no"], "mae", order=["no", "yes"])
    assert found.scores[0].value == pytest.approx(1 / 3)
    assert tallystick.score(["a", "b", "a"], ["a", "b", "b"], "qwk", order=["a", "b"]).scores


def test_python_names_the_argument():
    with pytest.raises(UsageError, match="`order=` names all labels"):
        tallystick.score(GOLD, OUTPUT, "mae", order=["low"])
    with pytest.raises(InputError, match="label 'high' is not one of"):
        tallystick.score(GOLD, OUTPUT, "mae", order=["low", "medium"])
