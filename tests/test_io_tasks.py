"""The YAML file of a shared task, and that of a configuration."""

import datetime
import re

import pytest

from tallystick.errors import InputError, UsageError
from tallystick.io.config import read_languages, read_sections
from tallystick.limits import LIMITS
from tallystick.tasks.bundles.codabench_rules import find_faults
from tallystick.tasks.task_file import choose_phase, make_schema, read_task

TASK = """\
title: Two tracks
tracks:
  one: {gold: gold/one.csv, metrics: [macro_f1]}
  two:
    gold: two.csv
    metrics: [macro_f1, hamming_loss]
    task: multilabel
    labels: [L, G, 1]
    columns: {id: sub_id}
phases:
  development:
    gold: {one: dev/one.csv}
    start: 2026-03-01
    end: 2026-03-31T23:59:00Z
    limits: {per_day: 1}
  test: {gold: {two: test/two.csv}, ids: {one: test/one.csv}}
baselines: [majority]
overall: borda
missing_tracks: zero
limits: {per_day: 5, total: 20}
"""


def _write(folder, text):
    path = folder / "task.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_tracks_are_read_in_order(tmp_path):
    task = read_task(_write(tmp_path, TASK))

    assert ["one", "two"] == list(task.tracks)
    assert (str(tmp_path / "gold/one.csv"), str(tmp_path / "dev/one.csv")) == (
        task.tracks["one"].gold,
        task.phases["development"].gold["one"],
    )
    assert ("multilabel", ("L", "G", 1), ("macro_f1", "hamming_loss"), "sub_id") == (
        task.tracks["two"].task,
        task.tracks["two"].labels,
        task.tracks["two"].metrics,
        task.tracks["two"].columns.id,
    )
    assert (("majority",), "borda", "zero") == (task.baselines, task.overall, task.missing_tracks)


def test_words_of_a_choice_may_be_in_any_case(tmp_path):
    text = TASK.replace("multilabel", "MultiLabel").replace("borda", "Borda")
    task = read_task(_write(tmp_path, text))
    assert ("multilabel", "borda") == (task.tracks["two"].task, task.overall)


def test_a_date_is_its_midnight_in_utc(tmp_path):
    phase = read_task(_write(tmp_path, TASK)).phases["development"]
    assert (
        datetime.datetime(2026, 3, 1, tzinfo=datetime.UTC),
        datetime.datetime(2026, 3, 31, 23, 59, tzinfo=datetime.UTC),
    ) == (phase.start, phase.end)


def test_a_phase_has_gold_of_its_own(tmp_path):
    task = read_task(_write(tmp_path, TASK))

    development, test = choose_phase(task, "development"), choose_phase(task, "test")

    assert {"one": str(tmp_path / "dev/one.csv")} == {
        name: track.gold for name, track in development.tracks.items()
    }
    assert {"one": None, "two": str(tmp_path / "test/two.csv")} == {
        name: track.gold for name, track in test.tracks.items()
    }
    assert (1, 5) == (development.limits.per_day, test.limits.per_day)


def test_without_a_phase_tracks_keep_their_gold(tmp_path):
    task = read_task(_write(tmp_path, TASK))
    assert task == choose_phase(task, None)


def test_an_unknown_phase_is_an_error(tmp_path):
    task = read_task(_write(tmp_path, TASK))
    with pytest.raises(UsageError, match="no phase 'dev'; the phases are: development, test"):
        choose_phase(task, "dev")


def test_the_only_phase_need_not_be_named(tmp_path):
    text = "tracks: {a: {metrics: [f1]}}\nphases: {test: {gold: {a: g.csv}}}\n"
    task = read_task(_write(tmp_path, text))
    assert str(tmp_path / "g.csv") == choose_phase(task, None).tracks["a"].gold


def test_one_of_several_phases_is_named(tmp_path):
    text = (
        "tracks: {a: {metrics: [f1]}}\n"
        "phases: {dev: {gold: {a: d.csv}}, test: {gold: {a: g.csv}}}\n"
    )
    task = read_task(_write(tmp_path, text))
    with pytest.raises(UsageError, match="track a has no gold of its own; name one of the phases"):
        choose_phase(task, None)


@pytest.mark.parametrize(("old", "new", "message"), [
    ("gold: two.csv", "golden: two.csv", "tracks.two.golden is not a key; did you mean 'gold'?"),
    ("{id: sub_id}", "{ids: sub_id}", "tracks.two.columns.ids is not a key; did you mean 'id'?"),
    ("per_day: 1", "per_week: 1", "phases.development.limits.per_week is not a key; did you mean"),
    ("baselines:", "baseline:", "baseline is not a key; did you mean 'baselines'?"),
    ("title:", "zzz:", "zzz is not a key; the keys are tracks, title, description"),
    ("    metrics: [macro_f1, hamming_loss]\n", "", "tracks.two: .* field `metrics`"),
    ("missing_tracks: zero", "missing_tracks: none",
     "missing_tracks must be one of exclude, zero, worst, common, not 'none'"),
    ("task: multilabel", "task: many", "tracks.two.task must be one of binary, .*, not 'many'"),
    ("[L, G, 1]", "[L, NO]", "tracks.two.labels.*got `bool`; YAML reads a bare no"),
    ("[L, G, 1]", "[L, 1.5]", "tracks.two.labels.*got `float`; quote it"),
    ("metrics: [macro_f1]", "metrics: macro_f1", "tracks.one.metrics: expected a list"),
    ("metrics: [macro_f1]", "metrics: []", "tracks.one.metrics: expected a list of length"),
    ("per_day: 5", "per_day: 0", "limits.per_day: expected `int` >= 1"),
    ("start: 2026-03-01", "start: soon", "phases.development.start: a date such as 2026-03-"),
    ("end: 2026-03-31T", "end: 2026-02-28T", "development.end: the phase ends before it start"),
    ("{one: dev/one.csv}", "{oen: d.csv}",
     "line 12: phases.development.gold.oen: there is no track 'oen'; did you mean 'one'"),
    ("gold: gold/one.csv, ", "", None),
    (TASK, "tracks: {}", "tracks is empty"),
    (TASK, "tracks: {a: {metrics: [f1]}}", "tracks.a has no key 'gold'"),
    (TASK, "tracks: {a: 5}", "tracks.a: expected a mapping of keys to values, got"),
    (TASK, "[1, 2]", "this is no task file, which is YAML with keys such as title"),
    (TASK, "a: [", "is not YAML"),
])  # fmt: skip
def test_a_wrong_file_is_an_error(tmp_path, old, new, message):
    path = _write(tmp_path, TASK.replace(old, new))

    if message is None:
        assert read_task(path).tracks["one"].gold is None
        return
    with pytest.raises(InputError, match=message) as caught:
        read_task(path)

    assert str(caught.value).startswith(path)


def test_the_schema_describes_every_key():
    keys = [
        (record, key, value)
        for record, one in make_schema()["$defs"].items()
        for key, value in one["properties"].items()
    ]
    assert [] == [(record, key) for record, key, value in keys if "description" not in value]
    assert [] == [(record, key) for record, key, value in keys if not value.get("examples")]


def test_the_schema_takes_dates():
    start = make_schema()["$defs"]["Phase"]["properties"]["start"]
    assert [{"type": "string"}, {"type": "null"}] == start["anyOf"]


FOREIGN = """
seed: 7
model: {name: detoxify, checkpoint: multilingual}
dataset: {path: data.csv}
date: 2024-01-31
"""


def write(folder, text):
    path = folder / "config.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(("text", "languages"), [
    ("data:\n  languages: [en, es]\n  text_column: comment\n", ("en", "es")),
    (FOREIGN + "data:\n  languages:\n  - tr\n  - 'no'\n", ("tr", "no")),
    (FOREIGN, ()),
    ("data: {path: x.csv}\n", ()),
    ("data:\n", ()),
    ("# nothing yet\n", ()),
    ("1: a\ntrue: b\n", ()),
])  # fmt: skip
def test_languages_are_read_and_foreign_keys_ignored(tmp_path, text, languages):
    assert languages == read_languages(write(tmp_path, text))


@pytest.mark.parametrize(("text", "message"), [
    ("dta: {languages: [en]}", "unknown key 'dta'; did you mean 'data'?"),
    ("Data: {languages: [en]}", "unknown key 'Data'; did you mean 'data'?"),
    ("data: {langauges: [en]}", "unknown key 'data.langauges'; did you mean 'data.languages'?"),
])  # fmt: skip
def test_a_misspelt_key_is_told(tmp_path, text, message):
    with pytest.raises(InputError, match=re.escape(message)):
        read_languages(write(tmp_path, text))


def test_a_similar_key_beside_the_right_one_is_foreign(tmp_path):
    path = write(tmp_path, "data: {languages: [en], language: x}\ndatas: 1\n")
    assert read_languages(path) == ("en",)


@pytest.mark.parametrize(("text", "message"), [
    ("[data]", "$ contains ['data'], but a mapping was expected"),
    ("data: en", "$.data contains 'en', but a mapping was expected"),
    ("data: {languages: en}", "$.data.languages contains 'en', but a list of languages"),
    ("data: {languages: []}", "$.data.languages contains [], but a list of languages"),
    ("data: {languages: }", "$.data.languages contains None, but a list of languages"),
    ("data: {languages: [en, 5]}", "$.data.languages[1] contains 5, but a string"),
    ("data: {languages: [en, [es]]}", "$.data.languages[1] contains ['es'], but a string"),
    ("data: {languages: [en, no]}", "$.data.languages[1] contains false, but a string"),
])  # fmt: skip
def test_a_wrong_type_is_located(tmp_path, text, message):
    with pytest.raises(InputError, match=re.escape(f"config.yaml: {message}")):
        read_languages(write(tmp_path, text))


def test_a_bare_no_is_told_to_be_quoted(tmp_path):
    with pytest.raises(InputError, match=r"so quote it$"):
        read_languages(write(tmp_path, "data: {languages: [no]}"))


@pytest.mark.parametrize(("text", "message"), [
    ("a: 1\nb: [", "line 2 is not YAML: "),
    ("a: 1\nb: !!python/object:os.system x", "line 2 is not YAML: could not determine"),
    ("a: \x07", "is not YAML: unacceptable character"),
    ("[" * 5000, "line 1 is nested more than 100 deep"),
    ("- " * 5000, "line 1 is nested more than 100 deep"),
])  # fmt: skip
def test_broken_yaml_is_an_input_error(tmp_path, text, message):
    with pytest.raises(InputError, match=re.escape(f"config.yaml: {message}") + ".*$") as caught:
        read_languages(write(tmp_path, text))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("text", "message"), [
    ("a: 1\nb: 2\na: 3\n", "line 3 has the key 'a' again, after line 1; keep one of them"),
    ("x:\n  a: 1\n  'a': 2\n", "line 3 has the key 'a' again, after line 2"),
    ("- {b: 1}\n- {b: 1, b: 1}\n", "line 2 has the key 'b' again, after line 2"),
    ("x: &y {a: 1}\nz: *y\n? [k]\n: 1\nx: 2\n", "line 5 has the key 'x' again, after line 1"),
])  # fmt: skip
def test_a_key_that_stands_twice_is_told(tmp_path, text, message):
    with pytest.raises(InputError, match=re.escape(f"config.yaml: {message}")):
        read_languages(write(tmp_path, text))


def test_the_same_key_may_stand_in_several_mappings(tmp_path):
    text = "data: {languages: [en]}\na: &x {data: 1}\nb: *x\nc: {<<: *x, d: 1}\n"
    assert ("en",) == read_languages(write(tmp_path, text))


BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{step}: &a{step} [{', '.join([f'*a{step - 1}'] * 9)}]\n" for step in range(1, 12)
)
MERGES = "a0: &a0 {x: 1}\n" + "".join(
    f"a{step}: &a{step} {{<<: [*a{step - 1}, *a{step - 1}]}}\n" for step in range(1, 30)
)


@pytest.mark.parametrize(("text", "message"), [
    (BOMB, "has more than 1,000 values at line 4, counting those that its aliases repeat"),
    (MERGES, "has more than 1,000 values at line 8, counting those"),
    ("a: &a [*a]\n", "has more than 1,000 values at line 1"),
    (f"a: [{'1,' * 1_001}]", "has more than 1,000 values at line 1"),
    (f"a: {'1:' * 20_000}1", "line 1 has a number of 40,001 characters; quote it"),
    (f"a: '{'x' * 1_000_000}'", "has more than 1 MB"),
], ids=["aliases", "merges", "endless", "values", "digits", "bytes"])  # fmt: skip
def test_yaml_that_would_take_minutes_or_all_memory_is_rejected(
    tmp_path, monkeypatch, text, message
):
    monkeypatch.setattr(LIMITS, "yaml_values", 1_000)
    path = write(tmp_path, text)
    for read in (read_languages, read_task, lambda path: read_sections(path, dict)):
        with pytest.raises(InputError, match=re.escape(message)):
            read(path)
    (fault,) = find_faults({"competition.yaml": text.encode()})
    assert message in fault
