"""Facts about when options are checked: before any data is read."""

import functools
import shlex

import pytest

from tallystick import Task, compare, gate, plan, rank, score
from tallystick.cli import main
from tallystick.cli.parser import build_parser

CALLS = {
    "score": "score no-gold.csv no-a.csv -m f1",
    "compare": "compare no-gold.csv no-a.csv no-b.csv -m f1",
    "rank": "rank no-gold.csv no-a.csv no-b.csv -m f1",
    "gate": "gate no-gold.csv no-a.csv --against no-b.csv -m f1",
    "plan": "plan no-gold.csv no-a.csv no-b.csv -m f1",
    "count": "count no-gold.csv no-a.csv -m f1 -o part.tally",
    "tune": "tune no-gold.csv",
    "majority": "baseline majority no-gold.txt no-a.txt",
    "random": "baseline random no-gold.txt no-a.txt -o out.txt",
    "tfidf": "baseline tfidf --data no-gold --output out",
    "detoxify": "baseline detoxify --data no-gold --output out",
}
"""A call of each command that is right but for its files, which do not exist."""

READING = {
    "-m nosuch": "'nosuch'",
    "-m 'f1(average=1)'": "average",
    "--task nosuch": "--task",
    "--labels a a": "labels",
    "--labels a b --positive c": "positive label 'c'",
    "--threshold nan": "threshold",
    "--invalid nosuch": "--invalid",
    "--missing nosuch": "--missing",
    "--round-scores 0": "decimals",
    "--round-scores x": "--round-scores",
    "--scheme nosuch": "--scheme",
    "--delimiter ''": "delimiter",
    "--input-format nosuch": "--input-format",
    "--workers 0": "--workers",
    "--workers two": "--workers",
    "--ref no-ref.txt": "--ref",
    "--majority": "majority",
    "--languages en": "--languages",
    "--run-tag x": "--run-tag",
}
OUTPUT = {
    "--format nosuch": "--format",
    "-o out.nosuch": "out.nosuch",
    "-o no-folder/out.json": "no-folder",
    "--digits -1": "digits",
    "--digits 99": "digits",
    "--decimals f1": "--decimals",
    "--decimals f1=99": "digits",
    "--columns nosuch": "column 'nosuch'",
    "--columns accuracy": "column 'accuracy'",
    "--columns nosuch --format csv": "column 'nosuch'",
    "--percent --format csv": "percent",
    "--decimals f1=1 --format json": "decimals",
    "--columns f1 --format json": "columns",
}
REPORT = {
    "--columns nosuch -o out.html": "column 'nosuch'",
    "--examples few": "--examples",
    "--figure nosuch -o out.svg": "figure 'nosuch'",
    "--figure nosuch": "figure 'nosuch'",
    "--figure wide": "--figure",
}
RESAMPLING = {
    "--confidence 2": "confidence",
    "--confidence nan": "confidence",
    "--resamples 5": "resamples",
    "--random-seed -1": "random seed",
}
TESTING = {
    "--test nosuch": "--test",
    "--test mcnemar": "mcnemar",
    "--test delong": "delong",
    "--test sacrebleu-ar": "sacrebleu-ar",
    "--baseline nosuch": "system 'nosuch'",
}
WRONG = {
    "score": READING | OUTPUT | REPORT | RESAMPLING | {"--prevalence toxic": "--prevalence",
        "--prevalence toxic=7": "prevalence", "--prevalence a=.6 b=.6": "1.2",
        "--confusion out.txt": "--confusion", "--confusion no-folder/out.csv": "no-folder",
        "--dump-errors -1": "--dump-errors", "--config no-config.yaml": "--config",
        "--no-intervals --confidence .9": "--confidence", "--segments": "--segments",
        "--seeds --segments": "--segments", "--seeds --no-intervals": "--seeds"},
    "compare": READING
    | OUTPUT
    | REPORT
    | RESAMPLING
    | TESTING
    | {
        "--equivalent-within -1": "equivalent_within",
        "--equivalent-within nan": "equivalent_within",
        "--equivalent-within .1 --confidence .4": "confidence",
        "--flips out.txt": "--flips",
        "--all-pairs --baseline no-a": "--all-pairs",
    },
    "rank": READING | OUTPUT | REPORT | RESAMPLING | TESTING | {"-m support": "support",
        "--per-team nosuch": "--per-team", "--overall nosuch": "--overall",
        "--missing-tracks zero": "--missing-tracks", "--overall mean": "overall order",
        "--previous no-ranking.json": "no-ranking.json",
        "--figure 'rank nosuch' -o out.svg": "figure 'rank nosuch'"},
    "gate": {
        f"{option} --floor 0": message for option, message in (READING | REPORT | OUTPUT).items()
    }
    | {f"--floor 0 {option}": message for option, message in RESAMPLING.items()}
    | {
        "--floor 0 --confidence .4": "confidence",
        "--floor nan": "floor",
        "--floor nosuch=1": "'nosuch'",
        "--floor f1=1 f1": "--floor",
        "--max-drop -1": "drop",
        "--max-drop nan": "drop",
        "--equivalent-within -1": "difference",
        "--floor 0 -m support": "support",
        "--floor 0 --config no-limits.yaml": "no-limits.yaml",
        "--floor 0 --junit no-folder/out.xml": "no-folder",
        "--floor 0 --json no-folder/out.json": "no-folder",
        "--floor 0 --summary no-folder/out.md": "no-folder",
    },
    "plan": READING | OUTPUT | RESAMPLING | {"--sizes 0": "examples to plan with",
        "--sizes 100 x": "--sizes"},
    "count": READING | {"-o out.csv": ".tally", "-o no-folder/out.tally": "no-folder",
        "--by lang:4": "--by", "--min-cell 0": "at least 1 example"},
    "tune": {"-m nosuch": "'nosuch'", "-m bleu": "bleu", "--grid nosuch": "--grid",
        "--input-format nosuch": "--input-format", "--cross-fit 1 -o out.csv": "cross-fitting",
        "--cross-fit 2 -o no-folder/out.csv": "no-folder", "--apply no-b.csv": "--apply",
        "-o out.csv": "--output"},
    "majority": {"-o no-folder/out.txt": "no-folder", "-o out.txt --task nosuch": "--task"},
    "random": {"--random-seed -1": "seed", "-o no-folder/out.txt": "no-folder"},
    "tfidf": {"--max-features -1": "max_features", "--ngram-range 3 1": "ngram_range",
        "--min-df -1": "min_df", "--token-pattern '('": "token_pattern",
        "--max-iter 0": "max_iter", "--class-weight nosuch": "--class-weight",
        "--stopwords no-folder": "--stopwords", "--config no-config.yaml": "no-config.yaml"},
    "detoxify": {"--batch-size 0": "batch size", "--activation nosuch": "--activation"},
}  # fmt: skip
"""Options with a wrong value by command, and what the message names."""


@pytest.fixture(autouse=True)
def parser(monkeypatch):
    monkeypatch.setattr("tallystick.cli.parser.build_parser", _build)


_build = functools.cache(build_parser)


def _call(arguments, capsys):
    try:
        code = main(shlex.split(arguments))
    except SystemExit as stopped:
        code = stopped.code
    return code, capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(
    ("command", "option"), [(name, option) for name, own in WRONG.items() for option in own]
)
def test_a_wrong_option_is_named_before_data_is_read(command, option, folder, capsys):
    code, message = _call(f"{CALLS[command]} {option}", capsys)
    assert code in (2, 4)
    assert WRONG[command][option] in message
    assert "no-gold" not in message


@pytest.mark.parametrize("command", CALLS)
def test_the_calls_are_right_but_for_their_files(command, folder, capsys):
    more = {"gate": " --floor 0", "majority": " -o out.txt"}.get(command, "")
    code, message = _call(CALLS[command] + more, capsys)
    assert (4, True) == (code, "no-gold" in message)


def _list_results():
    gold, a, b = list("abababab"), list("abababaa"), list("aaababbb")
    both, metrics = {"a": a, "b": b}, ["f1", "precision(average=None)"]
    task = Task("binary", positive="a")
    fit = [{"details": details, "task": task} for details in (False, True)]
    return {
        "score": [score(gold, both, metrics, task=task)],
        "compare": [
            *(compare(gold, both, "f1", equivalent_within=0.1, **one) for one in fit),
            compare(gold, both | {"c": b}, "f1", all_pairs=True, task=task),
        ],
        "rank": [rank(gold, both, ["f1", "accuracy"], overall="mean", **one) for one in fit],
        "gate": [gate(gold, a, b, "f1", max_drop=0.1, floor=0.1, task=task)],
        "plan": [plan(gold, both, "f1", task=task)],
    }


def test_every_column_of_a_table_may_be_chosen(folder, capsys):
    rejected = []
    for command, results in _list_results().items():
        more = " --floor 0" if command == "gate" else ""
        grids = [grid for one in results for grid in one.document().grids]
        shown = [grid for grid in grids if grid.kind != "confusion"]
        for heading in {str(head) for grid in shown for head in grid.headings} - {""}:
            metrics = "-m f1 accuracy 'precision(average=None)'"
            call = f"{CALLS[command]} {metrics}{more} --columns {shlex.quote(heading)}"
            message = _call(call, capsys)[1]
            rejected += [] if "no-gold" in message else [(command, heading, message)]

    assert [] == rejected
