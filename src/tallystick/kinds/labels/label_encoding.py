"""Maps gold and every system's outputs to one set of labels, and determines the task."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from tallystick.errors import InputError, UsageError
from tallystick.kinds.labels.label_columns import LabelColumn, LabelRows, Output, from_matrix
from tallystick.model.codes import (
    INVALID,
    Label,
    Labels,
    Locate,
    list_labels,
    order,
    place_names,
    unify,
)
from tallystick.model.facts import Task
from tallystick.model.number_values import check_finite, find_misfit
from tallystick.model.type_inference import Seen

USUAL_THRESHOLD = 0.5
"""From this probability on the positive label is predicted, unless a threshold is given."""


class Answer(Struct, frozen=True, eq=False):
    """What was read of one system from the columns `taken`; no labels follow from probabilities.

    Probabilities, of shape (examples,) or (examples, labels), have columns for the labels in
    `columns`, or for those of the task; `misfit` is why they are scores of another scale. `seen` is
    what the values of the column `guessed` show.
    """

    labels: Labels | LabelRows | None
    probabilities: NDArray[Any] | None
    locate: Locate
    threshold: float | None = None
    misfit: str | None = None
    columns: tuple[Label, ...] | None = None
    invalid: NDArray[np.bool_] | None = None
    confidence: NDArray[np.float64] | None = None
    taken: tuple[str, ...] = ()
    seen: Seen = field(default_factory=Seen)
    guessed: str | None = None


def align(
    gold: Labels | LabelRows, answers: Mapping[str, Answer], task: Task, locate: Locate
) -> tuple[LabelColumn, Task]:
    """Puts gold and answers over one set of labels, and settles what the task is."""
    several = isinstance(gold, LabelRows)
    answers = {name: _find_scale(own, several=several) for name, own in answers.items()}
    for answer in answers.values():
        sides = (("predictions", answer.labels), ("probabilities", answer.probabilities))
        for what, column in sides:
            if column is not None and len(column) != len(gold):
                raise InputError(f"there are {len(gold)} gold examples but {len(column)} {what}")
        if len(gold) == 0:
            raise InputError("there are no examples to score")
    if isinstance(gold, LabelRows) or any(
        isinstance(own.labels, LabelRows) for own in answers.values()
    ):
        return _align_sets(gold, list(answers.values()), task)
    answers, named = _take_columns(gold, answers, task)
    settled = _settle(gold, answers, named, locate)
    names = settled.labels or ()
    decided = {name: _decide(name, own, settled) for name, own in answers.items()}
    gold, *columns = unify(gold, *(own.labels for own in decided.values()), names=names)  # type: ignore[arg-type]
    outputs = tuple(
        replace(
            own, labels=column, confidence=answers[name].confidence, misfit=answers[name].misfit
        )
        for (name, own), column in zip(decided.items(), columns, strict=True)
    )
    thresholds = {own.threshold for own in outputs}
    common = thresholds.pop() if len(thresholds) == 1 else None
    return LabelColumn(gold, outputs), replace(settled, threshold=common)


def _find_scale(answer: Answer, *, several: bool) -> Answer:
    """Checks scores; two of another scale than probabilities become what parts them."""
    scores = answer.probabilities
    if scores is None:
        return answer
    check_finite(scores, answer.locate)
    misfit = find_misfit(scores, answer.locate, whole=not several)
    answer = replace(answer, misfit=misfit)
    if misfit is None or several or scores.shape[1:] != (2,):
        return answer
    threshold = 0.0 if answer.threshold is None else answer.threshold
    return replace(answer, probabilities=scores - scores[:, ::-1], threshold=threshold)


def _align_sets(
    gold: Labels | LabelRows, answers: Sequence[Answer], task: Task
) -> tuple[LabelColumn, Task]:
    rows = [_cut_sets(gold, own, task) for own in answers]
    columns = [own for own in rows if isinstance(own, LabelRows)]
    if not isinstance(gold, LabelRows) or len(columns) < len(answers):
        raise InputError("one side has label sets and the other single labels")
    if task.kind not in (None, "multilabel"):
        raise UsageError(f"these examples have label sets, which do not fit a {task.kind} task")
    _check_types([gold.names, *(own.names for own in columns)])
    others = {name for own in columns for name in own.names} - set(gold.names)
    names = (*gold.names, *order(others))
    outputs = tuple(
        Output(
            column.recode(names),
            own.probabilities,
            own.invalid,
            None if column is own.labels else _choose_threshold(own, task),
            misfit=own.misfit,
        )
        for column, own in zip(columns, answers, strict=True)
    )
    return LabelColumn(gold, outputs), replace(task, kind="multilabel", labels=gold.names)


def _cut_sets(gold: Labels | LabelRows, own: Answer, task: Task) -> Labels | LabelRows | None:
    """The predicted sets: those that were given, or the labels whose scores reach a threshold."""
    scores = own.probabilities
    if scores is None or not isinstance(gold, LabelRows):
        return own.labels
    if scores.shape[1:] != (len(gold.names),):
        raise InputError(
            f"{own.locate(0)}: there are scores of {scores.shape[-1]} labels, and the labels are "
            f"{list_labels(gold.names)}"
        )
    if isinstance(own.labels, LabelRows) and task.threshold is None:
        return own.labels
    return from_matrix(scores >= _choose_threshold(own, task), gold.names, own.locate)


def _choose_threshold(own: Answer, task: Task) -> float:
    given = own.threshold if task.threshold is None else task.threshold
    return USUAL_THRESHOLD if given is None else given


def _check_types(several: Sequence[Sequence[Label]]) -> None:
    if len({isinstance(name, str) for names in several for name in names}) > 1:
        raise InputError(
            "mixed types: gold and predicted labels are text on one side, numbers on the other"
        )


def _take_columns(
    gold: Labels, answers: Mapping[str, Answer], task: Task
) -> tuple[Mapping[str, Answer], Task]:
    """Settles the labels of probabilities: those of the task, or as the columns name them.

    Two unnamed columns are those of a task with two labels, or of the two labels of the gold in
    their order, as scikit-learn has them. Where a positive label is asked for, only its column is
    kept.
    """
    pair = task.labels if len(task.labels or ()) == 2 else None
    unnamed = [
        name
        for name, own in answers.items()
        if own.columns is None and getattr(own.probabilities, "shape", ())[1:] == (2,)
    ]
    if unnamed and task.labels is None and task.kind != "multiclass" and len(gold.names) == 2:
        pair, task = tuple(sorted(gold.names, key=str)), replace(task, kind="binary")
    answers = {
        name: replace(own, columns=pair) if name in unnamed else own
        for name, own in answers.items()
    }
    named = {name: own.columns for name, own in answers.items() if own.columns is not None}
    if not named:
        return answers, task
    first, columns = next(iter(named.items()))
    labels = task.labels or columns
    for name, columns in named.items():
        if task.labels is not None:
            _check_columns(name, columns, labels)
        if set(columns) != set(labels):
            raise InputError(
                f"{name} has probabilities of the labels {', '.join(map(str, columns))}, but "
                f"{first} has those of {', '.join(map(str, labels))}"
            )
    wanted = frozenset(labels)
    strangers = [name for name in gold.names if name not in wanted]
    if strangers:
        raise InputError(
            f"{first} has probabilities of the labels {list_labels(labels)} only, and the gold "
            f"contains {len(strangers)} other label{'' if len(strangers) == 1 else 's'}; each "
            "label needs a column of its own"
        )
    if task.kind != "binary" and task.positive is None:
        return answers, replace(task, kind="multiclass", labels=labels)
    task = task.settle(labels, scores=True)
    for name, own in answers.items():
        scores = own.probabilities
        if own.columns is not None and scores is not None and task.positive is not None:
            scores = scores[:, own.columns.index(task.positive)]
        answers[name] = replace(own, probabilities=scores, columns=None)
    return answers, task


def _settle(gold: Labels, answers: Mapping[str, Answer], task: Task, locate: Locate) -> Task:
    if task.kind == "multilabel":
        raise InputError(
            "a multilabel task needs label sets: 0/1 columns, lists, or delimited cells"
        )
    columns = [(gold, locate)]
    columns += [
        (own.labels, own.locate) for own in answers.values() if isinstance(own.labels, Labels)
    ]
    _check_types([column.names for column, _ in columns])
    task = _check_labels(columns, task)
    seen = [name for column, _ in columns for name in column.names]
    single = [
        own
        for own in answers.values()
        if own.probabilities is not None and own.probabilities.ndim == 1
    ]
    if single and len(gold.names) > 2 and task.kind is None:
        raise InputError(
            f"{single[0].locate(0)}: one probability for each example is for binary tasks, and the "
            f"gold has {len(gold.names)} labels; give a column of probabilities for each label"
        )
    settled = task.settle(seen, scores=bool(single))
    labels = settled.labels or ()
    for shape in (
        own.probabilities.shape for own in answers.values() if own.probabilities is not None
    ):
        if len(shape) == 1 and settled.kind != "binary":
            raise InputError("one probability per example is for binary tasks; give one per label")
        if len(shape) == 2 and (settled.kind != "multiclass" or shape[1] != len(labels)):
            raise InputError(
                f"there are {shape[1]} probabilities per example but the {settled.kind} task has "
                f"the labels {', '.join(map(str, labels))}; name all labels in the order of the "
                "columns"
            )
    return settled


def _check_labels(columns: Sequence[tuple[Labels, Locate]], task: Task) -> Task:
    """Checks the labels that occur against the task, which gets the label of invalid outputs."""
    known = task.labels
    usual = frozenset((*(known or ()), INVALID))
    for column, where in columns if known is not None else ():
        odd = next((name for name in column.names if name not in usual), None)
        if odd is not None:
            listed = list_labels(known or ())
            raise InputError(f"{where(column.first(odd))}: label {odd!r} is not one of {listed}")
    if any(INVALID in column.names for column, _ in columns):
        if task.kind == "binary" or task.positive is not None:
            raise UsageError(
                "`invalid='class'` would add a third class to a binary task; `invalid='wrong'` "
                "counts outputs that are no label as wrong"
            )
        task = task if known is None else replace(task, labels=(*known, INVALID))
    seen = order({name for column, _ in columns for name in column.names})
    if task.kind == "binary" and len(seen) > 2:
        golden = columns[0][0].names
        odd = golden[2] if len(golden) > 2 else [name for name in seen if name not in golden][-1]
        at = next(where(column.first(odd)) for column, where in columns if odd in column.names)
        raise InputError(
            f"{at}: a binary task has two labels, but these occur: {list_labels(seen)}"
        )
    return task


def _decide(name: str, own: Answer, task: Task) -> Output:
    """The predicted labels: those that were given, or those that probabilities represent."""
    scores, names = own.probabilities, task.labels or ()
    if scores is not None and own.columns is not None and own.columns != names:
        scores = scores[:, place_names(names, own.columns)]
    overruled = task.threshold is not None and scores is not None
    if isinstance(own.labels, Labels) and not overruled:
        if task.threshold is not None:
            raise UsageError(
                f"a threshold such as {task.threshold:g} needs probabilities, but only predicted "
                "labels were given"
            )
        return Output(own.labels, scores, own.invalid)
    if scores is None:
        raise InputError(f"{name}: there are neither predicted labels nor probabilities")
    if scores.ndim == 1:
        threshold = _choose_threshold(own, task)
        codes = (scores >= threshold).astype(np.uint8)
        return Output(Labels(codes, names), scores, own.invalid, threshold)
    kind = np.uint8 if len(names) <= 256 else np.uint32
    return Output(Labels(scores.argmax(axis=1).astype(kind), names), scores, own.invalid)


def check_fit(gold: Labels | LabelRows, task: Task, name: str, answer: Answer) -> None:
    """Raises an InputError, which names no gold label, where an answer does not fit the task."""
    if answer.columns is not None and isinstance(gold, Labels):
        _check_columns(name, answer.columns, task.labels or gold.names)
    if task.threshold is not None and answer.probabilities is None:
        raise InputError(f"{name} has only predicted labels, and a threshold needs probabilities")
    if not isinstance(gold, Labels) or not isinstance(answer.labels, Labels | None):
        return
    settled = _try_settling(gold, task)
    if settled is None:
        return
    used: list[Label] = []
    if answer.labels is not None:
        codes = np.flatnonzero(answer.labels.count_each())
        used = [answer.labels.names[code] for code in codes.tolist()]
    single = answer.probabilities is not None and answer.probabilities.ndim == 1
    own = _try_settling(gold, task, used, scores=single)
    if own is not None and (own.kind, own.positive) == (settled.kind, settled.positive):
        return
    if single and settled.kind != "binary":
        raise InputError(
            f"{name} has one probability for each example, and this is a {settled.kind} task"
        )
    known = set(settled.labels or ())
    strange = [label for label in used if label not in known]
    if not strange:
        raise InputError(f"{name} contains answers that do not fit a {settled.kind} task")
    folded = {str(label).casefold() for label in known}
    alike = str(strange[0]).casefold() in folded
    text = "has in another case only (`fold_case=True`)" if alike else "does not have"
    raise InputError(f"{name} contains the label {str(strange[0])!r}, which the task {text}")


def _check_columns(name: str, columns: tuple[Label, ...], known: tuple[Label, ...]) -> None:
    """Raises an InputError where probabilities are not of just the labels of the task."""
    usual = frozenset(known)
    strange = [label for label in columns if label not in usual]
    if strange:
        raise InputError(
            f"{name} has probabilities of the label {str(strange[0])!r}, which the task does "
            "not have"
        )
    if len(columns) < len(known):
        raise InputError(
            f"{name} has probabilities of {len(columns)} labels, and the task has {len(known)}"
        )


def _try_settling(
    gold: Labels, task: Task, used: Iterable[Label] = (), *, scores: bool = False
) -> Task | None:
    try:
        return replace(task, threshold=None).settle([*gold.names, *used], scores=scores)
    except (InputError, UsageError):
        return None
