"""Rankings of documents: forms of files, ties, queries without results, names of metrics."""

import csv
import gzip
import json
import random
import shlex
from pathlib import Path

import numpy as np
import polars
import pyarrow
import pytest
from pyarrow import parquet

import tallystick
from matrix import run
from reference import rankings as twin
from tallystick.errors import InputError, UsageError
from tallystick.kinds.metrics.names import parse
from tallystick.kinds.rankings import RANKINGS
from tallystick.kinds.rankings.query_values import QueryValues, expect, measure, measure_range
from tallystick.kinds.texts import TEXTS
from tallystick.limits import LIMITS
from tallystick.model.reading import Reading

QRELS = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d4": 1}, "q3": {"d1": 0}}
RUN = {"q1": {"d2": 3.0, "d1": 2.0, "d9": 1.5}, "q2": {"d1": 1.0, "d4": 1.0}, "q3": {"d1": 1.0}}
METRICS = ["nDCG@10", "RR", "AP(rel=1)", "P@2", "R@2"]


def write_trec(folder, qrels=QRELS, *, mark=" ", **runs):
    paths = []
    for title, queries in {"qrels": qrels, **runs}.items():
        lines = [
            [query, "0", name, str(number)]
            if title == "qrels"
            else [query, "Q0", name, "1", str(number), title]
            for query, own in queries.items()
            for name, number in own.items()
        ]
        paths.append(str(folder / f"{title}.txt"))
        Path(paths[-1]).write_text("".join(f"{mark.join(line)}\n" for line in lines))
    return paths


def ask(*words):
    code, printed, notes = run(["score", *words, "--no-intervals", "--format", "json"])
    assert code == 0, notes
    return [one["value"] for one in json.loads(printed)["scores"]], notes


def refuse(*words):
    code, _, notes = run(words)
    assert code in (2, 4), notes
    return notes


@pytest.fixture
def files(tmp_path):
    return write_trec(tmp_path, run=RUN)


def read(qrels, returned):
    systems = RANKINGS.read_layout(qrels, {"run": returned}, Reading())
    return RANKINGS.of(systems), list(systems.ids)


def draw(seed, queries=60):
    chance = random.Random(seed)
    names = [f"d{place}" for place in range(12)]
    qrels, returned = {}, {}
    for place in range(queries):
        judged = chance.sample(names, chance.randint(1, 8))
        qrels[f"q{place}"] = {name: chance.choice([0, 0, 1, 1, 2, 4]) for name in judged}
        if place % 7:
            found = chance.sample(names, chance.randint(1, 7))
            returned[f"q{place}"] = {name: chance.randint(0, 3) / 2 for name in found}
    return qrels, returned


TWINS = {
    "ndcg": (twin.ndcg, {"k": None}, {"k": 3}),
    "rr": (twin.rr, {"k": None}, {"k": 2}, {"k": None, "rel": 2}),
    "map": (twin.ap, {"k": None}, {"k": 3}, {"k": None, "rel": 2}),
    "precision_at_k": (twin.precision, {"k": 1}, {"k": 5}, {"k": 3, "rel": 2}),
    "recall_at_k": (twin.recall, {"k": 1}, {"k": 4}, {"k": 4, "rel": 2}),
    "success_at_k": (twin.success, {"k": 1}, {"k": 3}, {"k": 2, "rel": 2}),
    "bpref": (twin.bpref,),
    "err": (twin.err,),
}
CASES = [(name, options) for name, (_, *own) in TWINS.items() for options in own]


@pytest.mark.parametrize(("seed", "name", "options"), [
    *((1, *case) for case in CASES),
    (2, "bpref", {}),
    (2, "bpref", {"rel": 2}),
    (2, "err", {"k": 4}),
])  # fmt: skip
def test_measures_are_those_of_the_definition(seed, name, options):
    qrels, returned = draw(seed)
    column, ids = read(qrels, returned)
    expected = [
        TWINS[name][0](twin.rank(returned.get(query, {})), qrels[query], **options) for query in ids
    ]

    found = measure(column, column.runs[0], QueryValues(name, **options))

    assert found.tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("name", "options"), CASES)
def test_expected_values_are_means_over_all_orders_of_ties(name, options):
    qrels, returned = draw(3, queries=40)
    column, ids = read(qrels, returned)
    each = [
        [TWINS[name][0](order, qrels[query], **options) for order in twin.list_orders(own)]
        for query in ids
        for own in [returned.get(query, {})]
    ]

    found = expect(column, column.runs[0], QueryValues(name, **options))
    open_by = measure_range(column, column.runs[0], QueryValues(name, **options))

    assert found.tolist() == pytest.approx([np.mean(values) for values in each], abs=1e-12)
    assert open_by.tolist() == pytest.approx(
        [max(values) - min(values) for values in each], abs=1e-12
    )


def test_negative_grades_are_unjudged():
    returned = {"q1": {"d2": 3.0, "d3": 2.0, "d1": 1.0}}

    found, expected = (
        tallystick.score(qrels, {"run": returned}, [*METRICS, "Bpref"]).scores
        for qrels in ({"q1": {"d1": 1, "d2": -1, "d3": 0}}, {"q1": {"d1": 1, "d3": 0}})
    )

    assert [one.value for one in found] == [one.value for one in expected]


@pytest.mark.parametrize("mark", [" ", "\t", "  ", " \t "])
def test_fields_are_parted_by_blanks_or_tabs(tmp_path, mark):
    files = write_trec(tmp_path, run=RUN, mark=mark)

    queries = [(twin.rank(RUN[query]), grades) for query, grades in QRELS.items()]
    measures = [
        lambda ranking, grades: twin.ndcg(ranking, grades, 10),
        twin.rr,
        twin.ap,
        lambda ranking, grades: twin.precision(ranking, grades, 2),
        lambda ranking, grades: twin.recall(ranking, grades, 2),
    ]
    expected = [np.mean([own(*query) for query in queries]) for own in measures]

    assert ask(*files, "-m", *METRICS)[0] == pytest.approx(expected)


def test_comments_blank_lines_and_junk_behind_the_fields_are_left_out(tmp_path):
    qrels, results = write_trec(tmp_path, run=RUN)
    text = "# a comment of six words 5 here\r\n\r\n" + "".join(
        f" {line} and more \r\n" for line in Path(results).read_text().splitlines()
    )
    packed = tmp_path / "packed.txt.gz"
    packed.write_bytes(gzip.compress((text + "  # the end").encode()))
    assert ask(qrels, str(packed), "-m", *METRICS)[0] == ask(qrels, results, "-m", *METRICS)[0]


def test_the_order_of_lines_and_ranks_changes_nothing(tmp_path):
    qrels, returned = draw(4)
    files = write_trec(tmp_path, qrels, run=returned)
    lines = Path(files[1]).read_text().splitlines()
    random.Random(5).shuffle(lines)
    mixed = tmp_path / "mixed.txt"
    mixed.write_text("\n".join(lines))
    assert ask(files[0], str(mixed), "-m", *METRICS)[0] == ask(*files, "-m", *METRICS)[0]


def test_a_query_over_the_border_of_two_chunks_is_one(tmp_path, monkeypatch):
    qrels, returned = draw(6)
    files = write_trec(tmp_path, qrels, run=returned)
    whole = ask(*files, "-m", *METRICS)[0]
    monkeypatch.setattr(LIMITS, "trec_piece", 50)
    assert ask(*files, "-m", *METRICS)[0] == whole


def _write_json(folder, indent=None, encoding="utf-8"):
    for name, own in (("qrels", QRELS), ("run", RUN)):
        (folder / f"{name}.json").write_text(json.dumps(own, indent=indent), encoding=encoding)
    return [str(folder / "qrels.json"), str(folder / "run.json")]


def _list_rows(own, number):
    return [
        {"query_id": query, "doc_id": name, number: value}
        for query, named in own.items()
        for name, value in named.items()
    ]


def _write_parquet(folder):
    for name, own, number in (("qrels", QRELS, "relevance"), ("run", RUN, "score")):
        table = pyarrow.Table.from_pylist(_list_rows(own, number))
        parquet.write_table(table, folder / f"{name}.parquet")
    return [str(folder / "qrels.parquet"), str(folder / "run.parquet")]


def _write_beir(folder):
    lines = [
        f"{row['query_id']}\t{row['doc_id']}\t{row['score']}" for row in _list_rows(QRELS, "score")
    ]
    (folder / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + "\n".join(lines) + "\n")
    return [str(folder / "test.tsv"), write_trec(folder, run=RUN)[1]]


def _write_lines(folder):
    return _write_json(folder, indent=2, encoding="utf-8-sig")


@pytest.mark.parametrize("words", [["-m", *METRICS], ["-m", "AP"], []], ids=["all", "AP", "usual"])
@pytest.mark.parametrize("write", [_write_json, _write_lines, _write_parquet, _write_beir])
def test_other_forms_give_what_trec_files_give(tmp_path, files, write, words):
    assert ask(*write(tmp_path), *words)[0] == ask(*files, *words)[0]


@pytest.mark.parametrize(("name", "text", "value"), [
    ("a.csv", "query_id,doc_id,label,prediction\nq1,d1,1,1\nq1,d2,0,1\n", 0.5),
    ("a.json", '{"meta": {"a": 1}, "label": 1, "prediction": 1}\n' * 2, 1.0),
])  # fmt: skip
def test_tables_that_hold_more_than_qrels_are_no_rankings(tmp_path, name, text, value):
    path = tmp_path / name
    path.write_text(text)
    assert ask(str(path))[0][-1] == value


@pytest.mark.parametrize("build", [
    dict,
    lambda own: polars.DataFrame(_list_rows(own, "score")),
    lambda own: polars.DataFrame(_list_rows(own, "score")).cast({"doc_id": polars.Categorical}),
    lambda own: pyarrow.Table.from_pylist(_list_rows(own, "score")),
], ids=["dictionaries", "polars", "categories", "pyarrow"])  # fmt: skip
def test_python_gives_what_the_command_prints(files, build):
    qrels, returned = map(build, (QRELS, RUN))

    scored, usual = (
        tallystick.score(qrels, {"run": returned}, metrics, intervals=False)
        for metrics in (METRICS, None)
    )

    assert [one.value for one in scored.scores] == ask(*files, "-m", *METRICS)[0]
    assert [one.value for one in usual.scores] == ask(*files)[0]


def test_one_run_needs_no_name():
    alone, named = (tallystick.score(QRELS, own, METRICS) for own in (RUN, {"run": RUN}))
    assert [one.value for one in alone.scores] == [one.value for one in named.scores]
    assert {one.system for one in alone.scores} == {"predictions"}


def test_groups_clusters_and_weights_of_dictionaries_go_by_query():
    by = {"q1": "long", "q2": "short", "q3": "short"}
    scored = tallystick.score(QRELS, {"run": RUN}, "RR", by=by, weights={"q1": 1, "q2": 3, "q3": 1})
    assert {one.group: one.value for one in scored.scores}["short"] == 3 / 4


def test_counts_are_printed_as_whole_numbers(files):
    _, printed, _ = run(["score", *files, "-m", "NumQ", "NumRet", "NumRel", "--format", "csv"])
    assert printed.splitlines()[1] == "run,3,3,6,3"


def test_weights_change_no_number_of_queries():
    run = {name: own for name, own in RUN.items() if name != "q3"}
    weights = {"q1": 1.5, "q2": 3, "q3": 1}
    (score,) = tallystick.score(QRELS, {"run": run}, "RR", weights=weights).scores
    assert (score.n, score.left_out) == (2, 1)


def test_a_table_of_queries_has_groups_clusters_and_weights(tmp_path, files):
    table = tmp_path / "queries.csv"
    table.write_text(
        "query_id,length,w,topic\nq9,long,1,c\nq3,short,1,a\nq2,short,3,b\nq1,long,1,a\n"
    )

    words = [*files, "-m", "RR", "--queries", str(table)]
    values, _ = ask(*words, "--by", "length", "--weight-column", "w")
    code, printed, _ = run(["score", *words, "--clusters", "topic", "--format", "json"])

    assert values[:2] == [1 / 2, 3 / 4]
    assert code == 0
    assert json.loads(printed)["scores"][0]["value"] == pytest.approx(1 / 2)


def test_queries_without_results_are_told_and_left_out_or_wrong(tmp_path):
    files = write_trec(tmp_path, run={query: own for query, own in RUN.items() if query != "q2"})

    both, notes = ask(*files, "-m", "RR", "num_q")
    every, more = ask(*files, "-m", "RR", "num_q", "--missing", "wrong")

    assert (both, every) == ([1 / 4, 2], [1 / 6, 3])
    assert "2 of 3" in run(["score", *files])[1]
    assert "run has no results for 1 of 3 queries: left out, as by trec_eval" in notes
    assert "run has no results for 1 of 3 queries: they count as 0 (--missing wrong)" in more


def test_common_queries_are_those_with_results_in_all_runs(tmp_path):
    some = {query: own for query, own in RUN.items() if query != "q2"}
    files = write_trec(tmp_path, all=RUN, some=some)
    values, notes = ask(*files, "-m", "RR", "num_q", "--missing", "common")
    assert [1 / 4, 2, 1 / 4, 2] == values
    assert "some has no results for 1 of 3 queries: left out for every run" in notes


def test_a_figure_shows_scores_by_depth(files):
    names = [word for k in (10, 1, 2) for word in (f"nDCG@{k}", "AP")]
    result = tallystick.score(files[0], files[1], names)
    rows = result.figure("depths").spec["data"]["values"]
    assert [1, 2, 10] == [one["depth"] for one in rows]
    assert [result[f"nDCG@{k}"] for k in (1, 2, 10)] == [one["value"] for one in rows]
    with pytest.raises(UsageError, match="at several k"):
        tallystick.score(files[0], files[1], "AP").figure("depths")


def test_queries_without_judgements_or_relevant_documents_are_told(tmp_path):
    files = write_trec(tmp_path, run={**RUN, "q8": {"d1": 1.0}, "q9": {"d1": 1.0}})
    _, notes = ask(*files, "-m", "RR")
    assert "run has results for 2 queries that are not in the qrels" in notes
    assert "1 of 3 queries have no relevant document in the qrels: every run scores 0" in notes


def test_ties_that_decide_a_score_are_told(files):
    _, notes = ask(*files, "-m", "RR", "R@2")
    _, settled = ask(*files, "-m", "RR(ties=expected)")
    expected, _ = ask(*files, "-m", "RR(ties=expected)")

    message = (
        "the order of documents with equal scores decides up to 0.1667 of run in RR; ties=expected"
    )
    assert message in notes
    assert "R@2" not in notes
    assert "equal scores" not in settled
    assert expected == pytest.approx([(1 / 2 + 3 / 4 + 0) / 3])


@pytest.mark.parametrize(("text", "name"), [
    ("nDCG@10", "nDCG@10"), ("ndcg_cut_10", "nDCG@10"), ("ndcg", "nDCG"), ("RR", "RR"),
    ("MRR@10", "RR@10"), ("recip_rank", "RR"), ("RR(rel=2)@10", "RR(rel=2)@10"), ("map", "AP"),
    ("map_cut_100", "AP@100"), ("AP@100", "AP@100"), ("AP(rel=2)", "AP(rel=2)"), ("P@10", "P@10"),
    ("P_10", "P@10"), ("P(rel=2)@5", "P(rel=2)@5"), ("R@100", "R@100"), ("recall_100", "R@100"),
    ("Success@5", "Success@5"), ("success_5", "Success@5"), ("Rprec", "Rprec"), ("Bpref", "Bpref"),
    ("infAP", "infAP"), ("RBP(p=.8)", "RBP(p=0.8)"), ("RBP", "RBP(p=0.8)"), ("rbp", "RBP(p=0.9)"),
    ("ERR@20", "ERR@20"), ("Judged@10", "Judged@10"), ("RBP(p=.5)", "RBP(p=0.5)"),
    ("RBP(p=.5, rel=1)@5", "RBP(rel=1, p=0.5)@5"), ("P.5", "P@5"), ("ndcg_cut.10", "nDCG@10"),
    ("SetP", "SetP"), ("set_P", "SetP"), ("SetR", "SetR"), ("set_recall", "SetR"), ("SetF", "SetF"),
    ("SetF(beta=2)", "SetF(beta=2)"), ("NumQ", "NumQ"), ("num_q", "NumQ"), ("NumRet", "NumRet"),
    ("NumRet(rel=1)", "NumRelRet"), ("num_rel_ret", "NumRelRet"), ("NumRel", "NumRel"),
    ("IPrec@0.1", "IPrec@0.1"), ("iprec_at_recall_0.10", "IPrec@0.1"),
    ("nDCG(ties=expected)@10", "nDCG(ties=expected)@10"),
])  # fmt: skip
def test_metrics_have_the_names_of_ir_measures_and_of_trec_eval(text, name):
    metric = parse(text)
    assert metric.name == name
    assert parse(repr(metric)) == metric


def test_ap_is_that_of_rankings_where_gold_is_qrels(files):
    assert ask(*files, "-m", "AP")[0] == ask(*files, "-m", "map")[0]
    assert parse("AP").name == "average_precision"


@pytest.mark.parametrize(("name", "line", "message"), [
    ("run", "q1 Q0 d2 1 2.0 t", "the document 'd2' is returned twice for the query 'q1'"),
    ("run", "q1 Q0 d7 1 high t", "run.txt, line 7: the score is 'high', not a number"),
    ("run", "q1 Q0 d7 1 nan t", "run.txt, line 7: the score is 'nan', not a number"),
    ("run", "q1 Q0 d7 1", "run.txt, line 7: 'q1 Q0 d7 1' is not a line of a run"),
    ("qrels", "q1 0 d1 1", "the document 'd1' is judged twice for the query 'q1'"),
    ("qrels", "q1 0 d7 high", "qrels.txt, line 6: the grade is 'high', not a number"),
    ("qrels", "q1 0 d7", "qrels.txt, line 6: 'q1 0 d7' is not a line of qrels"),
])  # fmt: skip
def test_a_wrong_line_is_named(tmp_path, files, name, line, message):
    with open(tmp_path / f"{name}.txt", "a") as file:
        file.write(line + "\n")
    assert message in refuse("score", *files, "-m", "RR")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("qrels.txt run.txt --by length",
         "there is no column 'length' here; name a table of queries"),
        ("qrels.txt run.txt --queries few.csv --by length",
         "few.csv: 2 of 3 examples are missing, such as 'q2'"),
        ("qrels.txt run.txt --queries none.csv",
         "none.csv: has no column of ids, such as 'query_id'"),
        ("qrels.txt run.txt -m RR --queries queries.csv --where \"length == 'long'\"",
         "--where can only be used with columns, not with rankings of documents"),
        ("gold.csv --systems a -m f1 --queries gold.csv", ("--queries can only be used with "
                                                          "qrels and runs")),
        ("qrels.txt readme.txt", "readme.txt: contains neither lines of a TREC file"),
        ("run.txt qrels.txt -m RR", "is a TREC run; name the qrels first"),
        ("qrels.txt qrels.txt -m RR", "contains TREC qrels, where a run was expected"),
        ("qrels.txt -m RR", "name the runs after the qrels"),
        ("qrels.txt run.txt -m bleu",
         "contains rankings of documents, which metrics of texts do not score"),
        ("rag.jsonl --systems a -m RR",
         "expected documents, found 7: write a list such as"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("files")
def test_a_wrong_command_is_told(tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "few.csv": "query_id,length\nq1,long\n",
        "none.csv": "a,length\nq1,long\n",
        "queries.csv": "query_id,length\nq1,long\nq2,short\nq3,long\n",
        "gold.csv": "id,gold,a\n1,x,x\n2,y,x\n",
        "readme.txt": "Runs of May\n",
        "rag.jsonl": '{"gold": ["d1"], "a": 7}\n',
    }.items():
        (tmp_path / name).write_text(text)

    assert message in refuse("score", *shlex.split(words))


def test_runs_may_have_anything_for_q0(tmp_path):
    qrels, results = write_trec(tmp_path, run=RUN)
    other = tmp_path / "other.txt"
    other.write_text(Path(results).read_text().replace(" Q0 ", " 0 "))
    assert ask(qrels, str(other), "-m", *METRICS)[0] == ask(qrels, results, "-m", *METRICS)[0]


def test_files_are_recognised_without_metrics(files):
    code, printed, _ = run(["score", *files, "--format", "json"])
    names = [one["name"] for one in json.loads(printed)["scores"]]
    assert (code, names) == (0, ["nDCG@10", "RR@10", "AP", "R@100"])


def test_changed_queries_show_the_documents_that_moved(tmp_path):
    files = write_trec(tmp_path, a=RUN, b={**RUN, "q1": {"d1": 3.0, "d2": 2.0, "d8": 1.0}})
    flips = tmp_path / "flips.csv"

    run(["compare", *files, "-m", "RR", "--flips", str(flips)])

    (row,) = csv.DictReader(flips.read_text().splitlines())
    assert (row["example"], row["gold"], row["better"]) == ("q1", "d1 (2), d3 (1)", "b")
    assert row["output_a"] == "d1 (2, up 1), d2 (0, down 1), d8 (-, new)"
    assert row["output_b"] == "d2 (0, up 1), d1 (2, down 1), d9 (-, new)"


def test_documents_from_below_those_shown_are_not_called_new(tmp_path):
    first = {name: -place for place, name in enumerate([f"d{place:02}" for place in range(12)])}
    files = write_trec(
        tmp_path, {"q": {"d11": 1}}, a={"q": first}, b={"q": {**first, "d11": 0.5, "e": -1.5}}
    )
    flips = tmp_path / "flips.csv"
    assert run(["compare", *files, "-m", "RR", "--flips", str(flips)])[0] == 0

    (row,) = csv.DictReader(flips.read_text().splitlines())

    assert row["output_a"].startswith("d11 (1, new to the first 10), d00 (-, down 1)")


def test_segments_are_queries(files):
    code, printed, _ = run(["score", *files, "-m", "RR", "--segments", "--format", "csv"])
    assert code == 0
    assert printed.splitlines() == ["system,segment,RR", "run,q1,0.5", "run,q2,1.0", "run,q3,0.0"]


def test_a_run_that_cannot_be_read_is_set_aside_by_rank(tmp_path):
    files = write_trec(tmp_path, a=RUN, b=RUN)
    with open(files[2], "a") as file:
        file.write("q1 Q0 d2 1 2.0 t\n")

    _, printed, _ = run(["rank", *files, "-m", "RR", "--format", "json"])

    result = json.loads(printed)
    assert [place["system"] for place in result["places"]] == ["a"]
    assert "is returned twice" in result["rejected"][0]["reason"]


def test_runs_of_a_folder_are_ranked(tmp_path):
    qrels, a, b = write_trec(tmp_path, a=RUN, b={**RUN, "q1": {"d1": 1.0}})
    runs = tmp_path / "runs"
    runs.mkdir()
    for path in (a, b):
        (runs / path.rpartition("/")[2]).write_text(Path(path).read_text())
    words = ["rank", qrels, "-m", "RR", "--format", "json"]

    of_folder, named = (
        json.loads(run([*words[:2], *files, *words[2:]])[1])["places"]
        for files in (["--submissions", str(runs)], [a, b])
    )

    assert [one["system"] for one in of_folder] == ["b", "a"]
    assert of_folder == named


def test_runs_are_ranked_by_the_first_usual_metric(tmp_path):
    files = write_trec(tmp_path, a=RUN, b={"q1": {"d3": 1.0}})
    code, printed, _ = run(["rank", *files, "--format", "json"])
    ranking = tallystick.rank(QRELS, {"a": RUN, "b": {"q1": {"d3": 1.0}}})
    assert code == 0
    assert json.loads(printed)["places"][0]["name"] == "nDCG@10" == ranking.places[0].name


def test_a_saved_tally_gives_the_same_scores(tmp_path, files):
    saved = str(tmp_path / "run.tally")
    assert run(["count", *files, "-m", *METRICS, "-o", saved])[0] == 0
    assert ask(saved)[0] == ask(*files, "-m", *METRICS)[0]


@pytest.mark.parametrize(("relevant", "retrieved"), [
    (["d1", "d3"], ["d2", "d3", "d1"]),
    ({"d1": 1, "d3": 1}, {"d3": 0.5, "d2": 0.9, "d1": 0.1}),
    ([{"id": "d1", "grade": 1}, {"id": "d3"}],
     [{"doc_id": "d2", "score": 9}, {"doc_id": "d1", "score": 1}, {"doc_id": "d3", "score": 2}]),
    ([["d1", 1], ["d3", 1]], [["d2", 9], ["d3", 8], ["d1", 7]]),
], ids=["lists", "objects", "lists of objects", "lists of pairs"])  # fmt: skip
def test_logs_list_relevant_and_retrieved_documents_in_a_row(tmp_path, relevant, retrieved):
    log = tmp_path / "rag.jsonl"
    log.write_text(json.dumps({"relevant": relevant, "retrieved": retrieved, "lang": "en"}) + "\n")
    columns = ("--gold-column", "relevant", "--predicted-column", "retrieved")
    values, _ = ask(str(log), str(log), *columns, "-m", "RR", "AP", "R@2", "P@3")
    assert values == pytest.approx([1 / 2, (1 / 2 + 2 / 3) / 2, 1 / 2, 2 / 3])


def test_a_score_of_0_has_its_reason():
    deep, none = (
        tallystick.score({"q1": {"d1": 1}}, {"run": own}, ["P@1", "R@1", "RR"]).notes
        for own in ({"q1": {"d2": 2.0, "d1": 1.0}}, {"q1": {"d2": 2.0}})
    )
    message = "P@1, R@1 of run are 0: it has no relevant document among the first 1 of any query."
    assert message in deep
    assert "RR of run is 0: it returns no relevant document for any query." in none


@pytest.mark.parametrize(
    ("qrels", "returned", "options", "message"),
    [
        ({"q1": {"d1": 1e99}}, {"run": RUN}, {}, "a grade is 1e.99; grades are numbers below 2.53"),
        ({"q1": {"d1": "yes"}}, {"run": RUN}, {},
         "gold, query 'q1', document 'd1' is 'yes', where a number was"),
        ({"q1": {"d1": None}}, {"run": RUN}, {},
         "gold, query 'q1', document 'd1': the number is missing"),
        ({"q1": {"d1": 1}, "q2": 3}, {"run": RUN}, {}, "the query 'q2' contains int"),
        ({"q1": ["d1"]}, {"run": RUN}, {},
         "the query 'q1' contains list, where a dictionary of documents was expected"),
        ({}, {"run": RUN}, {}, "gold: contains no queries"),
        ([["d1"], ["d2"]], [["d1"]], {}, "there are lists of 1 queries, and gold has 2"),
        (QRELS, {"run": {"q7": {"d1": 1.0}}}, {}, "returns no document for any query of the qrels"),
        (QRELS, {"run": RUN}, {"by": {"q1": "a", "q2": "a"}},
         "no value is given for 1 examples, such as 'q3'"),
    ],
)  # fmt: skip
def test_wrong_data_in_memory_are_told(qrels, returned, options, message):
    with pytest.raises(InputError, match=message):
        tallystick.score(qrels, returned, "RR", **options)


@pytest.mark.parametrize(("options", "message"), [
    ({"task": "multiclass"}, "rankings of documents"),
    ({"kind": TEXTS}, "rankings of documents"),
    ({"systems": ["a"]}, "rankings of documents"),
    ({"where": "length == 'long'"}, "`where=` can only be used with columns"),
])  # fmt: skip
def test_qrels_are_nothing_else(options, message):
    with pytest.raises(UsageError, match=message):
        tallystick.score(QRELS, {"run": RUN}, "RR", **options)


@pytest.mark.parametrize(
    "text", ["P@0", "RR(rel=-1)", "RBP(p=2)", "IPrec@1.5", "nDCG(ties=random)"]
)
def test_options_out_of_range_are_rejected(text):
    with pytest.raises(UsageError):
        parse(text)
