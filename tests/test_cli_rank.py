"""The command `rank`: files, folders, one table, tracks, and what stops it."""

import csv
import io
import json

import numpy as np
import pytest

from tallystick.cli import main

RNG = np.random.default_rng(3)
SIZE = 60
GOLD = RNG.choice(["P", "NP", "NR"], SIZE)
IDS = [f"{at}_Track1" for at in range(SIZE)]


def _answer(share):
    return np.where(RNG.random(SIZE) < share, GOLD, RNG.choice(["P", "NP", "NR"], SIZE))


SYSTEMS = {"good": _answer(0.95), "fair": _answer(0.6), "majority": np.full(SIZE, "NP")}


def _write(path, header, rows):
    path.parent.mkdir(exist_ok=True, parents=True)
    lines = [header, *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def task(folder):
    _write(folder / "gold.csv", "id,label", zip(IDS, GOLD, strict=True))
    for name, own in SYSTEMS.items():
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


@pytest.mark.parametrize("target", [("--format", "csv"), ("-o", "ranking.csv"), ("-o", "r.tex")])
def test_a_broken_file_is_told_where_the_ranking_is_not_read(task, capsys, target):
    _, _, err = _run(capsys, *FOLDER, *target)
    assert 1 == err.count("note: broken was rejected: entries/broken.csv: row 2 has 3 fields")


def test_refusals_do_not_quote_gold(task, capsys):
    _write(task / "entries" / "odd.csv", "sub_id,label", [(IDS[0], "P")])
    _, out, _ = _run(capsys, *FOLDER, "--format", "json")
    reasons = {one["system"]: one["reason"] for one in json.loads(out)["refused"]}
    assert "59 ids (1_Track1, 2_Track1, 3_Track1, 4_Track1, 5_Track1, ...)" in reasons["odd"]


def test_one_table_holds_gold_and_systems(task, capsys):
    rows = [
        (name, *row) for name, own in SYSTEMS.items() for row in zip(IDS, GOLD, own, strict=True)
    ]
    RNG.shuffle(rows)
    _write(task / "all.csv", "team,id,y_true,y_pred", rows)
    arguments = ("-m", "accuracy", "--format", "csv")
    _, out, _ = _run(capsys, "all.csv", "--system-column", "team", *arguments)
    _, files, _ = _run(
        capsys, "gold.csv", *(f"entries/{name}.csv" for name in sorted(SYSTEMS)), *arguments
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
    for name, own in SYSTEMS.items():
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


@pytest.mark.parametrize("missing", ["zero", "common"])
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


@pytest.mark.parametrize(
    ("choice", "ranked"),
    [
        ("all", ["alone", "few/b", "few/a", "many/run9", "many/run10", "many/run2"]),
        ("best", ["alone", "few/b", "many/run9"]),
        ("last", ["alone", "few/b", "many/run10"]),
    ],
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


@pytest.mark.parametrize(
    ("content", "code", "message"),
    [
        ("{", 4, "before.json: contains no ranking in JSON"),
        ("[]", 4, "before.json: contains no ranking in JSON"),
        ('{"places": []}', 2, "has no system that is ranked by the same metric here"),
    ],
)
def test_what_is_no_earlier_ranking_is_an_error(task, capsys, content, code, message):
    (task / "before.json").write_text(content)
    options = ("entries/good.csv", "-m", "accuracy", "--previous", "before.json")
    found, out, err = _run(capsys, "gold.csv", *options)
    assert (code, "") == (found, out)
    assert message in err


@pytest.mark.parametrize(
    ("systems", "shown"),
    [
        (["good"], "significantly better: good"),
        (["good", "fair"], "both systems are significantly better"),
    ],
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
    assert "0.0000" not in out
    assert "< 0.0001" in out


def test_a_ranking_is_written_in_the_format_of_its_ending(task, capsys):
    code, out, err = _run(
        capsys, "gold.csv", "entries/good.csv", "entries/fair.csv", "-m", "f1", "-o", "r.tex"
    )
    assert (0, "") == (code, out)
    assert "wrote r.tex" in err
    assert r"\textbf{" in (task / "r.tex").read_text()


@pytest.mark.parametrize(
    ("expected", "arguments", "message"),
    [
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
    ],
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
