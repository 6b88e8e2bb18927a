"""Every command reads each file once and counts each text once, however many systems there are."""

import builtins
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import tallystick
from tallystick import Testing
from tallystick.cli import main
from tallystick.metrics import BLEU, TER, WER, Metric
from tallystick.reading import line_files, table_files

TESTING = Testing(resamples=100)
REFERENCES = [f"the cat number {number} sat" for number in range(12)]
SYSTEMS = {
    name: [line.replace("sat", f"{verb} here") for line in REFERENCES]
    for name, verb in [("a", "sat"), ("b", "lay"), ("c", "stood")]
}
COMMANDS = ("score", "compare", "rank", "gate")


def run_in_memory(command: str, metrics: list[Metric]) -> int:
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


@pytest.mark.parametrize("metric", [BLEU, WER, TER])
@pytest.mark.parametrize("command", COMMANDS)
def test_each_text_is_split_once(command, metric):
    seen: Counter[str] = Counter()

    def split(text: str) -> list[str]:
        seen[text] += 1
        return text.split()

    systems = run_in_memory(command, [metric(tokenizer=split)])

    assert len(REFERENCES) * (systems + 1) == sum(seen.values())
    assert {1} == set(seen.values())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
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


def run(command: str, ending: str) -> None:
    names = ["gold", "a"] if command == "gate" else ["gold", "a", "b"]
    options = ["-m", "bleu" if ending == "txt" else "macro_f1", "--resamples", "100"]
    if command == "gate":
        options += ["--against", f"b.{ending}", "--max-drop", "1"]
    main([command, *(f"{name}.{ending}" for name in names), *options])


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("ending", ["csv", "jsonl", "txt"])
@pytest.mark.parametrize("command", COMMANDS)
def test_each_file_is_read_once(command, ending, monkeypatch):
    read: list[str] = []

    def watch(real: Callable[..., object]) -> Callable[..., object]:
        def spy(path: str, *args: object, **more: object) -> object:
            read.append(path)
            return real(path, *args, **more)

        return spy

    monkeypatch.setattr(table_files, "read_table", watch(table_files.read_table))
    monkeypatch.setattr(line_files, "iterate_blocks", watch(line_files.iterate_blocks))
    run(command, ending)

    assert [f"a.{ending}", f"b.{ending}", f"gold.{ending}"] == sorted(read)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("ending", ["csv", "jsonl", "txt"])
@pytest.mark.parametrize("command", ["compare", "gate"])
def test_files_are_opened_as_for_scores(command, ending, monkeypatch):
    opened: Counter[str] = Counter()
    real = builtins.open

    def spy(file: object, *args: object, **more: object) -> object:
        opened[str(file)] += 1
        return real(file, *args, **more)  # type: ignore[call-overload]

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
