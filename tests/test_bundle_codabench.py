"""Bundles for Codabench, whose scoring programs run as the platform's worker runs them."""

import json
import math
import zlib

import pytest
from sklearn.metrics import f1_score, hamming_loss

from cases import cases
from tallystick.cli import main
from tallystick.errors import InputError
from tallystick.output.results.evaluation import Evaluation
from tallystick.output.results.records import Score
from tallystick.tasks.bundles import judging
from tallystick.tasks.bundles.codabench import IMAGE, bundle_codabench, vendor
from tallystick.tasks.bundles.codabench_rules import find_faults
from tallystick.tasks.bundles.judging import RejectedError, list_columns
from tallystick.tasks.opening import Checked
from tallystick.tasks.submission_worker import check_submission
from tallystick.tasks.task_file import read_task
from workers import pack, read_yaml, run_codabench, unpack

GOLD = ["favor", "against", "none", "favor", "against", "none", "favor", "none"]
SAID = ["favor", "none", "none", "favor", "against", "favor", "favor", "against"]
SETS = ["a|b", "a", "", "b", "a|b", "b", "a", ""]
SAID_SETS = ["a", "a", "", "b", "a|b", "a", "a|b", ""]


def write_table(heading, values):
    rows = [f"x{row},{value}" for row, value in enumerate(values)]
    return "\n".join([f"id,{heading}", *rows]) + "\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    own = tmp_path_factory.mktemp("task")
    (own / "dev.csv").write_text(write_table("label", GOLD[:6]))
    (own / "gold.csv").write_text(write_table("label", GOLD))
    (own / "topics.csv").write_text(write_table("label", SETS))
    (own / "task.yaml").write_text(
        "title: Stance 2026\n"
        "tracks:\n"
        "  stance: {metrics: [macro_f1, mcc], labels: [favor, against, none]}\n"
        "  topics:\n"
        "    metrics: [macro_f1, hamming_loss]\n"
        "    task: multilabel\n"
        "    labels: [a, b]\n"
        "    columns: {delimiter: '|'}\n"
        "phases:\n"
        "  development: {gold: {stance: dev.csv}, start: 2026-03-01, end: 2026-04-01}\n"
        "  test:\n"
        "    gold: {stance: gold.csv, topics: topics.csv}\n"
        "    start: 2026-04-01\n"
        "    limits: {per_day: 2, total: 5}\n"
    )
    return own


@pytest.fixture(scope="module")
def task(folder):
    return read_task(str(folder / "task.yaml"))


@pytest.fixture(scope="module")
def bundle(task):
    return bundle_codabench(task)


def submit(**changes):
    files = {
        "stance.csv": write_table("label", SAID),
        "topics.csv": write_table("label", SAID_SETS),
    }
    return pack({**files, **{f"{name}.csv": content for name, content in changes.items()}})


@pytest.fixture(scope="module")
def ran(bundle, tmp_path_factory):
    return run_codabench(bundle, submit(), tmp_path_factory.mktemp("run") / "app", task=1)


def test_scores_are_those_of_scikit_learn(ran):
    scores = json.loads(ran.read("scores.json"))
    matrices = [[[mark in one for mark in "ab"] for one in side] for side in (SETS, SAID_SETS)]
    assert (0, "") == (ran.code, "".join(line for line in ran.said if "error" in line))
    assert round(f1_score(GOLD, SAID, average="macro"), 4) == scores["stance_macro_f1"]
    assert round(f1_score(*matrices, average="macro"), 4) == scores["topics_macro_f1"]
    assert round(hamming_loss(*matrices), 4) == scores["topics_hamming_loss"]
    assert 8 == scores["stance_n"]


def test_scores_are_one_flat_object_of_finite_numbers(bundle, ran):
    scores = json.loads(ran.read("scores.json"))
    columns = read_yaml(bundle)["leaderboards"][0]["columns"]
    assert {column["key"] for column in columns} == set(scores)
    assert all(isinstance(one, int | float) and math.isfinite(one) for one in scores.values())
    assert all(abs(one) < 1e10 for one in scores.values())


def test_only_scores_and_the_page_are_written(ran):
    assert ["detailed_results.html", "scores.json"] == sorted(
        path.name for path in ran.output.iterdir()
    )


def test_what_desktops_and_the_platform_add_is_left_out(bundle, ran, tmp_path):
    plain = ran.read("scores.json")
    files = {f"team/run1/{name}": content for name, content in unpack(submit()).items()}
    junk = {"__MACOSX/team/._stance.csv": b"\0", "team/.DS_Store": b"\0"}
    deep = run_codabench(bundle, pack({**files, **junk}), tmp_path / "app", task=1)
    assert (0, plain) == (deep.code, deep.read("scores.json"))
    assert "metadata" not in deep.said  # the platform's own


def test_a_phase_keeps_the_keys_of_the_others(bundle, tmp_path):
    said = pack({"stance.csv": write_table("label", SAID[:6])})
    scores = json.loads(run_codabench(bundle, said, tmp_path / "app", task=0).read("scores.json"))
    assert round(f1_score(GOLD[:6], SAID[:6], average="macro"), 4) == scores["stance_macro_f1"]
    assert set() == {key for key in scores if key.startswith("topics")}


def test_a_bad_submission_fails_with_its_reason(bundle, tmp_path):
    rows = write_table("label", [*SAID[:-1], "perhaps"])
    ran = run_codabench(bundle, submit(stance=rows, topics="\0"), tmp_path / "app", task=1)
    assert 0 != ran.code
    assert ["detailed_results.html"] == [path.name for path in ran.output.iterdir()]
    assert "perhaps" in ran.said
    assert "perhaps" in ran.read("detailed_results.html")


@pytest.mark.deep
@cases(
    "rows",
    write_table("label", SAID[:-1]),
    write_table("label", [*SAID, "favor"]),
    write_table("label", [*SAID[:-1], "?"]),
    write_table("label", SAID).replace("x7", "x6"),
    write_table("nothing", SAID).replace("\n", ",1\n"),
    "\0\0",
)
def test_no_message_tells_the_gold_of_an_example(bundle, rows, tmp_path):
    files = unpack(bundle)
    reference = unpack(files["reference/1-test.zip"])
    secret = {
        name: content.replace(b"x6,favor", b"x6,sEcReT") for name, content in reference.items()
    }
    secret["task.yaml"] = secret["task.yaml"].replace(b"- none", b"- none\n    - sEcReT")
    files["reference/1-test.zip"] = pack(secret)
    ran = run_codabench(pack(files), submit(stance=rows), tmp_path / "app", task=1)
    message = (ran.said + ran.read("detailed_results.html")).splitlines()
    assert not any("x6" in line and "sEcReT" in line for line in message)
    assert ("note: stance: " in ran.said, 0) == (True, ran.code)


def test_an_undefined_score_is_the_worst_one_and_told(bundle, tmp_path):
    rows = write_table("label", ["favor"] * 8)
    ran = run_codabench(bundle, submit(stance=rows), tmp_path / "app", task=1)
    scores = json.loads(ran.read("scores.json"))
    assert (-1, 1) == (scores["stance_mcc"], scores["undefined"])
    assert "MCC is undefined" in ran.said
    assert "n/a" in ran.read("detailed_results.html")


def test_errors_of_the_reference_data_are_not_told(bundle, tmp_path):
    files = unpack(bundle)
    reference = unpack(files["reference/1-test.zip"])
    reference["gold/1-stance.csv"] = b"id,label\nx0,sEcReT\nx0,sEcReT\n"
    files["reference/1-test.zip"] = pack(reference)
    ran = run_codabench(pack(files), submit(), tmp_path / "app", task=1)
    assert (0, False) == (ran.code, "sEcReT" in ran.said)
    assert "note: stance: " in ran.said
    assert {"topics_macro_f1"} < {*json.loads(ran.read("scores.json"))}


def test_what_the_gold_alone_refuses_is_told_without_it(tmp_path, monkeypatch):
    (tmp_path / "gold.jsonl").write_text('{"id": 1, "tags": ["B-sEcReT", "O"]}\n')
    (tmp_path / "t.jsonl").write_text('{"id": 1, "tags": ["O"]}\n')
    (tmp_path / "task.yaml").write_text("tracks: {t: {gold: gold.jsonl, metrics: [span_f1]}}")
    monkeypatch.setattr(judging, "check_submission", lambda _, path: Checked({"t": path}))
    with pytest.raises(RejectedError, match="though the ids are right") as caught:
        judging.judge(read_task(str(tmp_path / "task.yaml")), str(tmp_path / "t.jsonl"))
    assert "sEcReT" not in str(caught.value)


def test_a_bundle_names_gold_that_is_several_files(tmp_path):
    (tmp_path / "gold").mkdir()
    (tmp_path / "gold/a.csv").write_text(write_table("label", GOLD))
    (tmp_path / "task.yaml").write_text("tracks: {t: {gold: gold, metrics: [macro_f1]}}")
    with pytest.raises(InputError, match="is several files; a bundle contains one for each track"):
        bundle_codabench(read_task(str(tmp_path / "task.yaml")))


@cases(
    "packages message",
    (None, ["needs tallystick", "no fault of the submission"]),
    (
        {
            "tallystick/__init__.py": b"",
            "tallystick/cli.py": b"def main(arguments):\n    import compiled_for_another\n",
        },
        ["whose packages come with the program"],
    ),
)
def test_without_fitting_packages_the_program_names_what_it_needs(
    task, tmp_path, packages, message
):
    bundle = bundle_codabench(task, packages=packages)
    ran = run_codabench(bundle, submit(), tmp_path / "app", task=1, image="")
    assert 0 != ran.code
    assert all(words in ran.said for words in message)
    assert "Traceback" not in ran.said


@pytest.mark.deep
def test_vendored_packages_are_all_that_is_needed(task, tmp_path, monkeypatch):
    monkeypatch.setattr(zlib, "Z_DEFAULT_COMPRESSION", 0)  # which is quicker
    ran = run_codabench(
        bundle_codabench(task, packages=vendor()), submit(), tmp_path / "app", task=1, image=""
    )
    assert (0, ["detailed_results.html", "scores.json"]) == (
        ran.code,
        sorted(path.name for path in ran.output.iterdir()),
    )


def test_the_bundle_keeps_the_rules(bundle):
    assert [] == find_faults(unpack(bundle))


def test_the_same_task_gives_the_same_bytes(task, bundle):
    assert bundle == bundle_codabench(task)


def test_bounds_and_counts_break_no_ties(bundle):
    columns = read_yaml(bundle)["leaderboards"][0]["columns"]
    assert ["stance_macro_f1", "stance_mcc", "topics_macro_f1", "topics_hamming_loss"] == [
        column["key"] for column in columns if not column["hidden"]
    ]
    assert ["desc", "desc", "desc", "asc"] == [column["sorting"] for column in columns[:4]]


def test_phases_follow_each_other_in_quoted_utc(bundle):
    development, test = read_yaml(bundle)["phases"]
    times = (development["start"], development["end"], test["start"])
    assert ("2026-03-01 00:00:00", "2026-03-31 23:59:59", "2026-04-01 00:00:00") == times
    assert (2, 5) == (test["max_submissions_per_day"], test["max_submissions"])


def test_the_starting_kit_checks_as_the_server_does(bundle, tmp_path):
    for name, content in unpack(unpack(bundle)["kit/1-test.zip"]).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    own = read_task(str(tmp_path / "task.yaml"))
    wrong = tmp_path / "wrong.zip"
    wrong.write_bytes(submit(stance=write_table("label", [*SAID[:-1], "perhaps"])))
    assert {"stance", "topics"} == set(check_submission(own, str(tmp_path / "example.zip")).files)
    assert ["topics"] == [*check_submission(own, str(wrong)).files]


def test_the_starting_kit_has_no_gold(bundle):
    kit = unpack(unpack(bundle)["kit/1-test.zip"])
    assert write_table("y_pred", ["against"] * 8) == kit["example/stance.csv"].decode()
    assert ["id", *(f"x{row}" for row in range(8))] == kit["ids/1-stance.csv"].decode().split()


def test_gold_that_cannot_be_scored_makes_no_bundle(tmp_path):
    (tmp_path / "gold.csv").write_text("id,label\nx0,a\nx0,b\n")
    (tmp_path / "task.yaml").write_text("tracks: {one: {gold: gold.csv, metrics: [accuracy]}}\n")
    with pytest.raises(InputError, match="x0"):
        bundle_codabench(read_task(str(tmp_path / "task.yaml")))


FAULTS = {
    "version: 2": ("version: 1", "version is not 2"),
    "title: Stance 2026": ("title: ''", "title is missing"),
    "image: logo.png": ("image: mine.png", "logo is required"),
    f"docker_image: {IMAGE}": ("docker_image: codalab/codalab-legacy:py37", "Python 3.7"),
    "terms: pages/terms.md": ("terms: other.md", "which is not in the bundle"),
    "leaderboards:": ("leaderboard:", "leaderboards is missing"),
    "key: main": (f"key: {'m' * 37}", "key of a leaderboard"),
    "submission_rule: Force_Last": ("submission_rule: Last", "submission_rule must be one"),
    "key: stance_mcc\n": (f"key: {'m' * 37}\n", "must have 1 to 36 characters"),
    "key: topics_macro_f1\n": ("key: stance_mcc\n", "none twice"),
    "index: 3\n": ("index: 2\n", "index each, and none twice"),
    "hidden: true": ("hidden: false", "would break ties"),
    "start: '2026-04-01 00:00:00'": ("start: 2026-04-01 12:00:00", "loses its time of day"),
    "end: '2026-03-31 23:59:59'": ("end: '2026-04-01 00:00:00'", "must start after"),
}


@cases("good", *FAULTS)
def test_a_broken_rule_is_found(bundle, good):
    bad, reason = FAULTS[good]
    files = unpack(bundle)
    text = files["competition.yaml"].decode()
    assert good in text
    files["competition.yaml"] = text.replace(good, bad, 1).encode()
    assert [True] == [reason in "; ".join(find_faults(files))]


@cases(
    "name content fault",
    ("pages/overview.md", b" \n", "the page 'Overview' is empty: write something into {}"),
    ("__MACOSX/._logo.png", b"\0", "{} is left over from a desktop; leave it out"),
)
def test_an_empty_page_and_leftovers_of_a_desktop_are_found(bundle, name, content, fault):
    assert [fault.format(name)] == find_faults({**unpack(bundle), name: content})


def test_a_folder_in_place_of_its_contents_is_found(bundle):
    files = unpack(bundle)
    program = unpack(files["scoring_program.zip"])
    deep = pack({f"program/{name}": content for name, content in program.items()})
    outer = find_faults({f"bundle/{name}": content for name, content in files.items()})
    inner = find_faults({**files, "scoring_program.zip": deep})
    assert (1, 2) == (len(outer), len(inner))  # two tasks have the program
    assert all("zip the contents" in one for one in (*outer, *inner))


def test_the_command_checks_a_bundle(bundle, tmp_path, capsys):
    files = unpack(bundle)
    good, bad, none = (tmp_path / name for name in ("good.zip", "bad.zip", "none.zip"))
    good.write_bytes(bundle)
    bad.write_bytes(pack({f"bundle/{name}": content for name, content in files.items()}))
    none.write_text("no archive")
    codes = [
        main(["task", "bundle", "codabench", "--check", str(one)]) for one in (good, bad, none)
    ]
    message = capsys.readouterr().out
    assert [0, 4, 4] == codes
    assert "zip the contents" in message
    assert "it is no zip archive" in message


def test_the_command_writes_a_bundle(folder, bundle, tmp_path, capsys):
    path = tmp_path / "bundle.zip"
    code = main(
        ["task", "bundle", "codabench", "--task", str(folder / "task.yaml"), "-o", str(path)]
    )
    said = capsys.readouterr().err
    assert (0, bundle) == (code, path.read_bytes())
    assert f"wrote {path}: {round(len(bundle) / 1e3)} kB" in said
    assert "lacks tallystick; bring it along with --vendor" in said


def test_the_task_file_may_stand_behind_the_platform(folder, bundle, tmp_path):
    path, task = tmp_path / "bundle.zip", str(folder / "task.yaml")
    assert main(["task", "bundle", "codabench", task, "-o", str(path)]) == 0
    assert bundle == path.read_bytes()
    assert main(["task", "selftest", task, "-o", str(tmp_path / "selftest.json")]) in (0, 1)


@cases("command", ["bundle", "codabench"], ["selftest"])
def test_a_wrong_metric_is_named_with_its_track(command, tmp_path, capsys):
    (tmp_path / "gold.csv").write_text(write_table("label", GOLD))
    task = tmp_path / "task.yaml"
    task.write_text("tracks: {stance: {gold: gold.csv, metrics: [macro_f]}}\n")
    assert main(["task", *command, str(task), "-o", str(tmp_path / "out.zip")]) == 4
    message = "tracks.stance.metrics[0]: unknown metric 'macro_f'; did you mean macro_f1?"
    assert message in capsys.readouterr().err


KINDS = {
    "binary": (
        "{gold: binary.csv, metrics: [f1, roc_auc], by: [lang]}",
        "id,label,lang\n",
        "{0},{1},e{1}\n",
    ),
    "lines": ("{gold: lines.txt, metrics: [macro_f1], file: lines.txt}", "", "label{1}\n"),
    "text": ("{gold: text.csv, metrics: [ter], task: text}", "id,reference\n", "{0},a cat {0}\n"),
    "numbers": ("{gold: numbers.csv, metrics: [pearson, mae]}", "id,gold\n", "{0},{0}.5\n"),
    "sets": (
        "{gold: sets.jsonl, metrics: [macro_f1], task: multilabel}",
        "",
        '{{"id": {0}, "label": ["x{1}", "y"]}}\n',
    ),
    "spans": (
        "{gold: spans.jsonl, metrics: [span_f1]}",
        "",
        '{{"id": {0}, "spans": [[{1}, 2, "x"], [2, 3, "y"]]}}\n',
    ),
    "tags": ("{gold: tags.jsonl, metrics: [span_f1]}", "", '{{"id": {0}, "tags": ["B-x", "O"]}}\n'),
    "columns": (
        "{gold: columns.csv, metrics: [micro_f1], task: multilabel}",
        "id,x,y\n",
        "{0},{1},1\n",
    ),
    "a track whose name is much too long for a column": (
        "{gold: long.csv, metrics: [macro_f1, macro_recall]}",
        "id,label\n",
        "{0},l{1}\n",
    ),
}
"""A task of each kind, with the head and the rows of its gold."""


def test_a_kit_of_any_kind_of_task_is_accepted_by_its_server(tmp_path):
    lines = ["tracks:"]
    for name, (track, head, row) in KINDS.items():
        lines.append(f"  {name}: {track}")
        path = track.partition("gold: ")[2].partition(",")[0]
        rows = [row.format(place, place % 2) for place in range(30)]
        (tmp_path / path).write_text(head + "".join(rows))
    (tmp_path / "task.yaml").write_text("\n".join(lines))
    bundle = bundle_codabench(read_task(str(tmp_path / "task.yaml")))
    kit = unpack(unpack(bundle)["kit/0-Final.zip"])
    for name, content in kit.items():
        (tmp_path / "kit" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "kit" / name).write_bytes(content)
    own = read_task(str(tmp_path / "kit/task.yaml"))
    checked = check_submission(own, str(tmp_path / "kit/example.zip"))
    assert (set(KINDS), False) == (set(checked.files), checked.failed)
    ran = run_codabench(bundle, kit["example.zip"], tmp_path / "app")
    columns = read_yaml(bundle)["leaderboards"][0]["columns"]
    shown = {one["key"] for one in columns if not one["hidden"]}
    assert (0, set()) == (ran.code, shown - set(json.loads(ran.read("scores.json"))))
    assert len(columns) == len({column["title"] for column in columns})
    assert "text_ter" in shown
    assert any(one.endswith("macro_recall") for one in shown)


def test_the_report_of_a_submission_has_no_example(tmp_path):
    ids = [f"example-{row}" for row in range(8)]
    rows = "".join(f"{id},{label}\n" for id, label in zip(ids, GOLD, strict=True))
    (tmp_path / "gold.csv").write_text(f"id,label\n{rows}")
    (tmp_path / "task.yaml").write_text("tracks: {one: {gold: gold.csv, metrics: [macro_f1]}}\n")
    bundle = bundle_codabench(read_task(str(tmp_path / "task.yaml")))
    said = pack({"one.csv": f"id,label\n{rows}"})
    page = run_codabench(bundle, said, tmp_path / "app").read("detailed_results.html")
    assert "tallystick" in page
    assert [] == [id for id in ids if id in page]


def test_names_in_other_scripts_have_keys_of_their_own(tmp_path):
    (tmp_path / "gold.csv").write_text(write_table("label", GOLD))
    track = "{gold: gold.csv, metrics: [accuracy]}"
    (tmp_path / "task.yaml").write_text(f"tracks: {{任务一: {track}, 任务二: {track}}}\n")
    bundle = bundle_codabench(read_task(str(tmp_path / "task.yaml")))
    first, second = read_yaml(bundle)["leaderboards"][0]["columns"][:2]
    assert first["key"] != second["key"]
    assert all(column["key"].isascii() for column in (first, second))
    assert ["任务一 Accuracy", "任务二 Accuracy"] == [first["title"], second["title"]]


@cases("value message", (1e11, r"1e\+11"), (math.nan, "undefined"))
def test_a_value_that_no_leaderboard_can_hold_is_rejected(value, message):
    score = Score("a", None, None, "MAE()", "mae", "MAE", value, 8, "", better="lower")
    with pytest.raises(InputError, match=f"MAE is {message} for this submission"):
        list_columns({"one": Evaluation((score,), (("n", "n"),))}, ("one",))
