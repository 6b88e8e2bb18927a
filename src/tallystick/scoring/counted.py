"""Systems counted once for all metrics: what is scored, compared, ranked and gated."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from tallystick.errors import InputError, UsageError
from tallystick.kinds.labels import needs_probabilities
from tallystick.kinds.texts.text_columns import follows_language, of_segments, sign_as_sacrebleu
from tallystick.model.facts import Facts
from tallystick.model.reading import Kind
from tallystick.model.systems import Column, Systems
from tallystick.model.tallies.metric import Metric, compares_groups, find_formula
from tallystick.model.tallies.tally import Counter, Tally
from tallystick.output.results.records import Refusal
from tallystick.output.tables.cells import list_some
from tallystick.version import __version__

if TYPE_CHECKING:
    from tallystick.scoring.corrections.corrected import Corrected
    from tallystick.scoring.per_system_coverage import Apart
    from tallystick.scoring.tally_file import Part


AVERAGES = {"macro": "mean over groups", "micro": "row of all groups together"}
"""The rows of scores that are about several groups."""


class Counted(Struct, frozen=True, eq=False, dict=True):
    """Systems counted once for all metrics: what is scored, compared, ranked and gated.

    Attributes:
        systems: The names of the systems.
        metrics: The metrics, with the task's options written into them.
        counters: What counts for each metric.
        tallies: The tally of each counter; a counter that found nothing to count has none.
        groups: The groups in the order in which they are shown; none where nothing is grouped.
        heading: What the column of groups is called; None without groups.
        facts: What else is known of the examples.
        examples: The systems themselves, block by block, where they came in one piece or were to
            be kept; else nothing.
        usual: Whether the metrics are the usual ones, because nobody named any.
        prevalence: The mix of gold labels that the examples are weighted for, such as `toxic=0.02`.
        parts: The files that were counted, part by part, where it was read from saved tallies.
        title: What is above the scores, such as the task of a log; empty for nothing.
        apart: The counts of systems on the examples that they have an output for, where each is to
            be scored on its own; then there are no tallies here.
        corrected: The examples with human labels too, where the gold, or the numbers that are
            averaged, are a judge's; None where nothing is corrected.
    """

    systems: tuple[str, ...]
    metrics: tuple[Metric, ...]
    counters: Mapping[Metric, Counter]
    tallies: Mapping[Counter, Any]
    groups: tuple[str, ...]
    heading: str | None
    facts: Facts
    examples: tuple[Systems, ...] = ()
    usual: bool = False
    prevalence: str = ""
    parts: "tuple[Part, ...]" = ()
    title: str = ""
    apart: "Apart | None" = None
    corrected: "Corrected | None" = None

    @cached_property
    def _sizes(self) -> dict[Metric, Mapping[str | None, int]]:
        return {}

    def __add__(self, other: "Counted") -> "Counted":
        """Returns the counts of both: what counting all examples at once gives.

        Raises:
            InputError: Both were read from saved tallies, and hold the same files.
            UsageError: They were not counted alike.
        """
        return add_counted([("the first", self), ("the second", other)])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file of counts, such as `part-1.tally`, which commands and `load` read.

        A metric of one's own is found by the name of its class, which must have been defined where
        the file is read.

        Raises:
            InputError: The file cannot be written.
            UsageError: A metric cannot be found by its name, such as one with a function in it.
        """
        from tallystick.scoring.tally_file import save_counted

        save_counted(os.fspath(path), self)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all systems, those that were rejected last."""
        return (*self.systems, *(refusal.system for refusal in self.facts.rejected))

    @property
    def rows(self) -> tuple[str | None, ...]:
        """The rows of scores: the groups, their mean, and their sum; or all examples alone."""
        return (*self.groups, *AVERAGES) if self.groups else (None,)

    def __repr__(self) -> str:
        return f"Counted({self.summary}; for {list_some([one.name for one in self.metrics])})"

    @property
    def summary(self) -> str:
        """How many examples of which systems, groups and labels were counted, on one line."""
        size = self.size(None)
        text = [f"{size:,} example{'s' if size != 1 else ''} of {list_some(self.systems)}"]
        if self.heading is not None:
            text.append(f"by {self.heading}: {list_some(self.groups)}")
        if self.facts.task.kind is not None:
            text.append(
                f"{self.facts.task.kind} with labels {list_some([*map(str, self.facts.labels)])}"
            )
        return "; ".join(text)

    def size(self, row: str | None, metric: Metric | None = None) -> int:
        """How many examples a row of scores is about; with a metric, how many of them it scores."""
        if metric is not None and compares_groups(metric) and row != "macro":
            return 0
        return (self.facts.n if metric is None else self.list_sizes(metric))[
            None if row in AVERAGES else row
        ]

    def list_sizes(self, metric: Metric) -> Mapping[str | None, int]:
        """How many examples of each group, and of all (None), a metric scores."""
        if metric not in self._sizes:
            tally, numeric = self.tally(metric), self.counters[metric].kind.numeric
            sizes: dict[str | None, int] = dict(self.facts.n)
            if tally is not None and numeric and int(tally.n.sum()) != self.facts.n[None]:
                found = dict(zip(map(str, tally.groups), tally.n.tolist(), strict=True))
                sizes = {group: found.get(group, 0) for group in self.groups}
                sizes |= {None: int(tally.n.sum())}
            self._sizes[metric] = sizes
        return self._sizes[metric]

    def count_left_out(self, row: str | None) -> int:
        """How many further examples of a row of scores were left out."""
        return self.facts.left_out.get(None if row in AVERAGES else row, 0)

    def list_tokenizers(self, row: str | None) -> tuple[str, ...]:
        """What languages chose to split the texts of a row of scores with."""
        return self.facts.tokenizers.get(None if row in AVERAGES else row, ())

    def count_invalid(self, system: str, row: str | None) -> int:
        """How many of the outputs that a row of scores is about are no label."""
        return self.facts.invalid.get(system, {}).get(None if row in AVERAGES else row, 0)

    def add_facts(self, *notes: str, rejected: Iterable[Refusal] = ()) -> "Counted":
        """The same with further notes, and systems that were rejected."""
        return replace(self, facts=self.facts.add(*notes, rejected=rejected))

    def tally(self, metric: Metric) -> Any:
        """The tally that a metric reads; None where there was nothing to count."""
        return self.take_together().tallies.get(self.counters[metric])

    def formula(self, metric: Metric) -> tuple[Metric, Tally]:
        """The metric and the tally that a metric of all systems is computed by."""
        return find_formula(metric, self.tally(metric))

    def take_together(self) -> "Counted":
        """The same; raises a UsageError where each system is scored on examples of its own."""
        if self.apart is not None:
            raise UsageError(
                "`missing='exclude'` scores every system on examples of its own, and this needs "
                "examples that all systems have; choose `missing='common'`"
            )
        return self

    def list_formulas(
        self, metrics: Iterable[Metric] | None = None
    ) -> list[tuple[Tally, dict[Metric, Metric]]]:
        """Some of the metrics with their formulas, those of the same tally together."""
        found: dict[int, tuple[Tally, dict[Metric, Metric]]] = {}
        for metric in self.metrics if metrics is None else metrics:
            formula, tally = self.formula(metric)
            found.setdefault(id(tally), (tally, {}))[1][metric] = formula
        return [*found.values()]

    def refuse_correction(self, what: str) -> None:
        """Raises a UsageError where a judge is corrected, with which something does not go."""
        if self.corrected is not None:
            raise UsageError(f"`corrected_by=` cannot be used with {what}")

    def find_tally(self, kind: Kind[Column]) -> Any:
        """The tally of examples of a kind; None where none were counted."""
        return next((one for own, one in self.tallies.items() if own.kind == kind), None)

    def scorable(self, system: str) -> tuple[Metric, ...]:
        """The metrics that a system can be scored with."""
        return tuple(
            metric
            for metric in self.metrics
            if not needs_probabilities(self.counters[metric].kind)
            or self.tally(metric) is None
            or system in self.tally(metric).systems
        )

    def describe(self, metric: Metric, system: str | None = None, row: str | None = None) -> str:
        """What shaped the data of a row of a metric, for signatures; of a system, or of all."""
        tally = self.tally(metric)
        kind = self.counters[metric].kind
        facts = self.facts
        split = self.list_tokenizers(row) if follows_language(metric) else ()
        describe = getattr(self.counters[metric], "describe", None)
        counted = "" if describe is None else describe(tally)
        shape = [*kind.signature(facts, counted, self.references(metric), split)]
        if (digits := getattr(self.counters[metric], "digits", None)) is not None:
            shape.append(f"rounded:{digits}")
        if self.heading is not None:
            shape.append(f"by:{self.heading}")
        if facts.shaped:
            shape.append(facts.shaped)
        if facts.weighted:
            shape.append("weighted:yes")
        if self.prevalence:
            shape.append(f"prevalence:{self.prevalence}")
        thresholds = {
            facts.thresholds.get(name) for name in (self.systems if system is None else (system,))
        }
        threshold = thresholds.pop() if len(thresholds) == 1 else None
        if threshold is not None and kind.labelled:
            shape.append(f"threshold:{threshold:g}")
        return "|".join([*shape, f"version:{__version__}"])

    def sign_as_peer(
        self, metric: Metric, row: str | None, *, segments: bool = False
    ) -> str | None:
        """The signature that sacreBLEU gives a row of scores; None where it has none."""
        own = of_segments(metric) if segments else metric
        return sign_as_sacrebleu(own, self.references(metric), self.list_tokenizers(row))

    def references(self, metric: Metric) -> int | None:
        """How many references each example has; None where that varies."""
        numbers = getattr(self.tally(metric), "references", (1,))
        return min(numbers) if len(numbers) == 1 else None


_SAME: tuple[tuple[str, Callable[[Counted], Any]], ...] = (
    ("the systems", lambda counted: ", ".join(counted.systems)),
    ("the metrics", lambda counted: ", ".join(map(repr, counted.metrics))),
    ("the groups of", lambda counted: counted.heading or "nothing"),
    ("the kind of task", lambda counted: counted.facts.task.kind or "text"),
    ("the positive label", lambda counted: counted.facts.task.positive),
    ("the labels that were named", lambda counted: _list(counted.facts.asked.labels)),
    ("the examples", lambda counted: counted.facts.shaped or "all"),
    ("clusters", lambda counted: "yes" if counted.facts.clustered else "no"),
    ("how tags are read", lambda counted: counted.facts.scheme),
    ("the rounding of probabilities", lambda counted: str(counted.facts.round_scores or "none")),
)
"""What all parts must have in common, with its name in messages."""


def add_counted(parts: Sequence[tuple[str, Counted]]) -> Counted:
    """Returns the sum of parts, each of which has a name for messages."""
    seen: dict[tuple[str, ...], str] = {}
    for name, part in parts:
        part.refuse_correction("adding counts")
        check_new(name, part.parts, seen)
    if any(part.apart for _, part in parts):
        raise UsageError(
            "counts over different examples for each system cannot be added; choose "
            "`missing='common'`"
        )
    parts = _call_alike(parts)
    first_name, first = parts[0]
    for name, part in parts[1:]:
        _check_alike(first_name, first, name, part)
    counted = [part for _, part in parts]
    tallies = {
        counter: found[0].add_up(found)
        for counter in dict.fromkeys(first.counters.values())
        if (found := [part.tallies[counter] for part in counted if counter in part.tallies])
    }
    return replace(
        first,
        tallies=tallies,
        groups=_join_groups(tallies.values(), counted),
        facts=Facts.join([part.facts for part in counted]),
        examples=(),
        parts=tuple(chain.from_iterable(part.parts for part in counted)),
    )


def check_new(name: str, parts: "Iterable[Part]", seen: dict[tuple[str, ...], str]) -> None:
    """Notes the files of parts under a name, and refuses those that have been noted already."""
    for part in parts:
        key = tuple(one.sha256 for one in part.inputs)
        if key and key in seen:
            names = ", ".join(one.name for one in part.inputs)
            raise InputError(
                f"{name} contains examples that {seen[key]} contains too: both counted {names}; "
                "name each part once"
            )
        seen[key] = name


def _call_alike(parts: Sequence[tuple[str, Counted]]) -> list[tuple[str, Counted]]:
    """Gives the only system of each part one name, as it is often called by the file of a part."""
    names = {part.systems for _, part in parts}
    if len(names) == 1 or any(len(systems) > 1 for systems in names):
        return list(parts)
    (name,) = min(names)
    listed = ", ".join(sorted(own for (own,) in names))
    note = f"{listed} are taken for one system, which is called {name}."
    return [(path, _rename(part, name, note)) for path, part in parts]


def _rename(counted: Counted, name: str, note: str) -> Counted:
    (old,) = counted.systems
    return replace(
        counted,
        systems=(name,),
        tallies={counter: own.rename_systems(name) for counter, own in counted.tallies.items()},
        facts=counted.facts.of({old: name}).add(note),
    )


def _check_alike(first_name: str, first: Counted, name: str, part: Counted) -> None:
    for what, tell in _SAME:
        if tell(part) != tell(first):
            raise UsageError(
                f"{name} and {first_name} cannot be added: {what} {_say(tell(part))} and "
                f"{_say(tell(first))}; count all parts with the same options (-m, `labels=`, "
                "`positive=` ...), and give systems the same names with NAME=FILE"
            )


def _say(value: object) -> str:
    return "(none)" if value is None else f"({value})"


def _list(labels: Sequence[object] | None) -> str | None:
    return None if labels is None else ", ".join(map(str, labels))


def _join_groups(tallies: Iterable[Any], parts: Sequence[Counted]) -> tuple[str, ...]:
    """The groups as counting all at once would name them: in the order of labels."""
    if not any(part.groups for part in parts):
        return ()
    tally = next(iter(tallies), None)
    if tally is None:
        return tuple(dict.fromkeys(chain.from_iterable(part.groups for part in parts)))
    return tuple(map(str, tally.groups))
