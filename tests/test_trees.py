"""Dependency trees in CoNLL-U, scored as the CoNLL 2018 shared task's script scores them."""

import io
import json

import pytest

import tallystick
from matrix import run
from tallystick.kinds.trees import TREES, TYPES, list_measures
from tallystick.kinds.trees.conllu import read_conllu
from tallystick.kinds.trees.tree_reader import COLUMNS, count_sentences
from tallystick.model.reading import Reading
from treebanks import write_pair

RECORDED = {
    "Tokens": (2376, 3868, 3819, 0),
    "Sentences": (610, 1084, 1071, 0),
    "Words": (3232, 5632, 5528, 0),
    "UPOS": (2552, 5632, 5528, 3232),
    "XPOS": (2296, 5632, 5528, 3232),
    "UFeats": (2286, 5632, 5528, 3232),
    "AllTags": (1906, 5632, 5528, 3232),
    "Lemmas": (2506, 5632, 5528, 3232),
    "UAS": (2174, 5632, 5528, 3232),
    "LAS": (1894, 5632, 5528, 3232),
    "CLAS": (1278, 3614, 3572, 2094),
    "MLAS": (1120, 3614, 3572, 2094),
    "BLEX": (1220, 3614, 3572, 2094),
}
"""What is correct, in gold, in the system and aligned in `write_pair` of the seeds 0 to 399, by
`udtools.udeval.evaluate` of udtools 0.2.9, summed."""
NAMES = [
    name if measure == "f1" else f"{name}_{measure}"
    for name in TYPES
    for measure in list_measures(name)
]
SENTENCE = """\
# newdoc id = d1
# sent_id = s1
1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tdo\tdo\tAUX\t_\t_\t3\taux\t_\t_
2\tn't\tnot\tPART\t_\t_\t3\tadvmod\t_\t_
2.1\tyou\tyou\tPRON\t_\t_\t_\t_\t_\t_
3\tgo\tgo\tVERB\t_\tMood=Imp\t0\troot\t_\t_

"""


def write(folder, **texts):
    paths = [folder / name for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text, encoding="utf-8")
    return [str(path) for path in paths]


@pytest.fixture
def files(tmp_path):
    return write(tmp_path, gold=SENTENCE, a=SENTENCE)


def read_scores(*words):
    code, printed, notes = run(["score", *words, "--format", "json", "--no-intervals"])
    assert code == 0, notes
    return {(one["group"], one["name"]): one["value"] for one in json.loads(printed)["scores"]}


def test_scores_are_those_that_the_script_prints(shared):
    folder = shared / "data" / "conllu"
    lines = [line.split("|") for line in (folder / "eval.txt").read_text().splitlines()]
    rows = [[cell.strip() for cell in line] for line in lines if line[0].strip() in TYPES]
    found = read_scores(*sorted(map(str, folder.glob("*.conllu"))))

    assert [
        [
            name,
            *(f"{100 * found[None, f'{name}{end}']:.2f}" for end in ("_precision", "_recall", "")),
        ]
        + ([f"{100 * found[None, f'{name}_aligned_accuracy']:.2f}"] if aligned else [""])
        for name, *_, aligned in rows
    ] == rows
    assert len(found) == 49


def test_scores_of_other_words_and_sentences_are_those_of_the_script():
    gold, system = zip(*map(write_pair, range(400)), strict=True)

    result = tallystick.score(list(gold), list(system), NAMES, intervals=None)

    expected = []
    for name in NAMES:
        own, _, measure = name.partition("_")
        correct, gold, system, aligned = RECORDED[own]
        totals = {"": (gold + system) / 2, "precision": system, "recall": gold}
        expected.append(correct / totals.get(measure, aligned))
    assert [one.value for one in result.scores] == pytest.approx(expected, abs=1e-15)


@pytest.mark.peers
@pytest.mark.parametrize("start", range(0, 10_000, 1000))
def test_counts_of_sentences_add_up_to_those_of_the_script(start):
    from udtools.udeval import evaluate, load_conllu

    for seed in range(start, start + 1000):
        gold, system = write_pair(seed)
        message = evaluate(*(load_conllu(io.StringIO(own), "", {}) for own in (gold, system)))
        rows = count_sentences(read_conllu(gold, ""), read_conllu(system, ""))
        sums = dict(zip(COLUMNS, rows.sum(0).tolist(), strict=True))
        for name in TYPES:
            own = name.lower()
            unit = "content" if name in ("CLAS", "MLAS", "BLEX") else "words"
            unit, correct = (own, f"aligned_{own}") if f"gold_{own}" in COLUMNS else (unit, own)
            script = [
                getattr(message[name], one) for one in ("correct", "gold_total", "system_total")
            ]
            found = [sums[one] for one in (correct, f"gold_{unit}", f"system_{unit}")]
            assert found == script, (seed, name)


def test_what_a_system_cuts_otherwise_belongs_to_the_sentence_in_which_it_begins(tmp_path):
    words = "1\tab\t_\tX\t_\t_\t0\troot\t_\t_\n"
    gold = f"{words}\n{words}2\tc\t_\tX\t_\t_\t1\tdep\t_\t_\n"
    system = f"{words}2\tabc\t_\tX\t_\t_\t1\tdep\t_\t_\n"
    rows = count_sentences(read_conllu(gold, "gold"), read_conllu(system, "system"))
    found = dict(zip(COLUMNS, rows.T.tolist(), strict=True))

    sides = ("gold", "system", "aligned")
    assert [found[f"{side}_words"] for side in sides] == [[1, 2], [1, 1], [1, 0]]
    assert [found[f"{side}_sentences"] for side in sides] == [[1, 1], [1, 0], [0, 0]]


def test_groups_and_segments_go_by_the_comments_of_the_gold(tmp_path):
    second = SENTENCE.replace("# newdoc id = d1\n", "").replace("s1", "s2")
    third = SENTENCE.replace("d1", "d2").replace("s1", "s3")
    wrong = third.replace("\taux\t", "\tcop\t")
    files = write(tmp_path, gold=SENTENCE + second + third, a=SENTENCE + second + wrong)

    found = read_scores(*files, "-m", "LAS", "--by", "document")
    _, printed, _ = run(["score", *files, "-m", "las", "--segments", "--format", "csv"])

    assert (found["d1", "LAS"], found["d2", "LAS"]) == (1, 2 / 3)
    assert [line.split(",")[1] for line in printed.splitlines()[1:]] == ["s1", "s2", "s3"]


def test_intervals_resample_sentences_or_documents(tmp_path):
    document = SENTENCE + SENTENCE.partition("\n")[2] * 4
    wrong = document.replace("\taux\t", "\tcop\t")
    named = [(f"d{place}", (document, wrong)[place % 2]) for place in range(20)]
    gold = "".join(document.replace("d1", name) for name, _ in named)
    files = write(tmp_path, gold=gold, a="".join(text for _, text in named))

    def measure_width(*options):
        _, printed, _ = run(["score", *files, "-m", "LAS", "--format", "json", *options])
        (score,) = json.loads(printed)["scores"]
        return score["high"] - score["low"]

    assert measure_width("--clusters", "document") > 1.5 * measure_width()


def test_files_are_told_by_what_they_hold(files):
    assert set(read_scores(*files).values()) == {1.0}


@pytest.mark.parametrize(("words", "code", "message"), [
    ("-m mae", 2, "contains dependency trees, which metrics of numbers do not score"),
    ("-m f1", 0, "each token is an example, with its label in column '4'"),
    ("-m LAS --by genre", 4, "has no column 'genre', only 'sent_id', 'document'"),
])  # fmt: skip
def test_other_metrics_and_what_comments_do_not_say_are_rejected(files, words, code, message):
    found, _, notes = run(["score", *files, *words.split()])
    assert (found, message in notes) == (code, True)


def test_names_of_columns_are_names_of_metrics_for_treebanks_alone(tmp_path, files):
    (table,) = write(tmp_path, table="gold,words\nx,3\n")
    assert read_scores(*files, "-m", "words", "las") == {(None, "Words"): 1, (None, "LAS"): 1}
    assert read_scores(table, "--input-format", "csv", "-m", "words") == {(None, "mean(words)"): 3}


@pytest.mark.parametrize(("old", "new", "message"), [
    ("\t3\taux", "\t1\taux", "line 4: the HEADs lead in a cycle: words 1"),
    ("\t3\tadvmod", "\t0\tadvmod", "line 7: the words 2 and 3 have the HEAD 0; only one may"),
    ("\t0\troot", "\t1\troot", "line 4: the HEADs lead in a cycle: words 1 3"),
    ("\t3\taux", "\t9\taux", "line 4: the HEAD is 9, and the sentence has 3 words"),
    ("\t3\taux", "\t_\taux", "line 4: the HEAD is '_', not 0 or the number of a word"),
    ("\t3\taux", "\t-1\taux", "line 4: the HEAD is '-1', not 0 or the number of a word"),
    ("\t3\taux\t_\t_", "\t3\taux", "has 8 columns between tabs, not 10"),
    ("\t", " ", "has 1 column between tabs, not 10"),
    ("\n2\tn't", "\n3\tn't", "line 5: the ID is '3', where word 2 was expected"),
    ("1-2\t", "1-4\t", "line 7: the sentence ends before its word 4"),
    ("1-2\t", "2-3\t", "line 3: the token 2-3 stands where word 1 was expected"),
    ("1-2\t", "1-101\t", "line 3: the token 1-101 has more than 100 words"),
    ("3\tgo", "3\t\u00a0", "line 7: the FORM is empty"),
    ("don't", "won't", 'the gold has "don\'tgo" on line 3, and it has "won\'tgo" on line 3'),
    ("3\tgo", "3\tgone", "the gold has its end, and it has 'ne' on line 7"),
])  # fmt: skip
def test_a_wrong_line_is_named(tmp_path, old, new, message):
    assert old in SENTENCE
    files = write(tmp_path, gold=SENTENCE, a=SENTENCE.replace(old, new))
    code, _, notes = run(["score", *files, "-m", "LAS"])
    assert (code, notes.startswith(f"tallystick: error: {files[1]}")) == (4, True)
    assert message in notes


def test_a_table_of_sentences_is_joined_by_sent_id(tmp_path):
    second = SENTENCE.replace("s1", "s2").replace("\taux\t", "\tcop\t")
    files = write(tmp_path, gold=SENTENCE + SENTENCE.replace("s1", "s2"), a=SENTENCE + second)
    twice, table = write(tmp_path, twice=SENTENCE * 2, table="sent_id,genre\ns2,web\ns1,news\n")
    beside = ["--queries", table, "--input-format", "csv", "--by", "genre"]

    found = read_scores(*files, "-m", "LAS", *beside)
    code, _, notes = run(["score", twice, twice, "-m", "LAS", *beside])

    assert (found["news", "LAS"], found["web", "LAS"]) == (1, 2 / 3)
    assert (code, "some sentences have no sent_id, or the same one" in notes) == (4, True)


def test_documents_without_an_id_are_called_by_their_first_line():
    text = SENTENCE.replace("# newdoc id = d1", "#newdoc")
    assert [{"sent_id": "s1", "document": "line 1"}] == read_conllu(text, "").comments


def test_a_first_line_without_all_columns_is_named(tmp_path):
    words = SENTENCE.partition("_\n")[2].replace("\t_\n", "\n")
    files = write(tmp_path, gold=SENTENCE.partition("1-2")[0] + words, a=SENTENCE)
    code, _, notes = run(["score", *files, "-m", "LAS"])
    assert code == 4
    assert f"{files[0]}, line 3: " in notes
    assert "has 9 columns between tabs, not 10" in notes


def test_the_text_of_hidden_gold_is_not_told(tmp_path):
    files = write(tmp_path, gold=SENTENCE, a=SENTENCE.replace("don't", "won't"))
    given = files[0], {"a": files[1]}, Reading(hidden=True)

    with pytest.raises(tallystick.InputError) as raised:
        TREES.read_layout(*given)

    assert str(raised.value) == (
        f"{files[1]}: is not of the same text as the gold, spaces aside: where they part it has "
        '"won\'tgo" on line 3'
    )


@pytest.mark.parametrize("change", ["\ufeff{}", "{}\n\n", "# global.columns = ID\n{}"])
def test_marks_of_encodings_blank_lines_and_line_ends_change_nothing(change):
    expected = read_conllu(SENTENCE, "")
    text = change.format(SENTENCE.rstrip("\n")).replace("\n", "\r\n")
    assert read_conllu(text.encode(), "").words == expected.words


def test_a_parser_that_cannot_be_read_is_set_aside_by_rank(tmp_path):
    broken = SENTENCE.replace("\t0\troot", "\t3\troot")
    files = write(tmp_path, gold=SENTENCE, a=SENTENCE, b=broken, c=SENTENCE)
    code, printed, _ = run(["rank", *files, "-m", "LAS", "--format", "json"])
    result = json.loads(printed)
    assert (code, {one["system"] for one in result["places"]}) == (0, {"a", "c"})
    assert "the HEADs lead in a cycle" in result["rejected"][0]["reason"]
