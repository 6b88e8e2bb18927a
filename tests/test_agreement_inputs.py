"""Ratings of annotators as files and frames hold them, and systems held against the annotators."""

import inspect
import json
import math
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow as pa
import pytest
import sklearn.metrics as sk

import tallystick
from tallystick.cli import main
from tallystick.errors import InputError, UsageError
from tallystick.metrics import FleissKappa
from tallystick.model.columns import Columns

NONE = None
ANNOTATORS = ["ann", "bob", "cyd"]
TABLE = pandas.DataFrame(
    {
        "id": [f"u{place}" for place in range(8)],
        "domain": ["news", "news", "chat", "chat", "chat", "news", "chat", "news"],
        "ann": ["low", "mid", "high", "low", NONE, "high", "low", "mid"],
        "bob": ["low", "mid", "high", NONE, NONE, "mid", "low", "low"],
        "cyd": ["mid", "mid", NONE, NONE, NONE, "high", "low", "high"],
        "gpt": ["low", "mid", "high", "low", "low", "high", "mid", "mid"],
        "pod": ["high", "mid", "low", "low", "low", "mid", "low", "mid"],
    }
)
LONG = TABLE.melt(
    ["id", "domain", "gpt", "pod"], ANNOTATORS, var_name="annotator", value_name="rating"
)
ORDER = ("low", "mid", "high")
WIDE = Columns(annotators=tuple(ANNOTATORS))
ROWS = Columns(annotator="annotator", gold="rating")


def read(scored: Any) -> dict[tuple[Any, ...], float]:
    return {(one.system, one.group, one.name): one.value for one in scored.scores}


def score_rows(columns: Columns, table: pandas.DataFrame = LONG, **options: Any) -> Any:
    return tallystick.score(table, columns=columns, intervals=False, **options)


def test_columns_and_rows_of_ratings_are_one():
    metrics = ["krippendorff_alpha", "gwet_ac1", "fleiss_kappa"]
    wide = tallystick.score(TABLE, annotators=ANNOTATORS, metrics=metrics, by="domain")
    rows = LONG.sample(frac=1, random_state=1)
    long = tallystick.score(rows, columns=ROWS, metrics=metrics, by="domain")

    assert read(wide) == pytest.approx(read(long), abs=1e-12, nan_ok=True)
    assert [7, 4, 3] == [
        next(one.n for one in wide.scores if one.group == group)
        for group in ("micro", "news", "chat")
    ]
    assert "without a rating, and left out: 1 of 8 units." in wide.notes


def test_labels_order_the_ratings():
    task = tallystick.Task(labels=ORDER)
    named = tallystick.score(
        TABLE, annotators=ANNOTATORS, metrics="krippendorff_alpha(ordinal)", task=task
    )
    places = TABLE[ANNOTATORS].replace({label: place for place, label in enumerate(ORDER)})
    numbers = tallystick.score(places, annotators=ANNOTATORS, metrics="krippendorff_alpha(ordinal)")
    assert numbers.scores[0].value == pytest.approx(named.scores[0].value, abs=1e-12)


def test_usual_metrics_are_alpha_and_ac1():
    scored = tallystick.score(TABLE, annotators=ANNOTATORS)
    assert ["krippendorff_alpha", "gwet_ac1"] == [one.name for one in scored.scores]
    assert {"annotators"} == {one.system for one in scored.scores}


@pytest.mark.parametrize("metric", ["cohen_kappa", "accuracy"])
def test_systems_are_held_against_each_annotator(metric):
    peer = {"cohen_kappa": sk.cohen_kappa_score, "accuracy": sk.accuracy_score}[metric]
    scored = tallystick.score(
        TABLE, annotators=ANNOTATORS, systems=["gpt", "pod"], metrics=metric, intervals=False
    )
    found = read(scored)
    for system in ("gpt", "pod"):
        rated = {name: TABLE[[name, system]].dropna() for name in ANNOTATORS}
        each = {name: peer(own[name], own[system]) for name, own in rated.items()}
        gold = pandas.concat([own[name] for name, own in rated.items()])
        output = pandas.concat([own[system] for own in rated.values()])
        expected = {**each, "macro": sum(each.values()) / 3, "micro": peer(gold, output)}

        assert expected == pytest.approx({name: found[system, name, metric] for name in expected})


def test_a_row_for_each_rating_holds_systems_too():
    options = {"systems": ["gpt"], "metrics": "accuracy", "by": "domain"}
    wide = tallystick.score(TABLE, annotators=ANNOTATORS, intervals=False, **options)
    long = score_rows(ROWS, **options)
    assert read(wide) == pytest.approx(read(long))
    assert ("gpt", "ann/chat", "accuracy") in read(wide)


@pytest.mark.parametrize("systems", [(), ("gpt", "pod")])
def test_parts_of_ratings_in_memory_have_the_groups_of_all(systems):
    metrics = ["accuracy"] if systems else ["gwet_ac1"]
    options = {"annotators": ANNOTATORS, "systems": systems, "metrics": metrics, "by": "domain"}
    whole, parts = (tallystick.count(TABLE, **options, engine=engine) for engine in (None, 1))
    assert (whole.groups, whole.heading) == (parts.groups, parts.heading)
    scored = [tallystick.score(one, intervals=False) for one in (whole, parts)]
    assert read(scored[0]) == read(scored[1])


@pytest.mark.parametrize("long", [False, True])
def test_the_majority_is_gold_of_units_that_have_one(long):
    gold = ["low", "mid", "high", "low", "high", "low"]  # of u0, u1, u2, u3, u5, u6
    gpt = ["low", "mid", "high", "low", "high", "mid"]
    layout = {"annotator": "annotator", "gold": "rating"} if long else {"annotators": ANNOTATORS}
    table = LONG if long else TABLE
    scored = score_rows(
        Columns(majority=True, **layout), table, systems=["gpt"], metrics=["cohen_kappa"]
    )

    assert sk.cohen_kappa_score(gold, gpt) == pytest.approx(scored.scores[0].value)
    assert 6 == scored.scores[0].n
    assert "without a majority, and left out: 1 of 7 units with ratings." in scored.notes


def test_people_are_held_against_each_other():
    both = TABLE[["ann", "bob"]].dropna()
    columns, table = Columns(annotators=("ann", "bob")), TABLE.loc[both.index]
    scored = score_rows(columns, table, systems=["gpt", "people"], metrics="cohen_kappa")
    found, sides = read(scored), (both["ann"], both["bob"])
    pooled = pandas.concat(sides), pandas.concat(sides[::-1])

    assert sk.cohen_kappa_score(*sides) == pytest.approx(found["people", "ann", "cohen_kappa"])
    assert sk.cohen_kappa_score(*pooled) == pytest.approx(found["people", "micro", "cohen_kappa"])
    assert ["gpt", "people"] == list(dict.fromkeys(one.system for one in scored.scores))


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_every_annotator_is_held_against_every_other_equally_often(n):
    names = [f"a{place}" for place in range(n)]
    table = pa.table({name: [name] * 12 * (n - 1) for name in names})
    scored = tallystick.score(
        table, annotators=names, systems=["people"], metrics="accuracy", intervals=False
    )
    (matrix,) = scored.confusions
    assert 12 * (1 - np.eye(n)).astype(int) == pytest.approx(np.array(matrix.counts))


def test_a_constant_is_the_commonest_rating():
    found = read(score_rows(WIDE, TABLE, systems=["constant"], metrics="accuracy"))
    share = (LONG["rating"].dropna() == "low").mean()

    assert share == pytest.approx(found["constant", "micro", "accuracy"])
    majority = Columns(annotators=tuple(ANNOTATORS), majority=True)
    (score,) = score_rows(majority, TABLE, systems=["constant"], metrics="accuracy").scores
    assert pytest.approx(3 / 6) == score.value
    with pytest.raises(UsageError, match="people are part of their own majority"):
        score_rows(majority, TABLE, systems=["people"], metrics="accuracy")


def test_people_need_a_second_rating_of_each_unit():
    table = TABLE.assign(bob=NONE, cyd=["mid", *[NONE] * 7])
    with pytest.raises(InputError, match="6 of 7 units have one rating alone"):
        score_rows(WIDE, table, systems=["people"], metrics="accuracy")
    columns = Columns(annotators=tuple(ANNOTATORS), missing="exclude")
    scored = score_rows(columns, table, systems=["gpt", "people"], metrics="accuracy").scores
    (people,) = (one for one in scored if (one.system, one.group) == ("people", "micro"))
    assert (2, 0.0) == (people.n, people.value)


def test_units_are_resampled_and_not_single_ratings():
    scored = tallystick.score(
        TABLE, annotators=ANNOTATORS, systems=["gpt"], metrics=["cohen_kappa", "accuracy"]
    )
    named = tallystick.score(
        TABLE, annotators=ANNOTATORS, metrics="krippendorff_alpha", clusters="domain"
    )

    assert all("cluster" in one.method for one in scored.scores)
    assert "cluster" in named.scores[0].method


def test_systems_are_ranked_and_compared_by_agreement():
    compared = tallystick.compare(
        TABLE, systems=["gpt", "pod"], columns=WIDE, metrics="krippendorff_alpha"
    )
    ranked = tallystick.rank(TABLE, systems=["pod", "gpt"], columns=WIDE, metrics="cohen_kappa")
    assert {"ann", "bob", "cyd", "macro", "micro"} == {one.group for one in compared.differences}
    assert ["gpt", "pod"] == [one.system for one in ranked.places if one.group == "macro"]


def test_the_command_reads_both_layouts(tmp_path, capsys):
    wide, long = tmp_path / "wide.csv", tmp_path / "long.csv"
    TABLE.to_csv(wide, index=False)
    LONG.to_csv(long, index=False)
    metric = ["-m", "krippendorff_alpha(ordinal)", "--by", "domain", "--format", "csv"]
    order = ["--labels", *ORDER]
    rows = ["--annotator-column", "annotator", "--gold-column", "rating"]
    shown = []
    for files in ([str(wide), "--annotators", *ANNOTATORS], [str(long), *rows]):
        assert 0 == main(["score", *files, *metric, *order])
        shown.append(capsys.readouterr().out)

    assert shown[0] == shown[1]
    assert "macro" in shown[0]


@pytest.mark.parametrize(
    ("table", "columns", "message"),
    [
        (TABLE, {"annotators": ("ann",)}, "needs at least two annotators, and only 'ann'"),
        (TABLE, {"annotators": ("ann", "ann")}, "an annotator was named twice"),
        (TABLE, {"annotators": ("ann", "eve")}, "has no column 'eve'"),
        (TABLE.assign(ann=NONE, bob=""), {"annotators": ("ann", "bob")},
         "gold: no annotator rated anything"),
        (TABLE.assign(ann=[1.0, 2, 3, 4, 5, float("inf"), 1, 2]), {"annotators": ("ann", "bob")},
         "gold, row 6, column 'ann': inf is not a rating"),
        (TABLE.assign(id="u1"), {"annotators": ("ann", "bob")},
         "gold contains the id u1 more than once"),
        (TABLE.assign(annotator="x"), {"annotators": ("ann", "bob")},
         "has a column 'annotator', which is what groups are called"),
        (TABLE, {"annotators": ("ann", "bob"), "annotator": "cyd"}, "but not both"),
        (TABLE, {"annotators": ("ann", "bob"), "majority": True}, "name their columns"),
        (TABLE, {"annotators": ("ann", "bob"), "weight": "id"}, "no weights"),
        (TABLE, {"majority": True}, "a majority is one of annotators, and none were named"),
        (LONG.rename(columns={"rating": "x"}), {"annotator": "annotator"}, "has no gold column"),
        (LONG.drop(columns="id"), {"annotator": "annotator", "gold": "rating"}, "has no id column"),
        (LONG.assign(id=""), {"annotator": "annotator", "gold": "rating"}, "examples have no id"),
        (LONG.assign(annotator="ann"), {"annotator": "annotator", "gold": "rating"},
         "only 'ann' is named"),
        (pandas.concat([LONG, LONG[:1]]), {"annotator": "annotator", "gold": "rating"},
         "gold: ann rated the id u0 more than once"),
        (LONG.assign(domain=LONG["rating"].fillna("x")),
         {"annotator": "annotator", "gold": "rating", "by": ("domain", )},
         "domain is not what other ratings of the same unit have"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_ratings_is_told(table, columns, message):
    with pytest.raises((InputError, UsageError), match=message):
        score_rows(Columns(**columns), table)


def test_metrics_of_outputs_need_systems():
    with pytest.raises(UsageError, match=r"accuracy compares outputs .* with `systems=`"):
        tallystick.score(TABLE, annotators=ANNOTATORS, metrics="accuracy")


def test_ratings_beyond_the_labels_are_an_error():
    with pytest.raises(InputError, match="row 3: the rating 'high' is not one of 'low', 'mid'"):
        tallystick.score(TABLE, annotators=ANNOTATORS, task=tallystick.Task(labels=("low", "mid")))


def test_label_sets_and_further_files_do_not_go_with_annotators(tmp_path, capsys):
    path = tmp_path / "ratings.csv"
    TABLE.to_csv(path, index=False)
    start = ["score", str(path), "--annotators", *ANNOTATORS]
    codes = [
        main([*start, "--task", "multilabel"]),
        main(["score", str(path), str(path), "--annotators", *ANNOTATORS]),
        main([*start, "--system-column", "gpt"]),
    ]
    wording = capsys.readouterr().err

    assert [2, 2, 2] == codes
    assert "each annotator gives a unit one rating" in wording
    assert "join the files by their ids first" in wording
    assert "--system-column cannot be used with annotators" in wording


def test_idle_annotators_are_told():
    idle = TABLE.assign(dan=NONE)
    scored = tallystick.score(idle, annotators=[*ANNOTATORS, "dan"], metrics="krippendorff_alpha")
    expected = tallystick.score(TABLE, annotators=ANNOTATORS, metrics="krippendorff_alpha")
    assert expected.scores[0].value == scored.scores[0].value
    assert "no rating is by dan." in scored.notes


def test_an_annotator_whose_only_rating_comes_first_is_not_idle():
    rows = pandas.concat([LONG[:1].assign(annotator="dan", id="u7"), LONG])
    assert not any("dan" in note for note in score_rows(ROWS, rows, metrics="gwet_ac1").notes)


def test_undefined_agreement_has_its_reason():
    scored = tallystick.score(TABLE, annotators=ANNOTATORS, metrics="fleiss_kappa")
    reason = "as always if rated units have different numbers of ratings"
    assert any(f"fleiss_kappa of annotators is undefined, {reason}" in one for one in scored.notes)


@pytest.mark.parametrize(("more", "expected"), [((None, None), 7 / 15), (("x", None), math.nan)])
def test_fleiss_kappa_leaves_out_only_units_that_nobody_rated(more, expected):
    rows = [("x", "x"), ("y", "y"), ("x", "y"), ("y", "y"), more]
    table = pandas.DataFrame(rows, columns=["ann", "bob"])
    scored = tallystick.score(table, annotators=["ann", "bob"], metrics="fleiss_kappa")
    assert pytest.approx(expected, nan_ok=True) == scored.scores[0].value


def test_fleiss_kappa_tells_which_units_it_leaves_out():
    wording = inspect.getdoc(FleissKappa) or ""
    assert "Unrated units are left out." in wording
    assert "fewer than two" not in wording


def test_units_of_other_groups_may_have_the_same_ids():
    same = TABLE.assign(id=[f"u{place // 2}" for place in range(8)], lang=["de", "en"] * 4)
    options = {"annotators": ANNOTATORS, "metrics": "krippendorff_alpha", "intervals": False}
    expected = tallystick.score(same.drop(columns="id"), by="lang", **options)
    assert read(expected) == read(tallystick.score(same, by="lang", **options))
    with pytest.raises(InputError, match=r"ids .* more than once"):
        tallystick.score(same, **options)


def test_rows_without_ids_are_units_of_their_file(tmp_path, capsys):
    for name in ("one", "two"):
        path = tmp_path / f"{name}.csv"
        TABLE.drop(columns="id").assign(name=name).to_csv(path, index=False)
        options = ["--annotators", *ANNOTATORS, "--systems", "gpt", "-m", "accuracy"]
        assert 0 == main(["count", str(path), *options, "-o", str(tmp_path / f"{name}.tally")])
    capsys.readouterr()
    tallies = [str(tmp_path / f"{name}.tally") for name in ("one", "two")]

    assert 0 == main(["score", *tallies, "--format", "json"])
    scores = json.loads(capsys.readouterr().out)["scores"]
    assert 36 == next(one["n"] for one in scores if one["group"] == "micro")
    (tally,) = tallystick.load(*tallies).tallies.values()
    assert 14 == len(tally.clusters.names)


def test_few_units_with_another_rating_are_told():
    rare = pandas.DataFrame({"a": ["no"] * 57 + ["yes"] * 3, "b": ["no"] * 58 + ["yes"] * 2})
    common = pandas.DataFrame({"a": ["no"] * 50 + ["yes"] * 10, "b": ["no"] * 52 + ["yes"] * 8})
    found = [
        tallystick.score(table, annotators=["a", "b"], metrics="krippendorff_alpha").notes
        for table in (rare, common)
    ]
    wording = (
        "the interval of krippendorff_alpha of annotators may be too narrow: 3 units have another "
        "rating than 'no'."
    )

    assert [True, False] == [wording in notes for notes in found]
    assert not any("too narrow" in note for note in found[1])


@pytest.mark.parametrize("systems", [(), ("gpt",)])
def test_frames_of_other_libraries_are_read(systems):
    options = {"annotators": ANNOTATORS, "systems": systems, "metrics": "krippendorff_alpha"}
    tables = [polars.from_pandas(TABLE), TABLE.astype("category"), pa.Table.from_pandas(TABLE)]
    expected = read(tallystick.score(TABLE, **options, by="domain", intervals=False))
    for table in tables:
        assert expected == read(tallystick.score(table, **options, by="domain", intervals=False))
