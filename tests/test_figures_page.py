"""The page on figures: its commands draw the pictures that are below them."""

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[1]
TOOL = runpy.run_path(str(ROOT / "tools" / "figures.py"))


def list_words(path: Path) -> list[str]:
    return re.findall(r">([^<>]+)</t(?:ext|span)>", path.read_text(encoding="utf-8"))


def test_every_picture_has_its_command():
    assert sorted(TOOL["list_commands"]()) == sorted(
        path.name for path in (ROOT / "docs" / "figures").iterdir()
    )


def test_the_pictures_show_what_their_commands_draw(tmp_path):
    TOOL["draw_figures"](tmp_path)
    for path in tmp_path.iterdir():
        assert list_words(path) == list_words(ROOT / "docs" / "figures" / path.name)
