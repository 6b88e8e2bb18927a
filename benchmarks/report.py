"""Measures reports of 20 systems on 10,000 examples: their size, and the time they take.

    python benchmarks/report.py

The browser's times need playwright and chromium.
"""

import json
import random
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tallystick

SYSTEMS, EXAMPLES = 20, 10_000
WORDS = [f"word{number}" for number in range(4_000)]
LABELS = ["against", "favor", "none", "other"]


def main() -> None:
    """Prints a line for each kind of report."""
    random.seed(1)
    gold = [" ".join(random.choices(WORDS, k=random.randint(8, 40))) for _ in range(EXAMPLES)]
    labels = random.choices(LABELS, k=EXAMPLES)
    frame: dict[str, list[Any]] = {"text": gold, "gold": labels}
    names = [f"s{place:02d}" for place in range(SYSTEMS)]
    noise = {name: 0.1 + 0.02 * place for place, name in enumerate(names)}
    texts = {name: [_spoil(text, noise[name]) for text in gold] for name in names}
    frame |= {name: [_mistake(label, noise[name]) for label in labels] for name in names}
    import pyarrow as pa

    kinds: dict[str, tuple[Callable[[], Any], bool]] = {
        "texts": (lambda: tallystick.rank(gold, texts, "chrf"), False),
        "labels": (
            lambda: tallystick.rank(pa.table(frame), None, "macro_f1", systems=names),
            False,
        ),
        "labels, all examples": (
            lambda: tallystick.rank(pa.table(frame), None, "macro_f1", systems=names),
            True,
        ),
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, (make, whole) in kinds.items():
            path = Path(folder) / f"{name}.html"
            ranking = make()
            start, used = time.perf_counter(), time.process_time()
            ranking.to_html(path, examples=None if whole else 200)
            wall, used = time.perf_counter() - start, time.process_time() - used
            told = {
                "report": name,
                "MB": round(path.stat().st_size / 1e6, 2),
                "seconds": round(wall, 2),
                "CPU seconds": round(used, 2),
                **_browse(path),
            }
            print(json.dumps(told))


def _spoil(text: str, noise: float) -> str:
    words = text.split()
    return " ".join(random.choice(WORDS) if random.random() < noise else word for word in words)


def _mistake(label: str, noise: float) -> str:
    return random.choice(LABELS) if random.random() < noise else label


def _browse(path: Path) -> dict[str, float]:
    """The milliseconds until a page is interactive, and until a filter has found its examples."""
    chromium = shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        return {}
    if chromium is None:
        return {}
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(path.as_uri())
        opened = page.evaluate("performance.getEntriesByType('navigation')[0].domInteractive")
        search = "document.querySelector('#filters input[name=search]')"
        script = f"""() => {{
            const act = (name, value) => {{
                const field = document.querySelector(`#filters [name=${{name}}]`);
                const start = performance.now();
                field.value = value;
                field.dispatchEvent(new Event("input", {{ bubbles: true }}));
                return performance.now() - start;
            }};
            return [act("relation", "differs"), act("search", "word1"), act("search", "word12"),
                    {search}.value];
        }}"""
        choice, first, then, _ = page.evaluate(script)
        browser.close()
    return {
        "interactive ms": round(opened),
        "choice ms": round(choice, 1),
        "first search ms": round(first, 1),
        "search ms": round(then, 1),
    }


if __name__ == "__main__":
    main()
