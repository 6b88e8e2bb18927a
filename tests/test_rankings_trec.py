"""TREC files scored as trec_eval 10.0 scores them, to every digit that it prints."""

import json

import pytest

from matrix import run

_DEPTHS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
MEASURES = (
    *("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "Rprec", "bpref", "recip_rank"),
    *("infAP", "ndcg", "set_P", "set_recall", "set_F", "rbp"),
    *(f"iprec_at_recall_{level / 10:.2f}" for level in range(11)),
    *(f"{name}_{k}" for name in ("P", "recall", "ndcg_cut", "map_cut") for k in _DEPTHS),
    *("success_1", "success_5", "success_10"),
)
CALLS = {
    "out.test": ("qrels.test", "results.test"),
    "out.test.a": ("qrels.test", "results.test"),
    "out.test.aq": ("qrels.test", "results.test"),
    "out.test.aqc": ("qrels.test", "results.trunc", "--missing", "wrong"),
    "out.test.aql": ("qrels.rel_level", "results.test", "--level", "2"),
}
"""The files of trec_eval's own tests, and how the command gives what they hold."""


def _read(path):
    rows = (line.split() for line in path.read_text().splitlines())
    return {(name, query): value for name, query, value in rows if name in MEASURES}


def _score(folder, call, measures, *options):
    qrels, results, *rest = call
    files = [str(folder / qrels), str(folder / results)]
    words = ["score", *files, "-m", *measures, "--format", "json", *rest, *options]
    code, printed, notes = run(words)
    assert code == 0, notes
    return json.loads(printed)["scores"]


def _write(value, like):
    return f"{value:.4f}" if "." in like else f"{value:.0f}"


@pytest.mark.parametrize("name", CALLS)
def test_means_are_those_that_trec_eval_prints(shared, name):
    expected = {
        key: value
        for key, value in _read(shared / "data" / "trec" / name).items()
        if key[1] == "all"
    }
    measures = [measure for measure, _ in expected]

    scores = _score(shared / "data" / "trec", CALLS[name], measures, "--no-intervals")

    found = [_write(one["value"], own) for one, own in zip(scores, expected.values(), strict=True)]
    assert found == list(expected.values())
    assert len(found) in (28, 64)


@pytest.mark.parametrize("name", ["out.test.aq", "out.test.aqc", "out.test.aql"])
def test_queries_are_those_that_trec_eval_prints(shared, name):
    expected = {
        key: value
        for key, value in _read(shared / "data" / "trec" / name).items()
        if key[1] != "all"
    }
    measures = [*dict.fromkeys(measure for measure, _ in expected)]

    scores = _score(shared / "data" / "trec", CALLS[name], measures, "--segments")

    queries = len(scores) // len(measures)
    found = {
        (measure, one["group"]): _write(one["value"], expected.get((measure, one["group"]), "."))
        for measure, one in zip(measures * queries, scores, strict=True)
    }
    assert {key: found[key] for key in expected} == expected


def test_comments_change_nothing(shared):
    scores = [
        _score(shared / "data" / "trec", (qrels, "results.test"), ["map", "ndcg"])
        for qrels in ("qrels.test", "qrels.test.with-comments")
    ]

    assert scores[0] == scores[1]
