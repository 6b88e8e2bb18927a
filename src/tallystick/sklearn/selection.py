"""The best of several models by cross-validation on the same folds, with intervals."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tallystick.errors import UsageError
from tallystick.kinds.metrics.scoring import Scoring
from tallystick.model.tallies.metric import Metric
from tallystick.output.tables.document import Document, Grid, Row
from tallystick.output.tables.formats import render
from tallystick.sklearn.scorers import Scorer, scorer

_CONFIDENCE = 0.95


class Candidate(Struct, frozen=True):
    """The result of cross-validating one model.

    Attributes:
        name: What the model is called.
        model: The model as it was given, not fitted.
        values: The metric on each fold.
        mean: The mean of the values.
        low: The lower end of its confidence interval (95 %).
        high: The upper end.
        fit_seconds: How long it took to fit one fold, on average.
    """

    name: str
    model: Any
    values: tuple[float, ...]
    mean: float
    low: float
    high: float
    fit_seconds: float


class Selection(Struct, frozen=True):
    """Models in the order of their scores, the best first; prints as a table.

    Attributes:
        metric: What the models were chosen by.
        candidates: The models; those without a defined score come last.
    """

    metric: Metric
    candidates: tuple[Candidate, ...]

    @property
    def best(self) -> Candidate:
        """The best one; `selection.best.model.fit(X, y)` makes it ready for use."""
        return self.candidates[0]

    def __str__(self) -> str:
        """Writes the plain text table."""
        return render(self._document(), "table").removesuffix("\n")

    def __repr__(self) -> str:
        """Writes what print shows, so that a prompt shows it too."""
        return str(self)

    def _repr_html_(self) -> str:
        """Writes the table that a notebook shows."""
        return render(self._document(), "notebook")

    def _document(self) -> Document:
        rows: tuple[Row, ...] = tuple(
            (one.name, one.mean, one.low, one.high, one.fit_seconds) for one in self.candidates
        )
        headings = ("model", self.metric.name, "low", "high", "fit s")
        grid = Grid("overview", "", headings, 1, (rows,))
        note = (
            f"{self.metric!r}, the mean over {len(self.best.values)} folds, with its 95 % interval "
            "by t and the corrected resampled variance (Nadeau and Bengio 2003)."
        )
        return Document((grid,), notes=(note,))


def best_model(
    models: Mapping[str, object] | Sequence[object],
    X: object,  # noqa: N803
    y: object,
    *,
    scoring: Scoring | Metric | str | None = None,
    cv: object = 5,
    n_jobs: int | None = None,
) -> Selection:
    """Fits several models by cross-validation on the same folds, and puts the best first.

    The folds of one model share most of their training data, so that their values spread less than
    those of independent repetitions. The interval allows for that: the variance of the mean is
    s^2 (1 / k + n_test / n_train) over k folds, and t has k - 1 degrees of freedom (Nadeau and
    Bengio 2003, Machine Learning 52). It is cut off at the bounds of the metric. The best of many
    models owes part of its lead to chance; a separate test set shows how much.

    Args:
        models: Classifiers by name; or a list, in which each is called by its class.
        X: The data to fit, as the models take it.
        y: The gold labels.
        scoring: The metric, its name, or a `Scoring`; None takes what `scoring_defaults` or the
            environment say.
        cv: As in `cross_validate`: the number of folds, stratified by label, or a splitter.
        n_jobs: How many folds are fitted at a time; None is one.

    Raises:
        UsageError: scikit-learn is not installed, there is no model, or the metric does not fit.
    """
    try:
        from sklearn.model_selection import check_cv, cross_validate
    except ImportError:
        raise UsageError(
            "best_model needs scikit-learn: pip install 'tallystick[sklearn]'"
        ) from None
    named = _name_models(models)
    chosen = _choose(scoring)
    # Made once, so that a splitter that shuffles gives every model the same folds.
    folds = list(check_cv(cv, y, classifier=True).split(X, y))
    ratio = float(np.mean([len(test) / len(train) for train, test in folds]))
    found = []
    for name, model in _track(named):
        scored = cross_validate(
            model, X, y, scoring=chosen, cv=folds, n_jobs=n_jobs, error_score="raise"
        )
        values = chosen.sign * scored["test_score"]
        interval = _find_interval(values, ratio, chosen.metric)
        seconds = float(scored["fit_time"].mean())
        found.append(Candidate(name, model, tuple(values.tolist()), *interval, seconds))
    found.sort(key=lambda one: (np.isnan(one.mean), -chosen.sign * one.mean))
    return Selection(chosen.metric, tuple(found))


def _choose(scoring: Scoring | Metric | str | None) -> Scorer:
    if scoring is None or isinstance(scoring, Scoring):
        return Scorer((scoring or Scoring()).metric())
    return scorer(scoring)


def _name_models(models: Mapping[str, object] | Sequence[object]) -> list[tuple[str, Any]]:
    if isinstance(models, Mapping):
        named = [(str(name), model) for name, model in models.items()]
    else:
        named = [(type(model).__name__, model) for model in models]
    names = [name for name, _ in named]
    if not names:
        raise UsageError("there are no models to choose from")
    if len(set(names)) < len(names):
        raise UsageError("two models have the same name; give each its own: {'a': ..., 'b': ...}")
    return named


def _track(named: list[tuple[str, object]]) -> Iterator[tuple[str, Any]]:
    """Yields the models, with a bar on the terminal if someone watches."""
    if not sys.stderr.isatty():
        yield from named
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("", total=len(named))
        for one in named:
            progress.update(bar, description=one[0])
            yield one
            progress.advance(bar)


def _find_interval(
    values: NDArray[np.float64], ratio: float, metric: Metric
) -> tuple[float, float, float]:
    """The mean over folds and its interval; `ratio` is that of test to training examples."""
    from scipy.stats import t

    count = len(values)
    mean = float(values.mean())
    error = np.sqrt(values.var(ddof=1) * (1 / count + ratio)) if count > 1 else np.nan
    reach = t.ppf((1 + _CONFIDENCE) / 2, max(count - 1, 1)) * error
    low, high = np.clip([mean - reach, mean + reach], *metric.bounds).tolist()
    return mean, low, high
