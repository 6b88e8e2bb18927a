"""Writes docs/report.png: the first screen of the report of the example data, as a picture.

It needs chromium and playwright, of the extra `browser`.
"""

import contextlib
import shutil
import tempfile
from importlib import resources
from pathlib import Path

from playwright.sync_api import sync_playwright

from tallystick.cli import main

COMMAND = "rank gold.txt --submissions entries -m macro_f1 accuracy -o"
TARGET = Path(__file__).parents[1] / "docs" / "report.png"
_SIZE = {"width": 1000, "height": 930}


def take_picture() -> bytes:
    """Returns the picture as PNG."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = Path(folder) / "report.html"
        with (
            resources.as_file(resources.files("tallystick") / "demo_data" / "stance") as data,
            contextlib.chdir(data),
        ):
            if main([*COMMAND.split(), str(path)]):
                raise RuntimeError(f"tallystick {COMMAND} has failed")
        chromium = shutil.which("chromium")
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport=_SIZE, device_scale_factor=1.5)
        page.goto(path.as_uri())
        page.locator(".drawn svg").first.wait_for()
        picture: bytes = page.screenshot()
        browser.close()
    return picture


if __name__ == "__main__":
    TARGET.write_bytes(take_picture())
