"""Coreference in CoNLL-2012, CorefUD and JSON, scored as the reference scorer does."""

import json
import random
from fractions import Fraction

import numpy as np
import pytest

import tallystick
from matrix import run
from reference.coreference import RATIOS
from tallystick.io.tables.table import read_table
from tallystick.kinds.coreference.scores import _COLUMNS, _SUMS, count_document, match_best

ROLES = ("recall", "precision", "f1")


def spell(document):
    """Clusters of mentions that are called by letters: `a bc`."""
    return [[[ord(one), ord(one)] for one in own] for own in document.split()]


def score(gold, system, *metrics):
    sides = ([spell(one) for one in side.split("/")] for side in (gold, system))
    result = tallystick.score(*sides, list(metrics), intervals=None)
    return [one.value for one in result.scores]


def write(folder, **texts):
    for name, text in texts.items():
        path = folder / name.replace("__", ".")
        path.write_text(text if isinstance(text, str) else "".join(map(_line, text)))
    return [str(folder / name.replace("__", ".")) for name in texts]


def _line(row):
    return json.dumps(row) + "\n"


def test_published_cases_come_out(shared):
    folder = shared / "data" / "coreference"
    for case in json.loads((folder / "expected.json").read_text())["cases"]:
        named = {
            {"bcub": "b3"}.get(name, name): values
            for name, values in case["expected"].items()
            # Of these cases it has values of some metrics only, and ones for the others.
            if values != [1, 1, 1] or case["id"] not in ("B1", "C1", "D1", "E1")
        }
        metrics = [f"{name}_{role}" for name in named for role in ROLES]
        paths = (str(folder / case[side]) for side in ("key", "response"))
        found = [one.value for one in tallystick.score(*paths, metrics, intervals=None).scores]
        expected = [value for values in named.values() for value in values]
        assert found == pytest.approx(expected, abs=6e-6), case["id"]


@pytest.mark.parametrize(("gold", "system", "name", "recall", "precision"), [
    ("ab cde", "ab cde", "muc", "3/3", "3/3"),
    ("a bc def", "a de", "muc", "1/3", "1/1"),
    ("a bc def", "a de", "b3", "7/18", "3/3"),
    ("a bc def", "a de", "ceafe", "9/15", "9/10"),
    ("a bc def", "a de", "ceafm", "3/6", "3/3"),
    ("a bc def", "a de", "mention", "3/6", "3/3"),
    ("abcd", "ab cd", "muc", "2/3", "2/2"),
    ("ab cd", "abcd", "muc", "2/2", "2/3"),
    ("bcdeghj", "abc def ghi", "muc", "3/6", "3/6"),
    ("abc defg", "ab cd fgh", "muc", "2/5", "2/4"),
    ("abc defg", "ab cd fghi", "lea", "5/21", "1/3"),
    ("abc de", "ab cde", "lea", "3/5", "3/5"),
    ("a bc", "a b", "lea", "1/3", "1/2"),
    ("a bc", "ab c", "lea", "0/3", "0/3"),
    ("abc", "ab", "ceafe", "4/5", "4/5"),
    ("ab cde", "bcx de", "blanc", "7/24", "7/24"),
    ("ab cde fg", "bcx de fg", "blanc", "41/80", "41/80"),
    ("abcdef", "ab cde f", "blanc", "4/15", "4/4"),
    ("abcdef", "a b c d e f", "blanc", "0/15", "0/1"),
    ("a b c d e f", "ab cde f", "blanc", "11/15", "11/11"),
    ("a b c d e f", "abcdef", "blanc", "0/15", "0/1"),
    ("ab", "", "muc", "0/1", "0/1"),
    ("", "ab", "b3", "0/1", "0/1"),
    ("", "", "ceafe", "0/1", "0/1"),
    ("a", "a", "blanc", "0/1", "0/1"),
    ("a bc def", "a bcxb dy z", "b3", "5/9", "17/42"),
    ("a bc def", "a bcx dy bz", "ceafm", "4/6", "4/7"),
    ("ab/cd e", "ab/c de", "muc", "1/2", "1/2"),
    ("ab/abcd", "ab/ab cd", "muc", "3/4", "3/3"),
    ("ab/abcd", "ab/", "b3", "2/6", "2/2"),
])  # fmt: skip
def test_scores_are_the_ratios_that_hands_work_out(gold, system, name, recall, precision):
    shares = [float(Fraction(one)) for one in (recall, precision)]
    both = 2 * shares[0] * shares[1] / (sum(shares) or 1)
    if name == "blanc":
        both = score(gold, system, "blanc")[0]
    found = score(gold, system, *(f"{name}_{role}" for role in ROLES))
    assert found == pytest.approx([*shares, both], abs=1e-12)


@pytest.mark.parametrize(("gold", "system", "value"), [
    ("ab cde", "bcx de", Fraction(7, 24)),
    ("abcdef", "ab cde f", Fraction(8, 19)),
    ("a b c d e f", "a b c x y z", Fraction(1, 5)),
    ("a bc def", "a b c d e f", Fraction(11, 26)),
])  # fmt: skip
def test_blanc_is_the_mean_of_two_f1(gold, system, value):
    assert score(gold, system, "blanc") == pytest.approx([float(value)], abs=1e-12)


def test_conll_is_the_mean_of_three_f1():
    gold, system = "ab cde/fg", "ab cd e/f g"
    found = score(gold, system, "conll_f1", "muc", "b3", "ceafe")
    assert found[0] == pytest.approx(np.mean(found[1:]), abs=1e-15)


def test_singletons_can_be_left_out():
    gold, system = "a bc def", "a b cd ef"
    found = score(gold, system, "CoreferenceScore(type='mention', singletons=False)")
    assert found == score("bc def", "cd ef", "mention_f1")


@pytest.mark.parametrize("start", range(0, 10_000, 1000))
@pytest.mark.deep
def test_counts_are_those_of_the_definitions(start):
    for seed in range(start, start + 1000):
        rng = random.Random(seed)
        sides = [{}, {}]
        for mention in range(rng.randint(0, 8)):
            for side in sides:
                if rng.random() < 0.8:
                    side.setdefault(rng.randrange(5), []).append((mention, mention))
        gold, system = (tuple(map(tuple, side.values())) for side in sides)
        counts = dict(zip(_COLUMNS, count_document(gold, system), strict=True))
        for name, measure in RATIOS.items():
            expected = [*measure(gold, system), *measure(system, gold)]
            found = [counts[column] for column in _SUMS[name]]
            assert found == pytest.approx(expected, abs=1e-12), (seed, name)


@pytest.mark.parametrize("seed", range(40))
def test_the_assignment_is_the_best_one(seed):
    optimize = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(seed)
    weights = rng.random((rng.integers(1, 30), rng.integers(1, 30)))
    weights[rng.random(weights.shape) < rng.random()] = 0
    rows, columns = np.nonzero(weights)
    best = weights[optimize.linear_sum_assignment(-weights)].sum()
    assert match_best(rows, columns, weights[rows, columns]) == pytest.approx(best, abs=1e-12)


def write_2012(*columns, name="d1", part=" part 000"):
    lines = "".join(f"{name}\t0\t{at}\tw{at}\t{own}\n" for at, own in enumerate(columns))
    return f"#begin document ({name});{part}\n{lines}\n#end document\n"


@pytest.mark.parametrize(("columns", "clusters"), [
    ("(0) - (0)", [[[0, 0], [2, 2]]]),
    ("(1|(2)|1)", [[[0, 0]], [[0, 0]]]),
    ("(1(2 - 2)1)", [[[0, 2]], [[0, 2]]]),
    ("(1 (1 1) 1)", [[[1, 2], [0, 3]]]),
    ("(1 (2 1) 2)", [[[0, 2]], [[1, 3]]]),
    ("(12|(3) 12) _ * (3)", [[[0, 1]], [[0, 0], [4, 4]]]),
    ("- - -", []),
])  # fmt: skip
def test_brackets_of_conll_2012_are_mentions(tmp_path, columns, clusters):
    (path,) = write(tmp_path, k__v4_gold_conll=write_2012(*columns.split()))
    (found,) = read_table(path).values("clusters")
    assert sorted(found) == sorted(clusters)


def write_corefud(*entities, head="# newdoc id = d1\n# global.Entity = eid-etype-head-other\n"):
    rows = [own.rpartition(":") for own in entities]
    lines = (
        "\t".join([number or str(at), f"w{at}", *"_______", f"Entity={own}" if own else "_"])
        for at, (number, _, own) in enumerate(rows, 1)
    )
    return head + "\n".join(lines) + "\n\n"


@pytest.mark.parametrize(("entities", "clusters"), [
    (["(e1-person-1-)", "", "(e1--1)"], [[[0, 0], [2, 2]]]),
    (["(e1-x-1-(e2--1-", "e2)", "e1)"], [[[0, 2]], [[0, 1]]]),
    (["(e1[1/2]--1-", "e1[1/2])(e2--1-)", "", "(e1[2/2]--1-)"], [[[0, 1, 3, 3]], [[1, 1]]]),
    (["(e1[1/3]--1-)", "(e1[2/3]--1-)(e1--1-)", "(e1[3/3]--1-)"], [[[1, 1], [0, 0, 1, 1, 2, 2]]]),
    (["1:(e1--1-", "1.1:e1)(e2--1-)", "2:(e2--1-)"], [[[0, 1]], [[1, 1], [2, 2]]]),
    (["1-2:", "1:(e1--1-", "2:e1)"], [[[0, 1]]]),
])  # fmt: skip
def test_entities_of_corefud_are_mentions(tmp_path, entities, clusters):
    (path,) = write(tmp_path, k__conllu=write_corefud(*entities))
    assert read_table(path).values("clusters") == [clusters]


def test_the_field_that_names_the_entity_is_declared(tmp_path):
    head = "# global.Entity = etype-GRP-infstat\n# sent_id = s\n"
    (path,) = write(tmp_path, k__txt=write_corefud("(person-7-new)", "(x-7-old", "7)", head=head))
    table = read_table(path)
    assert (table.values("id"), table.values("clusters")) == (["1"], [[[[0, 0], [1, 2]]]])


@pytest.mark.parametrize(("text", "message"), [
    (write_2012("(1", "-"), "line 2: a mention of '1' begins here and does not end in its docum"),
    (write_2012("-", "1)"), "line 3: a mention of '1' ends that has not begun"),
    (write_2012("(1", "2)"), "line 3: a mention of '2' ends that has not begun"),
    (write_2012("1"), "line 2: '1' is no coreference, such as '(1)', '(1' or '1)'"),
    (write_2012("((1)"), "line 2: '((1)' is no coreference"),
    (write_2012("()"), "line 2: '()' is no coreference"),
    (write_2012("-") + "d1 0 0 w -\n", "line 5: this token is outside of '#begin document (name)'"),
    ("#begin document (d1);\n-\n", "line 2: this token has one column"),
    (write_corefud("(e1--1-", ""), "line 3: a mention of 'e1' begins here and does not end"),
    (write_corefud("e1)"), "line 3: a mention of 'e1' ends that has not begun"),
    (write_corefud("(e1[2/2]--1-)"), "line 3: part 2 of a mention of 'e1' has no part before it"),
    (write_corefud("(e1[1/2]--1-)"), "line 3: a mention of 'e1' begins here and does not end"),
    (write_corefud("").replace("\t_\n", "\n"), "line 3: has 9 columns between tabs, not 10"),
])  # fmt: skip
def test_malformed_brackets_are_named_with_their_line(tmp_path, text, message):
    own = "own.conllu" if "global" in text else "own.conll"
    gold = write_corefud("") if "global" in text else write_2012("-")
    paths = write(tmp_path, **{f"gold__{own[4:]}": gold, own: text})
    code, _, notes = run(["score", *paths, "-m", "conll_f1"])
    assert (code, f"{paths[1]}, {message}" in notes) == (4, True), notes


GOLD = [
    {"doc_key": "a", "tokens": ["Anna", "saw", "her"], "clusters": [[[0, 0], [2, 2]]]},
    {"doc_key": "b", "tokens": ["x", "y"], "clusters": []},
]


@pytest.mark.parametrize(("changed", "message"), [
    ({"clusters": None}, "line 2, column 'clusters': the clusters are missing"),
    ({"clusters": [[0, 0]]}, "expected a mention such as [0, 1], found 0"),
    ({"clusters": [[[1, 0]]]}, "expected a mention such as [0, 1], found [1, 0]"),
    ({"clusters": [[[-1, 0]]]}, "found [-1, 0]"),
    ({"clusters": [[[0, 0, 1]]]}, "found [0, 0, 1]"),
    ({"clusters": [[[True, True]]]}, "found [True, True]"),
    ({"clusters": "none"}, "expected clusters such as [[[0, 1], [5, 5]]], found 'none'"),
    ({"clusters": {"0": [[0, 0]]}}, "expected clusters such as [[[0, 1], [5, 5]]]"),
    ({"tokens": ["x"]}, "line 2: has 1 token, but"),
    ({"tokens": ["x", "z"]}, "line 2: token 2 is 'z', but 'y' in"),
    ({"tokens": [["x"], ["z"]]}, "token 2 is 'z', but 'y' in"),
    ({"doc_key": "c"}, "has no prediction for the id b of"),
])  # fmt: skip
def test_a_wrong_document_is_named(tmp_path, changed, message):
    paths = write(tmp_path, gold__jsonl=GOLD, own__jsonl=[GOLD[0], GOLD[1] | changed])
    code, _, notes = run(["score", *paths, "-m", "conll_f1"])
    assert (code, message in notes) == (4, True), notes


def read_scores(*words):
    code, printed, notes = run(["score", *words, "--format", "json", "--no-intervals"])
    assert code == 0, notes
    return {one["name"]: one["value"] for one in json.loads(printed)["scores"]}


USUAL = {
    *("conll_f1", "lea_f1", "blanc_f1", "mention_f1"),
    *(f"{name}_{role}" for name in ("muc", "b3", "ceafe") for role in ROLES),
}


def test_lists_in_memory_are_recognised():
    result = tallystick.score([spell("ab c"), []], [spell("ab"), spell("de")], intervals=None)
    assert {one.name for one in result.scores} == USUAL


@pytest.mark.parametrize("name", ["k__conll", "k__txt", "k__v4_auto_conll", "k__key", "k__conllu"])
def test_files_are_recognised_by_what_they_contain(tmp_path, name):
    text = write_2012("(1)", "(1)", "-")
    text = write_corefud("(e1--1)", "(e1--1)", "") if name.endswith("conllu") else text
    (path,) = write(tmp_path, **{name: text})
    assert set(read_scores(path, path)) == USUAL


@pytest.mark.parametrize(("gold", "own"), [
    ("clusters", "clusters"),
    ("clusters", "predicted_clusters"),
    ("gold_clusters", "clusters"),
    ("clusters_token_offsets", "clusters_token_offsets"),
])  # fmt: skip
def test_columns_have_the_names_that_tools_give_them(tmp_path, gold, own):
    rows = [{gold: spell("ab c")}, {gold: spell("de")}]
    outputs = [{own: spell("ab")}, {own: spell("d e")}]
    expected = dict(zip(("muc_f1", "b3_f1"), score("ab c/de", "ab/d e", "muc", "b3"), strict=True))
    paths = write(tmp_path, gold__jsonl=rows, own__jsonl=outputs)
    assert read_scores(*paths, "-m", "muc", "b3") == expected
    if gold != own:
        both = [one | other for one, other in zip(rows, outputs, strict=True)]
        assert read_scores(*write(tmp_path, both__jsonl=both), "-m", "muc", "B-cubed") == expected


def test_documents_are_joined_by_key_across_formats(tmp_path):
    parts = [write_2012("(1)", "(1)", part=f" part 00{at}") for at in range(2)]
    rows = [{"doc_key": f"d1_{at}", "clusters": [[[0, 0], [at, at]]]} for at in (1, 0)]
    paths = write(tmp_path, gold__conll="".join(parts), own__jsonl=rows)
    assert read_scores(*paths, "-m", "mention_recall") == {"mention_recall": 0.75}


def test_genres_are_groups_and_documents_clusters_of_their_parts(tmp_path):
    text = "".join(
        write_2012("(1)", own, name=f"{genre}/x/{at}", part=f" part 00{part}")
        for genre, own in (("bc", "(1)"), ("nw", "-"))
        for at in range(3)
        for part in range(2)
    )
    gold = text.replace("w1\t-", "w1\t(1)")
    paths = write(tmp_path, gold__conll=gold, own__conll=text)
    options = "-m muc --by genre --clusters document --format json"
    code, printed, _ = run(["score", *paths, *options.split()])
    found = {one["group"]: one["value"] for one in json.loads(printed)["scores"]}
    assert (code, found["bc"], found["nw"]) == (0, 1, 0)


def test_a_few_other_words_and_repeated_mentions_are_noted(tmp_path):
    gold = write_2012(*["(1)"] * 9)
    own = write_2012(*["(1)|(2)"] * 9).replace("w4", "v4")
    paths = write(tmp_path, gold__conll=gold, own__conll=own)
    code, _, notes = run(["score", *paths, "-m", "muc"])
    assert (code, "token 5 is 'v4', but 'w4' in" in notes) == (0, True)
    assert "own: 9 mentions of a document occur again; only the first occurrence counts." in notes


@pytest.mark.parametrize(("words", "code", "message"), [
    ("k.txt k.txt -m wer", 4, "contains coreference; score it with metrics such as conll_f1"),
    ("k.conll k.conll -m span_f1", 4, "has no gold column"),
    ("k.conll ner.conll -m muc", 4, "ner.conll: has no column 'id'"),
    ("ner.conll ner.conll -m muc", 4, "ner.conll: has no gold column: none is called gold_cluste"),
    ("ud.conllu ud.conllu -m muc", 2, "contains dependency trees, which metrics of coreference"),
    ("entities.conllu ud.conllu", 4, "ud.conllu: has no column 'id'"),
    ("k.conll k.conll -m muc --weight-column w", 2, "--weight-column can only be used with"),
    ("k.conll k.conll -m conll_recall", 2, "unknown metric 'conll_recall'"),
])  # fmt: skip
def test_other_files_and_metrics_are_rejected(tmp_path, monkeypatch, words, code, message):
    monkeypatch.chdir(tmp_path)
    tree = "1\tw1\tw\tX\t_\t_\t0\troot\t_\t_\n\n"
    write(tmp_path, k__conll=write_2012("(1)"), k__txt=write_2012("(1)"), ud__conllu=tree)
    write(tmp_path, ner__conll="EU B-ORG\nrejects O\n", entities__conllu=write_corefud("(e1--1)"))
    found, _, notes = run(["score", *words.split()])
    assert (found, message in notes) == (code, True), notes


def test_parsers_are_scored_on_files_with_entities_if_asked(tmp_path):
    row = "1\tw1\tw\tX\t_\t_\t0\troot\t_\tEntity=(e1--1)\n\n"
    (path,) = write(tmp_path, k__conllu=f"# global.Entity = eid-etype-head-other\n{row}")
    assert read_scores(path, path, "-m", "LAS") == {"LAS": 1}
    assert set(read_scores(path, path)) == USUAL


@pytest.mark.parametrize("form", ["conll", "jsonl"])
def test_a_task_takes_files_of_either_form(tmp_path, monkeypatch, form):
    monkeypatch.chdir(tmp_path)
    documents = ["ab c", "de", "ab", "acd be"]
    rows = [{"id": f"d{at}", "clusters": spell(own)} for at, own in enumerate(documents)]
    texts = [
        write_2012(
            *(f"({own.split().index(part)})" for part in own.split()), name=f"d{at}", part=""
        )
        for at, own in enumerate(documents)
    ]
    gold, half = {"conll": ("".join(texts), texts[0]), "jsonl": (rows, rows[:1])}[form]
    write(tmp_path, **{f"gold__{form}": gold, f"half__{form}": half})
    assert run(["task", "init", f"gold.{form}"])[0] == 0
    assert run(["task", "check", f"gold.{form}"])[0] == 0
    code, printed, _ = run(["task", "check", f"half.{form}"])
    assert (code, "has no prediction for 3 ids" in printed) == (4, True), printed
