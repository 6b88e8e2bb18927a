"""The commands `compare` and `rank`: files, folders, one table, tracks, and what stops them."""

import csv
import io
import json

import numpy as np
import pytest

import tallystick
from cases import cases
from tallystick.cli import main

LABELS = ("no", "yes")
SYSTEMS = ("gold.csv", "a.csv", "b.csv")


def draw_rows(size=120, seed=4):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 2, size)
    columns = {
        "id": [f"x{place}" for place in range(size)],
        "label": [LABELS[code] for code in gold],
        "lang": ["de" if place % 3 else "en" for place in range(size)],
        "doc": [f"d{place // 4}" for place in range(size)],
    }
    systems = {}
    for name, noise in (("a", 0.6), ("b", 1.5)):
        scores = 1 / (1 + np.exp(-(2 * gold - 1 + noise * rng.normal(size=size))))
        systems[name] = {
            "id": columns["id"],
            "y_prob": [f"{score:.4f}" for score in scores],
            "y_pred": [LABELS[int(score >= 0.5)] for score in scores],
        }
    return columns, systems


def write_table(path, columns, order=None):
    rows = list(zip(*columns.values(), strict=True))
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [tuple(columns), *(rows[place] for place in order or range(len(rows)))]
        )


@pytest.fixture
def files(folder):
    gold, systems = draw_rows()
    write_table("gold.csv", gold)
    write_table("a.csv", systems["a"], list(reversed(range(len(gold["id"])))))
    write_table("b.csv", systems["b"])
    lines_of = {name: own["y_pred"] for name, own in systems.items()}
    for name, lines in (lines_of | {"gold": gold["label"]}).items():
        (folder / f"{name}.txt").write_text("\n".join(lines), encoding="utf-8")
    return folder


@pytest.fixture
def texts(folder):
    rng = np.random.default_rng(2)
    lines = [list(rng.choice(list("abcdefgh"), 9)) for _ in range(60)]
    for name, chance in (("ref", 0), ("a", 0.1), ("b", 0.4)):
        garbled = ([("x" if rng.random() < chance else word) for word in line] for line in lines)
        (folder / f"{name}.txt").write_text("".join(f"{' '.join(line)}\n" for line in garbled))
    (folder / "who.txt").write_text("".join(f"{place // 5}\n" for place in range(60)))
    return folder


def run_json(capsys, *arguments):
    assert main(["compare", *arguments, "--format", "json", "--all-pairs"]) == 0
    return json.loads(capsys.readouterr().out)["differences"]


def test_table_ends_with_a_sentence(files, capsys):
    assert main(["compare", *SYSTEMS, "-m", "f1", "--resamples", "500"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "f1, and its difference from a (system - a)" == lines[0]
    assert ["system", "f1", "difference", "p"] == lines[2].split()
    assert "a is significantly better than b on f1." in lines


def test_the_baseline_is_the_one_that_was_named(files, capsys):
    options = ("-m", "f1", "--resamples", "300", "--format", "json")
    main(["compare", *SYSTEMS, *options, "--baseline", "b"])
    named = json.loads(capsys.readouterr().out)
    main(["compare", *SYSTEMS, *options])
    first = json.loads(capsys.readouterr().out)
    assert ("b", "a") == (named["baseline"], first["baseline"])
    assert [("a", "b")] == [(one["a"], one["b"]) for one in named["differences"]]
    assert named["differences"][0]["difference"] == -first["differences"][0]["difference"]
    assert named["differences"][0]["p"] == pytest.approx(first["differences"][0]["p"])


def test_three_systems_are_compared_with_the_first_or_with_each_other(files, capsys):
    options = ("-m", "f1", "--resamples", "300")
    systems = ("a.csv", "b.csv", "c=gold.csv")
    main(["compare", "gold.csv", *systems, *options, "--verbose"])
    rows = capsys.readouterr()
    main(["compare", "gold.csv", *systems, *options, "--all-pairs", "--verbose"])
    matrix = capsys.readouterr()
    assert "a (baseline)" in rows.out
    assert "corrected by Holm for 2 tests" in rows.err
    assert "Differences in f1: the system of the row - that of the column" in matrix.out
    assert "corrected by Holm for 3 tests" in matrix.err


def test_groups_are_columns(files, capsys):
    main(["compare", *SYSTEMS, "-m", "f1", "--by", "lang"])
    heading = capsys.readouterr().out.split("\n")[2]
    assert ["system", "de", "en", "macro", "micro"] == heading.split()


def test_records_have_the_fields_of_a_difference(files, capsys):
    records = run_json(capsys, *SYSTEMS, "-m", "roc_auc", "mcc", "--by", "lang")
    assert list(tallystick.results.Difference.__struct_fields__) == list(records[0])
    assert ["de", "de", "en", "en", "macro", "macro", "micro", "micro"] == [
        record["group"] for record in records
    ]
    assert {"t"} == {record["test"] for record in records}


def test_rows_are_joined_by_id(files, capsys):
    options = ("-m", "accuracy", "--resamples", "300")
    tables = run_json(capsys, *SYSTEMS, *options)
    lines = run_json(capsys, "gold.txt", "a.txt", "b.txt", *options)
    for name in ("difference", "low", "high", "p"):
        assert tables[0][name] == lines[0][name]


@cases("options", [], ["--by", "lang"], ids=str)
def test_clusters_are_drawn_together(files, capsys, options):
    plain = run_json(capsys, *SYSTEMS, "-m", "f1")
    clustered = run_json(capsys, *SYSTEMS, "--clusters", "doc", *options, "-m", "f1")
    assert "clusters:yes" in clustered[0]["signature"]
    assert plain[0]["low"] != clustered[-1]["low"]
    assert plain[0]["difference"] == clustered[-1]["difference"]


@cases("path", "flips.jsonl", "flips", "flips.md", "-")
def test_flips_in_another_format_are_rejected(files, capsys, path):
    assert 2 == main(["compare", *SYSTEMS, "-m", "accuracy", "--flips", path])
    assert f"--flips writes .csv or .json, not {path}\n" in capsys.readouterr().err


def test_flips_are_written(files, capsys):
    gold, systems = draw_rows()
    write_table("gold.csv", gold | {"comment": [f"text {name}" for name in gold["id"]]})
    options = ("--flips", "flips.csv", "--baseline", "b", "--text-column", "comment")
    main(["compare", *SYSTEMS, "-m", "accuracy", *options])
    rows = zip(gold["id"], gold["label"], *(own["y_pred"] for own in systems.values()), strict=True)
    expected = {
        name: (f"text {name}", label, left, right, "a" if left == label else "b")
        for name, label, left, right in rows
        if left != right
    }
    names = ("text", "gold", "output_a", "output_b", "better")
    with open("flips.csv", encoding="utf-8") as file:
        found = {row["example"]: tuple(map(row.get, names)) for row in csv.DictReader(file)}
    assert expected == found


def test_the_input_text_of_a_flip_is_found_by_its_usual_name(files, capsys):
    gold, _ = draw_rows()
    arguments = (*SYSTEMS, "-m", "accuracy", "--flips", "flips.json")
    main(["compare", *arguments])
    without = json.loads((files / "flips.json").read_text())
    write_table("gold.csv", gold | {"text": gold["id"]})
    main(["compare", *arguments])
    found = json.loads((files / "flips.json").read_text())
    assert {None} == {flip["text"] for flip in without}
    assert [flip["example"] for flip in found] == [flip["text"] for flip in found]


def test_texts_are_compared(texts, capsys):
    records = run_json(
        capsys,
        *("ref.txt", "a.txt", "b.txt", "-m", "bleu", "wer", "--clusters", "who.txt"),
        *("--flips", "flips.json", "--resamples", "500"),
    )
    flips = json.loads((texts / "flips.json").read_text(encoding="utf-8"))
    assert [("bleu", True), ("wer", False)] == [
        (record["name"], record["difference"] > 0) for record in records
    ]
    assert 0 < len(flips) <= 60
    assert (texts / "ref.txt").read_text().splitlines()[int(flips[0]["example"]) - 1] == (
        flips[0]["gold"]
    )
    assert {"a": True, "b": False}[flips[0]["better"]] == (
        flips[0]["score_a"] > flips[0]["score_b"]
    )


def test_tables_of_texts_are_compared(texts, capsys):
    for name in ("ref", "a", "b"):
        lines = (texts / f"{name}.txt").read_text().splitlines()
        column = "reference" if name == "ref" else "hypothesis"
        write_table(texts / f"{name}.csv", {"id": list(map(str, range(60))), column: lines})
    options = ("-m", "bleu", "--resamples", "300")
    assert (
        run_json(capsys, "ref.txt", "a.txt", "b.txt", *options)[0]
        == run_json(capsys, "ref.csv", "a.csv", "b.csv", *options)[0]
    )


@cases("ending", "csv", "json", "md", "tex", "txt")
def test_output_is_written_by_its_ending(files, ending):
    path = files / f"out.{ending}"
    main(["compare", *SYSTEMS, "-m", "mcc", "-o", str(path)])
    text = path.read_text(encoding="utf-8")
    assert "mcc" in text
    assert "diff" in text


@cases(
    "arguments code message",
    (["gold.csv", "a.csv", "-m", "f1"], 2, "two systems or more"),
    ([*SYSTEMS, "-m", "f1", "--test", "mcnemar"], 2, "accuracy and means of 0 and 1 only"),
    ([*SYSTEMS, "-m", "f1", "--flips", "x.txt"], 2, ".csv or .json"),
    ([*SYSTEMS, "-m", "f1", "--ref", "x"], 2, "can only be used with text files"),
    (["gold.csv", "-", "-", "-m", "f1"], 2, "only one file"),
    (["gold.csv", "a.csv", "a.csv", "-m", "f1"], 2, "is given twice"),
    ([*SYSTEMS, "-m", "f1", "--resamples", "10"], 2, "too few"),
    ([*SYSTEMS, "-m", "f1", "-o", "x.zzz"], 2, "unknown extension"),
    (
        [*SYSTEMS, "-m", "f1", "--clusters", "who"],
        4,
        "gold.csv: has no column 'who', only 'id', 'label', 'lang', 'doc'",
    ),
)
def test_what_does_not_fit_is_one_sentence(files, capsys, arguments, code, message):
    assert main(["compare", *arguments]) == code
    shown = capsys.readouterr().err.splitlines()
    assert message in shown[-1]
    assert shown[-1].startswith("tallystick: error: ")


@cases(
    "arguments expected",
    (SYSTEMS, "roc_auc f1 precision recall accuracy"),
    (
        ("gold.txt", "a.txt", "b.txt", "--task", "multiclass"),
        "accuracy weighted_precision weighted_recall weighted_f1 "
        "macro_precision macro_recall macro_f1",
    ),
    ids=["binary", "multiclass"],
)
def test_the_usual_metrics_are_compared_where_none_is_named(files, capsys, arguments, expected):
    records = run_json(capsys, *arguments, "--resamples", "200")
    assert expected.split() == [one["name"] for one in records]


def test_systems_of_different_tasks_are_rejected(files, capsys):
    path = files / "b.txt"
    path.write_text(path.read_text().replace("no", "perhaps", 1))
    assert main(["compare", "gold.txt", "a.txt", "b.txt", "-m", "accuracy"]) == 2
    said = capsys.readouterr().err
    assert "do not answer the same task" in said
    assert "name it with --task, or pass --fold-case where labels differ in case only" in said


def test_columns_of_probabilities_may_have_any_order(folder, capsys):
    rng = np.random.default_rng(6)
    gold = rng.choice(list("pqr"), 60)
    write_table("gold.csv", {"label": gold})
    for name, order in (("a", "pqr"), ("b", "rpq")):
        shares = {mark: rng.random(60) + (gold == mark) for mark in "pqr"}
        total = sum(shares.values())
        columns = {f"y_prob_{mark}": [f"{x:.6f}" for x in shares[mark] / total] for mark in order}
        write_table(f"{name}.csv", columns)
    main(["score", *SYSTEMS, "-m", "roc_auc", "--format", "json"])
    scored = [record["value"] for record in json.loads(capsys.readouterr().out)["scores"]]
    (one,) = run_json(capsys, *SYSTEMS, "-m", "roc_auc", "--resamples", "100")
    assert scored == pytest.approx([one["value_a"], one["value_b"]], abs=1e-12)
    assert "delong" != one["test"]


RNG = np.random.default_rng(3)
SIZE = 60
GOLD = RNG.choice(["P", "NP", "NR"], SIZE)
IDS = [f"{at}_Track1" for at in range(SIZE)]


def _answer(share):
    return np.where(RNG.random(SIZE) < share, GOLD, RNG.choice(["P", "NP", "NR"], SIZE))


OUTPUTS = {"good": _answer(0.95), "fair": _answer(0.6), "majority": np.full(SIZE, "NP")}


def _write(path, header, rows):
    path.parent.mkdir(exist_ok=True, parents=True)
    lines = [header, *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def task(folder):
    _write(folder / "gold.csv", "id,label", zip(IDS, GOLD, strict=True))
    for name, own in OUTPUTS.items():
        rows = [(IDS[at], own[at]) for at in RNG.permutation(SIZE)]
        _write(folder / "entries" / f"{name}.csv", "sub_id,label", rows)
    _write(folder / "entries" / "broken.csv", "sub_id,label", [(IDS[0], "P", "P")])
    return folder


TASK_RANK = ("task", "rank")
FOLDER = ("gold.csv", "--submissions", "entries", "-m", "accuracy")


def _run(capsys, *arguments, command=("rank",)):
    return main([*command, *arguments, "--resamples", "500"]), *capsys.readouterr()


def _list_ranked(out):
    return [line.split()[1] for line in out.splitlines() if line[:4].strip().isdigit()]


def test_files_are_ranked(task, capsys):
    paths = [f"entries/{name}.csv" for name in ("fair", "good")]
    code, out, err = _run(capsys, "gold.csv", *paths, "-m", "macro_f1")
    assert 0 == code
    assert "Systems ranked by macro_f1 (60 examples)" == out.splitlines()[0]
    assert ["good", "fair"] == _list_ranked(out)
    assert "Ranks: the range each system could hold" in out
    assert "note: significance by Student's t-test" in err


def test_a_folder_is_ranked_and_a_broken_file_is_set_aside(task, capsys):
    code, out, _ = _run(capsys, *FOLDER, "--baseline", "majority")
    assert 0 == code
    assert "majority (baseline)" in out
    assert out.endswith(
        "Note: broken was rejected: entries/broken.csv: row 2 has 3 fields, but the header has "
        "2, separated\n      by commas; put a field that contains commas in quotes\n"
    )


def test_refusals_do_not_quote_gold(task, capsys):
    _write(task / "entries" / "odd.csv", "sub_id,label", [(IDS[0], "P")])
    _, out, _ = _run(capsys, *FOLDER, "--format", "json")
    reasons = {one["system"]: one["reason"] for one in json.loads(out)["rejected"]}
    assert "59 ids (1_Track1, 2_Track1, 3_Track1, 4_Track1, 5_Track1, ...)" in reasons["odd"]


def test_one_table_holds_gold_and_systems(task, capsys):
    rows = [
        (name, *row) for name, own in OUTPUTS.items() for row in zip(IDS, GOLD, own, strict=True)
    ]
    RNG.shuffle(rows)
    _write(task / "all.csv", "team,id,y_true,y_pred", rows)
    arguments = ("-m", "accuracy", "--format", "csv")
    _, out, _ = _run(capsys, "all.csv", "--system-column", "team", *arguments)
    _, files, _ = _run(
        capsys, "gold.csv", *(f"entries/{name}.csv" for name in sorted(OUTPUTS)), *arguments
    )
    assert [
        (row["system"], row["rank"], row["value"]) for row in csv.DictReader(io.StringIO(files))
    ] == [(row["system"], row["rank"], row["value"]) for row in csv.DictReader(io.StringIO(out))]


def test_a_system_that_lacks_rows_of_one_table_is_set_aside(task, capsys):
    rows = [(name, *row) for name in ("a", "b") for row in zip(IDS, GOLD, GOLD, strict=True)]
    _write(task / "all.csv", "team,id,y_true,y_pred", rows[1:])
    _, out, _ = _run(capsys, "all.csv", "--system-column", "team", "-m", "accuracy")
    assert "Note: a was rejected: all.csv (a) has no prediction for the id 0_Track1" in out
    assert "  b  " in out


def test_gold_that_differs_between_systems_is_an_error(task, capsys):
    _write(task / "all.csv", "team,id,y_true,y_pred", [("a", "1", "P", "P"), ("b", "1", "NP", "P")])
    code, _, err = _run(capsys, "all.csv", "--system-column", "team", "-m", "accuracy")
    assert 4 == code
    assert "all.csv: the gold of 1 differs between systems, column 'y_true'\n" in err


def test_texts_are_ranked_line_by_line_or_by_id(task, capsys):
    (task / "ref.txt").write_text("the cat sat on the mat\na dog barked at him\n")
    (task / "near.txt").write_text("the cat sat on a mat\na dog barked at him\n")
    (task / "far.txt").write_text("a mat\nhe barked\n")
    _write(task / "ref.csv", "id,reference", [(1, "the cat sat"), (2, "a dog barked")])
    _write(task / "near.csv", "id,hypothesis", [(2, "a dog barked"), (1, "the cat sits")])
    _write(task / "far.csv", "id,hypothesis", [(1, "cats"), (2, "dogs")])
    for files in (["ref.txt", "far.txt", "near.txt"], ["ref.csv", "far.csv", "near.csv"]):
        code, out, _ = _run(capsys, *files, "-m", "chrf")
        assert (0, ["near", "far"]) == (code, _list_ranked(out))


SHARED_TASK = """\
tracks:
  track1:
    gold: gold.csv
    metrics: [macro_f1, macro_precision, macro_recall]
    task: multiclass
  track2:
    gold: gold2.csv
    metrics: [macro_f1, hamming_loss, exact_match_ratio]
    task: multilabel
    labels: [L, G, B]
  track3:
    gold: gold3.csv
    metrics: [f1, precision, recall]
    task: binary
    positive: P
baselines: [majority]
"""


@pytest.fixture
def shared_task(task):
    rng = np.random.default_rng(7)  # so that no other test changes the files
    sets = rng.integers(0, 2, (SIZE, 3))
    flipped = np.where(rng.random((SIZE, 3)) < 0.1, 1 - sets, sets)
    lyrics = np.where(GOLD == "P", "P", "NP")
    ids = range(SIZE)
    _write(task / "gold2.csv", "id,L,G,B", ([at, *sets[at]] for at in ids))
    _write(task / "teams" / "good" / "track2.csv", "id,L,G,B", ([at, *flipped[at]] for at in ids))
    _write(task / "gold3.csv", "id,label", enumerate(lyrics))
    for name, wrong in (("good", 0.1), ("fair", 0.3)):
        own = np.where(rng.random(SIZE) < wrong, "P", lyrics)
        _write(task / "teams" / name / "track3.csv", "id,label", enumerate(own))
    for name, own in OUTPUTS.items():
        _write(task / "teams" / name / "track1.csv", "sub_id,label", zip(IDS, own, strict=True))
    (task / "task.yaml").write_text(SHARED_TASK)
    return task


def test_three_tracks_are_ranked_by_their_first_metrics(shared_task, capsys):
    code, out, err = _run(
        capsys, "teams", "--format", "json", "--overall", "mean", "--verbose", command=TASK_RANK
    )
    found = json.loads(out)
    assert 0 == code
    assert [("good", 1, 3), ("fair", None, 2), ("majority", None, 1)] == sorted(
        ((one["system"], one["rank"], one["covered"]) for one in found["standings"]),
        key=lambda one: -one[2],
    )
    assert ["track1", "track2", "track3"] == [
        track for track, *_ in found["standings"][0]["criteria"]
    ]
    assert 9 == len({(place["track"], place["metric"]) for place in found["places"]})
    assert {"track1", "track3"} == {one["track"] for one in found["differences"]}
    assert "note: systems without a score are left out of the overall order: fair." in err
    assert "note: not every system is in every track: track2 lacks fair." in err


def test_every_track_has_one_table(shared_task, capsys):
    code, out, _ = _run(capsys, "teams", "--digits", "2", command=TASK_RANK)
    assert 0 == code
    assert ["track1", "track2", "track3"] == [
        line.partition(":")[0] for line in out.splitlines() if ": systems ranked by" in line
    ]
    assert ["good", "fair", "good", "good", "fair"] == _list_ranked(out)


@cases("missing", "zero", "common")
def test_what_is_lacking_is_an_option(shared_task, capsys, missing):
    options = ("--overall", "borda", "--missing-tracks", missing, "--format", "json")
    _, out, _ = _run(capsys, "teams", *options, command=TASK_RANK)
    ranks = {one["system"]: one["rank"] for one in json.loads(out)["standings"]}
    assert (1, 2) == (ranks["good"], ranks["fair"])


def test_the_task_file_may_ask_for_an_overall_order(shared_task, capsys):
    (shared_task / "task.yaml").write_text(SHARED_TASK + "overall: borda\n")
    options = ("--missing-tracks", "zero", "--format", "json")
    for more, overall in (((), "borda"), (("--overall", "mean"), "mean")):
        _, out, _ = _run(capsys, "teams", *more, *options, command=TASK_RANK)
        assert overall == json.loads(out)["overall"]


def test_an_order_of_nothing_lacks_nothing(shared_task, capsys):
    code, _, err = _run(capsys, "teams", "--missing-tracks", "zero", command=TASK_RANK)
    assert 2 == code
    assert "needs --overall" in err


def test_a_figure_shows_one_track(shared_task, capsys):
    options = ("--figure", "rank track2", "-o", "track2.svg")
    code, _, _ = _run(capsys, "teams", *options, command=TASK_RANK)
    assert 0 == code
    drawn = (shared_task / "track2.svg").read_text()
    assert (True, False) == (">good<" in drawn, ">fair<" in drawn)


@pytest.fixture
def teams(task):
    runs = {"many/run2": 0.5, "many/run9": 0.6, "many/run10": 0.55, "few/a": 0.9, "few/b": 0.95}
    for name, share in runs.items():
        (task / "teams" / name).parent.mkdir(parents=True, exist_ok=True)
        own = np.where(np.arange(SIZE) < share * SIZE, GOLD, np.where(GOLD == "P", "NP", "P"))
        _write(task / "teams" / f"{name}.csv", "sub_id,label", zip(IDS, own, strict=True))
    _write(task / "teams" / "alone.csv", "sub_id,label", zip(IDS, GOLD, strict=True))
    return task


@cases(
    "choice ranked",
    ("all", ["alone", "few/b", "few/a", "many/run9", "many/run10", "many/run2"]),
    ("best", ["alone", "few/b", "many/run9"]),
    ("last", ["alone", "few/b", "many/run10"]),
)
def test_one_run_of_each_team_can_be_ranked(teams, capsys, choice, ranked):
    options = ("--submissions", "teams", "-m", "accuracy", "--per-team", choice)
    code, out, err = _run(capsys, "gold.csv", *options)
    assert 0 == code
    assert ranked == _list_ranked(out)
    assert (choice == "best") == ("The best of many runs scores higher by chance alone" in err)


def test_earlier_ranks_are_held_against_the_new_ones(task, capsys):
    entries = [f"entries/{name}.csv" for name in ("fair", "good")]
    twin = _write(task / "twin.csv", "sub_id,label", zip(IDS, GOLD, strict=True))
    _run(capsys, "gold.csv", *entries, "-m", "accuracy", "-o", "before.json")
    options = ("-m", "accuracy", "--previous", "before.json")
    _, out, _ = _run(capsys, "gold.csv", *entries, twin, *options)
    changes = {line.split()[2]: line.split()[1] for line in out.splitlines() if line[3:4].isdigit()}
    assert {"twin": "new", "good": "▼1", "fair": "▼1"} == changes


@cases(
    "content code message",
    ("{", 4, "before.json: contains no ranking in JSON"),
    ("[]", 4, "before.json: contains no ranking in JSON"),
    ('{"places": []}', 2, "has no system that is ranked by the same metric here"),
)
def test_what_is_no_earlier_ranking_is_an_error(task, capsys, content, code, message):
    (task / "before.json").write_text(content)
    options = ("entries/good.csv", "-m", "accuracy", "--previous", "before.json")
    found, out, err = _run(capsys, "gold.csv", *options)
    assert (code, "") == (found, out)
    assert message in err


@cases(
    "systems shown",
    (["good"], "significantly better: good"),
    (["good", "fair"], "both systems are significantly better"),
)
def test_systems_are_compared_with_the_baseline_in_words(task, capsys, systems, shown):
    paths = [f"entries/{name}.csv" for name in (*systems, "majority")]
    _, out, _ = _run(capsys, "gold.csv", *paths, "-m", "accuracy", "--baseline", "majority")
    assert f"Compared with majority on accuracy, {shown}." in out


def test_an_overall_order_is_made_where_it_is_asked_for(task, capsys):
    _, out, _ = _run(capsys, *FOLDER, "macro_f1", "--overall", "borda")
    _, plain, _ = _run(capsys, *FOLDER, "macro_f1")
    assert "Overall order by Borda's count of 2 scores" == out.splitlines()[0]
    assert "Systems ranked by accuracy (60 examples)" == plain.splitlines()[0]


def test_details_show_all_that_was_computed(task, capsys):
    _, out, _ = _run(capsys, *FOLDER, "macro_f1", "--details")
    assert ["ranked by accuracy", "ranked by macro_f1"] == [
        line for line in out.splitlines() if line.startswith("ranked by")
    ]
    assert "0.000" not in out
    assert "< 0.001" in out


@cases("target", ("--format", "csv"), ("-o", "ranking.csv"), ("-o", "r.tex"))
def test_a_broken_file_is_told_where_the_ranking_is_not_read(task, capsys, target):
    code, out, err = _run(capsys, *FOLDER, *target)
    assert 1 == err.count("note: broken was rejected: entries/broken.csv: row 2 has 3 fields")
    if "-o" in target:
        assert (0, "") == (code, out)
        assert f"wrote {target[1]}" in err
    if "r.tex" in target:
        assert r"\textbf{" in (task / "r.tex").read_text()


@cases(
    "expected arguments message",
    (2, "", "name a gold file and the systems' files"),
    (2, "gold.csv entries/good.csv", "name what to rank by with -m"),
    (2, "gold.csv entries/good.csv -m f1 --missing-tracks zero", "needs --overall"),
    (2, "gold.csv -m f1", "list the systems' files after the gold"),
    (2, "gold.csv x.csv --submissions entries -m f1", "takes a gold file and nothing else"),
    (2, "gold.csv x.csv --system-column t -m f1", "take one table"),
    (2, "gold.csv entries/good.csv entries/good.csv -m f1", "is given twice"),
    (2, "-m f1", "`tallystick task rank` ranks the tracks of a task file"),
    (2, "gold.csv entries/good.csv -m f1 --ref x", "can only be used with text files"),
    (2, "gold.csv entries/good.csv -m f1 -o r.xyz", "unknown extension"),
    (
        2,
        "gold.csv entries/good.csv -m f1 --baseline x",
        "there is no system 'x' to be a baseline, only good",
    ),
    (4, "gone.csv entries/good.csv -m f1", "gone.csv: cannot be read: No such file"),
    (4, "gold.csv --submissions gone -m f1", "gone: cannot be listed"),
    (4, "gold.csv --system-column t -m f1", "has no column 't'"),
    (4, "gold.csv entries/good.csv -m f1 -o no/r.csv", "there is no folder"),
    (4, "gold.csv entries/broken.csv -m f1", "the only submission is rejected"),
)
def test_a_wrong_request_is_an_error_of_one_line(task, capsys, expected, arguments, message):
    code, out, err = _run(capsys, *arguments.split())
    assert (expected, "") == (code, out)
    assert message in err
    assert 1 == err.count("tallystick: error: ")


def test_help_shows_examples(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["rank", "--help", "all"])
    out = capsys.readouterr().out
    assert 0 == stopped.value.code
    assert 7 == out.count("tallystick rank ") - out.count("usage: tallystick rank ")
