"""Data that is laid out once, and asked one question after the other."""

import os
from collections.abc import Sequence
from typing import Unpack

from msgspec import Struct

from tallystick.comparison.compare import compare
from tallystick.comparison.gates.checks import Limit, collect_limits
from tallystick.comparison.gates.gate import gate
from tallystick.comparison.plan import plan
from tallystick.comparison.ranking.leaderboard import PerTeam
from tallystick.comparison.ranking.rank import rank
from tallystick.errors import (
    TallystickError,
    UsageError,
    short_traceback,
    shorten_tracebacks,
)
from tallystick.kinds.metrics.names import Metrics
from tallystick.output.results.comparison import Comparison
from tallystick.output.results.evaluation import Evaluation
from tallystick.output.results.gate import Gate
from tallystick.output.results.other_results import Plan
from tallystick.output.results.ranking import Overall, Ranking
from tallystick.output.results.records import Missing
from tallystick.reading.input_plan import Layout, Source, check_keywords
from tallystick.scoring.counted import Counted
from tallystick.scoring.counting import count_input
from tallystick.scoring.prevalence import Prevalence
from tallystick.scoring.score import score
from tallystick.statistics.settings import Intervals, Testing


@short_traceback
def read(gold: object = None, /, outputs: object = None, **layout: Unpack[Layout]) -> "Data":
    """Describes gold and the outputs of systems once, for any number of questions.

    Args:
        gold: A table with named columns (pandas, polars, Arrow), or a column of gold; `score` says
            what columns may hold. Or what has been counted.
        outputs: The outputs of one system, or of several by name; None where the table contains
            them.
        layout: What else is to be known, such as `gold`, `id` and `predicted` (columns by name),
            `by` (groups), `clusters`, `weights`, `systems` (columns of outputs), `system_column`
            (rows of outputs), `task`, `labels`, `positive`; `tallystick.reading.input_plan.Layout`
            tells each.

    Raises:
        TypeError: There is no such keyword.
        UsageError: What was named is no column.
    """
    check_keywords(layout)
    return Data(Source.of(gold, outputs), layout)


class Data(Struct, frozen=True, eq=False):
    """Gold and the outputs of systems; each question counts what its metrics need.

    What was read for one question is not read again for another that needs the same columns.

    Attributes:
        source: Gold and outputs.
        layout: How they are laid out.
    """

    source: Source
    layout: Layout

    def count(self, metrics: Metrics = None) -> Counted:
        """The counts that metrics read; `tallystick.count` says more."""
        return count_input(self.source, self.layout, metrics)

    def save(self, path: str | os.PathLike[str], metrics: Metrics = None) -> None:
        """Writes the counts that metrics read, and no example, to a file that `load` reads."""
        self.count(metrics).save(os.fspath(path))

    def score(
        self,
        metrics: Metrics = None,
        *,
        prevalence: Prevalence | None = None,
        intervals: Intervals | bool = True,
        segments: bool = False,
    ) -> Evaluation:
        """Scores every system; `tallystick.score` says more."""
        counted = self.count(metrics)
        return score(
            counted,
            metrics=metrics,
            prevalence=prevalence,
            intervals=intervals,
            segments=segments,
        )

    def compare(
        self,
        metrics: Metrics = None,
        *,
        testing: Testing | None = None,
        baseline: str | None = None,
        all_pairs: bool = False,
        equivalent_within: float | None = None,
        details: bool = False,
    ) -> Comparison:
        """Compares systems with a baseline, or every two; `tallystick.compare` says more."""
        return compare(
            self.count(metrics),
            testing=testing,
            baseline=baseline,
            all_pairs=all_pairs,
            equivalent_within=equivalent_within,
            details=details,
        )

    def rank(
        self,
        metrics: Metrics = None,
        *,
        baselines: Sequence[str] = (),
        testing: Testing | None = None,
        per_team: PerTeam = "all",
        overall: Overall | None = None,
        missing_tracks: Missing = "exclude",
        previous: Ranking | str | None = None,
        details: bool = False,
    ) -> Ranking:
        """Ranks the systems by the first metric; `tallystick.rank` says more."""
        return rank(
            count_input(self.source, self.layout, metrics, tolerant=True),
            baselines=baselines,
            testing=testing,
            per_team=per_team,
            overall=overall,
            missing_tracks=missing_tracks,
            previous=previous,
            details=details,
        )

    def gate(
        self,
        metrics: Metrics = None,
        *,
        new: str | None = None,
        against: str | None = None,
        max_drop: Limit = None,
        floor: Limit = None,
        equivalent_within: Limit = None,
        testing: Testing | None = None,
        sequential: bool = False,
        allow_inconclusive: bool = False,
    ) -> Gate:
        """Checks that a system is no worse than another; `tallystick.gate` says more.

        Args:
            metrics: What to check; None takes the metrics that limits name.
            new: The system that is put to the test; None takes the only one besides `against`.
            against: The system that it is compared with; None where there is only a floor.
            max_drop: As in `tallystick.gate`.
            floor: As in `tallystick.gate`.
            equivalent_within: As in `tallystick.gate`.
            testing: As in `tallystick.gate`.
            sequential: As in `tallystick.gate`.
            allow_inconclusive: As in `tallystick.gate`.

        Raises:
            UsageError: There is no such system, or none is named where there are several.
        """
        limits = collect_limits(
            {"max_drop": max_drop, "floor": floor, "equivalent_within": equivalent_within}
        )
        named = limits.metrics if metrics is None and limits.metrics else metrics
        counted = self.count(named)
        return gate(
            counted,
            _find_new(counted, against) if new is None else new,
            against,
            max_drop=max_drop,
            floor=floor,
            equivalent_within=equivalent_within,
            testing=testing,
            sequential=sequential,
            allow_inconclusive=allow_inconclusive,
        )

    def plan(
        self, metrics: Metrics = None, *, sizes: Sequence[int] = (), testing: Testing | None = None
    ) -> Plan:
        """Plans a comparison with more or fewer examples; `tallystick.plan` says more."""
        return plan(self.count(metrics), sizes=sizes, testing=testing)

    def __repr__(self) -> str:
        try:
            counted = self.count()
        except TallystickError as error:
            return f"Data that cannot be read without naming metrics: {error}"
        return f"Data({counted.summary})"


shorten_tracebacks(Data)


def _find_new(counted: Counted, against: str | None) -> str:
    """The only system besides the one that others are compared with."""
    others = [name for name in counted.systems if name != against]
    if against is not None and len(others) == len(counted.systems):
        raise UsageError(f"there is no system {against!r}, only {', '.join(counted.systems)}")
    if len(others) != 1:
        raise UsageError(f"name the system to test with `new=`: {', '.join(others)}")
    return others[0]
