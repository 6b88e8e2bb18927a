"""Whether intervals, tests and gates keep their promises, on all populations, by one command.

    python benchmarks/promises.py [--samples N] [--workers N] [--write FOLDER] [WORDS ...]

Measures what benchmarks/coverage.py, null.py and gates.py have populations for, with fixed seeds;
WORDS choose those whose family or name has one of them. Of each cell (a population, a size and a
metric) it prints how often the promise is kept, and by family how many cells keep it: intervals
hold the true value in 93 to 98% of the samples, tests reject in at most 6.5%, gates let at most 7%
through that are worse by just what is allowed. Of intervals there are the median width, the 95th
percentile of widths as a multiple of it, and the median width of bootstrap percentiles of the first
samples. A note with the code `interval_too_narrow` tells of a cell where it is in at least 80% of
the samples in which the promise was broken; what is within two standard errors of the limit may be
so by chance. It takes about 15 minutes on two processors; the share of a cell has a standard error
of about 2 points.
`--write docs` writes promises.csv and promises.svg there.
"""

import argparse
import csv
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path
from typing import Any

import coverage
import null
import numpy as np
from null import tells
from numpy.typing import NDArray
from stopwatch import format_table

import gates
import tallystick
from tallystick.output.figures.drawing import draw_svg
from tallystick.output.figures.layers import Spec, frame

SAMPLES = 150
DRAWN, RESAMPLES = 15, 200
GATED = (50, 200, 1000)
LOW, HIGH = 93.0, 98.0
MOST_REJECTED, MOST_PASSED = 6.5, 7.0
TOLD = 80.0


@dataclass(frozen=True, slots=True)
class Cell:
    """What became of one promise.

    Attributes:
        family: What kind of data it is of.
        promise: `interval`, `test` or `gate`.
        population: The population.
        n: How many examples, clusters or units samples have.
        metric: The metric, and the row where there are several.
        samples: How many samples there were.
        share: The percentage of intervals that held the true value, of tests that rejected, or of
            gates that let the system through.
        told_broken: The percentage of samples with a note among those that broke the promise.
        told: The percentage of all samples with one.
        width: The median width of intervals.
        reach: The 95th percentile of widths, as a multiple of the median.
        percentiles: The median width of bootstrap percentiles, of the first samples.
    """

    family: str
    promise: str
    population: str
    n: str
    metric: str
    samples: int
    share: float
    told_broken: float
    told: float
    width: float = np.nan
    reach: float = np.nan
    percentiles: float = np.nan

    @property
    def verdict(self) -> str:
        """`kept`, `wide`, or, where the promise is broken, `told`, `broken`, or `by chance`.

        It is by chance where it is within two standard errors of the limit.
        """
        limit = {"interval": LOW, "test": MOST_REJECTED, "gate": MOST_PASSED}[self.promise]
        beyond = limit - self.share if self.promise == "interval" else self.share - limit
        if beyond > 0 and self.told_broken >= TOLD:
            return "told"
        if beyond > 0:
            return "broken" if beyond > 200 * (0.05 * 0.95 / self.samples) ** 0.5 else "by chance"
        return "wide" if self.promise == "interval" and self.share > HIGH else "kept"


Job = tuple[str, int, int, int]
"""The promise, the place of the population, the place of the size, and how many samples."""


def main() -> None:
    """Measures all cells, prints them by family, and writes them where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("words", nargs="*", help="what families or populations have in them")
    parser.add_argument("--samples", type=int, default=SAMPLES, help=f"default: {SAMPLES}")
    parser.add_argument("--workers", type=int, default=2, help="processes (default: 2)")
    parser.add_argument("--write", type=Path, help="the folder for promises.csv and its figure")
    options = parser.parse_args()
    jobs = [job for job in list_jobs(options.samples) if is_meant(job, options.words)]
    cells: list[Cell] = []
    with ProcessPoolExecutor(options.workers) as pool:
        for found in pool.map(measure, jobs):
            cells += found
            for one in found:
                print(*astuple(one), one.verdict, sep=" | ", file=sys.stderr, flush=True)
    print(format_table(("family", "promise", *VERDICTS, "told where kept"), summarize(cells)))
    if options.write is not None:
        write(cells, options.write)


def list_jobs(samples: int) -> Iterator[Job]:
    """Every population with every size of its samples."""
    for place, case in enumerate(coverage.CASES):
        for size in range(len(case.sizes)):
            yield "interval", place, size, samples
    for place in range(len(null.NULLS)):
        yield "test", place, 0, samples
    for place in range(len(list(gates.list_populations()))):
        for size in range(len(GATED)):
            yield "gate", place, size, samples


def is_meant(job: Job, words: Iterable[str]) -> bool:
    """Whether the family or the name of a population has one of the words."""
    promise, place, _, _ = job
    name = name_population(promise, place)
    told = f"{promise} {find_family(promise, place)} {name}"
    return not words or any(word in told for word in words)


def name_population(promise: str, place: int) -> str:
    """The name of a population."""
    if promise == "interval":
        return coverage.CASES[place].name
    if promise == "test":
        return null.NULLS[place].name
    return list(gates.list_populations())[place][0]


_FAMILIES = {
    "bleu": "texts",
    "wer": "texts",
    "rouge2": "texts",
    "roc_auc": "probabilities",
    "aurc": "probabilities",
    "average_precision": "probabilities",
    "exact_match_ratio": "label sets",
    "pearson": "numbers",
}
"""The family of populations whose first metric is that."""

_NAMED = {"cluster": "clusters", "weight": "weights", "text": "texts", "areas": "probabilities"}
_NAMED |= {"number": "numbers", "ratings": "numbers"}
"""The family of those that have that in their names."""


def find_family(promise: str, place: int) -> str:
    """What kind of data a population is."""
    name = name_population(promise, place)
    if promise == "interval" and coverage.CASES[place].rows != ("",):
        return "groups"
    named = next((family for word, family in _NAMED.items() if word in name), None)
    if named is not None or promise == "gate":
        return named or "labels"
    metrics = (coverage.CASES if promise == "interval" else null.NULLS)[place].metrics  # type: ignore[index]
    return _FAMILIES.get(metrics[0], "labels")


def measure(job: Job) -> list[Cell]:
    """The cells of a population and a size."""
    promise, place, size, samples = job
    names = find_family(promise, place), promise, name_population(promise, place)
    if promise == "interval":
        case = replace(coverage.CASES[place], grouped=False)
        population = case.make(np.random.default_rng(1))
        sizes = case.sizes[size]
        truth, found = coverage.take_samples(case, population, sizes, samples)
        n, drawn = str(np.sum(sizes)), {}
        if case.rows == ("",):
            drawn = _draw_percentiles(case, population, sizes)
        return [
            replace(
                _settle((*names, n, " ".join(key).strip()), *_read(own, truth[key])),
                **_measure_widths(own),
                percentiles=drawn.get(key[0], np.nan),
            )
            for key, own in found.items()
        ]
    if promise == "test":
        tested = null.take_samples(null.NULLS[place], samples)
        columns = ((metric, np.array(own).T) for (metric, _), own in tested.items())
        return [_settle((*names, "", metric), own[0], own[2]) for metric, own in columns]
    passed = _gate(place, GATED[size], samples)
    return [
        _settle((*names, str(GATED[size]), metric), *np.array(own).T)
        for metric, own in passed.items()
    ]


def _read(found: NDArray[np.float64], truth: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether the true value was missed, and whether a note tells, where there is an interval."""
    _, low, high, told = found[~np.isnan(found[:, 1])].T
    return (truth < low) | (truth > high), np.nan_to_num(told) > 0


def _measure_widths(found: NDArray[np.float64]) -> dict[str, float]:
    widths = (found[:, 2] - found[:, 1])[~np.isnan(found[:, 1])]
    if not len(widths):
        return {}
    median, far = np.percentile(widths, [50, 95])
    return {"width": float(f"{median:.4g}"), "reach": round(far / median, 2)}


def _draw_percentiles(
    case: coverage.Case, population: Any, sizes: coverage.Sizes
) -> dict[str, float]:
    """The median width of bootstrap percentiles of each metric."""
    found: dict[str, list[float]] = {}
    for seed in range(DRAWN):
        sample = population.sample(sizes, np.random.default_rng([seed, np.sum(sizes)]))
        counted = tallystick.count(**sample, metrics=case.metrics)
        for metric in counted.metrics:
            tally = counted.tally(metric)
            whole = tally.of(*tally.systems).total()
            scores = [metric.score(one).ravel() for one in whole.resample(RESAMPLES, 1)]
            low, high = np.nanpercentile(np.concatenate(scores), [2.5, 97.5])
            found.setdefault(metric.name, []).append(high - low)
    return {name: float(f"{np.nanmedian(own):.4g}") for name, own in found.items()}


def _gate(place: int, size: int, samples: int) -> dict[str, list[tuple[bool, bool]]]:
    _, trial = list(gates.list_populations())[place]
    found: dict[str, list[tuple[bool, bool]]] = {}
    for seed in range(samples):
        result = trial(np.random.default_rng([seed, size]), size)
        for check in () if result is None else result.checks:
            if not np.isnan(check.value + check.old):
                told = tells(result.notes, check.name)
                found.setdefault(check.name, []).append((check.verdict == "pass", told))
    return found


def _settle(
    names: tuple[str, str, str, str, str], broken: NDArray[np.bool_], told: NDArray[np.bool_]
) -> Cell:
    """The cell of family, promise, population, n and metric."""
    lost = 100 * float(broken.mean()) if len(broken) else np.nan
    share = 100 - lost if names[1] == "interval" else lost
    warned = 100 * float(told[broken > 0].mean()) if (broken > 0).any() else np.nan
    every = 100 * float(told.mean()) if len(told) else np.nan
    shown = (round(one, 1) for one in (share, warned, every))
    return Cell(*names, len(broken), *shown)


VERDICTS = ("kept", "wide", "by chance", "told", "broken")


NAMES = {"by chance": "below by chance", "told": "below, and told", "broken": "below, untold"}
"""What the figure calls the verdicts below the band."""


def summarize(cells: Iterable[Cell]) -> list[list[str]]:
    """A row for each promise and family: how many cells have each verdict, and needless notes."""
    rows = []
    groups: dict[tuple[str, str], list[Cell]] = {}
    for one in cells:
        groups.setdefault((one.promise, one.family), []).append(one)
        groups.setdefault((one.promise, "all"), []).append(one)
    for (promise, family), own in sorted(groups.items()):
        verdicts = [one.verdict for one in own]
        held = [one.told for one in own if one.verdict in ("kept", "wide", "by chance")]
        needless = f"{np.mean(held):.1f}%" if held else "-"
        rows.append([family, promise, *(str(verdicts.count(v)) for v in VERDICTS), needless])
    return rows


def write(cells: list[Cell], folder: Path) -> None:
    """Writes the cells as a table, and the intervals as a figure."""
    with (folder / "promises.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*(field.name for field in fields(Cell)), "verdict"])
        writer.writerows((*astuple(one), one.verdict) for one in cells)
    figure = draw([one for one in cells if one.promise == "interval"])
    (folder / "promises.svg").write_text(draw_svg(figure), encoding="utf-8")


def draw(cells: list[Cell]) -> Spec:
    """A dot for each cell by family, with the band from 93 to 98%."""
    families = sorted({one.family for one in cells})
    stacked: dict[tuple[str, float], int] = {}
    rows = []
    for one in sorted(cells, key=lambda cell: cell.share):
        share = max(one.share, 80.0)
        place = stacked[one.family, share] = stacked.get((one.family, share), -1) + 1
        off = (place + 1) // 2 * (-1 if place % 2 else 1)
        rows.append(
            {
                "family": one.family,
                "share": share,
                "off": float(np.clip(0.025 * off, -0.45, 0.45)),
                "verdict": NAMES.get(one.verdict, "kept, or wide"),
            }
        )
    x = {
        "field": "share",
        "type": "quantitative",
        "title": "Intervals that hold the true value, in % of the samples (80: or fewer)",
        "scale": {"domain": [80, 100], "nice": False},
        "axis": {"values": [80, 85, 90, 93, 95, 98, 100], "grid": False, "domain": False},
    }
    y = {"field": "family", "type": "nominal", "title": None, "scale": {"domain": families}}
    colour = {
        "field": "verdict",
        "type": "nominal",
        "title": None,
        "scale": {
            "domain": ["kept, or wide", *NAMES.values()],
            "range": ["#0072B2", "#999999", "#009E73", "#D55E00"],
        },
        "legend": {"orient": "bottom"},
    }
    band = {
        "data": {"values": [{"from": LOW, "to": HIGH}]},
        "mark": {"type": "rect", "color": "#dddddd", "opacity": 0.6},
        "encoding": {
            "x": {"field": "from", "type": "quantitative", "scale": {"zero": False}},
            "x2": {"field": "to"},
        },
    }
    dots = {
        "mark": {"type": "circle", "size": 14, "opacity": 0.85},
        "encoding": {
            "x": x,
            "y": y,
            "yOffset": {
                "field": "off",
                "type": "quantitative",
                "scale": {"domain": [-0.5, 0.5]},
            },
            "color": colour,
        },
    }
    return frame([band, dots], rows, height=70 + 34 * len(families), wide=True)


if __name__ == "__main__":
    main()
