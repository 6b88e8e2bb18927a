"""The site of a shared task: what is on its pages, what does not, and what is built again."""

import json
import os
import re
from html.parser import HTMLParser
from urllib.parse import unquote

import msgspec
import numpy as np
import pytest
from scipy import stats

from faults import call
from tallystick.cli import main
from tallystick.errors import InputError, UsageError
from tallystick.output.tables.document import Style
from tallystick.tasks.board import build_board
from tallystick.tasks.entries import find_entries
from tallystick.tasks.published import SitePlace
from tallystick.tasks.scoring import Publishing
from tallystick.tasks.site import name_page
from tallystick.tasks.task_file import read_task

GOLD = [*"PNRPPN" * 20]
TASK = """\
title: Stance & more
tracks:
  stance: {gold: gold.csv, metrics: [macro_f1, accuracy]}
  topic: {gold: topic.csv, metrics: [accuracy]}
baselines: [zero]
"""
ALL_RANKED = TASK.replace("baselines: [zero]\n", "")
"""The same without a baseline."""
HOSTILE = "<script>alert(1)</script>"


class Links(HTMLParser):
    """Everything that a page refers to, and its elements."""

    def __init__(self, text):
        """Reads a page."""
        HTMLParser.__init__(self)
        self.targets: list[str] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """Notes an element and what it refers to."""
        self.tags.append(tag)
        self.targets += [value or "" for name, value in attrs if name in ("href", "src", "srcset")]


def write_labels(path, labels, head="y_pred"):
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = (f"e{at},{label}" for at, label in enumerate(labels))
    path.write_text("\n".join((f"id,{head}", *rows)) + "\n")
    os.utime(path, (1_700_000_000, 1_700_000_000))


def err(every, offset=0):
    return [
        "PNR"["PNR".index(label) - 1] if (at + offset) % every == 0 else label
        for at, label in enumerate(GOLD)
    ]


@pytest.fixture
def folder(tmp_path):
    return make_task(tmp_path)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = make_task(tmp_path_factory.mktemp("task"))
    return folder, build(folder)


def make_task(tmp_path):
    write_labels(tmp_path / "gold.csv", GOLD, "label")
    write_labels(tmp_path / "topic.csv", GOLD[::-1], "label")
    (tmp_path / "task.yaml").write_text(TASK)
    entries = tmp_path / "entries"
    write_labels(entries / "cedar" / "first" / "stance.csv", err(3))
    write_labels(entries / "cedar" / "second" / "stance.csv", err(40))
    os.utime(entries / "cedar" / "second" / "stance.csv", (1_700_100_000, 1_700_100_000))
    write_labels(entries / "rowan" / "stance.csv", err(2))
    write_labels(entries / "rowan" / "topic.csv", GOLD)
    write_labels(entries / "zero" / "stance.csv", ["P"] * len(GOLD))
    write_labels(entries / "birch" / "stance.csv", ["P"] * 7)
    for path in [*entries.glob("*"), *entries.glob("cedar/*")]:
        os.utime(path, (1_600_000_000, 1_600_000_000))
    return tmp_path


def build(folder, publishing=None):
    task = read_task(str(folder / "task.yaml"))
    manifest = str(folder / "list.csv") if (folder / "list.csv").exists() else None
    entries, site = str(folder / "entries"), str(folder / "site")
    return build_board(task, entries, site, publishing, manifest=manifest)


def read(folder, page="index.html"):
    return (folder / "site" / page).read_text()


def list_rows(page):
    board = page.partition("<tbody>")[2].partition("</tbody>")[0]
    return re.findall(r'<tr( class="first")?>.*?<bdi>(\w+)(.*?)</tr>', board, re.DOTALL)


def test_first_page_ranks_teams_by_their_last_submission(built):
    folder, found = built
    ranking = next(one for one in found.site.rankings if one.track == "stance")
    shown = [one for one in ranking.places if one.name == "macro_f1"]
    assert [(one.system, one.rank) for one in shown] == [("cedar", 1), ("rowan", 2), ("zero", None)]
    assert re.findall(r'href="teams/(.*?).html"', read(folder))[:3] == ["cedar", "rowan", "zero"]


def test_board_has_the_numbers_of_rank(built, tmp_path):
    folder, found = built
    shown = next(one.places for one in found.site.rankings if one.track == "stance")
    files = [
        f"{team}={folder}/entries/{path}/stance.csv"
        for team, path in (("cedar", "cedar/second"), ("rowan", "rowan"), ("zero", "zero"))
    ]
    call = ["rank", f"{folder}/gold.csv", *files, "-m", "macro_f1", "accuracy"]
    assert main([*call, "--baseline", "zero", "-o", f"{tmp_path}/ranking.json"]) == 0
    ranked = json.loads((tmp_path / "ranking.json").read_text())["places"]
    digits = {"value": 4, "low": 3, "high": 3}
    expected = [one | {key: round(one[key], digits[key]) for key in digits} for one in ranked]
    assert [{key: one[key] for key in SitePlace.__struct_fields__} for one in expected] == [
        msgspec.to_builtins(one) for one in shown
    ]


def test_best_submission_counts_where_that_is_asked_for(folder):
    os.utime(folder / "entries" / "cedar" / "first" / "stance.csv", (1_700_200_000,) * 2)
    assert build(folder, Publishing("best")).site.rankings[0].places[0].system == "cedar/second"
    assert "Of each team the best submission" in read(folder)
    assert re.search(r'href="teams/cedar.html"><bdi>cedar/second<', read(folder))


@pytest.mark.parametrize("digits", [1, 4])
def test_choices_and_ranks_go_by_shown_digits(tmp_path, digits):
    folder = make_task(tmp_path)
    entries = folder / "entries"
    for at, (name, wrong) in enumerate((("x", 30), ("b", 40), ("a", 40))):
        path = entries / "rowan" / name / "stance.csv"
        write_labels(path, err(wrong))
        for one in (path, path.parent):
            os.utime(one, (1_700_000_000 + at,) * 2)
    for path in entries.glob("rowan/*.csv"):
        path.unlink()
    publishing = Publishing("best", style=Style(digits=digits))
    places = [one for one in build(folder, publishing).site.rankings[0].places if not one.baseline]
    first = [one for one in places if one.metric == places[0].metric]
    chosen = {1: [("cedar/second", 1), ("rowan/x", 1)], 4: [("cedar/second", 1), ("rowan/b", 1)]}
    assert chosen[digits] == [(one.system, one.rank) for one in first]


def test_line_between_clusters_stands_below_baselines_too(folder):
    write_labels(folder / "entries" / "willow" / "stance.csv", ["N"] * len(GOLD))
    build(folder)
    rows = [(line, name) for line, name, _ in list_rows(read(folder))]
    assert [name for line, name in rows if line] == ["rowan", "willow"]
    assert [name for _, name in rows] == ["cedar", "rowan", "zero", "willow"]


def test_team_page_holds_history_and_reports(built):
    folder, _ = built
    page = read(folder, "teams/cedar.html")
    assert [page.index(">second<") < page.index(">first<"), page.count("<circle")] == [True, 2]
    reports = [link for link in Links(page).targets if "reports/" in link]
    assert len(reports) == 2
    assert "Macro F1" in read(folder, f"teams/{reports[0]}")


def test_rejected_submission_stands_on_the_page_of_its_team(built):
    folder, _ = built
    assert "has no prediction for 113 ids" in read(folder, "teams/birch.html")
    assert "rejected" not in re.sub("(?s)<(style|script).*?</", "", read(folder).lower())
    assert "teams/birch.html" in Links(read(folder)).targets


def make_tracks(tmp_path, overall):
    wrong = {"cedar": (10, 20, 5), "rowan": (20, 6, 40), "fir": (5, 5, 6), "elm": (3, 30)}
    for at in range(3):
        write_labels(tmp_path / f"gold{at}.csv", GOLD, "label")
        for team, every in wrong.items():
            if at < len(every):
                write_labels(tmp_path / "entries" / team / f"t{at}.csv", err(every[at]))
    tracks = "".join(f"  t{at}: {{gold: gold{at}.csv, metrics: [accuracy]}}\n" for at in range(3))
    (tmp_path / "task.yaml").write_text(f"tracks:\n{tracks}overall: {overall}\n")
    return tmp_path


@pytest.mark.parametrize("overall", ["mean", "mean_rank", "borda"])
def test_teams_are_ranked_over_all_tracks(tmp_path, overall):
    site = build(make_tracks(tmp_path, overall)).site
    teams = ["cedar", "fir", "rowan"]
    shown = [{one.system: one.value for one in own.places} for own in site.rankings]
    values = np.array([[own[team] for team in teams] for own in shown])
    ranks = stats.rankdata(-values, axis=1)
    expected = {"mean": values.mean(0), "mean_rank": ranks.mean(0), "borda": (3 - ranks).sum(0)}
    (found,) = site.overall
    ranked = {one.team: one.value for one in found.standings if one.rank is not None}
    assert dict(zip(teams, expected[overall], strict=True)) == pytest.approx(ranked)
    order = expected["mean_rank"] if overall == "mean_rank" else -expected[overall]
    assert [teams[at] for at in np.argsort(order)] == [*ranked]
    assert ("elm", None) == (found.standings[-1].team, found.standings[-1].rank)
    assert {"t0": 4, "t1": 1} == found.standings[-1].ranks


def test_the_overall_ranking_leads_to_tracks_and_teams(tmp_path):
    folder = make_tracks(tmp_path, "mean_rank")
    build(folder)
    page = read(folder)
    assert page.index("All 3 tracks") < page.index("t0: systems ranked by Accuracy (120 examples)")
    anchors = [target for target in Links(page).targets if target.startswith("#")]
    assert anchors == [f"#phase-1-track-{at}" for at in (1, 2, 3)]
    assert all(f'id="{target[1:]}"' in page for target in anchors)
    assert "Mean ranks are among the teams that are ranked over all tracks." in page
    team = read(folder, "teams/cedar.html")
    assert re.search(r">all tracks</th>\s*<td>\d <small>of 3</small>", team)
    assert ">all tracks</th>" not in read(folder, "teams/elm.html")


def test_a_paper_begins_with_the_overall_table(tmp_path, capsys):
    folder = make_tracks(tmp_path, "mean")
    call = ["task", "paper", str(folder / "entries"), "--task", str(folder / "task.yaml")]
    assert main(call) == 0
    shown = capsys.readouterr().out
    assert shown.index(r"\label{tab:overall}") < shown.index(r"\label{tab:results-1}")


def test_a_missing_track_in_common_spoils_no_board(tmp_path):
    folder = make_tracks(tmp_path, "mean")
    with (folder / "task.yaml").open("a") as file:
        file.write("missing_tracks: common\n")
    for team, track in (("pine", 0), ("oak", 2)):
        write_labels(folder / "entries" / team / f"t{track}.csv", GOLD)
    (found,) = build(folder).site.overall
    assert ((), True) == (found.standings, "no metric or track is common" in found.notes[0])
    assert "There is no overall ranking: no metric or track is common" in read(folder)


def test_an_overall_ranking_follows_from_rankings_built_before(tmp_path):
    folder = make_tracks(tmp_path, "mean")
    first = build(folder).site.overall[0]
    write_labels(folder / "entries" / "rowan" / "t2.csv", ["P"] * len(GOLD))
    second, third = build(folder), build(folder)
    assert (first.standings[0].team, second.site.overall[0].standings[0].team) == ("rowan", "cedar")
    assert (0, second.site.overall) == (third.ranked, third.site.overall)


def test_columns_of_the_list_of_submissions_stand_beside_scores(folder):
    (folder / "task.yaml").write_text(ALL_RANKED + "board: {columns: [affiliation, constrained]}\n")
    (folder / "list.csv").write_text(
        "file,team,affiliation,constrained\n"
        "cedar/first,cedar,Old & Sons,no\ncedar/second,cedar,University of X,yes\n"
        "rowan,rowan,,yes\n"
    )
    first = build(folder)
    rows = list_rows(read(folder))
    assert {name: re.findall("about.><bdi>(.*?)</bdi>", row) for _, name, row in rows} == {
        "cedar": ["University of X", "yes"],
        "rowan": ["", "yes"],
    }
    assert "Old &amp; Sons" in read(folder, "teams/cedar.html")
    manifest = folder / "list.csv"
    manifest.write_text(manifest.read_text().replace("University of X", "Y Inc."))
    second = build(folder)
    assert (first.scored, second.scored, second.ranked) == (3, 0, 0)
    assert "Y Inc." in read(folder)


def test_scores_computed_elsewhere_stand_beside_the_others(folder):
    (folder / "task.yaml").write_text(TASK + "board: {scores: other.csv}\n")
    (folder / "other.csv").write_text(
        "team,track,run,COMET,human\ncedar,stance,second,0.830,\nrowan,stance,,0.9,71.25\n"
        "rowan,topic,,.5,\n"
    )
    plain = build(make_task(folder / "plain"))
    found = build(folder)
    page = read(folder).split('id="test-track')[0]
    assert [one.places for one in plain.site.rankings] == [
        one.places for one in found.site.rankings
    ]
    assert {"cedar": {"COMET": "0.830"}, "rowan": {"COMET": "0.9", "human": "71.25"}} == (
        next(one for one in found.site.rankings if one.track == "stance").external
    )
    assert all(f">{text}<" in page for text in ("0.830", "71.25"))
    assert "Computed elsewhere, and no part of the ranking" in page
    assert ">0.830<" in read(folder, "teams/cedar.html")


SCORES = "board: {scores: other.csv}\n"
ABOUT = "board: {columns: [affiliation]}\n"
PHASES = "phases:\n  dev: {gold: {stance: gold.csv}}\n  test: {gold: {stance: gold.csv}}\n"


@pytest.mark.parametrize(
    ("more", "name", "rows", "words"),
    [
        (SCORES, "other.csv", "team,track,COMET\nceder,stance,1\n",
         "there is no team 'ceder'; did you mean 'cedar'?"),
        (SCORES, "other.csv", "team,track,COMET\ncedar,stand,1\n",
         "there is no track 'stand'; did you mean 'stance'?"),
        (SCORES, "other.csv", "team,track,COMET\ncedar,topic,1\n",
         "cedar has no submission to the track 'topic'"),
        (SCORES, "other.csv", "team,track,COMET\ncedar,stance,high\n",
         "COMET is 'high', which is not a number"),
        (SCORES, "other.csv", "team,track,run,COMET\ncedar,stance,third,1\n",
         "there is no submission of cedar 'third'"),
        (SCORES, "other.csv", "team,track,COMET\ncedar,stance,1\ncedar,stance,2\n",
         "row 3: has the same track and team as"),
        (SCORES, "other.csv", "team,COMET\ncedar,1\n",
         "has no column 'track'; the task has stance, topic"),
        (SCORES, "other.csv", "track,COMET\nstance,1\n", "has no column 'team'"),
        (SCORES, "other.csv", "team,track\ncedar,stance\n",
         "has no column of scores other than team, track"),
        (ABOUT, "list.csv", "file,team\nrowan,rowan\n",
         "has no column 'affiliation', which the task's board"),
        (ABOUT, "other.csv", "", "shows affiliation of each submission; give them in a table with"),
        (PHASES, "other.csv", "", "put the submissions of each into a folder"),
        ("", "list.csv", "file,who\na,b\n", "has no column 'team'"),
        ("", "list.csv", "file,team\nnix.csv,A\n", "row 2: there is no file 'nix.csv'"),
        ("", "list.csv", "file,team\n../gold.csv,A\n",
         "there is no file '../gold.csv' in the folder"),
        ("", "list.csv", "file,team\nrowan,A/B\n", "'A/B' is not the name of a team"),
        ("", "list.csv", "file,team,submitted\nrowan,A,soon\n",
         "'soon' is not a time such as 2026-03-31T23:59"),
        ("", "list.csv", "file,team,phase\nrowan,A,final\n", "there is no phase 'final'"),
        ("", "list.csv", "file,team\nrowan,A\nrowan,A\n", "A has two submissions called 'rowan'"),
    ],
)  # fmt: skip
def test_wrong_tables_of_scores_and_submissions_are_rejected(folder, more, name, rows, words):
    (folder / "task.yaml").write_text(TASK + more)
    (folder / name).write_text(rows)
    with pytest.raises(InputError if rows else UsageError, match=re.escape(words)):
        build(folder)
    assert not (folder / "site" / "index.html").exists()


def test_rejected_submissions_stand_on_the_front_page_where_the_task_says_so(folder):
    build(folder)
    (folder / "task.yaml").write_text(TASK + "board: {show_rejected: true}\n")
    assert build(folder).scored == 0
    assert "has no prediction for 113 ids" in read(folder)


def test_unchanged_submissions_are_not_scored_again(folder):
    first = build(folder)
    before = {path: path.read_bytes() for path in (folder / "site").rglob("*.*")}
    second = build(folder)
    assert (first.scored, first.ranked, second.scored, second.ranked) == (5, 2, 0, 0)
    assert {path: path.read_bytes() for path in (folder / "site").rglob("*.*")} == before


def test_changed_submission_is_scored_and_its_tracks_ranked_again(folder):
    build(folder)
    write_labels(folder / "entries" / "zero" / "stance.csv", ["N"] * len(GOLD))
    again = build(folder)
    assert (again.scored, again.ranked) == (1, 1)


def test_changed_gold_is_scored_again(folder):
    build(folder)
    text = (folder / "task.yaml").read_text()
    (folder / "task.yaml").write_text(text.replace("Stance & more", "Stance"))
    titled = build(folder).scored
    moved = folder / "other"
    (moved / "site").parent.mkdir()
    write_labels(moved / "gold.csv", ["R", *GOLD[1:]], "label")
    write_labels(moved / "topic.csv", GOLD[::-1], "label")
    (moved / "task.yaml").write_text(TASK)
    task = read_task(str(moved / "task.yaml"))
    changed = build_board(task, str(folder / "entries"), str(folder / "site")).scored
    assert (titled, changed) == (0, 5)


def test_pages_of_what_is_gone_are_taken_away(folder):
    (folder / "task.yaml").write_text(ALL_RANKED)
    build(folder)
    (folder / "site" / "teams" / "notes.html").write_text("mine")
    (folder / "entries" / "zero" / "stance.csv").rename(folder / "zero.csv")
    (folder / "entries" / "zero").rmdir()
    before = len([*(folder / "site" / "reports").iterdir()])
    build(folder)
    names = {path.name for path in (folder / "site" / "teams").iterdir()}
    assert names == {"birch.html", "cedar.html", "notes.html", "rowan.html"}
    assert len([*(folder / "site" / "reports").iterdir()]) == before - 1


def test_changed_records_remove_nothing_else(folder):
    build(folder)
    records = folder / "site" / "board.json"
    records.write_text(re.sub(r"reports/[0-9a-f]+-stance.html", "../gold.csv", records.read_text()))
    build(folder)
    assert (folder / "gold.csv").is_file()


def test_gold_of_several_files_is_known_by_all_of_them(folder):
    gold = (folder / "gold.csv").read_text().splitlines()
    (folder / "parts").mkdir()
    for name, lines in (("a", gold[:60]), ("b", [gold[0], *gold[60:]])):
        (folder / "parts" / f"{name}.csv").write_text("\n".join(lines) + "\n")
    text = (folder / "task.yaml").read_text()
    (folder / "task.yaml").write_text(text.replace("gold: gold.csv", "gold: 'parts/*.csv'"))
    before, again = build(folder).scored, build(folder).scored
    part = folder / "parts" / "b.csv"
    part.write_text(part.read_text().replace(",R", ",P"))
    assert (before, again, build(folder).scored) == (5, 0, 5)


def test_lost_report_is_written_again(folder):
    build(folder)
    next((folder / "site" / "reports").iterdir()).unlink()
    assert build(folder).scored == 1


def test_phases_have_boards_of_their_own(folder):
    (folder / "task.yaml").write_text(
        ALL_RANKED
        + "phases:\n  dev: {gold: {stance: topic.csv}}\n  test: {gold: {stance: gold.csv}}\n"
    )
    entries = folder / "entries"
    entries.rename(folder / "all")
    write_labels(entries / "dev" / "cedar.csv", GOLD)
    write_labels(entries / "test" / "cedar.csv", GOLD)
    found = {one.phase: one.places[0].value for one in build(folder).site.rankings}
    assert (found["test"], found["dev"] < 1) == (1.0, True)
    page = read(folder)
    assert page.index(">test</h2>") < page.index(">dev</h2>")


def test_list_of_submissions_tells_teams_and_times(folder):
    (folder / "list.csv").write_text(
        "file,team,submitted\n"
        "cedar/second,Cedar,2026-01-01T10:00\n"
        "cedar/first,Cedar,2026-01-02T10:00+02:00\n"
    )
    task = read_task(str(folder / "task.yaml"))
    found = find_entries(str(folder / "entries"), task, str(folder / "list.csv"))
    assert [(one.team, one.run, one.submitted.isoformat()) for one in found] == [
        ("Cedar", "cedar/second", "2026-01-01T10:00:00+00:00"),
        ("Cedar", "cedar/first", "2026-01-02T08:00:00+00:00"),
    ]


@pytest.mark.parametrize(("limits", "message"), [
    ("{per_day: 1}", {"b.csv": "it is submission 2 of its team that day, and 1 a day are allowed"}),
    ("{total: 2}", {"c.csv": "it is submission 3 of its team, and 2 are allowed"}),
    ("{total: 3}", {}),
])  # fmt: skip
def test_limits_hold_where_times_are_told(folder, limits, message):
    (folder / "task.yaml").write_text(
        f"{ALL_RANKED}limits: {limits}\nphases:\n"
        "  test: {gold: {stance: gold.csv}, start: 2026-03-01, end: '2026-03-31T23:59:00Z'}\n"
    )
    for name in "abcdef":
        write_labels(folder / "entries" / f"{name}.csv", GOLD)
    (folder / "list.csv").write_text(
        "file,team,submitted\nc.csv,A,2026-03-03T09:00Z\na.csv,A,2026-03-02T09:00Z\n"
        "b.csv,A,2026-03-02T10:00Z\nd.csv,B,2026-04-01\ne.csv,B,2026-02-01\nf.csv,B,\n"
    )
    built = build(folder)
    assert {one.run: one.rejected[0].words for one in built.site.submissions if one.rejected} == {
        **message,
        "d.csv": "it came after the end of the phase (2026-03-31 23:59 UTC)",
        "e.csv": "it came before the phase began (2026-03-01 00:00 UTC)",
    }
    assert built.scored == 4 - len(message)


def test_names_are_text_and_nothing_else(folder):
    (folder / "task.yaml").write_text(ALL_RANKED)
    write_labels(folder / "entries" / "x.csv", GOLD)
    (folder / "list.csv").write_text(
        f'file,team\nrowan,"{HOSTILE.replace("/", "")}"\nzero,..\ncedar/first,a\u202eb\n'
    )
    build(folder)
    page = read(folder)
    assert "&lt;script&gt;alert(1)&lt;script&gt;" in page
    assert Links(page).tags.count("script") == 2
    assert "\u202e" not in page
    pages = {path.name for path in (folder / "site" / "teams").iterdir()}
    assert all(re.fullmatch(r"[a-z0-9-]+\.html", name) for name in pages)
    assert len(pages) == 3


def test_page_names_are_plain_and_their_own():
    names = ["team", "Team", "TEAM!", "team!", "..", "", "\u00fc", "x" * 300, "con"]
    pages = [name_page(name) for name in names]
    assert len({*pages}) == len(names)
    assert all(re.fullmatch(r"[a-z0-9-]{1,60}", page) for page in pages)


def test_links_are_rejected(folder):
    (folder / "entries" / "willow.csv").symlink_to(folder / "gold.csv")
    (own,) = (one for one in build(folder).site.submissions if one.team == "willow")
    assert (own.scores, "symbolic link" in own.rejected[0].words) == ({}, True)


def test_every_link_is_relative_and_leads_somewhere(built):
    folder, _ = built
    for page in (folder / "site").rglob("*.html"):
        for target in Links(page.read_text()).targets:
            if target.startswith(("data:", "#")):
                continue
            assert ":" not in target
            assert (page.parent / unquote(target)).is_file()


def test_every_page_has_a_title_of_its_own_and_a_way_back(built):
    folder, _ = built
    site = folder / "site"
    titles = {}
    for page in site.rglob("*.html"):
        text = page.read_text()
        (heading,) = re.findall("<h1><bdi>(.*)</bdi></h1>", text)
        title = re.findall("<title>(.*)</title>", text)[0]
        titles[title] = page
        assert heading in title
        above = Links(text).targets[:2]
        assert (page == site / "index.html") or above[0] == "../index.html"
        assert page.parent.name != "reports" or above[1][9:-5] in heading
    assert len(titles) == len([*site.rglob("*.html")])
    assert "Stance &amp; more" in titles
    assert "cedar - Stance &amp; more" in titles
    assert "cedar, second: stance" in titles


def test_no_gold_stands_on_the_site(tmp_path):
    gold = [f"secret words number {at} of the gold" for at in range(12)]
    rows = (json.dumps({"id": f"e{at}", "reference": text}) for at, text in enumerate(gold))
    (tmp_path / "gold.jsonl").write_text("\n".join(rows) + "\n")
    (tmp_path / "task.yaml").write_text(
        "tracks:\n  mt: {gold: gold.jsonl, metrics: [chrf], task: text}\n"
    )
    (tmp_path / "entries").mkdir()
    for name, count in (("good", 12), ("short", 5)):
        lines = (json.dumps({"id": f"e{at}", "hypothesis": f"words {at}"}) for at in range(count))
        (tmp_path / "entries" / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    build(tmp_path)
    texts = [path.read_text() for path in (tmp_path / "site").rglob("*.*")]
    assert [text for text in texts if "secret" in text] == []


def test_site_among_submissions_is_rejected(folder):
    task = read_task(str(folder / "task.yaml"))
    with pytest.raises(UsageError, match="is inside the folder of submissions"):
        build_board(task, str(folder / "entries"), str(folder / "entries" / "site"))
    build_board(task, str(folder / "entries"), str(folder / "entries-site"))
    assert (folder / "entries-site" / "index.html").is_file()


def test_foreign_records_are_not_overwritten(folder):
    (folder / "site").mkdir()
    (folder / "site" / "board.json").write_text("[1]")
    with pytest.raises(InputError, match="was not written by task board"):
        build(folder)
    assert read(folder, "board.json") == "[1]"


def test_command_says_what_it_did(folder, capsys):
    site = folder / "site"
    call = ["task", "board", str(folder / "entries"), "--task", str(folder / "task.yaml")]
    assert main([*call, "-o", str(site), "--percent"]) == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        str(site / "index.html"),
        "5 submissions: 5 newly checked, 1 rejected in part or in whole. 2 of 2 rankings updated.",
    ]
    assert "rejected: birch: stance: stance.csv: has no prediction" in printed.err
    assert "97.5" in read(folder)


def test_an_entry_called_submissions_is_an_entry(folder):
    rows = "file,team\nrowan,thief\n"
    for name in ("submissions.csv", "manifest.csv", "list.csv"):
        (folder / "entries" / name).write_text(rows)
    (folder / "entries" / "elm").mkdir()
    (folder / "entries" / "elm" / "submissions.csv").write_text(rows)
    built = build(folder)
    assert {"cedar", "elm", "list", "manifest", "rowan", "submissions", "birch", "zero"} == {
        one.team for one in built.site.submissions
    }
    assert {"cedar", "rowan", "zero"} == {
        one.system for ranking in built.site.rankings for one in ranking.places
    }


@pytest.mark.parametrize("step", ["score", "paper", "board"])
def test_a_manifest_is_named_by_the_organiser(folder, step):
    (folder / "task.yaml").write_text(ALL_RANKED)
    (folder / "mine.csv").write_text("file,team\nrowan,Oak\ncedar/second,Fir\n")
    site = ("-o", str(folder / "site")) if step == "board" else ()
    outcome = call(
        *("task", step, folder / "entries", "--task", folder / "task.yaml", *site),
        *("--manifest", folder / "mine.csv"),
    )
    assert 0 == outcome.code, outcome.err
    shown = outcome.out if step != "board" else read(folder)
    assert ["Fir", "Oak"] == [name for name in ("Fir", "Oak", "rowan", "cedar") if name in shown]


def test_teams_whose_names_look_alike_are_one_team_and_refusals(folder):
    for name in ("rowan ", "rowan\ufe0f", "r\u043ewan", "\u3164"):
        write_labels(folder / "entries" / name / "stance.csv", GOLD)
    site = build(folder).site
    rejected = {one.team: one.rejected[0].words for one in site.submissions if one.rejected}
    alike = "has a name that looks like 'rowan'; choose another one"
    assert rejected.pop("birch")
    assert rejected == {
        "'rowan '": alike,
        r"'rowan\ufe0f'": alike,
        r"'r\u043ewan'": alike,
        r"'\u3164'": "has a name that shows nothing; use letters that can be seen",
    }
    (ranking,) = (one for one in site.rankings if one.track == "stance")
    assert {"cedar", "rowan", "zero"} == {one.system for one in ranking.places}


def test_two_submissions_of_one_name_are_one_and_a_refusal(folder):
    write_labels(folder / "entries" / "fir" / "fir.csv", GOLD)
    write_labels(folder / "entries" / "fir.csv", GOLD)
    site = build(folder).site
    reasons = [one.rejected[0].words for one in site.submissions if one.team == "fir"]
    assert "is called as an earlier submission of its team; rename it" in reasons
    assert {"cedar", "rowan", "zero"} == {
        one.system for ranking in site.rankings for one in ranking.places
    }
