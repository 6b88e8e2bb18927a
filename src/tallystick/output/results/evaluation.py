"""The result of scoring: scores that print, can be looked up, and convert to other formats."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, final

from msgspec import field, to_builtins
from msgspec.structs import asdict, replace

from tallystick.errors import UsageError
from tallystick.output.results.evidence import Gather
from tallystick.output.results.records import LARGEST_MATRIX, ConfusionMatrix, Correction, Score
from tallystick.output.results.result import Result
from tallystick.output.results.scores import (
    Lead,
    list_correction_grids,
    list_grids,
    list_paragraphs,
    list_signatures,
    pivot_sheet,
)
from tallystick.output.tables.document import Deferred, Document, LazyGrids, Sections, Style
from tallystick.output.tables.formats import render
from tallystick.output.tables.notes import Hint, list_cautions

if TYPE_CHECKING:
    from tallystick.output.results.curves import LengthScore, ProbabilityCurve, RiskCurve
    from tallystick.output.results.example_tables import Flaky

Found: TypeAlias = Mapping[str, Iterable[Any]]
"""Records by what they are called, perhaps computed on demand."""

_FIELDS = ("name", "metric", "group", "system", "label")


@final
class Evaluation(Result, frozen=True, eq=False):
    """All the scores of one call; prints as a table.

    Attributes:
        scores: The scores, in the order in which they are shown.
        lead: The heading of each leading column with the field of `Score` that fills it.
        confusions: The confusion matrices to show, at most one per system.
        notes: Sentences that the reader must know, such as which scores are undefined.
        found: What `curves`, `lengths`, `risks`, `wins` and `flaky` return, by these names, perhaps
            computed on demand; without metrics of abstention there are no risks, without ratings of
            preferences no wins, and nothing flaky if examples were not tried repeatedly.
        gather: Gathers what a report shows besides.
        title: What stands above the scores; empty for nothing.
        corrections: What each score owes to people and to a judge, where one was corrected.
    """

    _kind: ClassVar[type] = Score
    _field: ClassVar[str] = "scores"
    _bounded: ClassVar[str] = "scores"
    _uncompared: ClassVar[tuple[str, ...]] = ("found", "gather")

    scores: tuple[Score, ...]
    lead: Lead
    confusions: tuple[ConfusionMatrix, ...] = ()
    notes: tuple[str, ...] = ()
    found: Found = field(default_factory=dict)
    gather: Gather | None = None
    title: str = ""
    corrections: tuple[Correction, ...] = ()

    @property
    def curves(self) -> "tuple[ProbabilityCurve, ...]":
        """The counts at each threshold of the probabilities, over all groups."""
        return self._list("curves")

    @property
    def lengths(self) -> "tuple[LengthScore, ...]":
        """The scores of texts by the length of their references."""
        return self._list("lengths")

    @property
    def risks(self) -> "tuple[RiskCurve, ...]":
        """The errors among the examples that each system is surest of, over all groups."""
        return self._list("risks")

    @property
    def wins(self) -> tuple[ConfusionMatrix, ...]:
        """How many games each system (rows) won of each other (columns), with ties as a half."""
        return self._list("wins")

    @property
    def flaky(self) -> "tuple[Flaky, ...]":
        """The examples that were right in some tries and wrong in others."""
        return self._list("flaky")

    def _list(self, name: str) -> tuple[Any, ...]:
        return tuple(self.found.get(name, ()))

    def document(self) -> Document:
        """Returns the overview, the scores per class, the confusion matrices, and the notes."""
        from tallystick.output.results.example_tables import pivot_confusion
        from tallystick.output.results.methods import describe_intervals

        systems = {one.system for one in self.scores} | {one.system for one in self.confusions}
        most = max((len(one.labels) for one in self.confusions), default=0)
        shown = self.confusions if most <= LARGEST_MATRIX else ()
        hidden = Hint(f"the confusion matrix of {most} labels is not shown, see .confusions")
        matrices = (pivot_confusion(one, named=len(systems) > 1) for one in shown)
        found = {"curves": (), "lengths": (), **self.found}
        found |= {"corrections": self.corrections} if self.corrections else {}
        return Document(
            grids=LazyGrids(
                lambda: (
                    *list_grids(self.scores, self.lead),
                    *list_correction_grids(self.corrections),
                    *matrices,
                )
            ),
            heading=self.title
            and " · ".join([self.title, *(systems if len(systems) == 1 else ())]),
            notes=self.notes if shown == self.confusions else (*self.notes, hidden),
            methods="".join(describe_intervals(self.scores)),
            signatures=list_signatures(self.scores),
            sheet=partial(pivot_sheet, self.scores, self.lead),
            parts={
                **({"title": self.title} if self.title else {}),
                "scores": Deferred(self._list_records),
                "confusions": Deferred(partial(map, asdict, self.confusions)),
                **{name: Deferred(partial(map, to_builtins, own)) for name, own in found.items()},
                "notes": self.notes,
                **list_cautions(self.notes),
            },
            paragraphs=Deferred(partial(list_paragraphs, self.scores)),
        )

    def _divide(self, document: Document, style: Style) -> Sections:
        from tallystick.output.results.sections.score_tables import (
            list_boards,
            list_groups,
            tell_scores,
        )

        verdict = tell_scores(self.scores, style)
        return Sections(verdict, list_boards(self.scores), groups=list_groups(self.scores))

    def __getitem__(self, key: object) -> float:
        """Returns one value: `result["f1"]`, `result["f1", "es"]`, `result["f1", "es", "mine"]`.

        The parts of the key are metric, group and system; None stands for any. The metric is its
        short name, its repr, or the metric itself. A score per class is returned only where there
        is no overall one; `select` takes a label.

        Raises:
            UsageError: No score matches, or several do.
        """
        parts = key if isinstance(key, tuple) else (key,)
        if not 1 <= len(parts) <= 3:
            raise UsageError(
                f"The key {key!r} has {len(parts)} parts, expected a metric, a group and a system."
            )
        metric, group, system = (*parts, None, None)[:3]
        matches = self.select(metric=metric, group=group, system=system).scores
        matches = tuple(score for score in matches if score.label is None) or matches
        if len(matches) > 1:
            raise UsageError(_describe_choice(key, matches))
        return matches[0].value

    def select(
        self,
        *,
        metric: object = None,
        group: str | None = None,
        system: str | None = None,
        label: str | None = None,
    ) -> "Evaluation":
        """Keeps the scores that match every option given.

        Confusion matrices and curves are over all groups and labels: they stay only where nothing
        but their system is selected, and so do scores by length.

        Raises:
            UsageError: No score is left.
        """
        name = metric if metric is None or isinstance(metric, str) else repr(metric)
        kept = self.scores
        chosen = {"metric": name, "group": group, "system": system, "label": label}
        for field_name, value in chosen.items():
            kept = _keep(kept, field_name, value)
        keys = {(one.system, one.group, one.metric) for one in kept}
        corrections = tuple(
            one for one in self.corrections if (one.system, one.group, one.metric) in keys
        )
        if any(one is not None for one in (metric, group, label)):
            found = {"flaky": ()} if "flaky" in self.found else {}
            return replace(self, scores=kept, corrections=corrections, confusions=(), found=found)

        def is_kept(one: ConfusionMatrix) -> bool:
            return system in {None, one.system}

        return replace(
            self,
            scores=kept,
            corrections=corrections,
            confusions=tuple(filter(is_kept, self.confusions)),
            found={
                name: own if name == "wins" else Deferred(partial(filter, is_kept, own))
                for name, own in self.found.items()
            },
        )

    def to_dict(self) -> dict[str, float]:
        """Returns one flat dictionary, such as experiment trackers take.

        Each defined score stands under a name such as `f1`, `es/f1` by group, or `bert/es/f1` of
        several systems, with `f1/low`, `f1/high` and `f1/n` beside it.

        Raises:
            UsageError: Two scores have the same name.
        """
        from tallystick.output.results.tracking import flatten

        return flatten(self.scores)

    def to_model_index(
        self, *, task: str, dataset: str, config: str | None = None, split: str | None = None
    ) -> str:
        """Returns the scores of one system as YAML for a model card of Hugging Face.

        Args:
            task: The type of the task there, such as `text-classification`.
            dataset: The id of the data set.
            config: Which of its subsets was scored.
            split: Which of its splits.

        Raises:
            UsageError: There are several systems.
        """
        from tallystick.output.results.tracking import write_model_index

        known = {"type": dataset, "name": dataset, "config": config, "split": split}
        told = {key: value for key, value in known.items() if value is not None}
        return write_model_index(self.scores, task=task, dataset=told)

    def to_eval_result(self, *, dataset: str, task: str = "default") -> str:
        """Returns one score as YAML for the folder `.eval_results` of a model on Hugging Face.

        Args:
            dataset: The id of the benchmark's data set.
            task: Which of its tasks.

        Raises:
            UsageError: There are several systems, or several metrics; `select` chooses one.
        """
        from tallystick.output.results.tracking import write_eval_result

        return write_eval_result(self.scores, dataset, task)

    def to_lines(self) -> str:
        """Returns one line per score and per class, such as `Macro F1-Score: 0.5667`."""
        return render(self.document(), "lines")


def _keep(scores: tuple[Score, ...], field: str, value: str | None) -> tuple[Score, ...]:
    if value is None:
        return scores
    fields = ("name", "metric") if field == "metric" else (field,)
    kept = tuple(score for score in scores if value in [getattr(score, name) for name in fields])
    if not kept:
        known = [found for name in fields for found in _list_values(scores, name)]
        raise UsageError(_describe_missing(field, value, known))
    return kept


def _describe_missing(field: str, value: str, known: Sequence[str]) -> str:
    if not known:
        return f"No score has the {field} {value!r}, because none has a {field}."
    (nearest,) = get_close_matches(str(value), known, n=1, cutoff=0)
    return f"No score has the {field} {value!r}, did you mean {nearest!r}?"


def _describe_choice(key: object, matches: Sequence[Score]) -> str:
    choices = {
        f"{field}s": names for field in _FIELDS if len(names := _list_values(matches, field)) > 1
    }
    told = (f"one of the {word} {', '.join(map(repr, names))}" for word, names in choices.items())
    options = " and ".join(told)
    return f"{len(matches)} scores match the key {key!r}, select {options}."


def _list_values(scores: Sequence[Score], field: str) -> list[str]:
    values = dict.fromkeys(getattr(score, field) for score in scores)
    return [value for value in values if value is not None]
