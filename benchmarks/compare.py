"""Paired comparison, beside CompStats for labels and sacreBLEU for texts; and its memory.

Needs CompStats, and a shared task's texts, as `texts.py` does. All sides run on one thread.
Times are processor seconds, so that other work on the machine matters little.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy is loaded, which reads it then

import numpy as np
import sacrebleu
from CompStats.interface import Perf
from numpy.typing import NDArray
from sacrebleu.significance import PairedTest
from sklearn.metrics import f1_score
from stopwatch import find_peak, forget_peak, format_table

import tallystick
from tallystick.metrics import BLEU, ChrF

ROUNDS = 3
RESAMPLES = 10_000
SHARED = Path(os.environ.get("TALLYSTICK_SHARED", Path(__file__).parents[1].parent / "shared"))

Labels = NDArray[np.int64]
Texts = dict[str, list[str]]


def main() -> None:
    """Measures labels, texts and memory, one after another."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    print(format_table(("5 systems, macro F1", "seconds", "µs a resample"), _time_labels()))
    print()
    print(format_table(("BLEU and chrF", "seconds", "µs a pair"), _time_texts()))
    print()
    print(format_table(("two systems", "seconds", "MB"), _measure_memory()))


def _time_labels() -> list[list[str]]:
    """5,000 examples of four labels, five systems, the bootstrap on both sides."""
    gold, systems = _predict(5000, 5)
    few = 100

    def score(gold: Labels, predicted: Labels) -> float:
        return float(f1_score(gold, predicted, average="macro"))

    def ours() -> object:
        testing = tallystick.Testing("bootstrap", RESAMPLES)
        return tallystick.compare(gold, systems, "macro_f1", testing=testing, task="multiclass")

    def theirs() -> object:
        columns = systems.values()
        peer = Perf(gold, *columns, score_func=score, num_samples=few, n_jobs=1, use_tqdm=False)
        return peer.difference().p_value()

    times = _take_turns([ours, theirs])
    names = (f"Tallystick, {RESAMPLES:,} resamples", f"CompStats, {few} resamples")
    return _tabulate(names, times, (times[0] / RESAMPLES, times[1] / few))


def _time_texts() -> list[list[str]]:
    """15 systems by all pairs, counting and intervals too; the peer by its trials alone.

    sacreBLEU compares two systems with a third one, and few trials are subtracted from many, so
    that tokenising and counting do not matter.
    """
    systems, references = _read_texts("en-zh")
    three = dict(list(systems.items())[:3])
    few, many = 1000, 10_000

    def ours() -> object:
        metrics = [BLEU(tokenizer="zh"), ChrF()]
        return tallystick.compare(references, systems, metrics, all_pairs=True)

    def theirs(trials: int) -> object:
        metrics = {"BLEU": sacrebleu.BLEU(tokenize="zh"), "chrF": sacrebleu.CHRF()}
        return PairedTest(list(three.items()), metrics, [references], "ar", trials)()

    times = _take_turns([ours, lambda: theirs(few), lambda: theirs(many)])
    pairs = len(systems) * (len(systems) - 1) // 2
    names = (
        f"Tallystick, {pairs} pairs, all in all",
        f"sacreBLEU --paired-ar, 2 pairs, {many - few:,} trials, the trials alone",
    )
    spent = (times[0], times[2] - times[1])
    return _tabulate(names, spent, (spent[0] / pairs, spent[1] / 2))


def _measure_memory() -> list[list[str]]:
    """What comparing adds to the memory that the examples take."""
    gold, systems = _predict(10_000_000, 2)
    texts, references = _read_texts("he-en")
    two, copies = dict(list(texts.items())[:2]), 50
    long = {name: own * copies for name, own in two.items()}
    works: dict[str, Callable[[], object]] = {
        f"macro F1, {len(gold):,} examples": lambda: tallystick.compare(
            gold, systems, "macro_f1", task="multiclass"
        ),
        f"BLEU, {len(references):,} examples": lambda: tallystick.compare(references, two, "bleu"),
        f"BLEU, {len(references) * copies:,} examples": lambda: tallystick.compare(
            references * copies, long, "bleu"
        ),
    }
    rows = []
    for name, work in works.items():
        forget_peak()
        held, start = find_peak(), perf_counter()
        work()
        seconds = perf_counter() - start
        rows.append([name, f"{seconds:.1f}", f"{(find_peak() - held) / 1e6:.0f}"])
    return rows


def _predict(size: int, count: int) -> tuple[Labels, dict[str, Labels]]:
    generator = np.random.default_rng(0)
    gold = generator.integers(0, 4, size)
    systems = {
        f"system {place}": np.where(
            generator.random(size) < 0.7 + place / 100, gold, generator.integers(0, 4, size)
        )
        for place in range(count)
    }
    return gold, systems


def _read_texts(pair: str) -> tuple[Texts, list[str]]:
    start, target = f"generaltest2023.{pair}", pair.split("-")[1]
    folder = SHARED / "data" / "wmt23"
    systems = {
        path.name.split(".")[3]: _read_lines(path)
        for path in sorted((folder / "systems").glob(f"{start}.hyp.*.{target}"))
    }
    return systems, _read_lines(folder / "references" / f"{start}.ref.refA.{target}")


def _read_lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def _take_turns(sides: Sequence[Callable[[], object]]) -> list[float]:
    """The median processor seconds of each side; all once, then all once more, and so on."""
    times: list[list[float]] = [[] for _ in sides]
    for _ in range(ROUNDS):
        for own, side in zip(times, sides, strict=True):
            start = process_time()
            side()
            own.append(process_time() - start)
    return [median(own) for own in times]


def _tabulate(
    names: Sequence[str], times: Sequence[float], units: Sequence[float]
) -> list[list[str]]:
    """Both sides, and how many times as long the second one takes for the same."""
    rows = [
        [name, f"{seconds:.2f}", f"{1e6 * unit:.2f}"]
        for name, seconds, unit in zip(names, times, units, strict=True)
    ]
    return [*rows, ["times faster", "", f"{units[1] / units[0]:.0f}"]]


if __name__ == "__main__":
    main()
