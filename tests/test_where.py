"""Conditions that choose examples."""

import io

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tallystick
from tallystick.cli import main
from tallystick.errors import InputError, UsageError
from tallystick.model.filter_expression import Condition

TABLE = pd.DataFrame(
    {
        "id": [f"x{row}" for row in range(8)],
        "label": list("aabbabab"),
        "y_pred": list("ababaabb"),
        "lang": ["de", "de", "fr", "fr", "fr", "de", None, "it"],
        "length": [3, 20, 25, 8, 30, 41, 50, 7],
        "was seen": [True, False, True, True, False, False, True, True],
        "meta.part": list("vvttvtvt"),
    }
)


@pytest.fixture
def path(tmp_path):
    TABLE.to_csv(tmp_path / "table.csv", index=False)
    return str(tmp_path / "table.csv")


@pytest.mark.parametrize(("condition", "query"), [
    ('lang == "de"', "lang == 'de'"),
    ('lang != "de"', "lang != 'de'"),
    ("length > 20", "length > 20"),
    ("20 < length <= 41", "20 < length <= 41"),
    ('lang == "de" and length > 20', "lang == 'de' and length > 20"),
    ('lang == "fr" or not length < 25', "lang == 'fr' or not length < 25"),
    ('lang in ["de", "it"]', "lang in ['de', 'it']"),
    ('lang not in ("de", "it")', "lang not in ['de', 'it']"),
    ("`was seen`", "`was seen`"),
    ("not `was seen`", "not `was seen`"),
    ("`was seen` == False", "`was seen` == False"),
    ('meta.part == "v"', "`meta.part` == 'v'"),
    ("label == y_pred", "label == y_pred"),
    ("lang == None", "lang.isna()"),
    ("lang != None", "lang.notna()"),
    ("length > -1", "length > -1"),
    ('lang != "`de`"', "lang != '`de`'"),
    ("lang not in ['#', \"de\"]", "lang not in ['#', 'de']"),
    ('lang in [None, "it"]', "lang.isna() | (lang == 'it')"),
    ('lang == ""', "lang.isna()"),
    ("length == 20.0", "length == 20"),
])  # fmt: skip
@pytest.mark.parametrize("written", [False, True])
def test_a_condition_chooses_what_pandas_chooses(condition, query, written, path):
    chosen = TABLE.query(query)
    expected = (chosen.label == chosen.y_pred).mean()
    table = pd.read_csv(path, dtype=str) if written else TABLE
    found = tallystick.score(
        table, None, "accuracy", where=condition, gold="label", predicted="y_pred"
    )
    assert (expected, len(chosen)) == (found["accuracy"], found.scores[0].n)


def test_a_condition_may_name_columns_of_gold_and_of_systems():
    gold, own = TABLE[["id", "label", "length"]], TABLE[["id", "y_pred", "lang"]][::-1]
    chosen = TABLE.query("lang == 'fr' and length > 8")
    found = tallystick.score(gold, own, "accuracy", where='lang == "fr" and length > 8')
    assert ((chosen.label == chosen.y_pred).mean(), 2) == (found["accuracy"], found.scores[0].n)


def test_a_signature_says_which_examples_were_chosen():
    found = tallystick.score(TABLE, None, "accuracy", where="length > 20")
    assert "|where:length > 20|" in found.scores[0].signature


@pytest.mark.parametrize("condition", [
    "",
    "length >",
    "length is 3",
    "len(lang) > 3",
    "__import__('os').system('true')",
    "lang.__class__.__mro__ == ()",
    "(lambda: 1)() == lang",
    "[x for x in lang] == 1",
    "length + 1 > 3",
    "1 < 2",
    "3",
    "'de' in lang",
    "lang in length",
    "f'{lang}' == 'de'",
    "lang == b'de'",
    "(length := 3) == 3",
    "length[0] == 3",
    "(" * 300 + "lang" + ")" * 300,
    'lang == "de" # and length > 20',
    "length#2 > 3",
    "length < None",
    "None >= length",
    'lang < ""',
    "'`' == `lang",
])  # fmt: skip
def test_nothing_but_comparisons_is_read(condition, run):
    with pytest.raises(UsageError):
        Condition(condition)
    shown = run("score", "no-such.csv", "-m", "f1", "--where", condition, code=2)
    assert "error: where " in shown.err


@pytest.mark.parametrize(("condition", "kind", "message"), [
    ("lenght > 3", UsageError, "no column 'lenght'; did you mean 'length'"),
    ("length > 1000", InputError, "matches no example"),
])  # fmt: skip
def test_a_condition_that_chooses_nothing_is_told(condition, kind, message):
    with pytest.raises(kind, match=message):
        tallystick.score(TABLE, None, "accuracy", where=condition)


def test_values_of_another_type_are_told_with_their_row(path, run):
    shown = run("score", path, "-m", "accuracy", "--where", "lang > 3", code=4)
    assert "row 2, column 'lang': 'de' cannot be compared with 3" in shown.err


def test_every_command_takes_a_condition(tmp_path, run):
    table = TABLE.assign(other=TABLE.label)
    paths = [str(tmp_path / name) for name in ("t.csv", "gold.csv", "new.csv")]
    columns = [[*table], ["id", "label", "length"], ["id", "y_pred"]]
    for path, names in zip(paths, columns, strict=True):
        table[names].to_csv(path, index=False)
    options = ["-m", "accuracy", "--where", "length > 20", "--format", "json"]
    for command in ("compare", "rank"):
        assert '"n": 4' in run(command, paths[0], "--systems", "y_pred", "other", *options).out
    assert '"n": 4' in run("gate", *paths[1:], "--floor", "0.9", *options, code=1).out


def test_lines_of_text_have_no_columns_to_compare(tmp_path, run):
    paths = [tmp_path / "ref.txt", tmp_path / "hyp.txt"]
    for path in paths:
        path.write_text("a b\nc d\n")
    shown = run("score", *map(str, paths), "-m", "bleu", "--where", "length > 2", code=2)
    assert "can only be used with columns, not with lines of text" in shown.err


IDS = [1 << 53, (1 << 53) + 1, (1 << 53) + 2]
DAYS = ["2024-01-31", "2024-02-01", "2024-02-02"]


@pytest.mark.parametrize(("condition", "rows"), [
    (f"id == {IDS[1]}", [1]),
    (f"id == {IDS[1]}.0", [1]),
    (f"id in ['{IDS[1]}', {IDS[2]}]", [1, 2]),
    (f"id > {IDS[0]}.5", [1, 2]),
    (f"id < {10**400}", [0, 1, 2]),
    ('text == "`id` # 1"', [0]),
    ("text == '\\d'", [1]),
    ("`a#b` > 1", [1, 2]),
    ("id == wide", [0, 2]),
    ("when > '2024-01-31' and when < '2024-02-02'", [1]),
])  # fmt: skip
@pytest.mark.parametrize("form", ["csv", "json", "jsonl", "parquet", "decimal"])
def test_values_are_compared_by_their_types(condition, rows, form, tmp_path):
    frame = pd.DataFrame({"id": IDS, "text": ["`id` # 1", "\\d", None], "a#b": [1, 2, 3]})
    frame = frame.assign(wide=[IDS[0], IDS[0], IDS[2]], when=DAYS, label="x", y_pred="x")
    path = str(tmp_path / f"t.{form.replace('decimal', 'parquet')}")
    if form == "csv":
        frame.to_csv(path, index=False)
    elif form.startswith("json"):
        frame.to_json(path, orient="records", lines=form == "jsonl")
    else:
        whole = pa.decimal128(20, 0) if form == "decimal" else pa.int64()
        table = pa.table(frame.assign(when=pd.to_datetime(frame["when"]).dt.date))
        columns = [table[name].cast(whole) for name in ("id", "wide")]
        table = table.set_column(0, "id", columns[0]).set_column(3, "wide", columns[1])
        pq.write_table(table, path)
    assert main(["count", path, "--where", condition, "-o", str(tmp_path / "c.tally")]) == 0
    assert len(rows) == tallystick.load(str(tmp_path / "c.tally")).facts.n[None]


TRIES = "row,id,model,lang,epoch,correct,gold,answer,u1,u2\n" + "".join(
    f"{item}{model}{epoch},q{item},{model},{'de' if item < 2 else 'fr'},{epoch},"
    f"{(item + epoch) % 2},a,{'ab'[(item + epoch) % 2]},{'ab'[item % 2]},a\n"
    for item in range(4)
    for model in "xy"
    for epoch in (1, 2)
)


@pytest.mark.parametrize(("options", "condition"), [
    ("-m pass@1 --system-column model", 'lang == "de"'),
    ("-m pass@1 --system-column model", "epoch == 1"),
    ("-m pass@1 --id-column id --by lang", 'model == "x"'),
    ("-m try_mean(epoch) --system-column model", "epoch == 1"),
    ("-m krippendorff_alpha --annotators u1 u2 --id-column row", 'u1 == "a"'),
    ("-m krippendorff_alpha --annotators u1 u2 --id-column row --workers 2", 'lang == "fr"'),
    ("-m accuracy --annotators u1 u2 --systems answer --id-column row", 'u1 == "a"'),
    ("-m accuracy --gold-column gold --systems answer --id-column row", 'model == "x"'),
])  # fmt: skip
@pytest.mark.usefixtures("shared_workers")
def test_every_layout_is_scored_on_the_rows_that_match(options, condition, tmp_path, run):
    whole, part = tmp_path / "whole" / "t.csv", tmp_path / "part" / "t.csv"
    for path in (whole, part):
        path.parent.mkdir()
    whole.write_text(TRIES)
    pd.read_csv(whole).query(condition.replace('"', "'")).to_csv(part, index=False)

    found = []
    for path, chosen in ((whole, ["--where", condition]), (part, [])):
        shown = run("score", str(path), *options.split(), *chosen, "--format", "csv")
        found.append(pd.read_csv(io.StringIO(shown.out)).drop(columns="signature", errors="ignore"))
    pd.testing.assert_frame_equal(*found)
    shown = run("score", str(whole), *options.split(), "--where", "nope == 1", code=2)
    assert "there is no column 'nope'" in shown.err


@pytest.mark.parametrize("condition", ["lang == 'de'", "epoch == 1", "lang == 'de' and epoch > 1"])
def test_tries_are_chosen_by_columns_of_their_gold_too(condition):
    table = pd.read_csv(io.StringIO(TRIES))
    gold = table[["id", "lang", "gold"]].drop_duplicates()
    tries = {one: table.query(f"model == '{one}'")[["id", "epoch", "answer"]] for one in "xy"}
    chosen = table.query(condition)
    found = tallystick.score(gold, tries, "pass@1", where=condition)
    assert (chosen.answer == chosen.gold).groupby([chosen.model, chosen.id]).mean().groupby(
        "model"
    ).mean().to_dict() == {one.system: one.value for one in found.scores}
    assert f"|where:{condition}|" in found.scores[0].signature


def test_battles_are_chosen_by_their_columns():
    table = pd.DataFrame({"model_a": list("xyx"), "model_b": list("yxy"), "lang": list("aab")})
    table["winner"] = ["model_a", "model_a", "tie"]
    chosen = tallystick.score(table, None, "win_rate", where="lang == 'a'")
    part = tallystick.score(table[:2], None, "win_rate")
    assert [one.value for one in part.scores] == [one.value for one in chosen.scores]


def test_columns_of_systems_that_differ_choose_nothing():
    gold = TABLE[["id", "label"]]
    systems = {"a": TABLE[["id", "y_pred"]], "b": TABLE[["id", "y_pred"]].assign(y_pred="a")}
    with pytest.raises(UsageError, match="a and other systems differ in column 'y_pred'"):
        tallystick.score(gold, systems, "accuracy", where="y_pred == 'a'")
    assert 4 == tallystick.score(gold, systems, "accuracy", where="label == 'a'").scores[0].n


def test_rows_that_are_chosen_keep_their_numbers():
    table = TABLE.assign(u1=list("aabbabab"), u2=list("aabbaba?"))
    options = {"annotators": ["u1", "u2"], "labels": ["a", "b"], "where": "length > 4"}
    with pytest.raises(InputError, match="row 8"):
        tallystick.score(table, None, "krippendorff_alpha", **options)


def test_runs_of_languages_are_chosen_by_any_column(tmp_path, run):
    table = TABLE.assign(y_true=[1, 0] * 4, y_pred=[1, 1, 0, 0] * 2, y_prob=0.5)
    table.to_csv(tmp_path / "x_en.csv", index=False)
    words = ["score", "--pred-dir", str(tmp_path), "--run-tag", "x", "-m", "accuracy"]
    assert '"n": 4' in run(*words, "--where", "length > 20", "--format", "json").out


def test_saved_counts_have_no_rows_to_choose(path, tmp_path, run):
    saved = str(tmp_path / "c.tally")
    run("count", path, "-m", "accuracy", "-o", saved)
    shown = run("score", saved, "--where", "length > 20", code=2)
    assert "--where can only be used with files to count" in shown.err


@pytest.mark.parametrize("zone", [None, "UTC", "Asia/Tokyo"])
@pytest.mark.parametrize("literal", ["2024-02-01", "2024-02-01 00:00", "2024-02-01T00:00:00"])
def test_times_without_a_zone_are_of_the_zone_of_their_column(zone, literal):
    table = TABLE.assign(when=pd.date_range("2024-01-29", periods=8, tz=zone))
    assert 5 == tallystick.score(table, None, "accuracy", where=f"when >= '{literal}'").scores[0].n
