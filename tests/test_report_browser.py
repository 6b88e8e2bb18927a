"""Reports in a real browser: numbers, sorting, filters, copies; and nothing leaves the page."""

import json
import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tallystick.cli import main

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium (Debian: chromium)"),
]

TRACKS = """\
tracks:
  {0}: {{gold: {0}/gold.txt, metrics: [macro_f1, accuracy]}}
  {1}: {{gold: {1}/gold.txt, metrics: [accuracy]}}
  {2}: {{gold: {2}/gold.txt, metrics: [macro_f1]}}
"""
WAIT = 10_000


@dataclass
class Opened:
    """A report in the browser, what went wrong in it, and what it tried to fetch."""

    page: Any
    faults: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    @property
    def data(self):
        """The records that the page holds."""
        text = self.page.locator("#tallystick-report").text_content()
        found: dict[str, Any] = json.loads(text)
        return found

    def read_cells(self, selector):
        """The attributes and the text of each cell."""
        script = "all => all.map(one => ({...one.dataset, text: one.textContent.trim()}))"
        found: list[dict[str, Any]] = self.page.locator(selector).evaluate_all(script)
        return found


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def view(browser):
    contexts = []

    def open_report(path, **options):
        context = browser.new_context(viewport={"width": 1200, "height": 900}, **options)
        contexts.append(context)
        opened = Opened(context.new_page())
        page = opened.page
        page.on("pageerror", lambda error: opened.faults.append(str(error)))
        page.on("console", lambda message: _note(message, opened.faults))
        page.on("request", lambda request: opened.requests.append(request.url))
        page.goto(path.as_uri())
        return opened

    yield open_report
    for context in contexts:
        context.close()


def _note(message, faults):
    if message.type in ("error", "warning"):
        faults.append(message.text)


def _write_stance(folder, name):
    from reports import read_stance

    gold, systems = read_stance()
    kept = 400 - 50 * len(name)
    (folder / name).mkdir()
    (folder / name / "gold.txt").write_text("\n".join(gold[:kept]) + "\n")
    for system, own in systems.items():
        (folder / "entries" / system).mkdir(parents=True, exist_ok=True)
        (folder / "entries" / system / f"{name}.txt").write_text("\n".join(own[:kept]) + "\n")


def _list_calls(shared, folder):
    data = shared / "data"
    aita, mt = data / "aita", data / "wmt23"
    systems = sorted((mt / "systems").glob("*he-en*"))
    systems = [f"{path.name.split('.')[3]}={path}" for path in systems]
    demo = Path(main.__code__.co_filename).parents[1] / "demo_data" / "topics"
    runs = ["--pred-dir", data / "toxicity" / "predictions", "--run-tag", "baseline"]
    labels = [f"predicted_labels_{name}.txt" for name in ("simple", "strong", "NN")]
    reference = mt / "references" / "generaltest2023.he-en.ref.refA.en"
    calls: dict[str, list[Any]] = {
        "binary": ["score", *runs, "--languages", "es", "it", "tr"],
        "multiclass": [
            *("compare", aita / "true_labels_dev.txt", *(aita / name for name in labels)),
            *("-m", "macro_f1", "accuracy", "--fold-case", "--all-pairs"),
        ],
        "multilabel": ["score", demo / "gold.csv", demo / "model.csv"],
        "wmt23": ["rank", reference, *systems, "-m", "bleu", "chrf"],
        "cnndm": [*("score", data / "cnndm" / "reference.txt", data / "cnndm" / "system.txt"),
            *("-m", "rouge1", "rouge2", "rougeL")],
        "tracks": [*("task", "rank", folder / "entries", "--task", folder / "tracks.yaml"),
            *("--overall", "mean")],
    }  # fmt: skip
    return {name: [*map(str, call)] for name, call in calls.items()}


NAMES = ("binary", "multiclass", "multilabel", "wmt23", "cnndm", "tracks")


@pytest.fixture(scope="module")
def reports(shared, tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    tracks = ("a", "bb", "ccc")
    for name in tracks:
        _write_stance(folder, name)
    (folder / "tracks.yaml").write_text(TRACKS.format(*tracks))
    for name, call in _list_calls(shared, folder).items():
        assert 0 == main([*call, "-o", str(folder / f"{name}.html")])
    return {name: folder / f"{name}.html" for name in NAMES}


def _show_all(page):
    for figure in page.locator("[data-figure]").all():
        figure.scroll_into_view_if_needed()
        figure.locator(".drawn svg").first.wait_for(timeout=WAIT)


@contextmanager
def _quiet(opened):
    yield
    assert [] == opened.faults
    assert [opened.page.url.partition("#")[0]] == [
        url for url in opened.requests if not url.startswith("data:")
    ]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_goes_wrong_and_nothing_is_fetched(view, reports, name):
    opened = view(reports[name])
    with _quiet(opened):
        _show_all(opened.page)
        opened.page.emulate_media(color_scheme="dark")
        opened.page.wait_for_timeout(200)


def _list_scores(result):
    return {
        json.dumps(one["value"])
        for one in (result.get("places") or result["scores"])
        if one["group"] in (None, "macro") and one["value"] is not None
    }


@pytest.mark.parametrize("name", NAMES)
def test_cells_show_the_numbers_of_the_json(view, reports, name):
    opened = view(reports[name])
    cells = opened.read_cells("td[data-value]")
    result = opened.data["result"]
    shown = [cell for cell in opened.read_cells("#leaderboard td[data-value]") if cell["value"]]
    assert _list_scores(result) <= {cell["value"] for cell in cells}
    digits = 1 if name == "wmt23" else 3
    assert [] == [one for one in shown if not one["text"].startswith(_round(one["value"], digits))]


def _round(full, digits):
    value = json.loads(full)
    return f"{value:,}" if isinstance(value, int) else f"{value:z.{digits}f}"


@pytest.mark.parametrize("name", ["multiclass", "wmt23", "tracks"])
def test_pairs_show_the_differences_of_the_json(view, reports, name):
    opened = view(reports[name])
    cells = opened.read_cells("td[data-a]")
    found = {(cell["a"], cell["b"], float(cell["value"])): cell["text"] for cell in cells}

    for one in opened.data["result"]["differences"]:
        if one["group"] in (None, "macro"):
            significant = one["p_holm"] < 0.05 and one["difference"] != 0
            there = found[one["a"], one["b"], one["difference"]]
            back = found[one["b"], one["a"], -one["difference"]]
            assert (significant, significant) == (there.endswith("*"), back.endswith("*"))


@pytest.mark.parametrize("name", ["binary", "multiclass"])
def test_confusion_matrices_show_the_counts_of_the_json(view, reports, name):
    opened = view(reports[name])
    data = opened.data
    matrices = data["result"].get("confusions") or [
        matrix for one in data["evidence"] for matrix in one["confusions"]
    ]
    counts = [count for matrix in matrices for row in matrix["counts"] for count in row]
    assert counts == [int(cell["value"]) for cell in opened.read_cells("td[data-gold]")]


def test_a_press_on_a_heading_sorts(view, reports):
    opened = view(reports["wmt23"])
    heading = opened.page.locator("#leaderboard th", has_text="chrf").first
    orders = []
    for _ in range(2):
        heading.get_by_role("button").click()
        cells = opened.page.locator("#leaderboard tbody tr td:last-child")
        orders.append(
            [float(cell) for cell in cells.evaluate_all("a => a.map(c => c.dataset.value)")]
        )

    assert [sorted(orders[0], reverse=True), sorted(orders[0])] == orders
    assert "ascending" == heading.get_attribute("aria-sort")


def test_sorting_works_by_keyboard(view, reports):
    opened = view(reports["wmt23"])
    opened.page.locator("#leaderboard th", has_text="system").first.get_by_role("button").focus()
    opened.page.keyboard.press("Enter")
    names = opened.page.locator("#leaderboard tbody th").all_text_contents()
    assert sorted(names, key=str.casefold) == names


def test_a_press_on_a_pair_opens_its_flips(view, reports):
    opened = view(reports["wmt23"])
    cell = opened.page.locator("td[data-a]").first
    a, b = cell.get_attribute("data-a"), cell.get_attribute("data-b")
    cell.get_by_role("button").click()
    cards = opened.page.locator("#example-list article")
    chosen = opened.page.locator("#filters select[name=a] option:checked").text_content()
    other = opened.page.locator("#filters select[name=b] option:checked").text_content()

    (evidence,) = opened.data["evidence"]
    first, second = (evidence["systems"].index(name) for name in (a, b))
    outputs, scores = evidence["examples"]["outputs"], evidence["examples"]["scores"]
    rows = range(len(evidence["examples"]["ids"]))
    found = [at for at in rows if outputs[first][at] != outputs[second][at]]
    found.sort(key=lambda at: -abs(scores[first][at] - scores[second][at]))
    assert (a, b) == (chosen, other)
    assert [evidence["examples"]["ids"][at] for at in found[:20]] == [
        text.strip() for text in cards.locator("h3").all_text_contents()
    ]


def test_a_press_on_a_cell_of_a_matrix_shows_its_examples(view, reports):
    opened = view(reports["multiclass"])
    cell = opened.page.locator("td[data-gold=nta][data-predicted=yta]").nth(2)
    cell.get_by_role("button").click()
    rows = opened.page.locator("#example-list tbody tr")

    message = opened.page.locator("#shown").text_content()
    count = cell.get_attribute("data-value")
    assert f"There are {count} of them in all." in message
    assert {"nta"} == {text.strip() for text in rows.locator("td").nth(0).all_text_contents()}


def test_filters_find_what_the_records_have(view, reports):
    opened = view(reports["wmt23"])
    (evidence,) = opened.data["evidence"]
    held, (a, b) = evidence["examples"], (0, 1)
    better = [at for at in range(len(held["ids"])) if held["scores"][a][at] > held["scores"][b][at]]
    words = [
        at
        for at in better
        if "the"
        in "\n".join(
            [held["ids"][at], held["gold"][at], *(own[at] for own in held["outputs"])]
        ).lower()
    ]
    opened.page.select_option("#filters select[name=relation]", "better")
    opened.page.select_option("#filters select[name=a]", str(a))
    opened.page.select_option("#filters select[name=b]", str(b))
    one = opened.page.locator("#shown").text_content()
    opened.page.fill("#filters input[name=search]", "the")
    two = opened.page.locator("#shown").text_content()

    assert one.startswith(f"{len(better)} of the {len(held['ids'])} examples")
    assert two.startswith(f"{len(words)} of the {len(held['ids'])} examples")


def test_figures_tell_their_data_and_zoom(view, reports):
    opened = view(reports["wmt23"])
    page = opened.page
    with _quiet(opened):
        _show_all(page)
        figure = page.locator("[data-figure=rank]")
        figure.scroll_into_view_if_needed()
        box = figure.locator(".mark-symbol path").first.bounding_box()
        for step in (0, 1):
            page.mouse.move(box["x"] + box["width"] / 2 + step, box["y"] + box["height"] / 2)
        message = page.locator("#vg-tooltip-element.visible").text_content(timeout=WAIT)
        before = figure.locator("svg").inner_html()
        page.keyboard.down("Shift")
        page.mouse.wheel(0, -300)
        page.keyboard.up("Shift")
        page.wait_for_function(
            "old => old !== document.querySelector('.drawn svg').innerHTML", arg=before
        )

    assert opened.data["result"]["places"][0]["system"] in message


@pytest.mark.parametrize("kind", ["latex", "markdown", "csv"])
def test_tables_are_copied(view, reports, kind):
    opened = view(reports["wmt23"], permissions=["clipboard-read", "clipboard-write"])
    opened.page.locator(f"[data-copy={kind}]").click()
    opened.page.locator("[role=status]", has_text="copied").wait_for(timeout=WAIT)
    held = opened.page.evaluate("navigator.clipboard.readText()")
    assert opened.data["copies"][kind] == held.replace("\r\n", "\n")


@pytest.mark.parametrize("name", NAMES)
def test_without_javascript_tables_and_figures_are_there(view, reports, name):
    opened = view(reports[name], java_script_enabled=False)
    page = opened.page
    shown = [image.bounding_box()["height"] > 50 for image in page.locator("figure img").all()]
    assert [True] * len(opened.data["figures"]) == shown
    assert page.locator("#leaderboard td[data-value]").count() > 0
    assert [] == [one for one in page.locator("button, select, input").all() if one.is_visible()]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_no_serious_violation(view, reports, name, scheme):
    from axe_playwright_python.base import AXE_SCRIPT

    opened = view(reports[name], color_scheme=scheme, bypass_csp=True)
    _show_all(opened.page)
    opened.page.evaluate(AXE_SCRIPT)

    assert [] == [
        (one["id"], one["help"], [node["html"][:150] for node in one["nodes"]][:3])
        for one in opened.page.evaluate("axe.run()")["violations"]
        if one["impact"] in ("serious", "critical")
    ]


HOSTILE = [
    *("<script>window.canary = 1</script>", "</script><script>window.canary = 1</script>"),
    *("\"><img src=x onerror='window.canary = 1'>", "' onmouseover='window.canary = 1"),
    *("javascript:window.canary = 1", "<svg onload=window.canary=1>"),
    *("{{ 7 * 7 }} {% raw %} ${window.canary = 1}", "<!-- <script> -->"),
    *("datum.x']; window.canary = 1; //", "\x1b[31mred\x1b[0m", "\u202eevil\u202c \u2066x\u2069"),
    *("&lt;b&gt; &amp; \u2028 \u2029", "__proto__"),
]


def _write_hostile(folder, kind):
    names = [f"{side} {own}" for side, own in zip("abc", HOSTILE[2:], strict=False)]
    rows = [
        {"id": f"{at} {own}", "text": own * (40_000 if at == 0 else 1), "gold": own, "lang": own}
        | {name: HOSTILE[at - place] for place, name in enumerate(names)}
        for at, own in enumerate(HOSTILE)
    ]
    path = folder / f"{kind}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    metric = {"labels": "accuracy", "texts": "chrf"}[kind]
    options = ["--by", "lang"] if kind == "labels" else []
    return ["rank", str(path), "--systems", *names, "-m", metric, *options]


@pytest.mark.parametrize("kind", ["labels", "texts"])
def test_hostile_data_is_only_ever_text(view, tmp_path, kind):
    assert 0 == main([*_write_hostile(tmp_path, kind), "-o", str(tmp_path / "page.html")])
    opened = view(tmp_path / "page.html")
    page = opened.page
    with _quiet(opened):
        _show_all(page)
        page.locator("td[data-a] button").first.click()
        page.fill("#filters input[name=search]", "canary")
        for name in page.locator("#filters select").all():
            name.select_option(index=1)
            name.select_option(index=0)
        page.locator("#figure-editor summary").click()
        page.locator("#figure-editor button").click()
        page.mouse.move(300, 300)
        page.locator("h1").scroll_into_view_if_needed()
    shown = page.locator("body").inner_text()

    assert all(f"{side} {own}" in shown for side, own in zip("abc", HOSTILE[2:], strict=False))
    assert None is page.evaluate("window.canary ?? null")
    assert [] == page.locator("main img[src=x], main a, main script, main iframe").all()
    assert set() == {mark for mark in "\x1b\u202e\u2066\u2028" if mark in shown}
    assert "49" not in page.locator("#examples").inner_text()
