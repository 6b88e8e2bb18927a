"""Messages name arguments to callers of Python, and options to who uses the command."""

import pytest

import tallystick
from tallystick.cli import main
from tallystick.cli.output import name_options
from tallystick.errors import MissingValueError, TallystickError


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("pass `missing='wrong'`", "pass --missing wrong"),
        ("name it with `id='doc id'`", "name it with --id-column 'doc id'"),
        ("`weights=` goes with labels", "--weight-column goes with labels"),
        ("(`fold_case=True`)", "(--fold-case)"),
        ("pass `header=False`", "pass --no-header"),
        ("`tag_names=['O', 'B-PER']`", "--tag-names O B-PER"),
        ("`positive=1`; F1(positive=1)", "--positive 1; F1(positive=1)"),
        ("`tallystick metrics` lists them all", "`tallystick metrics` lists them all"),
    ],
)
def test_an_argument_is_named_as_its_option(message, told):
    assert told == name_options(message)


@pytest.mark.parametrize(
    ("gold", "output", "argument", "option"),
    [
        (["a", "b"], ["a", None], "`missing='exclude'`", "--missing exclude"),
        ([0, 2], [0, 2], "`positive=2`", "--positive 2"),
    ],
)
def test_a_cure_is_an_argument_in_python_and_an_option_in_the_command(
    gold, output, argument, option, tmp_path, capsys
):
    with pytest.raises(TallystickError) as caught:
        tallystick.score(gold, output, metrics="accuracy", task="binary")
    assert argument in str(caught.value)
    assert "--" not in str(caught.value)

    rows = (f"{one},{'' if own is None else own}" for one, own in zip(gold, output, strict=True))
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["gold,prediction", *rows]) + "\n")
    assert main(["score", str(path), "-m", "accuracy", "--task", "binary"]) in (2, 4)
    assert option in capsys.readouterr().err


@pytest.mark.parametrize(("values", "missing"), [([None, 1], True), (["a", 1], False)])
def test_an_error_on_a_missing_value_has_a_class_of_its_own(values, missing):
    with pytest.raises(TallystickError) as caught:
        tallystick.score(values, [1.5, 2], metrics="mae")
    assert missing == isinstance(caught.value, MissingValueError)
