"""Every kind of data goes through every command, option and format, or is rejected."""

import json
import random
import re
from pathlib import Path

import pyarrow
import pytest
from msgspec.structs import replace

import tallystick
from kinds import KINDS, write
from matrix import (
    COLUMNS,
    COMMANDS,
    FEATURES,
    ask,
    call,
    cells,
    derive,
    phrase,
    phrase_files,
    phrase_saved,
    read_values,
    repeat,
    run,
    tell,
)
from tallystick import Columns, Style, UsageError
from tallystick.limits import LIMITS


@cells()
def test_the_order_of_rows_changes_nothing(name, command):
    rows = KINDS[name].rows()
    shuffled = random.Random(1).sample(rows, len(rows))
    assert tell(ask(command, name, rows)) == tell(ask(command, name, shuffled))


@cells()
def test_saved_parts_give_what_the_whole_gives(tmp_path, name, command):
    features = ("by", "clusters", "weight") if command in ("score", "compare") else ()
    taken = [one for one in features if not KINDS[name].rejected(command, one)]
    rows = KINDS[name].rows(*(COLUMNS[one] for one in taken))
    options = [word for one in taken for word in FEATURES[one]]
    parts = [str(tmp_path / f"{part}.tally") for part in (0, 1)]
    for part, path in enumerate(parts):
        half = [row for row in rows if int(row["id"][1:]) // 3 % 2 == part]
        run([*phrase("count", name, write(tmp_path / f"{part}.jsonl", half)), *options, "-o", path])
    _, results, notes = run(phrase_saved(command, name, *parts))

    assert tell(ask(command, name, rows, *options)) == tell(json.loads(results)), notes


@cells("by")
def test_a_group_is_scored_as_if_alone(name, command):
    group = "de"
    rows = KINDS[name].rows("lang")
    alone = read_values(ask("score", name, [row for row in rows if row["lang"] == group]))
    grouped = read_values(ask(command, name, rows, *FEATURES["by"]))
    own = {
        ((whole.removesuffix(group).rstrip("/") or None, *rest), *who): value
        for ((whole, *rest), *who), value in grouped.items()
        if whole.endswith(group)
    }

    assert own
    assert pytest.approx(derive(alone, own), abs=1e-12) == own


@cells(commands=COMMANDS[1:])
def test_every_command_has_the_values_of_score(name, command):
    rows = KINDS[name].rows()
    found = read_values(ask(command, name, rows))
    assert pytest.approx(derive(read_values(ask("score", name, rows)), found), abs=1e-12) == found


@cells(commands=["rank"])
def test_no_system_has_a_better_value_than_the_one_above(name, command):
    places = ask(command, name, KINDS[name].rows())["places"]
    first, second = sorted(places[:2], key=lambda place: place["rank"])
    assert 0 <= (-1 if first["better"] == "lower" else 1) * (first["value"] - second["value"])


@cells(commands=["gate"])
def test_a_gate_passes_where_the_bound_is_within_the_limit(name, command):
    checks = ask(command, name, KINDS[name].rows())["checks"]
    assert [
        "pass" if -0.1 <= low else "fail" if high < -0.1 else "inconclusive"
        for low, high in [
            (-one["high"], -one["low"]) if one["better"] == "lower" else (one["low"], one["high"])
            for one in checks
        ]
    ] == [one["verdict"] for one in checks]


@cells("clusters")
def test_clusters_change_no_value(name, command):
    plain = read_values(ask(command, name, KINDS[name].rows()))
    found = ask(command, name, KINDS[name].rows("doc"), *FEATURES["clusters"])
    assert pytest.approx(plain, abs=1e-12) == read_values(found)


@cells("weight", ["score"])
def test_equal_weights_change_no_value(name, command):
    rows = KINDS[name].rows()
    assert pytest.approx(read_values(ask(command, name, rows)), abs=1e-12) == read_values(
        ask(command, name, [{**row, "weight": 2} for row in rows], *FEATURES["weight"])
    )


@cells("weight")
def test_a_weight_is_worth_as_many_rows(name, command):
    rows = KINDS[name].rows("weight")
    repeated = read_values(ask("score", name, repeat(rows, "weight")))
    found = read_values(ask(command, name, rows, *FEATURES["weight"]))
    assert pytest.approx(derive(repeated, found), abs=1e-12) == found


@cells("times")
def test_a_count_is_worth_as_many_rows(name, command):
    rows = KINDS[name].rows("times")
    assert tell(ask(command, name, repeat(rows, "times"))) == tell(
        ask(command, name, rows, *FEATURES["times"])
    )


@cells("rounding")
def test_rounding_to_the_decimals_of_the_data_changes_no_value(name, command):
    rows = KINDS[name].rows()
    plain, rounded = (
        read_values(ask(command, name, rows, *more)) for more in ((), FEATURES["rounding"])
    )
    assert pytest.approx(plain, abs=1e-9) == rounded


@cells("prevalence", ["score"])
def test_the_present_mix_of_labels_changes_no_value(name, command):
    rows = KINDS[name].rows()
    mix = [f"{label}={share}" for label, share in KINDS[name].shares.items()]
    assert pytest.approx(read_values(ask(command, name, rows)), abs=1e-9) == read_values(
        ask(command, name, rows, "--prevalence", *mix)
    )


@cells("segments", ["score"])
def test_a_segment_is_scored_as_if_alone(name, command):
    rows = KINDS[name].rows()
    alone = read_values(ask(command, name, rows[:1], *FEATURES["segments"]))
    assert alone.items() <= read_values(ask(command, name, rows, *FEATURES["segments"])).items()


@cells("seeds", ["score"])
def test_the_value_of_runs_is_their_mean(name, command):
    rows = KINDS[name].rows()
    values = read_values(ask(command, name, rows))
    runs = read_values(ask(command, name, rows, *FEATURES["seeds"]))
    assert pytest.approx(runs) == {
        (here, who): (values[here, "a"] + values[here, "b"]) / 2 for here, who in runs
    }


@cells()
def test_python_returns_what_the_command_prints(name, command):
    assert json.loads(call(name, command).to_json()) == ask(command, name, KINDS[name].rows())


@cells("files", ["score", "compare"])
def test_files_of_their_own_give_what_columns_give(tmp_path, name, command):
    gold, own = KINDS[name].apart()
    paths = [
        write(tmp_path / "gold.jsonl", gold),
        write(tmp_path / "a.jsonl", own["a"][::-1]),
        write(tmp_path / "b.jsonl", own["b"]),
    ]
    code, results, notes = run(phrase_files(command, name, *paths))

    assert 0 == code, notes
    assert read_values(ask(command, name, KINDS[name].rows())) == read_values(json.loads(results))


@cells("missing", ["score"])
def test_a_missing_output_counts_as_wrong(tmp_path, name, command):
    gold, own = KINDS[name].apart()
    wrong = [{**own["a"][0], "prediction": KINDS[name].wrong}, *own["a"][1:]]
    table = write(tmp_path / "gold.jsonl", gold)
    lacking, whole = write(tmp_path / "a.jsonl", own["a"][1:]), write(tmp_path / "w.jsonl", wrong)
    _, found, notes = run([*phrase_files(command, name, table, lacking), *FEATURES["missing"]])
    _, expected, _ = run(phrase_files(command, name, table, whole))

    assert json.loads(expected)["scores"][0]["value"] == json.loads(found)["scores"][0]["value"], (
        notes
    )


REAL = {"rated"}
"""Kinds whose real numbers other parts add in another order, which may change the last digit."""


@pytest.mark.deep
@cells(commands=["count"])
@pytest.mark.usefixtures("shared_workers")
def test_workers_write_the_counts_of_one_process(monkeypatch, tmp_path, name, command):
    monkeypatch.setattr(LIMITS, "least_part", 1 << 8)
    monkeypatch.setattr(LIMITS, "sent_rows", 3)
    taken = [one for one in ("by", "clusters", "weight") if not KINDS[name].rejected("score", one)]
    table = write(tmp_path / "all.jsonl", KINDS[name].rows(*(COLUMNS[one] for one in taken)))
    words = [*phrase(command, name, table), *(word for one in taken for word in FEATURES[one])]
    one, many = (str(tmp_path / f"{number}.tally") for number in (1, 2))

    assert [0, 0] == [run([*words, "-o", one])[0], run([*words, "--workers", "2", "-o", many])[0]]
    if name not in REAL:
        assert Path(one).read_bytes() == Path(many).read_bytes()
    ours, theirs = (
        json.loads(run(["score", path, "--format", "json", "--no-intervals"])[1])["scores"]
        for path in (one, many)
    )
    values = [[score.pop("value") for score in scores] for scores in (ours, theirs)]
    assert ours == theirs
    assert values[0] == pytest.approx(values[1], rel=1e-12, nan_ok=True)


SHOWN = COMMANDS[:-1]


def list_values(name, command):
    values = read_values(json.loads(call(name, command).to_json()))
    return [value for (_, *systems), value in values.items() if len(systems) == 1]


@cells(commands=SHOWN)
@pytest.mark.parametrize("format", ["text", "markdown", "latex"])
def test_every_format_shows_every_value(name, command, format):
    shown = getattr(call(name, command), f"to_{format}")(Style(digits=4, notes=None))
    scales = (1, 100) if format == "latex" else (1,)  # percent next to BLEU, for one scale
    assert [] == [
        one
        for one in list_values(name, command)
        if not any(f"{scale * abs(one):.4f}" in shown for scale in scales)
    ]


@cells(commands=SHOWN)
def test_csv_has_every_value(name, command):
    shown = re.split("[,\n]", call(name, command).to_csv())
    assert set(map(str, list_values(name, command))) <= set(shown)


@pytest.mark.deep
@cells(commands=SHOWN)
@pytest.mark.usefixtures("sketched")
def test_a_report_and_the_view_of_a_saved_result_show_every_value(tmp_path, name, command):
    saved, *pages = (tmp_path / each for each in ("result.json", "seen.html", "own.html", "4.html"))
    saved.write_text(call(name, command).to_json(), encoding="utf-8")
    run(["view", str(saved), "-o", str(pages[0])])
    call(name, command).to_html(pages[1])
    call(name, command).to_html(pages[2], Style(digits=4))
    seen, own, exact = (re.findall("(?s)<table.*?</table>", page.read_text()) for page in pages)

    assert own[0] == seen[0]
    rounded = [f"{abs(one):.4f}" for one in list_values(name, command)]
    assert [] == [one for one in rounded if one not in "".join(exact)]


@cells("figure", SHOWN)
@pytest.mark.usefixtures("sketched")
def test_a_saved_result_is_drawn_as_it_was(tmp_path, name, command):
    saved, drawn, seen = (tmp_path / each for each in ("result.json", "drawn.svg", "seen.svg"))
    saved.write_text(call(name, command).to_json(), encoding="utf-8")
    call(name, command).figure().save(drawn)
    run(["view", str(saved), "-o", str(seen)])
    assert drawn.read_bytes() == seen.read_bytes()


NAMED = {
    "weight": "weight", "times": "count", "prevalence": "prevalence", "segments": "segments",
    "seeds": "runs", "rounding": "round", "systems": "systems",
}  # fmt: skip
"""The word by which a sentence names a feature."""

IN_PYTHON = {
    "weight": {"weights": "weight"},
    "prevalence": {"prevalence": {"1": 0.25}},
    "segments": {"segments": True},
}
BY_COLUMNS = {"times": {"count": "times"}, "rounding": {"round_scores": 6}}
"""Keywords of score and of Columns."""

REJECTED = [
    (name, *((feature, "systems") if feature in COMMANDS else ("score", feature)))
    for name, kind in KINDS.items()
    for feature in sorted(kind.refuses)
    if feature in COMMANDS or feature in NAMED
]


def refuse(folder, name, command, feature):
    table = write(folder / "all.jsonl", KINDS[name].rows(*filter(None, [COLUMNS.get(feature)])))
    code, _, notes = run([*phrase(command, name, table), *FEATURES.get(feature, ())])
    return code, notes


@pytest.mark.parametrize(("name", "command", "feature"), REJECTED)
def test_a_refusal_is_a_sentence_that_names_the_feature(tmp_path, name, command, feature):
    code, notes = refuse(tmp_path, name, command, feature)
    assert (2, 1, True) == (code, notes.count("\n"), NAMED[feature] in notes)


@pytest.mark.parametrize(("name", "command", "feature"), REJECTED)
def test_a_refusal_names_the_kind(tmp_path, name, command, feature):
    _, notes = refuse(tmp_path, name, command, feature)
    assert [] != [word for word in KINDS[name].called if word in notes]


@pytest.mark.parametrize(
    ("name", "feature"),
    [(name, feature) for name, _, feature in REJECTED if feature in {*IN_PYTHON, *BY_COLUMNS}],
)
def test_python_refuses_what_the_command_refuses(name, feature):
    kind = KINDS[name]
    table = pyarrow.Table.from_pylist(kind.rows(*filter(None, [COLUMNS.get(feature)])))
    layout = {**kind.layout, **IN_PYTHON.get(feature, {})}
    if feature in BY_COLUMNS:
        layout["columns"] = replace(layout.get("columns", Columns()), **BY_COLUMNS[feature])
    with pytest.raises(UsageError):
        tallystick.score(table, metrics=kind.metrics, **layout)


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, kind in KINDS.items()
        if "missing" in kind.refuses and "files" not in kind.refuses and name != "tries"
    ],
)
def test_a_missing_number_has_no_worth(tmp_path, name):
    gold, own = KINDS[name].apart()
    paths = [write(tmp_path / "gold.jsonl", gold), write(tmp_path / "a.jsonl", own["a"][1:])]
    code, _, notes = run([*phrase_files("score", name, *paths), *FEATURES["missing"]])
    assert (4, True) == (code, "1 of 12 examples are missing, which cannot count as wrong" in notes)
