"""What is said of every kind of data is the same in every format, on pages and in figures."""

import json
import re

import pytest

from matrix import COMMANDS, call, cells, read_values, run
from tallystick import Style

SHOWN = COMMANDS[:-1]


def list_values(name: str, command: str) -> list[float]:
    values = read_values(json.loads(call(name, command).to_json()))
    return [value for (_, *systems), value in values.items() if len(systems) == 1]


@cells(commands=SHOWN)
@pytest.mark.parametrize("format", ["text", "markdown", "latex"])
def test_every_format_shows_every_value(name, command, format):
    shown = getattr(call(name, command), f"to_{format}")(Style(digits=4, notes=None))

    assert [] == [one for one in list_values(name, command) if f"{abs(one):.4f}" not in shown]


@cells(commands=SHOWN)
def test_csv_has_every_value(name, command):
    shown = re.split("[,\n]", call(name, command).to_csv())

    assert set(map(str, list_values(name, command))) <= set(shown)


@pytest.mark.deep
@cells(commands=SHOWN)
@pytest.mark.usefixtures("sketched")
def test_a_report_and_the_view_of_a_saved_result_show_every_value(tmp_path, name, command):
    saved, seen, own = (tmp_path / each for each in ("result.json", "seen.html", "own.html"))
    saved.write_text(call(name, command).to_json(), encoding="utf-8")
    run(["view", str(saved), "-o", str(seen)])
    call(name, command).to_html(own)
    shown, reported = (
        re.findall("(?s)<table.*?</table>", page.read_text()) for page in (seen, own)
    )

    assert reported[0] == shown[0]
    short = name == "texts" and command != "gate"
    rounded = [
        f"{abs(one):.{1 if short and one > 1 else 4}f}" for one in list_values(name, command)
    ]
    assert [] == [one for one in rounded if one not in "".join(shown)]


@cells("figure", SHOWN)
@pytest.mark.usefixtures("sketched")
def test_a_saved_result_is_drawn_as_it_was(tmp_path, name, command):
    saved, drawn, seen = (tmp_path / each for each in ("result.json", "drawn.svg", "seen.svg"))
    saved.write_text(call(name, command).to_json(), encoding="utf-8")
    call(name, command).figure().save(drawn)
    run(["view", str(saved), "-o", str(seen)])

    assert drawn.read_bytes() == seen.read_bytes()
