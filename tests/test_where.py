"""Conditions that choose examples."""

from pathlib import Path

import pandas as pd
import pytest

import tallystick
from tallystick.cli import main
from tallystick.errors import InputError, UsageError
from tallystick.examples.where import Condition

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


@pytest.mark.parametrize(
    ("condition", "query"),
    [
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
    ],
)
@pytest.mark.parametrize("written", [False, True])
def test_a_condition_chooses_what_pandas_chooses(
    condition: str, query: str, written: bool, tmp_path: Path
) -> None:
    """The examples are those of the same query, of typed columns and of a CSV file's text."""
    chosen = TABLE.query(query)
    expected = (chosen.label == chosen.y_pred).mean()
    options = {"where": condition, "gold": "label", "predicted": "y_pred"}
    table = TABLE
    if written:
        table = pd.read_csv(_write(tmp_path), dtype=str)
    found = tallystick.score(table, None, "accuracy", **options)
    assert (expected, len(chosen)) == (found["accuracy"], found.scores[0].n)


def _write(folder: Path) -> str:
    path = folder / "table.csv"
    TABLE.to_csv(path, index=False)
    return str(path)


def test_a_condition_may_name_columns_of_gold_and_of_systems() -> None:
    """Tables are joined by id first, so that each condition is about an example."""
    gold, own = TABLE[["id", "label", "length"]], TABLE[["id", "y_pred", "lang"]][::-1]
    chosen = TABLE.query("lang == 'fr' and length > 8")
    found = tallystick.score(gold, own, "accuracy", where='lang == "fr" and length > 8')
    expected = (chosen.label == chosen.y_pred).mean()
    assert (expected, 2) == (found["accuracy"], found.scores[0].n)


def test_a_signature_says_which_examples_were_chosen() -> None:
    """A number of a part is never taken for that of all."""
    found = tallystick.score(TABLE, None, "accuracy", where="length > 20")
    assert "|where:length > 20|" in found.scores[0].signature


@pytest.mark.parametrize(
    "condition",
    [
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
    ],
)
def test_nothing_but_comparisons_is_read(condition: str, capsys: pytest.CaptureFixture) -> None:
    """Whatever else is written is refused before any file is opened, and never run."""
    with pytest.raises(UsageError):
        Condition(condition)
    assert main(["score", "no-such.csv", "-m", "f1", "--where", condition]) == 2
    assert "--where" in capsys.readouterr().err


def test_an_unknown_column_is_told_with_the_nearest() -> None:
    """Who misspells a name reads the right one."""
    with pytest.raises(UsageError, match="no column 'lenght'; did you mean 'length'"):
        tallystick.score(TABLE, None, "accuracy", where="lenght > 3")


def test_values_of_another_type_are_told_with_their_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A text is no number, and no comparison is made up."""
    assert main(["score", _write(tmp_path), "-m", "accuracy", "--where", "lang > 3"]) == 4
    assert "row 2, column 'lang': 'de' cannot be compared with 3" in capsys.readouterr().err


def test_a_condition_of_which_nothing_is_left_is_an_error() -> None:
    """No score is made of nothing."""
    with pytest.raises(InputError, match="holds of no example"):
        tallystick.score(TABLE, None, "accuracy", where="length > 1000")


def test_every_command_takes_a_condition(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is compared, ranked, gated and counted is the same part."""
    table = TABLE.assign(other=TABLE.label)
    table.to_csv(tmp_path / "t.csv", index=False)
    base = [str(tmp_path / "t.csv"), "--systems", "y_pred", "other", "-m", "accuracy"]
    base += ["--where", "length > 20", "--format", "json"]
    for command in ("compare", "rank"):
        assert main([command, *base]) in (0, None)
        assert '"n": 4' in capsys.readouterr().out
    table[["id", "label", "length"]].to_csv(tmp_path / "gold.csv", index=False)
    table[["id", "y_pred"]].to_csv(tmp_path / "new.csv", index=False)
    paths = [str(tmp_path / "gold.csv"), str(tmp_path / "new.csv")]
    words = ["gate", *paths, "-m", "accuracy", "--floor", "0.9", "--where", "length > 20"]
    assert main([*words, "--format", "json"]) in (1, 3)
    assert '"n": 4' in capsys.readouterr().out


def test_lines_of_text_have_no_columns_to_compare(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A condition on lines is a wrong call."""
    for name in ("ref.txt", "hyp.txt"):
        (tmp_path / name).write_text("a b\nc d\n")
    paths = [str(tmp_path / "ref.txt"), str(tmp_path / "hyp.txt")]
    assert main(["score", *paths, "-m", "bleu", "--where", "length > 2"]) == 2
    assert "lines of text have none" in capsys.readouterr().err
