"""The site of a shared task in a real browser: links, keys, small and dark screens, no network."""

import shutil

import pytest

from tallystick.cli import main

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium (Debian: chromium)"),
]

GOLD = [*"PNRPPN" * 20]
HOSTILE = "a<img src=x onerror=alert(1)>"


def write_labels(path, labels, head="y_pred"):
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = (f"e{at},{label}" for at, label in enumerate(labels))
    path.write_text("\n".join((f"id,{head}", *rows)) + "\n")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("task")
    write_labels(folder / "gold.csv", GOLD, "label")
    (folder / "task.yaml").write_text(
        "title: Stance\ntracks:\n  stance: {gold: gold.csv, metrics: [macro_f1, accuracy]}\n"
    )
    entries = folder / "entries"
    write_labels(entries / "cedar" / "run1.csv", ["P"] * 60 + GOLD[60:])
    write_labels(entries / "cedar" / "run2.csv", ["P"] * 20 + GOLD[20:])
    write_labels(entries / f"{HOSTILE}.csv", ["N"] * 40 + GOLD[40:])
    write_labels(entries / "birch.csv", ["P"])
    call = ["task", "board", str(entries), "--task", str(folder / "task.yaml")]
    assert main([*call, "-o", str(folder / "site")]) == 0
    return folder / "site"


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def page(browser, request):
    context = browser.new_context(**getattr(request, "param", {}))
    opened, faults = context.new_page(), []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("console", lambda shown: faults.append(shown.text) if shown.type == "error" else None)
    opened.on("dialog", lambda shown: faults.append(shown.message))
    opened.on(
        "request", lambda one: one.url.startswith(("file:", "data:")) or faults.append(one.url)
    )
    yield opened
    context.close()
    assert faults == []


@pytest.mark.parametrize("name", ["index.html", "teams/cedar.html", "teams/birch.html"])
@pytest.mark.parametrize("page", [{"viewport": {"width": 375, "height": 800}}], indirect=True)
def test_pages_fit_a_phone(site, page, name):
    page.goto((site / name).as_uri())
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("page", [{"color_scheme": "dark"}], indirect=True)
def test_pages_are_dark_where_that_is_wanted(site, page):
    page.goto((site / "index.html").as_uri())
    colours = page.evaluate(
        "[document.body, document.querySelector('td a, th a')].map("
        "one => [getComputedStyle(one).backgroundColor, getComputedStyle(one).color])"
    )
    assert (colours[0][0], colours[1][1]) == ("rgb(18, 22, 27)", "rgb(127, 188, 245)")


def test_keys_lead_to_a_team_and_back(site, page):
    page.goto((site / "index.html").as_uri())
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "cedar":
            break
    page.keyboard.press("Enter")
    page.wait_for_url("**/teams/cedar.html")
    assert page.locator("h1").text_content() == "cedar"
    page.get_by_role("link", name="Stance", exact=True).click()
    page.wait_for_url("**/index.html")


def test_report_of_a_submission_opens(site, page):
    page.goto((site / "teams/cedar.html").as_uri())
    page.locator("td a").first.click()
    page.wait_for_url("**/reports/*.html")
    assert page.locator("h1").text_content() == "cedar, run2.csv: stance"
    page.get_by_role("link", name="cedar", exact=True).click()
    page.wait_for_url("**/teams/cedar.html")


def test_board_is_sorted_by_a_click(site, page):
    page.goto((site / "index.html").as_uri())
    page.get_by_role("button", name="system").click()
    names = page.locator("table.board tbody th bdi").all_text_contents()
    assert names == sorted(names)


def test_hostile_name_is_shown_as_text(site, page):
    page.goto((site / "index.html").as_uri())
    page.get_by_role("link", name=HOSTILE).first.click()
    page.wait_for_url("**/teams/a-img-*.html")
    assert page.locator("h1").text_content() == HOSTILE
    assert page.locator("img").count() == 0


@pytest.mark.parametrize("name", ["index.html", "teams/cedar.html", "teams/birch.html"])
@pytest.mark.parametrize("page", [
    {"viewport": {"width": 390, "height": 800}, "color_scheme": "dark", "bypass_csp": True},
    {"viewport": {"width": 1280, "height": 800}, "bypass_csp": True},
], indirect=True)  # fmt: skip
def test_axe_finds_no_violation_on_a_site(site, page, name):
    base = pytest.importorskip("axe_playwright_python.base")
    page.goto((site / name).as_uri())
    page.evaluate(base.AXE_SCRIPT)
    assert [] == [one["id"] for one in page.evaluate("axe.run()")["violations"]]


@pytest.mark.parametrize("page", [{"viewport": {"width": 390, "height": 800}}], indirect=True)
def test_a_phone_shows_scores_and_names_while_the_table_is_scrolled(site, page):
    page.goto((site / "index.html").as_uri())
    score = page.locator("table.board tbody td.best, table.board tbody td small").first
    assert score.bounding_box()["x"] + score.bounding_box()["width"] <= 390
    page.locator(".scroll").first.evaluate("one => one.scrollLeft = 300")
    assert page.locator("table.board tbody th").first.bounding_box()["x"] >= 0
