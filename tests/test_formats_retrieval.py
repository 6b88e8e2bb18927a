"""Forms of qrels, runs and lists of documents, with the values of ir_measures and BEIR."""

import json
from typing import Any

import pandas as pd
import pytest

import tallystick
from faults import call, write

QRELS = "q1 0 d1 2\nq1 0 d3 1\nq1 0 d4 0\nq2 0 d2 1\n"
RUN = {"q1": ["d4", "d1", "d9", "d3"], "q2": ["d7", "d2"]}
TREC = "".join(
    f"{query} Q0 {name} {rank} {9 - rank} t\n"
    for query, names in RUN.items()
    for rank, name in enumerate(names, 1)
)


def list_ranks(mark: str, first: int = 1) -> str:
    return "".join(
        mark.join((query, name, str(rank))) + "\n"
        for query, names in RUN.items()
        for rank, name in enumerate(names, first)
    )


def read(*arguments: str) -> dict[str, float]:
    outcome = call("score", *arguments, "--format", "json", "--no-intervals")
    assert 0 == outcome.code, outcome.err
    return {one["name"]: one["value"] for one in json.loads(outcome.out)["scores"]}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", ["run.txt", "run.tsv", "run"])
@pytest.mark.parametrize("mark", ["\t", " "])
@pytest.mark.parametrize("first", [0, 1])
def test_runs_of_ms_marco_have_the_values_of_trec_runs(name, mark, first):
    write({"q.txt": QRELS, "t.txt": TREC, name: list_ranks(mark, first)})
    metrics = ("-m", "nDCG@10", "RR@10", "R@2")
    assert read("q.txt", "t.txt", *metrics) == read("q.txt", name, *metrics)


@pytest.mark.parametrize("command", ["score", "compare", "rank"])
def test_runs_of_ms_marco_are_systems_of_every_command(command):
    write({"q.txt": QRELS, "a.tsv": list_ranks("\t"), "b.txt": TREC})
    outcome = call(command, "q.txt", "a.tsv", "b.txt", "-m", "RR@10")
    assert (0, True) == (outcome.code, "0.500" in outcome.out), outcome.err


@pytest.mark.parametrize(
    "lines", ["q1 d4 3\nq1 d1 1\n", "q1 d4 9\nq1 d1 8\nq2 d2 7\n", "q1 d4 1\nq1 d1 x\n"]
)
def test_three_columns_that_are_no_ranks_are_rejected(lines):
    write({"q.txt": QRELS, "r.txt": lines})
    assert 4 == call("score", "q.txt", "r.txt", "-m", "RR@10").code


BEIR = {"q1": {"q1": 1.0, "d1": 0.9}, "q2": {"q2": 1.0, "d2": 0.8}}
OWN_QRELS = {"q1": {"d1": 1}, "q2": {"d2": 1}}


def test_documents_with_the_id_of_their_query_are_left_out_as_by_beir():
    write({"q.json": json.dumps(OWN_QRELS), "r.json": json.dumps(BEIR)})
    metrics = ("q.json", "r.json", "-m", "nDCG@10", "RR@10")
    assert [0.630930, 0.5] == pytest.approx([*read(*metrics).values()], abs=1e-6)
    assert [1.0, 1.0] == [*read(*metrics, "--ignore-identical-ids").values()]


def test_python_leaves_out_identical_ids_and_says_so_in_the_signature():
    scored = tallystick.score(OWN_QRELS, BEIR, metrics=["RR"], ignore_identical_ids=True)
    (one,) = scored.scores
    assert (1.0, True) == (one.value, "ignore_identical_ids:True" in one.signature)


@pytest.mark.parametrize(
    ("relevant", "expected"), [(["d1", "d2"], 0.75), ([1, 2], 0.75), (["['d1']", '["d2"]'], 0.75)]
)
def test_a_single_document_needs_no_list(relevant, expected):
    other = [["d1", "x"], ["x", "d2"]] if isinstance(relevant[0], str) else [[1, 9], [9, 2]]
    table = pd.DataFrame({"id": [1, 2], "relevant": relevant, "retrieved": other})
    layout = {"gold": "relevant", "predicted": "retrieved", "intervals": None}
    (one,) = tallystick.score(table, metrics=["RR"], **layout).scores
    assert expected == one.value


def test_a_text_of_several_words_is_no_document():
    table = pd.DataFrame({"id": [1], "relevant": ["d1, d2"], "retrieved": [["d1"]]})
    with pytest.raises(tallystick.InputError, match="expected documents"):
        tallystick.score(table, metrics=["RR"], gold="relevant", predicted="retrieved")
