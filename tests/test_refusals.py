"""A submission can be rejected and nothing else, whatever it contains and whatever goes wrong."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tallystick
from arrow_types import ROWS, list_columns
from faults import call, write
from tallystick.errors import InputError, TallystickError, UsageError
from tallystick.kinds.labels.label_columns import Confusion
from tallystick.model import reading as boundary
from tallystick.model.reading import UnforeseenError, refusing
from tallystick.tasks import checking
from tallystick.tasks.checking import examine_submission
from tallystick.tasks.masked_gold import count_track
from tallystick.tasks.opening import Checked
from tallystick.tasks.scoring import score_submissions
from tallystick.tasks.submission_worker import check_submission
from tallystick.tasks.task_file import read_task

IDS = pa.array(range(ROWS))
GOLD: Mapping[str, tuple[pa.Array, str]] = {
    "labels": (pa.array([*"ABAB"]), "accuracy"),
    "label sets": (pa.array([["A"], ["B"], [], ["A", "B"]]), "micro_f1"),
    "texts": (pa.array(["a cat sat here"] * ROWS), "chrf"),
    "numbers": (pa.array([0.0, 1.0, 2.0, 3.5]), "mae"),
    "spans": (pa.array([[{"start": 0, "end": 1, "label": "X"}]] * ROWS), "span_f1"),
}
"""The gold of each kind of data, and a metric of it."""
COLUMNS = list_columns()


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def plan(kind):
    gold, metric = GOLD[kind]
    Path("entries").mkdir()
    pq.write_table(pa.table({"id": IDS, "gold": gold}), "gold.parquet")
    pq.write_table(pa.table({"id": IDS, "output": gold}), "entries/good.parquet")
    write({"task.yaml": f"tracks: {{t: {{gold: gold.parquet, metrics: [{metric}]}}}}\n"})
    return read_task("task.yaml")


def choose(kind):
    place = [*GOLD].index(kind)
    return {
        name: column
        for at, (name, column) in enumerate(COLUMNS.items())
        if at % 10 == place or (kind == "spans" and "start" in name and at % 2)
    }


def score(task, paths):
    checked = {name: Checked({"t": path}) for name, path in paths.items()}
    return score_submissions(task, checked, intervals=False)


def list_scored(scored):
    return {one.system for one in scored.tracks["t"].scores}


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
@pytest.mark.parametrize("kind", GOLD)
def test_parquet_of_no_arrow_type_stops_the_others(kind):
    task, gold = plan(kind), GOLD[kind][0]
    paths = {"good": "entries/good.parquet"}
    for at, column in enumerate(choose(kind).values()):
        for place in ("output", "id") if kind == "labels" else ("output",):
            table = pa.table({"id": IDS, "output": gold} | {place: column})
            path = f"{place}{at}.parquet"
            try:
                pq.write_table(table, path)
            except (pa.ArrowException, OSError):
                continue  # Parquet has no such type
            paths[path] = path

    scored = score(task, paths)

    message = " ".join(scored.notes)
    assert "good" in list_scored(scored)
    assert [] == [name for name in {*paths} - list_scored(scored) if f" {name} was" not in message]
    assert "cannot be read or counted" not in message


@pytest.mark.parametrize("kind", GOLD)
def test_no_arrow_type_ends_a_score_in_a_traceback(kind):
    gold, metric = GOLD[kind]
    escaped = []
    for name, column in choose(kind).items():
        for one, other in ((gold, column), (column, gold)):
            for pair in ((one, other), (pa.table({"gold": one}), pa.table({"output": other}))):
                try:
                    tallystick.score(*pair, [metric], intervals=False)
                except (TallystickError, RuntimeWarning):
                    continue
                except Exception as error:
                    escaped.append((name, repr(error)))

    assert [] == escaped


BAD: Mapping[str, tuple[str, str]] = {
    "a number for spans": ("spans", "5"),
    "an object for spans": ("spans", '{"a": 1}'),
    "a span that ends at 10^30": ("spans", "[[0, 1" + "0" * 30 + ', "X"]]'),
    "a span that begins at -10^30": ("spans", "[[-1" + "0" * 30 + ', 1, "X"]]'),
    "a span that ends at a number of 5000 digits": ("spans", "[[0, " + "1" * 5000 + ', "X"]]'),
    "a label of spans that is a number of 5000 digits": ("spans", "[[0, 1, " + "1" * 5000 + "]]"),
    "a span of null": ("spans", "[null]"),
    "a span of lists": ("spans", "[[[0], [1], [2]]]"),
    "spans in a text": ("spans", '"[[0, 1]]"'),
    "tags beside spans": ("spans", '["B-X", 5]'),
    "a label that is half a character": ("labels", r'"\ud800"'),
    "a label that is a number of 400 digits": ("labels", "9" * 400),
    "a set of numbers beside text": ("label sets", '["A", 1]'),
    "a set of sets": ("label sets", '[["A"]]'),
    "a set of objects": ("label sets", '[{"A": 1}]'),
    "a number beyond all": ("numbers", "1e999999999"),
    "a number of 5000 digits": ("numbers", "9" * 5000),
    "a number that is a list": ("numbers", "[1]"),
    "a text that is a list": ("texts", '["a", "b"]'),
    "a text that is half a character": ("texts", r'"\udc00 a"'),
}


@pytest.mark.parametrize("case", BAD)
def test_json_of_any_values_stops_nothing(case):
    kind, value = BAD[case]
    task = plan(kind)
    write({"entries/bad.jsonl": "".join(f'{{"id": {at}, "output": {value}}}\n' for at in range(4))})
    message = check_submission(task, "entries/bad.jsonl")
    scored = score(task, {"good": "entries/good.parquet", "bad": "entries/bad.jsonl"})
    ranked = call("rank", "gold.parquet", "--submissions", "entries", "-m", GOLD[kind][1])
    alone = call("score", "gold.parquet", "entries/bad.jsonl", "-m", GOLD[kind][1])

    assert (True, {"good"}) == (message.rejected, list_scored(scored))
    assert (0, 4) == (ranked.code, alone.code)
    assert 1 == len(alone.err.splitlines())


def test_a_board_is_built_whatever_submissions_hold():
    plan("spans")
    columns = {"number": pa.array([5] * 4), "date": pa.array([2**31 - 1] * 4, pa.date32())}
    for name, column in columns.items():
        pq.write_table(pa.table({"id": IDS, "output": column}), f"entries/{name}.parquet")
    for name, value in (("column", "5"), ("end", "[[0, 1" + "0" * 30 + ', "X"]]')):
        rows = "".join(f'{{"id": {at}, "output": {value}}}\n' for at in range(4))
        write({f"entries/{name}.jsonl": rows})
    built = call("task", "board", "entries", "-o", "site", "--resamples", "100")

    site = json.loads(Path("site/board.json").read_text())
    assert 0 == built.code, built.err
    assert ["good"] == [one["team"] for one in site["submissions"] if one["scores"]]
    assert 4 == sum(bool(one["rejected"]) for one in site["submissions"])


SECRET = "the gold of e7 is P"
RAISED: Mapping[str, tuple[Callable[[], Exception], str]] = {
    "memory": (lambda: MemoryError(SECRET), "it needs more memory than there is"),
    "depth": (lambda: RecursionError(SECRET), "it is nested too deeply"),
    "key": (lambda: KeyError(SECRET), "it cannot be read or counted (KeyError)"),
    "Arrow": (lambda: pa.ArrowInvalid(SECRET), "it cannot be read or counted (ArrowInvalid)"),
}


@pytest.mark.parametrize("raised", RAISED)
def test_what_nobody_foresaw_is_a_refusal_that_quotes_nothing(raised):
    make, reason = RAISED[raised]
    with pytest.raises(UnforeseenError) as found, refusing():
        raise make()
    assert reason == str(found.value)


@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit, UsageError, InputError])
def test_what_is_raised_on_purpose_stays_what_it_is(raised):
    with pytest.raises(raised) as found, refusing():
        raise raised("as it is")
    assert (raised, "as it is") == (found.type, str(found.value))


@pytest.fixture
def faulty(monkeypatch):
    count = Confusion.count

    def fail(self, systems):
        if "bad" in systems.names:
            raise ValueError(SECRET)
        return count(self, systems)

    monkeypatch.setattr(Confusion, "count", fail)


@pytest.mark.usefixtures("faulty")
def test_a_submission_that_cannot_be_counted_stops_no_other():
    task = plan("labels")
    paths = dict.fromkeys(("bad", "good", "other"), "entries/good.parquet")
    Path("entries/bad.parquet").write_bytes(Path("entries/good.parquet").read_bytes())
    counted = count_track(task.tracks["t"], paths)
    ranked = call("rank", "gold.parquet", "--submissions", "entries", "-m", "accuracy")

    assert ("good", "other") == counted.systems
    assert ["it cannot be read or counted (ValueError)"] == [
        one.reason for one in counted.facts.rejected
    ]
    assert (0, False) == (ranked.code, SECRET in ranked.out + ranked.err)


@pytest.mark.usefixtures("faulty")
def test_none_that_can_be_counted_is_bad_data():
    task = plan("labels")
    with pytest.raises(InputError, match="cannot be read or counted") as found:
        count_track(task.tracks["t"], {"bad": "entries/good.parquet"})
    assert SECRET not in str(found.value)


def test_wrong_gold_is_told_as_it_is():
    task = plan("labels")
    pq.write_table(pa.table({"id": IDS, "gold": pa.array(["A", None, "B", "A"])}), "gold.parquet")
    with pytest.raises(InputError, match=r"gold\.parquet, row 2, column 'gold': the value is"):
        score(task, dict.fromkeys("ab", "entries/good.parquet"))


@pytest.mark.parametrize("place", ["find_excess", "recall_submission", "find_mistakes", "_refuse"])
def test_a_check_refuses_what_nobody_foresaw(place, monkeypatch):
    task = plan("labels")

    def fail(*_, **__):
        raise ZeroDivisionError(SECRET)

    monkeypatch.setattr(checking, place, fail)
    (finding,) = examine_submission(task, "entries/good.parquet").findings

    assert "t: good.parquet: it cannot be read or counted (ZeroDivisionError)" == str(finding)


def test_the_boundary_is_in_one_place():
    package = Path(boundary.__file__).parents[1]
    found = [
        path.name
        for folder in (("comparison", "kinds", "model", "reading", "scoring", "tasks"))
        for path in sorted((package / folder).rglob("*.py"))
        if "except Exception" in path.read_text() and path.parent.name != "bundles"
    ]

    assert ["function_mean.py", "names.py", "reading.py", "metric.py"] == found
