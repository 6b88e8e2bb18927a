"""Systems that meet on the same examples: counted jointly once, to be compared, ranked or gated."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from tallystick.comparison.contest import Contest
from tallystick.comparison.joining import choose_all, join_systems
from tallystick.comparison.verdicts import Field
from tallystick.evaluate.scoring import assemble, check_groups, describe
from tallystick.evaluate.system import System
from tallystick.evaluate.tables import list_guesses
from tallystick.intervals.settings import Intervals
from tallystick.metrics.metric import Metric
from tallystick.results import Refusal, Score
from tallystick.results.evaluation import Evaluation

__all__ = ["Meeting", "meet_systems"]


@dataclass(frozen=True, slots=True, eq=False)
class Meeting:
    """Systems on the same examples.

    Attributes:
        contests: The systems, counted jointly for every metric.
        field: Who is compared on what.
        metrics: The metrics, in the order in which they were named.
        evaluate: Scores each system by itself, with intervals where they are asked for.
        notes: What was guessed about the task.
        refused: The systems that were to come, but could not be read.
    """

    contests: tuple[Contest, ...]
    field: Field
    metrics: tuple[Metric, ...]
    evaluate: Callable[[Intervals | None], Evaluation]
    notes: tuple[str, ...] = ()
    refused: tuple[Refusal, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all systems, those that were refused last."""
        return (*self.field.systems, *(refusal.system for refusal in self.refused))

    def score(self, settings: Intervals | None) -> dict[tuple[str | None, str], tuple[Score, ...]]:
        """The scores of all systems, by group and metric, just as `score` has them."""
        found: dict[tuple[str | None, str], tuple[Score, ...]] = {}
        for score in self.evaluate(settings).scores:
            key = score.group, score.metric
            found[key] = (*found.get(key, ()), score)
        return found


def meet_systems(systems: Sequence[System], metrics: Sequence[Metric | str]) -> Meeting:
    """Brings systems together that predict labels, label sets or probabilities.

    Raises:
        InputError: A group has the name of a row that is about several.
        UsageError: A metric does not fit, or the systems do not answer one task.
    """
    chosen = choose_all(metrics, systems)
    first = systems[0]
    lead = (("group", "group"),) if first.groups else ()
    check_groups(first.name, first.groups, lead)
    names = tuple(system.name for system in systems)
    facts = describe(first, lead) + ("|clusters:yes" if first.parts[0].clusters else "")
    field = Field.of(names, len(first.parts[0]), first.parts[0].groups, facts)
    contests = tuple(join_systems(systems, chosen))
    evaluate = partial(assemble, [(system, chosen) for system in systems], lead)
    return Meeting(contests, field, chosen, evaluate, list_guesses(first.asked, first.task))
