"""The result of scoring: scores that print, can be looked up, and convert to other formats."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import defstruct, field, to_builtins
from msgspec.structs import asdict, fields, replace

from tallystick.errors import Hint, UsageError, list_notes
from tallystick.output.results.records import (
    LARGEST_MATRIX,
    ConfusionMatrix,
    Correction,
    Gather,
    LengthScore,
    ProbabilityCurve,
    RiskCurve,
    Score,
)
from tallystick.output.results.result import Result
from tallystick.output.results.scores import (
    Flaky,
    Lead,
    describe_intervals,
    list_correction_grids,
    list_grids,
    list_signatures,
    name_metrics,
    pivot_confusion,
    pivot_sheet,
    write_lines,
)
from tallystick.output.tables.document import Deferred, Document, Grid, LazyGrids, Sections, Style
from tallystick.output.tables.formats import render

if TYPE_CHECKING:
    pass

_REJECTED = re.compile(r"[^\w./ -]+")
"""What MLflow takes in no name of a metric."""


Found: TypeAlias = Mapping[str, Iterable[Any]]
"""Records by what they are called, perhaps computed on demand."""

_FIELDS = ("name", "metric", "group", "system", "label")


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
        title: What is above the scores; empty for nothing.
        corrections: What each score owes to people and to a judge, where one was corrected.
        asked: The metrics, by their repr, that the caller asked for by other names.
    """

    _kind = Score
    _field = "scores"
    _bounded = "scores"
    _uncompared = ("found", "gather", "asked")

    scores: tuple[Score, ...]
    lead: Lead
    confusions: tuple[ConfusionMatrix, ...] = ()
    notes: tuple[str, ...] = ()
    found: Found = field(default_factory=dict)
    gather: Gather | None = None
    title: str = ""
    corrections: tuple[Correction, ...] = ()
    asked: dict[str, str] = field(default_factory=dict)

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
            heading=" · ".join([self.title, *(systems if len(systems) == 1 else ())])
            if self.title
            else "",
            notes=self.notes if shown == self.confusions else (*self.notes, hidden),
            methods="".join(describe_intervals(self.scores)),
            signatures=list_signatures(self.scores),
            sheet=partial(pivot_sheet, self.scores, self.lead),
            content={
                **({"title": self.title} if self.title else {}),
                "scores": Deferred(self._list_records),
                "confusions": Deferred(partial(map, asdict, self.confusions)),
                **{name: Deferred(partial(map, to_builtins, own)) for name, own in found.items()},
                **list_notes(self.notes),
            },
            write_lines=partial(write_lines, self.scores),
        )

    def _divide(self, document: Document, style: Style) -> Sections:
        from tallystick.output.results.sections import list_boards, list_groups, tell_scores

        verdict = tell_scores(self.scores, style)
        return Sections(verdict, list_boards(self.scores), groups=list_groups(self.scores))

    def __getitem__(self, key: object) -> float:
        """Returns one value: `result["f1"]`, `result["f1", "es"]`, `result["f1", "es", "mine"]`.

        The parts of the key are metric, group and system; None means any. The metric is its
        short name, its repr, the name it was asked for by, or the metric itself. A score per
        class is returned only where there is no overall one; `select` takes a label.

        Raises:
            UsageError: No score matches, or several do.
        """
        parts = key if isinstance(key, tuple) else (key,)
        if not 1 <= len(parts) <= 3:
            raise UsageError(
                f"The key {key!r} has {len(parts)} parts, expected a metric, a group and a system."
            )
        metric, group, system = (*parts, None, None)[:3]
        systems, groups = (_list_values(self.scores, field) for field in ("system", "group"))
        if len(parts) == 2 and group in systems and group not in groups:
            group, system = None, group
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
        if name in self.asked and not any(name in (one.name, one.metric) for one in kept):
            name = self.asked[name]
        chosen = {"metric": name, "group": group, "system": system, "label": label}
        for heading, value in chosen.items():
            kept = _keep(kept, heading, value)
        keys = {(one.system, one.group, one.metric) for one in kept}
        corrections = tuple(
            one for one in self.corrections if (one.system, one.group, one.metric) in keys
        )
        found: Found = {"flaky": ()} if "flaky" in self.found else {}
        confusions: tuple[ConfusionMatrix, ...] = ()
        if metric is group is label is None:

            def is_kept(one: ConfusionMatrix) -> bool:
                return system in {None, one.system}

            confusions = tuple(filter(is_kept, self.confusions))
            found = {
                name: own if name == "wins" else Deferred(partial(filter, is_kept, own))
                for name, own in self.found.items()
            }
        return replace(
            self, scores=kept, corrections=corrections, confusions=confusions, found=found
        )

    def to_dict(self) -> dict[str, float]:
        """Returns one flat dictionary, such as experiment trackers take.

        Each defined score has a name such as `f1`, `es/f1` by group, or `bert/es/f1` of several
        systems, with `f1/low`, `f1/high` and `f1/n` next to it. Other characters than letters,
        digits, underscores, dashes, periods, spaces and slashes become underscores.

        Raises:
            UsageError: Two scores have the same name.
        """
        names = name_metrics(self.scores)
        several = len({one.system for one in self.scores}) > 1
        found: dict[str, float] = {}
        for one in self.scores:
            parts = (one.system if several else None, one.group, names[one.metric], one.label)
            plain = (
                _REJECTED.sub("_", part).replace("/", "_") for part in parts if part is not None
            )
            name = "/".join(part.strip("_") or "_" for part in plain)
            if name in found:
                raise UsageError(f"two scores are called {name!r}; select one metric or system")
            ends = {"low": one.low, "high": one.high, "n": one.n}
            found |= {name: one.value} | {f"{name}/{key}": end for key, end in ends.items()}
        return {name: value for name, value in found.items() if math.isfinite(value)}

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
        system = self._find_system()
        known = {"type": dataset, "name": dataset, "config": config, "split": split}
        message = {key: value for key, value in known.items() if value is not None}
        metrics = []
        for one in self.scores:
            if not math.isfinite(one.value):
                continue
            place = ", ".join(part for part in (one.group, one.label) if part is not None)
            args = {"n": one.n, "low": one.low, "high": one.high, "confidence": one.confidence}
            args = {key: own for key, own in args.items() if own is not None and math.isfinite(own)}
            title = f"{one.title} ({place})" if place else one.title
            metrics.append({"type": one.name, "value": one.value, "name": title, "args": args})
        result = {"task": {"type": task}, "dataset": message, "metrics": metrics}
        return _write_yaml({"model-index": [{"name": system, "results": [result]}]})

    def to_eval_result(self, *, dataset: str, task: str = "default") -> str:
        """Returns one score as YAML for the folder `.eval_results` of a model on Hugging Face.

        Args:
            dataset: The id of the benchmark's data set.
            task: Which of its tasks.

        Raises:
            UsageError: There are several systems, or several metrics; `select` chooses one.
        """
        self._find_system()
        whole = [one for one in self.scores if one.group in (None, "micro") and one.label is None]
        if len(whole) != 1 or not math.isfinite(whole[0].value):
            names = ", ".join(one.name for one in whole) or "none"
            raise UsageError(
                f"an evaluation result contains one score over all examples, not {names}"
            )
        (one,) = whole
        interval = ""
        if one.confidence is not None:
            interval = f", {100 * one.confidence:g}% interval [{one.low:.4g}, {one.high:.4g}]"
        message = f"{one.name}, n = {one.n}{interval}; {one.signature}"
        entry = {"dataset": {"id": dataset, "task_id": task}, "value": one.value, "notes": message}
        return _write_yaml([entry])

    def _find_system(self) -> str:
        systems = dict.fromkeys(one.system for one in self.scores)
        if len(systems) != 1:
            raise UsageError(
                f"a model card is about one system, not {', '.join(systems) or 'none'}"
            )
        return next(iter(systems))

    def to_lines(self) -> str:
        """Returns one line per score and per class, such as `Macro F1-Score: 0.5667`."""
        return render(self.document(), "lines")


def _write_yaml(content: object) -> str:
    import yaml

    text: str = yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
    return text


def _keep(scores: tuple[Score, ...], field: str, value: str | None) -> tuple[Score, ...]:
    if value is None:
        return scores
    fields = ("name", "metric") if field == "metric" else (field,)
    kept = tuple(score for score in scores if value in [getattr(score, name) for name in fields])
    if kept:
        return kept
    known = [one for name in fields for one in _list_values(scores, name)]
    if not known:
        raise UsageError(f"No score has the {field} {value!r}, because none has a {field}.")
    near = get_close_matches(str(value), known, n=1, cutoff=0.5)
    hint = (
        f"did you mean {near[0]!r}?"
        if near
        else f"only {', '.join(map(repr, _list_values(scores, fields[0])[:9]))}."
    )
    raise UsageError(f"No score has the {field} {value!r}, {hint}")


def _describe_choice(key: object, matches: Sequence[Score]) -> str:
    choices = {
        f"{field}s": names for field in _FIELDS if len(names := _list_values(matches, field)) > 1
    }
    known = " and ".join(
        f"one of the {word} {', '.join(map(repr, names))}" for word, names in choices.items()
    )
    one = matches[0]
    metric = one.metric if "metrics" in choices else one.name
    written = ", ".join(map(repr, (metric, one.group, one.system)))
    if "labels" in choices:
        written = f"such as .select(metric={metric!r}, label={one.label!r})"
    else:
        written = f"such as result[{written}]"
    return f"{len(matches)} scores match the key {key!r}; choose {known}, {written}."


def _list_values(scores: Sequence[Score], field: str) -> list[str]:
    values = dict.fromkeys(getattr(score, field) for score in scores)
    return [value for value in values if value is not None]


_TrackScore = defstruct(
    "_TrackScore", [("track", str), *((one.name, one.type) for one in fields(Score))]
)
"""A score with the name of its track before it."""


class Scored(Result, frozen=True, eq=False):
    """The scores of submissions to a shared task; prints as a table for each track.

    Tracks without a submission are left out.
    """

    _kind = _TrackScore

    tracks: dict[str, Evaluation]
    notes: tuple[str, ...] = ()

    @property
    def _records(self) -> tuple[Score, ...]:
        return tuple(chain.from_iterable(one.scores for one in self.tracks.values()))

    def _title(self, track: str) -> str:
        """What is above a table: the track, and its system where others have more than one."""
        own, every = (
            {one.system for one in some} for some in (self.tracks[track].scores, self._records)
        )
        return f"{track}, {min(own)} alone" if len(own) < 2 <= len(every) else track

    def to_records(self) -> list[dict[str, object]]:
        """Returns one dictionary per score, with its track and the fields of `Score` as keys."""
        return [
            {"track": name} | record
            for name, one in self.tracks.items()
            for record in one.to_records()
        ]

    def document(self) -> Document:
        """Returns the tables of all tracks, with the name of the track above each."""
        bare = {name: replace(one, confusions=()) for name, one in self.tracks.items()}
        documents = {name: one.document() for name, one in bare.items()}
        return Document(
            grids=tuple(
                replace(grid, caption=": ".join(filter(None, (self._title(name), grid.caption))))
                for name, one in documents.items()
                for grid in one.grids
            ),
            notes=self.notes,
            methods="".join(describe_intervals(self._records)),
            signatures=list_signatures(self._records),
            sheet=partial(_join_sheets, documents),
            content={"scores": Deferred(self.to_records), "notes": self.notes},
        )


def _join_sheets(documents: Mapping[str, Document]) -> Grid | None:
    sheets = {name: one.sheet() for name, one in documents.items() if one.sheet}
    own = {name: sheet for name, sheet in sheets.items() if sheet is not None}
    if not own:
        return None
    leads = dict.fromkeys(head for one in own.values() for head in one.headings[: one.leads])
    rest = dict.fromkeys(head for one in own.values() for head in one.headings[one.leads :])
    headings = (*leads, *rest)
    rows = []
    for name, sheet in own.items():
        for row in sheet.rows:
            cells = dict(zip(sheet.headings, row, strict=True))
            rows.append((name, *(cells.get(heading) for heading in headings)))
    return Grid("overview", "", ("track", *headings), 1 + len(leads), (tuple(rows),))
