"""The paired tests of sacreBLEU."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict
from numpy.typing import NDArray

from tallystick.compat.sacrebleu.metrics.base import Metric, Signature, Streams, read_number
from tallystick.errors import UsageError
from tallystick.statistics.sacrebleu_tests import read_seed, replay_bootstrap, replay_randomisation

__all__ = ["PairedTest", "Result"]

_USUAL_SAMPLES = {"ar": 10_000, "bs": 1_000}

Formula = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""Sums of counts as scores."""

Bounds = list[tuple[float | None, float | None]]
"""The mean of each system's resampled scores, and half the width of 95% of them."""


class Result(Struct, frozen=True):
    """What a paired test says of one system; the baseline has no p-value."""

    score: float
    p_value: float | None = None
    mean: float | None = None
    ci: float | None = None

    def __repr__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in asdict(self).items())


class PairedTest:
    """Tests every system against the first one, by every metric.

    The p-values are sacreBLEU's: its random numbers, its statistics, SACREBLEU_SEED included.
    `n_jobs` is taken and not needed: all trials are scored at once.

    Attributes:
        n_samples: How many trials of approximate randomisation, or how many resamples.
        n_ar_confidence: How many resamples the intervals next to `ar` are from; -1 for none.
    """

    def __init__(
        self,
        named_systems: Sequence[tuple[str, Sequence[str]]],
        metrics: Mapping[str, Metric[Any]],
        references: Streams | None,
        test_type: Literal["ar", "bs"] = "ar",
        n_samples: int = 0,
        n_ar_confidence: int = -1,
        n_jobs: int = 1,
    ) -> None:
        del n_jobs
        if test_type not in _USUAL_SAMPLES:
            raise UsageError(f"test_type must be 'ar' or 'bs', not {test_type!r}")
        self.named_systems = named_systems
        self.metrics = metrics
        self.references = references
        self.test_type = test_type
        self.n_samples = n_samples if n_samples > 0 else _USUAL_SAMPLES[test_type]
        self.n_ar_confidence = n_ar_confidence if n_ar_confidence != 0 else _USUAL_SAMPLES["bs"]

    def __call__(self) -> tuple[dict[str, Signature], dict[str, list[Any]]]:
        """The signature of each metric, and the names and the results of the systems by column."""
        signatures: dict[str, Signature] = {}
        columns: dict[str, list[Any]] = {"System": [name for name, _ in self.named_systems]}
        for metric in self.metrics.values():
            rows = np.array(
                [
                    metric._extract_corpus_statistics(hypotheses, self.references)
                    for _, hypotheses in self.named_systems
                ]
            )
            name = metric._aggregate_and_compute(rows[0]).name
            columns[name] = self._test(rows, metric._score_sums)
            signatures[name] = self._sign(metric.get_signature())
        return signatures, columns

    def _test(self, rows: NDArray[np.float64], score: Formula) -> list[Result]:
        generator = np.random.default_rng(read_seed())
        systems = range(len(rows))
        bounds: Bounds = [(None, None)] * len(rows)
        p_value: Callable[[int, int], float]
        if self.test_type == "bs":
            replay = replay_bootstrap(rows, score, self.n_samples, generator)
            p_value, bounds = replay.p_value, [replay.bound(system) for system in systems]
        else:
            p_value = replay_randomisation(rows, score, self.n_samples, generator)
            if self.n_ar_confidence > 0:
                bounds = self._bound(rows, score, generator)
        p_values = [None, *(p_value(0, system) for system in systems[1:])]
        return [
            Result(value, p_value, mean, half)
            for value, p_value, (mean, half) in zip(
                score(rows.sum(1)).tolist(), p_values, bounds, strict=True
            )
        ]

    def _bound(
        self, rows: NDArray[np.float64], score: Formula, generator: np.random.Generator
    ) -> Bounds:
        """The intervals next to `ar`: sacreBLEU draws again for the baseline, else goes on."""
        baseline = replay_bootstrap(rows[:1], score, self.n_ar_confidence, read_number())
        others = replay_bootstrap(rows, score, self.n_ar_confidence, generator)
        return [baseline.bound(0), *(others.bound(system) for system in range(1, len(rows)))]

    def _sign(self, signature: Signature) -> Signature:
        signature.update("seed", str(read_number()).lower())
        signature.update(self.test_type, self.n_samples)
        if self.n_ar_confidence > 0:
            signature.update("bs", self.n_ar_confidence)
        return signature
