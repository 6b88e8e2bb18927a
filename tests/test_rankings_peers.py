"""Rankings scored as ir_measures, pytrec_eval, ranx and trec_eval score them."""

import json
import random
import warnings

import numpy as np
import pytest
from msgspec.structs import replace

from matrix import run
from tallystick.kinds.metrics.names import parse
from tallystick.kinds.rankings import RANKINGS
from tallystick.model.reading import Reading
from tallystick.scoring.per_example import sum_each

NAMES = (
    *("nDCG", "nDCG@5", "RR", "RR(rel=2)", "AP", "AP@5", "AP(rel=2)", "P@3", "P(rel=2)@5", "R@4"),
    *("R(rel=2)@2", "Success@1", "Success@3", "Rprec", "Bpref", "Bpref(rel=2)", "infAP"),
    *("SetP", "SetR", "SetF", "NumRet", "NumRet(rel=1)", "NumRel", "IPrec@0.1"),
)
"""What ir_measures computes by pytrec_eval."""

RANX = {
    "nDCG@5": "ndcg@5", "RR@3": "mrr@3", "AP": "map", "P@3": "precision@3", "R@4": "recall@4",
    "Success@2": "hit_rate@2", "Rprec": "r-precision",
}  # fmt: skip
"""The same metrics by their names in ranx."""

RECORDED = {
    "nDCG": 0.256867953, "nDCG@5": 0.202080853, "RR": 0.332309191, "RR(rel=2)": 0.171504610,
    "AP": 0.183652100, "AP@5": 0.144148608, "AP(rel=2)": 0.117533321, "P@3": 0.189620758,
    "P(rel=2)@5": 0.077844311, "R@4": 0.186783576, "R(rel=2)@2": 0.080938124,
    "Success@1": 0.185628743, "Success@3": 0.437125749, "Rprec": 0.177623325, "Bpref": 0.310132117,
    "Bpref(rel=2)": 0.161069528, "infAP": 0.191253279, "SetP": 0.197926225, "SetR": 0.375784146,
    "SetF": 0.228274838, "NumRet": 6.532934132, "NumRet(rel=1)": 1.341317365, "NumRel": 3.143712575,
    "IPrec@0.1": 0.354424916,
}  # fmt: skip
"""The means of ir_measures 0.4.3 with pytrec_eval-terrier 0.5.11 over `draw(9, 200)`."""

DOCUMENTS = [f"d{place}" for place in range(15)]


def draw(seed, queries):
    chance = random.Random(seed)
    qrels, run = {}, {}
    for place in range(queries):
        query, judged = f"q{place:05}", chance.sample(DOCUMENTS, chance.randint(1, 10))
        if place % 11:
            qrels[query] = {name: chance.choice([-1, 0, 0, 1, 1, 2, 3]) for name in judged}
        if place % 13:
            found = chance.sample(DOCUMENTS, chance.randint(1, 12))
            run[query] = {name: chance.randint(0, 8) / 2 for name in found}
    return qrels, run


def score(names, qrels, run):
    systems = RANKINGS.read_layout(qrels, {"run": run}, Reading())
    found = {}
    for name in names:
        metric = parse(RANKINGS.read_name(name) or name)
        values = metric.score(sum_each(metric.counter, systems)).tolist()
        pairs = zip(systems.ids, values, strict=True)
        found[name] = {query: value for query, value in pairs if query in run}
    return found


def test_means_are_those_that_ir_measures_gave():
    qrels, run = draw(9, 200)
    assert {
        name: np.mean([*own.values()]) for name, own in score(NAMES, qrels, run).items()
    } == pytest.approx(RECORDED, abs=1e-8)


@pytest.mark.peers
def test_queries_are_worth_what_ir_measures_says():
    import ir_measures

    qrels, run = draw(7, 20_000)
    measures = {ir_measures.parse_measure(name): name for name in NAMES}
    expected = {name: {} for name in NAMES}
    for one in ir_measures.iter_calc([*measures], qrels, run):
        if one.query_id in run:
            expected[measures[one.measure]][one.query_id] = one.value

    found = score(NAMES, qrels, run)

    assert min(map(len, expected.values())) > 16_000
    for name, values in expected.items():
        gaps = [abs(found[name][query] - value) for query, value in values.items()]
        assert (name, max(gaps) < 1e-6) == (name, True)


@pytest.mark.peers
def test_means_are_those_of_ranx():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from ranx import Qrels, Run, evaluate

        theirs = dict(zip(RANX.values(), RANX, strict=True))
        qrels, run = draw(8, 2_000)
        both = [query for query in run if any(grade > 0 for grade in qrels.get(query, {}).values())]
        qrels = {query: {name: max(own, 0) for name, own in qrels[query].items()} for query in both}
        run = {
            query: {name: own + at / 64 for at, (name, own) in enumerate(run[query].items())}
            for query in both
        }
        expected = evaluate(Qrels(qrels), Run(run), [*theirs])

    found = score([*RANX], qrels, run)

    assert {theirs[name]: value for name, value in expected.items()} == pytest.approx(
        {name: np.mean([*own.values()]) for name, own in found.items()}, abs=1e-9
    )


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
    "out.test.aql": ("qrels.rel_level", "results.test"),
}
"""The files of trec_eval's own tests, and how the command gives what they hold."""


def _read(path):
    rows = (line.split() for line in path.read_text().splitlines())
    return {(name, query): value for name, query, value in rows if name in MEASURES}


def _score(folder, call, measures, *options):
    qrels, results, *rest = call
    files = [str(folder / qrels), str(folder / results)]
    asked = list(map(parse, measures))
    if qrels == "qrels.rel_level":  # as trec_eval -l 2
        asked = [replace(one, rel=2) if getattr(one, "rel", 2) == 1 else one for one in asked]
    words = ["score", *files, "-m", *map(repr, asked), "--format", "json", *rest, *options]
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

    found = {
        (measure, one["group"]): _write(one["value"], expected.get((measure, one["group"]), "."))
        for measure, one in zip(measures * (len(scores) // len(measures)), scores, strict=True)
    }
    assert {key: found[key] for key in expected} == expected


def test_comments_change_nothing(shared):
    scores = [
        _score(shared / "data" / "trec", (qrels, "results.test"), ["map", "ndcg"])
        for qrels in ("qrels.test", "qrels.test.with-comments")
    ]
    assert scores[0] == scores[1]
