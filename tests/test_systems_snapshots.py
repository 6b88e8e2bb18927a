"""Facts about how rankings and comparisons look; run as a script, writes the snapshots."""

import io
from collections.abc import Callable
from contextlib import redirect_stdout
from itertools import combinations
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from msgspec.structs import replace

from tallystick.comparison.ranking.leaderboard import Leaderboard, list_places
from tallystick.comparison.ranking.overall_ranking import add_standings, rank_tracks
from tallystick.metrics import F1, Accuracy
from tallystick.output.results.comparison import Comparison
from tallystick.output.results.ranking import Ranking
from tallystick.output.results.result import Result
from tallystick.output.results.sections import sum_up
from tallystick.output.tables.cells import measure
from tallystick.output.tables.document import Style
from tallystick.output.tables.formats import render
from tallystick.output.tables.text import print_rich
from tallystick.results import Difference, Score

SNAPSHOTS = Path(__file__).parent / "snapshots_of_systems"
SYSTEMS = {
    "gpt-4o-mini-2024-07-18": 0.86,
    "团队甲-微调": 0.845,
    "llama-3.1-70b-instruct-turbo": 0.84,
    "equipe_10%_recall&co": 0.8,
    "bert-base-multilingual-cased-finetuned-task-v2": 0.79,
    "Überläufer": 0.78,
    "tfidf": 0.72,
    "svm": 0.71,
    "فريق": 0.7,
    "rules": 0.58,
    "majority": 0.55,
    "random": 0.34,
}
DETECTED = 0.05
"""Systems that differ by more are significantly different here."""


def make_score(system, value, metric, group):
    return Score(
        system,
        group,
        None,
        repr(metric),
        metric.name,
        metric.full_title,
        value,
        800,
        repr(metric),
        low=value - 0.03,
        high=min(value + 0.0275, 1),
        confidence=0.95,
        method="1000 bootstrap resamples",
    )


def make_scores(metric, group, names):
    shift = (metric.name == "accuracy") * 0.02 + {"de": 0.01, "zh": -0.01}.get(group or "", 0.0)
    return [
        make_score(name, SYSTEMS[name] + shift * (-1) ** place, metric, group)
        for place, name in enumerate(names)
    ]


def make_board(metric, group, names):
    scores = make_scores(metric, group, names)
    values = np.array([score.value for score in scores])
    beats = values[:, None] - values > DETECTED
    return Leaderboard(metric, tuple(scores), np.tile(values, (4, 1)), beats, 0.95)


def make_differences(metric, group, pairs):
    scores = {one.system: one.value for one in make_scores(metric, group, tuple(SYSTEMS))}
    for a, b in pairs:
        gap = scores[a] - scores[b]
        yield Difference(
            a=a,
            b=b,
            group=group,
            metric=repr(metric),
            name=metric.name,
            value_a=scores[a],
            value_b=scores[b],
            difference=gap,
            low=gap - 0.05,
            high=gap + 0.045,
            confidence=0.95,
            p=0.00001 if abs(gap) > DETECTED else 0.2,
            p_holm=0.00002 if abs(gap) > DETECTED else 0.4,
            test="ar",
            n=800,
            better="higher",
            signature=repr(metric),
        )


def build_ranking(*, groups=(None,), names=tuple(SYSTEMS)):
    places = [
        place
        for group in groups
        for metric in (F1("macro"), Accuracy())
        for place in list_places(make_board(metric, group, names), ["majority"])
    ]
    pairs = tuple((name, "majority") for name in names if name != "majority")
    message = sum_up(list(make_differences(F1("macro"), groups[-1], pairs)), "majority")
    return Ranking(tuple(places), notes=("ten is a small number.",), sentences=(message,))


def build_tracks():
    tracks = {"track1": build_ranking(), "Spur 2": build_ranking(names=tuple(SYSTEMS)[2:])}
    return rank_tracks(tracks, overall="borda")


def build_moves():
    ranking = build_ranking()
    former = {"团队甲-微调": 1, "gpt-4o-mini-2024-07-18": 4, "tfidf": 7, "svm": 8}
    return replace(
        ranking,
        places=tuple(
            replace(place, previous_rank=former.get(place.system)) for place in ranking.places
        ),
    )


def build_comparison(*, groups=(None,), baseline):
    metric = F1("macro")
    others = tuple((name, "tfidf") for name in SYSTEMS if name != "tfidf")
    pairs = others if baseline else tuple(combinations(SYSTEMS, 2))
    return Comparison(
        tuple(one for group in groups for one in make_differences(metric, group, pairs)),
        ("ten is a small number.",),
        scores=tuple(one for group in groups for one in make_scores(metric, group, tuple(SYSTEMS))),
        baseline="tfidf" if baseline else None,
    )


GROUPS = ("de", "zh", "macro", "micro")
RESULTS: dict[str, Callable[[], Result]] = {
    "ranking": build_ranking,
    "ranking-groups": lambda: build_ranking(groups=GROUPS),
    "ranking-details": lambda: replace(build_ranking(), details=True),
    "ranking-overall": lambda: add_standings(build_ranking(), "mean", "exclude"),
    "ranking-tracks": build_tracks,
    "ranking-moves": build_moves,
    "comparison": lambda: build_comparison(baseline=True),
    "comparison-groups": lambda: build_comparison(groups=GROUPS, baseline=True),
    "comparison-pairs": lambda: build_comparison(baseline=False),
    "comparison-details": lambda: replace(build_comparison(baseline=True), details=True),
}
FILES = [
    *(f"{name}.txt" for name in RESULTS),
    *(f"{name}.{columns}" for name in ("ranking", "comparison") for columns in (80, 120)),
    *(f"{name}.{ending}" for name in ("ranking", "comparison") for ending in ("md", "tex")),
]
FORMATS = {"txt": "table", "md": "markdown", "tex": "latex"}


def write(file):
    name, ending = file.split(".")
    document = RESULTS[name]().document()
    if ending in FORMATS:
        return render(document, FORMATS[ending])
    shown = io.StringIO()
    with patch.dict("os.environ", {"COLUMNS": ending, "TERM": "dumb"}), redirect_stdout(shown):
        print_rich(document, Style())
    return "".join(f"{line.rstrip()}\n" for line in shown.getvalue().splitlines())


@pytest.mark.parametrize("file", FILES)
def test_systems_look_as_in_the_snapshots(file):
    assert (SNAPSHOTS / file).read_text(encoding="utf-8") == write(file)


def test_every_snapshot_of_systems_is_compared():
    assert sorted(FILES) == sorted(path.name for path in SNAPSHOTS.iterdir())


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("columns", [80, 120])
def test_no_line_is_wider_than_the_terminal(name, columns):
    assert max(map(measure, write(f"{name}.{columns}").splitlines())) <= columns


@pytest.mark.parametrize("name", RESULTS)
def test_no_probability_is_shown_as_nought(name):
    assert " 0.0000" not in write(f"{name}.txt")


if __name__ == "__main__":
    for file in FILES:
        (SNAPSHOTS / file).write_text(write(file), encoding="utf-8")
