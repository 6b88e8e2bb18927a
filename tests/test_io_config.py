"""Only `data.languages` of a configuration is read, and slips in it are told."""

import re
from pathlib import Path

import pytest

from tallystick.errors import InputError
from tallystick.io import bounded_yaml
from tallystick.io.config import read_languages, read_sections
from tallystick.tasks.bundles.codabench_rules import find_faults
from tallystick.tasks.task_file import read_task

FOREIGN = """
seed: 7
model: {name: detoxify, checkpoint: multilingual}
dataset: {path: data.csv}
date: 2024-01-31
"""


def write(folder: Path, text: str) -> str:
    path = folder / "config.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("text", "languages"),
    [
        ("data:\n  languages: [en, es]\n  text_column: comment\n", ("en", "es")),
        (FOREIGN + "data:\n  languages:\n  - tr\n  - 'no'\n", ("tr", "no")),
        (FOREIGN, ()),
        ("data: {path: x.csv}\n", ()),
        ("data:\n", ()),
        ("# nothing yet\n", ()),
        ("1: a\ntrue: b\n", ()),
    ],
)
def test_languages_are_read_and_foreign_keys_ignored(tmp_path, text, languages):
    assert languages == read_languages(write(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dta: {languages: [en]}", "unknown key 'dta'; did you mean 'data'?"),
        ("Data: {languages: [en]}", "unknown key 'Data'; did you mean 'data'?"),
        ("data: {langauges: [en]}", "unknown key 'data.langauges'; did you mean 'data.languages'?"),
    ],
)
def test_a_misspelt_key_is_told(tmp_path, text, message):
    with pytest.raises(InputError, match=re.escape(message)):
        read_languages(write(tmp_path, text))


def test_a_similar_key_beside_the_right_one_is_foreign(tmp_path):
    path = write(tmp_path, "data: {languages: [en], language: x}\ndatas: 1\n")

    assert read_languages(path) == ("en",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[data]", "$ holds ['data'], but a mapping was expected"),
        ("data: en", "$.data holds 'en', but a mapping was expected"),
        ("data: {languages: en}", "$.data.languages holds 'en', but a list of languages"),
        ("data: {languages: []}", "$.data.languages holds [], but a list of languages"),
        ("data: {languages: }", "$.data.languages holds None, but a list of languages"),
        ("data: {languages: [en, 5]}", "$.data.languages[1] holds 5, but a string"),
        ("data: {languages: [en, [es]]}", "$.data.languages[1] holds ['es'], but a string"),
        ("data: {languages: [en, no]}", "$.data.languages[1] holds false, but a string"),
    ],
)
def test_a_wrong_type_is_located(tmp_path, text, message):
    with pytest.raises(InputError, match=re.escape(f"config.yaml: {message}")):
        read_languages(write(tmp_path, text))


def test_a_bare_no_is_told_to_be_quoted(tmp_path):
    with pytest.raises(InputError, match=r"so quote it$"):
        read_languages(write(tmp_path, "data: {languages: [no]}"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: [", "line 2 is not YAML: "),
        ("a: 1\nb: !!python/object:os.system x", "line 2 is not YAML: could not determine"),
        ("a: \x07", "is not YAML: unacceptable character"),
        ("[" * 5000, "line 1 is nested more than 100 deep"),
        ("- " * 5000, "line 1 is nested more than 100 deep"),
    ],
)
def test_broken_yaml_is_an_input_error(tmp_path, text, message):
    with pytest.raises(InputError, match=re.escape(f"config.yaml: {message}") + ".*$") as caught:
        read_languages(write(tmp_path, text))

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", "line 3 has the key 'a' again, after line 1; keep one of them"),
        ("x:\n  a: 1\n  'a': 2\n", "line 3 has the key 'a' again, after line 2"),
        ("- {b: 1}\n- {b: 1, b: 1}\n", "line 2 has the key 'b' again, after line 2"),
        ("x: &y {a: 1}\nz: *y\n? [k]\n: 1\nx: 2\n", "line 5 has the key 'x' again, after line 1"),
    ],
)
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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB, "has more than 1,000 values at line 4, counting those that its aliases repeat"),
        (MERGES, "has more than 1,000 values at line 8, counting those"),
        ("a: &a [*a]\n", "has more than 1,000 values at line 1"),
        (f"a: [{'1,' * 1_001}]", "has more than 1,000 values at line 1"),
        (f"a: {'1:' * 20_000}1", "line 1 has a number of 40,001 characters; quote it"),
        (f"a: '{'x' * 1_000_000}'", "has more than 1 MB"),
    ],
    ids=["aliases", "merges", "endless", "values", "digits", "bytes"],
)
def test_yaml_that_would_take_minutes_or_all_memory_is_refused(
    tmp_path, monkeypatch, text, message
):
    monkeypatch.setattr(bounded_yaml, "_MOST_VALUES", 1_000)
    path = write(tmp_path, text)
    for read in (read_languages, read_task, lambda path: read_sections(path, dict)):
        with pytest.raises(InputError, match=re.escape(message)):
            read(path)

    (fault,) = find_faults({"competition.yaml": text.encode()})
    assert message in fault
