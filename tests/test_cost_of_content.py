"""What a command takes follows the size of its files, each of which it reads once."""

import builtins
import json
import os
import resource
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

import tallystick
from cases import cases
from tallystick import Testing
from tallystick.cli import main
from tallystick.metrics import BLEU, TER, WER
from tallystick.reading import line_files, table_files

_LIMIT = 4 << 30
_SECONDS = 120
_MORE = 250 << 10
"""At most this many kilobytes more than ordinary content takes."""


def _run(folder, call):
    with open(folder / "out", "w+") as out, open(folder / "err", "w+") as err:
        words = [sys.executable, __file__, *call.split()]
        process = subprocess.Popen(words, cwd=folder, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return process.returncode, out.read(), err.read(), usage.ru_maxrss


@pytest.fixture(scope="module")
def ordinary(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ordinary")
    for name in "gold.csv", "own.csv":
        rows = [f"{row},{'ab'[row % 2]}" for row in range(50000)]
        (folder / name).write_text("\n".join(["id,label", *rows]))
    code, _, _, peak = _run(folder, "score gold.csv own.csv")
    assert code == 0
    return peak


def _spans(*sides):
    return {
        name: "\n".join(json.dumps({"id": row, "spans": own}) for row, own in enumerate(side))
        for name, side in zip(("gold.jsonl", "own.jsonl"), sides, strict=True)
    }


def _far_spans():
    return _spans([[[0, 2, "A"], [3, 6, "B"]]], [[[0, 4 * 10**14, "A"]]])


def _chained_spans(count=10000):
    gold, own = ([[at, at + count + off, "A"] for at in range(count)] for off in (0, 1))
    return _spans([gold], [own])


def _many_types(count=20000):
    plain = [[[0, 2, "A"]] for _ in range(40)]
    return _spans(plain, [*plain[1:], [[at, at + 1, f"T{at}"] for at in range(count)]])


def _chained_tokens(count=6000):
    # Tokens of two words each, which begin one word later on the side of the system.
    sides = []
    for first in (1, 0):
        rows = []
        for word in range(1, count + 1):
            if word % 2 == first and word < count:
                rows.append([f"{word}-{word + 1}", "aa", *"________"])
            rows.append([word, "a", "a", "X", "_", "_", word - 1, "dep", "_", "_"])
        rows[0 if first == 0 else 1][7] = "root"
        sides.append("\n".join("\t".join(map(str, row)) for row in rows) + "\n\n")
    return dict(zip(("gold.conllu", "own.conllu"), sides, strict=True))


def _table(columns):
    rows = zip(*columns.values(), strict=True)
    return "\n".join(",".join(map(str, row)) for row in (columns, *rows))


def _many_labels(count=8000):
    rows = range(count)
    return {
        "gold.csv": _table({"id": rows, "gold": [f"a|g{row}" if row % 2 else "b" for row in rows]}),
        "own.csv": _table({"id": rows, "pred": [f"a|x{row}" if row % 2 else "b" for row in rows]}),
    }


def _ring_of_battles(count=800):
    sides = ([f"m{(at + off) % count}" for at in range(count)] for off in (0, 1))
    columns = dict(zip(("model_a", "model_b"), sides, strict=True))
    return {"battles.csv": _table({**columns, "winner": ["model_a"] * count})}


def _many_battles():
    return _ring_of_battles(2001)


def _many_systems(count=1001):
    columns = {f"s{at}": "ab" if at % 2 else "aa" for at in range(count)}
    return {"all.csv": _table({"id": "12", "gold": "ab", **columns})}


_ALL = " ".join(f"s{at}" for at in range(1001))

_CASES = [
    (_far_spans, "score gold.jsonl own.jsonl -m overlap_span_recall", "0.500"),
    (_far_spans, "score gold.jsonl own.jsonl -m character_span_recall", "0.400"),
    (_far_spans, "score gold.jsonl own.jsonl -m partial_span_recall", "0.250"),
    (_chained_spans, "score gold.jsonl own.jsonl -m overlap_span_f1", "1.000"),
    (_chained_spans, "score gold.jsonl own.jsonl -m character_span_f1", "1.000"),
    (_chained_spans, "score gold.jsonl own.jsonl -m partial_span_f1", "0.500"),
    (_many_types, "score gold.jsonl own.jsonl -m span_recall macro_span_recall", "0.975"),
    (_many_types, "score gold.jsonl own.jsonl -m span_f1(average=None)", "0.987"),
    (_chained_tokens, "score gold.conllu own.conllu -m LAS --no-intervals", "1.000"),
    (_many_labels, "score gold.csv own.csv --task multilabel -m macro_f1 micro_f1", "0.0002"),
    (
        _many_labels,
        "compare gold.csv own.csv other=own.csv --task multilabel -m samples_f1",
        "0.750",
    ),
    (_ring_of_battles, "score battles.csv -m bradley_terry --no-intervals", " 1000\n"),
]


_REJECTED = [
    (_many_labels, "score gold.csv own.csv --workers 100000000000", "at most 1,000 workers"),
    (_many_battles, "score battles.csv -m bradley_terry", "at most 2,000 systems"),
    pytest.param(
        _many_systems,
        f"rank all.csv -m accuracy --systems {_ALL}",
        "takes at most 1,000",
        marks=pytest.mark.deep,
        id="systems",
    ),
]


@cases("make call expected", *_REJECTED)
def test_limits_are_told_before_work_starts(make, call, expected, tmp_path):
    for name, text in make().items():
        (tmp_path / name).write_text(text)
    code, _, err, _ = _run(tmp_path, call)
    assert code == 2
    assert expected in err


@pytest.mark.deep
@cases("make call expected", *_CASES)
def test_memory_follows_the_size_of_files(make, call, expected, ordinary, tmp_path):
    for name, text in make().items():
        (tmp_path / name).write_text(text)
        assert len(text) < 10_000_000
    code, out, err, peak = _run(tmp_path, call)
    assert code == 0, err
    assert expected in out
    assert peak - ordinary < _MORE


if __name__ == "__main__":  # the command, which a runaway ends and not the machine
    from tallystick.cli import main

    resource.setrlimit(resource.RLIMIT_AS, (_LIMIT, _LIMIT))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    sys.exit(main(sys.argv[1:]))


TESTING = Testing(resamples=100)
REFERENCES = [f"the cat number {number} sat" for number in range(12)]
SYSTEMS = {
    name: [line.replace("sat", f"{verb} here") for line in REFERENCES]
    for name, verb in [("a", "sat"), ("b", "lay"), ("c", "stood")]
}
COMMANDS = ("score", "compare", "rank", "gate")


def run_in_memory(command, metrics):
    if command == "gate":
        new, old = SYSTEMS["a"], SYSTEMS["b"]
        tallystick.gate(REFERENCES, new, old, metrics, max_drop=1, floor=1, testing=TESTING)
        return 2
    if command == "score":
        tallystick.score(REFERENCES, SYSTEMS, metrics)
    elif command == "rank":
        tallystick.rank(REFERENCES, SYSTEMS, metrics, baselines=["c"], testing=TESTING)
    else:
        tallystick.compare(REFERENCES, SYSTEMS, metrics, testing=TESTING).flips("a", "b")
    return 3


@cases("metric", BLEU, WER, TER)
@cases("command", *COMMANDS)
def test_each_text_is_split_once(command, metric):
    seen = Counter()

    def split(text):
        seen[text] += 1
        return text.split()

    systems = run_in_memory(command, [metric(tokenizer=split)])

    assert len(REFERENCES) * (systems + 1) == sum(seen.values())
    assert {1} == set(seen.values())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    gold = rng.integers(0, 2, 40)
    for name, share in [("gold", 1.0), ("a", 0.9), ("b", 0.8)]:
        labels = np.where(rng.random(40) < share, gold, 1 - gold).tolist()
        rows = [f"{row},{label}" for row, label in enumerate(labels)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,label", *rows]))
        lines = [f'{{"id": {row}, "label": {label}}}' for row, label in enumerate(labels)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
        texts = [f"the cat {label} {row}" for row, label in enumerate(labels)]
        (tmp_path / f"{name}.txt").write_text("\n".join(texts) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(command, ending):
    names = ["gold", "a"] if command == "gate" else ["gold", "a", "b"]
    options = ["-m", "bleu" if ending == "txt" else "macro_f1", "--resamples", "100"]
    if command == "gate":
        options += ["--against", f"b.{ending}", "--max-drop", "1"]
    main([command, *(f"{name}.{ending}" for name in names), *options])


@pytest.mark.usefixtures("folder")
@cases("ending", "csv", "jsonl", "txt")
@cases("command", *COMMANDS)
def test_each_file_is_read_once(command, ending, monkeypatch):
    read = []

    def watch(real):
        def spy(path, *args, **more):
            read.append(path)
            return real(path, *args, **more)

        return spy

    monkeypatch.setattr(table_files, "read_table", watch(table_files.read_table))
    monkeypatch.setattr(line_files, "iterate_blocks", watch(line_files.iterate_blocks))
    run(command, ending)
    assert [f"a.{ending}", f"b.{ending}", f"gold.{ending}"] == sorted(read)


@pytest.mark.usefixtures("folder")
@cases("ending", "csv", "jsonl", "txt")
@cases("command", "compare", "gate")
def test_files_are_opened_as_for_scores(command, ending, monkeypatch):
    opened = Counter()
    real = builtins.open

    def spy(file, *args, **more):
        opened[str(file)] += 1
        return real(file, *args, **more)

    monkeypatch.setattr(builtins, "open", spy)
    run("score", ending)
    expected = {path: count for path, count in opened.items() if path.endswith(ending)}
    opened.clear()
    run(command, ending)
    assert all(opened[path] <= count for path, count in expected.items())


def test_all_labels_share_the_signature_of_their_metric():
    gold = [f"label {place}" for place in range(300)]
    scored = tallystick.score(gold, gold, "F1(average=None)", intervals=False)
    assert (300, 1) == (len(scored.scores), len({id(one.signature) for one in scored.scores}))


def test_signatures_of_many_labels_hold_their_checksum():
    labels = [f"label-{number}" for number in range(1001)]
    signature = tallystick.score(labels, labels, ["macro_f1"]).scores[0].signature
    assert "|labels:1001(sha256:b8779ea350c178d5)|" in signature
